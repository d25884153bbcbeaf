"""Accounts, sessions, keys and "why does X see this?" by way of the API, as the admins' pages use
it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from rag_api.api.auditing.audit_actions import ACTIONS, BESIDE, REPLACED
from rag_api.api.people import AccountFilter, matching
from rag_api.audit.erasing import forget_person
from rag_api.audit.verify import Verified, verify
from rag_api.cli.audited import COMMANDS, begun
from rag_api.container import Container
from rag_api.db.people.accounts import LONGEST_WAIT, MOST_TRIES, Claims, get_account, list_accounts, signed_in_with
from rag_api.domain import Role
from tests.support.people import People, staffed
from tests.support.world import load

PASSWORD = "een heel lang wachtwoord"


class World:
    def __init__(self, container: Container, client: TestClient, people: People) -> None:
        self.container, self.client, self.people = container, client, people

    def send(self, method: str, path: str, who: str = "membership admin", **more: Any) -> Any:
        self.client.cookies.clear()
        return self.client.request(method, path, headers=self.people.shows(who), **more)


@pytest.fixture(scope="module")
def world(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with staffed(dsn, tmp_path_factory.mktemp("staffed")) as (container, client, people):
        yield World(container, client, people)


def made(world: World, login: str, **more: Any) -> Any:
    body = {"login": login, "name": login.title(), "password": PASSWORD, "groups": ["staff"], **more}
    return world.send("POST", "/accounts", json=body)


def test_an_account_that_an_admin_makes_signs_in_and_is_found(world: World) -> None:
    response = made(world, "bo.jans", groups=["staff", "surgery"])
    assert response.status_code == 201
    account = response.json()
    assert (account["signs_in"], account["all_roles"], account["sessions"]) == ("password", ["reader"], 0)
    body = {"login": "bo.jans", "password": PASSWORD}
    assert (
        world.client.post("/session", json=body, headers={"origin": "http://testserver"}).json()["user"]["name"]
        == "Bo.Jans"
    )
    found = world.send("GET", "/accounts?search=JANS bo&group=surgery&role=reader&suspended=false").json()
    assert [(one["login"], one["sessions"]) for one in found["accounts"]] == [("bo.jans", 1)]
    assert {"everyone", "staff", "surgery", "elsewhere"} <= set(found["groups"])


def test_groups_are_named_with_how_many_read_through_them(world: World) -> None:
    document = load(world.container, "zaal.pdf", "Bel de wacht.", department="", language="nl")
    world.container.db.run("update documents set groups = '{nobodys}' where id = %(id)s", {"id": document.id})

    def readers() -> dict[str, int]:
        listed = world.send("GET", "/groups").raise_for_status().json()["groups"]
        return {one["name"]: one["readers"] for one in listed}

    before = readers()
    assert before["nobodys"] == 0  # a document is for it, and nobody is in it
    assert before["elsewhere"] == 2  # the outsider and the foreign admin
    made(world, "eva.smet", groups=["elsewhere", "thuiszorg"]).raise_for_status()
    made(world, "geen.lezer", roles=["auditor"], groups=["logboek"]).raise_for_status()
    after = readers()
    assert (after["elsewhere"], after["thuiszorg"], after["logboek"]) == (3, 1, 0)
    assert after["everyone"] == before["everyone"] + 1
    suspended = world.send("GET", "/accounts?search=eva.smet").json()["accounts"][0]["id"]
    world.send("PATCH", f"/accounts/{suspended}", json={"suspended": True}).raise_for_status()
    assert readers() == {**before, "thuiszorg": 0, "logboek": 0}
    world.send("PATCH", f"/accounts/{suspended}", json={"groups": [], "suspended": False}).raise_for_status()


def test_a_function_and_a_department_are_given_to_an_account_and_ask_with_it(world: World) -> None:
    account = made(world, "nina.maes", function=" nurse ", department="Pediatrie").json()
    assert (account["function"], account["department"]) == ("nurse", "Pediatrie")
    path = f"/accounts/{account['id']}"
    changed = world.send("PATCH", path, "admin", json={"function": "paediatric_nurse"}).raise_for_status().json()
    assert (changed["function"], changed["department"]) == ("paediatric_nurse", "Pediatrie")
    body = {"login": "nina.maes", "password": PASSWORD}
    asker = world.client.post("/session", json=body, headers={"origin": "http://testserver"}).json()["user"]
    assert (asker["function"], asker["department"]) == ("paediatric_nurse", "Pediatrie")
    cleared = world.send("PATCH", path, json={"department": ""}).raise_for_status().json()
    assert (cleared["function"], cleared["department"]) == ("paediatric_nurse", "")
    assert world.send("PATCH", path, json={"function": "x" * 201}).status_code == 422
    said = [one["on"] for one in world.send("GET", "/audit?action=account.", "auditor").json()["entries"]]
    for part in ({"function": " nurse "}, {"function": "paediatric_nurse"}, {"department": ""}):
        assert any(part.items() <= on.items() for on in said), part


def test_accounts_come_by_pages_and_say_how_many_there_are(world: World) -> None:
    first, second = (world.send("GET", f"/accounts?limit=2&offset={offset}").json() for offset in (0, 2))
    assert first["total"] == second["total"] == len(list_accounts(world.container.db))
    assert not {one["id"] for one in first["accounts"]} & {one["id"] for one in second["accounts"]}


def test_a_role_that_follows_from_a_group_is_looked_for_too(world: World) -> None:
    accounts = list_accounts(world.container.db)
    by_group = matching(accounts, AccountFilter(role=Role.READER), {"elsewhere": frozenset({Role.READER})})
    assert {account.name for account in by_group} == {"outsider", "foreign admin"}
    assert [one.name for one in matching(accounts, AccountFilter(suspended=True), {})] == ["suspended"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"login": "owner"}, 409),
        ({"login": "Owner"}, 409),
        ({"login": "kort", "password": "te kort"}, 422),
        ({"login": "met spatie"}, 422),
        ({"login": "\u0130stanbul"}, 422),  # whose small letters the database writes otherwise
        ({"login": "leeg", "groups": [" "]}, 422),
        ({"login": "groep", "groups": ["a;b"]}, 422),
        ({"login": "rol", "roles": ["chief"]}, 422),
    ],
)
def test_an_account_that_makes_no_sense_is_refused_and_not_made(
    world: World, body: dict[str, Any], status: int
) -> None:
    before = len(list_accounts(world.container.db))
    assert made(world, **body).status_code == status
    assert len(list_accounts(world.container.db)) == before


def test_failed_sign_ins_are_counted_and_named_by_their_error(world: World) -> None:
    made(world, "vergeetachtig")
    origin = {"origin": "http://testserver"}

    def tried(password: str) -> int:
        return int(
            world.client.post(
                "/session", json={"login": "vergeetachtig", "password": password}, headers=origin
            ).status_code
        )

    assert [tried("verkeerd") for _ in range(MOST_TRIES + 1)] == [401] * MOST_TRIES + [429]
    page = world.client.get("/metrics", headers=world.people.shows("key:monitor")).text
    assert re.search(
        rf'^bedside_sign_in_failures_total{{code="not_signed_in"}} (?:{MOST_TRIES}|[1-9]\d*)\.0$', page, re.M
    )
    assert 'bedside_sign_in_failures_total{code="too_many_tries"} 1.0' in page
    assert 'bedside_limited_total{by="user",reason="tries"} 1.0' in page
    assert re.search(r"^bedside_audit_journal_entries 0\.0$", page, re.M)
    assert re.search(r"^bedside_questions_waiting 0\.0$", page, re.M)


@pytest.mark.parametrize(("more", "minutes"), [(0, 1), (3, 8), (40, LONGEST_WAIT)])
def test_who_tried_too_often_is_told_how_long_to_wait(world: World, more: int, minutes: int) -> None:
    made(world, f"vaak{more}")
    world.container.db.run(
        "update users set failed_tries = %(tries)s, failed_at = now() where login = %(login)s",
        {"tries": MOST_TRIES + more, "login": f"vaak{more}"},
    )
    body, origin = {"login": f"vaak{more}", "password": "verkeerd"}, {"origin": "http://testserver"}
    response = world.client.post("/session", json=body, headers=origin)
    assert (response.status_code, response.json()["code"]) == (429, "too_many_tries")
    assert minutes - 1 < int(response.headers["Retry-After"]) / 60 <= minutes
    assert f"in {minutes} min" in response.json()["detail"]


def test_a_machine_has_no_password_and_gets_none_by_signing_in(world: World) -> None:
    account = made(world, "scanner", password=None).json()
    assert account["signs_in"] == "keys"
    body = {"login": "scanner", "password": PASSWORD}
    assert world.client.post("/session", json=body, headers={"origin": "http://testserver"}).status_code == 401


def test_where_a_provider_signs_in_nobody_is_given_a_password(world: World) -> None:
    state = world.client.app.state  # type: ignore[attr-defined]
    before = state.settings
    try:
        headers = world.people.shows("admin")
        state.settings = before.model_copy(update={"sign_in": "oidc"})
        world.client.cookies.clear()
        answers = [
            world.client.post(
                "/accounts", json={"login": login, "name": "X", "password": password}, headers=headers
            ).status_code
            for login, password in (("a-person", PASSWORD), ("a-machine", None))
        ]
    finally:
        state.settings = before
    assert answers == [400, 201]


def test_signed_out_everywhere_is_signed_out_everywhere(world: World) -> None:
    sessions = [world.people.shows("colleague") for _ in range(2)]
    assert world.send("DELETE", f"/accounts/{world.people.ids['colleague']}/sessions").json() == {"sessions": 2}
    world.client.cookies.clear()
    assert [world.client.get("/documents", headers=shown).status_code for shown in sessions] == [401, 401]
    assert world.send("GET", "/documents", "colleague").status_code == 200  # and may sign in again


def test_a_new_password_ends_the_sessions_and_the_old_one(world: World) -> None:
    account = made(world, "vergeten").json()
    path = f"/accounts/{account['id']}/password"
    assert world.send("PUT", path, json={"password": "kort"}).status_code == 422
    assert world.send("PUT", path, json={"password": "een ander lang wachtwoord"}).status_code == 204
    for password, status in ((PASSWORD, 401), ("een ander lang wachtwoord", 200)):
        sent = world.client.post(
            "/session", json={"login": "vergeten", "password": password}, headers={"origin": "http://testserver"}
        )
        assert sent.status_code == status


def test_a_number_is_no_word_on_suspension_and_a_blank_no_group(world: World) -> None:
    path = f"/accounts/{world.people.ids['outsider']}"
    assert [
        world.send("PATCH", path, json=body).status_code for body in ({"suspended": 0}, {"groups": ["\x85"]}, {})
    ] == [422, 422, 200]


def test_a_machines_account_is_given_no_password_so_nobody_signs_in_as_it(world: World) -> None:
    path = f"/accounts/{world.people.ids['machine']}/password"
    refused = world.send("PUT", path, json={"password": PASSWORD})
    assert (refused.status_code, refused.json()["code"]) == (400, "machine_account")
    sent = world.client.post(
        "/session", json={"login": "machine", "password": PASSWORD}, headers={"origin": "http://testserver"}
    )
    assert sent.status_code == 401


def test_a_password_is_in_no_entry_of_the_trail(world: World) -> None:
    made(world, "stil", password="een geheim dat nergens staat")
    trail = world.send("GET", "/audit?limit=50&action=account.", "auditor").text
    assert "account.made" in trail
    assert "geheim" not in trail


def test_a_key_is_shown_once_with_its_account(world: World) -> None:
    body = {"user": "judge", "name": "scanner", "scopes": ["ingest"], "days": 30}
    key = world.send("POST", "/keys", json=body).json()
    assert key["account"] == "judge"
    listed = world.send("GET", "/keys").text
    assert key["prefix"] in listed
    assert key["key"] not in listed


def test_why_somebody_sees_a_document_says_which_group_and_who_put_them_in_it(world: World) -> None:
    container = world.container
    document = load(container, "thuis.pdf", "Bel na een val de wacht.", department="Chirurgie", language="nl")
    world.send("PUT", f"/documents/{document.id}/access", json={"groups": ["surgery", "cardiology"]}).raise_for_status()
    from_provider = signed_in_with(
        container.db, Claims("https://sso", "s1", "Dr. Claes", ("surgery", "staff")), may_create=True
    )

    def why(account: str) -> Any:
        return world.send("GET", f"/documents/{document.id}/access/{account}").raise_for_status().json()

    def ways(account: str) -> list[tuple[str, list[str]]]:
        return [(one["group"], one["given_by"]) for one in why(account)["through"]]

    assert ways("owner") == [("surgery", ["hand"])]
    assert ways(from_provider) == [("surgery", ["provider"])]
    assert why("owner")["sees"] is True
    assert (why("outsider")["sees"], ways("outsider")) == (False, [])
    assert (why("suspended")["sees"], why("suspended")["suspended"]) == (False, True)
    # in the group, and reads no documents by that role
    assert (why("auditor")["sees"], why("auditor")["reader"]) == (False, False)
    assert why("owner")["access"]["said_by"] == "admin"
    assert why("owner")["access"]["groups"] == ["cardiology", "surgery"]
    for account in ("owner", "outsider", "auditor"):  # what is said is what happens
        got = world.send("GET", f"/documents/{document.id}", account).status_code == 200
        assert got is why(account)["sees"], account


def test_why_is_asked_of_no_document_that_the_admin_may_not_read(world: World) -> None:
    document = load(world.container, "elders.pdf", "Bel de wacht.", department="", language="nl")
    world.container.db.run("update documents set groups = '{elsewhere}' where id = %(id)s", {"id": document.id})
    assert world.send("GET", f"/documents/{document.id}/access/owner").status_code == 404
    assert world.send("GET", f"/documents/{document.id}/access/owner", "foreign admin").status_code == 200


def test_the_trail_is_found_by_name_login_or_id_and_by_a_documents_title(world: World) -> None:
    document = load(
        world.container, "wondzorg.pdf", "Spoel de wonde.", title="Zorg voor wonden", department="", language="nl"
    )
    world.send("GET", f"/documents/{document.id}", "judge").raise_for_status()
    judge = get_account(world.container.db, "judge")

    def who(query: str) -> set[str]:
        found = (
            world.send("GET", f"/audit?action=document.shown&{query}", "auditor").raise_for_status().json()["entries"]
        )
        return {entry["who"]["user"] for entry in found}

    for words in ("judge", "JUDGE", "udg", judge.id):
        assert who(f"user={words}") == {judge.id}
    assert who("user=nobody-called-so") == set()
    for words in ("Zorg voor", "wondzorg", "wondzorg.pdf", document.id):
        assert who(f"document={words}") == {judge.id}


def test_the_trail_is_taken_out_as_lines_up_to_the_reading_itself(world: World) -> None:
    before = world.send("GET", "/audit/head", "auditor").json()["sequence"]
    response = world.send("GET", "/audit.jsonl?action=account.", "auditor")
    lines = [json.loads(line) for line in response.text.splitlines()]
    assert response.headers["content-type"].startswith("application/jsonl")
    assert [line["sequence"] for line in lines] == sorted(line["sequence"] for line in lines)
    assert {line["action"].split(".")[0] for line in lines} == {"account"}
    assert max(line["sequence"] for line in lines) <= before
    said = world.send("GET", "/audit?action=audit.exported", "auditor").json()["entries"][0]
    assert said["on"]["asked"]["action"] == "account."
    assert said["on"]["up_to"] >= before


def test_the_trail_is_read_of_several_actions_at_once(world: World) -> None:
    load(world.container, "wondzorg.pdf", "Spoel de wonde.", department="", language="nl")
    world.send("GET", "/documents", "judge").raise_for_status()
    world.send("GET", "/groups", "admin").raise_for_status()
    found = world.send("GET", "/audit?action=documents.listed&action=groups.", "auditor").json()["entries"]
    assert {"documents.listed", "groups.listed"} == {entry["action"] for entry in found}
    said = world.send("GET", "/audit?action=audit.read", "auditor").json()["entries"][0]
    assert said["on"]["asked"]["action"] == "documents.listed groups."


def test_an_account_is_named_as_it_is_called_today_while_the_trail_knows_whom_it_names(world: World) -> None:
    db = world.container.db
    judge = get_account(db, "judge")
    world.send("PATCH", f"/accounts/{judge.id}", "admin", json={"department": "Kwaliteit"}).raise_for_status()
    db.run("update users set name = 'Quinn' where id = %(id)s", {"id": judge.id})

    def changed() -> dict[str, Any]:
        (entry, *_) = world.send("GET", "/audit?action=account.changed", "auditor").json()["entries"]
        return dict(entry)

    assert (changed()["about"]["name"], changed()["about"]["login"]) == ("Quinn", "judge")
    assert changed()["who"]["login"] == "admin"
    forget_person(db, judge.id, begun("audit.erased", "a test", {}))
    assert (changed()["about"], changed()["erased"]) == (None, ["about"])


def test_the_chain_says_when_it_was_verified_and_what_is_wrong_with_it(world: World) -> None:
    db = world.container.db
    sound = world.send("POST", "/audit/verify", "auditor").json()
    assert sound["bad"] is None
    state = world.send("GET", "/audit/chain", "auditor").json()
    assert state["verified"]["entries"] == sound["entries"]
    assert state["head"]["sequence"] > sound["entries"]
    original = db.one("select entry::text as text from audit_entries where sequence = 2")
    assert original is not None
    changed = original["text"].replace('"api"', '"cli"')
    with db.connection() as connection:
        connection.execute("alter table audit_entries disable trigger user")
        connection.execute("update audit_entries set entry = %(e)s::json where sequence = 2", {"e": changed})
        connection.execute("alter table audit_entries enable trigger user")
    try:
        broken = world.send("POST", "/audit/verify", "auditor").json()
        state = world.send("GET", "/audit/chain", "auditor").json()
        entry = world.send("GET", "/audit?action=audit.verified&result=failed", "auditor").json()["entries"][0]
    finally:
        with db.connection() as connection:
            connection.execute("alter table audit_entries disable trigger user")
            connection.execute(
                "update audit_entries set entry = %(e)s::json where sequence = 2", {"e": original["text"]}
            )
            connection.execute("alter table audit_entries enable trigger user")
    assert broken["bad"] == {"sequence": 2, "why": "hash"}
    assert state["verified"]["bad"] == broken["bad"]
    assert entry["code"] == "hash"


def test_every_action_of_the_trail_has_words_in_both_languages() -> None:
    folder = Path(__file__).parents[3] / "web" / "src" / "i18n"
    english, dutch = (json.loads((folder / f"actions.{language}.json").read_text("utf-8")) for language in ("en", "nl"))
    beside = {"question.answered", "audit.erased", "service.run"}  # written by none of these tables
    actions = {act.action for act in (*ACTIONS.values(), *BESIDE.values(), REPLACED)}
    actions |= {act.action for act in COMMANDS.values() if act}
    assert set(english) == set(dutch) == actions | beside


def test_a_trail_is_verified_once_at_a_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def held(*given: Any) -> Verified:
        begun.set()
        assert go_on.wait(300)
        return verify(*given)

    with monkeypatch.context() as patched, ThreadPoolExecutor(1) as others:
        patched.setattr("rag_api.audit.trail.verify", held)
        first = others.submit(world.container.trail.verify)
        try:
            assert begun.wait(300)
            assert world.send("POST", "/audit/verify", "auditor").status_code == 409
        finally:
            go_on.set()
        assert first.result().entries
    assert world.send("POST", "/audit/verify", "auditor").status_code == 200


def test_colleagues_who_may_read_a_document_are_told_to_who_reviews_by_what_tells_them_apart(world: World) -> None:
    document = load(world.container, "wie.pdf", "Noteer het uur.", department="Wie", language="nl")
    world.container.db.run("update documents set groups = '{wie}' where id = %(id)s", {"id": document.id})
    for login, name, roles in (
        ("jan.a", "Jan Claes", []),
        ("jan.b", "Jan Claes", ["judge"]),
        ("an", "An", ["judge"]),
        ("weg", "Weg", ["judge"]),
        ("log", "Log", ["auditor"]),
    ):
        groups = ["wie"] if login == "log" else ["staff", "wie"]  # who is in no readers' group reads nothing
        made(world, login, name=name, roles=roles, groups=groups).raise_for_status()
    made(world, "toestel", groups=["staff", "wie"], password=None).raise_for_status()
    gone = world.send("GET", "/accounts?search=weg").json()["accounts"][0]["id"]
    world.send("PATCH", f"/accounts/{gone}", json={"suspended": True}).raise_for_status()

    def called(who: str = "jan.b", **params: Any) -> list[str]:
        sent = world.send("GET", f"/documents/{document.id}/readers", who, params=params).raise_for_status().json()
        assert sent["total"] >= len(sent["colleagues"])
        return [one["called"] for one in sent["colleagues"]]

    world.people.ids["jan.b"] = world.send("GET", "/accounts?search=jan.b").json()["accounts"][0]["id"]
    assert (called()[0], sorted(called())) == ("An", ["An", "jan.a", "jan.b"])
    assert called(may_review=True) == ["An", "jan.b"]
    assert called(search="jan.a", limit=1) == ["jan.a"]
    assert called(search="jan", exact=True) == called(search="", exact=True) == [], "nobody's whole name"
    assert called(search=" AN ", exact=True) == ["An"]
    assert sorted(called(search="jan claes", exact=True)) == ["jan.a", "jan.b"], "nobody of the two is meant"
    assert called(search="jan.a", may_review=True, exact=True) == [], "who may read it, and no more"
    for name in called():
        body = {"kind": "question", "text": "Klopt dit?", "to": name}
        world.send("POST", f"/documents/{document.id}/owner-questions", "jan.b", json=body).raise_for_status()
