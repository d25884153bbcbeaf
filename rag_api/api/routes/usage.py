"""GET /usage, /risk and PUT /risk: how much is asked and answered, and how readily Bedside answers.
For reviewers; admins choose."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, get_args

from fastapi import APIRouter, Query

from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import ContainerDep, DbDep, UserDep
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.schemas import usage as api
from rag_api.api.sign_in.access import Access, declared
from rag_api.container import Container
from rag_api.db.access import administrator, reviewer
from rag_api.db.choices import RISK, choose, chosen, forget
from rag_api.db.questions.usage import weeks
from rag_api.retrieval.decision.calibration import NotFoundModel, calibration

router = APIRouter(tags=["usage"], route_class=LimitedRoute)
YEAR = 53


@router.get(
    "/usage", openapi_extra=declared(Access.JUDGE), summary="How much was asked, week by week, and what became of it",
    responses=responses(404, 422, 503),
)  # fmt: skip
def get_usage(
    db: DbDep, user: UserDep, count: Annotated[int, Query(alias="weeks", ge=1, le=YEAR)] = 26
) -> api.WeeklyUsageOut:
    """Nobody's name and no question is in it."""
    return api.WeeklyUsageOut(weeks=[api.WeekOut(**asdict(week)) for week in weeks(db, user, count)])


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
