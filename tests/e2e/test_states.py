"""The page's states, before a service that is told what to say. The real service is asked in
test_highlights.py."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, Route, expect

from rag_api.api import schemas as s
from tests.e2e.accessibility import faultless_by_day_and_by_night
from tests.e2e.conftest import NewPage
from tests.e2e.scripted import HOSTILE, PAGES, SENTENCES, TITLE, Script

QUESTION = "hoeveel paracetamol mag een kind van 12 kg?"


def ask(page: Page, question: str = QUESTION) -> None:
    page.locator("#question").fill(question)
    page.keyboard.press("Enter")


def complete(page: Page) -> None:
    expect(page.locator(".made").last).to_be_visible()
    expect(page.locator(".page[data-drawn=true]").first).to_be_visible()


@pytest.fixture
def page(new_page: NewPage, base_url: str) -> Page:
    found = new_page()
    found.goto(base_url)
    return found


# --- Before the first question


def test_the_question_box_has_the_focus_and_the_documents_give_examples(page: Page) -> None:
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator(".example")).to_have_text([f"Wat moet ik doen volgens “{TITLE}”?"])
    expect(page.get_by_text("niet voor klinisch gebruik")).to_be_visible()


def test_an_example_is_asked_by_a_click(page: Page) -> None:
    example = page.locator(".example").first
    question = example.inner_text()
    example.click()
    expect(page.locator(".question")).to_have_text(question)
    complete(page)


def test_without_documents_the_page_says_what_to_run(new_page: NewPage, base_url: str, script: Script) -> None:
    script.empty = True
    page = new_page()
    page.goto(base_url)
    expect(page.get_by_text("bedside ingest")).to_be_visible()


def test_the_page_speaks_the_readers_language_and_remembers_a_change(new_page: NewPage, base_url: str) -> None:
    page = new_page(locale="en-GB")
    page.goto(base_url)
    expect(page.get_by_role("heading", name="What do you need to know?")).to_be_visible()
    page.get_by_text("Nederlands").click()
    expect(page.get_by_role("heading", name="Wat wilt u weten?")).to_be_visible()
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "nl")
    expect(page.get_by_role("heading", name="Wat wilt u weten?")).to_be_visible()


def test_a_question_that_is_too_long_is_kept_whole_and_not_asked(page: Page, script: Script) -> None:
    box, send = page.locator("#question"), page.get_by_role("button", name="Vraag", exact=True)
    ask(page, "a" * 2003)
    expect(page.get_by_text("3 tekens te lang: een vraag telt er hoogstens 2000.")).to_be_visible()
    expect(send).to_be_disabled()
    expect(box).to_have_value("a" * 2003)
    assert script.asked == []
    box.fill("a" * 2000)
    expect(page.locator(".too-long")).to_be_empty()
    send.click()
    complete(page)
    assert [body.question for body in script.asked] == ["a" * 2000]


# --- The answer and its source


def test_an_answer_marks_what_was_copied_and_opens_its_source(page: Page) -> None:
    ask(page)
    complete(page)
    quotes = page.locator(".answer-text .quote")
    expect(quotes).to_have_count(2)
    expect(quotes.first).to_have_text(SENTENCES[1] + "1")
    expect(page.locator(".card:has(.open) h3")).to_have_text(TITLE)
    expect(page.locator(".card-place.open mark").first).to_contain_text(SENTENCES[1])
    expect(page.locator(".source-head")).to_contain_text("Pagina 3 van 40")
    expect(page.locator(".places")).to_contain_text("1 van 2")
    expect(page).to_have_url(re.compile(r"/c/[0-9a-f-]{36}$"))
    expect(page.get_by_role("status")).to_have_text("Antwoord klaar, 5 bronnen.")


def test_the_first_highlight_stands_in_the_upper_third(page: Page) -> None:
    ask(page)
    complete(page)
    pane, mark = page.locator(".pages").bounding_box(), page.locator(".highlight.current").first.bounding_box()
    assert pane
    assert mark
    assert pane["y"] < mark["y"] < pane["y"] + pane["height"] / 3


def test_written_words_are_told_from_copied_ones_and_unknown_numbers_are_named(page: Page) -> None:
    ask(page, "geschreven antwoord")
    complete(page)
    expect(page.locator(".legend")).to_contain_text("door het taalmodel geschreven")
    unsupported = page.locator(".answer-text .unsupported")
    expect(unsupported).to_have_text(["999 mg"])
    expect(page.locator(".unsupported-word").first).to_have_text(" (niet in de bron)")


REACHED = """panel => { const { left, right, top, bottom } = panel.getBoundingClientRect();
    const corners = [left + 9, right - 9].flatMap(x => [top + 9, bottom - 9].map(y => [x, y]));
    return corners.every(([x, y]) => panel.contains(document.elementFromPoint(x, y))); }"""
WINDOWS = [(1024, 768), (1100, 700), (1280, 720), (1366, 768), (1440, 900), (1920, 1080)]


@pytest.mark.parametrize("sizes", [WINDOWS, [(390, 844)]], ids=["wide", "phone"])
@pytest.mark.parametrize("asked", [False, True])
def test_the_filters_are_seen_whole_beside_an_open_source(
    new_page: NewPage, base_url: str, sizes: list[tuple[int, int]], asked: bool
) -> None:
    phone = len(sizes) == 1
    page = new_page(width=sizes[0][0], height=sizes[0][1])
    page.goto(base_url)
    if asked:
        ask(page)
        expect(page.locator(".made")).to_be_visible()
        if phone:  # the question box is folded away while one reads
            page.locator("#question").click()
        else:
            complete(page)
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.locator(".scope summary").click()
        pane, panel = page.locator(".conversation").bounding_box(), page.locator(".scope-panel").bounding_box()
        assert pane
        assert panel
        assert panel["x"] >= pane["x"]
        assert panel["x"] + panel["width"] <= pane["x"] + pane["width"]
        assert phone or page.locator(".scope-panel").evaluate(REACHED)
        page.get_by_role("button", name="Wis de filters").scroll_into_view_if_needed()
        expect(page.get_by_role("button", name="Wis de filters")).to_be_in_viewport()
        page.locator(".scope summary").press("Enter")


def test_keys_move_through_places_and_sources(page: Page) -> None:
    ask(page)
    complete(page)
    page.locator("h2.question").click()
    page.keyboard.press("n")
    expect(page.locator(".places")).to_contain_text("2 van 2")
    page.keyboard.press("p")
    expect(page.locator(".places")).to_contain_text("1 van 2")
    page.keyboard.press("j")
    expect(page.locator(".card-place.open")).to_have_attribute("data-rank", "2")
    page.keyboard.press("k")
    expect(page.locator(".card-place.open")).to_have_attribute("data-rank", "1")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator(".source")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".source")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()


def test_letters_typed_into_the_question_move_nothing(page: Page) -> None:
    ask(page)
    complete(page)
    page.locator("#question").fill("")
    page.keyboard.type("jn?/")
    expect(page.locator("#question")).to_have_value("jn?/")
    expect(page.locator(".card-place.open")).to_have_attribute("data-rank", "1")


def test_a_long_document_is_drawn_only_where_it_is_seen(page: Page) -> None:
    ask(page)
    complete(page)
    pane = page.locator(".pages")
    assert 1 <= page.locator(".page canvas").count() <= 6
    pane.evaluate("pane => { pane.scrollTop = pane.scrollHeight }")
    expect(page.locator(f".page[data-page='{PAGES}'][data-drawn=true]")).to_be_visible()
    expect(page.locator(".page")).to_have_count(2)
    expect(page.locator(".source-head")).to_contain_text(f"Pagina {PAGES} van {PAGES}")


def test_words_on_a_page_can_be_selected(page: Page) -> None:
    ask(page)
    complete(page)
    line = page.locator(".page[data-page='3'] .textLayer span", has_text=SENTENCES[2])
    line.click(click_count=3)
    assert SENTENCES[2] in page.evaluate("getSelection().toString()")


def test_larger_pages_keep_the_highlight_on_its_words(page: Page) -> None:
    ask(page)
    complete(page)
    before = page.locator(".highlight.current").bounding_box()
    page.get_by_role("button", name="Groter").click()
    expect(page.locator(".source-tools")).to_contain_text("125%")
    expect(page.locator(".page[data-page='3'][data-drawn=true]")).to_be_visible()
    after, words = (
        page.locator(".highlight.current").bounding_box(),
        page.locator(".textLayer span", has_text=SENTENCES[1]).bounding_box(),
    )
    assert before
    assert after
    assert words
    assert after["width"] == pytest.approx(before["width"] * 1.25, rel=0.01)
    assert after["x"] == pytest.approx(words["x"], abs=3)
    assert after["width"] == pytest.approx(words["width"], abs=6)


def test_a_scan_in_jpeg_2000_is_drawn(page: Page) -> None:
    """By pdf.js's WebAssembly decoder, served from here and allowed by the policy."""
    with page.expect_response(lambda response: response.url.endswith("openjpeg.wasm")) as decoder:
        ask(page, "gescand")
    assert decoder.value.ok
    expect(page.locator(".page[data-drawn=true]")).to_be_visible()
    middle = "canvas => [...canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data]"
    assert page.locator(".page canvas").evaluate(middle) == [0, 0, 0, 255]


