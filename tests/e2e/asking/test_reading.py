"""The page as it is read: under a finger on a phone, on paper, copied, and where there is no
answer."""

from __future__ import annotations

import io
import re
from collections import Counter
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import faultless_by_day_and_by_night
from tests.e2e.conftest import NewPage
from tests.e2e.scripted import LONG_WORDS, ROWS, SENTENCES, TITLE
from tests.e2e.test_states import ask, complete

# Words within a sentence may be smaller; what is cut to one pixel is for keyboards and screen
# readers.
TOUCHED = """() => [...document.querySelectorAll('button, a, select, summary, input, textarea, [role=button]')]
    .filter(one => !one.matches('p > .quote, .skip, .sr-only, .behind') && one.checkVisibility() && !one.closest('.textLayer'))
    .map(one => [one.outerHTML.slice(0, 90), one.getBoundingClientRect()])
    .filter(([, box]) => box.width > 1 && (box.height < 43.5 || box.width < 43.5))
    .map(([html, box]) => `${html} ${Math.round(box.width)} x ${Math.round(box.height)}`)"""


@pytest.fixture
def phone(new_page: NewPage, base_url: str) -> Page:
    page = new_page(width=390, height=844, has_touch=True, is_mobile=True)
    page.goto(base_url)
    return page


def made(page: Page, count: int = 1) -> None:
    expect(page.locator(".made")).to_have_count(count)


# --- A phone


def test_on_a_phone_the_question_box_is_one_line_while_one_reads_and_whole_at_a_touch(phone: Page) -> None:
    band, foot = phone.locator(".ask-band"), phone.locator(".ask-foot")
    expect(foot).to_be_visible()
    ask(phone)
    made(phone)
    expect(phone.locator("#question")).not_to_be_focused()
    expect(foot).to_be_hidden()
    box = band.bounding_box()
    assert box
    assert box["height"] <= 72
    phone.locator("#question").tap()
    expect(foot).to_be_visible()
    phone.locator("#question").fill("en per dag?")
    phone.locator("#question").blur()
    expect(phone.get_by_role("button", name="Vraag", exact=True)).to_be_visible()


