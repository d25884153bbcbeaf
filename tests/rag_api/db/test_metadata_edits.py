"""Describing documents over the API: what is changed is searched by at once, kept over new versions
of the file, and recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import httpx
import numpy as np
import pytest

from rag_api import stores
from rag_api.api.deps import current_user
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.metadata_edits import review, reviews_waiting, to_review
from rag_api.db.people.accounts import add_account, change_account, get_account, user_of
from rag_api.domain import LOCAL_USER, Edit, Filters, Role, TargetGroup, User
from rag_api.errors import StoreUnavailable
from rag_api.ingest.common.chunk import embedding_text
from rag_api.ingest.common.described.metadata import edited, metadata_from, texts_of
from rag_api.main import create_app
from tests.rag_api.made_files.pdfs import procedure
from tests.support.http_server import served
from tests.support.world import empty

BODY = (
    "Geef 15 mg/kg vancomycine per gift.",
    "Wacht zes uur tussen twee giften.",
    "De dalspiegel wordt na drie giften geprikt.",
)


@pytest.fixture(scope="module", params=["memory", "lance"])
def container(
    dsn: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Container]:
    folder = tmp_path_factory.mktemp("data")
    with Container(Settings(data_dir=folder, database_url=dsn, store=request.param, web_dir=folder)) as made:
        yield made


@pytest.fixture
def client(container: Container) -> Iterator[httpx.Client]:
    app = create_app(container.settings, container)
    with served(app) as url, httpx.Client(base_url=f"{url}/api", timeout=60) as made:
        made.app = app  # type: ignore[attr-defined]
        yield made
    empty(container)
    container.db.run("truncate metadata_edits, metadata_changes")


def upload(client: httpx.Client, *more: str, name: str = "vanco.pdf") -> str:
    content = procedure("Vancomycine bij volwassenen", ["Dienst: Apotheek", *BODY, *more])
    reply = client.post("/documents", files={"file": (name, content, "application/pdf")})
    assert reply.status_code == 200, reply.text
    (item,) = reply.json()["items"]
    assert item["outcome"] in ("indexed", "unchanged"), item
    return str(item["document_id"])


def patch(client: httpx.Client, document_id: str, status: int = 200, **fields: Any) -> dict[str, Any]:
    reply = client.patch(f"/documents/{document_id}", json=fields)
    assert reply.status_code == status, reply.text
    return dict(reply.json())


def found(container: Container, text: str = "vancomycine", **filters: Any) -> list[str]:
    """Titles of the chunks in the index, best first."""
    return [
        hit.chunk.title
        for hit in container.store.search(text, container.embedder.query(text), 5, Filters(**filters), 0.5)
    ]


def embedded_as(container: Container, document_id: str) -> np.ndarray[Any, Any]:
    """The vectors that its passages would get now."""
    return container.embedder.passages([embedding_text(chunk) for chunk in container.store.chunks_of(document_id)[0]])


def test_a_change_is_searched_by_at_once_and_a_new_title_is_embedded(
    client: httpx.Client, container: Container
) -> None:
    document = upload(client)
    before = container.store.chunks_of(document)[1]
    changed = patch(
        client, document, title="Vancomycine bij kinderen", department="Pediatrie", target_groups=["child"], valid_from="2025-01-01",
        valid_until="2099-12-31", language="nl", owner="Kinderarts", document_type="protocol", version="2.1", supersedes="oud.pdf",
    )  # fmt: skip
    assert changed["title"] == "Vancomycine bij kinderen"
    assert (changed["department"], changed["target_groups"], changed["version"]) == ("Pediatrie", ["child"], "2.1")
    assert client.get(f"/documents/{document}").json()["valid_until"] == "2099-12-31"
    assert set(found(container, target_groups=(TargetGroup.CHILD,), departments=("Pediatrie",))) == {
        "Vancomycine bij kinderen"
    }
    assert found(container, target_groups=(TargetGroup.NEONATE,)) == []
    assert found(container, departments=("Apotheek",)) == []
    assert changed["vectors"] == "made again"
    vectors = container.store.chunks_of(document)[1]
    assert np.allclose(vectors, embedded_as(container, document), atol=1e-5)
    assert not np.allclose(vectors, before, atol=1e-3)


def test_what_is_not_the_title_leaves_the_vectors(client: httpx.Client, container: Container) -> None:
    document = upload(client)
    before = container.store.chunks_of(document)[1]
    assert patch(client, document, department="Pediatrie")["vectors"] == "kept"
    assert np.array_equal(container.store.chunks_of(document)[1], before)


def test_the_vectors_of_a_very_long_document_are_made_again_by_the_next_ingestion(
    client: httpx.Client, container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = upload(client)
    before = container.store.chunks_of(document)[1]
    monkeypatch.setattr(stores, "MOST_AT_ONCE", 0)
    assert patch(client, document, title="Vancomycine bij kinderen")["vectors"] == "outdated"
    assert np.array_equal(container.store.chunks_of(document)[1], before)
    assert found(container) == ["Vancomycine bij kinderen"] * len(before)
    assert upload(client) == document  # the same file once more
    assert np.allclose(container.store.chunks_of(document)[1], embedded_as(container, document), atol=1e-5)
    assert client.get(f"/documents/{document}").json()["title"] == "Vancomycine bij kinderen"


def test_every_change_is_recorded_with_who_made_it(client: httpx.Client) -> None:
    document = upload(client)
    patch(client, document, department="Pediatrie")
    patch(client, document, department="Neonatologie", version="3")
    patch(client, document, department="Neonatologie")  # changes nothing
    changes = client.get(f"/documents/{document}/changes").json()["changes"]
    assert [(c["field"], c["before"], c["after"], c["user_id"]) for c in changes] == [
        ("version", "", "3", "local"),
        ("department", "Pediatrie", "Neonatologie", "local"),
        ("department", "Apotheek", "Pediatrie", "local"),
    ]


def test_a_review_says_who_when_and_when_again_and_leaves_the_validity(client: httpx.Client) -> None:
    document = upload(client)
    before = patch(client, document, valid_until="2020-01-01")
    assert (before["reviewed_at"], before["reviewed_by"], before["next_review"]) == (None, "", None)
    today = date.today()
    due, later = ((today + timedelta(days=days)).isoformat() for days in (30, 31))
    for day in (later, due):
        said = client.put(f"/documents/{document}/review", json={"next_review": day})
        assert said.status_code == 200, said.text
    patch(client, document, version="4")
    for one in (client.get(f"/documents/{document}").json(), patch(client, document, version="5"), listed(client)):
        assert (one["reviewed_by"], one["next_review"], one["valid_until"]) == ("local", due, "2020-01-01")
        assert datetime.fromisoformat(one["reviewed_at"]).astimezone().date() == today
    last = client.get(f"/documents/{document}/changes").json()["changes"][2]
    assert (last["field"], last["before"], last["after"]) == ("next_review", later, due)
    reviewed_at = listed(client)["reviewed_at"]
    client.put(f"/documents/{document}/review", json={"next_review": later, "holds": False}).raise_for_status()
    planned = listed(client)
    assert (planned["reviewed_by"], planned["reviewed_at"], planned["next_review"]) == ("local", reviewed_at, later)
    client.put(f"/documents/{document}/review", json={"next_review": due}).raise_for_status()
    reader = User("reader", "Lezer", groups=LOCAL_USER.groups)
    client.app.dependency_overrides[current_user] = lambda: reader  # type: ignore[attr-defined]
    assert (listed(client)["reviewed_by"], listed(client)["next_review"]) == ("", due)
    assert client.put(f"/documents/{document}/review", json={"next_review": later}).status_code in (403, 404)


def test_a_planned_review_says_of_nobody_that_it_was_done(client: httpx.Client) -> None:
    document, day = upload(client), (date.today() + timedelta(days=30)).isoformat()
    client.put(f"/documents/{document}/review", json={"next_review": day, "holds": False}).raise_for_status()
    assert (listed(client)["reviewed_by"], listed(client)["reviewed_at"], listed(client)["next_review"]) == (
        "",
        None,
        day,
    )
    (change,) = client.get(f"/documents/{document}/changes").json()["changes"]
    assert (change["field"], change["before"], change["after"]) == ("planned_review", "", day)
    due = client.get("/documents", params={"validity": "review_due"}).json()["documents"]
    assert [one["id"] for one in due] == [document]


def test_a_planned_review_is_given_to_somebody_who_finds_it_and_cleared(
    client: httpx.Client, container: Container
) -> None:
    document, day = upload(client), (date.today() + timedelta(days=30)).isoformat()
    made = add_account(container.db, LOCAL_USER, "Dr. Maes", "maes", "of no password", [Role.JUDGE], [])
    add_account(container.db, LOCAL_USER, "Nina", "nina", "of no password", [], [])
    maes = user_of(get_account(container.db, made), {})

    def plan(status: int = 200, **said: Any) -> None:
        body = {"next_review": day, "holds": False, **said}
        reply = client.put(f"/documents/{document}/review", json=body)
        assert reply.status_code == status
        assert status != 400 or (reply.json()["code"], "judge or admin" in reply.text) == ("not_a_reviewer", True)

    def work() -> list[str]:
        return [one.id for one in to_review(container.db, maes, date.today())]

    plan(status=404, to="nobody")
    plan(status=400, to="nina")
    assert (listed(client)["next_review"], work()) == (None, []), "none is half kept"
    plan(to="MAES")
    assert (listed(client)["to_review_by"], work()) == ("Dr. Maes", [document])
    plan(next_review=(date.today() + timedelta(days=31)).isoformat())
    assert (listed(client)["to_review_by"], work()) == ("Dr. Maes", [document]), "what is not said stays"
    fields = [(one["field"], one["after"]) for one in client.get(f"/documents/{document}/changes").json()["changes"]]
    assert fields.count(("reviewer", "Dr. Maes")) == 1
    plan(to="")
    assert (listed(client)["to_review_by"], work()) == ("", [])
    plan(to="Dr. Maes")
    assert work() == [document]
    plan(next_review=None)
    assert (listed(client)["next_review"], listed(client)["to_review_by"], work()) == (None, "", [])
    assert client.get("/documents", params={"validity": "review_due"}).json()["documents"] == []
    plan()
    assert work() == [], "nobody's, once it was cleared"
    container.db.run("truncate users cascade")


@pytest.mark.parametrize("lost", ["suspended", "gone", "role", "document"])
def test_a_review_given_to_somebody_who_may_no_more_is_quality_staffs_and_says_so(
    client: httpx.Client, container: Container, lost: str
) -> None:
    document, day = upload(client), (date.today() + timedelta(days=30)).isoformat()
    roles = {"heads": frozenset({Role.JUDGE})}
    made = {
        name: add_account(container.db, LOCAL_USER, name, name, "of no password", given, groups)
        for name, given, groups in (("maes", [Role.JUDGE], []), ("judge", [], ["heads"]), ("nina", [], []))
    }

    def work(name: str) -> list[tuple[str, str, bool]]:
        user = user_of(get_account(container.db, made[name]), roles)
        found = to_review(container.db, user, date.today(), roles)
        assert reviews_waiting(container.db, user, date.today(), roles) == len(found)
        return [(one.id, one.to_review_by, one.reviewer_left) for one in found]

    review(container.db, LOCAL_USER, document, date.fromisoformat(day), roles, holds=False, to="maes")
    assert (work("maes"), work("judge")) == ([(document, "maes", False)], [])
    if lost == "suspended":
        change_account(container.db, LOCAL_USER, made["maes"], suspended=True)
    elif lost == "gone":
        container.db.run("delete from users where id = %(id)s", {"id": made["maes"]})
    elif lost == "role":
        change_account(container.db, LOCAL_USER, made["maes"], roles=[])
    else:
        container.db.run("update documents set groups = '{heads}' where id = %(id)s", {"id": document})
    assert work("judge") == [(document, "" if lost == "gone" else "maes", True)]
    assert work("nina") == [] == (work("maes") if lost in ("role", "document") else [])
    boss = replace(LOCAL_USER, groups=("everyone", "heads"))
    review(container.db, boss, document, date.fromisoformat(day), roles, holds=False, to="judge")
    assert work("judge") == [(document, "judge", False)]
    container.db.run("truncate users cascade")


def test_a_planned_review_says_why_until_it_is_done_or_planned_no_more(client: httpx.Client) -> None:
    document, day = upload(client), (date.today() + timedelta(days=30)).isoformat()

    def plan(**said: Any) -> str:
        body = {"next_review": day, "holds": False, **said}
        kept = client.put(f"/documents/{document}/review", json=body).raise_for_status().json()
        assert listed(client)["review_reason"] == kept["review_reason"]
        return str(kept["review_reason"])

    assert plan() == ""
    assert plan(reason=" De pompen zijn vervangen. ") == "De pompen zijn vervangen."
    assert plan(to="") == "De pompen zijn vervangen.", "what is not said stays"
    (first, *_) = [
        one for one in client.get(f"/documents/{document}/changes").json()["changes"] if one["field"] == "review_reason"
    ]
    assert (first["before"], first["after"]) == ("", "De pompen zijn vervangen.")
    assert plan(holds=True) == "", "it is done"
    assert plan(reason="Nieuwe wet.") == "Nieuwe wet."
    assert plan(next_review=None) == ""
    reader = User("reader", "Lezer", groups=LOCAL_USER.groups)
    assert plan(reason="Nieuwe wet.") == "Nieuwe wet."
    client.app.dependency_overrides[current_user] = lambda: reader  # type: ignore[attr-defined]
    assert listed(client)["review_reason"] == ""


def test_a_review_that_is_due_and_nobodys_waits_for_whoever_reviews(client: httpx.Client, container: Container) -> None:
    document, day = upload(client), date.today() + timedelta(days=30)
    maes, claes, nurse = (
        user_of(
            get_account(container.db, add_account(container.db, LOCAL_USER, name, name, "of no password", roles, [])),
            {},
        )
        for name, roles in (("maes", [Role.JUDGE]), ("claes", [Role.JUDGE]), ("nurse", []))
    )

    def waiting(today: date) -> list[int]:
        found = [len(to_review(container.db, who, today)) for who in (maes, claes, nurse)]
        assert found == [reviews_waiting(container.db, who, today) for who in (maes, claes, nurse)]
        return found

    body = {"next_review": day.isoformat(), "holds": False}
    client.put(f"/documents/{document}/review", json=body).raise_for_status()
    assert (waiting(day - timedelta(days=1)), waiting(day)) == ([0, 0, 0], [1, 1, 0])
    client.put(f"/documents/{document}/review", json=body | {"to": "maes"}).raise_for_status()
    assert (waiting(day - timedelta(days=1)), waiting(day)) == ([1, 0, 0], [1, 0, 0])
    container.db.run("truncate users cascade")


def test_what_is_to_be_reviewed_is_listed_the_earliest_first_and_a_new_version_was_not_reviewed(
    client: httpx.Client,
) -> None:
    days = {"a.pdf": 30, "b.pdf": 2, "c.pdf": 31, "d.pdf": None}
    made = {name: upload(client, name, name=name) for name in days}
    for name, after in days.items():
        if after:
            day = (date.today() + timedelta(days=after)).isoformat()
            client.put(f"/documents/{made[name]}/review", json={"next_review": day}).raise_for_status()

    def due(**more: str) -> list[str]:
        found = client.get("/documents", params={"order": "next_review"} | more).json()["documents"]
        return [one["source"] for one in found]

    assert due() == ["b.pdf", "a.pdf", "c.pdf", "d.pdf"]
    assert due(validity="review_due") == ["b.pdf", "a.pdf"]
    upload(client, "Nieuw: controleer de nierfunctie.", name="b.pdf")
    assert due(validity="review_due") == ["a.pdf"]


def listed(client: httpx.Client) -> dict[str, Any]:
    (one,) = client.get("/documents").json()["documents"]
    return dict(one)


def test_an_edit_survives_a_new_version_of_the_file(client: httpx.Client, container: Container) -> None:
    first = upload(client)
    patch(client, first, target_groups=["child"], department="Pediatrie")
    second = upload(client, "Nieuw: controleer de nierfunctie.")
    assert second != first
    now = client.get(f"/documents/{second}").json()
    assert (now["target_groups"], now["department"], now["warnings"]) == (["child"], "Pediatrie", [])
    assert found(container, departments=("Apotheek",)) == []
    assert len(client.get(f"/documents/{second}/changes").json()["changes"]) == 2


def test_a_new_version_that_says_something_new_is_believed_and_says_so(client: httpx.Client) -> None:
    first = upload(client)
    patch(client, first, version="2.0")
    second = upload(client, "Versie: 3.0")
    now = client.get(f"/documents/{second}").json()
    assert now["version"] == "3.0"
    assert now["warnings"] == ["version: the file now says '3.0', so the edit '2.0' is not used"]


def test_a_reset_field_says_again_what_the_file_says(client: httpx.Client) -> None:
    document = upload(client)
    detail = patch(client, document, department="Pediatrie", version="9")
    assert detail["edits"] == [
        {"field": "department", "value": "Pediatrie", "said": "Apotheek"},
        {"field": "version", "value": "9", "said": ""},
    ]
    detail = patch(client, document, reset=["department", "version", "owner"])
    assert (detail["department"], detail["version"], detail["edits"]) == ("Apotheek", "", [])


def test_a_field_can_be_emptied(client: httpx.Client) -> None:
    document = upload(client)
    patch(client, document, valid_until="2030-01-01", target_groups=["adult"])
    detail = patch(client, document, valid_until=None, target_groups=[], department="")
    assert (detail["valid_until"], detail["target_groups"], detail["department"]) == (None, [], "")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"title": "  "}, 422),
        ({"valid_from": "2026-01-01", "valid_until": "2025-01-01"}, 409),
        ({"supersedes": "VANCO.pdf"}, 409),
        ({"target_groups": ["dog"]}, 422),
        ({"colour": "red"}, 422),
        ({"valid_until": "tomorrow"}, 422),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(
    client: httpx.Client, fields: dict[str, Any], status: int
) -> None:
    document = upload(client)
    before = client.get(f"/documents/{document}").json()
    patch(client, document, status, **fields)
    assert client.get(f"/documents/{document}").json() == before
    assert client.get(f"/documents/{document}/changes").json()["changes"] == []


def test_a_title_is_never_lost(client: httpx.Client) -> None:
    document = upload(client)
    for nothing in (None, "\x1f", "\u200b\x01"):
        assert patch(client, document, title=nothing, version="2")["title"] == "Vancomycine bij volwassenen"


def test_who_is_no_admin_can_neither_change_nor_see_changes(client: httpx.Client) -> None:
    document = upload(client)
    nurse = replace(LOCAL_USER, id="nurse", roles=frozenset({Role.READER}))
    client.app.dependency_overrides[current_user] = lambda: nurse  # type: ignore[attr-defined]
    patch(client, document, 404, department="Pediatrie")
    assert client.get(f"/documents/{document}/changes").status_code == 404
    assert client.get(f"/documents/{document}").json()["department"] == "Apotheek"


def test_who_is_no_admin_can_neither_load_nor_take_out_a_document(client: httpx.Client) -> None:
    document = upload(client)
    nurse = replace(LOCAL_USER, id="nurse", roles=frozenset({Role.READER}))
    client.app.dependency_overrides[current_user] = lambda: nurse  # type: ignore[attr-defined]
    assert client.post("/documents", files={"file": ("a.pdf", b"%PDF-1.7", "application/pdf")}).status_code == 404
    assert client.delete(f"/documents/{document}").status_code == 404
    assert client.get(f"/documents/{document}").json()["status"] == "indexed"
    assert client.get("/documents").json()["total"] == 1


def test_a_document_of_another_group_does_not_exist(client: httpx.Client) -> None:
    document = upload(client)
    client.app.dependency_overrides[current_user] = lambda: replace(LOCAL_USER, groups=("others",))  # type: ignore[attr-defined]
    patch(client, document, 404, department="Pediatrie")


def test_a_retired_document_is_not_described(client: httpx.Client) -> None:
    document = upload(client)
    client.delete(f"/documents/{document}")
    patch(client, document, 409, department="Pediatrie")


def test_an_index_that_does_not_answer_leaves_everything_as_it_was(
    client: httpx.Client, container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = upload(client)

    def down(*_: object) -> None:
        raise StoreUnavailable("the index does not answer")

    monkeypatch.setattr(container.store, "replace_document", down)
    patch(client, document, 503, department="Pediatrie")
    assert client.get(f"/documents/{document}").json()["department"] == "Apotheek"
    assert client.get(f"/documents/{document}/changes").json()["changes"] == []


def test_facets_name_what_the_documents_have(client: httpx.Client) -> None:
    patch(client, upload(client), document_type="protocol", language="nl")
    facets = client.get("/facets").json()
    assert (facets["departments"], facets["document_types"], facets["languages"]) == (
        ["Apotheek"],
        ["protocol"],
        ["nl"],
    )
    assert {
        "id": "paediatrician",
        "nl": "Kinderarts",
        "en": "Paediatrician",
        "target_groups": ["child", "neonate"],
    } in facets["functions"]


def test_an_edit_holds_while_the_file_says_the_same_or_nothing() -> None:
    said = metadata_from({"title": "T", "department": "Apotheek", "target_groups": "adult"})
    edits = {
        "department": Edit("Pediatrie", "Apotheek"),
        "target_groups": Edit("child", "adult"),
        "owner": Edit("Apotheker", "Arts"),
    }
    about, notes = edited(said, edits)
    assert (about.department, about.target_groups, about.owner, notes) == (
        "Pediatrie",
        (TargetGroup.CHILD,),
        "Apotheker",
        (),
    )
    assert edited(said, {}) == (said, ())
    assert metadata_from(texts_of(about)) == about
