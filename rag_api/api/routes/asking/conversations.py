"""Conversations and the answers in them; each user sees their own."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query, Response

from rag_api.answering.question.personal import written
from rag_api.api import schemas as api
from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import ContainerDep, DbDep, Limit, Offset, UserDep, Uuid
from rag_api.api.mapping import answer_out, conversation_out, since_out
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.sign_in.access import Access, declared
from rag_api.audit.entry import Result
from rag_api.db.questions import answers as stored
from rag_api.db.questions.reviews import judged_of
from rag_api.db.questions.since import named_in, named_in_conversation, since_given

Search = Annotated[
    str,
    Query(
        max_length=200,
        pattern=r"^[^\x00]*$",
        description="Words: each in the title, in a question, an answer or the title of a source.",
    ),
]
router = APIRouter(tags=["conversations"], route_class=LimitedRoute)


@router.get(
    "/conversations",
    openapi_extra=declared(Access.READ),
    summary="Your conversations, the pinned and then the newest first",
    responses=responses(422, 503),
)
def list_conversations(
    db: DbDep, user: UserDep, trail: TrailDep, search: Search = "", limit: Limit = 50, offset: Offset = 0
) -> api.ConversationList:
    found, total = stored.list_conversations(db, user, limit, offset, search)
    trail.on["conversations"] = [one.id for one in found]
    return api.ConversationList(conversations=[conversation_out(c) for c in found], total=total)


@router.get(
    "/conversations/{conversation_id}",
    openapi_extra=declared(Access.READ),
    summary="A conversation with its answers",
    responses=responses(404, 422, 503),
)
def get_conversation(db: DbDep, user: UserDep, trail: TrailDep, conversation_id: Uuid) -> api.ConversationDetail:
    conversation = conversation_out(stored.get_conversation(db, user, conversation_id))
    answers = stored.answers_of(db, user, conversation_id)
    trail.answers(answers)
    since = since_given(db, user, [named_in(one) for one in answers], date.today())
    judged = judged_of(db, user, answers)
    shown = [answer_out(*one) for one in zip(answers, since, judged, strict=True)]
    return api.ConversationDetail(**conversation.model_dump(), answers=shown)


@router.get(
    "/conversations/{conversation_id}/since",
    openapi_extra=declared(Access.READ),
    summary="What became of the documents of its answers",
    responses=responses(404, 422, 503),
)
def get_since(db: DbDep, user: UserDep, conversation_id: Uuid) -> api.SinceByAnswer:
    """For a page on which they still stand: nothing of the answers themselves."""
    stored.get_conversation(db, user, conversation_id)  # else it is not found
    named = named_in_conversation(db, user, conversation_id)
    given = zip(named, since_given(db, user, named, date.today()), strict=True)
    return api.SinceByAnswer(answers={one.answer_id: [since_out(of) for of in since] for one, since in given})


@router.patch(
    "/conversations/{conversation_id}",
    openapi_extra=declared(Access.ASK),
    summary="Name a conversation, pin it or let it go",
    responses=responses(400, 404, 413, 422, 503),
)
def change_conversation(
    db: DbDep, container: ContainerDep, user: UserDep, conversation_id: Uuid, body: api.ConversationIn
) -> api.ConversationOut:
    """The title goes when the conversation does."""
    policy = container.settings.personal_data
    title = body.title and written(" ".join(body.title.split()), body.personal_data, policy, "title")
    return conversation_out(stored.change_conversation(db, user, conversation_id, title=title, pinned=body.pinned))


@router.delete(
    "/conversations/{conversation_id}",
    openapi_extra=declared(Access.ASK),
    summary="Delete a conversation, its answers and their feedback",
    status_code=204,
    response_class=Response,
    responses=responses(404, 422, 503),
)
def delete_conversation(
    db: DbDep, container: ContainerDep, user: UserDep, trail: TrailDep, conversation_id: Uuid
) -> None:
    """Its questions leave the audit trail too; that somebody asked, and what was shown, stays
    there."""
    stored.delete_conversation(db, user, conversation_id)
    container.trail.forget_conversation(conversation_id, trail.event(Result.SUCCESS))


@router.get(
    "/answers/{answer_id}",
    openapi_extra=declared(Access.READ),
    summary="An answer as it was shown",
    responses=responses(404, 422, 503),
)
def get_answer(db: DbDep, user: UserDep, trail: TrailDep, answer_id: Uuid) -> api.AnswerOut:
    answer = stored.get_answer(db, user, answer_id)
    trail.answers([answer])
    (since,) = since_given(db, user, [named_in(answer)], date.today())
    (judged,) = judged_of(db, user, [answer])
    return answer_out(answer, since, judged)
