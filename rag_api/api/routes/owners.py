"""Owners of documents, and what staff ask them: asked, listed, answered. What a question is about
never leaves by mail."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date

from fastapi import APIRouter, Response

from rag_api.answering.question.personal import checked, written
from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import ContainerDep, DbDep, DocumentId, UserDep, Uuid, WritingContainerDep
from rag_api.api.mapping import document_out
from rag_api.api.problems import responses
from rag_api.api.routes.gaps import gap_out
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.schemas import owners as api
from rag_api.api.sign_in.access import Access, declared
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db import Database
from rag_api.db.documents import PgDocuments, get_document
from rag_api.db.metadata_edits import reviews_waiting, to_review
from rag_api.db.owners import asking
from rag_api.db.owners import questions as asked
from rag_api.db.owners.named import list_owners, put_owner, whom
from rag_api.db.questions.gaps import unanswered_near
from rag_api.domain import DocumentStatus, PersonalChoice, User
from rag_api.errors import NotAllowed
from rag_api.evaluate.gaps import gaps_of

router = APIRouter(tags=["owners"], route_class=LimitedRoute)


@router.get(
    "/owners",
    openapi_extra=declared(Access.ADMIN),
    summary="Who answers for documents",
    responses=responses(404, 422, 503),
)
def get_owners(db: DbDep, container: ContainerDep, user: UserDep, trail: TrailDep) -> api.OwnerList:
    """For admins: every owner and department that current documents name, and who that is."""
    found = list_owners(db, user, container.settings.roles_by_group)
    trail.on["owners"] = len(found)
    owners = [
        api.OwnerOut(
            **{
                **asdict(one),
                "accounts": [api.OwnerAccountOut(id=id_, name=name, login=login) for id_, name, login in one.accounts],
            }
        )
        for one in found
    ]
    return api.OwnerList(owners=owners, mail=container.settings.smtp_host is not None)


@router.put(
    "/owners",
    openapi_extra=declared(Access.ADMIN),
    summary="Say who an owner or a department is",
    status_code=204,
    response_class=Response,
    responses=responses(400, 404, 413, 422, 503),
)
def set_owner(db: DbDep, user: UserDep, trail: TrailDep, body: api.OwnerIn) -> None:
    """For admins. In force at once, for what is open too: an owner who was not known hears of what
    waits. Where documents that you may not read name it as well, this is for the role
    `membership_admin`."""
    trail.on |= {"owner": body.name.strip(), "accounts": body.accounts, "mail": bool(body.mail)}
    put_owner(db, user, body.name, body.mail, body.accounts)


@router.get(
    "/documents/{document_id}/owner",
    openapi_extra=declared(Access.READ),
    summary="Whom a question about a document would go to",
    responses=responses(404, 422, 503),
)
def get_document_owner(
    db: DbDep, container: ContainerDep, user: UserDep, trail: TrailDep, document_id: DocumentId
) -> api.OwnerReachedOut:
    """As it is now: said before somebody writes."""
    trail.documents([get_document(db, user, document_id)])
    told = whom(db, user, document_id, container.settings.roles_by_group).told(container.settings.smtp_host is not None)
    return api.OwnerReachedOut(owner=told.owner, by_mail=told.by_mail)


@router.post(
    "/documents/{document_id}/owner-questions",
    openapi_extra=declared(Access.ASK),
    summary="Ask a document's owner, or report what is no longer right",
    status_code=201,
    responses=responses(400, 404, 413, 422, 503),
)
def ask_document_owner(
    db: DbDep,
    container: ContainerDep,
    user: UserDep,
    trail: TrailDep,
    document_id: DocumentId,
    body: api.OwnerQuestionIn,
) -> api.OwnerAskedOut:
    """The owner reads it in Bedside, and is told by mail where an address is kept. Where nobody is
    known, quality staff read it. The question of `answer_id` goes along, and your name is not told;
    the answer is in `GET /owner-questions/asked`."""
    trail.documents([get_document(db, user, document_id)])
    text = written(body.text.strip(), body.personal_data, container.settings.personal_data, "text")
    roles = container.settings.roles_by_group
    question, reached = asking.ask_owner(
        db, user, document_id, body.kind, text, body.page, body.answer_id, body.to or "", roles, body.can_harm
    )
    told = reached.told(container.settings.smtp_host is not None)
    trail.on |= {
        "owner_question": question.id,
        "kind": body.kind,
        "can_harm": body.can_harm,
        "owner_known": told.owner != "",
    }
    if body.to:
        trail.on["passed_to"] = question.passed_to
    return api.OwnerAskedOut(question=_out(question, container.settings), owner=told.owner, by_mail=told.by_mail)


@router.post(
    "/answers/{answer_id}/owner-questions",
    openapi_extra=declared(Access.JUDGE),
    summary="Pass on what was asked to a colleague",
    status_code=201,
    responses=responses(400, 404, 413, 422, 503),
)
def pass_on_question(
    db: DbDep, container: ContainerDep, user: UserDep, trail: TrailDep, answer_id: Uuid, body: api.PassedOnIn
) -> api.OwnerAskedOut:
    """For reviewers and admins: about no document, as none may have it. The colleague finds it in
    `GET /owner-questions/work`, and is told by mail where an address is kept; the question of the
    answer goes along, and your name is not told."""
    settings = container.settings
    text = written(body.text.strip(), body.personal_data, settings.personal_data, "text")
    question, reached = asking.pass_question(db, user, answer_id, text, body.to, settings.roles_by_group)
    told = reached.told(settings.smtp_host is not None)
    trail.on |= {"owner_question": question.id, "passed_to": question.passed_to}
    return api.OwnerAskedOut(question=_out(question, settings), owner=told.owner, by_mail=told.by_mail)


@router.get(
    "/owner-questions/asked", openapi_extra=declared(Access.READ), summary="What you asked owners, and what became of it",
    responses=responses(503),
)  # fmt: skip
def get_asked(db: DbDep, container: ContainerDep, user: UserDep, trail: TrailDep) -> api.OwnerQuestionList:
    """The newest first. A version that came since, and a document that was taken out, count as news
    too."""
    found = asked.asked_by(db, user, container.settings.roles_by_group)
    trail.on["owner_questions"] = [one.id for one in found]
    questions = [_out(one, container.settings) for one in found]
    return api.OwnerQuestionList(questions=questions, news=sum(one.news for one in found))


@router.get(
    "/owner-questions/news", openapi_extra=declared(Access.READ), summary="Whether something waits for you", responses=responses(503)
)  # fmt: skip
def get_owner_news(db: DbDep, container: ContainerDep, user: UserDep) -> api.OwnerNews:
    """Counts alone, for a page that shows them."""
    waiting, promised = asked.waiting_for(db, user, container.settings.roles_by_group)
    news = sum(one.news for one in asked.asked_by(db, user))
    reviews = reviews_waiting(db, user, date.today(), container.settings.roles_by_group)
    return api.OwnerNews(news=news, waiting=waiting, promised=promised, to_review=reviews)


@router.post(
    "/owner-questions/asked/seen",
    openapi_extra=declared(Access.READ),
    summary="You have seen what became of what you asked owners",
    status_code=204,
    response_class=Response,
    responses=responses(503),
)
def see_asked(db: DbDep, user: UserDep) -> None:
    asked.seen(db, user)


@router.get(
    "/owner-questions/work", openapi_extra=declared(Access.READ), summary="What waits for you as an owner, or for quality staff",
    responses=responses(503),
)  # fmt: skip
def get_work(db: DbDep, container: ContainerDep, user: UserDep, trail: TrailDep) -> api.OwnerWork:
    """Questions and reports on documents that you own, with what was asked in vain nearest to
    those; and what you are to review. For quality staff also what is nobody's: no owner is known,
    none can read it, or the mail could not be delivered; and reviews that are due."""
    found = asked.work_of(db, user, container.settings.roles_by_group)
    near = gaps_of(unanswered_near(db, user))
    reviews = to_review(db, user, date.today(), container.settings.roles_by_group)
    trail.documents(reviews)
    trail.on |= {"owner_questions": [one.id for one in found], "unanswered": sum(len(gap.asked) for gap in near)}
    return api.OwnerWork(
        questions=[_out(one, container.settings) for one in found],
        open=sum(one.outcome is None for one in found),
        to_review=[document_out(one, told=user) for one in reviews],
        unanswered=[gap_out(gap) for gap in near],
    )


@router.post(
    "/owner-questions/{owner_question_id}/reply",
    openapi_extra=declared(Access.ASK),
    summary="Answer what is asked of you, or say what you did",
    responses=responses(400, 404, 409, 413, 422, 503),
)
def reply_to(
    db: DbDep,
    container: WritingContainerDep,
    user: UserDep,
    trail: TrailDep,
    owner_question_id: Uuid,
    body: api.ReplyIn,
) -> api.OwnerQuestionOut:
    """For the document's owner, and for quality staff what is nobody's. Once. `retired` takes the
    document out first, which is for its owner and for admins; the text is then its reason, told to
    who opens the document later."""
    roles = container.settings.roles_by_group
    question = asked.work_item(db, user, owner_question_id, roles)
    text = written(body.text.strip(), body.personal_data, container.settings.personal_data, "text")
    if body.outcome == "retired" and question.outcome is None and question.current_id is not None:
        _retire(db, container, user, trail, question.current_id, text)
    trail.on |= {"outcome": body.outcome}
    return _out(asked.reply(db, user, owner_question_id, body.outcome, text, roles), container.settings)


def _retire(db: Database, container: Container, user: User, trail: TrailDep, document_id: str, reason: str) -> None:
    document = get_document(db, user, document_id)
    if not (user.is_admin or asked.may_retire(db, user, document_id)):
        raise NotAllowed("This document is not yours to take out: its owner or an administrator does.")
    trail.documents([document])
    trail.about["reason"] = reason
    if document.status in (DocumentStatus.INDEXED, DocumentStatus.FAILED):
        PgDocuments(db, user).retire([document.source], reason)
        container.store.delete_documents([document.id])


def _out(question: asked.OwnerQuestion, settings: Settings) -> api.OwnerQuestionOut:
    words = checked(question.asked, PersonalChoice.REMOVE, settings.personal_data).text
    return api.OwnerQuestionOut(**{**asdict(question), "asked": words})
