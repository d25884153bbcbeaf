"""Questions of staff to the owner of a document, and what quality staff pass on of what was asked:
kept with what tells whoever is to answer."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from rag_api.db import Connection, Database
from rag_api.db.access import NO_ROLES, READS, found, may_review, reviewer, values
from rag_api.db.owners.named import NOBODY, Reached, reached, tell
from rag_api.db.owners.passing import pass_on
from rag_api.db.owners.questions import OwnerQuestion, OwnerQuestionKind, one_of
from rag_api.db.people.accounts import RoleGroups
from rag_api.domain import User


def ask_owner(
    db: Database,
    user: User,
    document_id: str,
    kind: OwnerQuestionKind,
    text: str,
    page: int | None = None,
    answer_id: str | None = None,
    to: str = "",
    role_groups: RoleGroups = NO_ROLES,
    can_harm: bool = False,
) -> tuple[OwnerQuestion, Reached]:
    """Keep it, and in the same transaction what tells the owner of it. to: an account that answers
    in the owner's place, by id, login or name, which who reviews may say; role_groups: which groups
    make it one that reads; can_harm: a patient, says who asks. Raises NotFound for a document or an
    answer that is not theirs, and for an account that is not there."""
    with db.connection() as connection:
        question_id, whom = put_question(
            connection, user, document_id, kind, text, page, answer_id, role_groups, can_harm=can_harm
        )
        if to:
            reviewer(user)
            whom = pass_on(connection, question_id, document_id, to, role_groups)
    return one_of(db, user, question_id, role_groups), whom


def pass_question(
    db: Database, user: User, answer_id: str, text: str, to: str, role_groups: RoleGroups = NO_ROLES
) -> tuple[OwnerQuestion, Reached]:
    """Keep what is passed on to an account of what was asked, and of no document. Raises NotFound
    for an answer that is not theirs to review, and for an account that is not there."""
    reviewer(user)
    with db.connection() as connection:
        question_id, _ = put_question(connection, user, None, "question", text, None, answer_id, role_groups)
        whom = pass_on(connection, question_id, None, to, role_groups)
    return one_of(db, user, question_id, role_groups), whom


def put_question(
    connection: Connection,
    user: User,
    document_id: str | None,
    kind: OwnerQuestionKind,
    text: str,
    page: int | None,
    answer_id: str | None,
    role_groups: RoleGroups,
    groups: Sequence[str] = (),
    can_harm: bool = False,
) -> tuple[str, Reached]:
    """Return its id and whom it reaches; within the caller's transaction. groups: of who was given
    the answer, where that is another than the user and the caller knows that they may send it on;
    who reviews may ask under another's too.
    Raises as `ask_owner`."""
    question_id = str(uuid4())
    given = values(user, id=document_id, answer=answer_id)
    shared: list[str] = []  # all who share the document: quality staff are seldom in a ward's group
    if document_id is not None:
        document = found(
            connection.execute(f"select groups from documents where id = %(id)s and {READS}", given).fetchone(),  # noqa: S608
            "document",
            document_id,
        )
        shared = sorted({*document["groups"]} & {*user.groups})
    if answer_id is not None and not groups:
        shown = connection.execute(
            f"""select user_id, groups from answers where id = %(answer)s
              and (user_id = %(user_id)s or %(reviews)s and {READS})""",  # noqa: S608
            {**given, "reviews": may_review(user)},
        ).fetchone()
        shown = found(shown, "answer", answer_id)
        groups = shown["groups"] if shown["user_id"] != user.id or document_id is None else []
    connection.execute(
        """insert into owner_questions (id, kind, can_harm, document_id, page, answer_id, text, user_id, groups, function, department)
        values (%(id)s, %(kind)s, %(can_harm)s, %(document)s, %(page)s, %(answer)s, %(text)s, %(user)s, %(groups)s, %(function)s,
          %(department)s)""",
        {
            "id": question_id,
            "kind": kind,
            "can_harm": can_harm,
            "document": document_id,
            "page": page,
            "answer": answer_id,
            "text": text,
            "user": user.id,
            "groups": list(groups) or shared,
            "function": user.function,
            "department": user.department,
        },
    )
    tell(connection, question_id)
    return question_id, reached(connection, document_id, role_groups) if document_id else NOBODY
