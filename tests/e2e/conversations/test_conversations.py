"""Earlier conversations: found again, named, pinned, saved, printed; an answer copied, a question
changed and asked anew."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from pypdf import PdfReader

from rag_api.api import schemas as s
from rag_api.domain import Mode
from tests.e2e.accessibility import faultless, looks
from tests.e2e.asking.test_reading import TOUCHED, made
from tests.e2e.conftest import NewPage, until
from tests.e2e.scripted import SENTENCES, STEPS, TITLE, Script, steps
from tests.e2e.test_states import ask, complete

OLD, NEW = "0f8b2c44-0000-4c1c-9c0f-000000000001", "0f8b2c44-0000-4c1c-9c0f-000000000002"
WORDS = {
    "nl-BE": {"page": "Eerdere vragen", "older": "Ouder", "rename": "Wijzig de naam", "name": "Naam van dit gesprek"},
    "en-GB": {"page": "Earlier questions", "older": "Older", "rename": "Rename", "name": "Name of this conversation"},
}


@pytest.fixture
def asked(script: Script) -> Script:
    """Two conversations: one of today, one of a month ago."""
    for conversation, question, ago in ((OLD, "Mag *alles* gegeven worden?", 30), (NEW, "Hoeveel paracetamol?", 0)):
        text, spans = steps(script)
        body = s.AskIn(question=question, mode=Mode.VERBATIM)
        script.conversations[conversation] = [script.answer(body, conversation, answer=text, spans=spans)]
        script.said_of[conversation] = {"updated_at": datetime.now(UTC) - timedelta(days=ago)}
    return script


def titles(page: Page) -> Locator:
    return page.locator(".asked-then .document-title")


@looks(1920, 320)
def test_the_page_has_no_fault(
    new_page: NewPage, base_url: str, asked: Script, locale: str, scheme: str, width: int
) -> None:
    words = WORDS[locale]
    asked.said_of[OLD]["title"] = "Eenheel" * 17  # a name without a blank
    page = new_page(locale=locale, width=width, color_scheme=scheme, has_touch=width == 320)
    page.goto(f"{base_url}/history")
    expect(page.get_by_role("heading", name=words["page"])).to_be_visible()
    expect(page.get_by_role("heading", name=words["older"])).to_be_visible()
    faultless(page, beside=())
    page.get_by_role("button", name=re.compile(words["rename"])).first.click()
    expect(page.get_by_label(words["name"])).to_be_focused()
    faultless(page, beside=())
    if width == 320:
        # the name in the bar is every page's
        assert [one for one in page.evaluate(TOUCHED) if 'href="/"' not in one] == []


def test_conversations_are_grouped_by_day_pinned_and_found_by_the_keyboard_alone(
    new_page: NewPage, base_url: str, asked: Script
) -> None:
    page = new_page()
    page.goto(f"{base_url}/history")
    expect(page.locator(".asked-then h3")).to_have_text(["Vandaag", "Ouder"])
    expect(page.get_by_role("status")).to_have_text("2 gesprekken")
    page.get_by_role("button", name="Vastzetten: Mag").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".asked-then h3")).to_have_text(["Vastgezet", "Vandaag"])
    # it went to another group, and the focus with it
    expect(page.get_by_role("button", name="Losmaken: Mag")).to_be_focused()
    page.get_by_role("button", name="Wijzig de naam: Mag").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("Nachtdienst")  # in the place of the old name, which is selected
    page.keyboard.press("Enter")
    expect(titles(page)).to_have_text(["Nachtdienst", "Hoeveel paracetamol?"])
    expect(page.get_by_role("button", name="Wijzig de naam: Nachtdienst")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Naam van dit gesprek")).to_have_count(0)
    page.get_by_label("Zoek in naam, vraag, antwoord of titel van een bron").fill("nacht")
    expect(titles(page)).to_have_text(["Nachtdienst"])
    page.get_by_label("Zoek in naam, vraag, antwoord of titel van een bron").fill("zevenblad")
    expect(page.get_by_role("status")).to_have_text("Er past geen vraag bij. Probeer andere woorden.")
    page.get_by_label("Zoek in naam, vraag, antwoord of titel van een bron").fill("")
    titles(page).first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".question")).to_have_text("Mag *alles* gegeven worden?")


def test_there_are_more_than_a_page_of_them_and_one_is_deleted(new_page: NewPage, base_url: str, asked: Script) -> None:
    for number in range(60):
        asked.conversations[f"0f8b2c44-0000-4c1c-9c0f-1{number:011}"] = asked.conversations[NEW]
    page = new_page()
    page.goto(f"{base_url}/history")
    expect(page.get_by_role("status")).to_have_text("50 van 62 gesprekken")
    page.get_by_role("button", name="Toon meer").click()
    expect(page.get_by_role("status")).to_have_text("62 gesprekken")
    last = page.locator(".asked-then li").last
    last.get_by_role("button", name="verwijder").click()
    last.get_by_role("button", name="Ja, verwijder").click()
    expect(page.get_by_role("status")).to_have_text("61 gesprekken")
    assert OLD not in asked.conversations


def test_a_conversation_is_saved_as_markdown_with_its_citations(
    new_page: NewPage, base_url: str, asked: Script
) -> None:
    page = new_page()
    page.goto(f"{base_url}/history")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Bewaar als Markdown (.md): Mag").click()
    assert saving.value.suggested_filename == "Mag-alles-gegeven-worden.md"
    text = saving.value.path().read_text("utf-8")
    assert "## Mag \\*alles\\* gegeven worden?" in text
    assert "**Meteen doen:**" in text
    assert all(f"- {label[0]}\\. {words}" in text for label, words in STEPS)
    link = re.search(r"\[" + TITLE + r"\]\(<([^>]+)>\), pagina 3, versie 3", text)
    assert link
    assert "> 1\\. Weeg het kind." in text
    page.goto(link[1])
    expect(page.locator(".source h2")).to_have_text(TITLE)


def test_what_is_done_with_a_conversation_stands_on_one_line(new_page: NewPage, base_url: str, asked: Script) -> None:
    page = new_page(width=1440)
    page.goto(f"{base_url}/history")
    expect(page.locator(".asked-tools").first).to_be_visible()
    words = "one => { const range = document.createRange(); range.selectNodeContents(one); return range.getBoundingClientRect().y; }"
    tops = {round(one.evaluate(words)) for one in page.locator(".asked-tools").first.locator(".link").all()}
    assert len(tops) == 1, tops


def test_a_conversation_goes_to_the_printer_once_with_its_sources(
    new_page: NewPage, base_url: str, asked: Script
) -> None:
    page = new_page(bypass_csp=True)
    page.add_init_script(
        "window.prints = []; window.print = () => window.prints.push(document.querySelector('.turn').innerText)"
    )
    page.goto(f"{base_url}/history")
    page.get_by_role("link", name="Druk af of bewaar als PDF: Hoeveel").click()
    until(page, "window.prints.length === 1")
    assert TITLE in page.evaluate("window.prints[0]")
    page.reload()
    complete(page)
    assert page.evaluate("window.prints") == []


def test_a_printed_conversation_has_its_name_on_the_sheet_and_its_file(
    new_page: NewPage, base_url: str, asked: Script
) -> None:
    page = new_page()
    conversation = next(iter(asked.conversations))
    asked.said_of[conversation] = {"title": "Pijn na een ingreep"}
    page.goto(f"{base_url}/c/{conversation}")
    complete(page)
    page.locator(".print-only", has_text="Afgedrukt uit Bedside op").wait_for(state="attached")
    printed = PdfReader(io.BytesIO(page.pdf()))
    assert printed.metadata
    assert printed.metadata.title == "Pijn na een ingreep"
    assert "Pijn na een ingreep\nAfgedrukt uit Bedside op" in printed.pages[0].extract_text()
    assert page.title() == "Bedside"  # what a browser lists for the next person


def test_an_answer_is_copied_with_its_formatting_and_as_text(new_page: NewPage, base_url: str) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(base_url)
    ask(page, "rijtje en meer")
    made(page)
    page.get_by_role("button", name="Antwoord kopiëren").click()
    expect(page.get_by_role("button", name="Gekopieerd")).to_be_visible()
    read = "async type => (await (await navigator.clipboard.read())[0].getType(type)).text()"
    html, text = page.evaluate(read, "text/html"), page.evaluate(read, "text/plain")
    assert re.search(r"<th[^>]*>Gewicht</th>", html)
    assert "150 tot 180 mg" in html
    assert "class=" not in html
    assert f'href="{base_url}/d/paracetamol-kind#page=3&amp;quote=Gewicht%20Dosis' in html
    assert f"1. {TITLE}, pagina 3, versie 3" in html
    assert "10 tot 12 kg\t150 tot 180 mg" in text
    assert "Gekopieerd uit Bedside op" in text


@pytest.mark.parametrize("width", [1440, 390])
def test_a_question_is_changed_and_asked_again_and_the_old_one_stays(
    new_page: NewPage, base_url: str, script: Script, width: int
) -> None:
    page = new_page(width=width)
    page.goto(base_url)
    ask(page, "hoeveel paracetamol?")
    made(page)
    page.get_by_role("button", name="Pas aan en vraag opnieuw").click()
    box = page.locator("#question")
    expect(box).to_be_focused()
    expect(box).to_have_value("hoeveel paracetamol?")
    page.keyboard.press("End")
    page.keyboard.type(" per dag")
    page.keyboard.press("Enter")
    made(page, 2)
    expect(page.locator(".question")).to_have_text(["hoeveel paracetamol?", "hoeveel paracetamol? per dag"])
    assert script.asked[1].conversation_id in script.conversations
    page.get_by_role("button", name="Pas aan en vraag opnieuw").first.click()
    expect(box).to_have_value("hoeveel paracetamol?")
    assert SENTENCES[1] in page.locator(".answer-text").first.inner_text()


def test_after_a_conversation_is_deleted_the_focus_stands_on_the_next_one(
    new_page: NewPage, base_url: str, asked: Script
) -> None:
    page = new_page()
    page.goto(f"{base_url}/history")

    def delete(row: Locator) -> None:
        row.get_by_role("button", name="verwijder").focus()
        page.keyboard.press("Enter")
        row.get_by_role("button", name="Ja, verwijder").focus()
        page.keyboard.press("Enter")

    delete(page.locator(".asked-then li").first)
    expect(titles(page)).to_have_text(["Mag *alles* gegeven worden?"])
    expect(page.get_by_role("link", name="Mag *alles* gegeven worden?", exact=True)).to_be_focused()
    delete(page.locator(".asked-then li").first)
    expect(page.get_by_role("status")).to_have_text("U hebt nog niets gevraagd.")
    expect(page.get_by_label("Zoek in naam, vraag, antwoord of titel van een bron")).to_be_focused()


@pytest.mark.parametrize("width", [320, 390, 1280, 1920])
@pytest.mark.parametrize(("locale", "scheme"), [("nl-BE", "light"), ("en-GB", "dark")])
def test_the_menu_says_of_each_conversation_when_it_was(
    new_page: NewPage, base_url: str, asked: Script, locale: str, scheme: str, width: int, tmp_path: Path
) -> None:
    page = new_page(locale=locale, color_scheme=scheme, width=width, timezone_id="Europe/Brussels")
    page.goto(base_url)
    page.locator("summary", has_text="Eerder" if locale == "nl-BE" else "Earlier").click()
    times = page.locator(".conversation-link time")
    expect(times).to_have_count(2)
    said = "([day, lang]) => new Date(day).toLocaleDateString(lang, {day: 'numeric', month: 'short'})"
    for one in times.all():
        expect(one).to_contain_text(page.evaluate(said, [one.get_attribute("datetime"), locale]))
    faultless(page)
    page.screenshot(path=tmp_path / "menu.png")


def test_in_the_menu_too_the_focus_stands_on_the_next_conversation(
    new_page: NewPage, base_url: str, asked: Script
) -> None:
    page = new_page()
    page.goto(base_url)
    page.locator("summary", has_text="Eerder").click()
    row = page.locator(".conversation-link").first
    row.get_by_role("button", name="verwijder", exact=True).click()
    row.get_by_role("button", name="Ja, verwijder").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".conversation-link")).to_have_count(1)
    expect(page.get_by_role("button", name="Mag *alles* gegeven worden?")).to_be_focused()
