"""Judged sets and the gap report over HTTP: made in a test session, exported, imported and measured
alike; read by those allowed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from evaluation.quality import evaluate, report
from rag_api.container import Container
from rag_api.domain import LOCAL_USER, Document, Filters, Judged, User
from rag_api.evaluate.judged import read_judged
from rag_api.retrieval.find import find
from tests.rag_api.api.routes.conftest import Asker
from tests.support.questions import analysed
from tests.support.world import empty, load_hospital

DOSE = "Hoeveel paracetamol mag een kind van 12 kg?"
FLAG = "Welke vlag hangt er op het stadhuis van Ieper?"
FALL = "When do I call the rapid response team after a fall?"
NURSE = User("nurse", "Nurse", ("everyone",), function="nurse", department="Pediatrie")


@pytest.fixture
def documents(container: Container) -> Iterator[dict[str, Document]]:
    yield load_hospital(container)
    empty(container)
    container.db.run("truncate judged_questions cascade")


@pytest.fixture
def client(url: str, asker: Asker, documents: dict[str, Document]) -> Iterator[httpx.Client]:
    asker.user = LOCAL_USER
    with httpx.Client(base_url=f"{url}/api", timeout=30) as made:
        yield made


def ask(client: httpx.Client, question: str, **more: Any) -> dict[str, Any]:
    body: dict[str, Any] = (
        client.post("/ask", json={"question": question, "mode": "sources", **more}).raise_for_status().json()
    )
    return body


def judge(client: httpx.Client, answer: dict[str, Any], name: str = "ronde 1", **body: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.put(f"/judged/{name}/answers/{answer['id']}", json=body).raise_for_status().json()
    return found


def figures(container: Container, questions: list[Judged]) -> dict[str, Any]:
    names = {d.id: d.source for d in (load for load in _indexed(container))}
    return report(evaluate(questions, lambda q: find(analysed(q.question), LOCAL_USER, Filters(), container), names))


def _indexed(container: Container) -> list[Document]:
    from rag_api.cli.quality.measuring import indexed

    return indexed(container)


def session(client: httpx.Client, documents: dict[str, Document]) -> None:
    """A quality officer asks and judges: a place with its words, a follow-up, another document than
    the first, and no answer at all."""
    dose = ask(client, DOSE)
    child = {"document_id": documents["child"].id, "page": 1, "span": "15 mg/kg paracetamol per gift"}
    judge(client, dose, found="yes", marked=[child], function="nurse", department="Pediatrie", group="child")
    judge(
        client,
        ask(client, "en per dag?", conversation_id=dose["conversation_id"]),
        found="partly",
        marked=[child | {"span": ""}],
    )
    fall = {"document_id": documents["fall"].id}
    judge(client, ask(client, FALL), found="yes", marked=[fall, {"document_id": documents["kitchen"].id, "page": 1}])
    judge(client, ask(client, FLAG), found="no", no_answer=True)


def test_a_set_made_in_a_session_exported_and_imported_again_gives_the_same_figures(
    client: httpx.Client, container: Container, documents: dict[str, Document], tmp_path: Path
) -> None:
    session(client, documents)
    made = client.get("/judged/ronde 1").raise_for_status().json()["questions"]
    assert [len(q["places"]) for q in made] == [1, 1, 2, 0]
    exported = client.get("/judged/ronde 1/csv").raise_for_status()
    assert exported.headers["content-type"].startswith("text/csv")
    (tmp_path / "set.csv").write_bytes(exported.content)
    from_file = read_judged(tmp_path / "set.csv")
    assert client.post("/judged/ronde 2/csv", json={"csv": exported.text}).json() == {"questions": 4, "new": 4}
    assert client.get("/judged/ronde 2/csv").content == exported.content
    assert client.get("/judged/ronde 2").json()["questions"] == made

    from rag_api.db.questions.judged import read_set

    stored = [figures(container, read_set(container.db, LOCAL_USER, name)) for name in ("ronde 1", "ronde 2")]
    assert stored[0] == stored[1] == figures(container, from_file)
    assert (stored[0]["n"], stored[0]["not_found"]["n"], stored[0]["hit@3"]) == (4, 1, 1.0)
    assert stored[0]["passage"]["n"] == 1


def test_what_is_kept_of_a_follow_up_is_what_was_searched_for(
    client: httpx.Client, documents: dict[str, Document]
) -> None:
    session(client, documents)
    first, follow_up, *_ = client.get("/judged/ronde 1").json()["questions"]
    assert follow_up["question"] == "paracetamol kind van 12 kg per dag?"
    assert first["conversation"] == follow_up["conversation"]
    assert (first["function"], first["department"], first["group"], first["found"]) == (
        "nurse",
        "Pediatrie",
        "child",
        "yes",
    )


def test_judging_again_replaces_and_saying_nothing_leaves_it_open(
    client: httpx.Client, documents: dict[str, Document]
) -> None:
    answer = ask(client, DOSE)
    judge(client, answer, found="no", no_answer=True)
    judge(client, answer, found="yes", marked=[{"document_id": documents["child"].id}])
    (question,) = client.get("/judged/ronde 1").json()["questions"]
    assert [place["document"] for place in question["places"]] == ["paracetamol-kind.pdf"]
    judge(client, answer, found="partly")
    assert client.get("/judged/ronde 1").json()["questions"] == []
    (one,) = client.get("/judged").json()["sets"]
    assert (one["questions"], one["incomplete"], one["validate"] + one["test"]) == (0, 1, 0)


@pytest.mark.parametrize(
    ("marked", "status"),
    [
        ({"page": 2}, 400),
        ({"page": 1, "span": "16 mg/kg paracetamol"}, 400),
        ({"document_id": "0" * 32}, 404),
        ({"page": 0}, 422),
    ],
)
def test_a_place_that_is_not_there_is_refused(
    client: httpx.Client, documents: dict[str, Document], marked: dict[str, Any], status: int
) -> None:
    answer = ask(client, DOSE)
    body = {"found": "yes", "marked": [{"document_id": documents["child"].id} | marked]}
    assert client.put(f"/judged/s/answers/{answer['id']}", json=body).status_code == status
    assert client.get("/judged").json() == {"sets": []}


def test_a_document_and_no_answer_contradict(client: httpx.Client, documents: dict[str, Document]) -> None:
    body = {"no_answer": True, "marked": [{"document_id": documents["child"].id}]}
    assert client.put(f"/judged/s/answers/{ask(client, DOSE)['id']}", json=body).status_code == 422


def test_words_that_a_line_breaks_are_found(client: httpx.Client, documents: dict[str, Document]) -> None:
    marked = {"document_id": documents["child"].id, "page": 1, "span": "15 mg/kg\n paracetamol  per gift"}
    assert judge(client, ask(client, DOSE), found="yes", marked=[marked])["places"][0]["page"] == 1


def test_a_bad_csv_is_refused_whole(client: httpx.Client) -> None:
    answer = client.post("/judged/s/csv", json={"csv": "id,question,document\n1,x,a\n1,y,b\n"})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_input")
    assert "line 3" in answer.json()["detail"]
    assert client.get("/judged/s").status_code == 404


def test_every_bad_row_of_a_csv_is_named_and_the_set_stays_as_it_was(client: httpx.Client) -> None:
    client.post("/judged/s/csv", json={"csv": "id,question,document\n1,x,a\n"}).raise_for_status()
    answer = client.post("/judged/s/csv", json={"csv": "id,question,document,page\n1,nieuw,a,1\n2,,b,1\n3,z,c,nul\n"})
    assert answer.status_code == 400
    assert [(e["where"], e["what"].split()[0]) for e in answer.json()["errors"]] == [
        ("line 3", "id"),
        ("line 4", "page"),
    ]
    assert [q["question"] for q in client.get("/judged/s").json()["questions"]] == ["x"]


def test_a_csv_can_be_checked_before_it_is_put_in(client: httpx.Client) -> None:
    client.post("/judged/s/csv", json={"csv": "id,question,document\n1,x,a\n"}).raise_for_status()
    body = {"csv": "id,question,document\n1,anders,a\n2,y,b\n"}
    assert client.post("/judged/s/csv", json={**body, "check": True}).json() == {"questions": 2, "new": 1}
    assert [q["question"] for q in client.get("/judged/s").json()["questions"]] == ["x"]
    assert client.post("/judged/s/csv", json=body).json() == {"questions": 2, "new": 1}
    assert [q["question"] for q in client.get("/judged/s").json()["questions"]] == ["anders", "y"]


def write(client: httpx.Client, id: str, status: int = 200, **body: Any) -> dict[str, Any]:
    reply = client.put(f"/judged/ronde 1/questions/{id}", json={"question": DOSE, **body})
    assert reply.status_code == status, reply.text
    return dict(reply.json())


def test_every_field_of_a_judged_question_can_be_changed(client: httpx.Client, documents: dict[str, Document]) -> None:
    session(client, documents)
    first = client.get("/judged/ronde 1").json()["questions"][0]
    changed = {
        "question": "Hoeveel paracetamol bij een kind?", "language": "nl", "function": "paediatrician", "department": "Pediatrie",
        "group": "child", "conversation": first["conversation"], "split": "validate", "found": "partly", "note": "dosis per gift",
        "places": [{"document": "paracetamol-kind.pdf", "page": 1, "span": "15 mg/kg paracetamol per gift"}, {"document": "keuken.pdf"}],
    }  # fmt: skip
    sources = {document.source for document in documents.values()}
    changed["places"][1]["document"] = next(s for s in sources if s != "paracetamol-kind.pdf")
    assert write(client, first["id"], **changed)["id"] == first["id"]
    again = client.get("/judged/ronde 1").json()["questions"][0]
    assert {key: again[key] for key in changed if key != "places"} == {
        key: changed[key] for key in changed if key != "places"
    }
    assert [place["document"] for place in again["places"]] == [place["document"] for place in changed["places"]]


def test_a_question_can_be_written_opened_and_closed_by_hand(
    client: httpx.Client, documents: dict[str, Document]
) -> None:
    made = write(client, "eigen/1", places=[{"document": "paracetamol-kind.pdf", "page": 1}])
    assert made["split"] in ("validate", "test")
    write(client, "eigen/1")
    found = client.get("/judged/ronde 1").json()
    assert (found["questions"], [q["id"] for q in found["open"]]) == ([], ["eigen/1"])
    write(client, "eigen/1", no_answer=True)
    found = client.get("/judged/ronde 1").json()
    assert ([q["places"] for q in found["questions"]], found["open"]) == ([[]], [])
    assert client.delete("/judged/ronde 1/questions/eigen/1").status_code == 204


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"places": [{"document": "nergens.pdf"}]}, 404, "no document called nergens.pdf"),
        ({"places": [{"document": "paracetamol-kind.pdf", "page": 9}]}, 400, "has 1 pages"),
        ({"places": [{"document": "paracetamol-kind.pdf", "page": 1, "span": "99 mg/kg"}]}, 400, "do not stand there"),
        ({"places": [{"document": "paracetamol-kind.pdf"}, {"document": "x.pdf"}]}, 404, "Place 2"),
        ({"places": [{"document": "paracetamol-kind.pdf"}], "no_answer": True}, 422, "either"),
        ({"question": "  "}, 422, "question"),
        ({"split": "beide"}, 422, "split"),
    ],
)
def test_a_place_that_is_not_there_cannot_be_written(
    client: httpx.Client, documents: dict[str, Document], body: dict[str, Any], status: int, words: str
) -> None:
    assert words in write(client, "q", status, **body)["detail"]
    assert client.get("/judged").json() == {"sets": []}


def test_a_question_of_a_document_that_is_gone_can_still_be_annotated(client: httpx.Client) -> None:
    client.post(
        "/judged/ronde 1/csv", json={"csv": "id,question,document,page\n1,x,verdwenen.pdf,3\n"}
    ).raise_for_status()
    place = {"document": "verdwenen.pdf", "page": 3, "span": ""}
    assert write(client, "1", question="x", places=[place], note="staat nu elders")["note"] == "staat nu elders"
    write(client, "1", 404, question="x", places=[{**place, "page": 4}])


def test_feedback_becomes_judged_questions_once_and_leaves_with_its_conversation(
    client: httpx.Client, asker: Asker, documents: dict[str, Document]
) -> None:
    asker.user = NURSE
    dose, flag = ask(client, DOSE), ask(client, FLAG)
    feedback = {"found": "yes", "document_id": documents["child"].id, "page": 1}
    client.post(f"/answers/{dose['id']}/feedback", json=feedback).raise_for_status()
    client.post(f"/answers/{flag['id']}/feedback", json={"found": "no"}).raise_for_status()
    asker.user = LOCAL_USER
    assert client.post("/judged/log/feedback").json() == {"placed": 1, "open": 1}
    assert client.post("/judged/log/feedback").json() == {"placed": 0, "open": 0}
    (question,) = client.get("/judged/log").json()["questions"]
    assert question["places"] == [{"document": "paracetamol-kind.pdf", "page": 1, "span": ""}]
    assert (question["function"], question["department"]) == ("nurse", "Pediatrie")
    asker.user = NURSE
    client.delete(f"/conversations/{dose['conversation_id']}").raise_for_status()
    asker.user = LOCAL_USER
    assert client.get("/judged/log").json()["questions"] == []


def test_questions_and_sets_can_be_deleted(client: httpx.Client, documents: dict[str, Document]) -> None:
    session(client, documents)
    first = client.get("/judged/ronde 1").json()["questions"][0]
    assert client.delete(f"/judged/ronde 1/questions/{first['id']}").status_code == 204
    assert client.delete(f"/judged/ronde 1/questions/{first['id']}").status_code == 404
    assert len(client.get("/judged/ronde 1").json()["questions"]) == 3
    assert client.delete("/judged/ronde 1").status_code == 204
    assert client.get("/judged").json() == {"sets": []}


class TestGaps:
    def test_near_equal_questions_are_one_gap_of_their_askers_department(
        self, client: httpx.Client, asker: Asker
    ) -> None:
        asker.user = NURSE
        for question in (
            FLAG,
            "Welke vlag hangt aan het stadhuis in Ieper",
            "welke vlag hangt er op het stadhuis van Ieper?",
        ):
            assert ask(client, question)["status"] == "not_found"
        asker.user = replace(NURSE, id="other", function="physician", department="Heelkunde")
        ask(client, FLAG)
        asker.user = LOCAL_USER
        found = client.get("/gaps").raise_for_status().json()
        assert [(gap["department"], gap["times"], gap["functions"]) for gap in found["gaps"]] == [
            ("Pediatrie", 3, ["nurse"]),
            ("Heelkunde", 1, ["physician"]),
        ]
        assert (found["questions"], found["departments"]) == (4, {"Pediatrie": 3, "Heelkunde": 1})
        assert len(found["gaps"][0]["questions"]) == 3
        assert found["gaps"][0]["nearest"][0]["title"]
        assert [gap["times"] for gap in client.get("/gaps", params={"department": "Heelkunde"}).json()["gaps"]] == [1]

    def test_questions_of_which_one_word_differs_are_two_gaps(self, client: httpx.Client) -> None:
        for question in (FLAG, FLAG.replace("Ieper", "Brugge")):
            assert ask(client, question)["status"] == "not_found"
        assert [gap["times"] for gap in client.get("/gaps").json()["gaps"]] == [1, 1]

    def test_an_answer_that_its_reader_called_none_is_a_gap_until_they_think_better_of_it(
        self, client: httpx.Client
    ) -> None:
        answer = ask(client, DOSE)
        assert client.get("/gaps").json()["gaps"] == []
        client.post(f"/answers/{answer['id']}/feedback", json={"found": "no"}).raise_for_status()
        (gap,) = client.get("/gaps").json()["gaps"]
        # that of the nearest document
        assert (gap["question"], gap["not_found"], gap["department"]) == (DOSE, 0, "Pediatrie")
        client.post(f"/answers/{answer['id']}/feedback", json={"found": "partly"}).raise_for_status()
        assert client.get("/gaps").json()["gaps"] == []

    def test_it_counts_what_readers_missed_by_the_last_that_each_said(self, client: httpx.Client) -> None:
        for chosen in (["procedure", "detail"], ["detail"], ["patient"], []):
            answer = ask(client, DOSE)
            for given in [{"found": "no"}, *({"missing": one} for one in chosen)]:
                client.post(f"/answers/{answer['id']}/feedback", json=given).raise_for_status()
        found = client.get("/gaps").json()
        assert [(gap["times"], gap["missing"]) for gap in found["gaps"]] == [(4, {"detail": 2, "patient": 1})]
        assert found["missing"] == {"detail": 2, "patient": 1}
        (row,) = csv.DictReader(io.StringIO(client.get("/gaps.csv").text))
        assert row["missing"] == "detail 2, patient 1"

    def test_it_says_in_which_procedure_a_reader_knows_the_answer_to_stand_and_that_others_know_of_none(
        self, client: httpx.Client, documents: dict[str, Document]
    ) -> None:
        for said in ({"missing": "procedure", "document_id": documents["fall"].id}, {"missing": "document"}):
            answer = ask(client, FLAG)
            client.post(f"/answers/{answer['id']}/feedback", json={"found": "no", **said}).raise_for_status()
        (gap,) = client.get("/gaps").json()["gaps"]
        assert [(one["document"], one["times"]) for one in gap["named"]] == [("falls.pdf", 1)]
        assert gap["missing"] == {"document": 1, "procedure": 1}
        (row,) = csv.DictReader(io.StringIO(client.get("/gaps.csv").text))
        assert row["named"] == "After a fall"

    def test_a_report_needs_words_and_goes_to_quality_staff_where_nothing_is_quoted(self, client: httpx.Client) -> None:
        answer = ask(client, DOSE)
        path = f"/answers/{answer['id']}/feedback"
        refused = client.post(path, json={"reported": "wrong", "found": "no", "comment": " "})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")
        told = (
            client.post(path, json={"reported": "wrong", "comment": "Dit is voor volwassenen."})
            .raise_for_status()
            .json()
        )
        assert (told["owner"], told["document_id"]) == (None, None)
        (gap,) = client.get("/gaps").json()["gaps"]
        assert gap["reported"] == {"wrong": 1}
        assert client.get("/owner-questions/asked").json()["questions"] == []

    def test_it_says_which_were_passed_on_and_its_file_too_in_either_language(
        self, client: httpx.Client, documents: dict[str, Document]
    ) -> None:
        first, second = (ask(client, FLAG) for _ in range(2))
        assert client.get("/gaps").json()["gaps"][0]["passed_on"] == 0
        said = {"kind": "question", "text": "Waar staat dit?", "answer_id": first["id"]}
        path = f"/documents/{documents['kitchen'].id}/owner-questions"
        client.post(path, json=said).raise_for_status()
        judged = {"verdict": "wrong", "remark": "Dit staat er wel.", "document_id": second["sources"][0]["document_id"]}
        client.put(f"/reviews/{second['id']}", json=judged).raise_for_status()
        (gap,) = client.get("/gaps").json()["gaps"]
        assert (gap["times"], gap["passed_on"]) == (2, 2)
        assert {one["name"] for one in gap["passed_to"]} == {""}  # quality staff
        for language, name in (("nl", "keer doorgegeven"), ("en", "passed_on")):
            (row,) = csv.DictReader(io.StringIO(client.get("/gaps.csv", params={"language": language}).text))
            assert row[name] == "2"

    def test_a_report_is_no_place_of_a_judged_question(
        self, client: httpx.Client, documents: dict[str, Document]
    ) -> None:
        said = {"reported": "wrong", "comment": "Fout.", "document_id": documents["kitchen"].id}
        client.post(f"/answers/{ask(client, DOSE)['id']}/feedback", json=said).raise_for_status()
        assert client.post("/judged/s/feedback").json() == {"placed": 0, "open": 0}

    def test_a_deleted_conversation_is_gone_from_it(self, client: httpx.Client) -> None:
        answer = ask(client, FLAG)
        assert client.get("/gaps").json()["questions"] == 1
        client.delete(f"/conversations/{answer['conversation_id']}").raise_for_status()
        assert client.get("/gaps").json() == {"gaps": [], "questions": 0, "missing": {}, "departments": {}}

    def test_the_csv_names_owners_and_holds_no_formula(self, client: httpx.Client) -> None:
        ask(client, "=1+1 " + FLAG)
        got = client.get("/gaps.csv").raise_for_status()
        (row,) = csv.DictReader(io.StringIO(got.text))
        assert row["question"].startswith("'=1+1")
        assert row["times"] == "1"

    def test_questions_from_before_a_day_are_left_out(self, client: httpx.Client) -> None:
        ask(client, FLAG)
        assert client.get("/gaps", params={"since": "2020-01-01"}).json()["questions"] == 1
        assert client.get("/gaps", params={"since": "2100-01-01"}).json()["questions"] == 0


@pytest.mark.parametrize("path", ["/judged", "/judged/s", "/judged/s/csv", "/gaps", "/gaps.csv"])
def test_for_those_who_may_not_review_nothing_is_there(
    client: httpx.Client, asker: Asker, documents: dict[str, Document], path: str
) -> None:
    judge(client, ask(client, DOSE), "s", found="yes", marked=[{"document_id": documents["child"].id}])
    asker.user = NURSE
    answer = client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    asker.user = replace(NURSE, groups=("everyone", "quality"))
    assert client.get(path).status_code == 200


def test_for_those_who_may_not_review_nothing_can_be_changed(
    client: httpx.Client, asker: Asker, documents: dict[str, Document]
) -> None:
    asker.user = NURSE
    answer = ask(client, DOSE)
    assert client.put(f"/judged/s/answers/{answer['id']}", json={"no_answer": True}).status_code == 404
    assert client.post("/judged/s/csv", json={"csv": "id,question,document\n1,x,a\n"}).status_code == 404
    assert client.post("/judged/s/feedback").status_code == 404
    assert client.put("/judged/s/questions/1", json={"question": "x", "no_answer": True}).status_code == 404
    assert client.delete("/judged/s/questions/1").status_code == 404
    assert client.delete("/judged/s").status_code == 404


def test_others_answers_cannot_be_judged(client: httpx.Client, asker: Asker) -> None:
    asker.user = NURSE
    answer = ask(client, DOSE)
    asker.user = LOCAL_USER
    assert client.put(f"/judged/s/answers/{answer['id']}", json={"no_answer": True}).status_code == 404
