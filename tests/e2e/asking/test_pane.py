"""The open document: words found in it, its pages small, and the border that is moved."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import faultless, faultless_by_day_and_by_night, looks
from tests.e2e.asking.test_reading import TOUCHED
from tests.e2e.conftest import NewPage
from tests.e2e.geometry import Drawn, Pdf, bare
from tests.e2e.scripted import PAGES, Script, build_pdf
from tests.e2e.test_states import ask, complete

MARKED = """() => [...document.querySelectorAll('.found.current')].map(one => {
    const page = one.closest('.page'), whole = page.getBoundingClientRect(), box = one.getBoundingClientRect();
    return [Number(page.dataset.page), (box.left - whole.left) / whole.width, (box.top - whole.top) / whole.height,
            (box.right - whole.left) / whole.width, (box.bottom - whole.top) / whole.height];
})"""
WORDS = {"nl-BE": ("Zoek in dit document", "Pagina's"), "en-GB": ("Find in this document", "Pages")}


def opened(page: Page, base_url: str) -> Page:
    page.goto(base_url)
    ask(page)
    complete(page)
    return page


def test_what_the_page_opens_by_itself_is_asked_for_as_such_until_its_reader_chooses_it(
    new_page: NewPage, base_url: str
) -> None:
    page = new_page()
    files: list[str] = []
    page.on(
        "request", lambda one: files.append(f"{one.url} {one.headers.get('range', '')}") if "/file" in one.url else None
    )
    opened(page, base_url)
    expect(page.locator(".page[data-drawn=true]").first).to_be_visible()
    assert files
    assert [one for one in files if "beside=true" not in one] == []
    with page.expect_request(lambda one: "beside=false" in one.url):
        page.locator(".answer-text .quote").first.click()
    page.locator(".answer-text .quote").first.click()  # told once
    theirs = [one for one in files if "beside=true" not in one]
    assert [one.rsplit("?")[-1] for one in theirs] == ["beside=false bytes=0-0"]
    page.locator(".card-button").nth(1).click()
    expect(page.locator(".page[data-drawn=true]").first).to_be_visible()
    assert "beside=true" not in files[-1]


@pytest.mark.parametrize("deed", ["wheel", "press", "key"])
def test_what_the_page_opens_by_itself_is_opened_last_once_its_reader_looks_into_it(
    new_page: NewPage, base_url: str, deed: str
) -> None:
    page = opened(new_page(), base_url)
    drawn = page.locator(".page[data-drawn=true]").first
    expect(drawn).to_be_visible()
    last = page.get_by_role("heading", name="Laatst geopend")
    page.goto(base_url)
    expect(page.get_by_role("link", name="Zoek een procedure")).to_be_visible()
    expect(last).to_have_count(0)
    ask(page)
    expect(drawn).to_be_visible()
    if deed == "key":
        page.locator(".pages").focus()
        page.keyboard.press("PageDown")
    else:
        drawn.hover()
        page.mouse.wheel(0, 200) if deed == "wheel" else page.mouse.down()
    page.wait_for_timeout(200)  # what the page keeps of it is kept by then
    page.goto(base_url)
    expect(last).to_be_visible()


def look_for(page: Page, words: str) -> None:
    page.get_by_label("Woorden in dit document").fill(words)


def said(page: Page, words: str) -> None:
    expect(page.locator(".find [role=status]")).to_have_text(words)


@looks(1920, 1024, 320)
def test_the_pane_has_no_fault(new_page: NewPage, base_url: str, locale: str, scheme: str, width: int) -> None:
    find, thumbnails = WORDS[locale]
    page = new_page(locale=locale, width=width, color_scheme=scheme, has_touch=width == 320)
    page.goto(base_url)
    ask(page)
    expect(page.locator(".made")).to_be_visible()
    if width < 1024:
        page.locator(".answer-text .quote").first.click()
    more = page.locator(".source-more > summary")  # on a phone
    if width == 320:
        more.click()
    page.get_by_role("button", name=find).click()
    page.locator(".find input").fill("bladzijde 3:")
    expect(page.locator(".found.current")).to_be_visible()
    if width == 320:
        more.click()
    page.get_by_role("button", name=thumbnails, exact=True).click()
    expect(page.locator(".thumbnail canvas").first).to_be_visible()
    faultless(page, beside=())
    if width == 320:
        assert [one for one in page.evaluate(TOUCHED) if 'href="/"' not in one] == []


@pytest.mark.parametrize("width", [1366, 390])
def test_who_leaves_the_source_by_the_keyboard_is_back_at_what_opened_it(
    new_page: NewPage, base_url: str, width: int
) -> None:
    page = new_page(width=width)
    page.goto(base_url)
    ask(page)
    expect(page.locator(".made")).to_be_visible()
    close = page.get_by_role("button", name="Sluit de bron")
    for opener, key in product((".answer-text .quote", ".card-button"), ("Escape", "Enter")):
        page.locator(opener).first.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".page[data-drawn=true]").first).to_be_visible()
        close.focus()
        page.keyboard.press(key)
        expect(close).to_have_count(0)
        expect(page.locator(opener).first).to_be_focused()


def test_who_leaves_a_source_that_came_by_itself_is_at_its_card(new_page: NewPage, base_url: str) -> None:
    page = opened(new_page(), base_url)
    page.get_by_role("button", name="Sluit de bron").focus()
    page.keyboard.press("Escape")
    expect(page.locator(".card-button").first).to_be_focused()


def test_a_copied_link_moves_no_other_tool(new_page: NewPage, base_url: str) -> None:
    page = opened(new_page(width=1366, permissions=["clipboard-read", "clipboard-write"]), base_url)
    shown = page.locator(".source-tools")
    expect(shown).to_contain_text(re.compile(r"Pagina \d+ van"))  # joins them when the file is there
    for lazily in ("Kopieer link", "Druk af"):  # their code is fetched when the file is there
        expect(shown.get_by_role("button", name=lazily)).to_be_visible()
    tools = "[...document.querySelectorAll('.source-tools > *')].map(one => Math.round(one.getBoundingClientRect().x))"
    before = page.evaluate(tools)
    page.locator(".source-tools").get_by_role("button", name="Kopieer link").click()
    expect(page.get_by_role("button", name="Link gekopieerd")).to_be_visible()
    assert page.evaluate(tools) == before


def test_a_question_to_the_owner_is_about_the_page_in_view(new_page: NewPage, base_url: str, script: Script) -> None:
    page = new_page()
    page.goto(f"{base_url}/d/paracetamol-kind#page=1")
    expect(page.locator(".page[data-drawn=true]").first).to_be_visible()
    page.locator(".pages").evaluate("pane => pane.scrollTo(0, pane.scrollHeight / 40 * 2)")
    expect(page.locator(".source-tools")).to_contain_text("Pagina 3 van 40")
    page.locator(".card-owner").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Wat wilt u vragen of melden?").fill("Klopt dit nog?")
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.get_by_role("status").first).to_contain_text("Apotheek")
    assert [one["page"] for one in script.to_owners] == [3]


@pytest.mark.parametrize("way", ["written", "asked again", "in a window of its own"])
def test_the_quoted_words_come_into_view_and_not_the_title_above_them(
    new_page: NewPage, base_url: str, script: Script, way: str
) -> None:
    page = new_page(width=1280, height=600)
    page.goto(base_url)
    ask(page, "dosis onder een titel")
    title = page.locator(".highlight.current")
    expect(title).to_have_count(1)
    expect(title).to_be_in_viewport()  # of what is quoted no more is known yet
    script.goes_on.set()
    place = page.locator(".part-place")
    if way == "asked again":
        expect(page.locator(".highlight.current").last).to_be_in_viewport()
        page.locator(".pages").evaluate("pane => { pane.scrollTop = 0 }")
        expect(page.locator(".highlight.current").last).not_to_be_in_viewport()
        place.click()
    elif way == "in a window of its own":
        with page.context.expect_page() as opening:
            place.click(modifiers=["Control"])
        page = opening.value
    expect(page.locator(".highlight.current")).to_have_count(2)
    expect(page.locator(".highlight.current").last).to_be_in_viewport()


def test_words_are_found_on_every_page_and_marked_exactly(new_page: NewPage, base_url: str, script: Script) -> None:
    page = opened(new_page(), base_url)
    page.get_by_role("button", name="Zoek in dit document").click()
    expect(page.get_by_label("Woorden in dit document")).to_be_focused()
    look_for(page, "REGEL 7 van bladzijde")  # in capitals
    pdf = Pdf(script.pdf)
    for number in (3, 4, 5):  # from the page that is read
        said(page, f"{number} van {PAGES}")
        expect(page.locator(f".page[data-page='{number}'] .found.current")).to_be_in_viewport()
        drawn = [Drawn(*one) for one in page.evaluate(MARKED)]
        assert {one.page for one in drawn} == {number}
        assert pdf.under(drawn) == bare("Regel 7 van bladzijde")
        page.keyboard.press("Enter")
    for _ in range(4):
        page.keyboard.press("Shift+Enter")
    expect(page.locator(".page[data-page='2'] .found.current")).to_be_in_viewport()
    page.get_by_role("button", name="Volgende vindplaats").click()
    expect(page.locator(".page[data-page='3'] .found.current")).to_be_in_viewport()
    assert page.locator(".highlight").count() > 0, "what the answer quotes stays marked"


def test_words_across_two_lines_are_marked_on_both(new_page: NewPage, base_url: str, script: Script) -> None:
    page = opened(new_page(), base_url)
    page.get_by_role("button", name="Zoek in dit document").click()
    words = "dossier. Regel 8 van bladzijde 5:"
    look_for(page, words)
    said(page, "1 van 1")
    expect(page.locator(".found.current")).to_have_count(2)
    drawn = [Drawn(*one) for one in page.evaluate(MARKED)]
    assert Pdf(script.pdf).under(drawn) == bare(words)


def test_words_that_are_nowhere_are_said_to_be_and_escape_ends_the_search_alone(
    new_page: NewPage, base_url: str
) -> None:
    page = opened(new_page(), base_url)
    page.locator(".pages").focus()
    page.keyboard.press("Control+f")
    look_for(page, "amoxicilline")
    said(page, "Deze woorden staan niet in dit document.")
    expect(page.get_by_role("button", name="Volgende vindplaats")).to_be_disabled()
    page.keyboard.press("Escape")
    expect(page.locator(".find")).to_have_count(0)
    expect(page.locator(".source")).to_be_visible()
    expect(page.get_by_role("button", name="Zoek in dit document")).to_be_focused()
    expect(page.locator(".found")).to_have_count(0)


def test_a_small_page_leads_to_the_page(new_page: NewPage, base_url: str) -> None:
    page = opened(new_page(), base_url)
    pages = page.get_by_role("button", name="Pagina's", exact=True)
    pages.click()
    expect(page.get_by_role("button", name="Ga naar pagina 3", exact=True)).to_have_attribute("aria-current", "page")
    page.get_by_role("button", name="Ga naar pagina 25", exact=True).click()
    expect(page.locator(".source-tools")).to_contain_text(f"Pagina 25 van {PAGES}")
    expect(page.get_by_role("button", name="Ga naar pagina 25", exact=True)).to_have_attribute("aria-current", "page")
    expect(page.locator(".page[data-page='25'][data-drawn=true]")).to_be_in_viewport()
    expect(page.locator("[data-thumbnail='25'] canvas")).to_be_visible()
    pages.click()
    expect(page.locator(".thumbnails")).to_have_count(0)


def test_the_border_is_moved_by_keys_and_dragged_and_stays_where_it_was(new_page: NewPage, base_url: str) -> None:
    page = opened(new_page(), base_url)
    border = page.get_by_role("separator", name="Breedte van het gesprek")

    def width() -> float:
        return float(page.evaluate("document.querySelector('.conversation').getBoundingClientRect().width"))

    usual = width()
    border.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(border).to_have_attribute("aria-valuenow", "34")
    assert width() == pytest.approx(0.34 * 1440, abs=2)
    page.keyboard.press("End")
    assert width() == pytest.approx(0.75 * 1440, abs=2)
    box = border.bounding_box()
    assert box
    page.mouse.move(box["x"] + 6, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(720, 400, steps=5)
    page.mouse.up()
    assert width() == pytest.approx(720, abs=3)
    page.reload()
    expect(page.locator(".source")).to_be_visible()
    assert width() == pytest.approx(720, abs=3)
    border.focus()
    page.keyboard.press("Enter")
    assert width() == pytest.approx(usual, abs=2)


def test_where_the_source_lies_over_the_conversation_there_is_no_border(new_page: NewPage, base_url: str) -> None:
    page = new_page(width=900)
    page.goto(base_url)
    ask(page)
    expect(page.locator(".made")).to_be_visible()
    page.locator(".answer-text .quote").first.click()
    expect(page.locator(".page[data-drawn=true]").first).to_be_visible()
    expect(page.get_by_role("separator")).to_have_count(0)


IN_PANE = """() => { const pane = document.querySelector('.pages'), box = pane.getBoundingClientRect();
    return [...document.querySelectorAll(".page[data-page='3'] .highlight")].map(one => one.getBoundingClientRect())
        .map(one => [one.left - box.left, box.left + pane.clientWidth - one.right, one.top - box.top, box.bottom - one.bottom]
            .map(Math.round)); }"""


@pytest.mark.parametrize(("width", "height", "ratio"), [(320, 640, 2), (390, 844, 3), (640, 400, 2), (700, 500, 2)])
def test_no_marked_line_is_cut_off_however_small_the_pane_and_large_the_words(
    new_page: NewPage, base_url: str, tmp_path: Path, width: int, height: int, ratio: int
) -> None:
    page = new_page(width=width, height=height, device_scale_factor=ratio)  # a desktop's, at 200%
    page.goto(base_url)
    for size in ("normal", "largest"):
        page.evaluate("size => { document.documentElement.dataset.size = size }", size)
        ask(page)
        expect(page.locator(".made")).to_be_visible()
        page.locator(".answer-text .quote").last.click()
        expect(page.locator(".page[data-page='3'][data-drawn=true]")).to_be_visible()
        sides = page.evaluate(IN_PANE)
        assert sides
        assert [one for one in sides if min(one[:2]) < 0] == [], (size, sides)
        page.screenshot(path=tmp_path / f"{size}-{width}.png")
        page.get_by_role("button", name="Sluit de bron").click()
        page.get_by_role("button", name="Nieuwe vraag").click()


def test_the_marked_words_stay_in_sight_when_words_or_pane_change(new_page: NewPage, base_url: str) -> None:
    page = opened(new_page(width=1366), base_url)
    page.locator(".answer-text .quote").first.click()
    expect(page.locator(".page[data-page='3'][data-drawn=true]")).to_be_visible()

    def seen() -> None:
        page.wait_for_timeout(200)  # the pages follow the pane in the next frame
        sides = page.evaluate(IN_PANE)
        assert sides
        assert [one for one in sides if min(one) < 0] == []

    for size in ("largest", "normal"):
        page.evaluate("size => { document.documentElement.dataset.size = size }", size)
        seen()
    border = page.get_by_role("separator", name="Breedte van het gesprek")
    for key in ("End", "Home", "Enter"):
        border.press(key)
        seen()
    for width, height in ((1024, 500), (600, 900), (390, 844), (1366, 900)):
        page.set_viewport_size({"width": width, "height": height})
        seen()


def test_of_300_pages_few_are_drawn_wherever_one_scrolls(new_page: NewPage, base_url: str, script: Script) -> None:
    script.pages, script.pdf = 300, build_pdf(300)
    page = opened(new_page(), base_url)
    page.get_by_role("button", name="Pagina's", exact=True).click()
    for number in (20, 120, 220, 300, 1):
        page.evaluate(
            "at => { const one = document.querySelector('.pages'); one.scrollTop = one.scrollHeight * at }",
            (number - 1) / 300,
        )
        expect(page.get_by_role("button", name=f"Ga naar pagina {number}", exact=True)).to_be_in_viewport()
        expect(page.locator(f"[data-thumbnail='{number}'] canvas")).to_be_visible()
        assert page.locator(".page").count() <= 5
        assert page.locator(".thumbnail canvas").count() <= 41
    page.get_by_role("button", name="Zoek in dit document").click()
    look_for(page, "bladzijde 287:")
    said(page, "1 van 34")
    expect(page.locator(".page[data-page='287'] .found.current")).to_be_in_viewport()


def test_when_the_search_cannot_come_that_is_said(new_page: NewPage, base_url: str) -> None:
    page = opened(new_page(allowed="dynamically imported module"), base_url)
    page.route(re.compile("pdf_viewer"), lambda route: route.abort())
    page.get_by_role("button", name="Zoek in dit document").click()
    look_for(page, "kind")
    said(page, "Zoeken lukt nu niet. Laad de pagina opnieuw.")


@pytest.mark.parametrize(("width", "height"), [(640, 425), (960, 500)])
def test_an_open_document_says_its_version_and_validity_in_a_low_window(
    new_page: NewPage, base_url: str, tmp_path: Path, width: int, height: int
) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page)
    complete(page)
    page.set_viewport_size({"width": width, "height": height})
    page.locator(".answer-text .quote").first.click()
    for said in ("versie 3", "geldig 1 jan 2025"):
        expect(page.locator(".source-names .facts").get_by_text(said)).to_be_in_viewport()
    expect(page.locator(".highlight.current")).to_be_in_viewport()
    faultless_by_day_and_by_night(page)
    page.screenshot(path=tmp_path / f"open-{width}.png")
