"""POST /ask: JSON, or a stream of events when asked for."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Coroutine, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Body, Header, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from rag_api.answering.ask import ask as answer_events
from rag_api.answering.ask import new_question
from rag_api.answering.builder import Question
from rag_api.api import schemas as api
from rag_api.api.auditing.asked import QuestionAudit
from rag_api.api.auditing.audited import Noted, TrailDep
from rag_api.api.deps import ContainerDep, MetricsDep, UserDep
from rag_api.api.limits import AdmittedPlace, Limits
from rag_api.api.mapping import answer_out, filters_in, notices_out, source_out, span_out
from rag_api.api.problems import problem, responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.server.closing import Closing
from rag_api.api.server.metrics import Metrics
from rag_api.api.sign_in.access import Access, declared
from rag_api.api.sign_in.identity import whose
from rag_api.container import Container
from rag_api.domain import AnswerEvent, AnswerStatus, Cited, Done, Failed, Found, Nearest, Source, Stage, Token, User
from rag_api.errors import Unavailable

log = logging.getLogger(__name__)

router = APIRouter(tags=["ask"], route_class=LimitedRoute)

Result = TypeVar("Result")
STREAM = "text/event-stream"


def _event_schema(name: str, model: type[BaseModel]) -> dict[str, Any]:
    """The schema of one server-sent event: its name, and what the JSON in its data is."""
    data = {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": {"$ref": f"#/components/schemas/{model.__name__}"},
    }
    return {
        "type": "object",
        "properties": {"event": {"type": "string", "const": name}, "data": data},
        "required": ["event", "data"],
    }


STREAM_EXAMPLE = (
    'event: stage\ndata: {"name":"retrieving","passages":0}\n\n'
    'event: found\ndata: {"answer_id":"...","conversation_id":"...","sources":[...],"notices":[]}\n\n'
    'event: token\ndata: {"text":"Geef 15 mg/kg "}\n\n'
    'event: cited\ndata: {"span":{"start":0,"end":14,"document":"...","text":"Geef 15 mg/kg ", ...}}\n\n'
    'event: done\ndata: {"answer":{...}}\n\n'
)
NO_BUFFERING = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
PING_SECONDS = 1.0  # nginx gives up a stream that is silent for four
Key = Annotated[
    str,
    Header(
        max_length=64,
        pattern=r"^[A-Za-z0-9-]*$",
        description="Your own name for this question, a new UUID each time. Asked again under it, after the "
        "connection broke off, it is "
        "answered once: what was stored is given again. Another question under it: 409.",
    ),
]
ENDING = Failed(
    "ending", "Bedside is being restarted: ask again in a moment. What was written so far is kept with your questions."
)


@router.post(
    "/ask",
    openapi_extra=declared(Access.ASK),
    summary="Ask a question",
    response_model=api.AnswerOut,
    responses={
        200: {
            "description": (
                "The answer as stored. With `Accept: text/event-stream`, the events stage, found, token, cited and "
                "then done or failed, "
                "each with the JSON of its schema."
            ),
            "content": {
                STREAM: {
                    "schema": {"oneOf": [_event_schema(name, model) for name, model in api.EVENTS.items()]},
                    "example": STREAM_EXAMPLE,
                }
            },
        },
        **responses(400, 404, 409, 413, 422, 429, 503),
    },
)
async def ask(
    request: Request,
    user: UserDep,
    container: ContainerDep,
    metrics: MetricsDep,
    trail: TrailDep,
    idempotency_key: Key = "",
    body: api.AskIn = Body(
        openapi_examples={
            "dutch": {"summary": "In Dutch", "value": {"question": "Hoeveel paracetamol mag een kind van 12 kg?"}},
            "sources": {
                "summary": "Only the passages",
                "value": {"question": "When do I call the rapid response team?", "mode": "sources"},
            },
        }
    ),
) -> Any:
    """Finds passages that the user may read, decides from them whether they hold an answer, and
    lets the model write it.

    `status` says what came of it: `answered`, `not_found` (the sources are the nearest documents),
    `sources_only` (asked for, or the generator is down: see `notices`), `failed` (it broke off;
    what was written is there).
    """
    question, events = await begun(request, user, container, metrics, trail, body, idempotency_key)
    if STREAM in request.headers.get("accept", ""):
        return StreamingResponse(
            while_there(request, _lines(question, events)), media_type=STREAM, headers=NO_BUFFERING
        )
    return await unless_gone(request, _collected(events))


async def begun(
    request: Request,
    user: User,
    container: Container,
    metrics: Metrics,
    trail: Noted,
    body: api.AskIn,
    key: str,
    earlier: Sequence[str] = (),
) -> tuple[Question, AsyncGenerator[AnswerEvent]]:
    """The question, counted, admitted and in the trail, and the events of its answer. `earlier`:
    what its asker asked before it, oldest first, where no conversation says it. Raises what
    `new_question` raises, AuditUnavailable and TooManyRequests."""
    limits: Limits = request.app.state.limits
    await run_in_threadpool(limits.questions.take, whose(request))
    place = await limits.admission.enter()
    try:
        question = await run_in_threadpool(
            new_question,
            user,
            container,
            body.question,
            mode=body.mode,
            filters=filters_in(body.filters),
            conversation_id=body.conversation_id,
            literal=body.literal,
            personal=body.personal_data,
            key=key,
            whole=body.whole_document or "",
            notices_in=body.notices_in,
            earlier=earlier,
        )
        asked = QuestionAudit(trail, question, container)
        await asked.begins()
    except BaseException:
        place.leave()
        raise
    return question, asked.followed(
        _counted(_until_found(answer_events(question, asker(user, body), container), place), metrics)
    )


def asker(user: User, body: api.AskIn) -> User:
    """The user as this question says; what it leaves out is the user's own. Neither decides what
    may be read."""
    return replace(user, function=body.function or user.function, department=body.department or user.department)


async def _counted(events: AsyncGenerator[AnswerEvent], metrics: Metrics) -> AsyncGenerator[AnswerEvent]:
    """The events as they are; what came of the question is counted on the way. One that its reader
    stopped is no answer."""
    with metrics.asking.track_inprogress():
        async with contextlib.aclosing(events):
            async for event in events:
                if isinstance(event, Done | Failed) and event.answer is not None:
                    metrics.answered(event.answer)
                if isinstance(event, Failed):
                    metrics.failed(event.code)
                yield event


async def _until_found(events: AsyncGenerator[AnswerEvent], place: AdmittedPlace) -> AsyncGenerator[AnswerEvent]:
    """The events as they are; the place among those that are looked up is the next one's once all
    that is left is the model's writing."""
    try:
        async with contextlib.aclosing(events):
            async for event in events:
                if isinstance(event, Found) and event.status == AnswerStatus.ANSWERED:
                    place.leave()
                yield event
    finally:
        place.leave()


