"""The page of a downtime pack: how old it is, in either language; nothing is asked of its reader;
after its last day it says so."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from rag_api.api.schemas.people.accounts import PackOut
from tests.e2e.accessibility import faultless_by_day_and_by_night
from tests.e2e.conftest import NewPage
from tests.e2e.scripted import Script
from tests.e2e.test_states import ask, complete

WORDS = {"nl-BE": ("Noodpakket van", "antwoordt niet meer"), "en-GB": ("Downtime pack of", "answers no more")}


def of_days(made: int, until: int) -> PackOut:
    now = datetime.now(UTC)
    return PackOut(made_at=now + timedelta(days=made), valid_until=now + timedelta(days=until))


@pytest.mark.parametrize("locale", WORDS)
def test_its_age_stands_on_top_and_no_feedback_is_asked(
    script: Script, new_page: NewPage, base_url: str, locale: str
) -> None:
    script.pack = of_days(-1, 6)
    page = new_page(locale=locale)
    page.goto(base_url)
    banner = page.locator(".banner")
    expect(banner).to_contain_text(WORDS[locale][0])
    expect(banner).to_contain_text(re.compile(r"\d{1,2}[^\d]+20\d\d"))
    ask(page, "rijtje")
    complete(page)
    expect(page.locator(".made")).to_be_visible()
    expect(page.locator(".card").first).to_be_visible()
    expect(page.locator(".feedback")).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile("eigenaar|owner", re.IGNORECASE))).to_have_count(0)
    faultless_by_day_and_by_night(page)


def test_on_a_machine_without_a_network_it_answers_and_says_its_age_all_the_same(
    script: Script, new_page: NewPage, base_url: str
) -> None:
    script.pack = of_days(-1, 6)
    page = new_page()
    page.add_init_script("Object.defineProperty(navigator, 'onLine', { get: () => false })")
    page.goto(base_url)
    assert page.evaluate("navigator.onLine") is False
    expect(page.locator(".banner")).to_contain_text("Noodpakket van")
    ask(page, "rijtje")
    complete(page)
    expect(page.locator(".card").first).to_be_visible()


@pytest.mark.parametrize(
    ("locale", "said"), {"nl-BE": "geen tweede model", "en-GB": "without the second reader"}.items()
)
def test_without_the_model_that_must_agree_it_says_so(
    script: Script, new_page: NewPage, base_url: str, locale: str, said: str
) -> None:
    script.pack = of_days(-1, 6)
    page = new_page(locale=locale)
    page.goto(base_url)
    banner = page.locator(".banner")
    expect(banner).to_contain_text(WORDS[locale][0])
    expect(banner).not_to_contain_text(said)
    script.pack = script.pack.model_copy(update={"without_reader": True})
    page.reload()
    expect(banner).to_contain_text(said)


@pytest.mark.parametrize("locale", WORDS)
def test_after_its_last_day_it_says_so(script: Script, new_page: NewPage, base_url: str, locale: str) -> None:
    script.pack = of_days(-8, -1)
    page = new_page(locale=locale)
    page.goto(base_url)
    expect(page.locator(".banner.serious")).to_contain_text(WORDS[locale][1])


def test_a_clock_before_it_was_made_is_named(script: Script, new_page: NewPage, base_url: str) -> None:
    script.pack = of_days(1, 8)
    page = new_page()
    page.goto(base_url)
    expect(page.locator(".banner.serious")).to_contain_text("De klok van deze PC staat verkeerd")


def test_elsewhere_its_reader_is_asked(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page, "rijtje")
    complete(page)
    expect(page.locator(".feedback")).to_be_visible()
    expect(page.locator(".banner")).not_to_contain_text("Noodpakket")