def test_an_inexact_place_shows_its_page_and_no_rectangle(page: Page) -> None:
    ask(page, "onnauwkeurig")
    complete(page)
    expect(page.locator(".source-status")).to_contain_text("Op pagina 3; de juiste plaats is niet bekend.")
    expect(page.locator(".highlight")).to_have_count(0)


def test_a_conversation_opens_again_at_its_address(page: Page) -> None:
    ask(page)
    complete(page)
    ask(page, "geschreven en nog iets")
    expect(page.locator(".made")).to_have_count(2)
    address = page.url
    page.reload()
    expect(page.locator(".turn")).to_have_count(2)
    complete(page)
    expect(page.locator(".card-place.open")).to_have_attribute("data-rank", "1")
    page.get_by_role("button", name="Nieuwe vraag").click()
    expect(page.locator(".turn")).to_have_count(0)
    page.locator("summary", has_text="Eerder").click()
    expect(page.get_by_role("button", name=QUESTION)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name=QUESTION)).to_be_hidden()
    page.locator("summary", has_text="Eerder").click()
    page.get_by_role("button", name=QUESTION).click()
    expect(page.locator(".turn")).to_have_count(2)
    expect(page).to_have_url(address)
    page.go_back()
    expect(page.locator(".turn")).to_have_count(0)


