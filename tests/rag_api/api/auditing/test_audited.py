"""Requests and commands -> the trail: who, what, on what, with what outcome; and nothing is shown
whose entry cannot be kept."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
import typer
from fastapi import Request
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from rag_api.answering.ask import ask, new_question
from rag_api.api.auditing.asked import QuestionAudit
from rag_api.api.auditing.audit_actions import ACTIONS
from rag_api.api.auditing.audited import Noted
from rag_api.api.sign_in.passwords import hash_password
from rag_api.audit.export import fields_of
from rag_api.audit.verify import verify
from rag_api.cli.app import app as command_line
from rag_api.cli.audited import COMMANDS, act_of
from rag_api.cli.content.ingest import ingest_changes
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.audit import TrailQuery, head, stream
from rag_api.db.people.accounts import add_account
from rag_api.domain import LOCAL_USER, Document, Found, Scope
from rag_api.ingest.sources.report import IngestReport, Outcome
from rag_api.main import all_routes, create_app
from tests.support.people import ROLE_GROUPS, People, hired
from tests.support.scripted_server import Scripted
from tests.support.world import load, load_hospital

DUTCH = "Hoeveel paracetamol mag een kind van 12 kg?"
PASSWORD = "een heel lang wachtwoord"
OWN = {"origin": "http://testserver"}
STREAM = {"accept": "text/event-stream"}


class World:
    def __init__(self, container: Container, client: TestClient) -> None:
        self.container, self.client = container, client
        self.documents: dict[str, Document] = load_hospital(container)
        self.people: People = hired(container.db)
        add_account(container.db, LOCAL_USER, "Bo", "bo", hash_password(PASSWORD), [], ["staff"])

    def send(self, method: str, path: str, who: str, **more: Any) -> Any:
        self.client.cookies.clear()
        headers = self.people.shows(who) | more.pop("headers", {})
        return self.client.request(method, path, headers=headers, follow_redirects=False, **more)

    def said(self, after: int) -> list[dict[str, Any]]:
        """What was written since."""
        return [fields_of(one) for one in stream(self.container.db, TrailQuery(after=after))]

    @property
    def now(self) -> int:
        found = head(self.container.db)
        return found.sequence if found else 0

    @contextmanager
    def without_a_trail(self) -> Iterator[None]:
        """The database takes no entry for a while, whatever else it does."""
        self.container.db.run("alter function audit_append rename to away")
        try:
            yield
        finally:
            self.container.db.run("alter function away rename to audit_append")

    @contextmanager
    def under(self, policy: str) -> Iterator[None]:
        before, self.container.trail.policy = self.container.trail.policy, policy  # type: ignore[assignment]
        try:
            yield
        finally:
            self.container.trail.policy = before


@pytest.fixture(scope="module")
def world(dsn: str, scripted: Scripted, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"), database_url=dsn, store="memory", sign_in="local", role_groups=ROLE_GROUPS,
        generator_url=scripted.url, web_dir=tmp_path_factory.mktemp("no page"), sentence_vectors_mb=0,
    )  # fmt: skip
    with Container(settings) as container, TestClient(create_app(settings, container)) as client:
        yield World(container, client)


def events(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Of a stream."""
    found = [block.split("\n") for block in text.split("\n\n") if block.startswith("event:")]
    return [(lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))) for lines in found]


def test_every_operation_has_an_action_and_every_action_an_operation() -> None:
    app = create_app(Settings())
    served = {f"{method} {route.path}" for route in all_routes(app.routes) for method in route.methods - {"HEAD"}}  # type: ignore[attr-defined]
    described = {f"{method.upper()} {path}" for path, methods in app.openapi()["paths"].items() for method in methods}
    assert {name.replace(":path}", "}") for name in served | described} == set(ACTIONS)


