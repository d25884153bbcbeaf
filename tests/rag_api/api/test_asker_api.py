"""Function and department of who asks: from the request, else from a proxy's headers where the
settings name them; always stored."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.main import create_app

pytestmark = pytest.mark.usefixtures("documents")

HEADERS = {"X-Function": "Kinderverpleegkundige", "X-Department": "P%C3%A9diatrie"}


def asker(container: Container, settings: Settings, headers: dict[str, str], **body: Any) -> tuple[str, str]:
    """(function, department) as they were stored with the answer."""
    with TestClient(create_app(settings, container), base_url="http://test/api", headers=headers) as client:
        reply = client.post("/ask", json={"question": "paracetamol kind", "mode": "sources", **body})
    assert reply.status_code == 200, reply.text
    row = container.db.one("select function, department from answers where id = %(id)s", {"id": reply.json()["id"]})
    assert row is not None
    return row["function"], row["department"]


def test_the_request_says_who_asks(container: Container, settings: Settings) -> None:
    assert asker(container, settings, {}, function="paediatrician", department="Pediatrie") == (
        "paediatrician",
        "Pediatrie",
    )
    assert asker(container, settings, {}) == ("", "")


def test_headers_count_only_when_the_settings_name_them(container: Container, settings: Settings) -> None:
    assert asker(container, settings, HEADERS) == ("", "")
    named = settings.model_copy(update={"function_header": "x-function", "department_header": "X-Department"})
    assert asker(container, named, HEADERS) == ("Kinderverpleegkundige", "Pédiatrie")
    assert asker(container, named, {}) == ("", "")


def test_what_the_request_says_counts_before_the_headers(container: Container, settings: Settings) -> None:
    named = settings.model_copy(update={"function_header": "x-function", "department_header": "x-department"})
    assert asker(container, named, HEADERS, function="midwife") == ("midwife", "Pédiatrie")


@pytest.mark.parametrize("value", ["x" * 5000, "", "   ", "%00", "a%00b", "%ff%fe"])
def test_a_strange_header_is_no_error(container: Container, settings: Settings, value: str) -> None:
    named = settings.model_copy(update={"function_header": "x-function"})
    function, _ = asker(container, named, {"x-function": value})
    assert len(function) <= 200
