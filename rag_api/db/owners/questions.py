"""Questions of staff to the owner of a document, and their reports of it; what the owner makes of
that; and what who asked hears of it.

Who asked is told to nobody: their function and department are. Whose a question is to answer
follows from the document as it is listed now. What nobody is there to answer, or could not be told
of, is on the list of quality staff, and so is what can harm a patient.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from psycopg.rows import DictRow

from rag_api.db import Connection, Database
from rag_api.db.access import (
    ANSWERS_FOR,
    ATTENDED,
    GROUPS_OF_ACCOUNT,
    NO_ROLES,
    OWNER,
    READS,
    SIGNS_IN_AND_READS,
    account_values,
    found,
    may_review,
    values,
)
from rag_api.db.owners.named import NAMED, PASSED_TO
from rag_api.db.people.accounts import RoleGroups
from rag_api.domain import User
from rag_api.errors import Conflict, InvalidInput

MOST = 500  # that a list holds; open ones come first

OwnerQuestionKind = Literal["question", "report", "error"]  # a report: it is no longer right; an error: it never was
OwnerOutcome = Literal["answered", "mended", "retired"]
# Not told: its mail was refused, or could not be sent for days.
_NOT_TOLD = (
    "exists (select 1 from outbox where outbox.question_id = q.id and outbox.kind = 'mail' and "
    "outbox.failed_at is not null)"
)
# What is passed on may be about no document: then there is none that somebody may not read.
_ALONE = "q.document_id is null"
# Whom it was passed on to signs in and may read the document: quality staff have it no more,
# but where it can harm.
_PASSED = f"""exists (select 1 from users where users.id = q.passed_to and {SIGNS_IN_AND_READS}
    and ({_ALONE} or d.groups && {GROUPS_OF_ACCOUNT}))"""  # noqa: S608
# It was passed on, to somebody who can no longer answer it; about no document it always was.
_NOBODY_LEFT = f"(q.outcome is null and (q.passed_to is not null or {_ALONE}) and not {_PASSED})"
# Accounts are kept for the document's owner, and none of them can answer.
_UNATTENDED = f"""(q.outcome is null and not {_PASSED} and not {ATTENDED}
    and exists (select 1 from owner_accounts where name = {OWNER}))"""  # noqa: S608
_READABLE = f"({_ALONE} or d.{READS})"
_TO_READER = f"(q.passed_to = %(user_id)s and {_READABLE})"
_NOT_THEIRS = f"(not ({ATTENDED} or {_PASSED}) or {_NOT_TOLD} or q.can_harm)"  # what can harm waits for no one alone
_QUALITY = f"(%(reviews)s and q.{READS} and {_READABLE} and {_NOT_THEIRS})"
_DOCUMENT = "left join asked_documents on question_id = q.id left join documents d on d.id = asked_documents.id"
_THEIRS = f"({ANSWERS_FOR} or {_TO_READER} or {_QUALITY})"
_SIGNED = f"case when {_TO_READER} then {PASSED_TO} when not {ANSWERS_FOR} then '' else {NAMED} end"
_REPLY = f"""
    update owner_questions q set outcome = %(outcome)s, reply = %(text)s, replied_by = %(user_id)s, replied_at = now(),
      replied_as = coalesce((select {_SIGNED} from (select) one {_DOCUMENT}), '')
    where id = %(id)s and outcome is null"""  # noqa: S608
# What counts in the place of the version that was asked about; none: it was retired.
_ROWS = f"""
    select q.*, d.title, d.source, d.language as document_language, d.groups as document_groups, d.owner,
      a.query as asked, a.user_id as answered,
      array(select c->>'text' from jsonb_array_elements(a.citations) c where c->>'document_id' = q.document_id) as quotes,
      {OWNER} is not null as owner_known, {ANSWERS_FOR} as own, {PASSED_TO} as passed_name, {_NOT_TOLD} as not_told,
      {_NOBODY_LEFT} as nobody_left, {_UNATTENDED} as unattended,
      current.id as current_id, coalesce(current.version, d.version) as version,
      coalesce(current.created_at, (select max(updated_at) from documents where source = d.source)) as changed_at
    from owner_questions q {_DOCUMENT} left join answers a on a.id = q.answer_id
    left join documents current on current.source = d.source and current.status in ('indexed', 'failed')"""  # noqa: S608

# Its owner said that the document is being corrected, and no other version has come since.
_PROMISED = """(q.outcome is not distinct from 'mended' and exists (select 1 from documents now where now.source = d.source
    and (now.status = 'failed' or now.status = 'indexed' and now.created_at <= q.replied_at)))"""


@dataclass(frozen=True, slots=True)
class OwnerQuestion:
    id: str
    kind: OwnerQuestionKind
    can_harm: bool  # a patient, says who asked
    document_id: str | None  # None: it is about none
    title: str  # of the document
    file: str  # its name, by which its versions are kept
    version: str  # of what counts now, else of what was asked about
    language: str  # of the document
    owner: str  # as the document names it
    passed_to: str  # the name of whom quality staff passed it on to; empty: nobody
    nobody_left: bool  # it was passed on, and is open, and they can no longer answer it
    unattended: bool  # it is open, and none of the accounts of its owner, who is known, can answer it
    owner_known: bool  # somebody is kept for that name, or for its department
    not_told: bool  # the mail could not be delivered
    page: int | None
    answer_id: str | None  # of the reader's own
    text: str
    asked: str  # the question whose answer it is about, standing alone; empty: none, or it was deleted
    quotes: tuple[str, ...]  # what that answer quotes of the document
    function: str
    department: str
    created_at: datetime
    outcome: OwnerOutcome | None  # None: open
    reply: str
    replied_at: datetime | None
    replied_as: str | None  # an owner or a department, as the document names it; "": quality staff; None: not kept
    current_id: str | None  # of the version that counts now, None: it was retired
    changed_at: datetime | None  # when that came, or it was retired; None: it is the version that was asked about
    may_retire: bool  # the reader may take the document out
    news: bool  # who asked has not seen yet what became of it


def asked_by(db: Database, user: User, role_groups: RoleGroups = NO_ROLES) -> list[OwnerQuestion]:
    """The user's own, the newest first. Of a document that they may no longer read nothing is told
    but that they asked."""
    rows = db.all(
        f"{_ROWS} where q.user_id = %(user_id)s order by q.created_at desc, q.id limit %(most)s",
        _values(user, role_groups, most=MOST),
    )
    return [_to_question(row, user) for row in rows]


def work_of(db: Database, user: User, role_groups: RoleGroups = NO_ROLES) -> list[OwnerQuestion]:
    """What is the user's to answer, as owner or as quality staff: open ones first, then those
    that are being corrected, of both what can harm a patient and then the oldest; then the latest
    answered."""
    rows = db.all(
        f"""{_ROWS} where {_THEIRS} order by q.outcome is not null, not {_PROMISED},
        q.can_harm and (q.outcome is null or {_PROMISED}) desc,
        case when q.outcome is null then q.created_at when {_PROMISED} then q.replied_at end, q.replied_at desc, q.id limit %(most)s""",
        _values(user, role_groups, most=MOST),
    )
    return [_to_question(row, user) for row in rows]


def waiting_for(db: Database, user: User, role_groups: RoleGroups = NO_ROLES) -> tuple[int, int]:
    """How many open ones are the user's to answer, and how many of the documents are still being
    corrected."""
    row = db.one(
        f"""select count(*) filter (where q.outcome is null) as n, count(*) filter (where {_PROMISED}) as promised
        from owner_questions q {_DOCUMENT} where {_THEIRS}""",  # noqa: S608
        _values(user, role_groups),
    )
    assert row is not None
    return int(row["n"]), int(row["promised"])


def work_item(db: Database, user: User, question_id: str, role_groups: RoleGroups = NO_ROLES) -> OwnerQuestion:
    """One that is the user's to answer. Raises NotFound."""
    row = db.one(
        f"{_ROWS} where q.id = %(id)s and {_THEIRS}",
        _values(user, role_groups, id=question_id),
    )
    return _to_question(found(row, "question", question_id), user)


