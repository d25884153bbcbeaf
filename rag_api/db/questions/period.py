"""Figures of a period: what was asked in it, what became of it, and what was said of that. Counted
in the stored answers, so what was deleted is not in it.

For reviewers, of everyone: nobody's name and no question is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from rag_api.db import Database
from rag_api.db.access import READS, reviewer, values
from rag_api.db.questions.gaps import NOBODY
from rag_api.db.questions.reviews import VERDICTS
from rag_api.domain import User

REPORTS = ("wrong", "outdated")
UNKNOWN = "unknown"  # why: what was refused before the reason was kept


@dataclass(frozen=True, slots=True)
class PeriodFigures:
    """`refused`: by what, as refusal_reason.Refusal names it, most first. `median`, `slowest`: as
    in usage.Week."""

    questions: int
    answered: int
    not_found: int
    sources_only: int
    failed: int
    refused: Mapping[str, int]
    reported: Mapping[str, int]
    judged: Mapping[str, int]
    median: float | None
    slowest: float | None


@dataclass(frozen=True, slots=True)
class QuotedProcedure:
    """A procedure that answers quoted, by the version of it that counts now."""

    document_id: str
    source: str
    title: str
    version: str
    answers: int


def quoted_most(db: Database, user: User, since: date, until: date, most: int) -> list[QuotedProcedure]:
    """Return what was quoted most in these days, both included; an answer counts once for each
    procedure, and only those that the user may read are named. Raises NotFound for who may not
    review."""
    reviewer(user)
    rows = db.all(
        f"""with quoted as (
              select distinct a.id, d.source
              from answers a, jsonb_array_elements(a.citations) c join documents d on d.id = c->>'document_id' and d.{READS}
              where a.status = 'answered' and a.user_id <> all(%(nobody)s)
                and a.created_at >= %(since)s::date and a.created_at < %(until)s::date + 1)
            select now.id as document_id, now.source, now.title, now.version, count(*)::int as answers
            from quoted join lateral (
              select * from documents d where d.source = quoted.source and d.{READS}
              order by d.status in ('indexed', 'failed') desc, d.created_at desc, d.id limit 1) now on true
            group by now.id, now.source, now.title, now.version
            order by answers desc, lower(now.title), now.id limit %(most)s""",  # noqa: S608
        values(user, nobody=list(NOBODY), since=since, until=until, most=most),
    )
    return [QuotedProcedure(**row) for row in rows]


def figures_of(db: Database, user: User, since: date, until: date) -> PeriodFigures:
    """Of these days, both included. Raises NotFound for who may not review."""
    reviewer(user)
    row = db.one(
        """with asked as (
              select a.status, coalesce(a.stats->'refused'->>'by', %(unknown)s) as why, r.verdict,
                extract(epoch from a.finished_at - a.created_at) as took,
                array(select distinct f.reported from feedback f where f.answer_id = a.id and f.reported is not null) as reported
              from answers a left join reviews r on r.answer_id = a.id
              where a.user_id <> all(%(nobody)s) and a.created_at >= %(since)s::date and a.created_at < %(until)s::date + 1)
            select count(*)::int as questions,
              (count(*) filter (where status = 'answered'))::int as answered,
              (count(*) filter (where status = 'not_found'))::int as not_found,
              (count(*) filter (where status = 'sources_only'))::int as sources_only,
              (count(*) filter (where status = 'failed'))::int as failed,
              percentile_cont(0.5) within group (order by took)::float8 as median,
              percentile_cont(0.95) within group (order by took)::float8 as slowest,
              coalesce((select jsonb_object_agg(why, n) from (
                select why, count(*) as n from asked where status = 'not_found' group by why) x), '{}') as refused,
              coalesce((select jsonb_object_agg(said, n) from (
                select said, count(*) as n from asked, unnest(asked.reported) as said group by said) x), '{}') as reported,
              coalesce((select jsonb_object_agg(verdict, n) from (
                select verdict, count(*) as n from asked where verdict is not null group by verdict) x), '{}') as judged
            from asked""",
        {"nobody": list(NOBODY), "since": since, "until": until, "unknown": UNKNOWN},
    )
    assert row is not None
    refused = dict(sorted(row["refused"].items(), key=lambda one: (-one[1], one[0])))
    reported = {name: row["reported"].get(name, 0) for name in REPORTS}
    judged = {name: row["judged"].get(name, 0) for name in VERDICTS}
    return PeriodFigures(**{**row, "refused": refused, "reported": reported, "judged": judged})