def test_a_conversation_is_deleted_by_who_asked_it(page: Page, script: Script) -> None:
    ask(page)
    complete(page)
    page.locator("summary", has_text="Eerder").click()
    page.get_by_role("button", name="verwijder", exact=True).click()
    page.get_by_role("button", name="Annuleren").click()
    expect(page.get_by_role("button", name=QUESTION)).to_be_visible()
    page.get_by_role("button", name="verwijder", exact=True).click()
    page.get_by_role("button", name="Ja, verwijder").click()
    expect(page.locator(".turn")).to_have_count(0)  # it was the one on the page
    page.locator("summary", has_text="Eerder").click()
    expect(page.get_by_text("U hebt nog niets gevraagd.")).to_be_visible()
    assert script.conversations == {}


def test_a_following_question_stays_at_the_top_while_its_answer_grows(page: Page) -> None:
    ask(page)
    complete(page)
    ask(page, "geschreven en nog iets")
    expect(page.locator(".made")).to_have_count(2)
    pane, question = page.locator(".conversation").bounding_box(), page.locator(".question").last.bounding_box()
    assert pane
    assert question
    assert 0 <= question["y"] - pane["y"] < 120


def test_table_cells_are_told_apart_and_copied_as_they_are(page: Page) -> None:
    ask(page, "tabel")
    complete(page)
    expect(page.locator(".answer-text .cell-border")).to_have_count(1)
    assert page.locator(".answer-text").evaluate("text => text.textContent").startswith("Kind van 12 kg\t180 mg")