def may_retire(db: Database, user: User, document_id: str) -> bool:
    """Whether the document is the user's own to take out: an owner's; others need an admin's
    role."""
    row = db.one(f"select {ANSWERS_FOR} as own from documents d where d.id = %(id)s", values(user, id=document_id))  # noqa: S608
    return bool(row and row["own"])


def reply(
    db: Database, user: User, question_id: str, outcome: OwnerOutcome, text: str, role_groups: RoleGroups = NO_ROLES
) -> OwnerQuestion:
    """Answer it, once. Raises NotFound where it is not the user's to answer, Conflict where
    somebody did, InvalidInput for what cannot become of a question about no document."""
    question = work_item(db, user, question_id, role_groups)
    if question.document_id is None and outcome != "answered":
        raise InvalidInput("This is about no document: there is nothing to correct or to take out. Answer it.")
    done = db.run(_REPLY, values(user, id=question_id, outcome=outcome, text=text))
    if not done:
        raise Conflict("Somebody answered this meanwhile. Load the list again.")
    return one_of(db, user, question_id, role_groups)


# Reports of an answer by who was given it, that are open and the user's to answer.
_REPORTS = f"""
    select q.id, q.answer_id from owner_questions q join asked_documents on question_id = q.id
    join documents d on d.id = asked_documents.id join answers a on a.id = q.answer_id and a.user_id = q.user_id
    where q.answer_id = any(%(answers)s) and q.kind <> 'question' and q.outcome is null and {_THEIRS}"""  # noqa: S608


