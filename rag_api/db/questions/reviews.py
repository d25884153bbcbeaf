"""Reviews: what quality staff say of answers that staff were given, and of refusals.

Nothing of an answer is copied, so a deleted conversation takes its reviews with it. For reviewers,
within their groups; who asked is not told, only their function and department. Of documents that a
reviewer may not read nothing is shown. Who asked reads the newest, and not whose it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from psycopg.rows import DictRow

from rag_api.db import Database
from rag_api.db.access import NO_ROLES, OWNS, READS, found, reviewer, values
from rag_api.db.documents import contains
from rag_api.db.owners.asking import put_question
from rag_api.db.owners.named import NOBODY as NO_OWNER
from rag_api.db.owners.named import Reached, reached_by
from rag_api.db.owners.questions import answer_reports, open_reports
from rag_api.db.people.accounts import RoleGroups
from rag_api.db.questions.answers import readable_answers
from rag_api.db.questions.gaps import NOBODY
from rag_api.domain import Answer, User
from rag_api.errors import Conflict

ReviewVerdict = Literal["right", "partly", "wrong", "harmful"]
VERDICTS: tuple[ReviewVerdict, ...] = ("right", "partly", "wrong", "harmful")
# Days are those of the database's clock, the last one whole.
ASKED = f"""a.{READS} and a.user_id <> all(%(nobody)s)
    and a.created_at >= coalesce(%(since)s::date, '-infinity') and a.created_at < coalesce(%(until)s::date + 1, 'infinity')"""
REPORTED = "exists (select 1 from feedback f where f.answer_id = a.id and f.reported is not null)"
_LAST = "(select f.{0} from feedback f where f.answer_id = a.id and f.{0} is not null order by f.created_at desc, f.id limit 1)"
_ROWS = f"""
    select a.*, {_LAST.format("found")} as said_found, {_LAST.format("missing")} as said_missing,
      {_LAST.format("reported")} as said_reported,
      exists (select 1 from feedback f where f.answer_id = a.id and f.can_harm) as can_harm,
      array(select f.comment from feedback f where f.answer_id = a.id and f.comment <> '' order by f.created_at, f.id) as comments,
      r.verdict, r.remark, r.judged_at, r.owner_question_id, r.user_id as judge_id,
      coalesce((select u.name from users u where u.id = r.user_id), r.user_id) as judged_by
    from answers a left join reviews r on r.answer_id = a.id"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class ToldReview:
    """What who asked reads of a review."""

    verdict: ReviewVerdict
    remark: str
    judged_at: datetime


@dataclass(frozen=True, slots=True)
class Given(ToldReview):
    """A review. `sent`: whom its remark comes to; None: to nobody."""

    judged_by: str  # the account's name
    sent: Reached | None = None
    judge_id: str = ""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """An answer as its reviewer may read it, what its reader said of it, and its review."""

    answer: Answer
    function: str
    department: str
    refusal: Mapping[str, Any] | None  # as refusal_reason.Refusal; None: it was no refusal, or nobody knows
    found: str | None
    missing: str | None
    reported: str | None
    can_harm: bool  # a patient, says its reader
    comments: tuple[str, ...]
    review: Given | None
    earlier: tuple[Given, ...]  # what was said before, the newest first
    reports: int  # its reader's reports of it that are open, and the reviewer's to answer


@dataclass(frozen=True, slots=True)
class ReviewQuery:
    """Which answers: of these days, both included, and of all that is asked for here. words: in the
    question alone, for a text may be made of what the reviewer may not read."""

    since: date | None = None
    until: date | None = None
    refused: bool = False
    reported: bool = False
    unjudged: bool = False
    judged: bool = False
    departments: Sequence[str] | None = None  # of who asked; None: of all
    limit: int = 20
    offset: int = 0
    words: str = ""
    after: datetime | None = None
    before: datetime | None = None


def list_reviews(
    db: Database, user: User, query: ReviewQuery, role_groups: RoleGroups = NO_ROLES
) -> tuple[list[Reviewed], int]:
    """Newest first, and how many there are in all. Raises NotFound for who may not review."""
    reviewer(user)
    where = ASKED
    if query.refused:
        where += " and a.status = 'not_found'"
    if query.reported:
        where += f" and {REPORTED}"
    if query.unjudged:
        where += " and r.answer_id is null"
    if query.judged:
        where += " and r.answer_id is not null"
    if query.departments is not None:
        where += " and a.department = any(%(departments)s)"
    if query.words:
        where += " and (a.question ilike %(like)s or a.query ilike %(like)s)"
    if query.after is not None:
        where += " and a.created_at >= %(after)s"
    if query.before is not None:
        where += " and a.created_at < %(before)s"
    params = values(
        user,
        like=contains(query.words),
        after=query.after,
        before=query.before,
        nobody=list(NOBODY),
        since=query.since,
        until=query.until,
        departments=list(query.departments or ()),
        limit=query.limit,
        offset=query.offset,
    )
    rows = db.all(
        f"{_ROWS} where {where} order by a.created_at desc, a.id limit %(limit)s offset %(offset)s", params
    )  # fmt: skip
    total = db.one(
        f"select count(*) as n from answers a left join reviews r on r.answer_id = a.id where {where}",  # noqa: S608
        params,
    )
    assert total is not None
    return _reviewed(db, user, rows, role_groups), int(total["n"])


def departments_of(db: Database, user: User, since: date | None = None, until: date | None = None) -> list[str]:
    """Of who asked in these days; "" where somebody has none."""
    reviewer(user)
    rows = db.all(
        f"select distinct a.department from answers a where {ASKED} order by 1",  # noqa: S608
        values(user, nobody=list(NOBODY), since=since, until=until),
    )
    return [row["department"] for row in rows]


