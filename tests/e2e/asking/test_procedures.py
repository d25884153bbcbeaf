"""The procedure finder, and the procedures at hand on the first page."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.accessibility import faultless, looks
from tests.e2e.conftest import NewPage
from tests.e2e.scripted import TITLE, Script, detail
from tests.e2e.test_states import ask, complete

WORDS = {
    "nl-BE": {
        "find": "Zoek een procedure",
        "one": "1 procedure",
        "star": "Favoriet",
        "favourites": "Uw favorieten",
        "related": "Gaat hier misschien ook over",
        "search": "In titel, bestandsnaam of eerste bladzijde",
        "last": "Laatst geopend",
    },
    "en-GB": {
        "find": "Find a procedure",
        "one": "1 procedure",
        "star": "Favourite",
        "favourites": "Your favourites",
        "related": "Perhaps also about this",
        "search": "In title, file name or first page",
        "last": "Opened last",
    },
}


def star(page: Page, locale: str = "nl-BE"):  # type: ignore[no-untyped-def]
    return page.get_by_role("button", name=f"{WORDS[locale]['star']}: {TITLE}")


@looks(1440, 390)
def test_the_finder_and_the_first_page_have_no_fault(
    new_page: NewPage, base_url: str, locale: str, scheme: str, width: int
) -> None:
    words = WORDS[locale]
    page = new_page(locale=locale, width=width, color_scheme=scheme)
    page.goto(base_url)
    page.get_by_role("link", name=words["find"]).click()
    expect(page.get_by_text(words["one"], exact=True)).to_be_visible()
    star(page, locale).click()
    expect(star(page, locale)).to_have_attribute("aria-pressed", "true")
    faultless(page)
    page.goto(base_url)
    expect(page.get_by_role("heading", name=words["favourites"])).to_be_visible()
    faultless(page)


def test_the_finder_asks_the_service_for_what_was_chosen(new_page: NewPage, base_url: str, script: Script) -> None:
    page = new_page()
    page.goto(f"{base_url}/procedures")
    expect(page.get_by_role("link", name=TITLE)).to_be_visible()
    page.get_by_label("In titel, bestandsnaam of eerste bladzijde").fill("para")
    page.get_by_label("Dienst").select_option("Pediatrie")
    page.get_by_label("Documenttype").select_option("protocol")
    page.get_by_label("Geldigheid").select_option("vervallen")
    expect(page.get_by_text("verlopen op 1 mrt 2024")).to_be_visible()
    wanted = {
        "search": "para",
        "department": "Pediatrie",
        "document_type": "protocol",
        "validity": "expired",
        "status": "indexed",
    }
    page.wait_for_timeout(600)  # the words are sent when their writer pauses
    assert wanted.items() <= script.looked_for[-1].items()
    script.empty = True
    page.get_by_label("Geldigheid").select_option("nog niet geldig")
    expect(
        page.get_by_text(
            "Er past geen procedure bij, naar titel, bestandsnaam of eerste bladzijde."
            " Probeer andere woorden of minder filters."
        )
    ).to_be_visible()


@pytest.mark.parametrize(("total", "shown"), [(51, 51), (75, 75), (76, 50)])
def test_the_last_few_procedures_stand_with_the_others(
    new_page: NewPage, base_url: str, total: int, shown: int
) -> None:
    page = new_page()

    def some(route: Route) -> None:
        asked = {
            name: int(value)
            for name, (value, *_) in parse_qs(urlsplit(route.request.url).query).items()
            if name in ("limit", "offset")
        }
        numbers = range(total)[asked.get("offset", 0) :][: asked["limit"]]
        found = [detail(f"d{number}").model_dump(mode="json") for number in numbers]
        route.fulfill(json={"documents": found, "total": total})

    page.route("**/api/documents?**", some)
    page.goto(f"{base_url}/procedures")
    rows = page.locator(".found-procedures .finder-row")
    expect(rows).to_have_count(shown)
    more = page.get_by_role("button", name="Toon meer")
    expect(more).to_have_count(int(total > shown))
    if total > shown:
        more.click()
        expect(rows).to_have_count(total)
    hrefs = rows.locator(".document-title").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert hrefs == [f"/d/d{number}#page=1" for number in range(total)]


@looks(1440, 320)
def test_what_is_about_the_words_and_does_not_hold_them_stands_below(
    new_page: NewPage, base_url: str, script: Script, locale: str, scheme: str, width: int
) -> None:
    words = WORDS[locale]
    script.related = ["sedatie"]
    page = new_page(locale=locale, width=width, color_scheme=scheme)
    page.goto(f"{base_url}/procedures")
    expect(page.get_by_text(words["one"], exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name=words["related"])).to_have_count(0)  # nothing is looked for
    page.get_by_label(words["search"]).fill("slaapmiddel")
    related = page.get_by_role("region", name=words["related"])
    expect(related.get_by_role("link", name=TITLE)).to_have_attribute("href", "/d/sedatie#page=1")
    faultless(page)
    validity = page.get_by_label("Geldigheid" if locale == "nl-BE" else "Validity")
    for wanted, count in (("expired", 0), ("valid", 1), ("upcoming", 0), ("", 1)):
        validity.select_option(wanted)
        expect(related).to_have_count(count)
    script.related = []
    page.get_by_label(words["search"]).fill("slaapmiddelen")
    expect(related).to_have_count(0)
    script.related, script.empty = ["sedatie"], True
    page.get_by_label(words["search"]).fill("slaap")
    expect(related).to_have_count(1)
    said = "; die hieronder gaan er misschien over." if locale == "nl-BE" else "; those below may be about it."
    expect(page.get_by_text(said)).to_be_visible()  # not that there is none


def test_where_nothing_can_be_found_by_meaning_the_list_stands_alone(
    new_page: NewPage, base_url: str, script: Script
) -> None:
    script.related = ["sedatie"]
    page = new_page()
    asked: list[str] = []

    def away(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(status=503)

    page.route("**/api/search?**", away)
    page.goto(f"{base_url}/procedures")
    page.get_by_label("In titel, bestandsnaam of eerste bladzijde").fill("slaapmiddel")
    page.get_by_label("Geldigheid").select_option("vandaag geldig")
    expect(page.get_by_role("link", name=TITLE)).to_have_count(1)
    page.wait_for_timeout(600)
    assert len(asked) == 1
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("region", name="Gaat hier misschien ook over")).to_have_count(0)


def test_a_procedure_is_opened_and_stands_on_the_first_page(new_page: NewPage, base_url: str, script: Script) -> None:
    page = new_page()
    page.goto(base_url)
    expect(page.get_by_role("link", name="Zoek een procedure")).to_be_visible()
    expect(page.get_by_role("heading", name="Laatst geopend")).to_have_count(0)
    page.get_by_role("link", name="Zoek een procedure").click()
    page.get_by_role("link", name=TITLE).click()
    expect(page.locator(".page[data-drawn=true]").first).to_be_visible()
    expect(page.locator(".source-status")).to_have_count(0)  # no words were asked for, so no place of theirs is missing
    page.goto(base_url)
    expect(page.get_by_role("heading", name="Laatst geopend")).to_be_visible()
    page.get_by_role("link", name=TITLE).click()
    star(page).click()
    page.goto(base_url)
    expect(page.get_by_role("heading", name="Uw favorieten")).to_be_visible()
    expect(page.get_by_role("heading", name="Laatst geopend")).to_have_count(0)  # it stands among the favourites
    script.unreadable.add("paracetamol-kind")
    page.reload()
    expect(page.get_by_role("link", name="Zoek een procedure")).to_be_visible()
    expect(page.get_by_role("heading", name="Uw favorieten")).to_have_count(0)
    kept = page.evaluate("localStorage.getItem('bedside.documents')")
    assert TITLE not in kept
    assert re.search("paracetamol-kind", kept)


def test_a_closed_document_leads_back_to_its_search_and_to_the_first_page_from_elsewhere(
    new_page: NewPage, base_url: str
) -> None:
    page = new_page()
    page.goto(f"{base_url}/procedures")
    page.get_by_label("In titel, bestandsnaam of eerste bladzijde").fill("para")
    page.get_by_label("Dienst").select_option("Pediatrie")
    page.get_by_role("link", name=TITLE).click()
    page.get_by_role("button", name="Sluit de bron").click()
    kept = f"{base_url}/procedures?search=para&department=Pediatrie"
    other = new_page()
    other.goto(kept)  # sent to a colleague
    for one in (page, other):
        expect(one).to_have_url(kept)
        expect(one.get_by_label("In titel, bestandsnaam of eerste bladzijde")).to_have_value("para")
        expect(one.get_by_label("Dienst")).to_have_value("Pediatrie")
    elsewhere = new_page()
    elsewhere.goto(f"{base_url}/procedures")
    elsewhere.goto(f"{base_url}/d/paracetamol-kind")  # typed, or from a mail
    elsewhere.get_by_role("button", name="Sluit de bron").click()
    expect(elsewhere).to_have_url(f"{base_url}/")


def test_a_source_of_an_answer_counts_as_opened_by_who_opens_it(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page)
    complete(page)
    page.locator(".answer-text .quote").first.click()
    page.get_by_role("button", name="Nieuwe vraag").click()
    expect(page.get_by_role("heading", name="Laatst geopend")).to_be_visible()
    expect(page.locator(".at-hand").get_by_role("link", name=TITLE)).to_be_visible()


def test_favourites_go_where_their_reader_goes(new_page: NewPage, base_url: str, script: Script) -> None:
    ward = new_page()
    ward.goto(f"{base_url}/procedures")
    star(ward).click()
    expect(star(ward)).to_have_attribute("aria-pressed", "true")
    other = new_page()  # another browser, which has kept nothing
    other.goto(base_url)
    expect(other.get_by_role("heading", name="Uw favorieten")).to_be_visible()
    other.goto(f"{base_url}/procedures")
    star(other).click()
    expect(star(other)).to_have_attribute("aria-pressed", "false")
    ward.goto(base_url)
    expect(ward.get_by_role("link", name="Zoek een procedure")).to_be_visible()
    expect(ward.get_by_role("heading", name="Uw favorieten")).to_have_count(0)
    assert script.favourites == []
