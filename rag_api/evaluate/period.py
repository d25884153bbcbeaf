"""The report of a period: its figures, in all and by week, what was quoted most, and what was asked
most without an answer. Only aggregates: a question that was asked once may be about one patient,
and stays out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, time, timedelta

from rag_api.db.questions.gaps import Unanswered
from rag_api.db.questions.period import PeriodFigures, QuotedProcedure
from rag_api.db.questions.usage import Week
from rag_api.evaluate.gaps import Gap, gaps_of
from rag_api.text.csv_cells import harmless

LEAST, MOST = 2, 20  # times that a question was asked; questions, and procedures, in a report


@dataclass(frozen=True, slots=True)
class PeriodReport:
    since: date
    until: date
    figures: PeriodFigures
    weeks: Sequence[Week]  # oldest first
    quoted: Sequence[QuotedProcedure]  # most quoted first
    unanswered: Sequence[Gap]  # most asked first


def morning(day: date) -> datetime:
    return datetime.combine(day, time()).astimezone()


def report_of(
    since: date,
    until: date,
    figures: PeriodFigures,
    weeks: Sequence[Week],
    quoted: Sequence[QuotedProcedure],
    asked: Sequence[Unanswered],
) -> PeriodReport:
    end = morning(until + timedelta(days=1))
    gaps = gaps_of([one for one in asked if one.created_at < end and one.said_by == "bedside"])
    return PeriodReport(since, until, figures, weeks, quoted, [gap for gap in gaps if len(gap.asked) >= LEAST][:MOST])


def report_csv(report: PeriodReport) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("figure", "of", "value"))
    for row in _rows(report):
        writer.writerow([harmless(cell) for cell in row])
    return out.getvalue()


def _rows(report: PeriodReport) -> Iterator[tuple[str, str, str]]:
    figures = report.figures
    yield "since", "", report.since.isoformat()
    yield "until", "", report.until.isoformat()
    for name in ("questions", "answered", "not_found", "sources_only", "failed"):
        yield name, "", str(getattr(figures, name))
    for name in ("refused", "reported", "judged"):
        for what, count in getattr(figures, name).items():
            yield name, what, str(count)
    for name in ("median", "slowest"):
        yield name, "seconds", _cell(getattr(figures, name))
    for week in report.weeks:
        for name, value in asdict(week).items():
            if name != "begins":
                yield f"week_{name}", week.begins.isoformat(), _cell(value)
    for one in report.quoted:
        yield "quoted", one.title, str(one.answers)
    for gap in report.unanswered:
        yield "unanswered", gap.question, str(len(gap.asked))


def _cell(value: float | None) -> str:
    """A count, or seconds where there are some."""
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.1f}"
