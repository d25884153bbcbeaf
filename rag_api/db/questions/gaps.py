"""Questions asked in vain: answers that Bedside called not found, of which their reader said so, or
that their reader reported.

Nothing is kept for it: it is read from the stored answers, so a deleted conversation is gone from
it too. For reviewers, within their groups, and for owners, of their own documents; who asked is not
told, only their function and department.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from rag_api.db import Database
from rag_api.db.access import ANSWERS_FOR, OWNER, READS, may_review, reviewer, values
from rag_api.db.owners.named import NAMED, PASSED_TO
from rag_api.domain import User

NOBODY = ("evaluation",)  # measurements ask too; those are no questions of staff
NEAREST = 3
MOST = 20_000  # questions that one report looks at, the newest


# A document `d` of an answer that stood above it by its title.
_NAMED = """exists (select 1 from jsonb_array_elements(a.notices) said
    where d->'metadata'->>'title' <> '' and position(d->'metadata'->>'title' in said->>'text') > 0)"""


@dataclass(frozen=True, slots=True)
class NearDocument:
    document: str
    title: str
    department: str
    owner: str
    id: str = field(default="", compare=False)  # of a version: of one document there are several


@dataclass(frozen=True, slots=True)
class Unanswered:
    question: str  # as it was searched for
    language: str
    function: str
    department: str  # of who asked
    said_by: str  # "bedside" or "reader"
    nearest: tuple[NearDocument, ...]  # those that the reviewer may read, nearest first
    created_at: datetime
    missing: str | None = None  # what its reader missed, if they said so
    # those that its reader says hold the answer, of those that the reviewer may read
    named: tuple[NearDocument, ...] = ()
    reported: str | None = None  # "wrong", "outdated": what its reader reported of the answer, last
    comments: tuple[str, ...] = ()  # of its reader, without what identifies a patient
    answer_id: str = ""
    passed_on: bool = False  # its reader, or quality staff, put it to who answers for a document
    # to whom, and when, of none or of documents that the reviewer may read; "": quality staff; for
    # who does not review, nothing
    passed_to: tuple[tuple[str, datetime], ...] = ()


def unanswered(db: Database, user: User, since: datetime | None = None) -> list[Unanswered]:
    """Oldest first. Raises NotFound for who may not review."""
    reviewer(user)
    return _asked_in_vain(db, user, since)


def unanswered_near(db: Database, user: User) -> list[Unanswered]:
    """Those that a document whose owner the user is should answer: it is the one that their reader
    named, else the nearest. Oldest first. Of askers of the user's groups, as for reviewers. What
    was reported is asked of the owner already (owners/questions.py)."""
    own = db.all(
        f"select d.source from documents d where d.status in ('indexed', 'failed') and {ANSWERS_FOR}",  # noqa: S608
        values(user),
    )
    sources = {row["source"] for row in own}
    if not sources:
        return []
    asked = (one for one in _asked_in_vain(db, user, None) if one.reported is None)
    return [one for one in asked if any(near.document in sources for near in one.named or one.nearest[:1])]


def _asked_in_vain(db: Database, user: User, since: datetime | None) -> list[Unanswered]:
    rows = db.all(
        f"""select a.id as answer_id, a.query as question, a.language, a.function, a.department, a.created_at,
              case when a.status = 'not_found' then 'bedside' else 'reader' end as said_by,
              coalesce((select jsonb_agg(d order by n) from (
                select s->'document' as d, n, row_number() over (order by n) as place
                from jsonb_array_elements(a.sources) with ordinality as t(s, n)
                where exists (select 1 from documents r where r.id = s->'document'->>'id' and r.{READS})) x
                where place <= %(nearest)s or {_NAMED}), '[]')
              as nearest,
              (select f.missing from feedback f where f.answer_id = a.id and f.missing is not null
                order by f.created_at desc, f.id limit 1) as missing,
              (select f.reported from feedback f where f.answer_id = a.id and f.reported is not null
                order by f.created_at desc, f.id limit 1) as reported,
              coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'source', d.source, 'metadata', jsonb_build_object(
                  'title', d.title, 'department', d.department, 'owner', d.owner)) order by f.created_at, f.id)
                from feedback f join documents d on d.id = f.document_id and d.{READS}
                where f.answer_id = a.id and f.reported is null), '[]') as named,
              array(select f.comment from feedback f where f.answer_id = a.id and f.comment <> '' order by f.created_at, f.id) as comments,
              exists (select 1 from owner_questions q where q.answer_id = a.id) as passed_on,
              coalesce((select jsonb_agg(jsonb_build_array(
                  coalesce({PASSED_TO}, case when {OWNER} is null then '' else {NAMED} end), q.created_at))
                from owner_questions q left join asked_documents on question_id = q.id
                left join documents d on d.id = asked_documents.id
                where %(reviews)s and q.answer_id = a.id and (q.document_id is null or d.{READS})), '[]') as passed_to
            from answers a
            where a.{READS} and a.user_id <> all(%(nobody)s) and a.created_at >= coalesce(%(since)s, '-infinity'::timestamptz)
              and not a.notices @> '[{{"code": "empty_index"}}]'
              and (a.status = 'not_found' or 'no' = (select f.found from feedback f
                where f.answer_id = a.id and f.found is not null order by f.created_at desc, f.id limit 1)
                or exists (select 1 from feedback f where f.answer_id = a.id and f.reported is not null))
            order by a.created_at desc, a.id limit %(most)s""",  # noqa: S608
        values(user, since=since, nobody=list(NOBODY), nearest=NEAREST, most=MOST, reviews=may_review(user)),
    )
    return [
        Unanswered(**{
            **row, "nearest": _documents(row["nearest"]), "named": _documents(row["named"]), "comments": tuple(row["comments"]),
            "passed_to": tuple((name, datetime.fromisoformat(at)) for name, at in row["passed_to"]),
        })
        for row in reversed(rows)
    ]  # fmt: skip


def _documents(found: Sequence[dict[str, object]]) -> tuple[NearDocument, ...]:
    """Each once: several passages may be of one document."""
    documents = {}
    for one in found:
        about = one["metadata"]
        assert isinstance(about, dict)
        name = str(one["source"])
        documents[name] = NearDocument(
            name, about.get("title") or name, about.get("department") or "", about.get("owner") or "", str(one["id"])
        )
    return tuple(documents.values())
