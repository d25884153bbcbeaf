"""The HTTP service: OpenAI's chat completions with `documents` and `bedside`. Knows HTTP and
nothing of decoding."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import secrets
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException

from services.contract import wire
from services.contract.request_ids import RequestIds
from services.generator.engine import engine
from services.generator.errors import GeneratorError, QueueFull
from services.generator.server import openai_chat as chat
from services.generator.server.body_limit import BodyLimit, BodyTooLarge
from services.generator.server.config import GeneratorSettings
from services.generator.server.service import Load, Service

MOST_BYTES = 8 << 20  # of a request


class UnknownModel(GeneratorError):
    code, status = "model_not_found", 404


class Unauthorized(GeneratorError):
    code, status = "invalid_api_key", 401


def create_app(settings: GeneratorSettings | None = None, load: Load | None = None) -> FastAPI:
    """Make the application. `load` replaces reading the model that the settings name (tests bring
    their own)."""
    service = Service(settings or GeneratorSettings(), load)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.start()
        yield
        await asyncio.to_thread(service.stop)

    # No pages of its own: their scripts come from elsewhere.
    app = FastAPI(title="Bedside generator", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.state.service = service
    refusal = _error(
        413, f"the request is over {MOST_BYTES / 2**20:g} MB", BodyTooLarge.code, headers={"Connection": "close"}
    )
    app.add_middleware(BodyLimit, limit=MOST_BYTES, refuse=refusal)
    app.add_middleware(RequestIds)
    app.add_exception_handler(GeneratorError, _refuse)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_api_route(
        "/v1/chat/completions", complete, methods=["POST"], response_model=wire.ChatResponse, responses=_ERRORS
    )
    app.add_api_route("/v1/score", score, methods=["POST"], response_model=wire.ScoreResponse, responses=_ERRORS)
    app.add_api_route("/v1/models", models, response_model=wire.ServedModels)
    app.add_api_route("/v1/models/{name:path}", model, response_model=wire.ModelOut, responses={404: _ERRORS[404]})
    app.add_api_route("/health", health, response_model=wire.HealthOut, responses={503: {"model": wire.HealthOut}})
    app.add_api_route("/metrics", metrics, response_class=Response)
    return app


_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": wire.ErrorOut} for status in (400, 401, 404, 429, 500, 503)
}


def get_service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def authorised(request: Request) -> Service:
    """Return the service, for those who may use it."""
    service = get_service(request)
    key = service.settings.api_key
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if key is not None and not secrets.compare_digest(given.encode(), key.get_secret_value().encode()):
        raise Unauthorized("a valid API key is wanted as a bearer token")
    return service


ServiceDep = Annotated[Service, Depends(authorised)]


async def complete(ask: wire.ChatRequest, request: Request, service: ServiceDep) -> Any:
    """Return a chat completion: JSON, or server-sent events with `stream`."""
    if ask.model != service.settings.name:
        raise UnknownModel(f"the model {ask.model!r} does not exist; this service has {service.settings.name!r}")
    accepted, outputs = await service.submit(ask)
    if ask.stream:
        return StreamingResponse(
            _events(ask, accepted, outputs, service), media_type="text/event-stream", headers=_UNBUFFERED
        )
    collected = await _collect(outputs, request)
    return _response(ask, accepted, collected, service)


async def score(ask: wire.ScoreRequest, service: ServiceDep) -> wire.ScoreResponse:
    """Return how likely the model finds each continuation of each prompt."""
    if ask.model != service.settings.name:
        raise UnknownModel(f"the model {ask.model!r} does not exist; this service has {service.settings.name!r}")
    return wire.ScoreResponse(
        model=ask.model, prompts=[wire.ScoreOut(logprobs=own) for own in await service.score(ask)]
    )


_UNBUFFERED = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


async def _collect(outputs: AsyncIterator[engine.Output], request: Request) -> list[engine.Output]:
    """Collect all outputs; a client that hangs up ends the request."""
    collecting = asyncio.ensure_future(_all(outputs))
    leaving = asyncio.ensure_future(_disconnected(request))
    await asyncio.wait({collecting, leaving}, return_when=asyncio.FIRST_COMPLETED)
    leaving.cancel()
    if not collecting.done():
        collecting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await collecting
        raise HTTPException(499, "the client closed the connection")
    return collecting.result()


async def _all(outputs: AsyncIterator[engine.Output]) -> list[engine.Output]:
    async with contextlib.aclosing(_checked(outputs)) as received:
        return [output async for output in received]


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _response(
    ask: wire.ChatRequest, accepted: engine.Request, outputs: list[engine.Output], service: Service
) -> wire.ChatResponse:
    sequence, codec = accepted.sequence, service.loaded.codec
    logprobs = chat.logprobs_out(outputs, codec, ask.top_logprobs or 0) if ask.logprobs else None
    message = wire.MessageOut(content="".join(output.text for output in outputs))
    spans = [chat.span_out(span) for output in outputs for span in output.spans]
    return wire.ChatResponse(
        id=sequence.id,
        created=service.now(),
        model=ask.model,
        choices=[
            wire.ChoiceOut(message=message, logprobs=logprobs, finish_reason=chat.finish_out(sequence.finish_reason))
        ],
        usage=chat.usage_out(sequence, service.joules_reason),
        bedside=chat.bedside_out(accepted, spans, service.joules_reason),
    )


async def _events(
    ask: wire.ChatRequest, accepted: engine.Request, outputs: AsyncIterator[engine.Output], service: Service
) -> AsyncIterator[str]:
    """Yield server-sent events, one per step that has text to show or a span to close."""
    stream = chat.Stream(ask, accepted, service.loaded.codec, service.now(), service.joules_reason)
    yield _event(stream.opening())
    try:
        async with contextlib.aclosing(_checked(outputs)) as received:
            async for output in received:
                for chunk in stream.chunks(output):
                    yield _event(chunk)
    except GeneratorError as error:
        yield _event(wire.ErrorOut(error=wire.ErrorDetail(message=str(error), type="server_error", code=error.code)))
        return
    yield "data: [DONE]\n\n"


async def _checked(outputs: AsyncIterator[engine.Output]) -> AsyncGenerator[engine.Output]:
    """Raises GeneratorError when the engine failed on the request. Closing it early cancels the
    request."""
    async with contextlib.aclosing(outputs) as received:  # type: ignore[type-var]
        async for output in received:
            if output.error is not None:
                raise GeneratorError("the engine failed on this request; others go on") from output.error
            yield output


def _event(value: wire.ChatChunk | wire.ErrorOut) -> str:
    """Write in ASCII: clients that split at every line break Unicode knows would cut a U+2028 in
    the text in two."""
    return f"data: {json.dumps(value.model_dump(mode='json', exclude_none=True), separators=(',', ':'))}\n\n"


async def models(service: ServiceDep) -> wire.ServedModels:
    return wire.ServedModels(data=[_model(service)])


async def model(name: str, service: ServiceDep) -> wire.ModelOut:
    if name != service.settings.name:
        raise UnknownModel(f"the model {name!r} does not exist; this service has {service.settings.name!r}")
    return _model(service)


def _model(service: Service) -> wire.ModelOut:
    return wire.ModelOut(id=service.settings.name, created=service.created, max_model_len=service.loaded.engine.context)


async def health(request: Request, response: Response) -> wire.HealthOut:
    """Answer 200 once the model is loaded; 503 before and after a failure."""
    state = get_service(request).health()
    response.status_code = 200 if state.status == "ok" else 503
    return state


async def metrics(request: Request) -> Response:
    return Response(get_service(request).metrics_page(), media_type=CONTENT_TYPE_LATEST)


async def _refuse(_: Request, error: Exception) -> Response:
    assert isinstance(error, GeneratorError)
    headers = {"Retry-After": str(math.ceil(error.retry_after))} if isinstance(error, QueueFull) else None
    return _error(error.status, str(error), error.code, headers=headers)


async def _invalid(_: Request, error: Exception) -> Response:
    """Name unknown and malformed fields: the first one, by name."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    message = f"{place}: {first['msg']}" if place else str(first["msg"])
    return _error(400, message, "invalid_request", param=place or None)


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _error(error.status_code, str(error.detail), None)


def _error(
    status: int, message: str, code: str | None, param: str | None = None, headers: dict[str, str] | None = None
) -> Response:
    kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}
    kind = kinds.get(status, "invalid_request_error" if status < 500 else "server_error")
    body = wire.ErrorOut(error=wire.ErrorDetail(message=message, type=kind, param=param, code=code))
    return JSONResponse(body.model_dump(), status, headers=headers)
