"""Two Enters, a double click or two taps of a hurried hand: what they send goes once."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import NewPage
from tests.e2e.scripted import TITLE, Script
from tests.e2e.test_states import QUESTION, ask, complete

STOPPED = "Het antwoord is gestopt; wat er al stond, staat hieronder."


@pytest.fixture
def page(new_page: NewPage, base_url: str) -> Page:
    found = new_page(has_touch=True)
    found.goto(base_url)
    return found


def tap_twice(button: Locator) -> None:
    box = button.bounding_box()
    assert box
    for _ in range(2):
        button.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


@pytest.mark.parametrize("by", ["Enter", "mouse", "finger"])
def test_a_question_is_asked_once_and_goes_on(page: Page, script: Script, by: str) -> None:
    ask(page, "rijtje")
    complete(page)
    page.locator("#question").fill(QUESTION)
    send = page.get_by_role("button", name="Vraag", exact=True)
    if by == "Enter":
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
    elif by == "mouse":
        send.dblclick()
    else:
        tap_twice(send)
    expect(page.locator(".made")).to_have_count(2)
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.get_by_text(STOPPED)).to_have_count(0)
    assert [one.question for one in script.asked] == ["rijtje", QUESTION]


def test_the_second_click_of_a_double_one_does_not_stop_the_answer_and_one_press_does(
    new_page: NewPage, base_url: str
) -> None:
    page = new_page(width=800)  # where no source beside it moves the button
    page.goto(base_url)
    ask(page, "rijtje")
    expect(page.locator(".made")).to_be_visible()
    page.locator("#question").fill("traag antwoord")
    page.get_by_role("button", name="Vraag", exact=True).click()
    stop = page.get_by_role("button", name="Stop", exact=True)
    expect(stop).to_be_visible()  # where the question was sent
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    stop.click()
    expect(page.get_by_text(STOPPED)).to_be_visible()


def test_the_question_for_one_patient_is_asked_once(page: Page, script: Script) -> None:
    ask(page, "tweeling")
    complete(page)
    page.locator(".for-whom").get_by_role("button", name="kind", exact=True).evaluate(
        "one => [one.click(), one.click()]"
    )
    expect(page.locator(".made")).to_have_count(2)
    expect(page.locator(".turn")).to_have_count(2)
    assert [one.question for one in script.asked] == ["tweeling", "tweeling bij een kind"]


def test_a_verdict_is_sent_once(page: Page, script: Script) -> None:
    ask(page)
    complete(page)
    yes = page.locator(".feedback").get_by_role("button", name="ja", exact=True)
    yes.dblclick()
    expect(yes).to_have_attribute("aria-pressed", "true")
    yes.click()
    held = page.locator(".feedback").get_by_role("button", name="1", exact=False).first
    held.dblclick()
    expect(held).to_have_attribute("aria-pressed", "true")
    assert [(one.get("found"), one.get("document_id")) for one in script.said] == [
        ("yes", None),
        (None, "paracetamol-kind"),
    ]


def test_that_no_procedure_says_it_is_sent_once(page: Page, script: Script) -> None:
    ask(page, "vraag zonder antwoord")
    tell = page.get_by_role("button", name="Geen enkele procedure zegt dit")
    tell.dblclick()
    expect(tell).to_have_count(0)
    assert [one["missing"] for one in script.said] == ["document"]


@pytest.mark.parametrize("by", ["mouse", "finger"])
def test_a_question_to_an_owner_is_sent_once(page: Page, script: Script, by: str) -> None:
    ask(page)
    complete(page)
    page.get_by_role("button", name=f"Vraag de eigenaar of meld een fout: {TITLE}").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Wat wilt u vragen of melden?").fill("De hoogste dosis is 75 mg/kg.")
    send = dialog.get_by_role("button", name="Verstuur")
    if by == "mouse":
        send.dblclick()
    else:
        tap_twice(send)
    expect(dialog.get_by_role("status").first).to_contain_text("Uw melding is verstuurd aan Apotheek.")
    assert len(script.to_owners) == 1
