"""Conversations, answers and feedback. An answer is stored whole, as it was shown, so that it can
be reproduced later."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from rag_api.db import Database
from rag_api.db.access import NO_ROLES, OWNS, READS, found, own_groups, values
from rag_api.db.documents import CURRENT, contains
from rag_api.db.owners.asking import put_question
from rag_api.db.owners.named import Reached
from rag_api.db.people.accounts import RoleGroups
from rag_api.domain import Answer, AnswerStatus, Citation, Mode, Notice, Source, Unsupported, User

_SOURCES = TypeAdapter(tuple[Source, ...])
_CITATIONS = TypeAdapter(tuple[Citation, ...])
_NOTICES = TypeAdapter(tuple[Notice, ...])
_UNSUPPORTED = TypeAdapter(tuple[Unsupported, ...])

TITLE_LENGTH = 80
INSERT_FEEDBACK = """
    insert into feedback (id, answer_id, user_id, found, missing, reported, can_harm, document_id, page, comment, created_at) values
    (%(id)s, %(answer_id)s, %(user_id)s, %(found)s, %(missing)s, %(reported)s, %(can_harm)s, %(document_id)s, %(page)s, %(comment)s,
     %(created_at)s)
"""
WITHHELD = {
    "nl": "Dit antwoord kwam mee uit een document dat u niet meer mag lezen. Stel de vraag opnieuw.",
    "en": "This answer came partly from a document that you may no longer read. Ask the question again.",
}

INSERT_ANSWER = """
    insert into answers (id, conversation_id, user_id, groups, question, query, language, mode, status, text,
      sources, citations, notices, unsupported, not_named, model, embedder, prompt_version, stats, created_at, function, department)
    values (%(id)s, %(conversation_id)s, %(user_id)s, %(groups)s, %(question)s, %(query)s, %(language)s, %(mode)s, %(status)s,
      %(text)s, %(sources)s, %(citations)s, %(notices)s, %(unsupported)s, %(not_named)s, %(model)s, %(embedder)s, %(prompt_version)s,
      %(stats)s, {created_at}, %(function)s, %(department)s)
"""
# A clock that is set back must not put an answer before those that it follows: a question would
# lean on the wrong one.
AFTER_THE_OTHERS = """
    greatest(%(created_at)s, (select max(created_at) + interval '1 microsecond' from answers where conversation_id = %(conversation_id)s))
"""
_AS_GIVEN = (
    "groups", "query", "language", "mode", "status", "text", "sources", "citations", "notices", "unsupported", "not_named",
    "model", "embedder", "prompt_version", "stats", "created_at", "function", "department",
)  # fmt: skip
# One that was asked again after it broke off is stored once: what was given whole takes the place
# of what was not, never the reverse.
STORE_ONCE = f"""{INSERT_ANSWER} on conflict (id) do update set {", ".join(f"{name} = excluded.{name}" for name in _AS_GIVEN)}
    where answers.user_id = excluded.user_id and answers.status = 'failed' and excluded.status <> 'failed'
"""

_CONVERSATION = "id, title, created_at, updated_at, pinned"
_SHOWN = "select 1 from jsonb_array_elements(sources) as source where source->'document'->>'id'"
_SAYS = f"""(title ilike word or exists (
    select 1 from answers where conversation_id = conversations.id and (question ilike word
      or exists ({_SHOWN} in (select id from documents where {READS} and title ilike word))
      or text ilike word and not exists ({_SHOWN} not in (select id from documents where {READS})))))"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Conversation:
    id: str
    title: str  # the first question, shortened, or what its asker called it
    created_at: datetime
    updated_at: datetime
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Feedback:
    id: str
    answer_id: str
    found: str | None  # "yes", "partly", "no": was the answer in it?
    document_id: str | None  # the document that held the answer; of a report: that it is about
    page: int | None
    comment: str
    created_at: datetime
    missing: str | None = None  # what the answer lacked
    reported: str | None = None  # "wrong", "outdated"
    can_harm: bool = False  # a patient, says its writer


def list_conversations(
    db: Database, user: User, limit: int = 50, offset: int = 0, search: str = ""
) -> tuple[list[Conversation], int]:
    """Pinned ones first, then the newest, and how many there are in all. `search`: those that have
    each of these words in their title, in a question or an answer that the user may still read, or
    in the title of such a document that it shows."""
    where = f"{OWNS} and not exists (select 1 from unnest(%(words)s::text[]) word where not {_SAYS})"  # noqa: S608
    params = values(user, limit=limit, offset=offset, words=[contains(word) for word in dict.fromkeys(search.split())])
    rows = db.all(
        f"select {_CONVERSATION} from conversations where {where}"  # noqa: S608
        " order by pinned desc, updated_at desc, id limit %(limit)s offset %(offset)s",
        params,
    )
    total = db.one(f"select count(*) as total from conversations where {where}", params)  # noqa: S608
    assert total is not None
    return [Conversation(**row) for row in rows], int(total["total"])


