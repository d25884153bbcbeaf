"""Judged sets: made in test sessions and from feedback, taken out and put in as CSV. For reviewers;
for all others nothing is here."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import DbDep, UserDep, Uuid
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.schemas import quality as api
from rag_api.api.sign_in.access import Access, declared
from rag_api.db.questions import judged as stored
from rag_api.domain import Judged
from rag_api.evaluate.judged import Place, half_of, judged_csv, parse_judged
from rag_api.evaluate.judging import (
    Judgement,
    MarkedPlace,
    WrittenQuestion,
    from_feedback,
    judge_answer,
    write_question,
)

router = APIRouter(tags=["judged sets"], route_class=LimitedRoute)

SetName = Annotated[str, Path(pattern=api.SET_NAME, max_length=80, examples=["ronde-1"])]
QuestionId = Annotated[str, Path(max_length=200, pattern=r"^[^\x00\n]+$")]


@router.get(
    "/judged", openapi_extra=declared(Access.JUDGE), summary="The judged sets", responses=responses(404, 422, 503)
)
def list_judged_sets(db: DbDep, user: UserDep) -> api.JudgedSetList:
    sets = [api.JudgedSetOut(**{**_fields(one), "validate_": one.validate}) for one in stored.list_sets(db, user)]
    return api.JudgedSetList(sets=sets)


@router.get(
    "/judged/{name}",
    openapi_extra=declared(Access.JUDGE),
    summary="A judged set's questions",
    responses=responses(404, 422, 503),
)
def get_judged_set(db: DbDep, user: UserDep, name: SetName) -> api.JudgedSetDetail:
    complete, left_open = stored.read_halves(db, user, name)
    return api.JudgedSetDetail(
        name=name, questions=[_out(one) for one in complete], open=[_out(one) for one in left_open]
    )


@router.delete(
    "/judged/{name}",
    openapi_extra=declared(Access.JUDGE),
    summary="Delete a judged set",
    status_code=204,
    response_class=Response,
    responses=responses(404, 422, 503),
)
def delete_judged_set(db: DbDep, user: UserDep, name: SetName) -> None:
    stored.delete_set(db, user, name)


@router.get(
    "/judged/{name}/csv",
    openapi_extra=declared(Access.JUDGE),
    summary="A judged set as CSV, for `bedside quality evaluate --set`",
    response_class=Response,
    responses={
        200: {"description": "The file.", "content": {"text/csv": {"schema": {"type": "string"}}}},
        **responses(404, 422, 503),
    },
)
def export_judged_set(db: DbDep, user: UserDep, name: SetName) -> Response:
    text = judged_csv(stored.read_set(db, user, name))
    return Response(text, media_type="text/csv", headers={"Content-Disposition": f'attachment; filename="{name}.csv"'})


@router.post(
    "/judged/{name}/csv",
    openapi_extra=declared(Access.JUDGE),
    summary="Put a CSV's questions into a judged set",
    responses=responses(400, 404, 413, 422, 503),
)
def import_judged_set(db: DbDep, user: UserDep, trail: TrailDep, name: SetName, body: api.ImportIn) -> api.ImportOut:
    """All of it or nothing: when a row cannot be meant, `errors` names every such row and the set
    stays as it was."""
    questions = parse_judged(body.csv)
    new = len({one.id for one in questions} - stored.ids_of(db, user, name))
    trail.on |= {"questions": len(questions), "checked_only": body.check}
    if not body.check:
        new = stored.save_questions(db, user, name, questions)
    return api.ImportOut(questions=len(questions), new=new)


@router.put(
    "/judged/{name}/answers/{answer_id}",
    openapi_extra=declared(Access.JUDGE),
    summary="Judge an answer of your own",
    responses=responses(400, 404, 413, 422, 503),
)
def put_judged_answer(db: DbDep, user: UserDep, name: SetName, answer_id: Uuid, body: api.JudgeIn) -> api.JudgedOut:
    """The question, as it was searched for, joins the set, with the places that answer it. Without
    any and without `no_answer` it is left open: neither exported nor evaluated."""
    marked = tuple(MarkedPlace(one.document_id, one.page, one.span) for one in body.marked)
    group = body.group.value if body.group else ""
    judgement = Judgement(body.found or "", marked, body.no_answer, body.function, body.department, group, body.note)
    return _out(judge_answer(db, user, name, answer_id, judgement))


@router.put(
    "/judged/{name}/questions/{question_id:path}",
    openapi_extra=declared(Access.JUDGE),
    summary="Write a judged question",
    responses=responses(400, 404, 413, 422, 503),
)
def put_judged_question(
    db: DbDep, user: UserDep, name: SetName, question_id: QuestionId, body: api.QuestionIn
) -> api.JudgedOut:
    """In place of the one with this id, or a new one. Without places and without `no_answer` it is
    left open. Places that stood there already are kept as they are, also when their document is
    gone."""
    text, places = body.question.strip(), [Place(one.document, one.page, one.span.strip()) for one in body.places]
    first = places[0] if places else Place("")
    judged = Judged(
        id=question_id,
        question=text,
        language=body.language,
        document=first.document,
        page=first.page,
        span=first.span,
        split=body.split or half_of(text),
        group=body.group.value if body.group else "",
        note=body.note.strip(),
        function=body.function.strip(),
        department=body.department.strip(),
        conversation=body.conversation.strip(),
        found=body.found or "",
        more=tuple(places[1:]),
    )
    return _out(write_question(db, user, name, WrittenQuestion(judged, body.no_answer)))


@router.post(
    "/judged/{name}/feedback",
    openapi_extra=declared(Access.JUDGE),
    summary="Take in what readers said of their answers",
    responses=responses(404, 422, 503),
)
def add_feedback_to_judged_set(db: DbDep, user: UserDep, name: SetName) -> api.FromFeedbackOut:
    """Questions of others: they leave the set again when their conversation is deleted."""
    placed, left_open = from_feedback(db, user, name)
    return api.FromFeedbackOut(placed=placed, open=left_open)


@router.delete(
    "/judged/{name}/questions/{question_id:path}",
    openapi_extra=declared(Access.JUDGE),
    summary="Delete a judged question",
    status_code=204,
    response_class=Response,
    responses=responses(404, 422, 503),
)
def delete_judged_question(db: DbDep, user: UserDep, name: SetName, question_id: QuestionId) -> None:
    stored.delete_question(db, user, name, question_id)


def _fields(one: stored.JudgedSet) -> dict[str, object]:
    names = ("name", "questions", "test", "no_answer", "incomplete", "updated_at")
    return {name: getattr(one, name) for name in names}


def _out(judged: Judged) -> api.JudgedOut:
    names = ("id", "question", "language", "function", "department", "group", "conversation", "split", "found", "note")
    places = [api.PlaceOut(document=place.document, page=place.page, span=place.span) for place in judged.places]
    return api.JudgedOut(**{name: getattr(judged, name) for name in names}, places=places)