def test_a_route_without_an_action_stops_the_start() -> None:
    from rag_api.api.routes.limited import LimitedRoute
    from rag_api.api.sign_in.access import Access, declared

    with pytest.raises(TypeError, match="must say what it is called in the audit trail"):
        LimitedRoute("/new", lambda: None, methods=["GET"], openapi_extra=declared(Access.READ))


def test_only_what_shows_and_changes_nothing_is_routine() -> None:
    assert {name for name, act in ACTIONS.items() if act.routine} == {
        "GET /facets", "GET /session", "POST /session/used", "GET /sign-in", "GET /health/live", "GET /health/ready", "GET /health",
        "GET /metrics", "GET /openapi.json", "GET /v1/models", "GET /risk", "GET /owner-questions/news", "POST /owner-questions/asked/seen",
        "GET /ingestion", "GET /conversations/{conversation_id}/since",
    }  # fmt: skip
    own = ("/session", "/ask", "/v1/", "/owner-questions/asked/seen")  # of who asks alone, or an entry of their own
    changing = {name for name in ACTIONS if name.split()[0] != "GET" and not name.split()[1].startswith(own)}
    assert {name for name, act in ACTIONS.items() if act.changes} == changing


def test_a_question_is_an_entry_before_anything_and_another_with_all_that_was_shown(world: World) -> None:
    began = world.now
    answer = world.send("POST", "/ask", "key:ask", json={"question": DUTCH, "mode": "sources"}).json()
    asked, answered = world.said(began)
    assert (asked["action"], asked["result"], asked["question"]["text"]) == ("question.asked", "begun", DUTCH)
    assert asked["who"]["user"] == world.people.ids["machine"]
    assert asked["who"]["key"]
    assert asked["who"]["client"] == "testclient"
    assert asked["on"]["answer"] == answer["id"]
    assert (answered["action"], answered["result"], answered["request"]) == (
        "question.answered",
        "success",
        asked["request"],
    )
    child = world.documents["child"]
    shown = next(one for one in answered["on"]["documents"] if one["id"] == child.id)
    assert (shown["source"], shown["version"], shown["pages"]) == (child.source, "3", [1])
    assert sum(len(one["passages"]) for one in answered["on"]["documents"]) == len(answer["sources"])
    assert "question" not in answered


def test_a_question_that_is_refused_for_what_stands_in_it_is_in_no_entry(world: World) -> None:
    """Whoever refuses it keeps it out of what is stored; the trail is stored too."""
    began = world.now
    refused = world.send("POST", "/ask", "owner", json={"question": "Hoeveel morfine voor mevrouw Jansen?"})
    assert (refused.status_code, refused.json()["code"]) == (422, "personal_data")
    (said,) = world.said(began)
    assert (said["action"], said["result"]) == ("question.asked", "refused")
    assert "Jansen" not in json.dumps(said)
    assert "question" not in said


def test_a_stream_says_at_its_end_what_was_quoted(world: World) -> None:
    began = world.now
    told = events(world.send("POST", "/ask", "owner", json={"question": DUTCH}, headers=STREAM).text)
    assert told[-1][0] == "done"
    answered = world.said(began)[-1]
    assert answered["on"]["status"] == "answered"
    assert [one["id"] for one in answered["on"]["cited"]] == [world.documents["child"].id]


