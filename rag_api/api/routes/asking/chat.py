"""POST /v1/chat/completions: a question asked as OpenAI's clients ask, with its quotes as
annotations; and the one model that there is."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import ValidationError

from rag_api.answering.builder import Question
from rag_api.api import schemas
from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import ContainerDep, MetricsDep, UserDep
from rag_api.api.mapping import answer_out
from rag_api.api.problems import problem, responses
from rag_api.api.routes.asking.ask import NO_BUFFERING, STREAM, UNAVAILABLE, Key, begun, unless_gone, while_there
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.schemas.asking import chat as api
from rag_api.api.sign_in.access import Access, declared
from rag_api.config import Settings
from rag_api.domain import Answer, AnswerEvent, AnswerStatus, Done, Failed, Found, Notice, Token
from rag_api.errors import InvalidInput

router = APIRouter(tags=["ask"], route_class=LimitedRoute)

CHUNK_EVENT = {  # one server-sent event; its data is a chunk's JSON, or [DONE] at the end
    "type": "object",
    "properties": {"data": {"type": "string"}},
    "required": ["data"],
}
EARLIER = 3  # questions that a follow-up may lean on


@router.get("/v1/models", openapi_extra=declared(Access.ASK), summary="The one model, as OpenAI's clients list them")
async def get_models() -> api.ModelList:
    return api.ModelList(data=[api.Model()])


@router.post(
    "/v1/chat/completions",
    openapi_extra=declared(Access.ASK),
    summary="Ask a question as OpenAI's clients do",
    response_model=api.ChatOut,
    responses={
        200: {
            "description": "The completion; with `stream`, its chunks.",
            "content": {STREAM: {"schema": CHUNK_EVENT}},
        },
        **responses(400, 404, 409, 413, 422, 429, 503),
    },
)
async def complete_chat(
    request: Request,
    user: UserDep,
    container: ContainerDep,
    metrics: MetricsDep,
    trail: TrailDep,
    body: api.ChatIn,
    idempotency_key: Key = "",
) -> Any:
    """The whole of Bedside behind OpenAI's protocol: the last message of the user is asked, and
    answered from the hospital's documents. What a client says to the model (`system`,
    `temperature`) changes nothing."""
    said = [text for message in body.messages if message.role == "user" and (text := message.text.strip())]
    if not said or body.messages[-1].role == "assistant":
        raise InvalidInput("The last message must be a question of the user's.")
    try:
        asked = schemas.AskIn(question=said[-1], **body.bedside.model_dump())
    except ValidationError as error:
        raise InvalidInput(f"The question cannot be asked so: {error.errors()[0]['msg']}.") from error
    question, events = await begun(
        request, user, container, metrics, trail, asked, idempotency_key, said[-1 - EARLIER : -1]
    )
    settings: Settings = request.app.state.settings
    page = settings.public_url or str(request.base_url).rstrip("/").removesuffix("/api")
    if body.stream:
        return StreamingResponse(
            while_there(request, _chunks(question, events, page)), media_type=STREAM, headers=NO_BUFFERING
        )
    return await unless_gone(request, _whole(events, page))


async def _whole(events: AsyncGenerator[AnswerEvent], page: str) -> api.ChatOut | Response:
    async for event in events:
        if isinstance(event, Failed) and (event.answer is None or not event.answer.sources):
            return problem(503 if event.code in UNAVAILABLE else 500, event.code, event.message)
        if isinstance(event, Done | Failed):
            assert event.answer is not None
            answer = event.answer
            before = _before(answer.notices)
            refused = answer.status == AnswerStatus.NOT_FOUND
            message = api.ChatAnswer(
                content=None if refused else before + answer.text,
                refusal=_sentences(answer.notices) if refused else None,
                annotations=_annotations(answer, page, len(before)),
            )
            moment = int(answer.created_at.timestamp())
            choices = [api.Choice(message=message)]
            return api.ChatOut(
                id=answer.id, created=moment, model=api.MODEL, choices=choices, bedside=answer_out(answer)
            )
    raise AssertionError("ask() ended without Done or Failed")


async def _chunks(question: Question, events: AsyncGenerator[AnswerEvent], page: str) -> AsyncGenerator[str]:
    """What is known before a word of the answer is said first; what is only known after it,
    last."""
    told: tuple[Notice, ...] = ()
    before, written, refused = "", "", False
    async for event in events:
        match event:
            case Found():
                told, refused = event.notices, event.status == AnswerStatus.NOT_FOUND
                before = "" if refused else _before(told)
                yield _chunk(question, {"role": "assistant", "content": None if refused else before})
            case Token():
                written += event.text
                yield _chunk(question, {"content": event.text})
            case Done() | Failed():
                if isinstance(event, Failed) and event.answer is None:
                    yield (
                        f"data: "
                        f"{json.dumps({'error': {'message': event.message, 'type': 'server_error', 'code': event.code}})}\n\n"
                    )
                    return
                answer = event.answer
                assert answer is not None
                if refused:
                    yield _chunk(question, {"refusal": _sentences(answer.notices)})
                else:
                    rest = answer.text[len(written) :] if answer.text.startswith(written) else ""
                    late = _sentences([one for one in answer.notices if one not in told])
                    if rest or late:
                        yield _chunk(question, {"content": rest + (late and f"\n\n{late}")})
                annotations = [one.model_dump() for one in _annotations(answer, page, len(before))]
                last = _chunk(
                    question,
                    {"annotations": annotations},
                    finish="stop",
                    bedside=answer_out(answer).model_dump(mode="json"),
                )
                yield last + "data: [DONE]\n\n"


def _chunk(question: Question, delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    whole = {
        "id": question.id,
        "object": "chat.completion.chunk",
        "created": 0,
        "model": api.MODEL,
        "choices": [choice],
        **more,
    }
    return f"data: {json.dumps(whole, ensure_ascii=False)}\n\n"


def _sentences(notices: Sequence[Notice]) -> str:
    return "\n".join(notice.text for notice in notices)


def _before(notices: Sequence[Notice]) -> str:
    """What must be known before an answer is read stands above it, in a client that shows nothing
    but words too."""
    return f"{_sentences(notices)}\n\n" if notices else ""


def _annotations(answer: Answer, page: str, shift: int) -> list[api.Annotation]:
    """Each quote with its place; without quotes, each document once."""
    out = answer_out(answer)
    titles = {source.document_id: source.title for source in out.sources}
    places = [(s.start + shift, s.end + shift, s.document_id, s.page, s.text) for s in out.spans]
    if not places:
        places = [
            (0, 0, s.document_id, s.page, "") for s in {s.document_id: s for s in reversed(out.sources)}.values()
        ][::-1]
    return [
        api.Annotation(
            url_citation=api.UrlCitation(
                start_index=start,
                end_index=end,
                title=titles.get(document, ""),
                url=page + place_url(document, number, text),
            )
        )
        for start, end, document, number, text in places
    ]


LONGEST_QUOTE = 1500  # characters, as the page makes them


def place_url(document_id: str, page: int, words: str = "") -> str:
    """The page's address of a place in a document (web/src/state/window/route.ts reads it)."""
    told = " ".join(words.split())[:LONGEST_QUOTE]
    return f"/d/{document_id}#page={page}" + (f"&quote={quote(told, safe='')}" if told else "")
