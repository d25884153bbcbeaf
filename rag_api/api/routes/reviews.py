"""GET /reviews and PUT /reviews/{answer_id}: quality staff judge what staff were answered. For
reviewers; for all others nothing is here."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime

from rag_api.answering.question.personal import written
from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import ContainerDep, DbDep, Limit, Offset, UserDep, Uuid
from rag_api.api.mapping import answer_out
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.schemas import Day
from rag_api.api.schemas import reviews as api
from rag_api.api.sign_in.access import Access, declared
from rag_api.config import Settings
from rag_api.db.questions import reviews as stored
from rag_api.domain import Answer, User

router = APIRouter(tags=["reviews"], route_class=LimitedRoute)

Since = Annotated[Day | None, Query(description="Asked on this day or later.")]
Until = Annotated[Day | None, Query(description="Asked on this day or earlier.")]
Refused = Annotated[bool, Query(description="Only what was refused.")]
Reported = Annotated[bool, Query(description="Only what a reader reported.")]
Unjudged = Annotated[bool, Query(description="Only what nobody has judged yet.")]
Judged = Annotated[bool, Query(description="Only what somebody judged.")]
Words = Annotated[str, Query(max_length=200, pattern=r"^[^\x00]*$", description="In the question.")]
After = Annotated[AwareDatetime | None, Query(description="Asked at this moment or later.")]
Before = Annotated[AwareDatetime | None, Query(description="Asked before this moment.")]
Department = Annotated[
    str | None, Query(max_length=200, pattern=r"^[^\x00]*$", description="Of who asked; empty: of nobody's.")
]


@router.get(
    "/reviews",
    openapi_extra=declared(Access.JUDGE),
    summary="What was asked and answered, to be judged",
    responses=responses(404, 422, 503),
)
def get_reviews(
    db: DbDep,
    container: ContainerDep,
    user: UserDep,
    trail: TrailDep,
    since: Since = None,
    until: Until = None,
    refused: Refused = False,
    reported: Reported = False,
    unjudged: Unjudged = False,
    judged: Judged = False,
    department: Department = None,
    search: Words = "",
    after: After = None,
    before: Before = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> api.ReviewList:
    """Nobody's name is in it; a question may hold what its asker typed about a patient, and is gone
    when its conversation is deleted, with what was said of it."""
    departments = None if department is None else [department]
    query = stored.ReviewQuery(
        since, until, refused, reported, unjudged, judged, departments, limit, offset, search.strip(), after, before
    )
    found, total = stored.list_reviews(db, user, query, container.settings.roles_by_group)
    trail.answers(one.answer for one in found)
    return api.ReviewList(
        reviews=[_out(one, user, container.settings) for one in found],
        total=total,
        departments=stored.departments_of(db, user, since, until),
    )


@router.put(
    "/reviews/{answer_id}",
    openapi_extra=declared(Access.JUDGE),
    summary="Judge an answer that somebody was given",
    responses=responses(400, 404, 409, 413, 422, 503),
)
def put_review(
    db: DbDep, container: ContainerDep, user: UserDep, trail: TrailDep, answer_id: Uuid, body: api.ReviewIn
) -> api.ReviewedOut:
    """What was said of it before stays among the earlier ones. Who asked reads verdict and remark,
    and not whose they are."""
    remark = written(body.remark.strip(), body.personal_data, container.settings.personal_data, "remark")
    trail.on |= {"verdict": body.verdict, "sent_to_owner": body.document_id is not None}
    judged = stored.put_review(
        db,
        user,
        answer_id,
        body.verdict,
        remark,
        body.document_id,
        body.page,
        replies=body.reply,
        role_groups=container.settings.roles_by_group,
    )
    trail.on["conversation"] = judged.answer.conversation_id  # with which the remark leaves the trail
    if remark:
        trail.about["reason"] = remark
    return _out(judged, user, container.settings)


_OF_UNSHOWN = ("lapsed", "unread")  # each names a document that is no source: who judges may not read it


def _out(one: stored.Reviewed, user: User, settings: Settings) -> api.ReviewedOut:
    answer, shown = one.answer, answer_out(one.answer)
    return api.ReviewedOut(
        answer_id=answer.id,
        question=answer.question,
        searched=answer.query,
        language=answer.language,
        function=one.function,
        department=one.department,
        created_at=answer.created_at,
        status=answer.status.value,
        text=answer.text,
        spans=shown.spans,
        unsupported=shown.unsupported,
        notices=[notice for notice in shown.notices if notice.code not in _OF_UNSHOWN],
        refused=api.RefusedOut.model_validate(one.refusal) if one.refusal else None,
        sources=_sources(answer),
        found=one.found,
        missing=one.missing,
        reported=one.reported,
        can_harm=one.can_harm,
        comments=list(one.comments),
        review=_review(one.review, user, settings) if one.review else None,
        earlier=[_earlier(given) for given in one.earlier],
        reports=one.reports,
    )


def _review(given: stored.Given, user: User, settings: Settings) -> api.ReviewOut:
    sent = given.sent and given.sent.told(settings.smtp_host is not None)
    yours = given.judge_id == user.id
    return api.ReviewOut(**_earlier(given).model_dump(), yours=yours, sent_to=sent.owner if sent else None)


def _earlier(given: stored.Given) -> api.EarlierReviewOut:
    return api.EarlierReviewOut(
        verdict=given.verdict, remark=given.remark, judged_by=given.judged_by, judged_at=given.judged_at
    )


def _sources(answer: Answer) -> list[api.ReviewedSource]:
    """Each document once, with what is quoted of it first."""
    shown: dict[str, api.ReviewedSource] = {}
    for source in answer.sources:
        about = source.document
        quoted = next((one for one in answer.citations if one.document_id == about.id), None)
        shown.setdefault(
            about.id,
            api.ReviewedSource(
                document_id=about.id,
                title=about.metadata.title,
                version=about.metadata.version,
                page=quoted.page if quoted else source.page,
                quote=quoted.text if quoted else "",
                rank=quoted.rank if quoted else source.hit.rank,
                owner=about.metadata.owner,
            ),
        )
    return list(shown.values())
