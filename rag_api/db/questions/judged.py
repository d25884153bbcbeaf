"""Judged sets: questions with the places that answer them. Seen and changed by those who may
review, within their groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import DictRow

from rag_api.db import Connection, Database
from rag_api.db.access import READS, found, own_groups, reviewer, space, values
from rag_api.domain import Judged, Place, User

UPSERT = """
    insert into judged_questions (set_name, id, question, language, function, department, patient_group, conversation, split, found,
      no_answer, note, answer_id, copied_from, user_id, groups, space, created_at)
    values (%(set_name)s, %(id)s, %(question)s, %(language)s, %(function)s, %(department)s, %(group)s, %(conversation)s, %(split)s,
      %(found)s, %(no_answer)s, %(note)s, %(answer_id)s, %(copied_from)s, %(user_id)s, %(groups)s,
      %(space)s, clock_timestamp())
    on conflict (space, set_name, id) do update set question = excluded.question, language = excluded.language,
      function = excluded.function, department = excluded.department, patient_group = excluded.patient_group,
      conversation = excluded.conversation,
      split = excluded.split, found = excluded.found, no_answer = excluded.no_answer, note = excluded.note, updated_at = now(),
      answer_id = coalesce(excluded.answer_id, judged_questions.answer_id),
      copied_from = coalesce(excluded.copied_from, judged_questions.copied_from)
"""
PLACE = """
    insert into judged_places (space, set_name, id, position, document, page, span)
    values (%(space)s, %(set_name)s, %(id)s, %(position)s, %(document)s, %(page)s, %(span)s)
