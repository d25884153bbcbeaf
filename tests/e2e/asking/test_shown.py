"""The showing of an answer: tables, lists, documents, refusals; on a phone, at 400% zoom, in forced
colours, on paper, to a screen reader."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import faultless_by_day_and_by_night
from tests.e2e.conftest import NewPage, until
from tests.e2e.scripted import ROWS, SENTENCES, STEPS, TITLE, Script
from tests.e2e.test_states import ask, complete

INSIDE = """selector => [...document.querySelectorAll(selector)].every(one => {
    const box = one.getBoundingClientRect();
    return box.left >= 0 && box.right <= window.innerWidth + 1;
})"""


@pytest.fixture
def page(new_page: NewPage, base_url: str) -> Page:
    found = new_page()
    found.goto(base_url)
    expect(found.locator("#question")).to_be_visible()  # its words are there: they are fetched after the page
    return found


@pytest.fixture
def phone(new_page: NewPage, base_url: str) -> Page:
    found = new_page(width=360, height=740)
    found.goto(base_url)
    return found


def made(page: Page) -> None:
    expect(page.locator(".made").last).to_be_visible()


# --- Tables, lists, documents


def test_a_quoted_row_is_a_table_with_its_header_and_the_asked_cell_strong(page: Page) -> None:
    ask(page, "rijtje")
    complete(page)
    table = page.get_by_role("table")
    expect(table.get_by_role("columnheader")).to_have_text(list(ROWS[0]))
    expect(table.get_by_role("rowheader")).to_have_text([ROWS[1][0]])
    expect(table.get_by_role("cell")).to_have_text(list(ROWS[1][1:]))
    expect(table.locator("strong")).to_have_text([ROWS[1][1]])


def test_a_quoted_list_is_a_list_under_its_introduction(page: Page) -> None:
    ask(page, "stappen")
    complete(page)
    expect(page.locator(".part-heading")).to_have_text("Meteen doen:")
    expect(page.locator(".answer-text").get_by_role("listitem")).to_have_text(
        [f"{label}{words}" for label, words in STEPS]
    )


def test_in_a_quoted_paragraph_the_sentence_that_was_asked_for_stands_out(page: Page) -> None:
    ask(page, "alinea")
    complete(page)
    expect(page.locator("p > .quote strong")).to_have_text([SENTENCES[1]])
    expect(page.locator(".part-sentence strong")).to_have_text([SENTENCES[1]])
    expect(page.locator("p > .quote").first).to_contain_text(" ".join(SENTENCES))
    weights = page.evaluate(
        "() => ['.answer-text p > .quote', '.answer-text strong'].map(x => "
        "getComputedStyle(document.querySelector(x)).fontWeight)"
    )
    assert weights == ["400", "600"]


@pytest.mark.parametrize("question", ["rijtje", "stappen"])
def test_a_table_or_a_list_has_its_mark_and_one_place(page: Page, question: str) -> None:
    ask(page, question)
    complete(page)
    expect(page.locator(".answer-text .quote")).to_have_count(1)
    expect(page.locator(".answer-text .quote")).to_contain_text("bron 1")
    expect(page.locator(".places")).to_have_count(0)  # "1 of 1" is not said
    expect(page.locator(".highlight.current")).to_have_count(2)
    page.get_by_role("button", name="Sluit de bron").click()
    page.locator(".answer-text .quote").click()
    expect(page.locator(".highlight.current")).to_have_count(2)


def test_on_a_phone_a_row_is_read_from_top_to_bottom_and_stays_a_table(phone: Page) -> None:
    ask(phone, "rijtje")
    made(phone)
    cells = phone.locator(".stacked .part-table tbody :is(th, td)")
    expect(cells).to_have_count(3)
    tops = [box["y"] for box in (cells.nth(index).bounding_box() for index in range(3)) if box]
    assert tops == sorted(set(tops))
    expect(cells.nth(1)).to_have_attribute("data-heading", ROWS[0][1])
    expect(phone.get_by_role("table").get_by_role("cell")).to_have_text(list(ROWS[1][1:]))
    assert phone.evaluate(INSIDE, ".part *")


@pytest.mark.parametrize(("width", "stacked"), [(320, 1), (390, 1), (768, 0), (1280, 1)])
def test_a_row_is_read_from_top_to_bottom_where_its_columns_have_no_room(
    new_page: NewPage, base_url: str, width: int, stacked: int
) -> None:
    page = new_page(width=width)
    page.goto(base_url)
    ask(page, "breed")
    made(page)
    expect(page.locator(".stacked .part-table")).to_have_count(stacked)
    assert page.evaluate(INSIDE, ".part *")
    if width < 1280:
        return
    page.get_by_role("button", name="Sluit de bron").click()  # which gives the answer its room
    expect(page.locator(".stacked .part-table")).to_have_count(0)
    tops = (
        page.locator(".part-table tbody tr")
        .first.locator("th, td")
        .evaluate_all("cells => cells.map(one => one.getBoundingClientRect().top)")
    )
    assert len(set(tops)) == 1


def test_words_that_an_answer_does_not_name_are_not_said_but_a_drug_is_large_above_it(page: Page) -> None:
    ask(page, "polio")
    complete(page)
    expect(page.locator(".notice")).to_have_count(0)
    ask(page, "ibuprofen")
    expect(page.locator(".made")).to_have_count(2)
    alarm, answer = page.locator(".notice").last, page.locator(".answer-text").last
    expect(alarm).to_contain_text("het woord ibuprofen staat niet in dit antwoord")
    assert alarm.bounding_box()["y"] < answer.bounding_box()["y"]  # type: ignore[index]
    colours, sizes = (
        [one.evaluate(f"one => getComputedStyle(one).{style}") for one in (alarm, answer)]
        for style in ("color", "fontSize")
    )
    assert colours[0] != colours[1]
    assert max(sizes, key=lambda size: float(size.removesuffix("px"))) == sizes[0]
    faultless_by_day_and_by_night(page)


def test_on_a_phone_a_list_stays_a_list_within_the_screen(phone: Page) -> None:
    ask(phone, "stappen")
    made(phone)
    items = phone.locator(".answer-text").get_by_role("listitem")
    expect(items).to_have_text([f"{label}{words}" for label, words in STEPS])
    tops = [box["y"] for box in (items.nth(index).bounding_box() for index in range(len(STEPS))) if box]
    assert tops == sorted(set(tops))
    assert phone.evaluate(INSIDE, ".part *")
    phone.locator(".answer-text .quote").click()
    expect(phone.locator(".highlight.current").first).to_be_in_viewport()


def test_sources_of_one_document_stand_on_one_card_and_its_score_is_a_word(page: Page) -> None:
    ask(page)
    complete(page)
    page.get_by_role("button", name="Toon nog").click()
    card = page.locator(".card[data-document='pijnmeting']")
    expect(card).to_have_count(1)
    expect(card.get_by_role("heading")).to_have_text("Pijn meten bij jonge kinderen")
    expect(card.locator(".rank")).to_have_text(["2", "5"])
    expect(card.get_by_role("button", name="Open bron 5")).to_contain_text("pagina 31")
    expect(page.locator(".score").first).to_have_text("aangehaald")
    assert not page.locator(".cards").inner_text().count("0,9")


# --- Whom the question is about


@pytest.mark.parametrize("scene", ["tweeling", "eenling"])  # the same for others is there; it is for some only
def test_a_question_that_names_no_patient_is_asked_again_for_one_by_a_press(
    page: Page, script: Script, scene: str
) -> None:
    ask(page, f"{scene}: welke dosis?")
    complete(page)
    chips = page.locator(".for-whom button")
    expect(chips).to_have_text(["volwassene", "kind", "pasgeborene", "zwangere"])
    chips.nth(1).click()
    expect(page.locator(".question").last).to_have_text(f"{scene}: welke dosis bij een kind?")
    complete(page)
    expect(page.locator(".turn").last.locator(".for-whom")).to_have_count(0)
    assert script.asked[-1].literal


def test_what_a_follow_up_was_understood_as_is_changed_in_one_click(page: Page, script: Script) -> None:
    ask(page, "en per dag")
    complete(page)
    page.get_by_role("button", name="Pas dit aan").click()
    expect(page.locator("#question")).to_have_value("paracetamol en per dag")
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type(" bij een kind")
    page.keyboard.press("Enter")
    expect(page.locator(".made")).to_have_count(2)
    assert [(one.question, one.literal) for one in script.asked[1:]] == [("paracetamol en per dag bij een kind", True)]
    ask(page, "en per week")
    expect(page.locator(".made")).to_have_count(3)
    assert not script.asked[-1].literal


# --- A refusal


def test_a_refusal_opens_no_document_and_names_the_nearest_with_their_owners(page: Page) -> None:
    ask(page, "vraag zonder antwoord")
    made(page)
    expect(page.locator(".source")).to_have_count(0)
    expect(page.locator(".card h3")).to_have_text([TITLE, "Pijn meten bij jonge kinderen", "Oude koortskaart"])
    expect(page.locator(".card .facts").first).to_contain_text("eigenaar: Apotheek")
    expect(page.locator(".notice")).to_contain_text("kon niet gelezen worden: het is een scan")  # one sentence


def test_a_document_of_a_refusal_opens_at_what_was_looked_at_and_marks_it_as_no_answer(page: Page) -> None:
    ask(page, "vraag zonder antwoord")
    made(page)
    title = page.locator(".card h3").first.bounding_box()
    assert title
    page.mouse.click(title["x"] + 9, title["y"] + 9)
    expect(page.locator(".source-status")).to_have_text(
        "Uit dit document wordt niets aangehaald; wat bekeken werd, is grijs gemarkeerd."
    )
    looked = page.locator(".page[data-page='3'] .highlight")
    expect(looked).to_be_in_viewport()
    expect(looked).to_have_class(re.compile("of-nearest"))
    red, green, blue = map(int, re.findall(r"\d+", looked.evaluate("one => getComputedStyle(one).backgroundColor"))[:3])
    assert max(red, green, blue) - min(red, green, blue) < 20  # quoted words are yellow
    expect(page.locator("mark")).to_have_count(0)
    faultless_by_day_and_by_night(page)


def test_a_document_of_a_refusal_whose_place_is_not_known_opens_at_its_page(page: Page) -> None:
    ask(page, "vraag zonder antwoord")
    made(page)
    page.locator(".card-button").nth(1).click()
    expect(page.locator(".source-status")).to_have_text(
        "Uit dit document wordt niets aangehaald. Op pagina 12; de juiste plaats is niet bekend."
    )
    expect(page.locator(".page[data-page='12'][data-drawn=true]")).to_be_in_viewport()
    expect(page.locator(".highlight")).to_have_count(0)


def test_a_refusal_that_is_opened_again_later_opens_no_document_either(page: Page) -> None:
    ask(page, "vraag zonder antwoord")
    made(page)
    page.reload()
    made(page)
    expect(page.locator(".source")).to_have_count(0)


# --- What is heard


@pytest.mark.parametrize(
    ("question", "heard"),
    [
        (
            "vraag zonder antwoord",
            "maar kon niet gelezen worden: het is een scan. 4 procedures liggen het dichtst bij de vraag.",
        ),
        (
            "zonder generator",
            "Er is geen antwoord, wel 5 bronnen. Bedside kan nu geen antwoord samenstellen; dit zijn de procedures.",
        ),
        ("databank", "Geen antwoord. De databank van Bedside antwoordt nu niet. Probeer het zo dadelijk opnieuw."),
        (
            "breekt af",
            "Geen antwoord. De verbinding viel weg tijdens het antwoord; wat al aangekomen was, staat hieronder.",
        ),
        ("tweeling", "Antwoord klaar, 5 bronnen. De vraag noemt geen patiënt:"),
    ],
)
def test_a_screen_reader_hears_what_happened(page: Page, question: str, heard: str) -> None:
    ask(page, question)
    expect(page.locator("p.sr-only[role='status']")).to_contain_text(heard)  # others come with what is under an answer


def test_a_screen_reader_hears_that_there_is_no_connection(new_page: NewPage, base_url: str) -> None:
    page = new_page(allowed="Unable to preload CSS|dynamically imported module")  # of what comes with an answer
    page.goto(base_url)
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    ask(page)
    expect(page.get_by_role("status")).to_contain_text("Geen antwoord. Geen verbinding met Bedside.")


def test_english_passages_are_said_to_be_english(page: Page) -> None:
    ask(page, "english")
    complete(page)
    expect(page.locator(".card h3").first).to_have_attribute("lang", "en")
    expect(page.locator(".passage > span").first).to_have_attribute("lang", "en")
    expect(page.locator(".answer-text .quote").first).to_have_attribute("lang", "en")
    expect(page.locator(".source-title h2")).to_have_attribute("lang", "en")


@pytest.mark.parametrize(
    ("locale", "question", "said"),
    [("nl-BE", "english", "Deze procedure is in het Engels."), ("en-GB", "rijtje", "This procedure is in Dutch.")],
)
def test_an_answer_in_another_language_than_the_page_says_so_once_above_it(
    new_page: NewPage, base_url: str, locale: str, question: str, said: str, tmp_path: Path
) -> None:
    page = new_page(locale=locale)
    page.goto(base_url)
    ask(page, question)
    made(page)
    line = page.get_by_text(said, exact=True)
    expect(line).to_have_count(1)
    expect(page.locator("p.sr-only[role='status']")).to_contain_text(said)  # heard, too
    above, words = line.bounding_box(), page.locator(".answer-text").bounding_box()
    assert above
    assert words
    assert above["y"] + above["height"] <= words["y"]
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"language-{width}.png")
    page.get_by_role("button", name=re.compile("English|Nederlands")).click()
    expect(line).to_have_count(0)  # it is the page's now


@pytest.mark.parametrize("question", ["english rijtje", "english stappen"])
def test_english_tables_and_lists_are_said_to_be_english_and_the_words_of_the_page_are_not(
    page: Page, question: str
) -> None:
    ask(page, question)
    complete(page)
    expect(page.locator(".answer-text .part")).to_have_attribute("lang", "en")
    expect(page.locator(".part-place")).to_have_attribute("lang", "nl-BE")


# --- Small windows


@pytest.mark.parametrize("asked", ["hoeveel paracetamol?", "rijtje", "vraag zonder antwoord"])
def test_at_400_percent_the_answer_is_seen_and_nothing_is_cut(new_page: NewPage, base_url: str, asked: str) -> None:
    """1280 x 1024 at 400%: nothing stays in place over the answer, and nothing needs scrolling
    sideways."""
    page = new_page(width=320, height=256)
    page.goto(base_url)
    ask(page, asked)
    made(page)
    first = page.locator(".answer-text, .notice").first
    first.scroll_into_view_if_needed()
    seen = """one => { const box = one.getBoundingClientRect(); const [x, y] = [box.left + 20, Math.max(box.top, 0) + 8];
        return one.contains(document.elementFromPoint(x, y)); }"""
    assert first.evaluate(seen)
    assert page.locator(".ask-band").evaluate("band => getComputedStyle(band).position") == "static"
    until(page, "document.scrollingElement.scrollWidth <= 320")  # what stacks a table comes when one is there
    assert page.evaluate(INSIDE, ".turn, .turn *:not(.sr-only, thead *)")


def test_at_400_percent_an_open_source_leaves_room_for_its_page(new_page: NewPage, base_url: str) -> None:
    page = new_page(width=320, height=256)
    page.goto(base_url)
    ask(page)
    made(page)
    page.locator(".answer-text .quote").first.click()
    expect(page.locator(".highlight.current")).to_be_in_viewport()
    pages = page.locator(".pages").bounding_box()
    assert pages
    assert pages["height"] >= 128
    assert page.evaluate(INSIDE, ".source-tools *:not(.source-more > ul, .source-more > ul *)")
    page.locator(".source-more > summary").click()
    assert page.evaluate(INSIDE, ".source-tools *")


# --- The source over the conversation


def test_back_closes_an_open_source_and_keeps_the_conversation_on_a_phone(phone: Page) -> None:
    ask(phone)
    made(phone)
    phone.locator(".answer-text .quote").first.click()
    expect(phone.locator(".highlight.current")).to_be_visible()
    address = phone.url
    phone.go_back()
    expect(phone.locator(".source")).to_have_count(0)
    expect(phone).to_have_url(address)
    expect(phone.locator(".answer-text")).to_contain_text(SENTENCES[1])


def test_a_source_that_was_closed_leaves_no_step_to_go_back_over(phone: Page) -> None:
    ask(phone)
    made(phone)
    phone.evaluate("window.before = JSON.stringify(history.state)")
    phone.locator(".answer-text .quote").first.click()
    expect(phone.locator(".highlight.current")).to_be_visible()
    phone.get_by_role("button", name="Sluit de bron").click()
    expect(phone.locator(".source")).to_have_count(0)
    until(phone, "JSON.stringify(history.state) === window.before")
    phone.go_back()
    expect(phone.locator(".turn")).to_have_count(0)


def test_the_focus_goes_into_a_source_that_lies_over_the_page_and_back(phone: Page) -> None:
    ask(phone)
    made(phone)
    phone.locator(".answer-text .quote").first.focus()
    phone.keyboard.press("Enter")
    expect(phone.locator(".highlight.current")).to_be_visible()
    expect(phone.get_by_role("dialog", name="Bron")).to_be_focused()
    for _ in range(12):
        phone.keyboard.press("Tab")
        assert not phone.evaluate("document.querySelector('main, .top').contains(document.activeElement)")
    phone.keyboard.press("Escape")
    expect(phone.locator(".answer-text .quote").first).to_be_focused()


# --- Forced colours, paper, the clipboard


def test_highlights_are_framed_in_forced_colours(new_page: NewPage, base_url: str) -> None:
    page = new_page(forced_colors="active")
    page.goto(base_url)
    ask(page)
    complete(page)
    style = page.locator(".highlight.current").first.evaluate(
        "one => [getComputedStyle(one).borderTopWidth, getComputedStyle(one).borderTopStyle]"
    )
    assert style == ["4px", "solid"]


def test_a_copied_answer_carries_its_title_version_page_and_day(new_page: NewPage, base_url: str) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(base_url)
    ask(page)
    complete(page)
    page.get_by_role("button", name="Antwoord kopiëren").click()
    expect(page.get_by_role("button", name="Gekopieerd")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(SENTENCES[1])
    assert (
        f"1. {TITLE}, pagina 3, versie 3, Pediatrie, kinderen, geldig 1 jan 2025 tot 1 mrt 2030 "
        f"(paracetamol-kind.pdf)" in copied
    )
    assert "Gekopieerd uit Bedside op " in copied


def test_words_that_are_selected_and_copied_carry_it_too(new_page: NewPage, base_url: str) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(base_url)
    ask(page)
    complete(page)
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.answer-text .quote'))")
    page.keyboard.press("Control+c")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert SENTENCES[1] in copied
    assert f"1. {TITLE}, pagina 3" in copied


def test_a_print_holds_the_answer_its_sources_and_the_day_and_nothing_to_press(page: Page) -> None:
    ask(page, "rijtje")
    complete(page)
    page.emulate_media(media="print")
    for shown in (".question", ".part-table", ".printed-sources li"):
        expect(page.locator(shown).first).to_be_visible()
    for hidden in (".bar", ".ask-band", ".source", ".feedback", ".made", ".cards"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.locator(".print-only").first).to_contain_text("Afgedrukt uit Bedside op ")
    assert page.locator(".conversation").evaluate("pane => getComputedStyle(pane).overflowY") == "visible"


def test_a_table_that_is_selected_and_copied_keeps_its_cells_and_says_where_it_stands(
    new_page: NewPage, base_url: str
) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(base_url)
    ask(page, "rijtje")
    complete(page)
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.part-table'))")
    page.keyboard.press("Control+c")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "\t".join(ROWS[1]) in copied
    assert f"1. {TITLE}, pagina 3, versie 3" in copied
    page.get_by_role("button", name="Antwoord kopiëren").click()
    expect(page.get_by_role("button", name="Gekopieerd")).to_be_visible()
    whole = page.evaluate("navigator.clipboard.readText()")
    assert "\t".join(ROWS[0]) in whole
    assert f"1. {TITLE}, pagina 3, versie 3" in whole


def test_a_print_of_a_dark_page_is_black_on_white(new_page: NewPage, base_url: str) -> None:
    page = new_page(color_scheme="dark")
    page.goto(base_url)
    page.locator("summary", has_text="Weergave").click()
    page.get_by_label("Thema").select_option("dark")
    ask(page, "rijtje")
    complete(page)
    page.emulate_media(media="print")
    colours = "one => [getComputedStyle(one).color, getComputedStyle(document.body).backgroundColor]"
    for place in (".question", ".part-table td", ".printed-sources li"):
        ink, paper = page.locator(place).first.evaluate(colours)
        assert paper == "rgb(255, 255, 255)"
        assert max(map(int, re.findall(r"\d+", ink)[:3])) < 96, (place, ink)


# --- Accessibility of what is new


@pytest.mark.parametrize(
    ("question", "width"),
    [("rijtje", 1366), ("rijtje", 360), ("stappen", 1366), ("tweeling", 1366), ("zonder antwoord", 360)],
)
def test_accessibility_of_tables_lists_chips_and_refusals(
    new_page: NewPage, base_url: str, question: str, width: int
) -> None:
    page = new_page(width=width)
    page.goto(base_url)
    ask(page, question)
    made(page)
    if question == "rijtje" and width == 360:
        page.locator(".answer-text .quote").click()
        expect(page.locator(".page[data-drawn=true]").first).to_be_visible()
    faultless_by_day_and_by_night(page)
