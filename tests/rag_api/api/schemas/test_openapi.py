"""The OpenAPI document is complete. That the running API keeps to it: test_openapi_rows.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema_rs import validator_for

from rag_api.config import Settings
from rag_api.main import create_app


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return create_app(Settings(web_dir=None)).openapi()


def operations(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method.upper()} {path}", found)
        for path, methods in document["paths"].items()
        for method, found in methods.items()
    ]


def test_every_operation_has_a_summary_an_id_and_its_errors(document: dict[str, Any]) -> None:
    found = operations(document)
    assert len(found) >= 11
    for name, operation in found:
        assert operation["summary"], name
        assert operation["operationId"].isidentifier(), name
        assert operation["tags"], name
        for status, response in operation["responses"].items():
            assert response["description"], (name, status)
            if status.startswith("4") and status != "416":
                assert response["content"]["application/problem+json"]["schema"] == {
                    "$ref": "#/components/schemas/Problem"
                }, (name, status)
    assert len({operation["operationId"] for _, operation in found}) == len(found)


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    known = set(document["components"]["schemas"])

    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from [value["$ref"]] if "$ref" in value else []
            value = list(value.values())
        for item in value if isinstance(value, list) else []:
            yield from references(item)

    assert {reference.rsplit("/", 1)[1] for reference in references(document)} <= known
    assert "HTTPValidationError" not in known


def test_what_a_text_of_a_request_must_look_like_is_said(document: dict[str, Any]) -> None:
    """What is refused and not said here is sent by whoever keeps to the document."""
    schemas = document["components"]["schemas"]

    def texts(value: Any, place: str, seen: frozenset[str] = frozenset()) -> Iterator[tuple[str, dict[str, Any]]]:
        if isinstance(value, list):
            for one in value:
                yield from texts(one, place, seen)
        if not isinstance(value, dict):
            return
        if value.get("type") == "string":
            yield place, value
        name = str(value.get("$ref", "")).rsplit("/", 1)[-1]
        if name and name not in seen:
            yield from texts(schemas[name], name, seen | {name})
        for field, one in value.get("properties", {}).items():
            yield from texts(one, f"{place}.{field}", seen)
        if "properties" not in value:  # else it says which of them go together
            yield from texts([value[part] for part in ("anyOf", "items") if part in value], place, seen)

    said = {"pattern", "enum", "const", "format", "contentMediaType"}
    bodies = [
        form["schema"]
        for _, one in operations(document)
        for form in one.get("requestBody", {}).get("content", {}).values()
    ]
    found = [text for body in bodies for text in texts(body, "")]
    assert len(found) > 20
    assert [place for place, text in found if not said & set(text)] == []


def test_the_streams_events_are_described(document: dict[str, Any]) -> None:
    stream = document["paths"]["/ask"]["post"]["responses"]["200"]["content"]["text/event-stream"]
    assert [event["properties"]["event"]["const"] for event in stream["schema"]["oneOf"]] == [
        "stage",
        "nearest",
        "found",
        "token",
        "cited",
        "done",
        "failed",
    ]
    assert stream["example"]


def test_examples_fit_their_schemas(document: dict[str, Any]) -> None:
    body = document["paths"]["/ask"]["post"]["requestBody"]["content"]["application/json"]
    validator = validator_for({**document["components"]["schemas"]["AskIn"], "components": document["components"]})
    assert len(body["examples"]) >= 2
    for example in body["examples"].values():
        validator.validate(example["value"])