def get_conversation(db: Database, user: User, conversation_id: str) -> Conversation:
    row = db.one(
        f"select {_CONVERSATION} from conversations where id = %(id)s and {OWNS}",  # noqa: S608
        values(user, id=conversation_id),
    )
    return Conversation(**found(row, "conversation", conversation_id))


def change_conversation(
    db: Database, user: User, conversation_id: str, *, title: str | None = None, pinned: bool | None = None
) -> Conversation:
    """What is None stays. It keeps its place in time: nothing was asked. Raises NotFound."""
    row = db.one(
        "update conversations set title = coalesce(%(title)s, title), pinned = coalesce(%(pinned)s, pinned)"  # noqa: S608
        f" where id = %(id)s and {OWNS} returning {_CONVERSATION}",
        values(user, id=conversation_id, title=title, pinned=pinned),
    )
    return Conversation(**found(row, "conversation", conversation_id))


def delete_conversation(db: Database, user: User, conversation_id: str) -> None:
    """With its answers and their feedback. Raises NotFound."""
    gone = db.run(f"delete from conversations where id = %(id)s and {OWNS}", values(user, id=conversation_id))  # noqa: S608
    found(gone or None, "conversation", conversation_id)


def delete_conversations_of(db: Database, user_id: str) -> int:
    """All of a person's, for whoever works on the machine itself. Returns how many."""
    return db.run("delete from conversations where user_id = %(user_id)s", {"user_id": user_id})


def save_answer(
    db: Database, user: User, answer: Answer, *, new_conversation: bool = False, late: bool = False
) -> bool:
    """Store it, in its conversation or in a new one, which moves to the top; `late`: others may
    have followed it meanwhile. One that is there already stays, unless it broke off and this one
    did not. Return whether it was stored. Raises NotFound when its conversation was deleted
    meanwhile."""
    with db.connection() as connection:
        if new_conversation:
            connection.execute(
                "insert into conversations (id, user_id, title) values (%(id)s, %(user_id)s, %(title)s) on conflict "
                "do nothing",
                values(user, id=answer.conversation_id, title=_shortened(answer.question)),
            )
        else:
            touched = connection.execute(
                f"update conversations set updated_at = now() where id = %(id)s and {OWNS}",  # noqa: S608
                values(user, id=answer.conversation_id),
            )
            found(touched.rowcount or None, "conversation", answer.conversation_id)
        at = "%(created_at)s" if late else AFTER_THE_OTHERS
        return connection.execute(STORE_ONCE.format(created_at=at), _row(user, answer)).rowcount > 0


def get_answer(db: Database, user: User, answer_id: str) -> Answer:
    row = db.one(f"select * from answers where id = %(id)s and {OWNS}", values(user, id=answer_id))  # noqa: S608
    return _readable(db, user, [_to_answer(found(row, "answer", answer_id))])[0]


def given_before(db: Database, user: User, answer_id: str) -> Answer | None:
    """Return the answer to a question that was asked before under this id, as it may be read now;
    None when it was not, or broke off."""
    row = db.one(
        f"select * from answers where id = %(id)s and {OWNS} and status <> 'failed'",  # noqa: S608
        values(user, id=answer_id),
    )
    return _readable(db, user, [_to_answer(row)])[0] if row else None


def answers_of(db: Database, user: User, conversation_id: str) -> list[Answer]:
    """In the order they were asked; empty for a conversation that is not the user's."""
    rows = db.all(
        f"select * from answers where conversation_id = %(id)s and {OWNS} order by created_at, id",  # noqa: S608
        values(user, id=conversation_id),
    )
    return _readable(db, user, [_to_answer(row) for row in rows])


def said_of(db: Database, user: User, document_ids: Sequence[str], limit: int = 8) -> tuple[str, ...]:
    """Return the user's own latest answers from these documents, the latest last; none with a part
    of what they may no longer read, or of a version that no longer counts."""
    rows = db.all(
        f"select * from answers where {OWNS} and text <> '' and exists (select 1 from jsonb_array_elements(sources) as "  # noqa: S608
        f"source"
        " where source->'document'->>'id' = any(%(ids)s)) order by created_at desc, id desc limit %(limit)s",
        values(user, ids=list(document_ids), limit=limit),
    )
    kept = _readable(db, user, [_to_answer(row) for row in rows], f"{READS} and {CURRENT}")
    return tuple(answer.text for answer in reversed(kept) if answer.text)


def readable_answers(db: Database, user: User, rows: Sequence[DictRow]) -> list[Answer]:
    """Of stored rows, whoever asked: as they were shown, without what the user may not read."""
    return _readable(db, user, [_to_answer(row) for row in rows])


