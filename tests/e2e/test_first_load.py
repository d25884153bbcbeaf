"""The first load of the page, before the first question: little, and the words of one language
alone."""

from __future__ import annotations

import gzip
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import NewPage, until
from tests.e2e.scripted import DIST

LONGEST = 120_000  # bytes, packed by gzip
TITLES = {"nl-BE": "Wat wilt u weten?", "en-GB": "What do you need to know?"}
PAINT = "first-contentful-paint"
LABELS = {"nl-BE": "Show the page in English", "en-GB": "Toon de pagina in het Nederlands"}


def fetched(page: Page) -> list[str]:
    """The paths of all files of the page that are fetched from now on."""
    paths: list[str] = []
    page.on("request", lambda request: paths.append(urlsplit(request.url).path))
    return paths


def words(paths: list[str]) -> list[str]:
    """Those that hold a whole catalogue: it is known by a sentence of its own."""
    said = {"nl": "Sneltoetsen", "en": "Keyboard shortcuts"}
    return [
        language
        for path in paths
        if path.endswith(".js") and (file := DIST / path.lstrip("/")).is_file()
        for language, words in said.items()
        if words in file.read_text("utf-8")
    ]


def is_viewer(path: str) -> bool:
    """It comes while a question is typed."""
    return "/pdf" in path or "/SourcePane" in path


def packed(path: str) -> int:
    file = DIST / (path.lstrip("/") or "index.html")
    return len(gzip.compress(file.read_bytes(), 6)) if Path(file).is_file() else 0


@pytest.mark.parametrize("locale", TITLES)
def test_the_page_is_small_and_brings_one_language(new_page: NewPage, base_url: str, locale: str) -> None:
    page = new_page(locale=locale)
    paths = fetched(page)
    page.goto(base_url)
    expect(page.get_by_role("heading", name=TITLES[locale])).to_be_visible()
    expect(page.locator(".example")).to_be_visible()
    first = [path for path in paths if not is_viewer(path)]
    sizes = {path: packed(path) for path in first}
    assert sum(sizes.values()) <= LONGEST, sizes
    assert words(first) == [locale[:2]]


@pytest.mark.parametrize("locale", TITLES)
def test_nothing_is_drawn_before_its_words_are_here(new_page: NewPage, base_url: str, locale: str) -> None:
    page = new_page(locale=locale)
    held: list[Route] = []

    def hold(route: Route) -> None:
        if words([urlsplit(route.request.url).path]):
            held.append(route)
        else:
            route.continue_()

    page.route("**/assets/*.js", hold)
    with page.expect_response("**/api/session"):  # asked meanwhile, not afterwards
        page.goto(base_url, wait_until="commit")
    assert len(held) == 1
    assert page.locator("#root").inner_text() == ""
    held[0].continue_()
    expect(page.get_by_role("heading", name=TITLES[locale])).to_be_visible()


def test_the_viewer_is_asked_for_after_the_first_paint(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    paths = fetched(page)
    held: list[Route] = []
    page.route(
        "**/assets/*.js",
        lambda route: held.append(route) if words([urlsplit(route.request.url).path]) else route.continue_(),
    )
    with page.expect_response("**/api/session"):
        page.goto(base_url, wait_until="commit")
    page.evaluate("new Promise(resolve => requestIdleCallback(() => setTimeout(resolve)))")
    assert held
    assert [path for path in paths if is_viewer(path)] == []
    held[0].continue_()
    until(page, f"performance.getEntriesByName('{PAINT}').length > 0")
    until(page, "performance.getEntriesByType('resource').some(one => /.pdf/.test(one.name))")
    painted = page.evaluate(f"performance.getEntriesByName('{PAINT}')[0].startTime")
    asked = page.evaluate("performance.getEntriesByType('resource').map(one => [one.name, one.startTime])")
    assert [name for name, at in asked if is_viewer(urlsplit(name).path) and at < painted] == []


@pytest.mark.parametrize("locale", TITLES)
def test_the_other_language_comes_when_it_is_chosen(new_page: NewPage, base_url: str, locale: str) -> None:
    other = next(one for one in TITLES if one != locale)
    page = new_page(locale=locale)
    paths = fetched(page)
    page.goto(base_url)
    page.locator("#question").fill("hoeveel paracetamol?")
    page.get_by_role("button", name=LABELS[locale]).click()
    expect(page.get_by_role("heading", name=TITLES[other])).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", other[:2])
    expect(page.locator("#question")).to_have_value("hoeveel paracetamol?")
    assert words(paths) == [locale[:2], other[:2]]
    page.get_by_role("button", name=LABELS[other]).click()
    expect(page.get_by_role("heading", name=TITLES[locale])).to_be_visible()
    assert words(paths) == [locale[:2], other[:2]]  # once


def test_a_language_that_cannot_be_fetched_is_said_and_the_page_stays(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.goto(base_url)
    expect(page.get_by_role("heading", name=TITLES["nl-BE"])).to_be_visible()
    page.route("**/assets/*.js", lambda route: route.abort())
    page.get_by_role("button", name=LABELS["nl-BE"]).click()
    expect(page.get_by_role("alert")).to_have_text(
        "De andere taal kon niet geladen worden: controleer het netwerk en laad de pagina opnieuw."
    )
    expect(page.get_by_role("heading", name=TITLES["nl-BE"])).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "nl")
    page.unroute("**/assets/*.js")
    page.reload()
    page.get_by_role("button", name=LABELS["nl-BE"]).click()
    expect(page.get_by_role("heading", name=TITLES["en-GB"])).to_be_visible()


def test_a_page_without_any_words_says_so(new_page: NewPage, base_url: str) -> None:
    page = new_page(allowed="Failed to fetch dynamically imported module")
    page.route(
        "**/assets/*.js",
        lambda route: route.abort() if words([urlsplit(route.request.url).path]) else route.continue_(),
    )
    page.goto(base_url)
    expect(page.get_by_role("alert")).to_have_text(
        "Er ging iets mis: laad de pagina opnieuw. / Something went wrong: load the page again."
    )


def test_a_staff_page_speaks_both_languages(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.goto(f"{base_url}/admin/documents")
    expect(page.get_by_text("In titel, bestandsnaam of eerste bladzijde")).to_be_visible()
    page.get_by_role("button", name=LABELS["nl-BE"]).click()
    expect(page.get_by_text("In title, file name or first page")).to_be_visible()
    expect(page.get_by_text("In titel, bestandsnaam of eerste bladzijde")).not_to_be_visible()
