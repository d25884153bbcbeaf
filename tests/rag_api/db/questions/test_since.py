"""Documents of a stored answer that were withdrawn, replaced or expired since, by the API."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from fastapi.testclient import TestClient

from rag_api.container import Container
from rag_api.main import create_app
from tests.support.world import CHILD, load

QUESTION = "Hoeveel paracetamol mag een kind van 12 kg per gift?"


@pytest.fixture
def client(container: Container) -> Iterator[TestClient]:
    with TestClient(create_app(container.settings, container)) as made:
        yield made


def test_a_stored_answer_says_which_of_its_documents_was_replaced_superseded_or_withdrawn(
    container: Container, client: TestClient
) -> None:
    load(container, "a.pdf", CHILD, title="Pijn", version="1")
    asked = client.post("/ask", json={"question": QUESTION, "mode": "sources"}).json()
    assert asked["since"] == []

    def since() -> list[tuple[bool, str | None]]:
        stored = client.get(f"/answers/{asked['id']}").json()["since"]
        conversation = f"/conversations/{asked['conversation_id']}"
        (again,) = client.get(conversation).json()["answers"]
        assert again["since"] == stored
        assert client.get(f"{conversation}/since").json()["answers"] == {asked["id"]: stored}
        return [(one["withdrawn"], one["newer"] and one["newer"]["title"]) for one in stored]

    assert since() == []
    newer = load(container, "b.pdf", CHILD, title="Pijn (2)", supersedes="a.pdf", valid_from=date(2020, 1, 1))
    assert since() == [(False, "Pijn (2)")]
    client.delete(f"/documents/{newer.id}")
    assert since() == []
    second = load(container, "a.pdf", f"{CHILD}Nieuw. ", title="Pijn (3)", version="2")
    assert since() == [(False, "Pijn (3)")]
    container.db.run("update documents set groups = '{surgery}' where id = %(id)s", {"id": second.id})
    assert since() == [(False, None)]


def test_a_withdrawn_document_is_told_as_withdrawn(container: Container, client: TestClient) -> None:
    document = load(container, "a.pdf", CHILD, title="Pijn")
    asked = client.post("/ask", json={"question": QUESTION, "mode": "sources"}).json()
    said = {"reason": "Vervangen door de map op de dienst."}
    assert client.post(f"/documents/{document.id}/withdraw", json=said).status_code == 200
    (one,) = client.get(f"/answers/{asked['id']}").json()["since"]
    assert (one["title"], one["withdrawn"], one["newer"]) == ("Pijn", True, None)
    assert one["reason"] == said["reason"]
    newer = load(container, "b.pdf", CHILD, title="Pijn (2)", supersedes="a.pdf", valid_from=date(2020, 1, 1))
    (one,) = client.get(f"/answers/{asked['id']}").json()["since"]
    assert (one["withdrawn"], one["newer"]["id"]) == (True, newer.id), "what holds now is said of a withdrawn one too"
    container.db.run("update documents set groups = '{surgery}' where id = %(id)s", {"id": document.id})
    assert said["reason"] not in client.get(f"/answers/{asked['id']}").text


def test_a_document_that_expired_since_is_told_unless_it_was_told_with_the_answer(
    container: Container, client: TestClient
) -> None:
    document = load(container, "a.pdf", CHILD, title="Pijn", valid_until=date(2999, 1, 1))
    asked = client.post("/ask", json={"question": QUESTION}).json()
    assert client.get(f"/answers/{asked['id']}").json()["since"] == []
    last = date(2020, 1, 1)
    container.db.run("update documents set valid_until = %(d)s where id = %(id)s", {"d": last, "id": document.id})
    (one,) = client.get(f"/answers/{asked['id']}").json()["since"]
    assert (one["title"], one["withdrawn"], one["newer"], one["expired_on"]) == ("Pijn", False, None, str(last))
    again = client.post("/ask", json={"question": QUESTION, "filters": {"include_expired": True}}).json()
    assert [one["code"] for one in again["sources"][0]["cautions"]] == ["expired"]
    assert client.get(f"/answers/{again['id']}").json()["since"] == []
    client.post(f"/documents/{document.id}/withdraw", json={})
    for id_ in (asked["id"], again["id"]):
        (one,) = client.get(f"/answers/{id_}").json()["since"]
        assert (one["withdrawn"], one["expired_on"]) == (True, None)


QUOTES = """update answers set status = 'answered', text = %(text)s, citations = jsonb_build_array(jsonb_build_object(
    'start', 0, 'end', length(%(text)s), 'document_id', %(id)s::text, 'source_start', 0, 'source_end', length(%(text)s),
    'text', %(text)s, 'page', 1, 'rects', '[]'::jsonb, 'rank', 1)) where status <> 'not_found'"""


@pytest.mark.parametrize("quotes", [False, True])
def test_what_is_asked_of_a_conversation_is_what_its_answers_say(
    container: Container, client: TestClient, quotes: bool
) -> None:
    one = load(container, "a.pdf", CHILD, title="Pijn")
    other = load(container, "b.pdf", "Noteer elke gift van paracetamol bij een kind van 12 kg.", title="Noteren")
    asked: dict[str, str] = {}
    for question in (QUESTION, "Welke vlag hangt er op het stadhuis van Ieper?", QUESTION):
        body = {"question": question, "mode": "sources", "conversation_id": asked.get("conversation_id")}
        asked = client.post("/ask", json=body).json()
    path = f"/conversations/{asked['conversation_id']}"
    if quotes:
        container.db.run(QUOTES, {"id": one.id, "text": "Paracetamol."})

    def since() -> list[list[str]]:
        stored = {one["id"]: one["since"] for one in client.get(path).json()["answers"]}
        assert client.get(f"{path}/since").json()["answers"] == stored
        return [sorted(one["title"] for one in said) for said in stored.values()]

    assert since() == [[], [], []]
    container.db.run("update answers set status = 'not_found' where question like 'Welke vlag%'")
    container.db.run("update documents set status = 'retired'")
    told = ["Pijn"] if quotes else ["Noteren", "Pijn"]
    assert since() == [told, [], told]
    hides = "update documents set groups = '{surgery}' where id = %(id)s"
    container.db.run(hides, {"id": other.id})
    assert since() == [["Pijn"], [], ["Pijn"]]
    container.db.run("update documents set groups = '{everyone}'")
    container.db.run(hides, {"id": one.id})
    assert since() == [["Noteren"], [], ["Noteren"]], "what is withheld quotes nothing"


def test_what_became_of_documents_is_asked_without_reading_the_answers(
    container: Container, client: TestClient
) -> None:
    document = load(container, "a.pdf", CHILD, title="Pijn")
    asked = client.post("/ask", json={"question": QUESTION, "mode": "sources"}).json()
    container.db.run("update documents set status = 'retired' where id = %(id)s", {"id": document.id})
    container.db.run("update answers set notices = '{}'")  # no answer can be made of this row any more
    said = client.get(f"/conversations/{asked['conversation_id']}/since").json()["answers"]
    assert [one["withdrawn"] for one in said[asked["id"]]] == [True]
    assert client.get(f"/conversations/{asked['conversation_id']}").status_code == 500
