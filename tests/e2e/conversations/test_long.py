"""A conversation of thousands of questions: what is far from the window holds its words alone, and
nothing of it is out of reach."""

from __future__ import annotations

import io
import re

import pypdfium2 as pdfium
import pytest
from playwright.sync_api import Locator, Page, expect

from rag_api.api import schemas as s
from rag_api.domain import Mode
from tests.e2e.conftest import NewPage, until
from tests.e2e.scripted import STEPS, TITLE, Script, steps
from tests.e2e.test_states import ask

LONG = "0f8b2c44-0000-4c1c-9c0f-000000000003"
TURNS = 2500  # 5,000 messages
PRINTED = 60  # a print of all takes minutes
MOST = 100  # turns that are drawn whole at once, wherever the window stands
WORDS = 5  # elements of a turn that is not, and of the stretch that it stands in

WHOLE = "document.querySelectorAll('.turn .made').length"
ELEMENTS = "document.querySelectorAll('.turns *').length - document.querySelectorAll('.stretch:not(.far) *').length"


def said(number: int) -> str:
    return f"Vraag {number} van velen?"


def held(script: Script, turns: int) -> None:
    text, spans = steps(script)
    made = script.answer(s.AskIn(question="?", mode=Mode.VERBATIM), LONG, answer=text, spans=spans)
    script.conversations[LONG] = [
        made.model_copy(update={"id": f"m{number}", "question": said(number), "query": said(number)})
        for number in range(turns)
    ]


@pytest.fixture
def page(script: Script, new_page: NewPage, base_url: str) -> Page:
    held(script, TURNS)
    found = new_page()
    found.set_default_timeout(60_000)
    found.goto(f"{base_url}/c/{LONG}")
    seen(found, TURNS - 1)
    return found


def turn(page: Page, number: int) -> Locator:
    return page.locator(f"#a-m{number}")


def seen(page: Page, number: int) -> None:
    """This turn is in sight and whole; few others are whole too."""
    expect(turn(page, number).locator(".question")).to_have_text(said(number))
    expect(turn(page, number)).to_be_in_viewport()
    expect(turn(page, number).locator(".made")).to_be_attached()
    until(page, f"{WHOLE} <= {MOST}")


def scrolled_to(page: Page, where: str) -> None:
    """As by the wheel of who reads, whom the page then leaves where they went."""
    turned = "pane.dispatchEvent(new WheelEvent('wheel'))"
    page.locator(".conversation").evaluate(f"pane => {{ {turned}; pane.scrollTo(0, {where}) }}")


def test_its_end_is_seen_first_and_little_of_it_is_drawn(page: Page) -> None:
    expect(page.locator(".turn")).to_have_count(TURNS)
    assert page.evaluate(ELEMENTS) <= WORDS * TURNS
    scrolled_to(page, "0")
    seen(page, 0)
    scrolled_to(page, "pane.scrollHeight / 2")
    until(
        page,
        "[...document.querySelectorAll('.turn .made')].some(one => {"
        " const {top, bottom} = one.getBoundingClientRect(); return bottom > 0 && top < innerHeight; })",
    )
    until(page, f"{WHOLE} <= {MOST}")
    assert page.evaluate(ELEMENTS) <= WORDS * TURNS
    scrolled_to(page, "pane.scrollHeight")
    seen(page, TURNS - 1)


def test_what_is_read_stays_where_it_is_while_the_turns_above_are_drawn(page: Page) -> None:
    page.locator(".conversation").hover()
    for _ in range(8):
        page.mouse.wheel(0, -1500)
        page.wait_for_timeout(100)  # for the frames of the wheel
    at = """() => { const one = [...document.querySelectorAll('h2.question')]
        .find(one => one.getBoundingClientRect().top > 100);
        return [one.textContent, one.getBoundingClientRect().top]; }"""
    until(page, f"{WHOLE} <= {MOST}")
    words, top = page.evaluate(at)
    number = int(re.search(r"\d+", words)[0])  # type: ignore[index]
    assert number < TURNS - 20
    expect(turn(page, number).locator(".made")).to_be_attached()
    page.mouse.wheel(0, 1)
    page.wait_for_timeout(300)
    assert page.evaluate(at)[0] == words
    assert page.evaluate(at)[1] == pytest.approx(top, abs=4)