def test_under_1024_pixels_the_source_slides_over_and_away_again(new_page: NewPage, base_url: str) -> None:
    page = new_page(width=800)
    page.goto(base_url)
    ask(page)
    expect(page.locator(".made")).to_be_visible()
    expect(page.locator(".source")).to_be_hidden()
    page.locator(".conversation").evaluate("pane => { pane.scrollTop = 120 }")
    page.locator(".quote").first.click()
    expect(page.locator(".highlight.current")).to_be_visible()
    place = page.locator(".conversation").evaluate("pane => pane.scrollTop")
    assert place > 0
    page.get_by_role("button", name="Sluit de bron").click()
    expect(page.locator(".source")).to_be_hidden()
    assert page.locator(".conversation").evaluate("pane => pane.scrollTop") == place


# --- When something is missing or wrong


def test_no_answer_names_the_nearest_documents(page: Page) -> None:
    ask(page, "vraag zonder antwoord")
    expect(page.locator(".notice")).to_have_text(
        "Koorts bij zuigelingen past bij de vraag, maar kon niet gelezen worden: het is een scan."
    )
    expect(page.locator(".feedback")).to_have_count(0)
    expect(page.get_by_role("heading", name="Procedures die het dichtst bij uw vraag liggen")).to_be_visible()
    expect(page.locator(".card")).to_have_count(3)


def test_a_follow_up_says_what_was_searched_for_and_the_own_words_can_be_asked_instead(page: Page) -> None:
    ask(page)
    complete(page)
    expect(page.locator(".searched")).to_have_count(0)
    ask(page, "en per dag?")
    expect(page.locator(".searched")).to_contain_text("Gezocht naar: paracetamol en per dag?")
    complete(page)
    page.get_by_role("button", name="Zoek letterlijk wat ik vroeg").click()
    expect(page.locator(".turn")).to_have_count(3)
    complete(page)
    expect(page.locator(".turn").last.locator(".searched")).to_have_count(0)


def test_without_a_generator_the_sources_still_come(page: Page) -> None:
    ask(page, "zonder generator")
    expect(page.locator(".notice")).to_contain_text(
        "Bedside kan nu geen antwoord samenstellen; dit zijn de procedures."
    )
    expect(page.locator(".card").first).to_be_visible()
    expect(page.locator(".answer-text")).to_have_count(0)


def test_a_degraded_service_says_so_before_it_is_asked(new_page: NewPage, base_url: str, script: Script) -> None:
    script.health = s.Health(status="degraded", version="1", parts=[], demo=False)
    page = new_page()
    page.goto(base_url)
    expect(page.locator(".banner")).to_contain_text("maar toont wel de procedures")


def test_the_banner_goes_when_the_generator_is_back_and_comes_when_an_answer_lacked_it(
    new_page: NewPage, base_url: str, script: Script
) -> None:
    well, ill = script.health, s.Health(status="degraded", version="1", parts=[], demo=False)
    script.health = ill
    page = new_page()
    page.clock.install()
    page.goto(base_url)
    expect(page.locator(".banner.serious")).to_contain_text("Bedside kan nu geen antwoord samenstellen")
    script.health = well
    page.clock.run_for(11_000)
    expect(page.locator(".banner.serious")).to_have_count(0)
    script.health = ill
    ask(page, "zonder generator")
    page.clock.run_for(2_000)
    expect(page.locator(".banner.serious")).to_contain_text("Bedside kan nu geen antwoord samenstellen")