"""
# A question counts once it is known where its answer stands, or that it stands nowhere.
COMPLETE = (
    "(no_answer or exists (select 1 from judged_places p where (p.space, p.set_name, p.id) = (q.space, "
    "q.set_name, q.id)))"
)


OWN_FIRST = "space <> %(space)s, space"  # where two groups have questions of one name


@dataclass(frozen=True, slots=True)
class JudgedSet:
    name: str
    questions: int
    validate: int
    test: int
    no_answer: int
    incomplete: int  # nobody has said yet where the answer stands: neither exported nor evaluated
    updated_at: datetime


def list_sets(db: Database, user: User) -> list[JudgedSet]:
    reviewer(user)
    rows = db.all(
        f"""select set_name as name, count(*) filter (where {COMPLETE}) as questions,
              count(*) filter (where split = 'validate' and {COMPLETE}) as validate,
              count(*) filter (where split = 'test' and {COMPLETE}) as test,
              count(*) filter (where no_answer) as no_answer, count(*) filter (where not {COMPLETE}) as incomplete,
              max(updated_at) as updated_at
            from judged_questions q where {READS} group by set_name order by set_name""",  # noqa: S608
        values(user),
    )
    return [JudgedSet(**row) for row in rows]


def read_set(db: Database, user: User, name: str) -> list[Judged]:
    """Its complete questions, in the order they were made. Raises NotFound when there is no such
    set."""
    return read_halves(db, user, name)[0]


def read_halves(db: Database, user: User, name: str) -> tuple[list[Judged], list[Judged]]:
    """The complete questions and the open ones, in the order they were made. Raises NotFound when
    there is no such set."""
    reviewer(user)
    rows = db.all(
        f"select q.*, {COMPLETE} as complete from judged_questions q where set_name = %(name)s and {READS} order by "  # noqa: S608
        f"created_at, id",
        values(user, name=name),
    )
    found(rows or None, "set of reviewed questions", name)
    places = _places(db, user, name)
    complete: list[Judged] = []
    open_: list[Judged] = []
    for row in rows:
        (complete if row["complete"] else open_).append(_judged(row, places.get((row["space"], row["id"]), ())))
    return complete, open_


def ids_of(db: Database, user: User, name: str) -> set[str]:
    """Of all its questions, complete or not; empty when there is no such set."""
    reviewer(user)
    rows = db.all(f"select id from judged_questions where set_name = %(name)s and {READS}", values(user, name=name))  # noqa: S608
    return {row["id"] for row in rows}


def read_question(db: Database, user: User, name: str, question_id: str) -> Judged:
    """Complete or not. Raises NotFound."""
    reviewer(user)
    row = db.one(
        f"select * from judged_questions where set_name = %(name)s and id = %(id)s and {READS} order by {OWN_FIRST}",  # noqa: S608
        values(user, name=name, id=question_id, space=space(user)),
    )
    row = found(row, "reviewed question", question_id)
    return _judged(row, _places(db, user, name).get((row["space"], question_id), ()))


@dataclass(frozen=True, slots=True)
class Made:
    """How a judged question came to be: from the judge's own answer, or copied from somebody's;
    neither when imported."""

    answer_id: str | None = None
    copied_from: str | None = None


def save_questions(db: Database, user: User, name: str, questions: Sequence[Judged], made: Sequence[Made] = ()) -> int:
    """Put them into the set, in place of those with the same ids; all or none. One without places
    says that no document answers it. Returns how many were new."""
    reviewer(user)
    with db.connection() as connection:
        before = _count(connection, user, name)
        for question, how in zip(questions, made or [Made()] * len(questions), strict=True):
            _put(connection, user, name, question, how, no_answer=not question.answerable)
        return _count(connection, user, name) - before


def save_open(db: Database, user: User, name: str, question: Judged, made: Made) -> None:
    """A question of which nobody knows yet where its answer stands."""
    reviewer(user)
    with db.connection() as connection:
        _put(connection, user, name, question, made, no_answer=False)


def delete_question(db: Database, user: User, name: str, question_id: str) -> None:
    reviewer(user)
    gone = db.run(
        f"delete from judged_questions where set_name = %(name)s and id = %(id)s and {READS}",  # noqa: S608
        values(user, name=name, id=question_id),
    )
    found(gone or None, "reviewed question", question_id)


def delete_set(db: Database, user: User, name: str) -> None:
    reviewer(user)
    gone = db.run(f"delete from judged_questions where set_name = %(name)s and {READS}", values(user, name=name))  # noqa: S608
    found(gone or None, "set of reviewed questions", name)


@dataclass(frozen=True, slots=True)
class Said:
    """An answer of which its reader said something: material for a judged question."""

    answer_id: str
    conversation_id: str
    question: str  # what was searched for
    language: str
    function: str
    department: str
    found: str
    places: tuple[Place, ...]


def answers_with_feedback(db: Database, user: User) -> list[Said]:
    """Of all who asked within the reviewer's groups; the last verdict counts, every named document
    is a place."""
    reviewer(user)
    rows = db.all(
        f"""select a.id as answer_id, a.conversation_id, a.query as question, a.language, a.function, a.department,
              coalesce((array_agg(f.found order by f.created_at desc, f.id) filter (where f.found is not null))[1], '') as found,
              coalesce(jsonb_agg(distinct jsonb_build_object('document', d.source, 'page', f.page)) filter (where d.id is not null),
                '[]') as places
            from answers a join feedback f on f.answer_id = a.id and f.reported is null
              left join documents d on d.id = f.document_id and d.{READS}
            where a.{READS} group by a.id order by a.created_at, a.id""",  # noqa: S608
        values(user),
    )
    return [Said(**{**row, "places": tuple(Place(p["document"], p["page"]) for p in row["places"])}) for row in rows]


def _put(connection: Connection, user: User, name: str, question: Judged, made: Made, *, no_answer: bool) -> None:
    fields = ("id", "question", "language", "function", "department", "group", "conversation", "split", "found", "note")
    row: dict[str, Any] = {field: getattr(question, field) for field in fields}
    row |= {"set_name": name, "no_answer": no_answer, "answer_id": made.answer_id, "copied_from": made.copied_from}
    row |= {"space": _space_of(connection, user, name, question.id), "groups": own_groups(user)}
    connection.execute(UPSERT, values(user, **row))
    connection.execute(
        "delete from judged_places where space = %(space)s and set_name = %(set_name)s and id = %(id)s", row
    )
    for position, place in enumerate(question.places):
        at = {"space": row["space"], "set_name": name, "id": question.id, "position": position}
        connection.execute(PLACE, {**at, "document": place.document, "page": place.page, "span": place.span})


def _space_of(connection: Connection, user: User, name: str, question_id: str) -> str:
    """Of the question with this id that the user may read, which is the one to change; else the
    user's own."""
    row = connection.execute(
        f"select space from judged_questions where set_name = %(name)s and id = %(id)s and {READS} order by "  # noqa: S608
        f"{OWN_FIRST}",
        values(user, name=name, id=question_id, space=space(user)),
    ).fetchone()
    return str(row["space"]) if row else space(user)


def _count(connection: Connection, user: User, name: str) -> int:
    query = f"select count(*) as n from judged_questions where set_name = %(name)s and {READS}"  # noqa: S608
    row = connection.execute(query, values(user, name=name)).fetchone()
    assert row is not None
    return int(row["n"])


def _places(db: Database, user: User, name: str) -> dict[tuple[str, str], tuple[Place, ...]]:
    """Of a set's questions that the user may read, by space and id."""
    rows = db.all(
        f"""select p.* from judged_places p join judged_questions q using (space, set_name, id)
        where set_name = %(name)s and q.{READS} order by id, position""",  # noqa: S608
        values(user, name=name),
    )
    places: dict[tuple[str, str], tuple[Place, ...]] = {}
    for row in rows:
        key = row["space"], row["id"]
        places[key] = (*places.get(key, ()), Place(row["document"], row["page"], row["span"]))
    return places


def _judged(row: DictRow, places: Sequence[Place]) -> Judged:
    first = places[0] if places else Place("")
    plain = ("id", "question", "language", "split", "note", "function", "department", "conversation", "found")
    return Judged(
        **{field: row[field] for field in plain},
        group=row["patient_group"],
        document=first.document,
        page=first.page,
        span=first.span,
        more=tuple(places[1:]),
    )