def test_the_trail_tells_what_was_quoted_from_what_was_only_shown_and_from_refusals(world: World) -> None:
    began = world.now
    for body in (
        {"question": DUTCH},
        {"question": DUTCH, "mode": "sources"},
        {"question": "Welke vlag hangt er op het stadhuis van Ieper?"},
    ):
        world.send("POST", "/ask", "owner", json=body)
    quoted, shown, refused = (one for one in world.said(began) if one["action"] == "question.answered")
    child = world.documents["child"]

    def uses(entry: dict[str, Any]) -> dict[str, str]:
        return {one["id"]: one["use"] for one in entry["on"]["documents"]}

    assert uses(quoted)[child.id] == "quoted"
    assert set(uses(quoted).values()) == {"quoted", "shown"}
    assert set(uses(shown).values()) == {"shown"}
    assert set(uses(refused).values()) == {"refused"}
    another = next(id for id, use in uses(quoted).items() if use == "shown")

    def found(use: str, document: str) -> list[int]:
        asked = f"/audit?after={began}&use={use}&document={document}"
        return [one["sequence"] for one in world.send("GET", asked, "auditor").json()["entries"]]

    assert found("quoted", child.id) == [quoted["sequence"]]
    assert found("quoted", another) == []
    assert found("shown", child.id) == [shown["sequence"]]
    assert quoted["sequence"] in found("shown", another)
    assert found("refused", "") == [refused["sequence"]]
    file = world.send("GET", f"/audit.jsonl?after={began}&use=refused", "auditor").text
    assert [json.loads(line)["on"]["documents"][0]["use"] for line in file.splitlines()] == ["refused"]


@pytest.mark.parametrize(
    ("method", "path", "action"),
    [("GET", "/documents/{id}", "document.shown"), ("GET", "/documents/{id}/file", "document.opened")],
)
def test_a_document_that_is_shown_or_opened_is_an_entry_with_its_version(
    world: World, method: str, path: str, action: str
) -> None:
    child, began = world.documents["child"], world.now
    assert world.send(method, path.format(id=child.id), "owner", headers={"range": "bytes=0-9"}).is_success
    (said,) = world.said(began)
    assert (said["action"], said["result"], said["route"]) == (
        action,
        "success",
        f"GET {path.replace('{id}', '{document_id}')}",
    )
    assert said["on"]["documents"] == [{"id": child.id, "source": child.source, "version": "3"}]
    assert said["on"].get("range") == ("bytes=0-9" if path.endswith("file") else None)


def test_what_a_page_shows_by_itself_beside_an_answer_is_not_opened_by_its_reader(world: World) -> None:
    child, began = world.documents["child"], world.now
    for path in (f"/documents/{child.id}", f"/documents/{child.id}/file", f"/documents/{'0' * 32}/file"):
        world.send("GET", f"{path}?beside=true", "owner")
    assert [(one["action"], one["result"]) for one in world.said(began)] == [
        ("document.beside_shown", "success"), ("document.beside_opened", "success"), ("document.beside_opened", "refused"),
    ]  # fmt: skip
    for wanted, count in (("document.opened", 0), ("document.beside_opened", 2), ("document.", 3)):
        found = world.send("GET", f"/audit?after={began}&action={wanted}", "auditor").raise_for_status().json()
        assert len(found["entries"]) == count


@pytest.mark.parametrize(
    ("who", "path", "status", "result"),
    [
        ("anonymous", "/documents", 401, "refused"),
        ("owner", "/accounts", 403, "refused"),
        ("owner", "/documents/" + "0" * 32, 404, "refused"),
        ("owner", "/documents?limit=0", 422, "failed"),
        ("owner", "/health", 200, None),
        ("auditor", "/health", 403, "refused"),
    ],
)
def test_what_is_refused_or_fails_is_an_entry(
    world: World, who: str, path: str, status: int, result: str | None
) -> None:
    began = world.now
    assert world.send("GET", path, who).status_code == status
    assert [(one["result"], one["status"]) for one in world.said(began)] == ([(result, status)] if result else [])


def test_a_revoked_key_is_told_by_its_beginning(world: World) -> None:
    began = world.now
    world.client.get("/documents", headers={"authorization": "Bearer bsk_abcdef-and-all-the-rest"})
    (said,) = world.said(began)
    assert said["on"]["key_prefix"] == "bsk_abcdef"
    assert "rest" not in json.dumps(said)