def test_an_answer_that_was_cut_short_can_be_asked_again_later(page: Page, script: Script) -> None:
    stopped = s.NoticeOut(code="stopped", text="Het antwoord is gestopt en dus niet volledig.")
    script.conversations["eerder"] = [
        script.answer(s.AskIn(question=QUESTION), "eerder", status="failed", notices=[stopped])
    ]
    page.goto(page.url + "c/eerder")
    expect(page.locator(".notice")).to_contain_text("Het antwoord is gestopt")
    page.get_by_role("button", name="Opnieuw vragen").click()
    expect(page.locator(".turn")).to_have_count(2)


BEYOND = """() => [...document.querySelectorAll('button, a, select, summary, input, textarea')]
    .filter(one => one.checkVisibility() && !one.closest('.sr-only, .textLayer') && !one.matches('.sr-only, .skip, .behind'))
    .map(one => [one.outerHTML.slice(0, 90), one.getBoundingClientRect()])
    .filter(([, box]) => box.width > 1 && (box.left < -1 || box.right > innerWidth + 1)).map(([html]) => html)"""


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1280, 720), (390, 844)])
def test_words_are_drawn_larger_on_a_computer_and_on_a_phone(
    new_page: NewPage, base_url: str, width: int, height: int
) -> None:
    page = new_page(width=width, height=height)
    page.goto(base_url)
    ask(page)
    expect(page.locator(".made")).to_be_visible()
    heights = []
    for size in ("normal", "larger", "largest"):
        page.locator(".bar .to-left > summary").click()
        page.get_by_label("Tekstgrootte").select_option(size)
        page.keyboard.press("Escape")
        expect(page.locator("html")).to_have_attribute("data-size", size)
        heights.append(page.locator(".answer-text .quote").first.evaluate("one => one.getClientRects()[0].height"))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(BEYOND) == []  # everything is in reach
    assert heights[1] >= 1.35 * heights[0]
    assert heights[2] >= 1.98 * heights[0]


def test_on_a_phone_the_bar_is_one_line_and_earlier_questions_lie_within_the_screen(
    new_page: NewPage, base_url: str, script: Script
) -> None:
    script.conversations["eerder"] = [script.answer(s.AskIn(question=QUESTION), "eerder")]
    page = new_page(width=390, height=844)
    page.goto(base_url)
    bar = page.locator(".bar").bounding_box()
    assert bar
    assert bar["height"] < 56
    page.locator("summary", has_text="Eerder").click()
    item = page.get_by_role("button", name=QUESTION)
    expect(item).to_be_visible()
    box = item.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


def test_a_broken_stream_keeps_what_came_and_can_be_asked_again(page: Page) -> None:
    ask(page, "breekt af")
    expect(page.locator(".notice.serious")).to_contain_text("De verbinding viel weg")
    expect(page.locator(".answer-text")).to_contain_text(SENTENCES[1])
    expect(page.locator(".card").first).to_be_visible()
    page.get_by_role("button", name="Opnieuw vragen").click()
    expect(page.locator(".turn")).to_have_count(2)


def test_a_service_that_falls_silent_is_said_to_and_waited_for(page: Page) -> None:
    began = time.monotonic()
    ask(page, "zwijgt")
    expect(page.locator(".progress-silent")).to_contain_text("Er komt even niets meer van Bedside")
    assert time.monotonic() - began > 4  # nobody is told at every hitch
    complete(page)
    expect(page.locator(".progress-silent")).to_have_count(0)
    expect(page.locator(".answer-text")).to_contain_text(SENTENCES[1])