async def _collected(events: AsyncGenerator[AnswerEvent]) -> api.AnswerOut | Response:
    """The answer, whole. Without anything stored, a failure is a problem of its own."""
    async for event in events:
        if isinstance(event, Done):
            return answer_out(event.answer)
        if isinstance(event, Failed):
            if event.answer is not None and event.answer.sources:
                return answer_out(event.answer)
            return problem(503 if event.code in UNAVAILABLE else 500, event.code, event.message)
    raise AssertionError("ask() ended without Done or Failed")


UNAVAILABLE = {"unavailable"} | {kind.code for kind in Unavailable.__subclasses__()}


async def unless_gone(request: Request, work: Coroutine[Any, Any, Result | Response]) -> Result | Response:
    """Work's result; cancelled when the client goes away first, so that nobody's answer occupies
    the generator."""
    task = asyncio.ensure_future(work)
    gone, over = asyncio.ensure_future(_disconnected(request)), asyncio.ensure_future(_closing(request).over())
    try:
        await asyncio.wait({task, gone, over}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            return Response(status_code=499) if gone.done() else problem(503, ENDING.code, ENDING.message)
        return await task
    finally:
        task.cancel()
        gone.cancel()
        over.cancel()


def _closing(request: Request) -> Closing:
    closing: Closing = request.app.state.closing
    return closing


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _lines(question: Question, events: AsyncGenerator[AnswerEvent]) -> AsyncGenerator[str]:
    """Server-sent events. A bug must not leave the reader waiting: it becomes `failed` too."""
    sources: tuple[Source, ...] = ()
    async with contextlib.aclosing(events):
        try:
            async for event in events:
                if isinstance(event, Found):
                    sources = event.sources
                yield _line(question, sources, event)
        except Exception:
            log.exception("an answer failed in mid-stream")
            yield _line(question, sources, Failed("internal", "Something went wrong in Bedside. It was logged."))


def _line(question: Question, sources: tuple[Source, ...], event: AnswerEvent) -> str:
    return _written(*_event_out(question, sources, event))


def _written(name: str, model: BaseModel) -> str:
    return f"event: {name}\ndata: {model.model_dump_json()}\n\n"


def _event_out(question: Question, sources: tuple[Source, ...], event: AnswerEvent) -> tuple[str, BaseModel]:
    match event:
        case Stage():
            return "stage", api.StageEvent(name=event.name, passages=event.passages)
        case Nearest():
            shown = [source_out(source) for source in event.sources]
            place = {"answer_id": question.id, "conversation_id": question.conversation_id}
            return "nearest", api.NearestEvent(**place, query=event.query, sources=shown)
        case Found():
            found = [source_out(source) for source in event.sources]
            notices = notices_out(event.notices)
            where = {"answer_id": question.id, "conversation_id": question.conversation_id, "query": event.query}
            said = api.FoundEvent(**where, status=event.status, language=event.language, sources=found, notices=notices)
            return "found", said
        case Token():
            return "token", api.TokenEvent(text=event.text)
        case Cited():
            return "cited", api.CitedEvent(span=span_out(event.citation, sources))
        case Done():
            return "done", api.DoneEvent(answer=answer_out(event.answer))
        case Failed():
            stored = answer_out(event.answer) if event.answer else None
            return "failed", api.FailedEvent(code=event.code, message=event.message, answer=stored)


async def while_there(request: Request, lines: AsyncGenerator[str]) -> AsyncGenerator[str]:
    """The lines, until the client goes away: noticed at once, not at the next word. A comment now
    and then while nothing else comes, so that no proxy takes the silence of a slow model for death.
    When the service ends first, that is the last line."""
    gone, over = asyncio.ensure_future(_disconnected(request)), asyncio.ensure_future(_closing(request).over())
    coming = asyncio.ensure_future(anext(lines))
    try:
        while True:
            await asyncio.wait({coming, gone, over}, timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                yield coming.result()
                coming = asyncio.ensure_future(anext(lines))
            elif gone.done():
                return
            elif over.done():
                yield _written("failed", api.FailedEvent(code=ENDING.code, message=ENDING.message))
                return
            else:
                yield ": still here\n\n"
    except StopAsyncIteration:
        return
    finally:
        for task in (coming, gone, over):
            task.cancel()
        await asyncio.wait({coming, gone, over})  # what they raise is their cancellation
        await lines.aclose()
