"""Function and department of who asks: from the request, else from a proxy's headers where the settings name them; always stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from rag_api.config import Settings
from rag_api.container import Parts
from rag_api.main import create_app
from tests.support.world import empty, load_hospital

HEADERS = {"X-Function": "Kinderverpleegkundige", "X-Department": "P%C3%A9diatrie"}


@pytest.fixture
def parts(settings: Settings) -> Iterator[Parts]:
    with Parts(settings) as made:
        load_hospital(made)
        yield made
        empty(made)


def asker(parts: Parts, settings: Settings, headers: dict[str, str], **body: Any) -> tuple[str, str]:
    """(function, department) as they were stored with the answer."""
    with TestClient(create_app(settings, parts), base_url="http://test/api", headers=headers) as client:
        reply = client.post("/ask", json={"question": "paracetamol kind", "mode": "sources", **body})
    assert reply.status_code == 200, reply.text
    row = parts.db.one("select function, department from answers where id = %(id)s", {"id": reply.json()["id"]})
    assert row is not None
    return row["function"], row["department"]


def test_the_request_says_who_asks(parts: Parts, settings: Settings) -> None:
    assert asker(parts, settings, {}, function="paediatrician", department="Pediatrie") == ("paediatrician", "Pediatrie")
    assert asker(parts, settings, {}) == ("", "")


def test_headers_count_only_when_the_settings_name_them(parts: Parts, settings: Settings) -> None:
    assert asker(parts, settings, HEADERS) == ("", "")
    named = settings.model_copy(update={"function_header": "x-function", "department_header": "X-Department"})
    assert asker(parts, named, HEADERS) == ("Kinderverpleegkundige", "Pédiatrie")
    assert asker(parts, named, {}) == ("", "")


def test_what_the_request_says_counts_before_the_headers(parts: Parts, settings: Settings) -> None:
    named = settings.model_copy(update={"function_header": "x-function", "department_header": "x-department"})
    assert asker(parts, named, HEADERS, function="midwife") == ("midwife", "Pédiatrie")


@pytest.mark.parametrize("value", ["x" * 5000, "", "   ", "%00", "a%00b", "%ff%fe"])
def test_a_strange_header_is_no_error(parts: Parts, settings: Settings, value: str) -> None:
    named = settings.model_copy(update={"function_header": "x-function"})
    function, _ = asker(parts, named, {"x-function": value})
    assert len(function) <= 200
