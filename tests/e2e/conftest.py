"""A browser for the session, a page for each test. A page that logged an error fails its test."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, expect, sync_playwright
from starlette.types import ASGIApp

from tests.e2e.browser import launch
from tests.e2e.scripted import DIST, Script, create_app
from tests.support.http_server import served

ROOT = Path(__file__).parents[2]
# on a busy machine a page is drawn late, and what is expected is waited for no longer than it takes
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    if not (DIST / "index.html").is_file():
        pytest.fail("web/dist is missing: run `npm run build` in web/ (or `make e2e`)")
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with launch(playwright) as found:
        yield found


@pytest.fixture(scope="session")
def policy() -> str:
    """The content security policy that nginx sends with the page: every test runs under it."""
    text = (ROOT / "nginx/templates/security.inc.template").read_text()
    found = re.search(r'Content-Security-Policy "([^"]+)"', text)
    assert found
    return found[1]


@pytest.fixture
def script() -> Script:
    return Script()


Serving = Callable[[ASGIApp], str]
NewPage = Callable[..., Page]


@pytest.fixture
def serving() -> Iterator[Serving]:
    """Serves apps, each at the address that it returns, until the test's pages are closed: what
    they still fetch must not fail."""
    with contextlib.ExitStack() as servers:
        yield lambda app: servers.enter_context(served(app))


@pytest.fixture
def base_url(script: Script, policy: str, serving: Serving) -> str:
    return serving(create_app(script, {"Content-Security-Policy": policy}))


@pytest.fixture
def new_page(browser: Browser, serving: Serving) -> Iterator[NewPage]:
    """Opens pages, each with an empty profile; `allowed` matches console errors that the test means
    to cause."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []
    allow: list[str] = ["Failed to load resource"]  # the browser's own words for every 4xx and 5xx

    def make(
        *, allowed: str = "", width: int = 1440, height: int = 900, locale: str = "nl-BE", **options: object
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, locale=locale, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        if allowed:
            allow.append(allowed)

        def console(message: ConsoleMessage) -> None:
            if message.type == "error":
                errors.append(message.text)

        page.on("console", console)
        page.on("pageerror", lambda error: errors.append(f"uncaught: {error}"))
        return page

    yield make
    for context in contexts:
        for page in context.pages:
            page.evaluate("0")  # what the page logged until now has come here by the time that this is answered
    wrong = [error for error in errors if not any(re.search(pattern, error) for pattern in allow)]
    for context in contexts:
        context.close()  # what was on its way then fails to come, which is no fault of the page
    assert wrong == []


def until(page: Page, true: str) -> None:
    """Look again and again until an expression is true. The page forbids what Playwright's own
    waiting does after its first look."""
    deadline = time.monotonic() + 60
    while not page.evaluate(true):
        assert time.monotonic() < deadline, true
        page.wait_for_timeout(50)
