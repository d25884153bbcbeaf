"""An admin has another system told of changed documents: added, tried, seen to fail, and deleted,
in a real browser before the real API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.main import create_app
from rag_api.notify.sender import Sender
from tests.e2e.accessibility import faultless
from tests.e2e.conftest import NewPage, Serving
from tests.e2e.scripted import DIST
from tests.rag_api.notify.test_webhook import Receiver, receiver
from tests.support.world import empty, load

__all__ = ["receiver"]


@pytest.fixture
def container(dsn: str, tmp_path: Path) -> Iterator[Container]:
    settings = Settings(data_dir=tmp_path, database_url=dsn, store="memory", web_dir=DIST, webhook_http=True)
    with Container(settings) as made:
        sender = Sender(made, every=0.1)
        sender.start()
        yield made
        sender.stop()
        empty(made)
        made.db.run("truncate webhooks cascade")


def add(page: Page, words: tuple[str, str], url: str) -> None:
    address, button = words
    page.get_by_label(address).fill(url)
    page.get_by_role("button", name=button, exact=True).click()


def test_a_webhook_is_added_tried_and_deleted(
    new_page: NewPage, serving: Serving, container: Container, receiver: Receiver, tmp_path: Path
) -> None:
    page = new_page(bypass_csp=True)
    page.goto(f"{serving(create_app(container.settings, container))}/admin/webhooks")
    expect(page.get_by_text("Er wordt nog niets aan een ander systeem verteld.")).to_be_visible()
    words = ("Adres dat het hoort, per POST", "Voeg toe")
    add(page, words, "https://user:word@a.example/")
    expect(page.get_by_role("alert")).to_contain_text("zonder wachtwoord erin")
    add(page, words, receiver.url)
    expect(page.locator(".key-made input")).to_have_value(re.compile("^whsec_"))
    faultless(page)
    page.get_by_role("button", name="Ik heb").click()
    row = page.locator(".webhook")
    expect(row).to_contain_text("nog niets bezorgd")
    row.get_by_role("button", name="Stuur een test").click()
    expect(row.locator(".deliveries li")).to_contain_text("Test", timeout=60_000)
    expect(row.locator(".deliveries li")).to_contain_text("bezorgd", timeout=60_000)
    receiver.status = 503
    load(container, "val.pdf", "Na een val. Bel de wacht. ")
    expect(row.locator(".caution")).to_contain_text("503", timeout=60_000)
    expect(row.locator(".deliveries li").first).to_contain_text("Geladen: val.pdf")
    expect(row.locator(".deliveries li").first).to_contain_text("1 poging mislukt: 503")
    faultless(page)
    page.screenshot(path=tmp_path / "webhooks.png")
    assert [event for event, _ in receiver.events()] == ["test", "document.indexed"]
    row.get_by_role("button", name="Verwijder").click()
    row.get_by_role("button", name="Ja").click()
    expect(page.locator(".webhook")).to_have_count(0)


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (1920, "dark")])
def test_the_page_has_no_fault_in_english(
    new_page: NewPage,
    serving: Serving,
    container: Container,
    receiver: Receiver,
    width: int,
    scheme: str,
    tmp_path: Path,
) -> None:
    page = new_page(locale="en-GB", width=width, color_scheme=scheme, bypass_csp=True)
    page.goto(f"{serving(create_app(container.settings, container))}/admin/webhooks")
    add(page, ("Address that is told, by POST", "Add"), receiver.url + "/a-long-path" * 10)
    page.get_by_role("button", name="I have put it away").click()
    page.get_by_text("Deliveries").click()
    expect(page.get_by_text("Nothing was told yet.")).to_be_visible()
    faultless(page)
    page.screenshot(path=tmp_path / "webhooks.png", full_page=True)
