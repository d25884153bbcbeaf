"""Every route, as every kind of person and key meets it, on real rows that are somebody's: a route
without a row here fails.

A row says what comes back to: nobody, the owner, a colleague (same groups), an outsider (reader of
another group), a judge, an admin, an admin of another group, an auditor, an account that was
suspended, a membership admin; then the one scope that a key needs, and what it gets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from rag_api.api.sign_in.access import Access
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import Document, Judged, Role, Scope, User
from rag_api.evaluate.judged import judged_csv
from rag_api.main import all_routes, create_app
from tests.support.people import People, staffed
from tests.support.world import load

WHO = (
    "anonymous",
    "owner",
    "colleague",
    "outsider",
    "judge",
    "admin",
    "foreign admin",
    "auditor",
    "suspended",
    "membership admin",
)
SECRET = "zevenblad"  # stands in the document that only surgery reads, in its title and its text, and in no request
OUTSIDE = {"anonymous", "outsider", "foreign admin", "auditor", "suspended"}
TEXT = f"Thuisregels voor {SECRET}. Geef na een operatie elke zes uur paracetamol en noteer de pijnscore. "
QUESTION = "Hoe vaak paracetamol na een operatie?"
SOURCES = {"mode": "sources"}
FILE = {"file": ("nieuw.txt", b"Na een val belt u de wacht.", "text/plain")}


@dataclass(frozen=True)
class Row:
    statuses: tuple[int, ...]  # as WHO
    scope: str = ""  # of the key that may; "": none may, or a key is not looked at
    with_scope: int = 0
    with_other: int = 403
    send: dict[str, Any] = field(default_factory=dict)
    also: str = ""  # a second row of the same route: what is different


def anyone(status: int, **send: Any) -> Row:
    return Row((status,) * len(WHO), "", 0, status, send)


def readers(
    status: int,
    scope: str,
    owner: int | None = None,
    inside: int | None = None,
    outside: int | None = None,
    **send: Any,
) -> Row:
    """For readers; `owner`: what the owner gets, where the row is theirs; `outside`: who is in no
    group that may."""
    inside, outside = inside or status, outside or status
    return Row(
        (401, owner or status, inside, outside, inside, inside, outside, 403, 401, inside), scope, inside, 403, send
    )


def judges(status: int, foreign: int | None = None, **send: Any) -> Row:
    return Row((401, 403, 403, 403, status, status, foreign or status, 403, 401, status), "judge", status, 403, send)


def admins(status: int, scope: str, foreign: int | None = None, **send: Any) -> Row:
    return Row((401, 403, 403, 403, 403, status, foreign or status, 403, 401, status), scope, status, 403, send)


def membership_admins(status: int, **send: Any) -> Row:
    """For them alone: the machine of the keys is an admin's."""
    return Row((401, 403, 403, 403, 403, 403, 403, 403, 401, status), "", 0, 403, send)


def auditors() -> Row:
    return Row((401, 403, 403, 403, 403, 403, 403, 200, 401, 403), "audit", 200)


