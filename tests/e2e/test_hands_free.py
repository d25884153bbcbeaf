"""Hands-free: questions that are dictated and answers that are read aloud, by the device alone or
not at all.

Headless Chromium has no voices, no microphone and no Dutch recogniser. Where a test needs them, a
device that has them is played before the page is loaded, with the forms of the browser's own
interface; what the page does without them is tried in the browser as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from tests.e2e.accessibility import faultless, faultless_by_day_and_by_night
from tests.e2e.browser import launch
from tests.e2e.conftest import NewPage
from tests.e2e.scripted import SENTENCES, STEPS, TITLE, Script
from tests.e2e.test_states import ask

VOICES = """voices => {
    window.spoken = [];
    window.cancelled = 0;
    let queue = [];
    const synthesis = new EventTarget();
    synthesis.getVoices = () => voices;
    synthesis.speak = utterance => {
        window.spoken.push({text: utterance.text, lang: utterance.lang, voice: utterance.voice.name});
        window.current = utterance;
    };
    synthesis.cancel = () => { window.cancelled += 1; window.current?.onerror?.({error: 'interrupted'}); };
    Object.defineProperty(window, 'speechSynthesis', {value: synthesis});
    window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
    window.sayAll = () => { for (let last; window.current !== last;) { last = window.current; last.onend(); } };
}"""
RECOGNISER = """availability => {
    window.started = [];
    window.asked = [];
    let installed = false;
    class Recogniser extends EventTarget {
        static available(options) {
            window.asked.push(options);
            const known = options.langs[0] === 'nl-NL' || options.langs[0] === 'en-US';
            return Promise.resolve(!known ? 'unavailable' : installed ? 'available' : availability);
        }
        static install() { installed = true; return Promise.resolve(true); }
        start() { window.started.push({lang: this.lang, local: this.processLocally}); window.recogniser = this; }
        stop() { this.onend(); }
    }
    Object.defineProperty(Recogniser.prototype, 'processLocally', {value: false, writable: true});
    window.SpeechRecognition = window.webkitSpeechRecognition = Recogniser;
    window.hear = (...words) => window.recogniser.onresult({results: words.map(one => ({0: {transcript: one}, isFinal: true}))});
}"""
LOCAL = {"name": "Dirk", "lang": "nl-NL", "localService": True, "default": True}
FLEMISH = {"name": "Bart", "lang": "nl_BE", "localService": True, "default": False}
ENGLISH = {"name": "George", "lang": "en-GB", "localService": True, "default": False}
CLOUD = {"name": "Cloud", "lang": "nl-BE", "localService": False, "default": True}


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with launch(playwright, whole=True) as found:
        yield found


@pytest.fixture
def script() -> Script:
    found = Script()
    found.hands_free = True
    return found


def device(page: Page, url: str, voices: list[dict[str, Any]] | None = None, dictation: str | None = None) -> Page:
    """A page on a device with these voices, that knows Dutch as far as `dictation` says."""
    if voices is not None:
        page.add_init_script(f"({VOICES})({json.dumps(voices)})")
    if dictation is not None:
        page.add_init_script(f"({RECOGNISER})({json.dumps(dictation)})")
    page.goto(url)
    expect(page.locator("#question")).to_be_visible()
    return page


def spoken(page: Page) -> list[dict[str, str]]:
    return page.evaluate("window.spoken")  # type: ignore[no-any-return]


# --- Read aloud


def test_an_answer_is_read_aloud_with_its_document_and_its_warnings_first(
    new_page: NewPage, base_url: str, tmp_path: Path
) -> None:
    page = device(new_page(), base_url, [CLOUD, LOCAL, FLEMISH])
    ask(page, "paracetamol bij een volwassene?")
    page.get_by_role("button", name="Lees voor").click()
    expect(page.get_by_role("button", name="Stop met voorlezen")).to_be_visible()
    expect(page.locator(".read-aloud")).to_contain_text("Lees mee op het scherm")
    faultless(page, ".conversation")
    page.screenshot(path=tmp_path / "reads.png")
    page.evaluate("sayAll()")
    assert [one["text"] for one in spoken(page)] == [
        "Deze bronnen gaan over kinderen; de vraag noemt een volwassene.",
        "Op pagina 3 van:",
        TITLE,
        "Dit document is voor kinderen; de vraag noemt een volwassene.",
        SENTENCES[1],
        SENTENCES[2],
    ]
    # the page speaks nl-BE, its documents Dutch; never the cloud's
    assert {one["voice"] for one in spoken(page)} == {"Dirk", "Bart"}
    expect(page.get_by_role("button", name="Lees voor")).to_be_visible()


def test_each_quote_is_read_by_a_voice_of_its_language(new_page: NewPage, base_url: str) -> None:
    page = device(new_page(), base_url, [LOCAL, ENGLISH])
    ask(page, "english")
    page.get_by_role("button", name="Lees voor").click()
    page.evaluate("sayAll()")
    said = {one["text"]: one["lang"] for one in spoken(page)}
    assert said == {"Op pagina 3 van:": "nl-NL", TITLE: "en-GB", SENTENCES[1]: "en-GB", SENTENCES[2]: "en-GB"}


def test_a_list_and_a_row_are_read_with_their_numbers_and_headings(new_page: NewPage, base_url: str) -> None:
    page = device(new_page(), base_url, [LOCAL])
    ask(page, "stappen")
    page.get_by_role("button", name="Lees voor").click()
    page.evaluate("sayAll()")
    assert [one["text"] for one in spoken(page)][2:] == [
        "Meteen doen:",
        *(f"{label} {words}" for label, words in STEPS),
    ]
    ask(page, "rijtje")
    expect(page.locator(".read-aloud")).to_have_count(2)
    page.get_by_role("button", name="Lees voor").last.click()
    page.evaluate("sayAll()")
    row = "Gewicht: 10 tot 12 kg; Dosis per keer: 150 tot 180 mg; Hoogstens per dag: 4 keer"
    assert spoken(page)[-1]["text"] == row


def test_a_number_that_no_source_holds_is_heard_as_such(new_page: NewPage, base_url: str) -> None:
    page = device(new_page(), base_url, [LOCAL])
    ask(page, "geschreven")
    page.get_by_role("button", name="Lees voor").click()
    page.evaluate("sayAll()")
    texts = [one["text"] for one in spoken(page)]
    assert texts[texts.index("999 mg") + 1] == "niet in de bron"


def test_nothing_is_read_in_part_where_a_language_has_no_voice(new_page: NewPage, base_url: str) -> None:
    page = device(new_page(), base_url, [LOCAL])
    ask(page, "english")
    expect(page.locator(".read-aloud")).to_have_text(
        "Dit toestel heeft zelf geen stem voor Engels; dit antwoord wordt daarom niet voorgelezen."
    )
    expect(page.get_by_role("button", name="Lees voor")).to_have_count(0)
    assert spoken(page) == []


def test_reading_stops_when_asked_and_says_when_it_breaks_off(new_page: NewPage, base_url: str) -> None:
    page = device(new_page(), base_url, [LOCAL])
    ask(page)
    page.get_by_role("button", name="Lees voor").click()
    page.get_by_role("button", name="Stop met voorlezen").click()
    page.evaluate("sayAll()")
    assert len(spoken(page)) == 1
    assert page.evaluate("cancelled") == 1
    expect(page.locator(".read-aloud").get_by_role("alert")).to_have_count(0)  # who stops it knows
    page.get_by_role("button", name="Lees voor").click()
    page.evaluate("current.onerror({error: 'synthesis-failed'})")
    expect(page.locator(".read-aloud").get_by_role("alert")).to_have_text(
        "Het voorlezen brak af. Lees het antwoord op het scherm."
    )
    faultless(page, ".conversation")
    page.get_by_role("button", name="Lees voor").click()
    ask(page, "en nu?")
    expect(page.locator(".turn .made")).to_have_count(2)
    expect(page.get_by_role("button", name="Stop met voorlezen")).to_have_count(0)


def test_each_answer_is_read_by_itself_where_this_device_says_so(
    new_page: NewPage, base_url: str, script: Script
) -> None:
    page = device(new_page(), base_url, [LOCAL])
    page.locator("summary", has_text="Weergave").click()
    page.get_by_label("Lees elk antwoord voor").check()
    page.keyboard.press("Escape")
    ask(page)
    expect(page.get_by_role("button", name="Stop met voorlezen")).to_be_visible()
    page.evaluate("sayAll()")
    assert SENTENCES[2] in [one["text"] for one in spoken(page)]
    page.reload()  # an answer of earlier is not read by itself; the choice is kept
    expect(page.get_by_role("button", name="Lees voor")).to_be_visible()
    assert spoken(page) == []
    page.locator("summary", has_text="Weergave").click()
    expect(page.get_by_label("Lees elk antwoord voor")).to_be_checked()


# --- Dictated


def test_a_question_is_dictated_on_the_device_alone_and_asked_by_hand(
    new_page: NewPage, base_url: str, script: Script, tmp_path: Path
) -> None:
    page = device(new_page(), base_url, dictation="available")
    page.locator("#question").fill("Bij een kind:")
    page.get_by_role("button", name="Spreek in").click()
    expect(page.locator(".dictation")).to_contain_text("Geen geluid verlaat dit toestel")
    page.evaluate("hear('hoeveel ', 'paracetamol')")
    expect(page.locator("#question")).to_have_value("Bij een kind: hoeveel paracetamol")
    faultless(page)
    page.screenshot(path=tmp_path / "listening.png")
    page.get_by_role("button", name="Stop met luisteren").click()
    expect(page.locator(".dictation")).to_contain_text("Lees na wat er staat, ook de getallen")
    assert page.evaluate("started") == [{"lang": "nl-NL", "local": True}]
    assert all(one["processLocally"] for one in page.evaluate("asked"))
    assert script.asked == []
    page.get_by_role("button", name="Vraag", exact=True).click()
    expect(page.locator(".question")).to_have_text("Bij een kind: hoeveel paracetamol")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("not-allowed", "mag de microfoon niet gebruiken"),
        ("no-speech", "werd niets gehoord"),
        ("service-not-allowed", "lukt nu niet"),
    ],
)
def test_dictation_that_fails_says_what_to_do_and_keeps_the_question(
    new_page: NewPage, base_url: str, error: str, words: str
) -> None:
    page = device(new_page(), base_url, dictation="available")
    page.locator("#question").fill("paracetamol")
    page.get_by_role("button", name="Spreek in").click()
    page.evaluate("error => { recogniser.onerror({error}); recogniser.onend(); }", error)
    expect(page.locator(".dictation [role=status]")).to_contain_text(words)
    expect(page.locator("#question")).to_have_value("paracetamol")
    expect(page.get_by_role("button", name="Spreek in")).to_be_enabled()


def test_a_language_pack_is_fetched_when_somebody_asks_for_it(new_page: NewPage, base_url: str) -> None:
    page = device(new_page(), base_url, dictation="downloadable")
    expect(page.locator(".dictation")).to_contain_text("haalt één keer een taalpakket op")
    page.get_by_role("button", name="Maak inspreken mogelijk").click()
    expect(page.get_by_role("button", name="Spreek in")).to_be_visible()


def test_a_recogniser_that_does_not_know_of_the_device_is_never_started(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.add_init_script("""
        window.made = 0;
        class Old { constructor() { window.made += 1; } start() {} }
        window.SpeechRecognition = undefined;
        window.webkitSpeechRecognition = Old;
    """)
    device(page, base_url)
    page.locator("summary", has_text="Weergave").click()
    expect(page.locator(".menu-note")).to_contain_text("zonder geluid weg te sturen")
    expect(page.get_by_role("button", name="Spreek in")).to_have_count(0)
    assert page.evaluate("made") == 0


# --- The browser as it is


@pytest.mark.parametrize(
    ("locale", "menu", "why"),
    [
        ("nl-BE", "Weergave", "dit toestel heeft zelf geen stem"),
        ("en-GB", "Display", "this device has no voice of its own"),
    ],
)
def test_where_the_device_can_do_neither_the_menu_says_why(
    new_page: NewPage, base_url: str, locale: str, menu: str, why: str, tmp_path: Path
) -> None:
    page = device(new_page(locale=locale), base_url)
    ask(page)
    expect(page.locator(".made")).to_be_visible()
    expect(page.locator(".read-aloud")).to_have_count(0)
    page.locator("summary", has_text=menu).click()
    expect(page.locator(".menu-note")).to_contain_text(why)
    expect(page.locator(".menu-choice input")).to_be_disabled()
    faultless_by_day_and_by_night(page)
    page.screenshot(path=tmp_path / "menu.png")


def test_nothing_of_it_is_there_where_it_is_not_configured(new_page: NewPage, base_url: str, script: Script) -> None:
    script.hands_free = False
    page = new_page()
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    device(page, base_url, [LOCAL], "available")
    ask(page)
    expect(page.locator(".made")).to_be_visible()
    page.locator("summary", has_text="Weergave").click()
    expect(page.get_by_label("Tekstgrootte")).to_be_visible()
    for gone in (".dictation", ".read-aloud", ".menu-note"):
        expect(page.locator(gone)).to_have_count(0)
    assert not [url for url in fetched if "Dictate" in url or "ReadAloud" in url or "HandsFree" in url]
