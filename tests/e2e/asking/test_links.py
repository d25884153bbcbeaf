"""Links that last: to words of a document, to an answer, and with a question."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pypdfium2 as pdfium
import pytest
from PIL import ImageChops, ImageStat
from playwright.sync_api import Page, Route, expect

from tests.e2e.accessibility import faultless, faultless_by_day_and_by_night
from tests.e2e.conftest import NewPage, until
from tests.e2e.scripted import ROWS, SENTENCES, TITLE, Script, build_pdf
from tests.e2e.test_states import ask, complete

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


@pytest.fixture
def page(new_page: NewPage, base_url: str) -> Page:
    found = new_page(**CLIPBOARD)
    found.goto(base_url)
    return found


def test_a_link_to_quoted_words_opens_the_document_with_the_same_words_marked(page: Page) -> None:
    ask(page)
    complete(page)
    before = [mark.bounding_box() for mark in page.locator(".highlight.current").all()]
    assert before
    page.locator(".source-tools").get_by_role("button", name="Kopieer link").click()
    expect(page.get_by_role("button", name="Link gekopieerd")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert re.search(r"/d/paracetamol-kind#page=3&quote=Een%20kind%20van%2012%20kg", link)
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator(".source-title h2")).to_have_text(TITLE)
    expect(page.locator(".highlight.current")).to_have_count(len(before))
    expect(page.locator(".highlight.current").first).to_be_in_viewport()
    mark = page.locator(".highlight.current").first.bounding_box()
    words = page.locator(".textLayer span", has_text=SENTENCES[1]).bounding_box()
    assert mark
    assert words
    assert mark["x"] == pytest.approx(words["x"], abs=3)
    assert mark["width"] == pytest.approx(words["width"], abs=6)


SELECT = """([from, first, to, last]) => {
    const texts = [...document.querySelectorAll(".page[data-page='3'] .textLayer span")].map(one => one.firstChild);
    const [begin, end] = [from, to].map(words => texts.find(one => one?.data?.includes(words)));
    getSelection().setBaseAndExtent(begin, begin.data.indexOf(first), end, end.data.indexOf(last) + last.length);
}"""


@pytest.mark.parametrize(
    ("first", "last", "lines"),
    [("180 mg", "(15 mg/kg)", 1), ("hoogstens", "zes uur", 2), ("Een", "dag.", 1)],
)
def test_a_link_to_words_that_were_selected_leads_to_them_and_says_so(
    page: Page, base_url: str, first: str, last: str, lines: int
) -> None:
    page.goto(f"{base_url}/d/paracetamol-kind#page=3&quote={quote(SENTENCES[0])}")
    expect(page.locator(".page[data-page='3'][data-drawn=true]")).to_be_visible()
    page.evaluate(SELECT, [SENTENCES[1], first, SENTENCES[lines], last])
    chosen = page.evaluate("getSelection().toString()").split()
    page.locator(".source-tools").get_by_role("button", name="Kopieer link").click()
    said = page.locator(".reader-link-said")
    expect(said).to_have_text("De link leidt naar de woorden die u selecteerde.")
    faultless_by_day_and_by_night(page)
    link = page.evaluate("navigator.clipboard.readText()")
    assert parse_qs(urlsplit(link).fragment)["quote"][0].split() == chosen
    page.evaluate("getSelection().empty()")
    expect(said).to_be_empty()
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator(".highlight.current")).to_have_count(lines)
    expect(page.locator(".highlight.current").first).to_be_in_viewport()
    expect(page.locator(".notice")).to_have_count(0)


def test_a_word_that_also_stands_elsewhere_is_linked_with_those_around_it(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/d/paracetamol-kind#page=3&quote={quote(SENTENCES[0])}")
    expect(page.locator(".page[data-page='3'][data-drawn=true]")).to_be_visible()
    page.evaluate(SELECT, [SENTENCES[1], "kind", SENTENCES[1], "kind"])  # the first sentence has it too
    page.locator(".source-tools").get_by_role("button", name="Kopieer link").click()
    expect(page.locator(".reader-link-said")).to_have_text("De link leidt naar de woorden die u selecteerde.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert parse_qs(urlsplit(link).fragment)["quote"] == [SENTENCES[1]]


def test_words_that_are_not_found_again_are_linked_by_their_page_and_that_is_said(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/d/paracetamol-kind#page=3&quote={quote(SENTENCES[0])}")
    expect(page.locator(".page[data-page='3'][data-drawn=true]")).to_be_visible()
    page.evaluate(SELECT, ["Regel 5 van", "Regel 5", "Regel 5 van", "Regel 5"])  # not of what was read
    page.locator(".source-tools").get_by_role("button", name="Kopieer link").click()
    expect(page.locator(".reader-link-said")).to_have_text(
        "Deze woorden konden niet teruggevonden worden: de link leidt naar hun bladzijde."
    )
    assert page.evaluate("navigator.clipboard.readText()") == f"{base_url}/d/paracetamol-kind#page=3"


def test_an_open_document_prints_what_it_is_the_words_and_where_the_whole_is_printed(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/d/paracetamol-kind#page=3&quote={quote(SENTENCES[1])}")
    expect(page.locator(".highlight.current").first).to_be_visible()
    sheet = page.locator(".printed-place")
    expect(sheet).to_be_hidden()
    page.emulate_media(media="print")
    expect(page.locator(".bar")).to_be_hidden()
    expect(page.locator(".source")).to_be_hidden()
    expect(sheet).to_be_visible()
    for said in (
        TITLE,
        "versie 3",
        "geldig 1 jan 2025",
        SENTENCES[1],
        "Afgedrukt uit Bedside op",
        "met de knop “Druk af”",
    ):
        expect(sheet).to_contain_text(said)


PRINTS = "window.prints = 0; window.print = () => { window.prints += 1 }"


@pytest.mark.parametrize("way", ["button", "key"])
def test_an_open_document_is_printed_whole_and_ctrl_p_asks_what_is_meant(
    page: Page, base_url: str, script: Script, way: str
) -> None:
    script.pages, script.pdf = 4, build_pdf(4)
    page.add_init_script(PRINTS)
    page.goto(f"{base_url}/d/paracetamol-kind#page=3&quote={quote(SENTENCES[1])}")
    expect(page.locator(".highlight.current").first).to_be_visible()
    if way == "button":
        page.get_by_role("button", name="Druk af", exact=True).click()
    else:
        page.keyboard.press("Control+p")
        dialog = page.get_by_role("dialog", name="Wat wilt u afdrukken?")
        faultless_by_day_and_by_night(page)
        assert page.evaluate("window.prints") == 0  # nothing is on paper yet
        dialog.get_by_role("button", name="Het hele document (4 pagina's)").click()
    until(page, "window.prints === 1")
    page.evaluate("window.sheets = document.querySelector('.print-file').cloneNode(true)")
    printed = pdfium.PdfDocument(page.pdf(format="A4"))  # is printed, and they are gone
    assert len(printed) == 4
    whole = pdfium.PdfDocument(script.pdf)
    for sheet, own in zip(printed, whole, strict=True):
        on_paper, page_itself = (one.render(scale=0.5).to_pil().convert("L").resize((200, 282)) for one in (sheet, own))
        edges = [one.crop((0, 100, 10, 282)).getextrema()[0] for one in (on_paper, page_itself)]
        assert edges[0] < 220 < edges[1], "when it was printed stands along the edge"
        apart = ImageStat.Stat(ImageChops.difference(on_paper, page_itself)).mean[0]
        assert apart < (255 - ImageStat.Stat(page_itself).mean[0]) / 2  # of the ink: its edges lie a little elsewhere
    page.evaluate("document.body.append(sheets)")
    for lying in (1, 0):  # one sheet a page, whichever of them lies
        page.evaluate("at => sheets.querySelectorAll('img')[at].classList.add('wide')", lying)
        sheets = pdfium.PdfDocument(page.pdf(prefer_css_page_size=True))
        assert len(sheets) == 4
        assert sheets[lying].get_width() > sheets[lying].get_height()
    page.evaluate("sheets.remove()")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator(".print-file")).to_have_count(0)
    expect(page.get_by_role("button", name="Druk af", exact=True)).to_be_visible()


def test_a_long_document_says_how_far_it_is_drawn_and_is_stopped(page: Page, base_url: str, script: Script) -> None:
    script.pages, script.pdf = 300, build_pdf(300)
    page.add_init_script(PRINTS)
    page.goto(f"{base_url}/d/paracetamol-kind#page=3")
    expect(page.locator(".page[data-drawn=true]").first).to_be_visible()
    page.get_by_role("button", name="Druk af", exact=True).click()
    page.get_by_role("button", name=re.compile(r"^Pagina \d+ van 300: stop$")).click()
    expect(page.get_by_role("button", name="Druk af", exact=True)).to_be_visible()
    expect(page.locator(".print-file")).to_have_count(0)
    assert page.evaluate("window.prints") == 0
    shown = page.locator(".page[data-drawn=true]").first
    assert shown.locator("canvas").evaluate("one => one.width > 0")  # what is read stays drawn


def test_ctrl_p_prints_the_sheet_or_the_answers_where_these_are_meant(page: Page, base_url: str) -> None:
    page.add_init_script(PRINTS)
    page.goto(f"{base_url}/d/paracetamol-kind#page=3&quote={quote(SENTENCES[1])}")
    expect(page.locator(".highlight.current").first).to_be_visible()
    page.keyboard.press("Control+p")
    page.get_by_role("button", name="Een blad met enkel de gemarkeerde woorden").click()
    until(page, "window.prints === 1")
    expect(page.locator(".print-file")).to_have_count(0)
    page.goto(base_url)
    ask(page)
    complete(page)
    expect(page.locator(".page[data-drawn=true]").first).to_be_visible()
    page.keyboard.press("Control+p")
    page.get_by_role("button", name="De vragen en antwoorden").click()
    until(page, "window.prints === 1")
    expect(page.locator(".print-file, dialog")).to_have_count(0)
    page.get_by_role("button", name="Sluit de bron").click()
    page.keyboard.press("Control+p")
    expect(page.get_by_role("dialog")).to_have_count(0)  # no document is open


@pytest.mark.parametrize("place", [".turn", ".source-tools"])
@pytest.mark.parametrize(("question", "rows"), [("rijtje", ROWS[:2]), ("rijen", ROWS)])
def test_a_link_to_rows_of_a_table_marks_all_of_them_with_their_header(
    page: Page, place: str, question: str, rows: tuple[tuple[str, ...], ...]
) -> None:
    ask(page, question)
    complete(page)
    expect(page.locator(".highlight.current")).to_have_count(len(rows))
    page.locator(place).get_by_role("button", name="Kopieer link").click()
    expect(page.get_by_role("button", name="Link gekopieerd")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert parse_qs(urlsplit(link).fragment)["quote"] == ["\n".join(" ".join(row) for row in rows)]
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator(".highlight.current")).to_have_count(len(rows))
    expect(page.locator(".highlight.current").first).to_be_in_viewport()
    page.get_by_role("button", name=f"Vraag de eigenaar of meld een fout: {TITLE}").click()
    expect(page.get_by_role("dialog").locator(".passages label")).to_have_text([" ".join(row) for row in rows])


def test_a_question_to_the_owner_carries_the_rows_that_are_ticked_and_none_beforehand(
    page: Page, script: Script
) -> None:
    ask(page, "rijen")
    complete(page)
    page.get_by_role("button", name=f"Vraag de eigenaar of meld een fout: {TITLE}").click()
    dialog = page.get_by_role("dialog")
    for row, passage in zip(ROWS, dialog.locator(".passages label").all(), strict=True):
        for cell in row:
            expect(passage).to_contain_text(cell)
        expect(passage.get_by_role("checkbox")).not_to_be_checked()
        passage.get_by_role("checkbox").check()
    dialog.get_by_label("Wat wilt u vragen of melden?").fill("De tweede rij is oud.")
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.get_by_role("status").first).to_contain_text("Uw melding is verstuurd aan Apotheek.")
    (sent,) = script.to_owners
    assert str(sent["text"]).splitlines() == [
        "De tweede rij is oud.",
        "",
        *"“{}”".format("\n".join("\t".join(row) for row in ROWS)).splitlines(),
    ]


@pytest.mark.parametrize("button", [f"Vraag de eigenaar of meld een fout: {TITLE}", "Meld dit antwoord"])
def test_a_report_is_tied_to_the_passages_that_are_ticked(
    page: Page, script: Script, button: str, tmp_path: Path
) -> None:
    ask(page, "rijen")
    complete(page)
    page.get_by_role("button", name=button).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".passages").get_by_role("checkbox", checked=True)).to_have_count(0)
    dialog.locator(".passages").get_by_role("checkbox").nth(1).check()
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"passages-{width}.png")
    dialog.get_by_role("textbox").fill("Deze rij is oud.")
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.locator("form")).to_have_count(0)
    sent = [*script.to_owners, *script.said][0]
    assert sent.get("text", sent.get("comment")) == "Deze rij is oud.\n\n“{}”".format("\t".join(ROWS[1]))


def test_passages_that_are_too_long_to_go_along_are_said_to_be_and_are_not_cut(
    page: Page, base_url: str, script: Script
) -> None:
    long = [letter * 1600 for letter in "ab"]

    def found(route: Route) -> None:
        route.fulfill(json=route.fetch().json() | {"found": True, "quotes": long})

    page.route("**/place?*", found)
    page.goto(f"{base_url}/d/paracetamol-kind#page=3&quote=x")
    page.get_by_role("button", name=f"Vraag de eigenaar of meld een fout: {TITLE}").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill("Klopt dit nog?")
    passages = dialog.locator(".passages")
    for one in passages.get_by_role("checkbox").all():
        one.check()
    expect(passages.get_by_role("alert")).to_contain_text("te lang om onder uw tekst te zetten: vink er minder aan")
    expect(dialog.get_by_role("button", name="Verstuur")).to_be_disabled()
    faultless(page)
    passages.get_by_role("checkbox").first.uncheck()
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.get_by_role("status").first).to_contain_text("Uw vraag is verstuurd aan Apotheek.")
    assert [one["text"] for one in script.to_owners] == [f"Klopt dit nog?\n\n“{long[1]}”"]


def test_a_link_to_a_page_opens_it_and_marks_nothing(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/d/paracetamol-kind#page=12")
    expect(page.locator(".source-head")).to_contain_text("Pagina 12 van 40")
    expect(page.locator(".highlight")).to_have_count(0)


def test_a_link_to_words_that_are_gone_says_so_and_to_an_old_document_what_holds_now(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/d/oud#page=3&quote={quote('Dit stond er vroeger.')}")
    expect(page.locator(".notice").first).to_contain_text("staan niet meer zo in dit document")
    newer = page.locator(".notice.serious")
    expect(newer).to_contain_text("Dit document is intussen vervangen.")
    newer.get_by_role("link", name=TITLE).click()
    expect(page).to_have_url(re.compile("/d/nieuw#page=3&quote="))
    page.goto(f"{base_url}/d/weg")
    expect(page.get_by_role("heading", name="Dit document bestaat niet, of u mag het niet lezen.")).to_be_visible()


def test_a_link_to_an_answer_opens_its_conversation_at_it(page: Page, script: Script) -> None:
    ask(page)
    complete(page)
    for count, question in enumerate(("rijtje", "stappen"), 2):
        ask(page, question)
        expect(page.locator(".made")).to_have_count(count)
    conversation = page.url
    link = f"{conversation.split('/c/')[0]}/a/{list(script.conversations.values())[-1][1].id}"
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator(".turn")).to_have_count(3)
    expect(page.locator("h2.question", has_text="rijtje")).to_be_in_viewport()
    expect(page.locator(".source-title h2")).to_have_text(TITLE)
    expect(page.locator(".card-place.open")).to_have_count(0)  # it is its own source, not that of the last answer
    assert page.url.split("#")[0] == conversation
    page.goto(link.replace("/a/", "/a/x"))
    expect(page.get_by_role("alert")).to_contain_text(
        "Alleen wie het vroeg, kan dit openen, zolang het niet verwijderd is. Stel de vraag zelf."
    )
    expect(page.locator("#question")).to_be_visible()


@pytest.mark.parametrize(
    ("question", "name", "leads_to"),
    [
        ("hoeveel paracetamol?", "Kopieer link naar de bron", r"/d/paracetamol-kind#page=3&quote=Een%20kind"),
        ("vraag zonder antwoord", "Kopieer link naar de vraag", r"/\?q=vraag%20zonder%20antwoord$"),
    ],
)
def test_the_link_under_an_answer_is_of_use_to_a_colleague(
    page: Page, new_page: NewPage, question: str, name: str, leads_to: str
) -> None:
    ask(page, question)
    expect(page.locator(".made")).to_be_visible()
    page.locator(".turn").get_by_role("button", name=name).click()
    expect(page.locator(".turn").get_by_role("button", name="Link gekopieerd")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert re.search(leads_to, link)
    names = [one for one in page.get_by_role("button").all_inner_texts() if "link" in one]
    assert len(names) == len(set(names))
    colleagues = new_page()
    colleagues.goto(link)
    expect(colleagues.locator(".highlight.current, h2.question").first).to_be_visible()
    expect(colleagues.get_by_role("alert").filter(has_text=re.compile(r"\S"))).to_have_count(0)


def test_a_question_in_the_address_is_asked_once(page: Page, base_url: str, script: Script) -> None:
    page.goto(f"{base_url}/?q={quote('hoeveel paracetamol mag een kind van 12 kg?')}")
    complete(page)
    expect(page.locator("h2.question")).to_have_text("hoeveel paracetamol mag een kind van 12 kg?")
    expect(page).to_have_url(re.compile(r"/c/[0-9a-f-]{36}$"))
    page.reload()
    complete(page)
    assert len(script.asked) == 1


@pytest.mark.parametrize("width", [320, 1366])
@pytest.mark.parametrize("locale", ["nl-BE", "en-GB"])
def test_accessibility_of_a_linked_document(new_page: NewPage, base_url: str, width: int, locale: str) -> None:
    page = new_page(width=width, locale=locale)
    page.goto(f"{base_url}/d/oud#page=3&quote={quote(SENTENCES[1])}")
    expect(page.locator(".page[data-drawn=true]").first).to_be_visible()
    faultless(page)