def open_reports(
    db: Database, user: User, answer_ids: Sequence[str], role_groups: RoleGroups = NO_ROLES
) -> dict[str, int]:
    """How many, by answer."""
    rows = db.all(_REPORTS, _values(user, role_groups, answers=list(answer_ids)))
    return Counter(row["answer_id"] for row in rows)


def answer_reports(
    connection: Connection, user: User, answer_id: str, text: str, role_groups: RoleGroups = NO_ROLES
) -> None:
    """Answer them all with this; within the caller's transaction."""
    given = _values(user, role_groups, answers=[answer_id])
    for row in connection.execute(_REPORTS, given).fetchall():
        connection.execute(_REPLY, values(user, id=row["id"], outcome="answered", text=text))


def seen(db: Database, user: User) -> None:
    """The user has seen what became of what they asked."""
    db.run("update owner_questions set seen_at = now() where user_id = %(user_id)s", values(user))


def detach(db: Database, user_id: str) -> int:
    """What a person asked owners no longer says whose it was, nor where they were told; what it
    reports of a document stays. Returns how many."""
    db.run(
        """delete from outbox using owner_questions q
        where outbox.kind = 'asker_mail' and outbox.question_id = q.id and q.user_id = %(user_id)s""",
        {"user_id": user_id},
    )
    return db.run(
        "update owner_questions set user_id = '', function = '', department = '' where user_id = %(user_id)s",
        {"user_id": user_id},
    )


def one_of(db: Database, user: User, question_id: str, role_groups: RoleGroups = NO_ROLES) -> OwnerQuestion:
    """Return it as the user sees it. The caller knows that they may. Raises NotFound."""
    row = db.one(f"{_ROWS} where q.id = %(id)s", _values(user, role_groups, id=question_id))
    return _to_question(found(row, "question", question_id), user)


def _values(user: User, role_groups: RoleGroups, **more: Any) -> dict[str, Any]:
    return values(user, reviews=may_review(user), **account_values(role_groups), **more)


def _to_question(row: DictRow, user: User) -> OwnerQuestion:
    alone = row["document_id"] is None
    readable = alone or not set(row["document_groups"]).isdisjoint(user.groups)
    changed = row["current_id"] != row["document_id"]
    moments: Sequence[datetime | None] = (row["replied_at"], row["changed_at"] if changed else None)
    names = (
        "id",
        "kind",
        "can_harm",
        "document_id",
        "page",
        "text",
        "function",
        "department",
        "created_at",
        "outcome",
    )
    return OwnerQuestion(
        **{name: row[name] for name in names},
        answer_id=row["answer_id"] if row["answered"] == user.id else None,
        asked=(row["asked"] or "") if readable else "",
        quotes=tuple(dict.fromkeys(row["quotes"])) if readable else (),
        reply=row["reply"] if readable else "",
        replied_at=row["replied_at"],
        replied_as=row["replied_as"] if readable else None,
        title=(row["title"] or row["source"] or "") if readable else "",
        file=(row["source"] or "") if readable else "",
        version=(row["version"] or "") if readable else "",
        language=row["document_language"] or "",
        owner=(row["owner"] or "") if readable else "",
        passed_to=row["passed_name"] or "",
        owner_known=row["owner_known"],
        nobody_left=row["nobody_left"],
        unattended=row["unattended"],
        not_told=row["not_told"],
        current_id=row["current_id"],
        changed_at=row["changed_at"] if changed else None,
        may_retire=row["current_id"] is not None and readable and (user.is_admin or row["own"]),
        news=any(moment is not None and moment > row["seen_at"] for moment in moments),
    )