def test_on_a_phone_a_filter_that_is_set_and_the_way_to_stop_stay_in_sight(phone: Page) -> None:
    ask(phone)
    made(phone)
    phone.locator("#question").tap()
    phone.locator(".scope summary").tap()
    phone.get_by_label("Documenttype").select_option("protocol")
    phone.get_by_role("button", name="Sluiten").tap()
    phone.locator("h2.question").tap()
    expect(phone.locator(".scope summary")).to_be_visible()
    ask(phone, "traag antwoord")
    expect(phone.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    phone.get_by_role("button", name="Stop", exact=True).tap()
    expect(phone.get_by_text("Het antwoord is gestopt; wat er al stond, staat hieronder.")).to_be_visible()


@pytest.mark.parametrize("question", ["hoeveel paracetamol?", "rijtje", "vraag zonder antwoord", "tweeling"])
def test_nothing_to_touch_is_smaller_than_44_pixels(phone: Page, question: str) -> None:
    assert phone.evaluate(TOUCHED) == []
    ask(phone, question)
    made(phone)
    phone.locator("#question").tap()
    assert phone.evaluate(TOUCHED) == []
    phone.locator("summary", has_text="Eerder").tap()
    expect(phone.locator(".conversation-link")).to_be_visible()
    assert phone.evaluate(TOUCHED) == []


@pytest.mark.parametrize("width", [320, 390])
def test_on_a_phone_the_source_opens_at_the_marked_words_as_wide_as_the_screen(
    phone: Page, width: int, tmp_path: Path
) -> None:
    phone.set_viewport_size({"width": width, "height": 844})
    ask(phone)
    made(phone)
    phone.locator(".answer-text .quote").first.tap()
    mark = phone.locator(".highlight.current").first
    expect(mark).to_be_in_viewport()
    box = mark.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width + 1
    assert box["width"] >= 0.77 * width, "it is drawn no larger than on the whole page"
    assert box["height"] >= 7.9, "a line can be read"
    phone.screenshot(path=tmp_path / "source.png")
    assert phone.evaluate(TOUCHED) == []
    larger = phone.get_by_role("button", name="Groter")
    larger.tap()
    grown = mark.bounding_box()
    assert grown
    assert grown["width"] > box["width"] * 1.05
    phone.get_by_role("button", name=re.compile("%$")).tap()
    expect(phone.locator(".source-tools")).to_contain_text("100%")


@pytest.mark.parametrize(("width", "locale"), [(320, "nl-BE"), (390, "nl-BE"), (390, "en-GB")])
def test_on_a_phone_the_head_of_a_source_is_two_rows_and_the_rest_in_a_menu(
    new_page: NewPage, base_url: str, tmp_path: Path, width: int, locale: str
) -> None:
    page = new_page(width=width, height=844, has_touch=True, is_mobile=True, locale=locale)
    page.goto(base_url)
    ask(page)
    made(page)
    page.locator(".answer-text .quote").first.tap()
    expect(page.locator(".highlight.current").first).to_be_in_viewport()
    expect(page.locator(".places")).to_be_visible()
    head = page.locator(".source-head").bounding_box()
    assert head
    assert head["height"] <= 2 * 44 + 2
    page.screenshot(path=tmp_path / f"head-{width}-{locale}.png")
    more = page.locator(".source-more > summary")
    more.tap()
    menu = page.locator(".source-more > ul")
    expect(menu.locator(".facts")).to_contain_text("Pediatrie")
    for name in ("Zoek", "Druk af", "Open het bestand") if locale == "nl-BE" else ("Find", "Print", "Open the file"):
        expect(menu.get_by_text(name, exact=True)).to_be_in_viewport(ratio=1)
    assert page.evaluate(TOUCHED) == []
    faultless_by_day_and_by_night(page)
    page.screenshot(path=tmp_path / f"menu-{width}-{locale}.png")
    menu.get_by_text("Zoek" if locale == "nl-BE" else "Find", exact=True).tap()
    expect(menu).to_be_hidden()
    expect(page.locator(".find input")).to_be_focused()
    page.keyboard.press("Escape")
    expect(more).to_be_focused()


def test_in_a_window_as_narrow_as_a_phone_ctrl_p_asks_what_is_meant_though_the_menu_is_closed(
    new_page: NewPage, base_url: str
) -> None:
    page = new_page(width=390)
    page.goto(f"{base_url}/d/paracetamol-kind#page=3")
    expect(page.locator(".page[data-drawn=true]").first).to_be_visible()
    page.keyboard.press("Control+p")
    expect(page.get_by_role("button", name="Het hele document (40 pagina's)")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(".source-more > summary").click()
    page.get_by_role("button", name=f"Vraag de eigenaar of meld een fout: {TITLE}").click()
    expect(page.get_by_role("dialog").get_by_label("een vraag")).to_be_visible()


def test_larger_words_are_larger_in_the_document_too(new_page: NewPage, base_url: str, tmp_path: Path) -> None:
    page = new_page(width=2560)  # the bar has room for all menus
    page.goto(base_url)
    ask(page)
    complete(page)
    mark = page.locator(".highlight.current").first
    before = mark.bounding_box()
    assert before
    for size, larger in (("larger", 1.4), ("largest", 2.0), ("normal", 1.0)):
        page.locator("summary", has_text="Weergave").click()
        page.get_by_label("Tekstgrootte").select_option(size)
        page.locator("summary", has_text="Weergave").click()
        percent = page.locator(".source-tools").get_by_role("button", name=re.compile("%$"))
        expect(percent).not_to_have_text("100%") if larger > 1 else expect(percent).to_have_text("100%")
        now, pane = mark.bounding_box(), page.locator(".pages").bounding_box()
        assert now
        assert pane
        # the pane has another width where the words beside it have another size
        shown = page.locator(".pages").evaluate("one => one.clientWidth - 32")
        drawn = page.locator(".page").first.evaluate("one => one.getBoundingClientRect().width")
        assert shown * min(larger, 1.05) - 2 < drawn < shown * larger + 2
        assert now["width"] <= pane["width"], "no marked line is cut off"
        page.screenshot(path=tmp_path / f"{size}.png")
    assert now is not None
    assert now["width"] == pytest.approx(before["width"], abs=1)


def test_on_a_desktop_the_whole_width_of_the_page_is_shown(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page)
    complete(page)
    expect(page.locator(".source-tools")).to_contain_text("100%")


def test_the_row_for_which_a_table_is_quoted_is_set_off_here_and_in_its_document(
    new_page: NewPage, base_url: str, tmp_path: Path
) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page, "aangewezen")
    complete(page)
    marks = page.locator(".highlight.of-quote")
    expect(marks.and_(page.locator(".pointed"))).to_have_count(1)
    expect(marks).not_to_have_count(1)
    row = page.locator(".part-table tr[aria-current=true]")  # which screen readers say of it
    for width in (1280, 768, 320):
        page.set_viewport_size({"width": width, "height": 900})
        expect(row).to_have_count(1)
        expect(row).to_contain_text(ROWS[1][1])
        expect(row).to_have_css("outline-style", "solid")
        expect(row.locator("strong")).to_have_count(0)
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"pointed-{width}.png")


# --- Paper, and what is copied


def test_a_sheet_begins_with_what_an_answer_is_from_and_holds_no_other_document(
    new_page: NewPage, base_url: str
) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page, "rijtje bij een volwassene")
    complete(page)
    (sheet,) = pdfium.PdfDocument(io.BytesIO(page.pdf(format="A4")))
    text = " ".join(sheet.get_textpage().get_text_range().split())
    day, question, document, row = map(
        text.index,
        ("Afgedrukt uit Bedside op", "rijtje bij een", f"1. {TITLE}, pagina 3, versie 3", " ".join(ROWS[1])),
    )
    assert day < question < document < row
    assert "geldig 1 jan 2025 tot 1 mrt 2030" in text
    assert "Pijn meten" not in text