ROWS: list[tuple[str, Row]] = [
    ("GET /health/live", anyone(200)),
    ("GET /health/ready", anyone(204)),
    ("GET /session", anyone(200)),
    ("POST /session", anyone(401, json={"login": "nobody", "password": "no such password"})),
    ("DELETE /session", anyone(200)),
    ("POST /session/used", Row((401, 204, 204, 204, 204, 204, 204, 204, 401, 204), "", 0, 403)),
    ("GET /sign-in", anyone(404)),
    ("GET /sign-in/callback", anyone(404)),
    ("GET /health", readers(200, "read")),
    ("GET /openapi.json", readers(200, "read")),
    ("GET /metrics", admins(200, "monitor")),
    ("POST /ask", readers(200, "ask", json={"question": QUESTION, "mode": "sources"})),
    (
        "POST /ask stream",
        readers(200, "ask", json={"question": QUESTION, "mode": "sources"}, headers={"accept": "text/event-stream"}),
    ),
    (
        "POST /ask follow-up",
        readers(
            404,
            "ask",
            owner=200,
            json={"question": QUESTION, "mode": "sources", "conversation_id": "{conversation_id}"},
        ),
    ),
    (
        "POST /v1/chat/completions",
        readers(200, "ask", json={"messages": [{"role": "user", "content": QUESTION}], "bedside": SOURCES}),
    ),
    ("GET /v1/models", readers(200, "ask")),
    ("GET /documents", readers(200, "read")),
    ("GET /search", readers(200, "read", params={"search": "paracetamol"})),
    ("GET /facets", readers(200, "read")),
    ("GET /favourites", readers(200, "read")),
    ("PUT /favourites/{document_id}", readers(204, "read", outside=404)),
    ("DELETE /favourites/{document_id}", readers(204, "read", outside=404)),
    ("GET /documents/{document_id}", readers(200, "read", outside=404)),
    ("GET /documents/{document_id}/place", readers(200, "read", outside=404)),
    ("GET /documents/{document_id}/predecessors", admins(200, "ingest", foreign=404)),
    ("GET /documents/{document_id}/file", readers(200, "read", outside=404)),
    ("PATCH /documents/{document_id}", admins(200, "ingest", foreign=404, json={"owner": "apotheek"})),
    ("PUT /documents/{document_id}/review", judges(200, foreign=404, json={"next_review": "2999-01-01"})),
    ("DELETE /documents/{document_id}", admins(200, "ingest", foreign=404)),
    ("POST /documents/{document_id}/withdraw", admins(200, "ingest", foreign=404, json={"reason": ""})),
    (
        "PUT /documents/{document_id}/withdrawal-reason",
        admins(409, "ingest", foreign=404, json={"reason": "Verouderd."}),  # it is not taken out
    ),
    ("POST /documents/{document_id}/restore", admins(409, "ingest", foreign=404)),  # it is not taken out
    ("POST /documents/{document_id}/retry", admins(409, "ingest", foreign=404)),  # it could be read
    ("POST /documents", admins(200, "ingest", foreign=409, files=FILE)),
    ("GET /ingestion", admins(200, "ingest")),
    ("DELETE /ingestion", admins(200, "ingest")),
    ("GET /documents/{document_id}/changes", admins(200, "admin", foreign=404)),
    ("GET /documents/{document_id}/access", admins(200, "admin", foreign=404)),
    ("GET /documents/{document_id}/access/{account_id}", admins(200, "admin", foreign=404)),
    ("GET /documents/{document_id}/readers", judges(200, foreign=404)),
    ("PUT /documents/{document_id}/access", admins(200, "admin", foreign=404, json={"groups": ["surgery"]})),
    ("GET /department-access", admins(200, "admin")),
    ("PUT /department-access/{department}", admins(200, "admin", foreign=403, json={"groups": ["surgery"]})),
    ("GET /conversations", readers(200, "read")),
    ("GET /conversations/{conversation_id}", readers(404, "read", owner=200)),
    ("GET /conversations/{conversation_id}/since", readers(404, "read", owner=200)),
    ("PATCH /conversations/{conversation_id}", readers(404, "ask", owner=200, json={"pinned": True})),
    ("DELETE /conversations/{conversation_id}", readers(404, "ask", owner=204)),
    ("GET /answers/{answer_id}", readers(404, "read", owner=200)),
    ("POST /answers/{answer_id}/feedback", readers(404, "ask", owner=201, json={"found": "yes"})),
    ("GET /judged", judges(200)),
    ("GET /judged/{name}", judges(200, foreign=404)),
    ("DELETE /judged/{name}", judges(204, foreign=404)),
    ("GET /judged/{name}/csv", judges(200, foreign=404)),
    ("POST /judged/{name}/csv", judges(200, json={"csv": judged_csv([Judged("9", "Waar?")]), "check": True})),
    ("PUT /judged/{name}/answers/{answer_id}", judges(404, json={"found": "yes", "marked": [], "no_answer": True})),
    ("POST /judged/{name}/feedback", judges(200)),
    ("DELETE /judged/{name}/questions/{question_id}", judges(204, foreign=404)),
    (
        "PUT /judged/{name}/questions/{question_id}",
        judges(200, json={"question": "Waar?", "no_answer": True, "places": []}),
    ),
    ("GET /gaps", judges(200)),
    ("GET /gaps.csv", judges(200)),
    ("GET /reviews", judges(200)),
    ("PUT /reviews/{answer_id}", judges(200, foreign=404, json={"verdict": "right"})),
    ("GET /usage", judges(200)),
    ("GET /report", judges(200, params={"since": "2026-01-01", "until": "2026-01-31"})),
    ("GET /report.csv", judges(200, params={"since": "2026-01-01", "until": "2026-01-31"})),
    ("GET /risk", judges(200)),
    ("PUT /risk", admins(200, "admin", json={"risk": "careful"})),
    ("GET /owners", admins(200, "admin")),
    (
        "PUT /owners",
        admins(204, "admin", foreign=404, json={"name": "Chirurgie", "mail": "chirurgie@hospital.example"}),
    ),
    (
        "POST /documents/{document_id}/owner-questions",
        readers(201, "ask", outside=404, json={"kind": "report", "text": "Klopt dit nog?"}),
    ),
    (
        "POST /answers/{answer_id}/owner-questions",
        judges(201, foreign=404, json={"text": "Weet u dit?", "to": "colleague"}),
    ),
    ("GET /colleagues", judges(200)),
    ("GET /documents/{document_id}/owner", readers(200, "read", outside=404)),
    ("GET /owner-questions/asked", readers(200, "read")),
    ("POST /owner-questions/asked/seen", readers(204, "read")),
    ("GET /owner-questions/news", readers(200, "read")),
    ("GET /owner-questions/work", readers(200, "read")),
    # Nobody is known for the document here, so it is quality staff's.
    (
        "POST /owner-questions/{owner_question_id}/reply",
        Row((401, 404, 404, 404, 200, 200, 404, 403, 401, 200), "ask", 200, send={"json": {"outcome": "mended"}}),
    ),
    ("GET /webhooks", admins(200, "admin")),
    ("POST /webhooks", admins(201, "admin", json={"url": "https://system.hospital.example/bedside"})),
    ("GET /webhooks/{webhook_id}/deliveries", admins(200, "admin", foreign=404)),
    ("POST /webhooks/{webhook_id}/test", admins(202, "admin", foreign=404)),
    ("DELETE /webhooks/{webhook_id}", admins(204, "admin", foreign=404)),
    ("GET /groups", admins(200, "admin")),
    ("GET /accounts", admins(200, "admin")),
    (
        "POST /accounts",
        admins(201, "admin", json={"login": "", "name": "Nieuw", "password": "een heel lang wachtwoord"}),
    ),
    ("PATCH /accounts/{account_id}", admins(200, "admin", json={"roles": ["judge"]})),
    (
        "PUT /accounts/{account_id}/password",
        admins(204, "admin", foreign=403, json={"password": "een heel lang wachtwoord"}),
    ),
    ("DELETE /accounts/{account_id}/sessions", admins(200, "admin")),
    ("GET /keys", admins(200, "admin")),
    (
        "POST /keys",
        admins(201, "admin", foreign=403, json={"user": "colleague", "name": "scanner", "scopes": ["admin"]}),
    ),
    ("DELETE /keys/{key_id}", admins(204, "admin")),
    ("PATCH /accounts/{account_id} groups", membership_admins(200, json={"groups": ["staff", "surgery"]})),
    ("GET /audit", auditors()),
    ("GET /audit.jsonl", auditors()),
    ("GET /audit/head", auditors()),
    ("GET /audit/chain", auditors()),
    ("POST /audit/verify", auditors()),
]


