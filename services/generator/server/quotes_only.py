"""Service that quotes without a model: `python -m services.generator.server.quotes_only --port N`.
Its answers in verbatim mode are the generator's, and it writes nothing. Needs no torch: for a
machine that has room for neither."""

from __future__ import annotations

import argparse
import json
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse

from services.contract import logs, wire
from services.contract.request_ids import RequestIds
from services.generator.errors import BadRequest, GeneratorError
from services.generator.verbatim.without_model import Quoted, quoted

VERSION = "quotes-1"
CREATED = int(time.time())


def create_app() -> FastAPI:
    app = FastAPI(title="Bedside quotes", docs_url=None, redoc_url=None)
    app.add_middleware(RequestIds)
    app.add_exception_handler(GeneratorError, _refuse)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_api_route("/v1/chat/completions", complete, methods=["POST"], response_model=None)
    app.add_api_route("/v1/models", models, response_model=wire.ServedModels)
    app.add_api_route("/health", health, response_model=wire.HealthOut)
    return app


def complete(ask: wire.ChatRequest) -> Response:
    """Return the sentences, as server-sent events with `stream`. Whole: they are there at once."""
    if ask.model != wire.QUOTES:
        raise BadRequest(f"the model {ask.model!r} does not exist; this service has {wire.QUOTES!r}")
    began = time.perf_counter()
    answer = quoted(ask)
    about = _about(answer, time.perf_counter() - began)
    name = f"chatcmpl-{secrets.token_hex(12)}"
    if ask.stream:
        return StreamingResponse(
            _events(name, answer, about), media_type="text/event-stream", headers={"Cache-Control": "no-cache"}
        )
    choice = wire.ChoiceOut(message=wire.MessageOut(content=answer.text), finish_reason="stop")
    usage = wire.UsageOut(prompt_tokens=0, completion_tokens=len(answer.text), total_tokens=len(answer.text))
    whole = wire.ChatResponse(
        id=name, created=int(time.time()), model=wire.QUOTES, choices=[choice], usage=usage, bedside=about
    )
    return JSONResponse(whole.model_dump(mode="json", exclude_none=True))


def models() -> wire.ServedModels:
    return wire.ServedModels(data=[wire.ModelOut(id=wire.QUOTES, created=CREATED, max_model_len=wire.MAX_TEXT)])


def health() -> wire.HealthOut:
    return wire.HealthOut(status="ok", model=wire.QUOTES)


async def _events(name: str, answer: Quoted, about: wire.BedsideOut) -> AsyncIterator[str]:
    for chunk in _chunks(name, answer, about):
        # In ASCII: clients that split at every line break Unicode knows would cut a U+2028 in the
        # text in two.
        yield f"data: {json.dumps(chunk.model_dump(mode='json', exclude_none=True), separators=(',', ':'))}\n\n"
    yield "data: [DONE]\n\n"


def _chunks(name: str, answer: Quoted, about: wire.BedsideOut) -> Iterator[wire.ChatChunk]:
    created = int(time.time())
    opening = wire.ChunkChoiceOut(delta=wire.DeltaOut(role="assistant", content=""))
    yield wire.ChatChunk(id=name, created=created, model=wire.QUOTES, choices=[opening])
    said = wire.ChunkChoiceOut(delta=wire.DeltaOut(content=answer.text), finish_reason="stop")
    yield wire.ChatChunk(id=name, created=created, model=wire.QUOTES, choices=[said], bedside=about)


def _about(answer: Quoted, seconds: float) -> wire.BedsideOut:
    spans = [
        wire.CopiedSpanOut(
            start=s.answer_start, end=s.answer_end, document=s.passage_id, source_start=s.start, source_end=s.end
        )
        for s in answer.spans
    ]
    return wire.BedsideOut(
        spans=spans,
        prompt_version=VERSION,
        stats=wire.StatsOut(tokens=len(answer.text), steps=1, tokens_per_step=len(answer.text), decode_seconds=seconds),
    )


async def _refuse(_: Any, error: Exception) -> Response:
    assert isinstance(error, GeneratorError)
    return _error(error.status, str(error), error.code)


async def _invalid(_: Any, error: Exception) -> Response:
    """Name unknown and malformed fields: the first one."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return _error(
        400, f"{'.'.join(str(part) for part in first['loc'] if part != 'body')}: {first['msg']}", "invalid_request"
    )


def _error(status: int, message: str, code: str) -> Response:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return JSONResponse(
        wire.ErrorOut(error=wire.ErrorDetail(message=message, type=kind, code=code)).model_dump(), status
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m services.generator.server.quotes_only", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8001)
    given = parser.parse_args()
    logs.configure("text")
    uvicorn.run(create_app(), host=given.host, port=given.port, log_config=None, access_log=False)


if __name__ == "__main__":
    main()
