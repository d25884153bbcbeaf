"""Usage: how much was asked, week by week, and what became of it, counted in the stored answers, so
what was deleted is not in it.

For reviewers, of everyone: nobody's name and no question is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    return _weeks(
        db, "(date_trunc('week', now()) - %(back)s * interval '1 week')::date", "current_date", {"back": count - 1}
    )


def weeks_of(db: Database, user: User, since: date, until: date) -> list[Week]:
    """Return the weeks of these days, both included, as far as they have come. Of a week that lies
    in it for a part, that part counts."""
    reviewer(user)
    return _weeks(db, "%(since)s::date", "least(%(until)s::date, current_date)", {"since": since, "until": until})


def _weeks(db: Database, since: str, until: str, given: Mapping[str, object]) -> list[Week]:
    rows = db.all(
        f"""with asked as (
              select a.*, date_trunc('week', a.created_at)::date as week, extract(epoch from a.finished_at - a.created_at) as took,
                a.status = 'answered' and (coalesce('no' = (select f.found from feedback f where f.answer_id = a.id and f.found is not null
                  order by f.created_at desc, f.id limit 1), false)
                  or exists (select 1 from feedback f where f.answer_id = a.id and f.reported is not null)) as wrong
              from answers a
              where a.user_id <> all(%(nobody)s) and a.created_at >= {since} and a.created_at < {until} + 1)
            select w::date as begins, count(id)::int as questions, count(distinct user_id)::int as askers,
              (count(*) filter (where status = 'answered'))::int as answered,
              (count(*) filter (where status = 'not_found'))::int as not_found,
              (count(*) filter (where status = 'sources_only'))::int as sources_only,
              (count(*) filter (where status = 'failed'))::int as failed,
              (count(*) filter (where wrong))::int as wrong,
              percentile_cont(0.5) within group (order by took)::float8 as median,
              percentile_cont(0.95) within group (order by took)::float8 as slowest
            from generate_series(date_trunc('week', {since}), {until}, '1 week') as w
            left join asked on asked.week = w::date
            group by w order by w""",  # noqa: S608 - constants of this module
        {"nobody": list(NOBODY), **given},
    )
    return [Week(**row) for row in rows]
