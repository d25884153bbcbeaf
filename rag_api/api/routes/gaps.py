"""GET /gaps: what was asked in vain, by department. For reviewers; for all others nothing is
here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import DbDep, UserDep
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.schemas import Day
from rag_api.api.schemas import quality as api
from rag_api.api.sign_in.access import Access, declared
from rag_api.db.questions.gaps import NearDocument, unanswered
from rag_api.evaluate.gaps import Gap, department_of, gaps_csv, gaps_of, missing_in

router = APIRouter(tags=["gaps"], route_class=LimitedRoute)

Department = Annotated[
    str | None, Query(max_length=200, pattern=r"^[^\x00]*$", description="One department's only; empty: of nobody.")
]


Since = Annotated[Day | None, Query(description="Asked on this day or later.")]


@router.get(
    "/gaps",
    openapi_extra=declared(Access.JUDGE),
    summary="Questions that no document answered",
    responses=responses(404, 422, 503),
)
def get_gaps(
    db: DbDep, user: UserDep, trail: TrailDep, department: Department = None, since: Since = None
) -> api.GapReport:
    """Near-equal questions together, most asked first, with the nearest documents and whose they
    are. Nobody's name is in it; a question may hold what its asker typed about a patient, and is
    gone when its conversation is deleted."""
    asked = unanswered(db, user, _morning(since))
    gaps = gaps_of(asked, department)
    trail.on |= {"department": department, "questions": sum(len(gap.asked) for gap in gaps)}
    counts = Counter(department_of(one) for one in asked)
    return api.GapReport(
        gaps=[gap_out(gap) for gap in gaps],
        questions=sum(len(gap.asked) for gap in gaps),
        missing=missing_in([one for gap in gaps for one in gap.asked]),
        departments=dict(counts.most_common()),
    )


@router.get(
    "/gaps.csv",
    openapi_extra=declared(Access.JUDGE),
    summary="The gap report as CSV",
    response_class=Response,
    responses={
        200: {"description": "The file.", "content": {"text/csv": {"schema": {"type": "string"}}}},
        **responses(404, 422, 503),
    },
)
def export_gaps(
    db: DbDep,
    user: UserDep,
    trail: TrailDep,
    department: Department = None,
    since: Since = None,
    language: Annotated[Literal["nl", "en"], Query(description="Of the headings, and of what readers said.")] = "en",
) -> Response:
    gaps = gaps_of(unanswered(db, user, _morning(since)), department)
    trail.on |= {"department": department, "questions": sum(len(gap.asked) for gap in gaps)}
    text = gaps_csv(gaps, language)
    return Response(text, media_type="text/csv", headers={"Content-Disposition": 'attachment; filename="gaps.csv"'})


def _morning(day: date | None) -> datetime | None:
    return datetime.combine(day, time()).astimezone() if day and day.year > 1 else None


def gap_out(gap: Gap) -> api.GapOut:
    times = [one.created_at for one in gap.asked]
    return api.GapOut(
        question=gap.question,
        times=len(gap.asked),
        department=gap.department,
        functions=gap.functions,
        languages=gap.languages,
        questions=gap.wordings,
        nearest=_documents(gap.nearest),
        named=_documents(gap.named),
        reported=gap.reported,
        comments=gap.comments,
        not_found=sum(one.said_by == "bedside" for one in gap.asked),
        missing=gap.missing,
        passed_on=gap.passed_on,
        passed_to=[api.PassedTo(name=name, at=at) for name, at in gap.passed_to.items()],
        answer_id=gap.answer_id,
        first_at=min(times),
        last_at=max(times),
    )


def _documents(found: Sequence[tuple[NearDocument, int]]) -> list[api.NearestOut]:
    return [
        api.NearestOut(id=d.id, document=d.document, title=d.title, department=d.department, owner=d.owner, times=n)
        for d, n in found
    ]
