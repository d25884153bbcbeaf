"""Reviews over HTTP: quality staff see what was asked, why it was refused, and judge it; gone with
the conversation, and an owner reads the remark alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from rag_api.container import Container
from rag_api.db.owners.named import put_owner
from rag_api.db.people.accounts import add_account
from rag_api.db.questions.reviews import forget_reviewer
from rag_api.domain import LOCAL_USER, Document, Role, User
from tests.rag_api.api.routes.conftest import Asker
from tests.support.world import empty, load_hospital

DOSE = "Hoeveel paracetamol mag een kind van 12 kg?"
FLAG = "Welke vlag hangt er op het stadhuis van Ieper?"
NURSE = User("nurse", "Nurse Jansen", ("everyone",), function="nurse", department="Pediatrie")
JUDGE = User("judge", "Judge", ("everyone",), roles=frozenset({Role.READER, Role.JUDGE}))


@pytest.fixture
def documents(container: Container) -> Iterator[dict[str, Document]]:
    yield load_hospital(container)
    empty(container)
    container.db.run("truncate conversations, owner_questions cascade")


@pytest.fixture
def client(url: str, asker: Asker, documents: dict[str, Document]) -> Iterator[httpx.Client]:
    asker.user = LOCAL_USER
    with httpx.Client(base_url=f"{url}/api", timeout=30) as made:
        yield made


def ask(client: httpx.Client, asker: Asker, question: str, who: User = NURSE, mode: str = "verbatim") -> dict[str, Any]:
    asker.user = who
    body: dict[str, Any] = (
        client.post("/ask", json={"question": question, "mode": mode}).raise_for_status().json()
    )  # fmt: skip
    asker.user = JUDGE
    return body


def reviews(client: httpx.Client, **of: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/reviews", params=of).raise_for_status().json()["reviews"]
    return found


def judge(client: httpx.Client, answer: dict[str, Any], **said: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.put(f"/reviews/{answer['id']}", json=said).raise_for_status().json()
    return found


def test_what_was_asked_is_shown_with_why_it_was_refused_and_not_by_whom(
    client: httpx.Client, asker: Asker, container: Container
) -> None:
    dose, flag = ask(client, asker, DOSE, mode="sources"), ask(client, asker, FLAG)
    response = client.get("/reviews")
    refused, told = response.json()["reviews"]
    assert (refused["question"], refused["status"], told["question"]) == (FLAG, "not_found", DOSE)
    assert refused["refused"]["by"]
    assert (told["refused"], told["status"]) == (None, dose["status"])
    assert (told["function"], told["department"], told["review"]) == ("nurse", "Pediatrie", None)
    assert told["sources"][0]["title"] == "Paracetamol intraveneus bij kinderen"
    assert "Jansen" not in response.text
    assert flag["id"] == refused["answer_id"]


def test_what_a_refusal_names_besides_its_sources_is_for_its_asker_alone(
    client: httpx.Client, asker: Asker, container: Container
) -> None:
    flag = ask(client, asker, FLAG)
    (why,) = flag["notices"]
    one = "jsonb_build_object('code', code, 'text', 'Vlaggen past bij de vraag.')"
    named = f"(select jsonb_agg({one}) from unnest(array['lapsed', 'unread']) code)"
    container.db.run(f"update answers set notices = notices || {named}")
    (told,) = reviews(client)
    assert [notice["text"] for notice in told["notices"]] == [why["text"]], "in the words of its asker"


def test_what_was_asked_is_found_by_its_words_and_by_the_hour_and_says_which_version_was_shown(
    client: httpx.Client, asker: Asker, container: Container
) -> None:
    ask(client, asker, DOSE, mode="sources"), ask(client, asker, FLAG)
    container.db.run("update answers set sources = jsonb_set(sources, '{0,document,metadata,version}', '\"3\"')")
    (dose,) = reviews(client, search="PARACETAMOL mag")
    assert (dose["question"], dose["sources"][0]["version"]) == (DOSE, "3")
    assert reviews(client, search="%") == []
    now = datetime.now(UTC)
    for before, after, count in (
        (timedelta(hours=1), timedelta(hours=1), 2),
        (timedelta(hours=2), timedelta(hours=-1), 0),
    ):
        between = {"after": (now - before).isoformat(), "before": (now + after).isoformat()}
        assert len(reviews(client, **between)) == count
    assert client.get("/reviews", params={"after": "2026-01-01T10:00"}).status_code == 422  # of which clock?


def test_a_judgement_is_kept_and_another_stands_before_it(
    client: httpx.Client, asker: Asker, container: Container
) -> None:
    dose = ask(client, asker, DOSE)
    judge(client, dose, verdict="partly", remark="Het gewicht ontbreekt.")
    remark = "Gaat over mevrouw Jansen, geboren op 3 mei 1961."
    said = judge(client, dose, verdict="harmful", remark=remark, personal_data="remove")["review"]
    assert (said["verdict"], said["judged_by"], said["sent_to"]) == ("harmful", "judge", None)
    assert "1961" not in said["remark"], "what identifies a patient is left out"
    assert [one["review"]["verdict"] for one in reviews(client)] == ["harmful"]
    assert said["yours"]
    asker.user = replace(JUDGE, id="colleague")
    assert [one["review"]["yours"] for one in reviews(client)] == [False], "it is to be read, and not signed anew"
    asker.user = JUDGE
    assert client.put(f"/reviews/{dose['id']}", json={"verdict": "good"}).status_code == 422
    (shown,) = reviews(client)
    (before,) = shown["earlier"]
    assert (before["verdict"], before["remark"], before["judged_by"]) == ("partly", "Het gewicht ontbreekt.", "judge")
    assert before["judged_at"] < shown["review"]["judged_at"]
    judge(client, dose, verdict="harmful", remark=said["remark"])
    assert len(reviews(client)[0]["earlier"]) == 1, "what was said again is no other judgement"
    assert forget_reviewer(container.db, "judge") == 2
    (shown,) = reviews(client)
    assert (shown["review"]["judged_by"], shown["earlier"][0]["judged_by"]) == ("", "")


def test_the_list_is_chosen_by_period_refusal_report_judgement_and_department(
    client: httpx.Client, asker: Asker, container: Container
) -> None:
    dose, flag = ask(client, asker, DOSE), ask(client, asker, FLAG, replace(NURSE, department="Spoed"))
    old = ask(client, asker, FLAG)
    container.db.run(
        "update answers set created_at = created_at - interval '40 days' where id = %(id)s", {"id": old["id"]}
    )
    asker.user = NURSE
    client.post(f"/answers/{dose['id']}/feedback", json={"reported": "wrong", "comment": "klopt niet"})
    asker.user = JUDGE
    judge(client, flag, verdict="right")
    today = datetime.now(UTC).date()

    def ids(**of: Any) -> list[str]:
        return [one["answer_id"] for one in reviews(client, **of)]

    assert ids() == [flag["id"], dose["id"], old["id"]]
    assert ids(refused=True) == [flag["id"], old["id"]]
    assert ids(reported=True) == [dose["id"]]
    assert ids(unjudged=True) == [dose["id"], old["id"]]
    assert ids(department="Spoed") == [flag["id"]]
    assert ids(department="") == []
    assert ids(since=str(today - timedelta(days=30))) == [flag["id"], dose["id"]]
    assert ids(until=str(today - timedelta(days=30))) == [old["id"]]
    assert ids(limit=1, offset=1) == [dose["id"]]
    listed = client.get("/reviews", params={"limit": 1}).json()
    assert (listed["total"], listed["departments"]) == (3, ["Pediatrie", "Spoed"])
    (told,) = reviews(client, reported=True)
    assert (told["reported"], told["comments"]) == ("wrong", ["klopt niet"])


def test_what_was_judged_is_listed_alone(client: httpx.Client, asker: Asker) -> None:
    judged, _ = ask(client, asker, DOSE), ask(client, asker, FLAG)
    assert reviews(client, judged=True) == []
    judge(client, judged, verdict="right")
    assert [one["answer_id"] for one in reviews(client, judged=True)] == [judged["id"]]
    assert reviews(client, judged=True, unjudged=True) == []


def test_an_owner_reads_the_remark_with_what_was_asked_once(
    client: httpx.Client, asker: Asker, container: Container, documents: dict[str, Document]
) -> None:
    dose = ask(client, asker, DOSE)
    child = {"document_id": documents["child"].id, "page": 1}
    assert client.put(f"/reviews/{dose['id']}", json={"verdict": "wrong", **child}).status_code == 422, "in words"
    said = judge(client, dose, verdict="wrong", remark="De dosis per dag ontbreekt.", **child)
    assert said["review"]["sent_to"] == "", "nobody is known: quality staff have it"
    (work,) = client.get("/owner-questions/work").raise_for_status().json()["questions"]
    assert (work["kind"], work["text"], work["page"]) == ("report", "De dosis per dag ontbreekt.", 1)
    assert (work["asked"], work["answer_id"]) == (DOSE, None), "the answer is another's to open"
    assert "Jansen" not in str(work)
    again = {"verdict": "wrong", "remark": "Nog eens.", **child}
    assert client.put(f"/reviews/{dose['id']}", json=again).status_code == 409
    other = {"verdict": "wrong", "remark": "Van een ander.", "document_id": "0" * 32}
    assert client.put(f"/reviews/{ask(client, asker, DOSE)['id']}", json=other).status_code == 404
    assert judge(client, dose, verdict="partly")["review"]["sent_to"] == "", "what was sent stays sent"


def test_what_a_reader_or_a_judge_calls_harmful_comes_to_the_owner_as_that(
    client: httpx.Client, asker: Asker, documents: dict[str, Document]
) -> None:
    dose, child = ask(client, asker, DOSE), documents["child"].id
    judge(client, dose, verdict="wrong", remark="De dosis ontbreekt.", document_id=child)
    asker.user = NURSE
    said = {"reported": "wrong", "comment": "Veel te hoog.", "document_id": child, "can_harm": True}
    assert client.post(f"/answers/{dose['id']}/feedback", json=said).raise_for_status().json()["can_harm"]
    other = ask(client, asker, DOSE)
    asker.user = JUDGE
    judge(client, other, verdict="harmful", remark="Gevaarlijk.", document_id=child)
    work = client.get("/owner-questions/work").raise_for_status().json()["questions"]
    assert [(one["text"], one["can_harm"]) for one in work] == [
        ("Veel te hoog.", True),
        ("Gevaarlijk.", True),
        ("De dosis ontbreekt.", False),
    ]
    assert {one["answer_id"]: one["can_harm"] for one in reviews(client)} == {dose["id"]: True, other["id"]: False}


def test_a_judge_reads_whom_the_remark_went_to_owner_department_or_nobody(
    client: httpx.Client, asker: Asker, container: Container, documents: dict[str, Document]
) -> None:
    dose = ask(client, asker, DOSE)
    document = documents["child"]
    said = "update documents set owner = %(owner)s, department = 'Kinderafdeling' where id = %(id)s"
    container.db.run(said, {"owner": "Dokter Smits", "id": document.id})
    remark = {"verdict": "wrong", "remark": "De dosis ontbreekt.", "document_id": document.id}
    assert judge(client, dose, **remark)["review"]["sent_to"] == "", "an owner is named, and nobody is known for it"
    account = add_account(container.db, LOCAL_USER, "smits", "Smits", "of no password", [Role.READER], [])
    for name in ("Kinderafdeling", "Dokter Smits"):
        put_owner(container.db, LOCAL_USER, name, "", [account])
        assert reviews(client)[0]["review"]["sent_to"] == name
    put_owner(container.db, LOCAL_USER, "Dokter Smits", "smits@hospital.example", [])
    put_owner(container.db, LOCAL_USER, "Kinderafdeling", "", [])
    assert reviews(client)[0]["review"]["sent_to"] == "", "no mail is sent here"
    container.db.run("truncate owners, users cascade")


def test_what_was_asked_is_told_to_no_quality_staff_who_share_no_group_with_its_asker(
    client: httpx.Client, asker: Asker, container: Container, documents: dict[str, Document]
) -> None:
    dose = ask(client, asker, DOSE, replace(NURSE, groups=("everyone", "ward")))
    asker.user = replace(JUDGE, groups=("everyone", "ward"))
    judge(client, dose, verdict="wrong", remark="De dosis ontbreekt.", document_id=documents["child"].id)
    assert len(client.get("/owner-questions/work").json()["questions"]) == 1
    asker.user = replace(JUDGE, id="other", groups=("everyone", "another ward"))
    assert client.get("/owner-questions/work").json()["questions"] == []


def test_a_judgement_goes_with_its_conversation(client: httpx.Client, asker: Asker, container: Container) -> None:
    dose = ask(client, asker, DOSE)
    judge(client, dose, verdict="partly", remark="De toediening ontbreekt.")
    judge(client, dose, verdict="right")
    kept = "select body from audit_sealed where part = 'about'"
    assert "De toediening ontbreekt." in str(container.db.all(kept)), "the trail holds the remark"
    asker.user = NURSE
    client.delete(f"/conversations/{dose['conversation_id']}").raise_for_status()
    asker.user = JUDGE
    assert reviews(client) == []
    assert container.db.all("select 1 from reviews union all select 1 from earlier_reviews") == []
    assert "De toediening ontbreekt." not in str(container.db.all(kept)), "nor in the trail"


def test_who_asked_reads_the_newest_judgement_and_not_whose_it_is(
    client: httpx.Client, asker: Asker, container: Container, documents: dict[str, Document]
) -> None:
    dose = ask(client, asker, DOSE)

    def told() -> dict[str, Any] | None:
        asker.user = NURSE
        one = client.get(f"/answers/{dose['id']}").json()["judged"]
        (again,) = client.get(f"/conversations/{dose['conversation_id']}").json()["answers"]
        assert again["judged"] == one
        asker.user = JUDGE
        return dict(one) if one else None

    assert told() is None
    judge(client, dose, verdict="partly", remark="Het gewicht ontbreekt.")
    judge(client, dose, verdict="wrong", remark="De dosis per dag ontbreekt.")
    said = told()
    assert said
    assert (said["verdict"], said["remark"]) == ("wrong", "De dosis per dag ontbreekt.")
    assert set(said) == {"verdict", "remark", "judged_at"}
    container.db.run("update reviews set told = false")
    assert told() is None, "nobody was told that who asked would read it"
    container.db.run("update reviews set told = true")
    container.db.run("update documents set groups = '{secret}' where id = %(id)s", {"id": documents["child"].id})
    assert told() is None, "the remark may say what is withheld"


def test_a_remark_answers_what_its_asker_reported_where_it_is_the_judges_to_answer(
    client: httpx.Client, asker: Asker, container: Container, documents: dict[str, Document]
) -> None:
    dose = ask(client, asker, DOSE)
    asker.user = NURSE
    said = {"reported": "wrong", "comment": "Klopt niet.", "document_id": documents["child"].id}
    client.post(f"/answers/{dose['id']}/feedback", json=said).raise_for_status()
    asker.user = JUDGE
    assert reviews(client)[0]["reports"] == 1
    assert client.put(f"/reviews/{dose['id']}", json={"verdict": "right", "reply": True}).status_code == 422, "in words"
    assert judge(client, dose, verdict="right", remark="Nog bezig.")["reports"] == 1
    sent = {"remark": "Dit klopt: het gaat om kinderen.", "document_id": documents["child"].id}
    assert judge(client, dose, verdict="right", reply=True, **sent)["reports"] == 0
    asker.user = NURSE
    (asked,) = client.get("/owner-questions/asked").json()["questions"]
    assert (asked["outcome"], asked["reply"], asked["replied_as"]) == ("answered", sent["remark"], "")
    asker.user = JUDGE
    assert client.get("/owner-questions/work").json()["open"] == 1, "what the judge sends on waits for the owner"
    account = add_account(container.db, LOCAL_USER, "smits", "Smits", "of no password", [Role.READER], [])
    container.db.run("update documents set owner = 'Dokter Smits' where id = %(id)s", {"id": documents["child"].id})
    put_owner(container.db, LOCAL_USER, "Dokter Smits", "", [account])
    asker.user = NURSE
    client.post(
        f"/answers/{dose['id']}/feedback", json=said | {"document_id": documents["child"].id}
    ).raise_for_status()
    asker.user = JUDGE
    assert judge(client, dose, verdict="wrong", remark="Is van de eigenaar.", reply=True)["reports"] == 0
    asker.user = NURSE
    newest = client.get("/owner-questions/asked").json()["questions"][0]
    assert newest["outcome"] is None, "it is its owner's to answer"
    container.db.run("truncate owners, users cascade")


def test_a_reviewer_sees_what_their_groups_may_read_and_nothing_of_a_document_that_they_may_not(
    client: httpx.Client, asker: Asker, container: Container, documents: dict[str, Document]
) -> None:
    dose = ask(client, asker, DOSE)
    container.db.run("update documents set groups = '{secret}' where id = %(id)s", {"id": documents["child"].id})
    (told,) = reviews(client)
    assert told["text"] == ""
    assert documents["child"].id not in [one["document_id"] for one in told["sources"]]
    child = {"verdict": "wrong", "remark": "x", "document_id": documents["child"].id}
    assert client.put(f"/reviews/{dose['id']}", json=child).status_code == 404
    asker.user = replace(JUDGE, groups=("another ward",))
    assert reviews(client) == []
    assert client.put(f"/reviews/{dose['id']}", json={"verdict": "right"}).status_code == 404
    asker.user = NURSE
    assert client.get("/reviews").status_code == 404
    assert client.put(f"/reviews/{dose['id']}", json={"verdict": "right"}).status_code == 404


def test_a_question_without_an_answer_is_passed_on_by_who_may_review_it_alone(
    client: httpx.Client, asker: Asker, container: Container
) -> None:
    flag = ask(client, asker, FLAG)
    (gap,) = client.get("/gaps").raise_for_status().json()["gaps"]
    assert (gap["answer_id"], gap["passed_on"]) == (flag["id"], 0)
    path = f"/documents/{gap['nearest'][0]['id']}/owner-questions"
    said = {"kind": "question", "text": "Hoort dit bij u?", "answer_id": gap["answer_id"]}
    asker.user = replace(NURSE, id="another nurse")
    assert client.post(path, json=said).status_code == 404
    asker.user = JUDGE
    assert client.post(path, json=said).status_code == 201
    (work,) = client.get("/owner-questions/work").json()["questions"]
    assert (work["text"], work["asked"], work["answer_id"]) == (said["text"], FLAG, None)
    assert "Jansen" not in str(work)
    add_account(container.db, LOCAL_USER, "Sara Peeters", "sara", "of no password", [], [])
    named = client.post(path, json=said | {"to": "sara"}).raise_for_status().json()["question"]
    (gap,) = client.get("/gaps").json()["gaps"]
    assert gap["passed_on"] == 1
    assert [one["name"] for one in gap["passed_to"]] == ["", "Sara Peeters"]
    assert datetime.fromisoformat(gap["passed_to"][1]["at"]) == datetime.fromisoformat(named["created_at"])
    container.db.run("update documents set groups = '{ward}'")
    (gap,) = client.get("/gaps").json()["gaps"]
    assert (gap["passed_on"], gap["passed_to"]) == (1, []), "of a document that is not theirs to read"
    container.db.run("update documents set groups = '{everyone}'")
    ward = ask(client, asker, FLAG, replace(NURSE, groups=("everyone", "ward")))
    assert client.post(path, json=said | {"answer_id": ward["id"]}).status_code == 404


def test_a_question_is_passed_on_without_a_document_to_a_colleague_who_is_offered(
    client: httpx.Client, asker: Asker, container: Container
) -> None:
    flag = ask(client, asker, FLAG)
    add_account(container.db, LOCAL_USER, "Lena Maes", "lena", "of no password", [], [])
    offered = client.get("/colleagues", params={"search": "maes"}).raise_for_status().json()
    assert offered == {"colleagues": [{"name": "Lena Maes", "called": "Lena Maes", "may_review": False}], "total": 1}
    path, said = f"/answers/{flag['id']}/owner-questions", {"text": "Weet u dit?", "to": "lena maes"}
    sent = client.post(path, json=said).raise_for_status().json()
    assert (sent["owner"], sent["question"]["document_id"], sent["question"]["asked"]) == ("Lena Maes", None, FLAG)
    (gap,) = client.get("/gaps").json()["gaps"]
    assert [one["name"] for one in gap["passed_to"]] == ["Lena Maes"]
    unknown = client.post(path, json=said | {"to": "nobody"})
    container.db.run("delete from answers where id = %(id)s", {"id": flag["id"]})
    gone = client.post(path, json=said)
    assert (unknown.status_code, unknown.json()["code"]) == (404, "no_such_reader")
    assert (gone.status_code, gone.json()["code"]) == (404, "not_found")
    asker.user = NURSE
    assert client.get("/colleagues").status_code == client.post(path, json=said).status_code == 404


def test_nearest_to_a_question_without_an_answer_is_also_what_its_refusal_names(
    client: httpx.Client, asker: Asker, container: Container
) -> None:
    ask(client, asker, FLAG)
    sources = "jsonb_build_array(sources->0, sources->0, sources->0, sources->1)"
    container.db.run(f"update answers set notices = '[]', sources = {sources}")

    def nearest() -> list[str]:
        (gap,) = client.get("/gaps").json()["gaps"]
        return [one["title"] for one in gap["nearest"]]

    (first,) = nearest()
    named = "sources->3->'document'->'metadata'->>'title'"
    said = f"jsonb_build_array(jsonb_build_object('code', 'only', 'text', ({named}) || ' is voor kinderen.'))"
    container.db.run(f"update answers set notices = {said}")
    assert len(nearest()) == 2
    assert nearest()[0] == first
