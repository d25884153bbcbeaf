"""A downtime pack, made of files that the real pipeline read, opened from a folder that is only
read, and asked in the browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.main import create_app
from rag_api.upkeep.pack.making import PackOrder, make
from rag_api.upkeep.pack.manifest import read_private
from rag_api.upkeep.pack.opening import fill, looked_at, unpacked
from tests.conftest import new_database
from tests.e2e.conftest import NewPage
from tests.e2e.scripted import DIST
from tests.e2e.whole.conftest import DOSE
from tests.support.http_server import served


def silent(_: object) -> None:
    """Says nothing."""


@pytest.fixture
def pack(container: Container, tmp_path: Path) -> Path:
    folder = tmp_path / "pack"
    order = PackOrder(DIST, ("everyone",), 7, carry_runtime=False)
    make(container, folder, order, read_private(tmp_path / "pack.key"), silent, silent)
    for path in folder.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return folder


@pytest.fixture
def opened(pack: Path, postgres_server: str) -> Iterator[str]:
    """As start.sh serves it, on a database of the tests' own server."""
    manifest = looked_at(pack, None, silent)
    with new_database(postgres_server) as dsn, unpacked(pack, manifest, 0) as settings:
        own = settings.model_copy(update={"database_url": Settings(database_url=dsn).database_url})
        with Container(own) as container:
            fill(container, pack, manifest)
            container.start_generator()
            container.wait_for_generator()
            with served(create_app(own, container)) as address:
                yield address


def test_a_pack_answers_with_its_age_and_opens_the_source_at_the_words(
    new_page: NewPage, opened: str, pack: Path
) -> None:
    before = {path: path.stat().st_mtime_ns for path in pack.rglob("*")}
    page = new_page()
    page.goto(opened)
    expect(page.locator(".banner")).to_contain_text("Noodpakket van")
    page.locator("#question").fill(DOSE)
    page.keyboard.press("Enter")
    expect(page.locator(".turn .made")).to_be_visible(timeout=60_000)
    expect(page.locator(".turn")).to_contain_text("Noodpakket van")
    expect(page.locator(".turn")).to_contain_text("15 mg/kg")
    expect(page.locator(".highlight.current").first).to_be_in_viewport()
    expect(page.locator(".feedback")).to_have_count(0)
    assert {path: path.stat().st_mtime_ns for path in pack.rglob("*")} == before