def test_signing_in_out_and_failing_to_are_entries(world: World) -> None:
    began, client = world.now, world.client
    client.cookies.clear()
    for login, password in (("bo", "wrong wrong wrong"), ("a password in the wrong field", "x"), ("bo", PASSWORD)):
        client.post("/session", json={"login": login, "password": password}, headers=OWN)
    client.delete("/session", headers=OWN)
    wrong, unknown, right, out = world.said(began)
    assert [one["action"] for one in (wrong, right, out)] == ["session.started", "session.started", "session.ended"]
    assert [one["result"] for one in (wrong, unknown, right, out)] == ["refused", "refused", "success", "success"]
    assert wrong["about"]["account"] == right["who"]["user"] == out["who"]["user"]
    assert "about" not in unknown
    assert "password" not in json.dumps(unknown).replace("POST /session", "")


def test_a_change_is_an_entry_before_and_after_it(world: World) -> None:
    began, owner = world.now, world.people.ids["owner"]
    assert world.send("PATCH", f"/accounts/{owner}", "admin", json={"groups": ["staff", "surgery"]}).is_success
    begun, done = world.said(began)
    assert [(one["action"], one["result"]) for one in (begun, done)] == [
        ("account.changed", "begun"),
        ("account.changed", "success"),
    ]
    assert done["about"]["account"] == owner
    assert done["on"]["groups"] == ["staff", "surgery"]


def test_the_reason_of_a_withdrawal_is_kept_and_not_in_the_chain_itself(world: World) -> None:
    document = load(world.container, "weg.pdf", "Deze geldt niet meer.")
    began = world.now
    reason = "Vervangen door een andere werkwijze. Mevrouw Jansen, geboren op 3 mei 1961, klaagde."
    body = {"reason": reason, "personal_data": "remove"}
    sent = world.send("POST", f"/documents/{document.id}/withdraw", "admin", json=body)
    kept = sent.raise_for_status().json()["withdrawn_reason"]
    assert kept.startswith("Vervangen door een andere werkwijze.")
    assert "1961" not in kept, "what identifies a patient is left out"
    assert world.said(began)[-1]["about"] == {"reason": kept}
    (row,) = world.container.db.all("select entry::text as text from audit_entries order by sequence desc limit 1")
    assert "werkwijze" not in row["text"]
    began, path = world.now, f"/documents/{document.id}/withdrawal-reason"
    world.send("PUT", path, "admin", json={"reason": "De dosis was fout."}).raise_for_status()
    said = world.said(began)
    assert [one["action"] for one in said] == 2 * ["document.withdrawal_explained"], "nothing is withdrawn twice"
    assert said[-1]["about"] == {"reason": "De dosis was fout."}
    world.container.db.run("delete from documents where id = %(id)s", {"id": document.id})


def test_a_new_version_that_is_uploaded_is_told_from_a_document_that_was_not_there(world: World) -> None:
    def uploaded(text: str) -> list[tuple[str, str]]:
        began = world.now
        sent = world.send("POST", "/documents", "admin", files={"file": ("nieuw-hier.txt", text.encode())})
        (item,) = sent.raise_for_status().json()["items"]
        assert item["outcome"] in ("indexed", "unchanged")
        return [(one["action"], one["result"]) for one in world.said(began)]

    begun = ("document.uploaded", "begun")
    assert uploaded("Na een val belt u de wacht.") == [begun, ("document.uploaded", "success")]
    assert uploaded("Na een val belt u de wacht.") == [begun, ("document.uploaded", "success")], "it is the same"
    assert uploaded("Na een val belt u de arts.") == [begun, ("document.replaced", "success")]
    world.container.db.run("delete from documents where source = 'nieuw-hier.txt'")


