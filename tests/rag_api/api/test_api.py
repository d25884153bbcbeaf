"""The HTTP API over a real port: JSON, streams, files, errors and headers."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import re
import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from docx import Document as Docx
from fastapi.testclient import TestClient
from reportlab.pdfgen.canvas import Canvas

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.owners.named import put_owner
from rag_api.db.questions.answers import answers_of
from rag_api.domain import LOCAL_USER, Document, TargetGroup
from rag_api.main import create_app
from tests.support.http_server import served
from tests.support.scripted_server import Scripted, piece, quote
from tests.support.waiting import until
from tests.support.world import DOUBTFUL, empty, load, load_hospital

DUTCH = "Hoeveel paracetamol mag een kind van 12 kg?"
UNANSWERABLE = "Welke vlag hangt er op het stadhuis van Ieper?"
NOWHERE = "00000000-0000-4000-8000-000000000000"
STREAM = {"accept": "text/event-stream"}


@pytest.fixture(scope="module")
def container(dsn: str, scripted: Scripted, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    web = tmp_path_factory.mktemp("web")
    (web / "index.html").write_text("<!doctype html><title>Bedside</title>")
    (web / "assets").mkdir()
    (web / "assets" / "index-abc.js").write_text("export {}")
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"),
        database_url=dsn,
        store="memory",
        generator_url=scripted.url,
        max_file_mb=0.2,
        web_dir=web,
    )
    with Container(settings) as made:
        yield made


@pytest.fixture(scope="module")
def url(container: Container) -> Iterator[str]:
    with served(create_app(container.settings, container)) as address:
        yield address


@pytest.fixture
def client(url: str, scripted: Scripted) -> Iterator[httpx.Client]:
    scripted.script, scripted.status = quote, 200
    scripted.requests.clear()
    scripted.hung_up.clear()
    with httpx.Client(base_url=url, timeout=30) as made:
        yield made


@pytest.fixture
def documents(container: Container) -> Iterator[dict[str, Document]]:
    yield load_hospital(container)
    empty(container)


def events(response: httpx.Response) -> list[tuple[str, dict[str, Any]]]:
    blocks = [block for block in response.text.split("\n\n") if block and not block.startswith(":")]
    found = []
    for block in blocks:
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def is_problem(response: Any, status: int, code: str) -> dict[str, Any]:
    assert (response.status_code, response.headers["content-type"]) == (status, "application/problem+json")
    body: dict[str, Any] = response.json()
    assert (body["status"], body["code"]) == (status, code)
    assert body["title"]
    assert body["detail"]
    return body


def test_a_question_is_answered_as_json(client: httpx.Client, documents: dict[str, Document]) -> None:
    body = client.post("/ask", json={"question": DUTCH}).raise_for_status().json()
    assert body["status"] == "answered"
    assert [body["answer"][span["start"] : span["end"]] for span in body["spans"]] == [
        span["text"] for span in body["spans"]
    ]
    assert body["spans"][0]["document"] == body["sources"][0]["document"] == "paracetamol-kind.pdf"
    assert body["spans"][0]["rects"][0]["rects"]
    assert (body["sources"][0]["version"], body["sources"][0]["page"]) == ("3", 1)
    assert client.get(f"/answers/{body['id']}").json() == body


def test_a_question_is_answered_as_a_stream(client: httpx.Client, documents: dict[str, Document]) -> None:
    response = client.post("/ask", json={"question": DUTCH}, headers=STREAM)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["x-accel-buffering"] == "no"
    got = events(response)
    assert [name for name, _ in got] == ["stage", "found", "stage", "stage", "token", "cited", "done"]
    answer = got[-1][1]["answer"]
    assert "".join(data["text"] for name, data in got if name == "token") == answer["answer"]
    assert (got[1][1]["answer_id"], got[1][1]["conversation_id"]) == (answer["id"], answer["conversation_id"])
    assert got[1][1]["sources"] == answer["sources"]
    assert [data["span"] for name, data in got if name == "cited"] == answer["spans"]


def test_words_are_sent_when_they_are_written(
    client: httpx.Client, scripted: Scripted, documents: dict[str, Document]
) -> None:
    scripted.script = lambda request: [quote(request)[0], 1.0, *quote(request)[1:]]
    with client.stream("POST", "/ask", json={"question": DUTCH}, headers=STREAM) as response:
        times = {line: time.monotonic() for line in response.iter_lines() if line.startswith("event: ")}
    assert times["event: done"] - times["event: found"] > 0.9


def test_hanging_up_stops_the_generator_and_keeps_what_was_there(
    client: httpx.Client, container: Container, scripted: Scripted, documents: dict[str, Document]
) -> None:
    scripted.script = lambda request: [*quote(request)[:2], 30.0]
    with client.stream("POST", "/ask", json={"question": DUTCH}, headers=STREAM) as response:
        for line in response.iter_lines():
            if line.startswith("data: ") and "conversation_id" in line:
                conversation = json.loads(line.removeprefix("data: "))["conversation_id"]
            if line == "event: token":
                break
    assert scripted.hung_up.wait(300)
    assert [n.code for n in stored(container, conversation).notices] == ["stopped"]


def stored(container: Container, conversation: str) -> Any:
    until(lambda: answers_of(container.db, LOCAL_USER, conversation))
    return answers_of(container.db, LOCAL_USER, conversation)[-1]


@pytest.mark.usefixtures("client", "documents")
async def test_hanging_up_before_the_json_stops_the_generator_too(url: str, scripted: Scripted) -> None:
    scripted.script = lambda request: [*quote(request)[:2], 300.0]
    async with httpx.AsyncClient(base_url=url, timeout=300) as client:
        asking = asyncio.create_task(client.post("/ask", json={"question": DUTCH}))
        await asyncio.to_thread(until, lambda: scripted.requests)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    assert await asyncio.to_thread(scripted.hung_up.wait, 300)


def test_a_failure_in_mid_stream_is_an_event(
    client: httpx.Client, scripted: Scripted, documents: dict[str, Document]
) -> None:
    scripted.script = lambda request: [*quote(request)[:2], None]
    name, data = events(client.post("/ask", json={"question": DUTCH}, headers=STREAM))[-1]
    assert (name, data["code"], data["answer"]["status"]) == ("failed", "generator_unavailable", "failed")
    body = client.post("/ask", json={"question": DUTCH}).json()
    assert (body["status"], bool(body["answer"])) == ("failed", True)


def test_not_found_is_a_status_with_the_nearest_documents(client: httpx.Client, documents: dict[str, Document]) -> None:
    body = client.post("/ask", json={"question": UNANSWERABLE}).json()
    assert (body["status"], body["answer"], body["spans"]) == ("not_found", "", [])
    assert body["sources"]


def test_filters_narrow_the_documents(client: httpx.Client, documents: dict[str, Document]) -> None:
    body = client.post(
        "/ask", json={"question": DUTCH, "filters": {"document_ids": [documents["fall"].id]}, "mode": "sources"}
    ).json()
    assert {source["document_id"] for source in body["sources"]} <= {documents["fall"].id}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": ""},
        {"question": "   "},
        {"question": "x" * 2001},
        {"question": "a\x00b"},
        {"question": DUTCH, "mode": "guess"},
        {"question": DUTCH, "unknown": 1},
        {"question": DUTCH, "conversation_id": "1; drop table answers"},
        {"question": DUTCH, "filters": {"groups": ["surgery"]}},
        {"question": DUTCH, "filters": {"departments": ["a\x00"]}},
        {"question": DUTCH, "filters": {"valid_on": 20260131}},
        {"question": DUTCH, "filters": {"valid_on": "1769817600"}},
        {"question": DUTCH, "filters": {"valid_on": "2026-02-30"}},
    ],
)
def test_requests_of_another_shape_are_refused_with_the_place(client: httpx.Client, body: dict[str, Any]) -> None:
    problem = is_problem(client.post("/ask", json=body), 422, "invalid_request")
    assert problem["errors"][0]["where"].startswith("body")
    assert DUTCH not in json.dumps(problem)


def test_what_is_no_json_is_refused(client: httpx.Client) -> None:
    response = client.post("/ask", content=b"{nonsense", headers={"content-type": "application/json"})
    is_problem(response, 422, "invalid_request")
    half = client.post("/ask", content=b'{"question": "\\ud800"}', headers={"content-type": "application/json"})
    is_problem(half, 422, "invalid_request")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", f"/answers/{NOWHERE}"),
        ("GET", f"/conversations/{NOWHERE}"),
        ("DELETE", f"/conversations/{NOWHERE}"),
        ("GET", f"/documents/{'0' * 32}"),
        ("GET", f"/documents/{'0' * 32}/file"),
        ("DELETE", f"/documents/{'0' * 32}"),
        ("GET", "/api/nothing"),
    ],
)
def test_what_is_not_there_is_404(client: httpx.Client, method: str, path: str) -> None:
    is_problem(client.request(method, path), 404, "not_found")


def test_a_body_of_a_size_that_no_question_has_is_refused_while_it_streams(client: httpx.Client) -> None:
    def endless() -> Iterator[bytes]:
        yield b'{"question": "'
        for _ in range(3200):
            sent.append(65536)
            yield b"a" * 65536

    sent: list[int] = []
    is_problem(client.post("/ask", content=b'{"question": "' + b"a" * 2 * 1024 * 1024 + b'"}'), 413, "too_large")
    with contextlib.suppress(httpx.WriteError):  # the server may close before all is written
        is_problem(
            client.post("/ask", content=endless(), headers={"content-type": "application/json"}), 413, "too_large"
        )
    assert sum(sent) < 100 * 1024 * 1024


def test_a_judged_set_may_be_larger_than_a_question(client: httpx.Client) -> None:
    line = "q{0},Hoeveel paracetamol krijgt een kind van {0} kg?,kind.pdf\n"
    csv = "id,question,document\n" + "".join(line.format(number) for number in range(25_000))
    assert len(csv) > 1024 * 1024
    assert client.post("/judged/groot/csv", json={"csv": csv, "check": True}).json()["questions"] == 25_000


@pytest.mark.parametrize(
    "body", [b'{"question": "caf\xe9"}', b'{"question": ' + b"[" * 100_000], ids=["latin-1", "deep"]
)
def test_a_body_that_is_no_text_is_refused_in_words(client: httpx.Client, body: bytes) -> None:
    problem = is_problem(
        client.post("/ask", content=body, headers={"content-type": "application/json"}), 400, "invalid_input"
    )
    assert "JSON in UTF-8" in problem["detail"]


def test_a_wrong_method_is_405_with_the_right_ones(client: httpx.Client) -> None:
    response = client.put("/ask")
    is_problem(response, 405, "method_not_allowed")
    assert response.headers["allow"] == "POST"
    assert client.put("/api/documents").headers["allow"] == "GET, POST"


def test_continuing_a_conversation_that_is_not_there_is_404_also_for_a_stream(client: httpx.Client) -> None:
    is_problem(
        client.post("/ask", json={"question": DUTCH, "conversation_id": NOWHERE}, headers=STREAM), 404, "not_found"
    )


def test_conversations_are_listed_read_and_deleted(client: httpx.Client, documents: dict[str, Document]) -> None:
    first = client.post("/ask", json={"question": DUTCH}).json()
    second = client.post("/ask", json={"question": UNANSWERABLE, "conversation_id": first["conversation_id"]}).json()
    listed = client.get("/conversations").json()
    assert (listed["total"], listed["conversations"][0]["title"]) == (1, DUTCH)
    detail = client.get(f"/conversations/{first['conversation_id']}").json()
    assert detail["answers"] == [first, second]
    assert client.delete(f"/conversations/{first['conversation_id']}").status_code == 204
    assert client.get("/conversations").json()["total"] == 0
    is_problem(client.get(f"/answers/{first['id']}"), 404, "not_found")


def test_a_conversation_is_named_pinned_and_found(client: httpx.Client, documents: dict[str, Document]) -> None:
    asked = client.post("/ask", json={"question": DUTCH}).json()
    path = f"/conversations/{asked['conversation_id']}"
    name = {"title": "  Kind   van Jansen, geboren op 3-4-1961 ", "pinned": True, "personal_data": "remove"}
    named = client.patch(path, json=name).json()
    assert named["pinned"]
    assert named["title"].startswith("Kind van ")
    assert "1961" not in named["title"], "a name that identifies a patient would be kept"
    assert client.get(path).json()["title"] == named["title"]
    assert [
        client.get("/conversations", params={"search": word}).json()["total"] for word in ("kind van", "zevenblad")
    ] == [1, 0]
    assert client.patch(path, json={"pinned": False}).json() == {**named, "pinned": False}
    for wrong in ({}, {"title": " "}, {"title": "x" * 121}, {"title": None}, {"pinned": "yes"}, {"owner": "b"}):
        is_problem(client.patch(path, json=wrong), 422, "invalid_request")
    is_problem(client.patch(f"/conversations/{NOWHERE}", json={"pinned": True}), 404, "not_found")
    client.delete(path)


def test_a_conversation_is_found_by_the_words_of_an_answer_that_may_still_be_read(
    client: httpx.Client, container: Container, documents: dict[str, Document]
) -> None:
    asked = client.post("/ask", json={"question": DUTCH, "mode": "verbatim"}).json()
    (words, *_) = sorted(re.findall(r"\w{5,}", asked["answer"]), key=lambda word: word.lower() in DUTCH.lower())
    assert words.lower() not in DUTCH.lower()

    def found() -> int:
        return int(client.get("/conversations", params={"search": words}).json()["total"])

    assert found() == 1
    shown = {"ids": [source["document_id"] for source in asked["sources"]]}
    container.db.run("update documents set groups = '{elsewhere}' where id = any(%(ids)s)", shown)
    assert found() == 0
    container.db.run("update documents set groups = '{everyone}' where id = any(%(ids)s)", shown)
    client.delete(f"/conversations/{asked['conversation_id']}")


def test_feedback_is_kept_and_its_document_must_exist(client: httpx.Client, documents: dict[str, Document]) -> None:
    answer = client.post("/ask", json={"question": DUTCH}).json()
    path = f"/answers/{answer['id']}/feedback"
    given = client.post(
        path, json={"found": "yes", "document_id": documents["child"].id, "page": 1, "comment": " goed "}
    )
    assert (given.status_code, given.json()["comment"], given.json()["answer_id"]) == (201, "goed", answer["id"])
    assert client.post(path, json={"found": "no"}).json()["missing"] is None
    assert client.post(path, json={"missing": "detail"}).json()["missing"] == "detail"
    is_problem(client.post(path, json={"missing": "everything"}), 422, "invalid_request")
    is_problem(client.post(path, json={"document_id": "f" * 32}), 404, "not_found")
    is_problem(client.post(path, json={}), 422, "invalid_request")
    is_problem(client.post(f"/answers/{NOWHERE}/feedback", json={"found": "no"}), 404, "not_found")


def test_documents_are_listed_searched_and_described(client: httpx.Client, documents: dict[str, Document]) -> None:
    assert client.get("/documents").json()["total"] == 3
    assert [d["source"] for d in client.get("/documents", params={"search": "FALL"}).json()["documents"]] == [
        "falls.pdf"
    ]
    assert client.get("/documents", params={"status": "failed"}).json() == {"documents": [], "total": 0}
    assert client.get("/documents", params={"validity": "expired"}).json()["total"] == 0
    assert client.get("/documents", params={"department": "nowhere"}).json()["total"] == 0
    kept = {"id": [documents["child"].id, "0" * 32]}
    assert [d["id"] for d in client.get("/documents", params=kept).json()["documents"]] == [documents["child"].id]
    is_problem(client.get("/documents", params={"id": "x"}), 422, "invalid_request")
    is_problem(client.get("/documents", params={"validity": "always"}), 422, "invalid_request")
    detail = client.get(f"/documents/{documents['child'].id}").json()
    assert detail["pages"] == [{"number": 1, "width": 595.0, "height": 842.0, "rotation": 0}]
    assert detail["cut"] == []
    is_problem(client.get("/documents", params={"limit": 0}), 422, "invalid_request")


def test_a_file_is_sent_whole_in_parts_or_not_again(
    client: httpx.Client, container: Container, documents: dict[str, Document]
) -> None:
    child = documents["child"]
    path, content = (
        f"/documents/{child.id}/file",
        (container.settings.data_dir / "files" / f"{child.sha256}.pdf").read_bytes(),
    )
    whole = client.get(path)
    assert whole.content == content
    assert whole.headers["content-type"] == "application/pdf"
    assert whole.headers["content-disposition"].startswith("inline")
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in whole.headers["content-security-policy"]
    assert whole.headers["accept-ranges"] == "bytes"
    part = client.get(path, headers={"range": "bytes=2-5"})
    assert (part.status_code, part.content, part.headers["content-range"]) == (
        206,
        content[2:6],
        f"bytes 2-5/{len(content)}",
    )
    assert client.get(path, headers={"range": f"bytes={len(content) + 5}-"}).status_code == 416
    again = client.get(path, headers={"if-none-match": whole.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_file_that_is_no_longer_kept_is_404(client: httpx.Client, container: Container) -> None:
    gone = load(container, "weg.pdf", "Deze tekst verdwijnt. ")
    (container.settings.data_dir / "files" / f"{gone.sha256}.pdf").unlink()
    is_problem(client.get(f"/documents/{gone.id}/file"), 404, "not_found")
    empty(container)


def test_a_reported_answer_waits_for_the_owner_of_what_it_quotes_and_is_in_the_gap_report(
    client: httpx.Client, container: Container, documents: dict[str, Document]
) -> None:
    put_owner(container.db, LOCAL_USER, "Pediatrie", "pediatrie@hospital.example", [])
    answer = client.post("/ask", json={"question": DUTCH}).raise_for_status().json()
    said = {"reported": "outdated", "comment": "Mevrouw Jansen, geboren op 3 mei 1961: sinds maart is het 20 mg/kg."}
    said["personal_data"] = "remove"
    told = client.post(f"/answers/{answer['id']}/feedback", json=said).raise_for_status().json()
    quoted = answer["spans"][0]["document_id"]
    assert quoted == told["document_id"] == documents["child"].id
    assert (told["owner"], told["by_mail"]) == ("", False), "no mail server is named here, and no account is theirs"
    assert "20 mg/kg" in told["comment"]
    assert "1961" not in told["comment"]
    (gap,) = [one for one in client.get("/gaps").json()["gaps"] if one["reported"]]
    assert (gap["reported"], gap["comments"], gap["named"], gap["not_found"]) == (
        {"outdated": 1},
        [told["comment"]],
        [],
        0,
    )
    (asked,) = client.get("/owner-questions/asked").json()["questions"]
    assert (asked["kind"], asked["text"], asked["answer_id"]) == ("report", told["comment"], answer["id"])
    assert client.get("/usage").json()["weeks"][-1]["wrong"] == 1
    container.db.run("truncate owners cascade")


def test_a_retired_document_answers_no_more_and_stays_readable(
    client: httpx.Client, container: Container, documents: dict[str, Document]
) -> None:
    child = documents["child"].id
    assert client.delete(f"/documents/{child}").json()["status"] == "retired"
    assert client.delete(f"/documents/{child}").json()["status"] == "retired"
    assert child not in container.store.document_ids()
    body = client.post("/ask", json={"question": DUTCH}).json()
    assert child not in {source["document_id"] for source in body["sources"]}
    assert client.get(f"/documents/{child}/file").status_code == 200


def test_a_withdrawn_document_is_listed_with_who_and_when_and_answers_again_once_it_is_put_back(
    client: httpx.Client, container: Container
) -> None:
    file = {
        "file": (
            "naald.pdf",
            pdf("Naaldcontainers\nEen naaldcontainer wordt vervangen wanneer hij voor drie vierde gevuld is."),
        )
    }
    made = client.post("/documents", files=file).raise_for_status().json()["items"][0]["document_id"]
    client.patch(f"/documents/{made}", json={"department": "Logistiek"}).raise_for_status()
    is_problem(client.post(f"/documents/{made}/restore"), 409, "conflict")  # it is not withdrawn
    gone = client.delete(f"/documents/{made}").raise_for_status().json()
    assert (gone["status"], gone["withdrawn_by"]) == ("retired", "local")
    (listed,) = client.get("/documents", params={"status": "retired"}).json()["documents"]
    assert (listed["id"], listed["withdrawn_at"]) == (made, gone["withdrawn_at"])
    assert made not in container.store.document_ids()
    back = client.post(f"/documents/{made}/restore").raise_for_status().json()
    assert (back["status"], back["department"], back["withdrawn_at"], back["withdrawn_by"]) == (
        "indexed",
        "Logistiek",
        None,
        "",
    )
    asked = client.post("/ask", json={"question": "Wanneer wordt een naaldcontainer vervangen?"}).json()
    assert made in {source["document_id"] for source in asked["sources"]}
    empty(container)


def test_a_reason_is_said_or_corrected_after_a_withdrawal_and_stands_among_the_changes(
    client: httpx.Client, container: Container
) -> None:
    made = load(container, "stroom.pdf", "Bel de noodgroep. ")
    withdraw, path = (f"/documents/{made.id}/{last}" for last in ("withdraw", "withdrawal-reason"))
    assert client.put(path, json={"reason": "Verouderd."}).status_code == 409, "it counts"
    assert client.delete(f"/documents/{made.id}").json()["withdrawn_reason"] == ""
    assert client.put(path, json={"reason": "Verouderd."}).json()["withdrawn_reason"] == "Verouderd."
    at = client.put(path, json={"reason": " Vervangen. "}).json()
    assert (at["withdrawn_reason"], at["status"]) == ("Vervangen.", "retired")
    assert client.put(path, json={"reason": "Vervangen."}).json()["withdrawn_reason"] == "Vervangen."
    assert client.put(path, json={"reason": " "}).status_code == 422
    assert client.post(withdraw, json={"reason": "Anders."}).status_code == 409, "no reason is lost unsaid"
    for nothing in ({"reason": " "}, {}):
        assert client.post(withdraw, json=nothing).json()["withdrawn_reason"] == "Vervangen."
    changes = client.get(f"/documents/{made.id}/changes").json()["changes"]
    assert {(one["field"], one["before"], one["after"]) for one in changes} == {
        ("withdrawal_reason", "", "Verouderd."),
        ("withdrawal_reason", "Verouderd.", "Vervangen."),
    }
    assert client.get(f"/documents/{made.id}/place").json()["withdrawn_reason"] == "Vervangen."
    empty(container)


def test_a_withdrawn_document_leads_to_what_replaces_it_else_to_what_is_in_force_under_its_title(
    client: httpx.Client, container: Container
) -> None:
    gone = load(
        container, "mrsa-2021.pdf", "Screen met twee wissers. ", title="MRSA", target_groups=(TargetGroup.ADULT,)
    )
    client.delete(f"/documents/{gone.id}")

    def holds() -> tuple[str | None, ...]:
        place = client.get(f"/documents/{gone.id}/place").json()
        return tuple(place[name] and place[name]["source"] for name in ("newer", "same_title"))

    load(container, "other.pdf", "Iets anders. ", title="MRSA bij kinderen")
    load(container, "children.pdf", "Screen kinderen. ", title="MRSA", target_groups=(TargetGroup.CHILD,))
    load(
        container,
        "old.pdf",
        "Screen vroeger. ",
        title="MRSA",
        target_groups=(TargetGroup.ADULT,),
        valid_until=date(2020, 1, 1),
    )
    assert holds() == (None, None), "what is expired, for others or called otherwise is no successor"
    now = load(container, "mrsa.pdf", "Screen met drie wissers. ", title="mrsa", target_groups=(TargetGroup.ADULT,))
    assert holds() == (None, "mrsa.pdf")
    container.db.run("update documents set groups = '{surgery}' where id = %(id)s", {"id": now.id})
    assert holds() == (None, None)
    load(container, "mrsa-5.pdf", "Screen met vier wissers. ", title="MRSA 5", supersedes="mrsa-2021")
    assert holds() == ("mrsa-5.pdf", None)
    empty(container)


def test_a_withdrawn_document_is_not_put_back_beside_a_newer_version_nor_without_its_file(
    client: httpx.Client, container: Container
) -> None:
    load(container, "val.pdf", "Na een val. Bel de wacht. ")
    old = client.get("/documents").json()["documents"][0]["id"]
    client.delete(f"/documents/{old}").raise_for_status()
    load(container, "val.pdf", "Na een val. Bel de arts van wacht. ")
    assert "Another version" in is_problem(client.post(f"/documents/{old}/restore"), 409, "conflict")["detail"]
    gone = load(container, "weg.pdf", "Deze tekst verdwijnt. ")
    client.delete(f"/documents/{gone.id}").raise_for_status()
    (container.settings.data_dir / "files" / f"{gone.sha256}.pdf").unlink()
    assert "load it again" in is_problem(client.post(f"/documents/{gone.id}/restore"), 409, "conflict")["detail"]
    assert client.get(f"/documents/{gone.id}").json()["status"] == "retired"
    empty(container)


def test_documents_that_expire_soon_and_that_were_read_in_doubt_can_be_listed(
    client: httpx.Client, container: Container
) -> None:
    today = date.today()
    load(container, "soon.pdf", "Deze geldt nog even. ", valid_until=today + timedelta(days=28))
    load(container, "later.pdf", "Deze geldt langer. ", valid_until=today + timedelta(days=32))
    load(container, "gone.pdf", "Deze geldt niet meer. ", valid_until=today - timedelta(days=1))
    load(container, "scan.pdf", f"Een scan. {DOUBTFUL}Geef 5 mg. {DOUBTFUL}Bel de wacht. ")

    def listed(**params: Any) -> list[str]:
        return [one["source"] for one in client.get("/documents", params=params).raise_for_status().json()["documents"]]

    assert listed(validity="expires_soon") == ["soon.pdf"]
    assert "soon.pdf" in listed(validity="expires_later")
    assert not {"soon.pdf"} & set(listed(validity="undated"))
    assert listed(validity="expired") == ["gone.pdf"]
    assert listed(uncertain=True) == ["scan.pdf"]
    assert len(listed(uncertain=False)) == 4
    empty(container)


WATER = "Drinkwater\nDe norm is zeven liter water per dag en per bed.\nBel de technische dienst bij een lek."


def pdf(text: str, password: str | None = None) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, encrypt=password)
    for number, line in enumerate(text.split("\n")):
        canvas.drawString(72, 720 - 16 * number, line)
    canvas.save()
    return file.getvalue()


def test_an_uploaded_pdf_answers_at_once_and_its_quote_stands_where_it_is_highlighted(
    client: httpx.Client, container: Container
) -> None:
    text = (
        "Naaldcontainers\nEen naaldcontainer wordt vervangen wanneer hij voor drie vierde gevuld is.\nBel de "
        "logistieke dienst."
    )
    upload = {"file": ("..\\map/naald container.pdf", pdf(text), "application/pdf")}
    report = client.post("/documents", files=upload).raise_for_status().json()
    assert (report["indexed"], report["failed"]) == (1, 0)
    assert report["items"][0]["source"] == "naald container.pdf"
    assert client.post("/documents", files=upload).json()["unchanged"] == 1
    answer = client.post("/ask", json={"question": "Wanneer wordt een naaldcontainer vervangen?"}).json()
    assert answer["status"] == "answered"
    assert "drie vierde" in answer["answer"]
    (rects,) = answer["spans"][0]["rects"]
    assert rects["page"] == 1
    assert all(72 <= rect["x0"] < rect["x1"] < 500 and 90 < rect["y0"] < rect["y1"] < 160 for rect in rects["rects"])
    empty(container)


def test_an_uploaded_docx_is_indexed(client: httpx.Client, container: Container) -> None:
    document, file = Docx(), io.BytesIO()
    document.add_paragraph("Bij een stroompanne neemt de noodgroep binnen vijftien seconden over.")
    document.add_paragraph().add_run("Oude versie.").font.hidden = True
    document.save(file)
    upload = {"file": ("stroom.docx", file.getvalue())}
    report = client.post("/documents", files=upload).json()
    assert report["indexed"] == 1
    (warning,) = [warning for warning in report["items"][0]["warnings"] if "hidden" in warning]
    assert warning == "hidden words are not read; show or remove them in Word: “Oude versie.”"
    (listed,) = client.get("/documents").json()["documents"]
    assert warning in listed["warnings"]
    empty(container)


def test_the_list_is_filtered_by_owner_and_by_having_none(client: httpx.Client, container: Container) -> None:
    for name, owner in (("a.pdf", "Apotheek"), ("b.pdf", ""), ("c.pdf", " ")):
        load(container, name, f"Document {name}. Was de handen. ", owner=owner)

    def names(**of: Any) -> list[str]:
        found = client.get("/documents", params={"search": "Document", **of}).raise_for_status().json()
        return [one["source"] for one in found["documents"]]

    assert names(owner="Apotheek") == ["a.pdf"]
    assert names(unowned=True) == ["b.pdf", "c.pdf"]
    assert names() == ["a.pdf", "b.pdf", "c.pdf"]
    assert "Apotheek" in client.get("/facets").json()["owners"]
    empty(container)


def test_an_upload_that_cannot_be_read_is_reported_and_listed(client: httpx.Client, container: Container) -> None:
    report = client.post(
        "/documents", files={"file": ("kapot.pdf", b"%PDF-1.4 nothing more", "application/pdf")}
    ).json()
    assert (report["failed"], report["items"][0]["outcome"]) == (1, "failed")
    assert report["items"][0]["reason"] in ("broken", "empty")
    (listed,) = client.get("/documents", params={"status": "failed"}).json()["documents"]
    assert listed["source"] == "kapot.pdf"
    assert listed["advice"] == report["items"][0]["advice"]
    assert "save it as PDF" in listed["advice"]
    empty(container)


def test_what_could_not_be_read_is_found_tried_again_and_removed_from_every_count(
    client: httpx.Client, container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failed() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = client.get("/documents", params={"status": "failed"}).json()["documents"]
        return found

    monkeypatch.setattr(container.settings, "max_pages", 0)
    client.post("/documents", files={"file": ("lang_stuk.pdf", pdf(WATER), "application/pdf")}).raise_for_status()
    client.post("/documents", files={"file": ("kapot.pdf", b"%PDF-1.4 nothing", "application/pdf")}).raise_for_status()
    broken, long = failed()
    assert (broken["source"], long["source"], long["reason"]) == ("kapot.pdf", "lang_stuk.pdf", "too_large")
    assert client.post(f"/documents/{long['id']}/retry").json()["items"][0]["reason"] == "too_large"
    monkeypatch.undo()
    report = client.post(f"/documents/{long['id']}/retry").raise_for_status().json()
    assert (report["indexed"], report["items"][0]["document_id"]) == (1, long["id"])
    assert client.get(f"/documents/{long['id']}").json()["title"] != "lang stuk"
    answer = client.post("/ask", json={"question": "Hoeveel liter water per dag is de norm?"}).json()
    assert "zeven liter" in answer["answer"]
    assert client.post(f"/documents/{long['id']}/retry").status_code == 409
    before = client.get("/documents").json()["total"]
    client.delete(f"/documents/{broken['id']}").raise_for_status()
    assert (failed(), client.get("/documents").json()["total"]) == ([], before - 1)
    empty(container)


@pytest.mark.parametrize("reason", ["broken", "encrypted", "empty"])
def test_an_upload_that_cannot_be_read_leaves_the_version_before_in_force(
    reason: str, client: httpx.Client, container: Container
) -> None:
    client.post("/documents", files={"file": ("water.pdf", pdf(WATER), "application/pdf")}).raise_for_status()
    (before,) = client.get("/documents", params={"search": "water.pdf"}).json()["documents"]
    sent = {"broken": b"%PDF-1.4 nothing more", "encrypted": pdf(WATER, password="x"), "empty": b""}[reason]
    report = client.post("/documents", files={"file": ("water.pdf", sent, "application/pdf")}).json()
    (item,) = report["items"]
    assert (report["failed"], item["reason"], item["kept"]) == (1, reason, True)
    assert "the version before stays in force" in item["message"]
    assert client.get("/documents", params={"search": "water.pdf"}).json()["documents"] == [before]
    assert client.get("/documents", params={"status": "failed"}).json()["total"] == 0
    answer = client.post("/ask", json={"question": "Hoeveel liter water per dag is de norm?"}).json()
    assert "zeven liter" in answer["answer"]
    newer = pdf(WATER.replace("zeven", "negen"))
    assert client.post("/documents", files={"file": ("water.pdf", newer, "application/pdf")}).json()["indexed"] == 1
    assert client.get("/documents", params={"search": "water.pdf"}).json()["total"] == 1
    empty(container)


def test_an_upload_over_the_limit_is_refused_while_it_streams(client: httpx.Client) -> None:
    def endless() -> Iterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n'
        for _ in range(10_000):
            yield b"0" * 65536
            sent.append(65536)

    sent: list[int] = []
    headers = {"content-type": "multipart/form-data; boundary=x"}
    with contextlib.suppress(httpx.WriteError):  # the server may close before all is written
        is_problem(client.post("/documents", content=endless(), headers=headers), 413, "too_large")
    assert sum(sent) < 100 * 1024 * 1024
    is_problem(client.post("/documents", files={"file": ("a.pdf", b"0" * 400_000)}), 413, "too_large")


def test_an_upload_needs_a_file_with_a_name(client: httpx.Client) -> None:
    is_problem(client.post("/documents"), 422, "invalid_request")
    is_problem(client.post("/documents", files={"file": ("...", b"x")}), 400, "invalid_input")


def test_an_upload_during_an_ingestion_is_told_to_wait(client: httpx.Client, container: Container) -> None:
    from rag_api.db.documents import PgDocuments

    with PgDocuments(container.db).lock():
        is_problem(client.post("/documents", files={"file": ("a.pdf", pdf("tekst"))}), 409, "conflict")


def test_health_names_every_part(client: httpx.Client, documents: dict[str, Document]) -> None:
    body = client.get("/health").raise_for_status().json()
    assert (body["status"], body["documents"], body["demo"]) == ("ok", 3, True)
    assert [(part["name"], part["ok"]) for part in body["parts"]] == [
        ("database", True), ("store", True), ("embedder", True), ("generator", True),
    ]  # fmt: skip


def test_health_is_degraded_without_a_generator_and_down_without_a_store(
    container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rag_api.errors import StoreUnavailable

    settings = container.settings.model_copy(update={"generator_url": "http://127.0.0.1:1/v1"})
    with Container(settings) as lame, TestClient(create_app(settings, lame)) as client:
        assert client.get("/health").json()["status"] == "degraded"

        def down() -> int:
            raise StoreUnavailable("no store")

        monkeypatch.setattr(lame.store, "count", down)
        response = client.get("/health")
        assert (response.status_code, response.json()["status"]) == (503, "down")
        assert next(p["detail"] for p in response.json()["parts"] if not p["ok"]) == "no store"


def test_the_api_is_the_same_under_api(client: httpx.Client, documents: dict[str, Document]) -> None:
    assert client.get("/api/documents").json() == client.get("/documents").json()
    assert client.post("/api/ask", json={"question": DUTCH}).json()["status"] == "answered"
    assert client.get("/openapi.json").json() == client.get("/api/openapi.json").json()


def test_the_page_is_served_with_a_strict_policy(client: httpx.Client) -> None:
    for path, status in (
        ("/", 200),
        ("/c/5f0c", 200),
        ("/admin/keys/", 200),
        ("/history", 200),
        ("/conversation/5f0c", 404),
    ):
        page = client.get(path, headers={"accept": "text/html,*/*;q=0.8"})
        assert page.status_code == status
        assert "<title>Bedside</title>" in page.text
        policy = page.headers["content-security-policy"]
        assert "'wasm-unsafe-eval'" in policy
        assert "'unsafe-eval'" not in policy.replace("'wasm-unsafe-eval'", "")
        assert "script-src 'self'" in policy
        assert "'unsafe-inline'" not in policy
        assert page.headers["cache-control"] == "no-cache"
    asset = client.get("/assets/index-abc.js")
    assert asset.headers["content-type"].startswith("text/javascript")
    assert "immutable" in asset.headers["cache-control"]
    is_problem(client.get("/assets/gone.js"), 404, "not_found")
    is_problem(client.get("/%2e%2e/%2e%2e/etc/passwd.txt"), 404, "not_found")


def test_every_response_carries_safe_headers(client: httpx.Client, documents: dict[str, Document]) -> None:
    for response in (
        client.get("/"),
        client.get("/health"),
        client.get("/documents"),
        client.get("/api/none"),
        client.put("/ask"),
    ):
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in response.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/nothing", "/documents/a/b", "/api/nothing", "/api"])
def test_a_path_that_the_api_does_not_have_is_a_problem_and_not_the_page(client: httpx.Client, path: str) -> None:
    is_problem(client.get(path), 404, "not_found")
    is_problem(client.get(path, headers={"accept": "application/json"}), 404, "not_found")


def test_without_a_built_page_the_api_stands_alone(container: Container, tmp_path: Path) -> None:
    settings = container.settings.model_copy(update={"web_dir": tmp_path})
    with TestClient(create_app(settings, container)) as client:
        assert client.get("/").status_code == 404
        assert client.get("/documents").status_code == 200


def test_a_bug_tells_the_user_nothing_of_its_insides(container: Container, monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*args: object, **kwargs: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("rag_api.api.routes.documents.list_documents", bug)
    with TestClient(create_app(container.settings, container), raise_server_exceptions=False) as client:
        response = client.get("/documents")
    is_problem(response, 500, "internal")
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "secret" not in response.text


def test_a_piece_without_text_sends_no_token(
    client: httpx.Client, scripted: Scripted, documents: dict[str, Document]
) -> None:
    scripted.script = lambda request: [piece(), *quote(request)]
    assert [name for name, _ in events(client.post("/ask", json={"question": DUTCH}, headers=STREAM))].count(
        "token"
    ) == 1


def test_a_follow_up_is_searched_for_as_what_it_means_and_the_literal_words_can_be_asked(
    client: httpx.Client, scripted: Scripted, documents: dict[str, Document]
) -> None:
    first = client.post("/ask", json={"question": DUTCH}).raise_for_status().json()
    asked = {"question": "en de maximale dosis per dag?", "conversation_id": first["conversation_id"]}
    found = dict(events(client.post("/ask", json=asked, headers=STREAM)))
    meant = "paracetamol kind van 12 kg de maximale dosis per dag?"
    assert found["found"]["query"] == found["done"]["answer"]["query"] == meant
    assert found["done"]["answer"]["question"] == asked["question"]
    assert found["done"]["answer"]["stats"]["rewritten_by"] == "rules"
    assert scripted.requests[-1]["messages"][0]["content"] == meant  # the model answers what was searched for
    literal = client.post("/ask", json=asked | {"literal": True}).raise_for_status().json()
    assert (literal["query"], "rewritten_by" in literal["stats"]) == (asked["question"], False)
    stored = client.get(f"/conversations/{first['conversation_id']}").json()["answers"]
    assert [answer["query"] for answer in stored] == [DUTCH, meant, asked["question"]]


def test_metrics_count_what_came_of_questions_and_hold_no_word_of_them(
    client: httpx.Client, scripted: Scripted, documents: dict[str, Document]
) -> None:
    def figures() -> dict[str, float]:
        text = client.get("/metrics").raise_for_status().text
        assert "paracetamol" not in text
        assert "stadhuis" not in text
        return {
            name: float(value) for name, value in (line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
        }

    def grown(name: str) -> float:
        return after.get(name, 0.0) - before.get(name, 0.0)

    before = figures()
    answer = client.post("/ask", json={"question": DUTCH}).json()
    client.post("/ask", json={"question": UNANSWERABLE}, headers=STREAM)
    client.get(f"/answers/{answer['id']}")
    client.get(f"/{NOWHERE}.pdf")
    scripted.script = lambda request: [*quote(request)[:2], None]
    client.post("/ask", json={"question": DUTCH})
    after = figures()
    assert grown('bedside_answers_total{mode="verbatim",status="answered"}') == 1
    assert grown('bedside_answers_total{mode="verbatim",status="not_found"}') == 1
    assert grown('bedside_answers_total{mode="verbatim",status="failed"}') == 1
    assert grown('bedside_answer_failures_total{code="generator_unavailable"}') == 1
    assert grown('bedside_answer_seconds_count{phase="whole"}') == 3
    assert grown('bedside_requests_total{method="GET",route="/answers/{answer_id}",status="200"}') == 1
    assert grown('bedside_requests_total{method="GET",route="page",status="404"}') == 1
    assert not any(answer["id"] in name or NOWHERE in name for name in after)
    assert after["bedside_asking"] == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"literal": 0},
        {"literal": "no"},
        {"filters": {"include_expired": 0}},
        {"question": "\x85"},
        {"question": "\ufeff \t"},
    ],
    ids=[
        "a number for false",
        "a word for false",
        "a number in a filter",
        "a blank to some patterns only",
        "a mark and blanks",
    ],
)
def test_what_the_document_does_not_allow_is_refused(client: httpx.Client, wrong: dict[str, Any]) -> None:
    body = {"question": DUTCH, "mode": "sources", **wrong}
    is_problem(client.post("/ask", json=body), 422, "invalid_request")
