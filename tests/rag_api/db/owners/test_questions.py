"""Questions to the owner of a document are seen by the owner, who asked, and quality staff what is
nobody's. Nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.db.owners.asking import ask_owner, pass_question
from rag_api.db.owners.named import list_owners, put_owner
from rag_api.db.owners.questions import (
    OwnerQuestionKind,
    asked_by,
    detach,
    may_retire,
    reply,
    seen,
    waiting_for,
    work_of,
)
from rag_api.db.people.accounts import add_account, change_account, get_account, user_of
from rag_api.db.questions.answers import delete_conversation
from rag_api.db.questions.gaps import unanswered, unanswered_near
from rag_api.domain import EVERYONE, LOCAL_USER, Document, Role, User
from rag_api.errors import Conflict, InvalidInput, MembershipAdminNeeded, NotFound
from tests.support.world import load

TEXT = "Geldt dit ook voor pasgeborenen?"
ADMIN = replace(LOCAL_USER, groups=("everyone", "surgery"))


@pytest.fixture
def container(container: Container) -> Iterator[Container]:
    yield container
    container.db.run("truncate owners, users cascade")


@pytest.fixture
def document(container: Container) -> Document:
    return load(container, "para.pdf", "Paracetamol. Geef 15 mg/kg. ", owner="Werkgroep Pijn", department="Apotheek")


def hire(container: Container, login: str, *groups: str, roles: tuple[Role, ...] = ()) -> User:
    account = add_account(container.db, ADMIN, login, login, "of no password", roles, groups)
    return user_of(get_account(container.db, account), {})


def close(container: Container, document: Document, *groups: str) -> None:
    container.db.run(
        "update documents set groups = %(groups)s where id = %(id)s", {"groups": list(groups), "id": document.id}
    )


def test_the_owner_that_a_document_names_comes_before_its_department(container: Container, document: Document) -> None:
    pain, pharmacy, nurse = (hire(container, one) for one in ("pain", "pharmacy", "nurse"))
    put_owner(container.db, ADMIN, "Apotheek", "", [pharmacy.id])
    ask_owner(container.db, nurse, document.id, "question", TEXT)
    assert [one.text for one in work_of(container.db, pharmacy)] == [TEXT]
    put_owner(container.db, ADMIN, "  WERKGROEP PIJN", "", ["pain"])  # by login; the open question goes along
    assert [one.text for one in work_of(container.db, pain)] == [TEXT]
    assert work_of(container.db, pharmacy) == []
    assert work_of(container.db, nurse) == []


def test_an_owner_sees_nothing_of_documents_that_they_may_not_read(container: Container, document: Document) -> None:
    pain, nurse = hire(container, "pain"), hire(container, "nurse", "surgery")
    put_owner(container.db, ADMIN, "Werkgroep Pijn", "", [pain.id])
    close(container, document, "surgery")
    ask_owner(container.db, nurse, document.id, "question", TEXT)
    assert work_of(container.db, pain) == []
    assert not may_retire(container.db, pain, document.id)
    judge = hire(container, "judge", "surgery", roles=(Role.JUDGE,))
    assert [one.text for one in work_of(container.db, judge)] == [TEXT]  # the owner cannot read it, so it is nobody's
    other = hire(container, "other", "elsewhere", roles=(Role.JUDGE,))
    assert work_of(container.db, other) == []
    close(container, document, "everyone")
    assert [one.text for one in work_of(container.db, pain)] == [TEXT]
    assert work_of(container.db, judge) == []  # it is the owner's again


def test_what_a_wards_nurse_asks_of_a_document_for_all_reaches_quality_staff(
    container: Container, document: Document
) -> None:
    nurse, judge = hire(container, "nurse", "surgery"), hire(container, "judge", roles=(Role.JUDGE,))
    ask_owner(container.db, nurse, document.id, "report", TEXT)
    assert [one.text for one in work_of(container.db, judge)] == [TEXT]
    close(container, document, "surgery")
    ask_owner(container.db, nurse, document.id, "question", "Voor de afdeling alleen?")
    close(container, document, "everyone")
    assert [one.text for one in work_of(container.db, judge)] == [TEXT]


def test_what_a_suspended_owner_would_answer_is_quality_staffs(container: Container, document: Document) -> None:
    pain, nurse, judge = (
        hire(container, "pain"),
        hire(container, "nurse"),
        hire(container, "judge", roles=(Role.JUDGE,)),
    )
    put_owner(container.db, ADMIN, "Werkgroep Pijn", "", [pain.id])
    ask_owner(container.db, nurse, document.id, "report", TEXT)
    assert work_of(container.db, judge) == []
    change_account(container.db, ADMIN, pain.id, suspended=True)
    assert [one.kind for one in work_of(container.db, judge)] == ["report"]


def test_what_is_passed_on_comes_to_the_account_that_is_named_and_not_to_who_passed_it_on(
    container: Container, document: Document
) -> None:
    judge, colleague, nurse = (
        hire(container, "judge", roles=(Role.JUDGE,)),
        hire(container, "maes"),
        hire(container, "n"),
    )
    stranger = hire(container, "stranger", "surgery")
    container.db.run("update users set mail = 'maes@hospital.example' where id = %(id)s", {"id": colleague.id})
    with pytest.raises(NotFound):
        ask_owner(container.db, nurse, document.id, "question", TEXT, to="maes")
    for nobody in ("nobody", "judge, maes"):
        with pytest.raises(NotFound):
            ask_owner(container.db, judge, document.id, "question", TEXT, to=nobody)
    assert container.db.all("select 1 from owner_questions") == [], "none is half kept"
    question, told = ask_owner(container.db, judge, document.id, "question", TEXT, to="MAES")
    assert (told.owner, told.by_mail, told.by_account) == ("maes", True, True)
    assert [one.id for one in work_of(container.db, colleague)] == [question.id]
    assert waiting_for(container.db, colleague) == (1, 0)
    assert work_of(container.db, judge) == work_of(container.db, nurse) == work_of(container.db, stranger) == []
    assert [(one.id, one.passed_to) for one in asked_by(container.db, judge)] == [(question.id, "maes")]
    mails = container.db.all(
        "select recipient from outbox where kind = 'mail' and question_id = %(id)s", {"id": question.id}
    )
    assert [row["recipient"] for row in mails] == ["maes@hospital.example"]
    assert reply(container.db, colleague, question.id, "answered", "Nee.").replied_as == "maes"


@pytest.mark.parametrize("why", ["suspended", "hidden", "gone"])
def test_what_whom_it_was_passed_on_to_can_no_longer_answer_is_quality_staffs(
    container: Container, document: Document, why: str
) -> None:
    judge, colleague = hire(container, "judge", "surgery", roles=(Role.JUDGE,)), hire(container, "maes")
    question, _ = ask_owner(container.db, judge, document.id, "question", TEXT, to="maes")
    assert work_of(container.db, judge) == []
    if why == "hidden":
        close(container, document, "surgery")
        container.db.run("update owner_questions set groups = '{surgery}'")
    else:
        done = "update users set suspended_at = now()" if why == "suspended" else "delete from users"
        container.db.run(f"{done} where id = %(id)s", {"id": colleague.id})
    (one,) = work_of(container.db, judge)
    assert (one.id, one.nobody_left) == (question.id, why != "gone"), (
        "of who is gone nothing is kept: it is nobody's yet"
    )
    if why == "hidden":
        assert work_of(container.db, colleague) == []


def test_nobody_asks_about_what_they_may_not_read_or_under_anothers_answer(
    container: Container, document: Document
) -> None:
    nurse = hire(container, "nurse")
    with pytest.raises(NotFound):
        ask_owner(container.db, nurse, document.id, "question", TEXT, answer_id="5f0c9a3e-6f0b-4c56-8a57-0d9b7b1f3c11")
    close(container, document, "surgery")
    with pytest.raises(NotFound):
        ask_owner(container.db, nurse, document.id, "question", TEXT)
    assert container.db.one("select count(*) as n from owner_questions") == {"n": 0}


def test_what_was_promised_counts_until_a_new_version_is_read_and_stands_after_what_is_open(
    container: Container, document: Document
) -> None:
    pain, nurse = hire(container, "pain"), hire(container, "nurse")
    put_owner(container.db, ADMIN, "Werkgroep Pijn", "", [pain.id])
    promised, answered, still, open_one = (
        ask_owner(container.db, nurse, document.id, "report", text)[0].id for text in ("een", "twee", "drie", "vier")
    )
    reply(container.db, pain, promised, "mended", "")
    reply(container.db, pain, still, "mended", "")
    reply(container.db, pain, answered, "answered", "Nee.")
    assert waiting_for(container.db, pain) == (1, 2)
    assert waiting_for(container.db, nurse) == (0, 0)
    assert [one.id for one in work_of(container.db, pain)] == [open_one, promised, still, answered]
    load(container, "para.pdf", "Paracetamol. Geef 15 mg/kg, herzien. ", owner="Werkgroep Pijn")
    assert waiting_for(container.db, pain) == (1, 0)
    assert [one.id for one in work_of(container.db, pain)] == [open_one, answered, still, promised]
    reply(container.db, pain, open_one, "mended", "")
    assert waiting_for(container.db, pain) == (0, 1)
    PgDocuments(container.db).retire(["para.pdf"])
    assert waiting_for(container.db, pain) == (0, 0)


def test_what_can_harm_a_patient_comes_first_and_is_quality_staffs_too(
    container: Container, document: Document
) -> None:
    pain, nurse, judge = (
        hire(container, name, roles=given) for name, given in (("p", ()), ("n", ()), ("j", (Role.JUDGE,)))
    )
    put_owner(container.db, ADMIN, "Werkgroep Pijn", "", [pain.id])
    kinds: tuple[tuple[OwnerQuestionKind, bool], ...] = (
        ("report", False),
        ("error", True),
        ("report", False),
        ("question", True),
    )
    first, harms, mending, harmed = (
        ask_owner(container.db, nurse, document.id, kind, TEXT, can_harm=can)[0].id for kind, can in kinds
    )
    for promised in (mending, harmed):
        reply(container.db, pain, promised, "mended", "")
    work = work_of(container.db, pain)
    assert [one.id for one in work] == [harms, first, harmed, mending]
    assert [(one.kind, one.can_harm) for one in work[:2]] == [("error", True), ("report", False)]
    assert [one.id for one in work_of(container.db, judge)] == [harms, harmed], "the owner may be away"
    assert waiting_for(container.db, judge) == (1, 1)
    assert [one.can_harm for one in asked_by(container.db, nurse)] == [True, False, True, False]
    reply(container.db, judge, harms, "answered", "Volg dit niet.")
    assert [one.id for one in work_of(container.db, pain)] == [first, harmed, mending, harms]


def test_what_can_harm_comes_first_where_the_files_newest_version_was_not_read(
    container: Container, document: Document
) -> None:
    pain, nurse = hire(container, "pain"), hire(container, "nurse")
    put_owner(container.db, ADMIN, "Werkgroep Pijn", "", [pain.id])
    other = load(container, "val.pdf", "Na een val. Bel. ", owner="Werkgroep Pijn")
    calm = ask_owner(container.db, nurse, other.id, "question", TEXT)[0].id
    harms = ask_owner(container.db, nurse, document.id, "error", TEXT, can_harm=True)[0].id
    container.db.run("update documents set status = 'failed' where id = %(id)s", {"id": document.id})
    assert [one.id for one in work_of(container.db, pain)] == [harms, calm]


def test_who_asked_hears_of_the_answer_and_of_a_new_version(container: Container, document: Document) -> None:
    pain, nurse = hire(container, "pain"), hire(container, "nurse")
    put_owner(container.db, ADMIN, "Werkgroep Pijn", "", [pain.id])
    question, _ = ask_owner(container.db, nurse, document.id, "question", TEXT)
    assert [one.news for one in asked_by(container.db, nurse)] == [False]
    reply(container.db, pain, question.id, "mended", "Ja, vanaf versie 4.")
    (one,) = asked_by(container.db, nurse)
    assert (one.outcome, one.reply, one.news) == ("mended", "Ja, vanaf versie 4.", True)
    seen(container.db, nurse)
    assert not asked_by(container.db, nurse)[0].news
    newer = load(container, "para.pdf", "Paracetamol. Geef 15 mg/kg, ook aan pasgeborenen. ", owner="Werkgroep Pijn")
    (one,) = asked_by(container.db, nurse)
    assert (one.document_id, one.current_id, one.news) == (document.id, newer.id, True)
    seen(container.db, nurse)
    PgDocuments(container.db).retire(["para.pdf"])
    (one,) = asked_by(container.db, nurse)
    assert (one.current_id, one.news) == (None, True)
    assert asked_by(container.db, pain) == []


def test_what_is_answered_is_answered_once(container: Container, document: Document) -> None:
    nurse, judge = hire(container, "nurse"), hire(container, "judge", roles=(Role.JUDGE,))
    question, _ = ask_owner(container.db, nurse, document.id, "question", TEXT)
    with pytest.raises(NotFound):
        reply(container.db, nurse, question.id, "answered", "Ja.")
    reply(container.db, judge, question.id, "answered", "Ja.")
    with pytest.raises(Conflict):
        reply(container.db, judge, question.id, "answered", "Nee.")
    assert asked_by(container.db, nurse)[0].reply == "Ja."


def test_an_answer_is_signed_as_the_owner_that_the_document_names_or_as_quality_staff(
    container: Container, document: Document
) -> None:
    pain, pharmacy, nurse = (hire(container, one) for one in ("pain", "pharmacy", "nurse"))
    judge = hire(container, "judge", roles=(Role.JUDGE,))

    def answered_by(user: User) -> str | None:
        question, _ = ask_owner(container.db, nurse, document.id, "question", TEXT)
        assert question.replied_as is None
        return reply(container.db, user, question.id, "answered", "Ja.").replied_as

    assert answered_by(judge) == "", "nobody is known as the owner: quality staff answer"
    put_owner(container.db, ADMIN, "Apotheek", "", [pharmacy.id])
    assert answered_by(pharmacy) == "Apotheek", "for the department"
    put_owner(container.db, ADMIN, "Werkgroep Pijn", "", [pain.id])
    assert answered_by(pain) == "Werkgroep Pijn"
    assert [one.replied_as for one in asked_by(container.db, nurse)] == ["Werkgroep Pijn", "Apotheek", ""]
    close(container, document, "surgery")
    assert {one.replied_as for one in asked_by(container.db, nurse)} == {None}


def test_who_may_no_longer_read_the_document_is_told_nothing_of_it(container: Container, document: Document) -> None:
    nurse, judge = hire(container, "nurse"), hire(container, "judge", roles=(Role.JUDGE,))
    question, _ = ask_owner(container.db, nurse, document.id, "question", TEXT)
    reply(container.db, judge, question.id, "answered", "15 mg/kg.")
    close(container, document, "surgery")
    (one,) = asked_by(container.db, nurse)
    assert (one.text, one.title, one.owner, one.reply) == (TEXT, "", "", "")


def test_a_report_outlives_the_conversation_and_the_person(container: Container, document: Document) -> None:
    nurse, judge = hire(container, "nurse"), hire(container, "judge", roles=(Role.JUDGE,))
    values = {"user": nurse.id, "conversation": "c" * 8, "answer": "5f0c9a3e-6f0b-4c56-8a57-0d9b7b1f3c11"}
    container.db.run("insert into conversations (id, user_id, title) values (%(conversation)s, %(user)s, 't')", values)
    container.db.run(
        """insert into answers (id, conversation_id, user_id, question, query, language, mode, status, text, sources, citations, notices,
          model, embedder, prompt_version, stats, created_at)
        values (%(answer)s, %(conversation)s, %(user)s, 'q', 'q', 'nl', 'sources', 'sources_only', '', '[]', '[]', '[]', '', '', '', '{}',
          now())""",
        values,
    )
    ask_owner(container.db, nurse, document.id, "report", TEXT, answer_id=values["answer"])
    assert work_of(container.db, judge)[0].asked == "q"
    delete_conversation(container.db, nurse, values["conversation"])
    (one,) = work_of(container.db, judge)
    assert (one.text, one.answer_id, one.asked) == (TEXT, None, "")
    assert detach(container.db, nurse.id) == 1
    assert [one.text for one in work_of(container.db, judge)] == [TEXT]
    assert asked_by(container.db, nurse) == []


def test_owners_are_listed_with_those_that_nobody_is_known_for_first(container: Container, document: Document) -> None:
    load(container, "val.pdf", "Na een val. Bel. ", owner="werkgroep pijn", department="Geriatrie")
    put_owner(container.db, ADMIN, "Apotheek", "apotheek@hospital.example", [hire(container, "pharmacy").id])
    found = list_owners(container.db, ADMIN)
    assert [
        (one.name.lower(), one.documents, one.mail, [name for _, name, _ in one.accounts], one.is_department)
        for one in found
    ] == [
        ("werkgroep pijn", 2, "", [], False),
        ("geriatrie", 1, "", [], True),
        ("apotheek", 1, "apotheek@hospital.example", ["pharmacy"], True),
    ]
    with pytest.raises(NotFound):
        list_owners(container.db, hire(container, "nurse"))


def test_an_owner_is_named_by_who_reads_what_names_it(container: Container, document: Document) -> None:
    foreign = hire(container, "foreign", "elsewhere", roles=(Role.ADMIN,))
    with pytest.raises(NotFound):
        put_owner(container.db, foreign, "Nobody", "a@b.example", [])
    put_owner(container.db, foreign, "Apotheek", "a@b.example", [])
    close(container, document, "surgery")
    with pytest.raises(NotFound):
        put_owner(container.db, foreign, "Apotheek", "c@d.example", [])
    load(container, "val.pdf", "Na een val. Bel. ", department="apotheek")
    with pytest.raises(MembershipAdminNeeded):
        put_owner(container.db, foreign, "Apotheek", "c@d.example", [])
    for mail, accounts in (("no address", []), ("", ["nobody"])):
        with pytest.raises(InvalidInput):
            put_owner(container.db, ADMIN, "Apotheek", mail, accounts)
    put_owner(container.db, ADMIN, "Apotheek", "", [])
    assert container.db.one("select count(*) as n from owners") == {"n": 0}


def test_what_was_asked_in_vain_comes_to_the_owner_of_the_nearest_document(
    container: Container, document: Document
) -> None:
    pain, pharmacy = hire(container, "pain"), hire(container, "pharmacy")
    put_owner(container.db, ADMIN, "Werkgroep Pijn", "", [pain.id])
    put_owner(container.db, ADMIN, "Apotheek", "", [pharmacy.id])
    source = '{"document": {"id": "%s", "source": "para.pdf", "metadata": {"title": "Paracetamol"}}}' % document.id  # noqa: UP031 - braces
    container.db.run("insert into conversations (id, user_id, title) values ('c', 'nurse', 't')")
    container.db.run(
        """insert into answers (id, conversation_id, user_id, question, query, language, mode, status, text, sources, citations, notices,
          model, embedder, prompt_version, stats, created_at, groups)
        values ('a', 'c', 'nurse', 'q', 'En bij levercirrose?', 'nl', 'sources', 'not_found', '', %(sources)s, '[]', '[]', '', '', '', '{}',
          now(), %(groups)s)""",
        {"sources": f"[{source}]", "groups": list(EVERYONE)},
    )
    assert [one.question for one in unanswered_near(container.db, pain)] == ["En bij levercirrose?"]
    judge = hire(container, "judge", roles=(Role.JUDGE,))
    pass_question(container.db, judge, "a", TEXT, "pharmacy")
    assert [name for name, _ in unanswered(container.db, judge)[0].passed_to] == ["pharmacy"]
    (near,) = unanswered_near(container.db, pain)
    assert (near.passed_on, near.passed_to) == (True, ()), "to whom is told to quality staff alone"
    assert unanswered_near(container.db, pharmacy) == []
    held = load(container, "lever.pdf", "Levercirrose. Geef minder. ", owner="Apotheek")
    container.db.run(
        """insert into feedback (id, answer_id, user_id, found, missing, document_id)
        values ('f', 'a', 'nurse', 'no', 'procedure', %(document)s)""",
        {"document": held.id},
    )
    assert unanswered_near(container.db, pain) == []
    # its reader says that it stands there
    assert [one.missing for one in unanswered_near(container.db, pharmacy)] == ["procedure"]
    container.db.run("delete from feedback")
    container.db.run("update answers set groups = '{surgery}'")
    assert unanswered_near(container.db, pain) == []  # asked within a group that the owner is not in