def test_a_change_of_who_may_read_says_who_could_and_a_replacement_names_what_it_replaces(world: World) -> None:
    old = load(world.container, "oud.pdf", "Zo was het.", title="Werkwijze van vroeger")
    new = load(world.container, "nieuw.pdf", "Zo is het.")
    began = world.now
    for groups in (["everyone", "ward"], ["everyone"]):
        world.send("PUT", f"/documents/{new.id}/access", "admin", json={"groups": groups}).raise_for_status()
        world.send("PUT", "/department-access/Spoed", "admin", json={"groups": groups}).raise_for_status()
    one, department, other, again = (entry["on"] for entry in world.said(began) if entry["result"] == "success")
    assert (one["groups_before"], one["groups"]) == (["everyone"], ["everyone", "ward"])
    assert (other["groups_before"], other["groups"]) == (["everyone", "ward"], ["everyone"])
    assert (department["groups_before"], again["groups_before"]) == (None, ["everyone", "ward"])
    began = world.now
    world.send("PATCH", f"/documents/{new.id}", "admin", json={"supersedes": "oud.pdf"}).raise_for_status()
    said = world.said(began)[-1]["on"]
    assert said["supersedes"] == "Werkwijze van vroeger"
    assert [one["id"] for one in said["documents"]] == [new.id, old.id], "the trail of the older one tells it too"
    world.container.db.run("delete from documents where id = any(%(ids)s)", {"ids": [old.id, new.id]})


def test_a_deleted_conversation_takes_its_questions_out_of_the_trail(world: World) -> None:
    answer = world.send("POST", "/ask", "owner", json={"question": DUTCH, "mode": "sources"}).json()
    asked = world.said(world.now - 2)[0]
    assert asked["question"]["text"] == DUTCH
    assert world.send("DELETE", f"/conversations/{answer['conversation_id']}", "owner").status_code == 204
    again = world.said(asked["sequence"] - 1)[0]
    assert again["erased"] == ["question"]
    assert again["who"] == asked["who"]
    assert verify(world.container.db).bad is None


def test_an_auditor_reads_the_trail_by_pages_and_is_in_it(world: World) -> None:
    began = world.now
    first = world.send("GET", "/audit?limit=2", "auditor").json()
    second = world.send("GET", f"/audit?limit=2&before={first['next']}", "auditor").json()
    assert [one["sequence"] for one in first["entries"] + second["entries"]] == [began, began - 1, began - 2, began - 3]
    said = world.said(began)
    assert [(one["action"], one["on"]["entries"]) for one in said] == [
        ("audit.read", [began - 1, began]), ("audit.read", [began - 3, began - 2]),
    ]  # fmt: skip
    assert said[0]["who"]["user"] == world.people.ids["auditor"]
    found = world.send("GET", "/audit/head", "auditor").json()
    assert found["sequence"] == began + 2


CASES = [
    ("POST", "/ask", "owner", {"json": {"question": DUTCH, "mode": "sources"}}),
    ("POST", "/ask", "owner", {"json": {"question": DUTCH, "mode": "sources"}, "headers": STREAM}),
    ("GET", "/documents", "owner", {}),
    ("GET", "/documents/{id}/file", "owner", {}),
    ("PUT", "/documents/{id}/access", "admin", {"json": {"groups": ["nobody-else"]}}),
    ("GET", "/documents/" + "0" * 32, "owner", {}),
    ("GET", "/audit", "auditor", {}),
]


@pytest.mark.parametrize(("method", "path", "who", "send"), CASES)
def test_where_the_entry_cannot_be_written_nothing_is_shown_or_changed(
    world: World, method: str, path: str, who: str, send: dict[str, Any]
) -> None:
    child = world.documents["child"]
    with world.under("required"), world.without_a_trail():
        response = world.send(method, path.format(id=child.id), who, **send)
    assert (response.status_code, response.json()["code"]) == (503, "audit_unavailable")
    assert child.source not in response.text
    assert world.send("GET", f"/documents/{child.id}", "owner").status_code == 200