def test_the_address_of_an_answer_and_words_that_are_looked_for_lead_to_it(page: Page, base_url: str) -> None:
    assert page.evaluate("words => window.find(words, false, false, true)", said(777))
    assert page.evaluate("getSelection().anchorNode.parentElement.closest('.turn').id") == "a-m777"
    page.evaluate("getSelection().anchorNode.parentElement.scrollIntoView({block: 'center'})")  # as a browser's search
    seen(page, 777)
    expect(turn(page, 777).locator(".question")).to_be_in_viewport()
    assert STEPS[2][1] in turn(page, 1500).evaluate("one => one.textContent")  # which is not drawn
    expect(turn(page, 1500).locator(".made")).to_have_count(0)
    page.goto("about:blank")
    page.goto(f"{base_url}/a/m1234")
    seen(page, 1234)


def test_the_keyboard_goes_from_each_answer_to_the_next(page: Page) -> None:
    scrolled_to(page, "0")
    seen(page, 0)
    turn(page, 0).get_by_role("button").first.focus()
    passed = set()
    for _ in range(150):
        page.keyboard.press("Tab")
        passed.add(page.evaluate("document.activeElement.closest('.turn')?.id"))
    numbers = sorted(int(one.removeprefix("a-m")) for one in passed)
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > 10  # more than the stretch that is always drawn


def test_what_was_said_of_an_answer_is_still_seen_when_one_comes_back_to_it(page: Page) -> None:
    scrolled_to(page, "0")
    seen(page, 0)
    scrolled_to(page, "5000")
    until(page, "document.querySelectorAll('.stretch:nth-child(2) .made').length")
    unfold = page.locator(".stretch").nth(1).get_by_role("button", name=re.compile("bronnen")).first
    unfold.click()
    expect(page.locator(".stretch").nth(1).locator(".card").first).to_be_visible()
    scrolled_to(page, "pane.scrollHeight")
    seen(page, TURNS - 1)
    expect(page.locator(".stretch").nth(1).locator(".card").first).to_be_attached()


def test_a_new_question_and_its_answer_are_in_sight(page: Page) -> None:
    ask(page, "rijtje")
    expect(page.locator(".turn")).to_have_count(TURNS + 1)
    last = page.locator(".turn").last
    expect(last.locator(".made")).to_be_visible()
    expect(last.locator(".question")).to_be_in_viewport()
    expect(last.locator(".answer-text")).to_be_in_viewport()


def test_a_print_holds_every_answer_whole(script: Script, new_page: NewPage, base_url: str) -> None:
    held(script, PRINTED)
    page = new_page()
    page.goto(f"{base_url}/c/{LONG}")
    expect(turn(page, PRINTED - 1).locator(".made")).to_be_attached()
    expect(page.locator(".printed-sources").first).to_be_attached()
    until(page, f"{WHOLE} < {PRINTED}")
    printed = pdfium.PdfDocument(io.BytesIO(page.pdf(format="A4")))
    text = " ".join(" ".join(one.get_textpage().get_text_range() for one in printed).split())
    found = re.split(r"Vraag (\d+) van velen\?", text)
    assert [int(number) for number in found[1::2]] == list(range(PRINTED))
    assert [number for number, words in zip(found[1::2], found[2::2], strict=True) if TITLE not in words] == []
    until(page, f"{WHOLE} < {PRINTED}")


def test_a_print_that_the_address_asks_for_holds_every_answer_too(
    script: Script, new_page: NewPage, base_url: str
) -> None:
    held(script, PRINTED)
    page = new_page(bypass_csp=True)
    page.add_init_script(
        "window.prints = []; window.print = () => {"
        f" dispatchEvent(new Event('beforeprint')); window.prints.push({WHOLE}); dispatchEvent(new Event('afterprint')); }}"
    )
    page.goto(f"{base_url}/c/{LONG}#print")
    until(page, "window.prints.length === 1")
    assert page.evaluate("window.prints") == [PRINTED]