def put_review(
    db: Database,
    user: User,
    answer_id: str,
    verdict: ReviewVerdict,
    remark: str,
    document_id: str | None = None,
    page: int | None = None,
    *,
    replies: bool = False,
    role_groups: RoleGroups = NO_ROLES,
) -> Reviewed:
    """Judge an answer: what was said of it before stays among the earlier ones. document_id: its
    owner reads the remark, with what was asked; replies: it answers its reader's open reports.
    Raises NotFound, for a document that the answer does not show too, and Conflict where an owner
    was told already."""
    reviewer(user)
    given = values(user, id=answer_id, nobody=list(NOBODY), since=None, until=None)
    with db.connection() as connection:
        row = connection.execute(
            f"""select array(select s->'document'->>'id' from jsonb_array_elements(a.sources) s) as shown, a.groups,
              exists (select 1 from reviews r where r.answer_id = a.id and r.owner_question_id is not null) as sent
            from answers a where a.id = %(id)s and {ASKED} for update""",  # noqa: S608
            given,
        ).fetchone()
        row = found(row, "answer", answer_id)
        if replies:
            answer_reports(connection, user, answer_id, remark, role_groups)
        question_id = None
        if document_id is not None:
            found(document_id if document_id in row["shown"] else None, "document", document_id)
            if row["sent"]:
                raise Conflict("An owner was told of this answer already.")
            question_id, _ = put_question(
                connection,
                user,
                document_id,
                "report",
                remark,
                page,
                answer_id,
                role_groups,
                row["groups"],
                verdict == "harmful",
            )
        connection.execute(
            """insert into earlier_reviews select answer_id, verdict, remark, user_id, judged_at from reviews
            where answer_id = %(id)s and (verdict, remark, user_id) <> (%(verdict)s, %(remark)s, %(user_id)s)""",
            {**given, "verdict": verdict, "remark": remark},
        )
        connection.execute(
            """insert into reviews (answer_id, verdict, remark, user_id, owner_question_id, told)
            values (%(id)s, %(verdict)s, %(remark)s, %(user_id)s, %(question)s, true)
            on conflict (answer_id) do update set verdict = excluded.verdict, remark = excluded.remark, user_id = excluded.user_id,
              told = true, judged_at = now(), owner_question_id = coalesce(excluded.owner_question_id, reviews.owner_question_id)""",
            {**given, "verdict": verdict, "remark": remark, "question": question_id},
        )
    return _reviewed(db, user, db.all(f"{_ROWS} where a.id = %(id)s", {"id": answer_id}), role_groups)[0]


def forget_reviewer(db: Database, user_id: str) -> int:
    """What a person judged no longer says who did. Returns how many."""
    tables = ("reviews", "earlier_reviews")
    return sum(db.run(f"update {one} set user_id = '' where user_id = %(id)s", {"id": user_id}) for one in tables)  # noqa: S608


def judged_of(db: Database, user: User, answers: Sequence[Answer]) -> list[ToldReview | None]:
    """What was said last of each of these answers of the user's own; nothing of one of which a part
    is withheld, for a remark may say what it held."""
    rows = db.all(
        f"""select r.answer_id, r.verdict, r.remark, r.judged_at from reviews r join answers a on a.id = r.answer_id
        where r.told and r.answer_id = any(%(ids)s) and a.{OWNS}""",  # noqa: S608
        values(user, ids=[one.id for one in answers if not any(notice.code == "withheld" for notice in one.notices)]),
    )
    said = {row["answer_id"]: ToldReview(row["verdict"], row["remark"], row["judged_at"]) for row in rows}
    return [said.get(one.id) for one in answers]


def _reviewed(db: Database, user: User, rows: Sequence[DictRow], role_groups: RoleGroups) -> list[Reviewed]:
    reached = reached_by(db, [row["owner_question_id"] for row in rows if row["owner_question_id"]], role_groups)
    ids = [row["id"] for row in rows]
    earlier = _earlier(db, ids)
    reports = open_reports(db, user, ids, role_groups)
    return [
        Reviewed(
            answer,
            row["function"],
            row["department"],
            row["stats"].get("refused"),
            row["said_found"],
            row["said_missing"],
            row["said_reported"],
            row["can_harm"],
            tuple(row["comments"]),
            _given(row, reached) if row["verdict"] else None,
            tuple(earlier.get(row["id"], ())),
            reports.get(row["id"], 0),
        )
        for row, answer in zip(rows, readable_answers(db, user, rows), strict=True)
    ]  # fmt: skip


def _given(row: DictRow, reached: Mapping[str, Reached]) -> Given:
    question = row["owner_question_id"]
    sent = reached.get(question, NO_OWNER) if question else None
    return Given(row["verdict"], row["remark"], row["judged_at"], row["judged_by"], sent, row["judge_id"])


def _earlier(db: Database, answer_ids: Sequence[str]) -> dict[str, list[Given]]:
    rows = db.all(
        """select e.*, coalesce((select u.name from users u where u.id = e.user_id), e.user_id) as judged_by
        from earlier_reviews e where answer_id = any(%(ids)s) order by judged_at desc""",
        {"ids": list(answer_ids)},
    )
    found: dict[str, list[Given]] = {}
    for row in rows:
        said = Given(row["verdict"], row["remark"], row["judged_at"], row["judged_by"])
        found.setdefault(row["answer_id"], []).append(said)
    return found