class World:
    """What is there to be had, made anew after somebody was let to change it."""

    def __init__(self, container: Container, client: TestClient, people: People) -> None:
        self.container, self.client, self.people = container, client, people
        self.ids: dict[str, str] = {
            "department": "chirurgie",
            "name": "ronde",
            "question_id": "1",
            "account_id": people.ids["owner"],
        }
        self.fresh = False

    def ready(self) -> dict[str, str]:
        if not self.fresh:
            self.ids |= {
                "document_id": self._document().id,
                "key_id": self._key(),
                "webhook_id": self._webhook(),
            } | self._answer()
            self._judged()
            self._asked_of_the_owner()
            self.fresh = True
        return self.ids

    def _document(self) -> Document:
        document = load(self.container, f"{SECRET}.pdf", TEXT, department="Chirurgie", language="nl")
        path = f"/documents/{document.id}/access"
        closed = "update documents set groups = '{surgery}', indexed_groups = '{surgery}' where id = %(id)s"
        self.container.db.run(closed, {"id": document.id})
        self.client.put(path, json={"groups": ["surgery"]}, headers=self.people.shows("admin")).raise_for_status()
        return document

    def _key(self) -> str:
        body = {"user": "colleague", "name": "to be revoked", "scopes": ["read"]}
        return str(
            self.client.post("/keys", json=body, headers=self.people.shows("admin")).raise_for_status().json()["id"]
        )

    def _webhook(self) -> str:
        self.container.db.run("delete from webhooks")
        body = {"url": f"https://{SECRET}.hospital.example/"}
        return str(
            self.client.post("/webhooks", json=body, headers=self.people.shows("admin")).raise_for_status().json()["id"]
        )

    def _answer(self) -> dict[str, str]:
        body = {"question": f"{QUESTION} {SECRET}", "mode": "sources"}
        answer = self.client.post("/ask", json=body, headers=self.people.shows("owner")).raise_for_status().json()
        assert f"{SECRET}.pdf" in [source["document"] for source in answer["sources"]]
        return {"conversation_id": answer["conversation_id"], "answer_id": answer["id"]}

    def _asked_of_the_owner(self) -> None:
        path, body = (
            f"/documents/{self.ids['document_id']}/owner-questions",
            {"kind": "question", "text": f"Groeit hier {SECRET}?"},
        )
        made = self.client.post(path, json=body, headers=self.people.shows("owner")).raise_for_status().json()
        self.ids["owner_question_id"] = made["question"]["id"]

    def _judged(self) -> None:
        body = {"question": f"Waar groeit {SECRET}?", "no_answer": True, "places": []}
        self.client.put("/judged/ronde/questions/1", json=body, headers=self.people.shows("judge")).raise_for_status()


