"""GET /usage, /report, /report.csv, /risk and PUT /risk: how much is asked and answered, and how
readily Bedside answers. For reviewers; admins choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from typing import Annotated, get_args

from fastapi import APIRouter, Query, Response

from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import ContainerDep, DbDep, UserDep
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.schemas import Day
from rag_api.api.schemas import usage as api
from rag_api.api.sign_in.access import Access, declared
from rag_api.container import Container
from rag_api.db import Database
from rag_api.db.access import administrator, reviewer
from rag_api.db.choices import RISK, choose, chosen, forget
from rag_api.db.questions.gaps import unanswered
from rag_api.db.questions.period import figures_of, quoted_most
from rag_api.db.questions.usage import Week, weeks, weeks_of
from rag_api.domain import User
from rag_api.errors import InvalidInput
from rag_api.evaluate.period import MOST, PeriodReport, morning, report_csv, report_of
from rag_api.retrieval.decision.calibration import NotFoundModel, calibration

router = APIRouter(tags=["usage"], route_class=LimitedRoute)
YEAR = 53
EARLIEST, LATEST = date(2000, 1, 1), date(2100, 1, 1)
First = Annotated[Day, Query(description="The first day.")]
Last = Annotated[Day, Query(description="The last day.")]


@router.get(
    "/usage", openapi_extra=declared(Access.JUDGE), summary="How much was asked, week by week, and what became of it",
    responses=responses(404, 422, 503),
)  # fmt: skip
def get_usage(
    db: DbDep, user: UserDep, count: Annotated[int, Query(alias="weeks", ge=1, le=YEAR)] = 26
) -> api.WeeklyUsageOut:
    """Nobody's name and no question is in it."""
    return api.WeeklyUsageOut(weeks=_weeks_out(weeks(db, user, count)))


@router.get(
    "/report",
    openapi_extra=declared(Access.JUDGE),
    summary="What was asked in a period, and what became of it",
    responses=responses(400, 404, 422, 503),
)
def get_report(db: DbDep, user: UserDep, trail: TrailDep, since: First, until: Last) -> api.ReportOut:
    """Counts alone, the procedures quoted most, and the questions that were asked most without an
    answer: those that were asked once are not in it, nor who asked."""
    report = _report(db, user, trail, since, until)
    names = ("questions", "answered", "not_found", "sources_only", "failed", "median", "slowest")
    counts = {name: getattr(report.figures, name) for name in names}
    return api.ReportOut(
        since=since,
        until=until,
        **counts,
        refused=dict(report.figures.refused),
        reported=dict(report.figures.reported),
        judged=dict(report.figures.judged),
        weeks=_weeks_out(report.weeks),
        quoted=[api.QuotedOut.model_validate(one, from_attributes=True) for one in report.quoted],
        unanswered=[
            api.AskedInVainOut(question=gap.question, times=len(gap.asked), department=gap.department)
            for gap in report.unanswered
        ],
    )


@router.get(
    "/report.csv",
    openapi_extra=declared(Access.JUDGE),
    summary="The report of a period as CSV",
    response_class=Response,
    responses={
        200: {"description": "The file.", "content": {"text/csv": {"schema": {"type": "string"}}}},
        **responses(400, 404, 422, 503),
    },
)
def export_report(db: DbDep, user: UserDep, trail: TrailDep, since: First, until: Last) -> Response:
    text = report_csv(_report(db, user, trail, since, until))
    name = f'attachment; filename="bedside-{since}-{until}.csv"'
    return Response(text, media_type="text/csv", headers={"Content-Disposition": name})


def _report(db: Database, user: User, trail: TrailDep, since: date, until: date) -> PeriodReport:
    if not EARLIEST <= since <= until < LATEST:
        raise InvalidInput("A period begins before it ends, in this century.")
    trail.on |= {"since": since.isoformat(), "until": until.isoformat()}
    quoted = quoted_most(db, user, since, until, MOST)
    trail.on["documents"] = [{"id": one.document_id, "source": one.source, "version": one.version} for one in quoted]
    return report_of(
        since,
        until,
        figures_of(db, user, since, until),
        weeks_of(db, user, since, until),
        quoted,
        unanswered(db, user, morning(since)),
    )


def _weeks_out(found: Sequence[Week]) -> list[api.WeekOut]:
    return [api.WeekOut(**asdict(week)) for week in found]


@router.get(
    "/risk", openapi_extra=declared(Access.JUDGE), summary="How readily it answers", responses=responses(404, 503)
)
def get_risk(container: ContainerDep, user: UserDep) -> api.RiskOut:
    """What each choice refused and answered wrongly when it was measured."""
    reviewer(user)
    return _out(container)


@router.put(
    "/risk",
    openapi_extra=declared(Access.ADMIN),
    summary="Choose how readily it answers",
    responses=responses(400, 404, 413, 422, 503),
)
def put_risk(container: ContainerDep, user: UserDep, trail: TrailDep, body: api.RiskIn) -> api.RiskOut:
    """In force here at once, and within seconds in every other process."""
    administrator(user)
    trail.on |= {"from": str(container.risk), "to": body.risk or str(container.settings.risk)}
    if body.risk is None:
        forget(container.db, RISK)
    else:
        choose(container.db, RISK, body.risk, user.name)
    if container.chosen_risk is not None:
        container.chosen_risk.forget()
    return _out(container)


def _out(container: Container) -> api.RiskOut:
    choice, settings = chosen(container.db, RISK), container.settings
    measured = calibration(container.embedder.name, settings.data_dir)
    agreeing = measured.agreeing.get(container.agreeing.name) if container.agreeing is not None else None
    return api.RiskOut(
        risk=str(container.risk),
        setting=str(settings.risk),
        fixed=settings.not_found_threshold is not None,
        chosen_by=choice.chosen_by if choice else None,
        chosen_at=choice.chosen_at if choice else None,
        offered=_offered(agreeing.not_found if agreeing is not None else measured.not_found),
        measured=measured.measured,
    )


def _offered(fitted: NotFoundModel | None) -> list[api.RiskOffered]:
    told: list[api.RiskOffered] = []
    for name in get_args(api.RiskName):
        point = None
        if fitted is not None and fitted.curve:
            point = min(fitted.curve, key=lambda one: abs(one.threshold - fitted.at(name)))
        told.append(
            api.RiskOffered(name=name, refused=point.refused if point else None, wrong=point.risk if point else None)
        )
    return told
