"""Refusals of the API, asked for by the page's own fetch: an address that is none, and somebody who
has not signed in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.main import create_app
from tests.e2e.conftest import NewPage
from tests.e2e.scripted import DIST
from tests.support.http_server import served

FETCH = """path => fetch(path, {headers: {Accept: 'application/json'}}).then(async response => [
  response.status, response.headers.get('content-type'), await response.json()])"""
PROBLEM = "application/problem+json"


@pytest.fixture
def signing_in(dsn: str, tmp_path: Path) -> Iterator[str]:
    settings = Settings(
        data_dir=tmp_path, database_url=dsn, store="memory", web_dir=DIST, sign_in="local", generator_url="http://127.0.0.1:9/v1",
    )  # fmt: skip
    with Container(settings) as container, served(create_app(settings, container)) as address:
        yield address


def test_an_unknown_path_of_the_api_is_json_and_one_of_the_page_is_the_page(new_page: NewPage, url: str) -> None:
    page = new_page()
    page.goto(f"{url}/nergens")
    expect(page.get_by_role("heading", name="Er is niets op dit adres")).to_be_visible()
    for path in ("/api/nergens", "/api/documents/x/y/z"):
        status, kind, said = asked(page.evaluate(FETCH, path))
        assert (status, kind, said["code"]) == (404, PROBLEM, "not_found")


def test_who_shows_nothing_is_told_in_json_what_to_send_and_on_the_page_to_sign_in(
    new_page: NewPage, signing_in: str
) -> None:
    page = new_page()
    page.goto(signing_in)
    expect(page.get_by_label("Wachtwoord")).to_be_visible()
    status, kind, said = asked(page.evaluate(FETCH, "/api/documents"))
    assert (status, kind, said["code"]) == (401, PROBLEM, "not_signed_in")
    assert "Authorization: Bearer" in said["detail"]


def asked(found: list[Any]) -> tuple[int, str, dict[str, Any]]:
    status, kind, said = found
    return status, kind, said
