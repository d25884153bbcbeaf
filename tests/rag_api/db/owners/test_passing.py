"""Questions that quality staff pass on: to an account that reads, and then its own to answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from rag_api.container import Container
from rag_api.db.outbox import Due, send_next
from rag_api.db.owners.asking import ask_owner, pass_question
from rag_api.db.owners.named import list_owners, put_owner, whom
from rag_api.db.owners.questions import asked_by, reply, waiting_for, work_of
from rag_api.db.people.accounts import change_account, get_account, user_of
from rag_api.db.questions.answers import delete_conversation
from rag_api.db.questions.gaps import unanswered
from rag_api.domain import LOCAL_USER, READERS, Document, Role, User
from rag_api.errors import InvalidInput, NotFound
from tests.rag_api.db.owners.test_questions import TEXT, container, document, hire

__all__ = ["container", "document"]


def test_nothing_is_passed_on_to_an_account_whose_roles_do_not_read(container: Container, document: Document) -> None:
    roles = {"staff": frozenset({Role.READER})}  # who is in no such group is no reader
    judge = hire(container, "judge", roles=(Role.JUDGE,))
    hire(container, "maes", roles=(Role.AUDITOR,))
    hire(container, "machine")
    reader = hire(container, "reader", "staff")
    for one in ("maes", "machine"):
        with pytest.raises(NotFound):
            ask_owner(container.db, judge, document.id, "question", TEXT, to=one, role_groups=roles)
    assert container.db.all("select 1 from owner_questions") == []
    question, _ = ask_owner(container.db, judge, document.id, "question", TEXT, to="reader", role_groups=roles)
    assert [one.id for one in work_of(container.db, reader)] == [question.id]


@pytest.mark.parametrize(
    "groups", [{}, {"staff": [Role.READER]}, {"staff": [Role.READER], "heads": [Role.MEMBERSHIP_ADMIN]}]
)
def test_something_is_passed_on_to_whose_roles_read_and_to_nobody_else(
    container: Container, document: Document, groups: dict[str, list[Role]]
) -> None:
    roles = {group: frozenset(given) for group, given in groups.items()}
    judge = hire(container, "judge", roles=(Role.JUDGE,))
    for number, (given, group) in enumerate(product((*Role, None), ("staff", "heads", "quality", "elsewhere", None))):
        name = f"n{number}"
        who = hire(container, name, *([group] if group else []), roles=(given,) if given else ())
        reads = not READERS.isdisjoint(user_of(get_account(container.db, who.id), roles).roles)
        try:
            question, _ = ask_owner(container.db, judge, document.id, "question", TEXT, to=name, role_groups=roles)
        except NotFound:
            assert not reads, (given, group)
        else:
            assert reads, (given, group)
            assert not question.nobody_left


@pytest.mark.parametrize("about", ["document", "nothing"])
def test_what_somebody_has_who_reads_no_more_is_quality_staffs(
    container: Container, document: Document, answer: str, about: str
) -> None:
    roles = {"staff": frozenset({Role.READER})}
    judge, nurse = hire(container, "judge", "surgery", roles=(Role.JUDGE,)), hire(container, "maes", "staff")
    if about == "document":
        question, _ = ask_owner(container.db, judge, document.id, "question", TEXT, to="maes", role_groups=roles)
    else:
        question, _ = pass_question(container.db, judge, answer, TEXT, "maes", roles)
    assert work_of(container.db, judge, roles) == []
    assert [one.id for one in work_of(container.db, nurse, roles)] == [question.id]
    assert [one.nobody_left for one in asked_by(container.db, judge, roles)] == [False]
    change_account(container.db, LOCAL_USER, nurse.id, groups=[])
    assert [(one.id, one.nobody_left) for one in work_of(container.db, judge, roles)] == [(question.id, True)]
    assert waiting_for(container.db, judge, roles) == (1, 0)
    assert reply(container.db, judge, question.id, "answered", "Nee.", roles).reply == "Nee."


@pytest.mark.parametrize("lost", ["sign-in", "role"])
def test_what_an_owner_would_answer_who_may_no_more_is_quality_staffs_and_says_so(
    container: Container, document: Document, lost: str
) -> None:
    roles = {"staff": frozenset({Role.READER})}
    judge, nurse = hire(container, "judge", roles=(Role.JUDGE,)), hire(container, "nurse", "staff")
    pain = hire(container, "pain", "staff")
    put_owner(container.db, LOCAL_USER, "Werkgroep Pijn", "", [pain.id])
    question, told = ask_owner(container.db, nurse, document.id, "question", TEXT, role_groups=roles)
    assert told.owner == "Werkgroep Pijn"
    assert [(one.id, one.unattended) for one in work_of(container.db, pain, roles)] == [(question.id, False)]
    assert work_of(container.db, judge, roles) == []
    if lost == "sign-in":
        container.db.run("update users set password_hash = null where id = %(id)s", {"id": pain.id})
    else:
        change_account(container.db, LOCAL_USER, pain.id, groups=[])
    assert [(one.id, one.unattended) for one in work_of(container.db, judge, roles)] == [(question.id, True)]
    assert [one.unattended for one in asked_by(container.db, nurse, roles)] == [True]
    assert waiting_for(container.db, judge, roles) == (1, 0)
    assert whom(container.db, nurse, document.id, roles).told(mails=True).owner == ""
    assert [one.known for one in list_owners(container.db, LOCAL_USER, roles) if one.accounts] == [False]
    assert not reply(container.db, judge, question.id, "answered", "Nee.", roles).unattended


def test_an_owner_of_an_address_alone_is_told_by_mail_and_so_not_without_anybody(
    container: Container, document: Document
) -> None:
    nurse = hire(container, "nurse")
    put_owner(container.db, LOCAL_USER, "Werkgroep Pijn", "pijn@example.org", [])
    ask_owner(container.db, nurse, document.id, "question", TEXT)
    assert [(one.owner_known, one.unattended) for one in asked_by(container.db, nurse)] == [(True, False)]


def test_nothing_is_passed_on_to_a_machine_that_nobody_signs_in_to(container: Container, document: Document) -> None:
    judge, machine = hire(container, "judge", roles=(Role.JUDGE,)), hire(container, "machine")
    container.db.run("update users set password_hash = null where id = %(id)s", {"id": machine.id})
    with pytest.raises(NotFound):
        ask_owner(container.db, judge, document.id, "question", TEXT, to="machine")
    container.db.run("update users set issuer = 'provider', subject = 'm' where id = %(id)s", {"id": machine.id})
    question, _ = ask_owner(container.db, judge, document.id, "question", TEXT, to="machine")
    assert [one.id for one in work_of(container.db, machine)] == [question.id]


@pytest.fixture
def answer(container: Container) -> Iterator[str]:
    """Of nobody's question that no document answered, in the ward "surgery"."""
    given = {"answer": "5f0c9a3e-6f0b-4c56-8a57-0d9b7b1f3c11", "conversation": "c" * 8}
    container.db.run("insert into conversations (id, user_id, title) values (%(conversation)s, 'nurse', 't')", given)
    container.db.run(
        """insert into answers (id, conversation_id, user_id, question, query, language, mode, status, text, sources, citations, notices,
          model, embedder, prompt_version, stats, groups, created_at)
        values (%(answer)s, %(conversation)s, 'nurse', 'q', 'Waar staat de scanner?', 'nl', 'sources', 'not_found', '', '[]', '[]', '[]',
          '', '', '', '{}', '{surgery}', now())""",
        given,
    )
    yield given["answer"]
    container.db.run("truncate conversations, outbox cascade")