def test_an_answer_whose_stream_broke_but_which_was_stored_is_shown(page: Page) -> None:
    ask(page, "breekt bijna af")
    complete(page)
    expect(page.locator(".notice")).to_have_count(0)
    expect(page.locator(".answer-text")).to_contain_text(SENTENCES[2])


def test_a_part_that_does_not_answer_is_named(page: Page) -> None:
    ask(page, "databank")
    expect(page.locator(".notice.serious, .notice")).to_contain_text("De databank van Bedside antwoordt nu niet")


def test_stop_ends_the_answer_and_keeps_its_words(page: Page) -> None:
    ask(page, "traag antwoord")
    expect(page.locator(".progress-now")).to_have_text("Het antwoord wordt geschreven…")
    expect(page.locator(".answer-text")).to_contain_text("Een kind")
    page.keyboard.press("Escape")
    expect(page.locator(".notice")).to_contain_text("Het antwoord is gestopt")
    expect(page.locator(".answer-text")).to_contain_text("Een kind")
    expect(page.get_by_role("button", name="Vraag", exact=True)).to_be_visible()


def test_without_a_connection_the_page_says_so(new_page: NewPage, base_url: str) -> None:
    page = new_page(allowed="Unable to preload CSS|dynamically imported module")  # of what comes with an answer
    page.goto(base_url)
    page.wait_for_load_state("networkidle")  # what is fetched after the page is there, its words too
    page.context.set_offline(True)
    expect(page.locator(".banner")).to_have_text("U bent offline.")
    ask(page)
    expect(page.locator(".notice")).to_contain_text("Geen verbinding met Bedside")
    page.context.set_offline(False)
    expect(page.locator(".banner.serious")).to_have_count(0)


def test_what_could_not_come_without_a_connection_comes_when_it_is_back(new_page: NewPage, base_url: str) -> None:
    page = new_page(allowed="Unable to preload CSS|dynamically imported module")
    page.goto(base_url)
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    ask(page)
    expect(page.locator(".notice")).to_contain_text("Geen verbinding met Bedside")
    expect(page.locator(".print-only")).to_have_count(0)
    page.context.set_offline(False)
    expect(page.locator(".print-only")).to_be_attached()
    expect(page.locator(".print-only")).to_be_hidden()  # its style sheet came too
    question = page.locator(".question")
    assert page.locator(".conversation").evaluate("pane => pane.style.getPropertyValue('--band')") != ""
    page.get_by_role("button", name="Opnieuw vragen").click()
    expect(question).to_have_count(2)
    complete(page)
    expect(page.locator(".made")).to_have_count(1)
    expect(page.locator(".feedback")).to_have_count(1)


def test_a_page_that_learns_nothing_of_its_session_stands_and_asks_no_more(new_page: NewPage, base_url: str) -> None:
    page = new_page(allowed="ERR_FAILED")
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.abort()

    page.route("**/api/session", refuse)
    page.goto(base_url)
    page.locator("#question").fill("hoeveel paracetamol?")
    page.wait_for_timeout(1500)
    expect(page.locator("#question")).to_have_value("hoeveel paracetamol?")
    assert 1 <= len(asked) <= 2  # it was asked without end, and the page was empty meanwhile


def test_earlier_questions_that_cannot_be_fetched_are_not_called_none(new_page: NewPage, base_url: str) -> None:
    page = new_page(allowed="Failed to fetch dynamically imported module")
    page.goto(base_url)
    expect(page.locator("#question")).to_be_focused()
    page.context.set_offline(True)
    menu = page.locator(".menu", has_text="Eerder").first
    menu.locator("summary").click()
    expect(menu).to_contain_text("Geen verbinding met Bedside")
    expect(menu).not_to_contain_text("U hebt nog niets gevraagd.")
    page.context.set_offline(False)
    menu.locator("summary").click()
    menu.locator("summary").click()
    expect(menu).to_contain_text("U hebt nog niets gevraagd.")
    expect(menu).not_to_contain_text("Geen verbinding met Bedside")