def test_a_stream_whose_second_entry_cannot_be_written_ends_as_failed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    trail, whole = world.container.trail, world.container.trail.write

    def first_only(event: Any) -> None:
        if event.action == "question.answered":
            with world.without_a_trail():
                return whole(event)
        whole(event)

    monkeypatch.setattr(trail, "write", first_only)
    with world.under("required"):
        began = world.now
        told = events(
            world.send("POST", "/ask", "owner", json={"question": DUTCH, "mode": "sources"}, headers=STREAM).text
        )
        alone = world.send("POST", "/ask", "owner", json={"question": DUTCH, "mode": "sources"})
    assert [name for name, _ in told][-1] == "failed"
    assert (told[-1][1]["code"], told[-1][1]["answer"]) == ("audit_unavailable", None)
    assert (alone.status_code, alone.json()["code"]) == (503, "audit_unavailable")
    assert [one["result"] for one in world.said(began) if one["action"] == "question.asked"] == ["begun", "begun"]


def test_a_reader_who_goes_away_leaves_an_entry_of_what_was_shown_until_then(world: World) -> None:
    container, began = world.container, world.now
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/ask",
        "headers": [],
        "client": ("10.0.0.9", 1),
        "app": world.client.app,
        "state": {},
    }
    noted = Noted(Request(scope), ACTIONS["POST /ask"])
    noted.user = LOCAL_USER
    question = new_question(LOCAL_USER, container, DUTCH)

    async def until_found() -> None:
        asked = QuestionAudit(noted, question, container)
        await asked.begins()
        async with contextlib.aclosing(asked.followed(ask(question, LOCAL_USER, container))) as told:
            async for event in told:
                if isinstance(event, Found):
                    return

    asyncio.run(until_found())
    written = threading.Event()
    container.afterwards(written.set)
    assert written.wait(300)
    said = [one for one in world.said(began) if one["action"] == "question.answered"]
    assert [(one["result"], one["who"]["client"]) for one in said] == [("stopped", "10.0.0.9")]
    assert world.documents["child"].id in [one["id"] for one in said[0]["on"]["documents"]]
    assert said[0]["on"]["cited"] == []


def test_buffered_entries_are_kept_in_a_file_and_chained_in_in_order(world: World) -> None:
    began = world.now
    with world.without_a_trail():
        assert world.send("GET", "/documents", "owner").status_code == 200
        assert world.send("POST", "/ask", "owner", json={"question": DUTCH, "mode": "sources"}).status_code == 200
        assert world.container.trail.journal.waiting()
    drained(world)
    said = world.said(began)
    assert [one["action"] for one in said] == ["documents.listed", "question.asked", "question.answered"]
    assert all(one["buffered"] for one in said)
    assert said[1]["question"]["text"] == DUTCH
    assert verify(world.container.db).bad is None
    assert world.send("GET", "/documents", "owner").status_code == 200
    assert not world.said(began)[-1]["buffered"]


def drained(world: World) -> None:
    trail, done = world.container.trail, threading.Event()
    for _ in range(100):
        if not trail.journal.waiting():
            return
        done.wait(0.1)
    raise AssertionError("what waits is not chained in")