def test_what_was_asked_in_vain_is_passed_on_without_a_document_and_answered(container: Container, answer: str) -> None:
    judge, other = (hire(container, name, group, roles=(Role.JUDGE,)) for name, group in (("j", "surgery"), ("k", "x")))
    colleague, nurse = hire(container, "maes"), hire(container, "n")
    container.db.run("update users set mail = 'maes@hospital.example' where id = %(id)s", {"id": colleague.id})
    for who, to in ((nurse, "maes"), (other, "maes"), (judge, "nobody")):
        with pytest.raises(NotFound):
            pass_question(container.db, who, answer, TEXT, to)
    assert container.db.all("select 1 from owner_questions") == [], "none is half kept"
    question, told = pass_question(container.db, judge, answer, TEXT, "maes")
    assert (told.owner, told.by_mail) == ("maes", True)
    assert (question.document_id, question.title, question.may_retire) == (None, "", False)
    (one,) = work_of(container.db, colleague)
    assert (one.id, one.asked, one.passed_to) == (question.id, "Waar staat de scanner?", "maes")
    assert not one.nobody_left
    assert waiting_for(container.db, colleague) == (1, 0)
    assert work_of(container.db, judge) == work_of(container.db, nurse) == []
    (gap,) = unanswered(container.db, replace(LOCAL_USER, groups=("surgery",)))
    assert [name for name, _ in gap.passed_to] == ["maes"]
    mails: list[Due] = []
    assert send_next(container.db, mails.append)
    assert [(due.recipient, due.title, due.is_passed) for due in mails] == [("maes@hospital.example", "", True)]
    for outcome in ("mended", "retired"):
        with pytest.raises(InvalidInput):
            reply(container.db, colleague, question.id, outcome, "Nee.")
    assert reply(container.db, colleague, question.id, "answered", "In de gang.").replied_as == "maes"
    (one,) = asked_by(container.db, judge)
    assert (one.reply, one.news, one.document_id) == ("In de gang.", True, None)
    assert waiting_for(container.db, colleague) == (0, 0)


@pytest.mark.parametrize("why", ["suspended", "gone"])
def test_what_nobody_is_left_to_answer_is_quality_staffs_of_the_askers_groups(
    container: Container, answer: str, why: str
) -> None:
    judge, other = (hire(container, name, group, roles=(Role.JUDGE,)) for name, group in (("j", "surgery"), ("k", "x")))
    colleague = hire(container, "maes")
    question, _ = pass_question(container.db, judge, answer, TEXT, "maes")
    done = "update users set suspended_at = now()" if why == "suspended" else "delete from users"
    container.db.run(f"{done} where id = %(id)s", {"id": colleague.id})
    assert [(one.id, one.nobody_left) for one in work_of(container.db, judge)] == [(question.id, True)]
    assert work_of(container.db, other) == []
    delete_conversation(container.db, User("nurse", "Nurse", ("surgery",)), "c" * 8)
    (one,) = work_of(container.db, judge)
    assert (one.text, one.asked) == (TEXT, ""), "what its asker typed is gone with the conversation"
    answered = reply(container.db, judge, question.id, "answered", "Nergens.")
    assert (answered.replied_as, answered.nobody_left) == ("", False)