def test_every_page_has_the_bar_with_the_readers_theme_and_language_and_says_what_holds(
    page: Page, base_url: str
) -> None:
    page.locator("summary", has_text="Weergave").click()
    page.get_by_label("Thema").select_option("dark")
    page.get_by_label("Tekstgrootte").select_option("largest")
    quality, admin = ("session", "sets", "gaps", "usage"), ("documents", "accounts", "keys")
    for path in ("/", *(f"/quality/{one}" for one in quality), *(f"/admin/{one}" for one in admin), "/audit/trail"):
        page.goto(base_url + path)
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(page.locator("html")).to_have_attribute("data-size", "largest")
        page.locator(".bar summary", has_text="Menu").click()  # large words fold the bar of a screen of this width
        expect(page.get_by_label("Thema")).to_have_value("dark")
        expect(page.get_by_label("Tekstgrootte")).to_have_value("largest")
        expect(page.locator(".banner")).to_contain_text("niet voor klinisch gebruik")
        page.get_by_role("button", name="Show the page in English").click()
        expect(page.locator(".banner")).to_contain_text("not for clinical use")
        expect(page.locator("html")).to_have_attribute("lang", "en")
        page.get_by_role("button", name="Toon de pagina in het Nederlands").click()
        expect(page.locator("html")).to_have_attribute("lang", "nl")


def test_a_document_that_is_gone_leaves_its_passage(page: Page) -> None:
    ask(page)
    complete(page)
    page.get_by_role("button", name="Open bron 3").click()
    expect(page.locator(".source-instead")).to_contain_text("Dit document is er niet meer")
    expect(page.locator(".source-instead blockquote")).to_contain_text("Koorts is een lichaamstemperatuur")


def test_an_expired_source_is_flagged(page: Page) -> None:
    ask(page)
    complete(page)
    expect(page.locator(".card[data-document='weg'] .warn")).to_have_text("verlopen op 1 mrt 2024")


@pytest.mark.parametrize(
    ("path", "words"), [("/elders", "Er is niets op dit adres"), ("/c/weg", "Alleen wie het vroeg, kan dit openen")]
)
def test_an_address_without_anything_says_so(new_page: NewPage, base_url: str, path: str, words: str) -> None:
    page = new_page()
    page.goto(base_url + path)
    expect(page.get_by_text(words)).to_be_visible()
    expect(page.locator("#question")).to_be_visible()


# --- Guards


def test_script_in_a_document_and_in_an_answer_stays_text(page: Page) -> None:
    ask(page, "vijandig")
    complete(page)
    for place in (".answer-text", ".card h3", ".source-title h2"):
        expect(page.locator(place).first).to_contain_text(HOSTILE)
    page.get_by_role("button", name="hele passage").click()
    expect(page.locator(".passage")).to_contain_text(HOSTILE)
    # after an emoji, still in its place
    expect(page.locator(".answer-text .quote").first).to_contain_text(SENTENCES[1])
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script, main b, aside img, aside script").count() == 0


def test_nothing_is_fetched_from_elsewhere(page: Page, base_url: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    ask(page)
    complete(page)
    assert asked
    assert [url for url in asked if not url.startswith((base_url, "blob:", "data:"))] == []


@pytest.mark.parametrize("question", [None, "geschreven volwassene", "vraag zonder antwoord", "breekt af"])
def test_accessibility(new_page: NewPage, base_url: str, question: str | None) -> None:
    """axe-core's WCAG 2.2 A and AA rules, contrast among them, find nothing."""
    page = new_page()
    page.goto(base_url)
    expect(page.locator("#question")).to_be_visible()
    if question:
        ask(page, question)
        expect(page.locator(".made, .notice.serious").first).to_be_visible()
        if "zonder antwoord" not in question:  # a refusal opens none
            expect(page.locator(".page[data-drawn=true]").first).to_be_visible()
    faultless_by_day_and_by_night(page)
