"""The place in view: of the question whose answer comes, of what was pressed, of what has the
focus."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.conftest import NewPage
from tests.e2e.scripted import Script
from tests.e2e.test_states import ask

SIZES = [(1366, 768), (1440, 900), (390, 844)]
TOP = 60  # pixels from the pane's top within which a question stands at it


def made(page: Page, answers: int) -> None:
    expect(page.locator(".made")).to_have_count(answers)
    if page.viewport_size and page.viewport_size["width"] >= 1024:
        expect(page.locator(".page[data-drawn=true]").first).to_be_visible()
    page.wait_for_timeout(300)  # what comes last may still move what is read


def worded(new_page: NewPage, base_url: str, width: int, height: int, size: str) -> Page:
    page = new_page(width=width, height=height)
    page.add_init_script(f"localStorage.setItem('bedside.size', '{size}')")
    page.goto(base_url)
    return page


def below_top(page: Page, one: Locator) -> float:
    pane, box = page.locator(".conversation").bounding_box(), one.bounding_box()
    assert pane
    assert box
    return box["y"] - pane["y"]


@pytest.mark.parametrize("size", ["normal", "largest"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_beside_its_source_the_last_question_stands_at_the_top(
    new_page: NewPage, base_url: str, width: int, height: int, size: str
) -> None:
    page = worded(new_page, base_url, width, height, size)
    for asked, question in enumerate(("rijen", "alinea", "hoeveel paracetamol?"), 1):
        ask(page, question)
        expect(page.locator(".question")).to_have_count(asked)
        made(page, asked)
        assert 0 <= below_top(page, page.locator(".question").last) < TOP, question
    assert [below_top(page, one) < 0 for one in page.locator(".question").all()] == [True, True, False]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_an_older_conversation_opens_at_its_last_question_or_at_the_one_in_the_address(
    new_page: NewPage, base_url: str, script: Script, width: int, height: int
) -> None:
    page = new_page(width=width, height=height)
    page.goto(base_url)
    for asked, question in enumerate(("rijen", "alinea", "controles"), 1):
        ask(page, question)
        made(page, asked)
    [(conversation, answers)] = script.conversations.items()
    for at, address in ((-1, f"/c/{conversation}"), (1, f"/a/{answers[1].id}")):
        page.goto("about:blank")
        page.goto(f"{base_url}{address}")
        made(page, 3)
        assert 0 <= below_top(page, page.locator(".question").nth(at)) < TOP, address


@pytest.mark.parametrize(
    ("width", "height", "size"), [(1366, 768, "largest"), (768, 900, "larger"), (320, 640, "normal")]
)
def test_of_an_older_conversation_the_answer_is_seen_and_the_question_box_is_folded(
    new_page: NewPage, base_url: str, script: Script, tmp_path: Path, width: int, height: int, size: str
) -> None:
    page = worded(new_page, base_url, width, height, size)
    ask(page, "controles")
    made(page, 1)
    page.goto(f"{base_url}/c/{next(iter(script.conversations))}")
    made(page, 1)
    page.screenshot(path=tmp_path / "opened.png")
    band = page.locator(".ask-band").bounding_box()
    assert band
    assert band["height"] < height / 8
    expect(page.locator("#question")).not_to_be_focused()
    expect(page.locator(".ask-foot")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator(".ask-foot")).to_be_visible()


def test_a_question_begun_while_an_older_conversation_comes_keeps_the_focus(
    new_page: NewPage, base_url: str, script: Script
) -> None:
    page = worded(new_page, base_url, 1366, 768, "largest")
    ask(page, "rijen")
    made(page, 1)
    held: list[Route] = []
    page.route("**/api/conversations/*", lambda route: held.append(route))
    page.goto(f"{base_url}/c/{next(iter(script.conversations))}")
    page.locator("#question").press_sequentially("en wat")
    held[0].continue_()
    made(page, 1)
    expect(page.locator("#question")).to_be_focused()


def test_who_scrolled_meanwhile_stays_where_they_are(new_page: NewPage, base_url: str, script: Script) -> None:
    page = new_page(width=1366, height=768)
    page.goto(base_url)
    ask(page, "rijen")
    made(page, 1)
    ask(page, "dosis onder een titel")
    expect(page.locator(".answer-text")).to_have_count(2)
    page.locator(".conversation").evaluate("pane => pane.scrollTo(0, 0)")
    page.wait_for_timeout(200)
    script.goes_on.set()
    made(page, 2)
    assert 0 <= below_top(page, page.locator(".question").first) < TOP


def test_a_mark_that_is_pressed_stays_where_it_is_when_its_source_opens_and_closes(
    new_page: NewPage, base_url: str
) -> None:
    page = new_page(width=1366, height=768)
    page.goto(base_url)
    for asked, question in enumerate(("alinea", "rijen", "alinea"), 1):
        ask(page, question)
        made(page, asked)
    page.get_by_role("button", name="Sluit de bron").click()
    place = page.locator(".part-place").nth(1)
    place.evaluate("one => one.scrollIntoView({block: 'center'})")
    page.wait_for_timeout(200)
    before = below_top(page, place)
    place.click()
    expect(page.locator(".source")).to_be_visible()
    page.wait_for_timeout(300)
    assert below_top(page, place) == pytest.approx(before, abs=4)
    page.keyboard.press("Escape")
    expect(page.locator(".source")).to_have_count(0)
    page.wait_for_timeout(300)
    assert below_top(page, place) == pytest.approx(before, abs=4)


COVERED = """() => {
    const one = document.activeElement, {left, top, width, bottom} = one.getBoundingClientRect();
    if (one.closest('.ask-band, .source, .top') || one === document.body) return false;
    const band = document.querySelector('.ask-band').getBoundingClientRect();
    return bottom > band.top && left + width > band.left;
}"""


@pytest.mark.parametrize("size", ["normal", "largest"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_what_has_the_focus_is_never_under_the_question_box(
    new_page: NewPage, base_url: str, width: int, height: int, size: str
) -> None:
    page = worded(new_page, base_url, width, height, size)
    ask(page, "controles")
    made(page, 1)
    page.locator("#question").fill("nog een vraag\n\nin\n\nvele\n\nregels")
    page.locator(".turns button").first.focus()
    for _ in range(30):
        page.keyboard.press("Tab")
        assert not page.evaluate(COVERED), page.evaluate("document.activeElement.outerHTML.slice(0, 200)")


@pytest.mark.parametrize("size", ["normal", "largest"])
def test_the_keys_that_open_a_source_lead_to_its_card_and_enter_is_for_that_one(
    new_page: NewPage, base_url: str, size: str
) -> None:
    page = new_page(width=1366, height=768)
    page.add_init_script(f"localStorage.setItem('bedside.size', '{size}')")
    page.goto(base_url)
    ask(page)
    made(page, 1)
    page.locator(".card-button").first.focus()
    for rank in ("2", "3", "4", "5"):
        page.keyboard.press("j")
        expect(page.locator(".card-place.open")).to_have_attribute("data-rank", rank)
        expect(page.locator(".card-place.open .card-button")).to_be_focused()
        assert not page.evaluate(COVERED)
        expect(page.locator(".card-place.open .rank")).to_be_in_viewport()
        page.keyboard.press("Enter")
        expect(page.locator(".card-place.open")).to_have_attribute("data-rank", rank)


def test_letters_of_the_next_question_keep_the_focus_when_the_source_opens(new_page: NewPage, base_url: str) -> None:
    page = new_page(width=1366, height=768)
    page.goto(base_url)
    ask(page)
    page.locator("#question").press_sequentially("jk")
    made(page, 1)
    expect(page.locator("#question")).to_be_focused()


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_largest_words_are_large_in_the_bar_and_timers_too_and_cover_no_step(
    new_page: NewPage, base_url: str, width: int, height: int
) -> None:
    heights = []
    for size in ("normal", "largest"):
        page = new_page(width=width, height=height)
        page.add_init_script(f"localStorage.setItem('bedside.size', '{size}')")
        page.goto(base_url)
        ask(page, "controles")
        made(page, 1)
        page.get_by_role("button", name="Afvinken").click()
        page.get_by_role("button", name="Timer: 5 min").click()
        at = "one => one.getClientRects()[0].height"
        words = [page.locator(one).evaluate(at) for one in (".wordmark", ".timers .clock", ".timers .step")]
        heights.append(words)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.locator(".bar").evaluate("bar => bar.scrollWidth <= bar.clientWidth")
        band = page.locator(".ask-band").bounding_box()
        assert band
        if size == "largest":
            assert band["height"] < height / 8
        page.locator(".bar .to-left > summary").click()
        menu = page.locator(".bar .to-left > ul").bounding_box()
        assert menu
        assert menu["x"] >= 0
        assert menu["x"] + menu["width"] <= width
        assert menu["y"] + menu["height"] <= height
    least = 1.15 if width < 640 else 1.4
    assert all(large >= least * normal for normal, large in zip(*heights, strict=True)), heights
