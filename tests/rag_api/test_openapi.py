"""The OpenAPI document is complete, and the running API keeps to it for requests that nobody would write by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
import schemathesis
from jsonschema_rs import validator_for
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.guard.personal import warm as read_name_lists
from rag_api.main import create_app
from tests.support.http_server import served
from tests.support.scripted_server import scripted_server
from tests.support.world import empty, load_hospital

EXAMPLES = 8  # per operation


@pytest.fixture(scope="module")
def url(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    read_name_lists()  # else a thread does while schemathesis parses: pytest parses these by ast, which two threads at once break in 3.11
    with scripted_server() as server:
        settings = Settings(
            data_dir=tmp_path_factory.mktemp("data"),
            database_url=dsn,
            store="memory",
            generator_url=server.url,
            web_dir=tmp_path_factory.mktemp("no page"),
        )
        with Container(settings) as container:
            load_hospital(container)
            with served(create_app(settings, container)) as address:
                yield address
            empty(container)


schema = schemathesis.openapi.from_dict(create_app(Settings()).openapi())


@schema.parametrize()
@hypothesis.settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(hypothesis.HealthCheck)
)
def test_the_api_keeps_to_its_document(case: schemathesis.Case[Any], url: str) -> None:
    """No server errors; only documented statuses, media types and shapes; bad requests refused, good ones accepted."""
    # A multipart part is text whatever is put into it: "a file that is an object" cannot be sent, so it cannot be refused.
    unsendable: list[Any] = [negative_data_rejection] if case.operation.label == "POST /documents" else []
    # What a CSV must hold, no schema of the text around it says.
    undescribed = [positive_data_acceptance] if case.operation.label == "POST /judged/{name}/csv" else []
    case.call_and_validate(base_url=f"{url}/api", excluded_checks=unsendable + undescribed, timeout=60)


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return create_app(Settings(web_dir=None)).openapi()


def operations(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(f"{method.upper()} {path}", found) for path, methods in document["paths"].items() for method, found in methods.items()]


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
                assert response["content"]["application/problem+json"]["schema"] == {"$ref": "#/components/schemas/Problem"}, (name, status)
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


def test_the_streams_events_are_described(document: dict[str, Any]) -> None:
    stream = document["paths"]["/ask"]["post"]["responses"]["200"]["content"]["text/event-stream"]
    assert list(stream["schema"]["x-events"]) == ["stage", "found", "token", "cited", "done", "failed"]
    assert stream["example"]


def test_examples_fit_their_schemas(document: dict[str, Any]) -> None:
    body = document["paths"]["/ask"]["post"]["requestBody"]["content"]["application/json"]
    validator = validator_for({**document["components"]["schemas"]["AskIn"], "components": document["components"]})
    assert len(body["examples"]) >= 2
    for example in body["examples"].values():
        validator.validate(example["value"])
