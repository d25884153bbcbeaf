"""Feedback of people on an answer: later the material of judged sets, and of the gap report; a
report of it goes to an owner."""

from __future__ import annotations

from fastapi import APIRouter

from rag_api.answering.question.personal import written
from rag_api.api import schemas as api
from rag_api.api.deps import ContainerDep, DbDep, UserDep, Uuid
from rag_api.api.mapping import feedback_out
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.sign_in.access import Access, declared
from rag_api.db.documents import get_document
from rag_api.db.questions.answers import add_feedback

router = APIRouter(tags=["feedback"], route_class=LimitedRoute)


@router.post(
    "/answers/{answer_id}/feedback",
    openapi_extra=declared(Access.ASK),
    summary="Say whether the answer was found, and where it stood",
    status_code=201,
    responses=responses(400, 404, 413, 422, 503),
)
def give_feedback(
    db: DbDep, container: ContainerDep, user: UserDep, answer_id: Uuid, body: api.FeedbackIn
) -> api.FeedbackOut:
    if body.document_id is not None:
        get_document(db, user, body.document_id)
    comment = written(body.comment.strip(), body.personal_data, container.settings.personal_data, "comment")
    given, whom = add_feedback(
        db,
        user,
        answer_id,
        verdict=body.found,
        missing=body.missing,
        reported=body.reported,
        document_id=body.document_id,
        page=body.page,
        comment=comment,
        role_groups=container.settings.roles_by_group,
        can_harm=body.can_harm,
    )
    said = feedback_out(given)
    if whom is None:
        return said
    told = whom.told(container.settings.smtp_host is not None)
    return said.model_copy(update={"owner": told.owner, "by_mail": told.by_mail})