@pytest.mark.parametrize(("asked", "times"), [("lange woorden", 1), ("vele woorden", 3)])
def test_a_printed_table_is_on_its_sheet_its_words_whole_where_they_have_room(
    new_page: NewPage, base_url: str, asked: str, times: int
) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page, asked)
    complete(page)
    (sheet, *_) = pdfium.PdfDocument(io.BytesIO(page.pdf(format="A4")))
    letters = sheet.get_textpage()
    text = letters.get_text_range()
    assert Counter("".join(LONG_WORDS) * times) <= Counter(text)
    assert all(letters.get_charbox(place)[2] <= sheet.get_width() for place in range(letters.count_chars()))
    if times == 1:
        assert [word for word in LONG_WORDS if word not in text] == []


def test_a_sheet_says_what_speaks_against_its_document(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page, "paracetamol bij een volwassene")
    complete(page)
    page.emulate_media(media="print")
    expect(page.locator(".printed-sources .caution")).to_have_text(
        "Dit document is voor kinderen; de vraag noemt een volwassene."
    )
    expect(page.locator(".printed-sources .caution")).to_be_visible()


def test_larger_words_keep_the_place_and_leave_room_for_the_answer(new_page: NewPage, base_url: str) -> None:
    page = new_page(width=1366, height=620)
    page.goto(base_url)
    for asked, question in enumerate(("hoeveel paracetamol?", "rijtje", "controles"), 1):
        ask(page, question)
        made(page, asked)
    tool = page.locator(".source-tools .fit")  # one that is always there
    before = tool.bounding_box()
    page.locator(".question", has_text="rijtje").evaluate("one => one.scrollIntoView()")
    page.locator("summary", has_text="Weergave").click()
    page.get_by_label("Tekstgrootte").select_option("largest")
    expect(page.locator("html")).to_have_attribute("data-size", "largest")
    page.wait_for_timeout(500)
    expect(page.locator(".question", has_text="rijtje")).to_be_in_viewport()
    page.locator("body").click(position={"x": 700, "y": 5})
    after, box = tool.bounding_box(), page.locator(".ask-band").bounding_box()
    assert before
    assert after
    assert box
    assert after["height"] > before["height"] * 1.1
    assert box["height"] < 620 / 5
    page.locator("#question").focus()
    scope = page.locator(".scope > summary")
    assert scope.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_a_phone_prints_a_table_in_its_columns(new_page: NewPage, base_url: str) -> None:
    page = new_page(width=360)
    page.goto(base_url)
    ask(page, "breed")
    made(page)
    cell = page.locator(".part-table td").first
    expect(cell).to_have_css("display", "block")
    page.emulate_media(media="print")
    expect(cell).to_have_css("display", "table-cell")


def test_an_answer_that_quotes_nothing_prints_what_its_sources_say(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page, "paracetamol zonder generator")
    made(page)
    page.emulate_media(media="print")
    expect(page.locator(".card").first).to_contain_text("15 mg/kg")
    expect(page.locator(".card").first).to_be_visible()


def test_a_printed_conversation_keeps_the_sources_of_each_answer_and_marks_stand_apart(
    new_page: NewPage, base_url: str
) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page)
    complete(page)
    ask(page, "vraag zonder antwoord")
    made(page, 2)
    ask(page, "rijtje")
    made(page, 3)
    expect(page.locator(".printed-sources").first).to_be_hidden()
    printed = pdfium.PdfDocument(io.BytesIO(page.pdf(format="A4")))
    lines = [line for one in printed for line in one.get_textpage().get_text_range().splitlines()]
    text = " ".join(" ".join(lines).split())
    first, second, third = re.split(r"vraag zonder antwoord|rijtje", text)[-3:]
    assert f"1. {TITLE}, pagina 3, versie 3" in first
    assert f"1. {TITLE}, pagina 3, versie 3" in second
    assert "bron 1, pagina 3" in third
    assert f"{SENTENCES[1]} [1]" in first
    assert "Weet u het beter?" not in second
    assert not [line for line in lines if re.search(r"pagina \d+ \d", line)]


def test_a_mark_is_not_copied_into_a_dose(new_page: NewPage, base_url: str) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(base_url)
    ask(page)
    complete(page)
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.answer-text > p'))")
    page.keyboard.press("Control+c")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"{SENTENCES[1]} {SENTENCES[2]}")


# --- No answer


def test_a_refusal_is_one_sentence_and_the_one_that_says_most(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page, "vraag zonder antwoord")
    made(page)
    expect(page.locator(".notice")).to_have_text(
        "Koorts bij zuigelingen past bij de vraag, maar kon niet gelezen worden: het is een scan."
    )
