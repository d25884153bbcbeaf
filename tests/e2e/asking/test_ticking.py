"""A quoted list as a checklist with timers, and telephone numbers that are dialled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.e2e.accessibility import faultless, faultless_by_day_and_by_night, looks
from tests.e2e.asking.test_reading import TOUCHED
from tests.e2e.conftest import NewPage
from tests.e2e.test_states import ask

WORDS = {"nl-BE": {"tick": "Afvinken", "count": "1 van 4"}, "en-GB": {"tick": "Tick off", "count": "1 of 4"}}
STARTED = "2026-03-02T08:00:00Z"


def opened(page: Page, base_url: str, tick: str = "Afvinken") -> Page:
    page.goto(base_url)
    ask(page, "controles")
    page.get_by_role("button", name=tick).click()
    return page


@looks(1920, 320)
def test_a_checklist_has_no_fault(new_page: NewPage, base_url: str, locale: str, scheme: str, width: int) -> None:
    page = opened(
        new_page(locale=locale, width=width, color_scheme=scheme, has_touch=width == 320),
        base_url,
        WORDS[locale]["tick"],
    )
    page.get_by_role("checkbox").first.check()
    expect(page.locator(".ticked")).to_have_text(WORDS[locale]["count"])
    page.get_by_role("button", name="Timer: 10 seconden").click()
    expect(page.get_by_role("timer")).to_be_visible()
    faultless(page)
    if width == 320:
        boxes = '<input type="checkbox"'  # pressed by the whole of their label
        assert [one for one in page.evaluate(TOUCHED) if 'href="/"' not in one and boxes not in one] == []
        assert min(page.evaluate("[...document.querySelectorAll('.tick label')].map(one => one.offsetHeight)")) >= 44


def test_a_list_is_ticked_off_by_the_keyboard_and_begun_again(new_page: NewPage, base_url: str, tmp_path: Path) -> None:
    page = opened(new_page(), base_url)
    boxes = page.get_by_role("checkbox")
    expect(boxes).to_have_count(4)
    expect(page.get_by_text("Over een patiënt wordt niets bewaard.")).to_be_visible()
    boxes.first.focus()
    page.clock.set_fixed_time("2026-03-02T08:00:00Z")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.clock.set_fixed_time("2026-03-02T08:01:30Z")
    page.keyboard.press("Space")
    expect(page.locator(".ticked")).to_have_text("2 van 4")
    foot = page.locator(".ticks")
    expect(foot).to_contain_text(
        "Dit zijn de geciteerde stappen (Meteen doen:). De procedure kan er nog andere hebben,"
    )
    expect(foot).to_contain_text(re.compile(r"Aangevinkt tussen 2 mrt 2026, \d+:00:00 en 2 mrt 2026, \d+:01:30\."))
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"ticks-{width}.png")
    page.get_by_role("button", name="Open ze daar").click()
    expect(page.locator(".source")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Toon als lijst").click()
    expect(boxes).to_have_count(0)
    page.get_by_role("button", name="Afvinken").click()
    expect(page.locator(".ticked")).to_have_text("2 van 4")
    page.get_by_role("button", name="Begin opnieuw").click()
    expect(page.locator(".ticked")).to_have_text("0 van 4")
    expect(page.get_by_role("button", name="Toon als lijst")).to_be_focused()
    assert page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])").count("adrenaline") == 0


@pytest.mark.parametrize("width", [1366, 320])
def test_ticks_and_timers_last_as_long_as_the_tab(new_page: NewPage, base_url: str, width: int) -> None:
    page = opened(new_page(width=width), base_url)
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("checkbox").first.check()
    ask(page, "hoeveel paracetamol?")
    expect(page.locator(".made")).to_have_count(2)
    expect(page.locator(".ticked")).to_have_text("1 van 4")
    page.get_by_role("button", name="Timer: 5 min").click()
    address = page.url
    page.goto(f"{base_url}/procedures")
    expect(page.get_by_role("timer")).to_be_visible()
    expect(page.locator("header .timers .step")).to_contain_text("Meet de bloeddruk na 2 s")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.go_back()
    assert page.url == address
    for _ in range(2):
        expect(page.locator(".ticked")).to_have_text("1 van 4")
        expect(page.get_by_role("checkbox").first).to_be_checked()
        expect(page.get_by_role("timer")).to_be_visible()
        page.reload()
    page.evaluate("sessionStorage.clear()")  # as another tab begins
    page.reload()
    expect(page.get_by_role("button", name="Afvinken")).to_be_visible()
    expect(page.get_by_role("checkbox")).to_have_count(0)
    expect(page.get_by_role("timer")).to_have_count(0)


def test_a_timer_rings_on_another_page(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.clock.install(time=STARTED)
    opened(page, base_url)
    page.get_by_role("button", name="Timer: 10 seconden").click()
    page.evaluate("location.assign('/procedures')")
    expect(page.get_by_role("timer")).to_have_text(re.compile("^0:(10|0[5-9])$"))
    page.clock.fast_forward(11_000)
    expect(page.get_by_role("alert")).to_contain_text("10 seconden: de tijd is om")
    page.get_by_role("button", name="Klaar", exact=True).click()
    page.go_back()
    expect(page.get_by_role("button", name="Timer: 10 seconden")).to_be_visible()
    expect(page.locator(".timer-due")).to_have_count(0)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark"), (320, "light")])
def test_the_numbered_rows_of_a_table_are_ticked_off(
    new_page: NewPage, base_url: str, width: int, scheme: str, tmp_path: Path
) -> None:
    page = new_page(width=width, color_scheme=scheme, has_touch=width < 640)
    page.goto(base_url)
    ask(page, "stappentabel")
    expect(page.locator(".part-table tbody tr")).to_have_count(4)
    expect(page.get_by_role("checkbox")).to_have_count(0)
    page.get_by_role("button", name="Afvinken").click()
    boxes = page.locator(".part-table").get_by_role("checkbox")
    expect(boxes).to_have_count(4)
    page.get_by_role("checkbox", name=re.compile("^2. Meet de bloeddruk na 2 s .* Verpleegkundige$")).check()
    page.get_by_text("Geef adrenaline en noteer de tijd.").click()  # the whole row is pressed
    expect(page.locator(".ticked")).to_have_text("2 van 4")
    page.get_by_role("button", name="Timer: 5 min").click()
    expect(page.get_by_role("timer")).to_be_visible()
    expect(page.locator(".timers .step")).to_have_text(re.compile("^2. · Meet de bloeddruk na 2 s"))
    faultless(page)
    page.screenshot(path=tmp_path / "table.png", full_page=True)
    if width < 640:
        assert min(page.evaluate("[...document.querySelectorAll('.tick label')].map(one => one.offsetHeight)")) >= 44
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Toon als tabel").click()
    expect(boxes).to_have_count(0)
    page.get_by_role("button", name="Afvinken").click()
    expect(page.locator(".ticked")).to_have_text("2 van 4")


def test_a_table_of_doses_is_no_checklist(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.goto(base_url)
    with page.expect_response(re.compile("TickedTable")):
        ask(page, "rijtje")
    expect(page.locator(".part-table tbody tr")).to_have_count(1)
    expect(page.get_by_role("button", name="Afvinken")).to_have_count(0)


def test_a_timer_counts_and_says_when_its_time_is_up(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.clock.install(time=STARTED)
    opened(page, base_url)
    expect(page.get_by_role("button", name="Timer:")).to_have_text(["Timer: 5 min", "Timer: 10 seconden"])
    page.get_by_role("button", name="Timer: 5 min").click()
    expect(page.get_by_role("timer")).to_have_text("5:00")
    page.clock.run_for(61_000)
    expect(page.get_by_role("timer")).to_have_text("3:59")
    page.get_by_role("button", name="Nieuwe vraag").click()
    expect(page.get_by_role("timer")).to_have_text("3:59")  # it runs on
    page.clock.fast_forward(240_000)
    expect(page.get_by_role("alert")).to_contain_text(
        "5 min: de tijd is om Meet de bloeddruk na 2 s en daarna elke 5 min."
    )
    expect(page.get_by_role("timer")).to_have_count(0)
    page.get_by_role("button", name="Opnieuw: 5 min").click()
    expect(page.get_by_role("timer")).to_have_text("5:00")
    page.clock.fast_forward(301_000)
    page.get_by_role("button", name="Klaar", exact=True).click()
    expect(page.locator(".timer-due")).to_have_count(0)
    expect(page.get_by_role("timer")).to_have_count(0)


def test_a_timer_sounds_once_and_not_again_when_another_is_dismissed(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.add_init_script(
        "window.sounds = []; window.AudioContext = class extends AudioContext {"
        "constructor() { super(); this.at = window.sounds.push('sounds') - 1; }"
        "close() { window.sounds[this.at] = 'ended'; return super.close(); } }"
    )
    page.clock.install(time=STARTED)
    opened(page, base_url)
    page.get_by_role("button", name="Timer: 10 seconden").click()
    page.get_by_role("button", name="Timer: 5 min").click()
    page.clock.run_for(10_500)
    expect(page.locator(".timer-due")).to_have_count(1)
    assert page.evaluate("sounds") == ["sounds"]
    page.clock.fast_forward(290_000)
    expect(page.locator(".timer-due")).to_have_count(2)
    assert page.evaluate("sounds") == ["ended", "sounds"]  # another is due
    page.get_by_role("button", name="Klaar", exact=True).first.click()
    expect(page.locator(".timer-due")).to_have_count(1)
    assert len(page.evaluate("sounds")) == 2
    page.get_by_role("button", name="Klaar", exact=True).click()
    expect(page.locator(".timer-due")).to_have_count(0)
    assert page.evaluate("sounds") == ["ended", "ended"]
    page.get_by_role("button", name="Timer: 10 seconden").click()
    page.clock.run_for(10_500)
    expect(page.locator(".timer-due")).to_have_count(1)
    assert page.evaluate("sounds") == ["ended", "ended", "sounds"]


def test_a_page_with_a_timer_is_not_left_by_mistake(new_page: NewPage, base_url: str) -> None:
    page = opened(new_page(), base_url)
    page.get_by_role("button", name="Timer: 5 min").click()
    asked: list[str] = []

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    page.evaluate("location.assign('/procedures')")
    expect(page.get_by_role("timer")).to_be_visible()
    assert asked == []  # the timer goes along
    page.mouse.click(700, 600)  # without a gesture the browser never asks
    page.goto("about:blank")
    assert asked == ["beforeunload"]


def test_telephone_numbers_are_links_and_doses_are_not(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page, "controles")
    expect(page.get_by_role("button", name="Afvinken")).to_be_visible()
    numbers = page.locator("a[href^='tel:']")
    expect(numbers).to_have_count(2)
    assert [one.get_attribute("href") for one in numbers.all()] == ["tel:025550102", "tel:4521"]
    expect(page.get_by_role("link", name="Bel 02 555 01 02")).to_be_visible()
    assert page.evaluate("document.querySelectorAll('a a').length") == 0
    page.get_by_role("button", name="Afvinken").click()
    expect(page.get_by_role("link", name="4521")).to_have_attribute("href", "tel:4521")


def test_without_what_comes_later_a_list_is_still_a_list(new_page: NewPage, base_url: str) -> None:
    page = new_page(allowed="dynamically imported module|Failed to load")
    page.route(
        "**/assets/*.js",
        lambda route: (
            route.abort()
            if any(x in route.request.url for x in ("Checklist", "Dialled", "Timers"))
            else route.continue_()
        ),
    )
    page.goto(base_url)
    ask(page, "controles")
    expect(page.locator(".part-list li")).to_have_count(4)
    expect(page.get_by_text("toestel 4521")).to_be_visible()
    expect(page.get_by_role("button", name="Afvinken")).to_have_count(0)


def test_what_is_copied_has_the_list_and_not_its_buttons(new_page: NewPage, base_url: str) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    opened(page, base_url)
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.answer-text'))")
    page.keyboard.press("Control+c")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "Meet de bloeddruk opnieuw na 10 seconden." in copied
    assert "Toon als lijst" not in copied
    assert "Vinkjes" not in copied


def test_where_no_timer_can_be_shown_none_is_offered(new_page: NewPage, base_url: str) -> None:
    page = new_page(allowed="Timers|Failed to load resource|dynamically imported")
    page.route("**/assets/Timers-*.js", lambda route: route.abort())
    opened(page, base_url)
    expect(page.get_by_role("checkbox")).to_have_count(4)
    expect(page.get_by_role("button", name="Timer: ")).to_have_count(0)