def _readable(db: Database, user: User, answers: Sequence[Answer], where: str = READS) -> list[Answer]:
    """As they were shown, without what the user may no longer read: neither such a source nor a
    text that was made with it."""
    named = sorted({source.document.id for answer in answers for source in answer.sources})
    rows = db.all(f"select id from documents where id = any(%(ids)s) and {where}", values(user, ids=named))  # noqa: S608
    return [_without(answer, frozenset(named) - {row["id"] for row in rows}) for answer in answers]


def _without(answer: Answer, hidden: frozenset[str]) -> Answer:
    left = tuple(source for source in answer.sources if source.document.id not in hidden)
    if len(left) == len(answer.sources):
        return answer
    language = "en" if answer.language == "en" else "nl"
    withheld = Notice("withheld", WITHHELD[language], language=language, texts=WITHHELD)
    kept = tuple(notice for notice in answer.notices if notice.code in ("stopped", "broken_off"))
    return replace(
        answer, text="", sources=left, citations=(), unsupported=(), not_named=(), notices=(*kept, withheld), stats={}
    )


def queries_of(db: Database, user: User, conversation_id: str, limit: int = 3) -> tuple[tuple[str, AnswerStatus], ...]:
    """What was last searched for in a conversation of the user's, and what came of it, oldest
    first."""
    rows = db.all(
        f"select query, status from answers where conversation_id = %(id)s and {OWNS} order by created_at desc, id desc limit "  # noqa: S608
        f"%(limit)s",
        values(user, id=conversation_id, limit=limit),
    )
    return tuple((row["query"], AnswerStatus(row["status"])) for row in reversed(rows))


def add_feedback(
    db: Database,
    user: User,
    answer_id: str,
    *,
    verdict: str | None,
    document_id: str | None,
    page: int | None,
    comment: str,
    missing: str | None = None,
    reported: str | None = None,
    role_groups: RoleGroups = NO_ROLES,
    can_harm: bool = False,
) -> tuple[Feedback, Reached | None]:
    """To an answer of the user's own. A report goes to the owner of the document that it names,
    else of the first that is quoted, in the same transaction; whom that reaches, None: no document.
    Raises NotFound."""
    answer = get_answer(db, user, answer_id)
    if reported and document_id is None:
        quoted = next(((one.document_id, one.page) for one in answer.citations if one.document_id), (None, None))
        document_id, page = quoted
    feedback = Feedback(
        str(uuid4()), answer_id, verdict, document_id, page, comment, datetime.now(UTC), missing, reported, can_harm
    )
    with db.connection() as connection:
        connection.execute(INSERT_FEEDBACK, values(user, **asdict(feedback)))
        if reported is None or document_id is None:
            return feedback, None
        return feedback, put_question(
            connection, user, document_id, "report", comment, page, answer_id, role_groups, can_harm=can_harm
        )[1]


def _row(user: User, answer: Answer) -> dict[str, Any]:
    plain = (
        "id",
        "conversation_id",
        "question",
        "query",
        "language",
        "mode",
        "status",
        "text",
        "model",
        "embedder",
        "prompt_version",
    )
    row = {name: getattr(answer, name) for name in (*plain, "created_at")}
    row["sources"] = _json(_SOURCES.dump_python(answer.sources, mode="json"))
    row["citations"] = _json(_CITATIONS.dump_python(answer.citations, mode="json"))
    row["notices"] = _json(_NOTICES.dump_python(answer.notices, mode="json"))
    row["unsupported"] = _json(_UNSUPPORTED.dump_python(answer.unsupported, mode="json"))
    row["not_named"] = _json(answer.not_named)
    row["stats"] = _json(answer.stats)
    asker = {"user_id": user.id, "groups": own_groups(user), "function": user.function, "department": user.department}
    return {**row, **asker}


def _json(value: Any) -> Jsonb:
    return Jsonb(value, dumps=lambda v: json.dumps(v, allow_nan=False))


def _to_answer(row: DictRow) -> Answer:
    return Answer(
        id=row["id"],
        conversation_id=row["conversation_id"],
        user_id=row["user_id"],
        question=row["question"],
        query=row["query"],
        language=row["language"],
        mode=Mode(row["mode"]),
        status=AnswerStatus(row["status"]),
        text=row["text"],
        sources=_SOURCES.validate_python(row["sources"]),
        citations=_CITATIONS.validate_python(row["citations"]),
        notices=_NOTICES.validate_python(row["notices"]),
        model=row["model"],
        embedder=row["embedder"],
        prompt_version=row["prompt_version"],
        stats=row["stats"],
        created_at=row["created_at"],
        unsupported=_UNSUPPORTED.validate_python(row["unsupported"]),
        not_named=tuple(row["not_named"]),
    )


def _shortened(question: str) -> str:
    line = " ".join(question.split())
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"