def test_where_neither_takes_the_entry_the_request_fails(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(record: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(world.container.trail.journal, "keep", full)
    with world.without_a_trail():
        response = world.send("GET", "/documents", "owner")
    assert (response.status_code, response.json()["code"]) == (503, "audit_unavailable")
    assert "No space left" in response.json()["detail"]


def test_a_failure_stays_the_failure_that_it_is_when_the_trail_is_away_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rag_api.errors import StoreUnavailable

    def away(*_: object) -> None:
        raise StoreUnavailable("The index is away.")

    monkeypatch.setattr("rag_api.api.routes.documents.list_documents", away)
    with world.under("required"), world.without_a_trail():
        assert world.send("GET", "/documents", "owner").json()["code"] == "store_unavailable"


def test_off_writes_nothing_and_production_refuses_it(world: World) -> None:
    began = world.now
    with world.under("off"):
        world.send("GET", "/documents", "owner")
    assert world.said(began) == []
    with pytest.raises(ValueError, match="BEDSIDE_AUDIT=required or buffered"):
        Settings(
            environment="production", audit="off", database_url="postgresql://b:f3c1aa@db/b", generator_url="http://g/v1", sign_in="local",
            public_url="https://bedside.example",
        )  # fmt: skip


def test_the_head_is_kept_on_this_machine_and_a_cut_is_found_by_it(world: World) -> None:
    trail = world.container.trail
    for _ in range(2):
        world.send("GET", "/documents", "owner")
    said = trail.say_head()
    assert said == trail.say_head() == trail.known_anchors()[-1]
    assert not trail.is_behind()
    with psycopg.connect(world.container.db.dsn) as connection:
        connection.execute("set session_replication_role = replica")
        connection.execute(
            "create temporary table kept_e as select * from audit_entries where sequence > %s", [world.now - 1]
        )
        connection.execute(
            "create temporary table kept_s as select * from audit_sealed where sequence > %s", [world.now - 1]
        )
        connection.execute("delete from audit_entries where sequence in (select sequence from kept_e)")
        connection.execute("delete from audit_sealed where sequence in (select sequence from kept_s)")
        connection.commit()
        assert trail.is_behind()
        bad = verify(world.container.db, trail.known_anchors()).bad
        connection.execute("insert into audit_entries select * from kept_e")
        connection.execute("insert into audit_sealed select * from kept_s")
    assert bad is not None
    assert bad.why == "cut_off"
    assert verify(world.container.db, trail.known_anchors()).bad is None


class TestCommands:
    @pytest.fixture
    def run(self, world: World, monkeypatch: pytest.MonkeyPatch) -> Any:
        settings = world.container.settings
        assert settings.database_url is not None
        monkeypatch.setenv("BEDSIDE_DATABASE_URL", settings.database_url.get_secret_value())
        monkeypatch.setenv("BEDSIDE_DATA_DIR", str(settings.data_dir))
        monkeypatch.setenv("BEDSIDE_STORE", "memory")
        runner = CliRunner()
        return lambda *words, **more: runner.invoke(command_line, list(words), **more)

    def test_every_command_says_what_it_is_called(self) -> None:
        names = set(_names(typer.main.get_command(command_line)))
        assert {name for name in names if not name.startswith("bench ")} <= set(COMMANDS)
        with pytest.raises(TypeError, match="must say what it is called"):
            act_of("new thing")

    def test_a_command_is_an_entry_before_and_after_it(self, world: World, run: Any) -> None:
        began = world.now
        assert run("users", "add", "carla", "--roles", "judge", input=f"{PASSWORD}\n").exit_code == 0
        assert run("users", "roles", "nobody-at-all", "admin").exit_code == 1
        said = world.said(began)
        assert [(one["action"], one["result"]) for one in said] == [
            ("account.made", "begun"), ("account.made", "success"), ("account.changed", "begun"), ("account.changed", "failed"),
        ]  # fmt: skip
        assert said[1]["about"]["account"] == "carla"
        assert said[1]["on"] == {"roles": "judge"}
        assert (said[3]["code"], said[3]["origin"], said[3]["route"]) == ("not_found", "cli", "bedside users roles")
        assert PASSWORD not in json.dumps(said)

    def test_watching_writes_an_entry_where_it_changed_something(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reports = [
            IngestReport((Outcome("a.pdf", "indexed", "d1"), Outcome("b.pdf", "unchanged", "d2")), 1, 1, 0.1),
            IngestReport((Outcome("b.pdf", "unchanged", "d2"),), 0, 0, 0.1),
        ]
        monkeypatch.setattr("rag_api.cli.content.ingest.run_ingest", lambda *_, **__: reports.pop(0))
        began = world.now
        for _ in range(2):
            ingest_changes(world.container, [], None, True)
        (said,) = world.said(began)
        assert (said["action"], said["origin"], said["result"]) == ("documents.ingested", "watch", "success")
        assert said["on"] == {
            "documents": [{"id": "d1", "source": "a.pdf", "became": "indexed", "reason": ""}],
            "unchanged": 1,
        }

    def test_an_export_goes_on_where_the_one_before_ended(self, world: World, run: Any) -> None:
        whole = [json.loads(line) for line in run("audit", "export").stdout.splitlines()]
        assert [one["sequence"] for one in whole] == list(range(1, len(whole) + 1))
        after = whole[-1]["sequence"]
        more = [json.loads(line) for line in run("audit", "export", "--after", str(after)).stdout.splitlines()]
        assert more[0]["sequence"] == after + 1
        assert {"sequence", "at", "action", "result", "who", "route", "request", "on", "hash"} <= set(more[0])
        assert run("audit", "export", "--since", "2999-01-01").stdout == ""
        assert world.said(after)[0]["action"] == "audit.exported"

    def test_verifying_ends_with_one_and_the_first_bad_entry(self, world: World, run: Any) -> None:
        anchor = run("audit", "head").stdout.strip()
        good = run("audit", "verify", "--json", "--anchor", anchor)
        assert (good.exit_code, json.loads(good.stdout)["bad"]) == (0, None)
        assert json.loads(good.stdout)["anchors"] >= 1
        beyond = f"{world.now + 1000}:{'ab' * 32}"
        bad = run("audit", "verify", "--anchor", beyond)
        assert bad.exit_code == 1
        assert "its end is cut off" in bad.stdout
        assert world.said(world.now - 1)[0]["result"] == "failed"

    def test_a_person_is_forgotten_with_their_conversations(self, world: World, run: Any) -> None:
        colleague = world.people.ids["colleague"]
        world.send("POST", "/ask", "colleague", json={"question": DUTCH, "mode": "sources"})
        assert run("audit", "forget", "colleague", "--identity").exit_code == 0
        assert not world.container.db.all("select from conversations where user_id = %(id)s", {"id": colleague})
        assert not world.container.db.all("select from audit_sealed where body ->> 'user' = %(id)s", {"id": colleague})
        assert verify(world.container.db).bad is None

    def test_retaining_erases_by_the_settings(self, world: World, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        world.send("POST", "/ask", "owner", json={"question": DUTCH, "mode": "sources"})
        monkeypatch.setenv("BEDSIDE_AUDIT_QUESTION_DAYS", "0.0000001")
        assert run("audit", "retain").exit_code == 0
        assert not world.container.db.all("select from audit_sealed where part = 'question'")
        assert world.container.db.all("select from audit_sealed where part = 'who'")
        assert verify(world.container.db).bad is None


def _names(command: Any, before: tuple[str, ...] = ()) -> Iterator[str]:
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from _names(inner, (*before, name))
    else:
        yield " ".join(before)


def test_scopes_for_the_trail_are_for_auditors_alone(world: World) -> None:
    assert world.send("GET", "/audit", f"key:{Scope.AUDIT}").status_code == 200
    assert world.send("GET", "/audit", f"key:{Scope.ADMIN}").status_code == 403


def test_the_trail_says_how_many_entries_and_acts_fit_however_few_are_shown(world: World) -> None:
    asked = {"action": "document.described", "limit": 1}
    before = world.send("GET", "/audit", "auditor", params=asked).json()
    said = world.send("PATCH", f"/documents/{world.documents['fall'].id}", "admin", json={"owner": "Raad"})
    assert said.status_code == 200
    found = world.send("GET", "/audit", "auditor", params=asked).json()
    assert (len(found["entries"]), found["fitting"] - before["fitting"], found["acts"] - before["acts"]) == (1, 2, 1)
    later = world.send("GET", "/audit", "auditor", params=asked | {"before": found["next"]}).json()
    assert (later["fitting"], later["acts"]) == (None, None)
    begun = world.send("GET", "/audit", "auditor", params=asked | {"result": "begun"}).json()
    assert (begun["fitting"], begun["acts"]) == (found["acts"], found["acts"])
