"""Over the API: identity is stopped before it is stored, limits answer 429 with a time, and logs
hold no question."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from rag_api.api.limits import Admission, Buckets
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.people.accounts import add_account
from rag_api.domain import LOCAL_USER
from rag_api.main import create_app
from services.contract import logs
from tests.support.world import empty, load_hospital

QUESTION = "Hoeveel paracetamol krijgt Karel Dumoulin, geb. 17 juni 2019, 12 kg?"
MARKER = "Kwikstaartje"  # in everything that is asked, said and judged
NOWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def container(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"), database_url=dsn, store="memory", mode="sources",
        generator_url="http://127.0.0.1:9/v1", web_dir=tmp_path_factory.mktemp("no page"), sentence_vectors_mb=0,
    )  # fmt: skip
    with Container(settings) as made:
        empty(made)
        load_hospital(made)
        yield made


@pytest.fixture
def client(container: Container) -> Iterator[TestClient]:
    with TestClient(create_app(container.settings, container), raise_server_exceptions=False) as made:
        yield made


def stored(container: Container) -> list[str]:
    return [row["question"] for row in container.db.all("select question from answers")]


def test_a_question_with_a_name_is_stopped_and_nothing_is_stored(client: TestClient, container: Container) -> None:
    before = stored(container)
    for accept in ("application/json", "text/event-stream"):
        response = client.post("/ask", json={"question": QUESTION}, headers={"accept": accept})
        said = response.json()
        assert (response.status_code, said["code"]) == (422, "personal_data")
        assert [row["code"] for row in said["errors"]] == ["name", "birth_date"]
        assert said["errors"][0]["values"] == {"text": "Karel Dumoulin", "start": "27", "end": "41"}
        assert "Dumoulin" not in said["instead"]
        assert "12 kg" in said["instead"]
    assert stored(container) == before


def test_the_asker_may_take_it_out_or_keep_it(client: TestClient, container: Container) -> None:
    removed = client.post("/ask", json={"question": QUESTION, "personal_data": "remove"}).raise_for_status().json()
    assert "Dumoulin" not in removed["question"]
    assert " jaar]" in removed["question"], "the age stays"
    assert "identity_removed" in [notice["code"] for notice in removed["notices"]]
    assert removed["stats"]["personal_data"] == {"removed": ["name", "birth_date"], "kept": []}
    asked = client.post("/ask", json={"question": QUESTION, "personal_data": "keep"}).raise_for_status().json()
    assert asked["question"] == QUESTION
    assert asked["stats"]["personal_data"] == {"removed": [], "kept": ["name", "birth_date"]}
    assert "Dumoulin" not in "".join(question for question in stored(container) if question != QUESTION)


def test_where_the_hospital_refuses_nobody_may_keep_it(container: Container) -> None:
    strict = container.with_settings(container.settings.model_copy(update={"personal_data": "refuse"}))
    with TestClient(create_app(strict.settings, strict)) as client:
        response = client.post("/ask", json={"question": QUESTION, "personal_data": "keep"})
        assert (response.status_code, response.json()["code"]) == (422, "personal_data_refused")


TEAM, LEFT = "Vraag het aan Jan Peeters", "Vraag het aan […]"
# each route that keeps words of staff: the field that holds them, and what goes with it
WORDED: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {
    ("POST", "/answers/{answer_id}/feedback"): ("comment", {}),
    ("PUT", "/reviews/{answer_id}"): ("remark", {"verdict": "partly"}),
    ("PATCH", "/conversations/{conversation_id}"): ("title", {}),
    ("POST", "/documents/{document_id}/owner-questions"): ("text", {"kind": "question"}),
    ("POST", "/answers/{answer_id}/owner-questions"): ("text", {"to": "colleague"}),
    ("POST", "/owner-questions/{owner_question_id}/reply"): ("text", {"outcome": "answered"}),
    ("PUT", "/documents/{document_id}/review"): ("reason", {"next_review": "2999-01-01", "holds": False}),
    ("POST", "/documents/{document_id}/withdraw"): ("reason", {}),
    ("PUT", "/documents/{document_id}/withdrawal-reason"): ("reason", {}),
}


def kept(container: Container) -> set[str]:
    """What any table holds of what staff wrote."""
    tables = ("feedback", "reviews", "conversations", "owner_questions", "documents", "metadata_changes")
    return {row["row"] for table in tables for row in container.db.all(f"select t::text as row from {table} t")}


def test_nothing_is_left_out_of_what_staff_write_before_they_saw_it(client: TestClient, container: Container) -> None:
    answer = client.post("/ask", json={"question": "Hoeveel paracetamol bij 12 kg?"}).raise_for_status().json()
    document = {"document_id": answer["sources"][0]["document_id"]}
    owners = client.post(
        f"/documents/{document['document_id']}/owner-questions", json={"kind": "question", "text": "Nog zo?"}
    ).raise_for_status()
    add_account(container.db, LOCAL_USER, "A colleague", "colleague", "of no password", [], [])
    ids = {
        "answer_id": answer["id"], "conversation_id": answer["conversation_id"],
        "owner_question_id": owners.json()["question"]["id"], **document,
    }  # fmt: skip
    for (method, path), (field, more) in WORDED.items():
        send = partial(client.request, method, path.format(**ids))
        before = kept(container)
        for choice in ({}, {"personal_data": "stop"}):
            response = send(json={field: TEAM, **more, **choice})
            said = response.json()
            assert (response.status_code, said["code"], said["instead"]) == (422, "personal_data", LEFT), path
            assert said["errors"][0]["where"] == f"body.{field}"
        assert kept(container) == before, path
        send(json={field: TEAM, **more, "personal_data": "keep"}).raise_for_status()
        assert any(TEAM in row for row in kept(container) - before), path
        container.db.run("update documents set withdrawn_reason = ''")  # another route says it anew
        if not path.endswith(("/reply", "/withdraw")):  # once
            send(json={field: TEAM, **more, "personal_data": "remove"}).raise_for_status()
            assert any(LEFT in row for row in kept(container) - before), path


def test_every_route_that_takes_words_of_staff_is_tried(client: TestClient) -> None:
    made = client.app.openapi()  # type: ignore[attr-defined]
    taking = {
        name for name, model in made["components"]["schemas"].items() if "personal_data" in model.get("properties", {})
    }
    found = {
        (method.upper(), path)
        for path, methods in made["paths"].items()
        for method, operation in methods.items()
        if any(f'/{name}"' in json.dumps(operation.get("requestBody", {})) for name in taking)
    }
    assert found - set(WORDED) == {("POST", "/ask")}


def test_where_the_hospital_masks_questions_a_writer_sees_what_goes(container: Container) -> None:
    masking = container.with_settings(container.settings.model_copy(update={"personal_data": "mask"}))
    with TestClient(create_app(masking.settings, masking)) as client:
        answer = client.post("/ask", json={"question": "Hoeveel paracetamol bij 12 kg?"}).raise_for_status().json()
        path = f"/answers/{answer['id']}/feedback"
        response = client.post(path, json={"comment": TEAM, "personal_data": "keep"})
        assert (response.status_code, response.json()["code"]) == (422, "personal_data_refused")
        given = client.post(path, json={"comment": TEAM, "personal_data": "remove"}).raise_for_status()
        assert given.json()["comment"] == LEFT


def limited(client: TestClient, **limits: Any) -> None:
    state = client.app.state  # type: ignore[attr-defined]
    state.limits = replace(state.limits, **limits)


def measured(client: TestClient) -> dict[tuple[str, ...], float]:
    """Return what /metrics says of limits: by name, reason, and by what is counted. Read past the
    limits, which this counts too."""
    page = client.app.state.metrics.page().decode()  # type: ignore[attr-defined]
    said = re.findall(r"^(bedside_\w+)(?:\{by=\"(\w+)\",reason=\"(\w+)\"\})? ([0-9.]+)$", page, re.M)
    return {(name, reason, by): float(value) for name, by, reason, value in said}


def test_who_asks_too_often_hears_when_to_try_again(client: TestClient) -> None:
    limited(client, questions=Buckets(2, "questions"))
    body = {"question": "Wanneer is het restaurant open?"}
    found = [client.post("/ask", json=body) for _ in range(3)]
    assert [response.status_code for response in found] == [200, 200, 429]
    assert found[2].json()["code"] == "too_many_requests"
    assert 1 <= int(found[2].headers["retry-after"]) <= 30
    limited(client, requests=Buckets(1, "requests"))
    assert [client.get("/documents").status_code for _ in range(2)] == [200, 429]
    assert client.get("/health").status_code == 200, "whoever watches is not limited"
    assert measured(client)["bedside_limited_total", "questions", "address"] == 1
    assert measured(client)["bedside_limited_total", "requests", "address"] == 1


def test_when_too_many_ask_at_a_time_the_next_hears_when_to_try_again(client: TestClient, container: Container) -> None:
    limited(client, admission=Admission(at_once=1, waiting=0, patience=0.1))
    body = {"question": "Wanneer is het restaurant open?"}
    place = client.portal.call(client.app.state.limits.admission.enter)  # type: ignore[union-attr, attr-defined, call-arg]
    before = container.db.one("select count(*) as entries from audit_entries")
    busy = client.post("/ask", json=body)
    assert (busy.status_code, busy.json()["code"]) == (429, "too_busy")
    assert int(busy.headers["retry-after"]) >= 1
    assert measured(client)["bedside_limited_total", "waiting", "address"] == 1
    assert container.db.one("select count(*) as entries from audit_entries") == before, (
        "where hundreds are told so, writing it costs too much"
    )
    client.portal.call(place.leave)  # type: ignore[union-attr]
    assert [client.post("/ask", json=body).status_code for _ in range(2)] == [200, 200], (
        "each leaves its place to the next"
    )
    refused = client.post("/ask", json={"question": "Wat zegt Karel Dumoulin?"})
    assert refused.status_code == 422
    assert client.post("/ask", json=body).status_code == 200, "one that was refused leaves it too"


def bodies() -> list[Any]:
    """What to send: some of it is what a route wants, all of it is wrong for most."""
    question, csv = {"question": f"Waar woont {MARKER}?"}, {"csv": f"id\n{MARKER}"}
    return [question, {"question": MARKER * 300}, {"comment": MARKER}, {"found": MARKER}, MARKER, csv]


def test_no_route_logs_what_was_asked(
    client: TestClient, container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = io.StringIO()
    logs.configure("text")
    (handler,) = logging.getLogger().handlers
    monkeypatch.setattr(handler, "stream", log)
    answer = client.post("/ask", json={"question": f"Waar woont {MARKER}?"}).raise_for_status().json()
    client.post(
        "/ask", json={"question": f"Waar woont {MARKER}?", "mode": "answer"}, headers={"accept": "text/event-stream"}
    )
    client.put(
        "/judged/ronde/questions/1", json={"question": f"Waar woont {MARKER}?", "no_answer": True, "places": []}
    ).raise_for_status()
    ids = {"answer_id": answer["id"], "conversation_id": answer["conversation_id"], "name": "ronde", "question_id": "1"}
    reached = set()
    for path, methods in client.app.openapi()["paths"].items():  # type: ignore[attr-defined]
        for method, operation in methods.items():
            known = {
                part["name"]: ids.get(part["name"], NOWHERE)
                for part in operation.get("parameters", ())
                if part["in"] == "path"
            }
            for body in bodies() if method in ("post", "put", "patch") else [None]:
                if method == "delete":
                    continue
                client.request(method.upper(), path.format(**known), params={"q": MARKER, "search": MARKER}, json=body)
            reached.add(path)
    monkeypatch.setattr("rag_api.answering.ask.find", _fails)
    assert client.post("/ask", json={"question": f"Waar woont {MARKER}?"}).status_code == 500
    client.post("/ask", json={"question": f"Waar woont {MARKER}?"}, headers={"accept": "text/event-stream"})
    written = log.getvalue()
    assert len(reached) > 20
    assert "POST /ask" in written
    assert "RuntimeError" in written
    assert MARKER not in written
    assert not [
        line
        for path in Path(container.settings.data_dir).rglob("*.log")
        if MARKER in path.read_text()
        for line in [path]
    ]


def _fails(*_: Any) -> Any:
    raise RuntimeError(f"a bug that quotes the question: {MARKER}") from ValueError(MARKER)


def test_messages_of_exceptions_are_logged_at_debug_only() -> None:
    try:
        _fails()
    except RuntimeError as error:
        shown = (RuntimeError, error, error.__traceback__)
    assert MARKER not in logs.TextFormatter().formatException(shown)
    assert "builtins.RuntimeError" in logs.TextFormatter().formatException(shown)
    assert MARKER in logs.TextFormatter(messages=True).formatException(shown)
