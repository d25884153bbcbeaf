"""Older answers, opened again: each says at its words what became of its document since."""

from __future__ import annotations

import re
from datetime import date

import pytest
from playwright.sync_api import Page, expect

from rag_api.api import schemas as s
from tests.e2e.accessibility import faultless_by_day_and_by_night
from tests.e2e.conftest import NewPage
from tests.e2e.scripted import TITLE, Script
from tests.e2e.test_states import ask, complete

NEWER = s.NewerOut(id="nieuw", title="Paracetamol bij kinderen (4)", language="nl")
WITHDRAWN = s.SinceOut(document_id="paracetamol-kind", title=TITLE, language="nl", withdrawn=True, newer=None)
REPLACED = WITHDRAWN.model_copy(update={"withdrawn": False, "newer": NEWER})
EXPIRED = WITHDRAWN.model_copy(update={"withdrawn": False, "expired_on": date(2026, 3, 1)})
REASON = "De dosis per kg klopt niet meer."
SAID = {
    "withdrawn": f"{TITLE}: Dit document is intussen ingetrokken.",
    "withdrawn for a reason": f"{TITLE}: Dit document is intussen ingetrokken: {REASON}",
    "replaced": f"{TITLE}: Dit document is intussen vervangen. Wat nu geldt: {NEWER.title}",
    "expired": f"{TITLE}: verlopen op 1 mrt 2026.",
}


def given_before(page: Page, script: Script, since: s.SinceOut, question: str = "rijtje") -> str:
    """Ask, and let this happen afterwards; return the answer's id."""
    ask(page, question)
    complete(page)
    expect(page.locator(".notice")).to_have_count(0)
    ((first,),) = script.conversations.values()
    script.conversations[first.conversation_id] = [first.model_copy(update={"since": [since]})]
    return first.id


def test_an_answer_that_stays_on_the_screen_says_within_minutes_that_its_document_was_withdrawn(
    new_page: NewPage, base_url: str, script: Script
) -> None:
    page = new_page()
    page.clock.install()
    page.goto(base_url)
    given_before(page, script, WITHDRAWN)
    page.clock.fast_forward("04:00")
    expect(page.locator(".notice.serious")).to_have_count(0)
    facts = page.locator(".card .facts").first
    expect(facts).to_contain_text("geldig")
    page.clock.fast_forward("02:00")
    expect(page.locator(".notice.serious")).to_have_text(SAID["withdrawn"])
    expect(page.get_by_role("alert").filter(has_text=SAID["withdrawn"])).to_have_count(1)
    expect(facts).not_to_contain_text("geldig")
    ((conversation, (given,)),) = script.conversations.items()
    script.conversations[conversation] = [given.model_copy(update={"since": []})]  # it was put back
    page.clock.fast_forward("06:00")
    expect(page.locator(".notice.serious")).to_have_count(0)
    expect(facts).to_contain_text("geldig")


@pytest.mark.parametrize("way", ["history", "link", "print"])
@pytest.mark.parametrize(
    ("what", "since"),
    [
        ("withdrawn", WITHDRAWN),
        ("withdrawn for a reason", WITHDRAWN.model_copy(update={"reason": REASON})),
        ("replaced", REPLACED),
        ("expired", EXPIRED),
    ],
)
def test_an_older_answer_says_what_became_of_its_document(
    new_page: NewPage, base_url: str, script: Script, way: str, what: str, since: s.SinceOut
) -> None:
    page = new_page()
    page.goto(base_url)
    answer = given_before(page, script, since)
    if way == "history":
        page.get_by_role("button", name="Nieuwe vraag").click()
        page.locator("summary", has_text="Eerder").click()
        page.get_by_role("button", name="rijtje", exact=True).click()
    else:
        page.goto(f"{base_url}/a/{answer}" if way == "link" else page.url)
        page.emulate_media(media="print" if way == "print" else "screen")
    told = page.locator(".notice.serious")
    expect(told).to_have_text(SAID[what])
    expect(told).to_be_visible()
    expect(told).to_have_css("font-size", "22px")
    if way != "print":
        expect(page.locator(".card .facts").first).not_to_contain_text("geldig")  # of a document that counts no more
        expect(page.locator(".made")).to_contain_text(re.compile(r"^Gevraagd op \d+ .*\d\d:\d\d:\d\d"))
        expect(page.locator(".made")).not_to_contain_text("sindsdien niet vervangen")
    box, words = told.bounding_box(), page.locator(".answer-text").bounding_box()
    assert box
    assert words
    assert box["y"] < words["y"]
    if way == "history":
        faultless_by_day_and_by_night(page)
    if what == "replaced" and way != "print":
        told.get_by_role("link", name=NEWER.title).click()
        expect(page).to_have_url(re.compile("/d/nieuw#page=1$"))


@pytest.mark.parametrize("since", [WITHDRAWN, REPLACED, EXPIRED], ids=["withdrawn", "replaced", "expired"])
def test_nothing_of_such_an_answer_is_ticked_off_or_dialled(
    new_page: NewPage, base_url: str, script: Script, since: s.SinceOut
) -> None:
    page = new_page()
    page.goto(base_url)
    given_before(page, script, since, "controles")
    acts = page.locator("a[href^='tel:'], .ticks button, .answer-text [type=checkbox]")
    page.get_by_role("button", name="Afvinken").click()
    expect(acts.first).to_be_visible()
    assert page.locator("a[href^='tel:']").count() > 0
    page.reload()  # its ticks are kept in this tab
    expect(page.locator(".notice.alarm")).to_be_visible()
    expect(page.get_by_text("toestel 4521")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(acts).to_have_count(0)
    faultless_by_day_and_by_night(page)


def test_a_reopened_answer_says_when_it_was_given_and_that_its_documents_still_count(
    new_page: NewPage, base_url: str
) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page, "rijtje")
    complete(page)
    expect(page.locator(".made")).not_to_contain_text("Gevraagd op")
    page.reload()
    told = re.compile(r"^Gevraagd op \d.*; de documenten zijn sindsdien niet vervangen of ingetrokken")
    expect(page.locator(".made")).to_contain_text(told)
    expect(page.locator(".card .facts").first).to_contain_text("geldig")
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)


def test_a_printed_answer_says_that_it_is_not_the_procedure_and_keeps_the_lines_of_its_table(
    new_page: NewPage, base_url: str
) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page, "breed")
    complete(page)
    page.set_viewport_size({"width": 640, "height": 900})
    expect(page.get_by_role("button", name="Druk af (enkel dit antwoord)")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator(".print-only").first).to_contain_text(": een uittreksel, niet de hele procedure.")
    right = "one => one.getBoundingClientRect().right"
    assert page.locator(".part-table").evaluate(right) < page.locator(".turns").evaluate(right)


def test_what_is_copied_from_such_an_answer_says_so_too(new_page: NewPage, base_url: str, script: Script) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(base_url)
    given_before(page, script, WITHDRAWN)
    page.reload()
    page.get_by_role("button", name="Antwoord kopiëren").click()
    expect(page.get_by_role("button", name="Gekopieerd")).to_be_visible()
    assert SAID["withdrawn"] in page.evaluate("navigator.clipboard.readText()")
