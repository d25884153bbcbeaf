"""Messages that a generator answers, and that are sent to it and to the API: read, or refused by
name."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from functools import cache

import httpx
from pydantic import BaseModel, ValidationError

from rag_api.answering.generator.client import Finished, Generator, GeneratorRequest, TextDelta, passages_of
from rag_api.api import schemas
from rag_api.api.schemas import quality
from rag_api.api.schemas.people import accounts
from rag_api.errors import GeneratorRefused, GeneratorUnavailable
from services.contract import templates, wire
from tests.support.scripted_server import piece, stats

_REQUEST = GeneratorRequest("Hoeveel?", "nl", passages_of([("Kalium", "Geef 15 mg/kg.")]))
_PIECES = 17  # bytes: lines and characters are cut anywhere
MODELS: list[type[BaseModel]] = [
    *(kind for kind in vars(wire).values() if isinstance(kind, type) and issubclass(kind, wire.WireModel)),
    *(
        kind
        for module in (schemas, accounts, quality)
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, BaseModel)
        and kind.__name__.endswith("In")
        and kind.__name__ != "In"
    ),
]
_FIELDS = sorted({name for model in MODELS for name in model.model_fields})
_JSON = (b"{}", b"[]", b"null", b"true", b"1e999", b"-1", b"NaN", b'"\\ud800"', b'"\\u0000"', b"9" * 40)
MODEL_WORDS = (*(f'"{name}":'.encode() for name in _FIELDS), *_JSON)
STREAM_WORDS = (
    *(
        b"data: ",
        b"data:[DONE]",
        b"\n\n",
        b"\r\n",
        b"event: ",
        b": ",
        b'{"choices":[{"delta":{"content":"a"}}]}',
        b'"finish_reason":"stop"',
    ),
    *(
        b'"bedside":',
        b'"spans":',
        b'"stats":',
        b'"candidates":',
        b'"error":',
        b'"message":',
        b'"model":',
        b'"data":',
        b'"id":',
        *_JSON,
    ),
)


class _Servers:
    """A client of either kind, kept: making one takes longer than all that is tried with it."""

    def __init__(self) -> None:
        self._loop = asyncio.Runner()
        self._answer = httpx.Response(200)
        transport = httpx.MockTransport(lambda _: self._answer)
        self._kinds = [
            Generator("http://g/v1", model="m", kind=kind, transport=transport) for kind in ("bedside", "openai")
        ]

    def ask(self, body: bytes, status: int, kind: int, health: bool) -> None:
        self._answer = httpx.Response(status, stream=_Cut(body))
        self._loop.run(_asked(self._kinds[kind], health))


_servers = cache(_Servers)


def read_stream(data: bytes) -> None:
    """The first byte chooses the status, the kind of server and the call."""
    first = (data[:1] or b"\0")[0]
    with contextlib.suppress(GeneratorUnavailable, GeneratorRefused):
        _servers().ask(data[1:], (200, 200, 200, 400, 500)[first % 5], int(bool(first & 64)), bool(first & 128))


class _Cut(httpx.AsyncByteStream):
    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self._body), _PIECES):
            yield self._body[at : at + _PIECES]


async def _asked(server: Generator, health: bool) -> None:
    if health:
        [told] = await server.health()
        assert isinstance(told.models, str)
        assert told.problem is None or isinstance(told.problem, GeneratorUnavailable)
        return
    ended = False
    async for event in server.stream(_REQUEST):
        assert not ended, "something came after the end"
        if isinstance(event, TextDelta):
            assert isinstance(event.text, str), event
        elif isinstance(event, Finished):
            ended = True
            assert isinstance(event.reason, str), event
            json.dumps(event.stats)
    assert ended, "no end and no error"


def read_model(data: bytes) -> None:
    """The first byte chooses the model. What was understood is written, and is understood as the
    same."""
    model = MODELS[(data[:1] or b"\0")[0] % len(MODELS)]
    try:
        value = model.model_validate_json(data[1:])
    except ValidationError:
        return
    again = model.model_validate_json(value.model_dump_json(exclude_unset=True))
    assert repr(again) == repr(value)
    if isinstance(value, wire.ChatRequest):
        templates.without_tokens("".join(message.text for message in value.messages))
        templates.render(
            templates.DEFAULT_TEMPLATE, value.messages[-1].text, value.documents, value.bedside.language or "nl"
        )


def stream_seeds() -> Iterator[bytes]:
    span = {"start": 0, "end": 4, "document": "0", "source_start": 0, "source_end": 4}
    whole = [piece("Geef"), piece(" 15", spans=[span]), piece(finish="stop", prompt_version="1", stats=stats())]
    body = "".join(f"data: {json.dumps(one)}\n\n" for one in whole).encode() + b"data: [DONE]\n\n"
    yield from (bytes([kind]) + body for kind in (0, 64))
    yield bytes([3]) + b'{"error": {"message": "no"}}'
    yield bytes([0]) + b'data: {"error": {"message": "no"}}\n\n'
    yield bytes([130]) + b'{"data": [{"id": "m"}]}'


def model_seeds() -> Iterator[bytes]:
    for number, model in enumerate(MODELS):
        yield bytes([number]) + b"{}"
        yield bytes([number]) + json.dumps(dict.fromkeys(model.model_fields, "x")).encode()
    ask = {
        "model": "m",
        "messages": [{"role": "user", "content": "Hoeveel?"}],
        "documents": [{"id": "0", "text": "Geef 15 mg."}],
    }
    bedside = {"mode": "verbatim", "candidates": [{"document": "0", "start": 0, "end": 11}]}
    yield bytes([MODELS.index(wire.ChatRequest)]) + json.dumps({**ask, "bedside": bedside}).encode()
    yield (
        bytes([MODELS.index(schemas.AskIn)])
        + json.dumps({"question": "Hoeveel?", "mode": "verbatim", "filters": {}}).encode()
    )
