"""Staff ask the owner of a document, who answers, or takes the document out; what identifies a
patient is not kept with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from rag_api.container import Container
from rag_api.domain import Document
from tests.support.people import People, refused, staffed
from tests.support.world import empty, load

PATIENT = "Klopt dit ook voor mevrouw Jansen, geboren op 3 mei 1961?"


@pytest.fixture(scope="module")
def staff(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Container, TestClient, People]]:
    with staffed(dsn, tmp_path_factory.mktemp("staffed")) as made:
        yield made


@pytest.fixture
def container(staff: tuple[Container, TestClient, People]) -> Iterator[Container]:
    yield staff[0]
    empty(staff[0])
    staff[0].db.run("truncate owners cascade")


@pytest.fixture
def document(container: Container) -> Document:
    return load(container, "para.pdf", "Paracetamol. Geef 15 mg/kg. ", owner="Apotheek", language="nl")


class Person:
    """Sends what somebody of the hospital sends."""

    def __init__(self, staff: tuple[Container, TestClient, People], who: str) -> None:
        _, self.client, self.people = staff
        self.who = who

    def __call__(self, method: str, path: str, **body: Any) -> Any:
        self.client.cookies.clear()
        return self.client.request(method, path, headers=self.people.shows(self.who), json=body or None)


@pytest.fixture
def nurse(staff: tuple[Container, TestClient, People]) -> Person:
    return Person(staff, "colleague")


@pytest.fixture
def owner(staff: tuple[Container, TestClient, People]) -> Person:
    return Person(staff, "owner")


@pytest.fixture
def admin(staff: tuple[Container, TestClient, People]) -> Person:
    return Person(staff, "admin")


@pytest.fixture
def judge(staff: tuple[Container, TestClient, People]) -> Person:
    return Person(staff, "judge")


def test_a_question_goes_to_the_owner_and_the_answer_comes_back(
    document: Document, nurse: Person, owner: Person, admin: Person
) -> None:
    assert (
        admin("PUT", "/owners", name="Apotheek", accounts=["owner"], mail="apotheek@hospital.example").status_code
        == 204
    )
    (listed,) = admin("GET", "/owners").json()["owners"]
    assert (listed["name"], listed["mail"], [one["name"] for one in listed["accounts"]]) == (
        "Apotheek", "apotheek@hospital.example", ["owner"],
    )  # fmt: skip
    asked = nurse(
        "POST", f"/documents/{document.id}/owner-questions", kind="question", text=" Ook bij pasgeborenen? ", page=1
    )
    assert asked.status_code == 201
    assert (asked.json()["owner"], asked.json()["by_mail"]) == ("Apotheek", False)  # no mail server is named here
    assert owner("GET", "/owner-questions/news").json() == {"news": 0, "waiting": 1, "promised": 0, "to_review": 0}
    assert nurse("GET", "/owner-questions/news").json() == {"news": 0, "waiting": 0, "promised": 0, "to_review": 0}
    work = owner("GET", "/owner-questions/work").json()
    assert (work["open"], work["questions"][0]["text"], work["questions"][0]["page"]) == (1, "Ook bij pasgeborenen?", 1)
    path = f"/owner-questions/{asked.json()['question']['id']}/reply"
    assert owner("POST", path, outcome="answered", text=" ").status_code == 422
    assert owner("POST", path, outcome="answered", text="Nee.").json()["outcome"] == "answered"
    assert refused(owner("POST", path, outcome="mended")) == "conflict"
    told = nurse("GET", "/owner-questions/asked").json()
    assert (told["news"], told["questions"][0]["reply"]) == (1, "Nee.")
    assert nurse("POST", "/owner-questions/asked/seen").status_code == 204
    assert nurse("GET", "/owner-questions/asked").json()["news"] == 0
    assert nurse("GET", "/owner-questions/work").json() == {
        "questions": [],
        "open": 0,
        "to_review": [],
        "unanswered": [],
    }


def test_where_nobody_is_known_it_is_said_and_quality_staff_have_it(
    document: Document, nurse: Person, judge: Person
) -> None:
    asked = nurse(
        "POST", f"/documents/{document.id}/owner-questions", kind="report", text="De dosis klopt niet meer."
    ).json()
    assert (asked["owner"], asked["question"]["owner_known"]) == ("", False)
    (one,) = judge("GET", "/owner-questions/work").json()["questions"]
    assert (one["kind"], one["text"], one["owner_known"]) == ("report", "De dosis klopt niet meer.", False)


def test_what_was_passed_on_to_who_reads_no_more_is_quality_staffs_to_answer(
    staff: tuple[Container, TestClient, People], document: Document, judge: Person
) -> None:
    path = f"/documents/{document.id}/owner-questions"
    made = judge("POST", path, kind="question", text="Geldt dit nog?", to="colleague").json()["question"]
    assert (made["passed_to"], made["nobody_left"]) == ("colleague", False)
    assert judge("GET", "/owner-questions/news").json()["waiting"] == 0
    changed = {"id": staff[2].ids["colleague"], "groups": ["surgery"]}
    staff[0].db.run("update users set groups = %(groups)s where id = %(id)s", changed)
    try:
        assert judge("GET", "/owner-questions/news").json()["waiting"] == 1
        for told in ("work", "asked"):
            (one,) = judge("GET", f"/owner-questions/{told}").json()["questions"]
            assert (one["id"], one["nobody_left"]) == (made["id"], True)
        replied = judge("POST", f"/owner-questions/{made['id']}/reply", outcome="answered", text="Ja.").json()
        assert (replied["outcome"], replied["nobody_left"]) == ("answered", False)
    finally:
        staff[0].db.run("update users set groups = '{staff,surgery}' where id = %(id)s", changed)


def test_whom_it_goes_to_is_said_before(
    staff: tuple[Container, TestClient, People], document: Document, nurse: Person, admin: Person
) -> None:
    path = f"/documents/{document.id}/owner"
    assert nurse("GET", path).json() == {"owner": "", "by_mail": False}
    admin("PUT", "/owners", name="Apotheek", mail="apotheek@hospital.example", accounts=[])
    assert nurse("GET", path).json() == {"owner": "", "by_mail": False}  # no mail is sent here
    admin("PUT", "/owners", name="Apotheek", mail="", accounts=[staff[2].ids["owner"]])
    assert nurse("GET", path).json() == {"owner": "Apotheek", "by_mail": False}
    asked = nurse("POST", f"/documents/{document.id}/owner-questions", kind="report", text="Verouderd.").json()
    assert asked["owner"] == "Apotheek"
    staff[0].db.run("update users set suspended_at = now() where id = %(id)s", {"id": staff[2].ids["owner"]})
    try:
        assert nurse("GET", path).json() == {"owner": "", "by_mail": False}
    finally:
        staff[0].db.run("update users set suspended_at = null")
    assert nurse("GET", "/documents/0123456789abcdef0123456789abcdef/owner").status_code == 404


def test_what_identifies_a_patient_is_refused_or_left_out(document: Document, nurse: Person, judge: Person) -> None:
    path = f"/documents/{document.id}/owner-questions"
    no = nurse("POST", path, kind="question", text=PATIENT)
    assert refused(no) == "personal_data"
    assert "Jansen" not in no.json()["instead"]
    made = nurse("POST", path, kind="question", text=PATIENT, personal_data="remove").json()["question"]
    assert "Jansen" not in made["text"]
    reply = f"/owner-questions/{made['id']}/reply"
    assert refused(judge("POST", reply, outcome="answered", text=PATIENT)) == "personal_data"
    replied = judge("POST", reply, outcome="answered", text=PATIENT, personal_data="remove").json()
    assert "Jansen" not in replied["reply"]


def test_an_owner_takes_their_document_out_and_nobody_else_without_the_role(
    container: Container, document: Document, nurse: Person, owner: Person, admin: Person, judge: Person
) -> None:
    asked = nurse("POST", f"/documents/{document.id}/owner-questions", kind="report", text="Verouderd.").json()[
        "question"
    ]
    path = f"/owner-questions/{asked['id']}/reply"
    # it is nobody's, but not a judge's to take out
    assert refused(judge("POST", path, outcome="retired")) == "not_allowed"
    assert owner("POST", path, outcome="retired").status_code == 404
    admin("PUT", "/owners", name="Apotheek", accounts=["owner"])
    assert owner("POST", path, outcome="retired", text="Er komt een nieuwe.").json()["outcome"] == "retired"
    assert container.store.document_ids() == set()
    (told,) = nurse("GET", "/owner-questions/asked").json()["questions"]
    assert (told["outcome"], told["current_id"], told["news"]) == ("retired", None, True)
    place = nurse("GET", f"/documents/{document.id}/place").json()
    assert (place["status"], place["withdrawn_reason"]) == ("retired", "Er komt een nieuwe.")


def test_taking_a_document_out_is_offered_to_who_may_alone(
    document: Document, nurse: Person, owner: Person, admin: Person, judge: Person
) -> None:
    nurse("POST", f"/documents/{document.id}/owner-questions", kind="report", text="Verouderd.").raise_for_status()

    def offered(who: Person) -> list[bool]:
        return [one["may_retire"] for one in who("GET", "/owner-questions/work").json()["questions"]]

    assert (offered(judge), offered(admin)) == ([False], [True])
    admin("PUT", "/owners", name="Apotheek", accounts=["owner"])
    assert offered(owner) == [True]
