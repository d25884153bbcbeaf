"""A question that is asked again under its key, after the connection broke, is answered once and
stored once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from rag_api.answering.ask import new_question
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.questions.answers import save_answer
from rag_api.domain import LOCAL_USER, Answer, AnswerStatus, Mode, PersonalChoice
from rag_api.main import create_app
from tests.support.scripted_server import Scripted, quote
from tests.support.world import load_hospital

QUESTION = "hoeveel paracetamol iv bij een kind van 12 kg?"


@pytest.fixture(scope="module")
def container(dsn: str, scripted: Scripted, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"), database_url=dsn, store="memory", generator_url=scripted.url, sentence_vectors_mb=0,
        questions_per_minute=0, requests_per_minute=0,
    )  # fmt: skip
    with Container(settings) as made:
        load_hospital(made)
        yield made


@pytest.fixture
def client(container: Container, scripted: Scripted) -> Iterator[TestClient]:
    with TestClient(create_app(container.settings, container), base_url="http://testserver/api") as opened:
        yield opened
    scripted.script = quote


def asked(client: TestClient, key: str, question: str = QUESTION, **more: object) -> dict[str, object]:
    response = client.post(
        "/ask", json={"question": question, "personal_data": "keep", **more}, headers={"Idempotency-Key": key}
    )
    assert response.status_code == 200, response.text
    return dict(response.json())


def stored(container: Container, key: str) -> list[str]:
    question = new_question(LOCAL_USER, container, QUESTION, personal=PersonalChoice.KEEP, key=key)
    return [
        row["status"] for row in container.db.all("select status from answers where id = %(id)s", {"id": question.id})
    ]


def test_the_stored_answer_is_given_again_and_the_generator_not_asked(
    client: TestClient, container: Container, scripted: Scripted
) -> None:
    key = str(uuid4())
    first, times = asked(client, key), len(scripted.requests)
    assert asked(client, key) == first
    assert len(scripted.requests) == times
    assert stored(container, key) == ["answered"]


def test_a_stream_under_a_known_key_ends_with_the_stored_answer(client: TestClient) -> None:
    key = str(uuid4())
    first = asked(client, key)
    headers = {"Idempotency-Key": key, "Accept": "text/event-stream"}
    lines = client.post("/ask", json={"question": QUESTION, "personal_data": "keep"}, headers=headers).text.split(
        "\n\n"
    )
    names = [line.partition("\n")[0].removeprefix("event: ") for line in lines if line]
    assert names == ["found", "done"]
    assert json.loads(lines[1].partition("data: ")[2])["answer"] == first


def test_an_answer_that_broke_off_is_given_anew_in_its_place(
    client: TestClient, container: Container, scripted: Scripted
) -> None:
    key = str(uuid4())
    scripted.script = lambda request: [*quote(request)[:2], None]
    broken = asked(client, key)
    assert broken["status"] == "failed"
    scripted.script = quote
    whole = asked(client, key)
    assert (whole["id"], whole["conversation_id"]) == (broken["id"], broken["conversation_id"])
    assert whole["status"] == "answered"
    assert stored(container, key) == ["answered"]
    assert client.get(f"/conversations/{whole['conversation_id']}").json()["answers"] == [whole]


def test_one_that_broke_off_elsewhere_never_takes_the_place_of_a_whole_one(
    client: TestClient, container: Container
) -> None:
    key = str(uuid4())
    whole = asked(client, key)
    question = new_question(LOCAL_USER, container, QUESTION, personal=PersonalChoice.KEEP, key=key)
    assert isinstance(question.given, Answer)
    late = replace(question.given, status=AnswerStatus.FAILED, text="Geef ")
    save_answer(container.db, LOCAL_USER, late, new_conversation=True)
    assert client.get(f"/conversations/{whole['conversation_id']}").json()["answers"] == [whole]


def test_another_question_under_the_same_key_is_refused(client: TestClient) -> None:
    key = str(uuid4())
    asked(client, key)
    other = client.post("/ask", json={"question": "Wat kost de lunch?"}, headers={"Idempotency-Key": key})
    assert (other.status_code, other.json()["code"]) == (409, "conflict")


def test_keys_of_two_people_are_two_questions(container: Container) -> None:
    ids = {
        new_question(
            replace(LOCAL_USER, id=user), container, "Wat kost de lunch?", mode=Mode.SOURCES, key="a-key-of-mine"
        ).id
        for user in ("a", "b")
    }
    assert len(ids) == 2


def test_without_a_key_each_question_is_its_own(container: Container) -> None:
    assert len({new_question(LOCAL_USER, container, "Wat kost de lunch?").id for _ in range(2)}) == 2
