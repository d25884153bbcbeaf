"""Guards against the wrong patient's dose, as they are seen: cautions, marked numbers, who asks,
and what is filtered."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import faultless_by_day_and_by_night
from tests.e2e.conftest import NewPage
from tests.e2e.scripted import Script
from tests.e2e.test_states import ask, complete


@pytest.fixture
def page(new_page: NewPage, base_url: str) -> Page:
    found = new_page()
    found.goto(base_url)
    return found


def test_a_source_for_other_patients_says_so_on_its_card_and_over_its_pages(page: Page) -> None:
    ask(page, "paracetamol bij een volwassene")
    complete(page)
    expect(page.locator(".notice.serious")).to_have_text(
        "Deze bronnen gaan over kinderen; de vraag noemt een volwassene."
    )
    card = page.locator(".card[data-document='weg'] .caution")
    expect(card).to_have_text(
        ["Dit document is voor kinderen; de vraag noemt een volwassene.", "Dit document is vervangen door Koorts (2)."]
    )
    expect(page.locator(".source .caution")).to_have_text(
        "Dit document is voor kinderen; de vraag noemt een volwassene."
    )


def test_the_document_that_a_refusal_names_opens_by_its_name_and_its_card_is_shown(page: Page) -> None:
    title = "Toedienen van geneesmiddelen langs de mond bij kinderen die niet kunnen slikken"
    ask(page, "zonder antwoord voor een volwassene")
    card = page.locator(".card[data-document='slikken']")
    expect(card.get_by_role("heading")).to_have_text(title)
    expect(page.locator(".card")).to_have_count(4)
    faultless_by_day_and_by_night(page)
    page.locator(".notice").get_by_role("link", name=title).click()
    expect(page.locator(".source-head")).to_contain_text(title)
    expect(card.locator(".card-place.open")).to_have_count(1)


def test_another_source_than_the_first_is_told_loudly(page: Page) -> None:
    ask(page, "elders")
    complete(page)
    notice = page.locator(".notice")
    expect(notice).to_contain_text("niet uit de eerste bron")
    expect(notice).to_have_css("border-left-width", "3px")
    faultless_by_day_and_by_night(page)


def test_a_source_without_cautions_shows_none(page: Page) -> None:
    ask(page)
    complete(page)
    expect(page.locator(".caution")).to_have_count(0)


def test_a_number_with_its_unit_that_the_service_found_in_no_source_is_marked_by_a_line_and_by_words(
    page: Page,
) -> None:
    ask(page, "geschreven antwoord")
    complete(page)
    expect(page.locator(".answer-text .unsupported")).to_have_text(["999 mg"])
    expect(page.locator(".answer-text .unsupported-word")).to_have_text(" (niet in de bron)")
    line = page.locator(".answer-text .unsupported").evaluate("e => getComputedStyle(e).textDecorationStyle")
    assert line == "dotted"


def test_who_asks_goes_with_every_question_and_is_remembered_for_nobody_else(page: Page, script: Script) -> None:
    page.locator(".scope > summary").click()
    page.get_by_label("Functie", exact=True).select_option("Kinderarts")
    page.get_by_role("group", name="Uw functie en dienst").get_by_label("Dienst").select_option("Pediatrie")
    page.locator(".scope-panel").get_by_role("button", name="Sluiten").click()
    expect(page.locator(".scope > summary")).to_be_focused()
    expect(page.locator(".scope > summary")).to_have_text("Kinderarts · Pediatrie")
    ask(page)
    complete(page)
    page.reload()
    expect(page.locator(".scope > summary")).to_have_text("Kinderarts · Pediatrie")
    ask(page, "nog een vraag")
    complete(page)
    assert [(body.function, body.department) for body in script.asked] == [("paediatrician", "Pediatrie")] * 2
    page.evaluate("localStorage.setItem('bedside.asker', 'somebody else\\npaediatrician\\nPediatrie')")
    page.reload()
    expect(page.locator(".scope > summary")).to_have_text("Functie en filters")


def test_a_filter_is_said_in_words_goes_with_the_question_and_is_forgotten_with_the_page(
    page: Page, script: Script
) -> None:
    page.locator(".scope > summary").click()
    page.get_by_label("Doelgroep").select_option("kinderen")
    page.get_by_label("Documenttype").select_option("protocol")
    page.get_by_label("Zoek ook in vervallen").check()
    page.keyboard.press("Escape")
    expect(page.locator(".scope > summary")).to_have_text("alleen kinderen, protocol · ook vervallen documenten")
    ask(page)
    complete(page)
    sent = script.asked[0].filters
    assert (sent.target_groups, sent.document_types, sent.include_expired) == (["child"], ["protocol"], True)
    page.reload()
    expect(page.locator(".scope > summary")).to_have_text("Functie en filters")


def test_on_a_phone_a_filter_is_said_in_words_that_are_not_cut_off(new_page: NewPage, base_url: str) -> None:
    page = new_page(width=360, height=740)
    page.goto(base_url)
    words = page.locator(".scope summary")
    cut = "one => one.scrollWidth > one.clientWidth"
    assert not words.evaluate(cut)
    words.click()
    page.get_by_label("Doelgroep").select_option("pregnancy")
    page.locator(".scope-panel").get_by_role("button", name="Sluit").click()  # a phone has no Escape
    expect(words).to_be_focused()
    expect(words).to_contain_text("alleen zwangerschap")
    assert not words.evaluate(cut)
    assert not page.locator(".mode select").evaluate(cut)


def test_the_filters_are_cleared_by_one_button(page: Page, script: Script) -> None:
    page.locator(".scope > summary").click()
    page.get_by_label("Taal").select_option("Engels")
    page.get_by_text("Wis de filters").click()
    page.keyboard.press("Escape")
    expect(page.locator(".scope > summary")).to_be_focused()
    expect(page.locator(".scope > summary")).to_have_text("Functie en filters")


@pytest.mark.parametrize("width", [1440, 390])
def test_accessibility_of_the_open_menu_and_of_cautions(new_page: NewPage, base_url: str, width: int) -> None:
    page = new_page(width=width)
    page.goto(base_url)
    ask(page, "geschreven volwassene")
    expect(page.locator(".made").first).to_be_visible()
    if width < 1024:
        page.keyboard.press("Escape")
    if width <= 640:  # the question box is folded away while one reads
        page.locator("#question").click()
    page.locator(".scope > summary").click()
    expect(page.get_by_label("Functie", exact=True)).to_be_visible()
    box = page.locator(".scope-panel").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert box["y"] >= 0
    faultless_by_day_and_by_night(page)
