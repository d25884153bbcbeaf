"""A refusal names what would have answered and no longer counts, and quotes nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient

from rag_api.answering.warnings.notice_texts import day_of
from rag_api.container import Container
from rag_api.domain import Document, TargetGroup
from rag_api.main import create_app
from tests.support.world import CHILD, KITCHEN, load

BY_TITLE = "Hoe behandel ik koorts bij kinderen?"
BY_WORDS = "Hoeveel mg/kg paracetamol?"
LAST = date(2020, 3, 1)


@pytest.fixture
def client(container: Container) -> Iterator[TestClient]:
    load(container, "restaurant.pdf", KITCHEN, title="Restaurant", department="Keuken")
    with TestClient(create_app(container.settings, container)) as made:
        yield made


def procedure(container: Container, title: str = "Koorts bij kinderen", **about: Any) -> Document:
    return load(container, "a.pdf", CHILD, **{"title": title, "owner": "Dr. Maes", **about})


def refused(client: TestClient, question: str, **asked: Any) -> tuple[dict[str, Any], list[str]]:
    """Return the answer, which is a refusal, and what it says of documents that no longer count."""
    answer = client.post("/ask", json={"question": question, "mode": "verbatim", **asked}).json()
    assert answer["status"] == "not_found"
    return answer, [one["text"] for one in answer["notices"] if one["code"] == "lapsed"]


@pytest.mark.parametrize("question", [BY_TITLE, BY_WORDS])
def test_a_withdrawn_document_is_named_with_its_day_and_its_owner_and_never_quoted(
    container: Container, client: TestClient, question: str
) -> None:
    document = procedure(container)
    assert client.post(f"/documents/{document.id}/withdraw", json={"reason": "Dosis fout."}).status_code == 200
    answer, said = refused(client, question)
    day = day_of(datetime.now(UTC).astimezone().date())["nl"]
    assert said == [
        f"Koorts bij kinderen past bij de vraag, maar is ingetrokken op {day}: vraag Dr. Maes wat nu geldt."
    ]
    assert document.id not in [one["document_id"] for one in answer["sources"]]
    assert "15 mg/kg" not in str(answer)


def test_an_expired_document_is_named_unless_it_was_searched(container: Container, client: TestClient) -> None:
    procedure(container, owner="", valid_until=LAST)
    _, said = refused(client, BY_WORDS)
    assert said == [
        "Koorts bij kinderen past bij de vraag, maar is verlopen op 1 maart 2020: vraag de eigenaar wat nu geldt."
    ]
    found = client.post("/ask", json={"question": BY_WORDS, "filters": {"include_expired": True}}).json()
    assert "lapsed" not in [one["code"] for one in found["notices"]]


def test_none_is_named_that_was_not_asked_for(container: Container, client: TestClient) -> None:
    procedure(container, department="Pediatrie", document_type="protocol", language="nl", valid_until=LAST)
    told = {
        str(filters): len(refused(client, BY_WORDS, filters=filters)[1])
        for name, own, other in (
            ("departments", "Pediatrie", "Keuken"), ("document_types", "protocol", "folder"), ("languages", "nl", "en"),
        )
        for filters in ({name: [own]}, {name: [other]})
    }  # fmt: skip
    assert list(told.values()) == [1, 0] * 3, told


@pytest.mark.parametrize("why", ["hidden", "others", "replaced", "same title", "other words"])
def test_none_is_named_that_is_not_the_askers_to_know_or_that_does_not_fit(
    container: Container, client: TestClient, why: str
) -> None:
    group = TargetGroup.ADULT if why == "others" else TargetGroup.CHILD
    document = procedure(container, target_groups=(group,))
    container.db.run("update documents set status = 'retired' where id = %(id)s", {"id": document.id})
    questions = {"other words": "Waar hangt de vlag van het stadhuis?", "same title": BY_WORDS}
    if why == "hidden":
        container.db.run("update documents set groups = '{surgery}' where id = %(id)s", {"id": document.id})
    if why == "replaced":
        load(container, "b.pdf", KITCHEN, title="Menu", supersedes="a.pdf", valid_from=LAST)
    if why == "same title":
        load(container, "b.pdf", KITCHEN, title="Koorts bij kinderen", target_groups=(group,))
    assert refused(client, questions.get(why, BY_TITLE))[1] == []
