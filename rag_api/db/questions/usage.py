"""Usage: how much was asked, week by week, and what became of it, counted in the stored answers, so
what was deleted is not in it.

For reviewers, of everyone: nobody's name and no question is in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from rag_api.db import Database
from rag_api.db.access import reviewer
from rag_api.db.questions.gaps import NOBODY
from rag_api.domain import User


@dataclass(frozen=True, slots=True)
class Week:
    """`wrong`: answered, and its reader said that the answer was not there, or reported it.
    `median`, `slowest`: seconds from the question to the stored answer, of half and of 95% of the
    questions; None: nothing was asked."""

    begins: date  # a Monday
    questions: int
    askers: int
    answered: int
    not_found: int
    sources_only: int
    failed: int
    wrong: int
    median: float | None
    slowest: float | None


def weeks(db: Database, user: User, count: int) -> list[Week]:
    """Return the last `count` weeks, this one last, those without a question too."""
    reviewer(user)
    rows = db.all(
        """with asked as (
              select a.*, date_trunc('week', a.created_at)::date as week, extract(epoch from a.finished_at - a.created_at) as took,
                a.status = 'answered' and (coalesce('no' = (select f.found from feedback f where f.answer_id = a.id and f.found is not null
                  order by f.created_at desc, f.id limit 1), false)
                  or exists (select 1 from feedback f where f.answer_id = a.id and f.reported is not null)) as wrong
              from answers a
              where a.user_id <> all(%(nobody)s)
                and a.created_at >= date_trunc('week', now()) - %(back)s * interval '1 week')
            select w::date as begins, count(id)::int as questions, count(distinct user_id)::int as askers,
              (count(*) filter (where status = 'answered'))::int as answered,
              (count(*) filter (where status = 'not_found'))::int as not_found,
              (count(*) filter (where status = 'sources_only'))::int as sources_only,
              (count(*) filter (where status = 'failed'))::int as failed,
              (count(*) filter (where wrong))::int as wrong,
              percentile_cont(0.5) within group (order by took)::float8 as median,
              percentile_cont(0.95) within group (order by took)::float8 as slowest
            from generate_series(date_trunc('week', now()) - %(back)s * interval '1 week', date_trunc('week', now()), '1 week') as w
            left join asked on asked.week = w::date
            group by w order by w""",
        {"nobody": list(NOBODY), "back": count - 1},
    )
    return [Week(**row) for row in rows]