@pytest.fixture(scope="module")
def world(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with staffed(dsn, tmp_path_factory.mktemp("staffed")) as (container, client, people):
        yield World(container, client, people)


def asked(world: World, route: str, row: Row, who: str) -> Any:
    """Return the response to who sends this row's request."""
    ids = world.ready()
    method, path = route.split()[:2]
    send = dict(row.send)
    if "conversation_id" in send.get("json", {}):
        send["json"] = {**send["json"], "conversation_id": ids["conversation_id"]}
    if "groups" in route.split():
        # what is so already may be said by anybody
        send["json"] = {"groups": [*send["json"]["groups"], f"team {uuid4()}"]}
    headers = world.people.shows(who) | send.pop("headers", {})
    if route == "POST /accounts":
        send["json"] = {**send["json"], "login": f"nieuw-{uuid4()}"}  # each login once
    world.client.cookies.clear()
    response = world.client.request(method, path.format(**ids), headers=headers, follow_redirects=False, **send)
    if (
        response.is_success
        and method != "GET"
        and "/session" not in path
        and path not in ("/ask", "/v1/chat/completions")
    ):
        world.fresh = False
    return response


def expected(row: Row) -> dict[str, int]:
    people = dict(zip(WHO, row.statuses, strict=True))
    return people | {f"key:{scope}": row.with_scope if scope == row.scope else row.with_other for scope in Scope}


@pytest.mark.parametrize(("route", "row"), ROWS, ids=[route for route, _ in ROWS])
def test_a_route_is_for_whom_its_row_says(world: World, route: str, row: Row) -> None:
    found: dict[str, int] = {}
    for who in expected(row):
        response = asked(world, route, row, who)
        found[who] = response.status_code
        may_know = who not in OUTSIDE or (
            who == "auditor" and route in ("GET /audit", "GET /audit.jsonl")
        )  # which names what was asked and shown
        if not (may_know and response.is_success):
            assert SECRET not in response.text, f"{who} is told what is not theirs"
    assert found == expected(row)


@pytest.mark.parametrize(
    ("access", "user", "words"),
    [
        (Access.INGEST, User("a", "A", (), roles=frozenset({Role.READER})), "the role admin,"),
        (Access.JUDGE, User("a", "A", (), roles=frozenset({Role.AUDITOR})), "the role judge or admin,"),
        (
            Access.INGEST,
            User("a", "A", (), roles=frozenset({Role.ADMIN}), scopes=frozenset({Scope.READ})),
            "a key with the scope ingest,",
        ),
        (
            Access.SIGNED_IN,
            User("a", "A", (), roles=frozenset({Role.ADMIN}), scopes=frozenset({Scope.READ})),
            "No key may do this",
        ),
    ],
)
def test_who_is_refused_hears_which_right_is_lacking(access: Access, user: User, words: str) -> None:
    assert not access.allows(user)
    assert words in access.lacking(user)


def test_who_shows_no_key_hears_how_to(world: World) -> None:
    world.client.cookies.clear()
    response = world.client.get("/documents")
    assert (response.status_code, response.json()["code"]) == (401, "not_signed_in")
    assert "Authorization: Bearer" in response.json()["detail"]


def test_every_route_has_a_row() -> None:
    app = create_app(Settings())
    served = {f"{method} {route.path}" for route in all_routes(app.routes) for method in route.methods - {"HEAD"}}  # type: ignore[attr-defined]
    described = {f"{method.upper()} {path}" for path, methods in app.openapi()["paths"].items() for method in methods}
    rows = {" ".join(route.split()[:2]) for route, _ in ROWS}
    assert {name.replace(":path}", "}") for name in served | described} == rows


def test_every_operation_says_what_it_is_for() -> None:
    operations = [found for methods in create_app(Settings()).openapi()["paths"].values() for found in methods.values()]
    assert all(operation["x-access"] for operation in operations)


def test_a_route_that_says_nothing_or_is_not_checked_stops_the_start() -> None:
    from rag_api.api.routes.limited import LimitedRoute

    with pytest.raises(TypeError, match="must say who may use it"):
        LimitedRoute("/new", lambda: None)
    app_of = _with_a_route_of_its_own()
    with pytest.raises(TypeError, match="route_class=LimitedRoute"):
        app_of()


def _with_a_route_of_its_own() -> Callable[[], None]:
    from fastapi import FastAPI

    from rag_api.main import refuse_undeclared

    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.get("/unchecked")(lambda: None)
    return lambda: refuse_undeclared(app)
