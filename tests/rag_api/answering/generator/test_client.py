"""The generator's client: what it sends, what it makes of a stream, and that no foreign exception
leaves it."""

from __future__ import annotations

import asyncio
import gc
import inspect
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import httpx
import pytest

from rag_api.answering.generator.client import (
    Finished,
    Generator,
    GeneratorEvent,
    GeneratorRequest,
    TextDelta,
    passages_of,
    translated,
)
from rag_api.errors import GeneratorRefused, GeneratorUnavailable
from services.contract import wire
from tests.support.scripted_server import Scripted, Step, piece, quote, stats

pytestmark = pytest.mark.quick

PASSAGES = passages_of([("Paracetamol", "Geef 15 mg/kg. Max. 4 g per dag. "), ("Ibuprofen", "Niet onder 3 maanden. ")])
CANDIDATES = (
    wire.CandidateIn(document="0", start=0, end=15, score=2.0),
    wire.CandidateIn(document="1", start=0, end=22, score=1.0),
)
ASKED = GeneratorRequest("Hoeveel?", "nl", PASSAGES, "verbatim", CANDIDATES, 64)


@pytest.fixture
async def generator(server: Scripted) -> AsyncIterator[Generator]:
    client = Generator(server.url, model="demo", api_key="secret", timeout=5)
    yield client
    await client.close()


async def collected(generator: Generator, request: GeneratorRequest = ASKED) -> list[GeneratorEvent]:
    return [event async for event in generator.stream(request)]


async def test_a_stream_becomes_text_spans_and_an_end(generator: Generator) -> None:
    text, more, span, end = await collected(generator)
    assert isinstance(text, TextDelta)
    assert isinstance(more, TextDelta)
    assert text.text + more.text == "Geef 15 mg/kg. "
    assert span == wire.CopiedSpanOut(start=0, end=15, document="0", source_start=0, source_end=15)
    assert isinstance(end, Finished)
    assert (end.reason, end.model, end.prompt_version, end.stats["tokens_per_step"]) == (
        "stop",
        "scripted",
        "quote-nl-1",
        4.0,
    )


async def test_what_is_sent_is_the_wire_models_request(server: Scripted, generator: Generator) -> None:
    await collected(generator)
    sent = wire.ChatRequest.model_validate(server.requests[0])
    assert (sent.model, sent.stream, sent.max_tokens, sent.temperature) == ("demo", True, 64, 0.0)
    assert tuple(sent.documents) == PASSAGES
    assert (sent.bedside.mode, sent.bedside.language, tuple(sent.bedside.candidates or ())) == (
        "verbatim",
        "nl",
        CANDIDATES,
    )
    assert sent.messages[0].text == "Hoeveel?"
    assert server.headers[0]["authorization"] == "Bearer secret"


async def test_another_server_gets_a_rendered_prompt_and_no_field_of_ours(server: Scripted) -> None:
    server.script = lambda request: [piece("Geef 15 mg/kg."), piece(finish="length"), "data: [DONE]\n\n"]
    generator = Generator(server.url, model="llama", kind="openai")
    events = await collected(generator, GeneratorRequest("Hoeveel?", "nl", PASSAGES))
    await generator.close()
    assert events == [TextDelta("Geef 15 mg/kg."), Finished("length", "scripted", "thesis-nl-1", {})]
    sent = server.requests[0]
    assert set(sent) == {"model", "messages", "max_tokens", "temperature", "stream", "stop"}
    prompt = sent["messages"][0]["content"]
    assert all(passage.text in prompt for passage in PASSAGES)
    assert "Hoeveel?" in prompt


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, GeneratorRefused),
        (404, GeneratorRefused),
        (429, GeneratorUnavailable),
        (500, GeneratorUnavailable),
        (503, GeneratorUnavailable),
    ],
)
async def test_a_refusal_carries_the_servers_reason(
    server: Scripted, generator: Generator, status: int, kind: type[Exception]
) -> None:
    server.status, server.body = status, '{"error": {"message": "the prompt is too long", "type": "x"}}'
    with pytest.raises(GeneratorUnavailable, match="the prompt is too long") as caught:
        await collected(generator)
    assert type(caught.value) is kind


BROKEN: dict[str, list[Step]] = {
    "the connection is cut": [piece("Geef "), None],
    "the stream ends without a finish": [piece("Geef "), "data: [DONE]\n\n"],
    "an error in mid-stream": [piece("Geef "), {"error": {"message": "out of memory", "type": "server_error"}}],
    "no JSON": [piece("Geef "), "data: {nonsense\n\n"],
    "JSON of another shape": [piece("Geef "), "data: [1, 2]\n\n"],
    "spans of another shape": [piece("Geef ", spans=[{"start": "zero"}])],
}


@pytest.mark.parametrize("steps", BROKEN.values(), ids=BROKEN.keys())
async def test_half_an_answer_never_passes_for_a_whole_one(
    server: Scripted, generator: Generator, steps: list[Step]
) -> None:
    server.script = lambda request: steps
    got: list[GeneratorEvent] = []
    with pytest.raises(GeneratorUnavailable):
        await collected_into(got, generator)
    assert not any(isinstance(event, Finished) for event in got)


async def collected_into(got: list[GeneratorEvent], generator: Generator) -> None:
    async for event in generator.stream(ASKED):
        got.append(event)


@pytest.mark.parametrize(
    "chunk",
    [
        '{"choices": 5}',
        '{"choices": ["a"]}',
        '{"choices": [{"delta": "a"}]}',
        '{"choices": [{"delta": {"content": ["a"]}}]}',
        '{"choices": [{"delta": {}, "finish_reason": 1}]}',
        '{"bedside": {"spans": 3}}',
        "[" * 100_000,
        '{"created": ' + "9" * 5_000 + ', "choices": 5}',
    ],
    ids=["choices", "choice", "delta", "content", "reason", "spans", "nesting", "digits"],
)
async def test_a_chunk_of_another_shape_is_unavailable_and_no_foreign_exception(
    server: Scripted, generator: Generator, chunk: str
) -> None:
    server.script = lambda _: [f"data: {chunk}\n\n"]
    with pytest.raises(GeneratorUnavailable, match="not OpenAI's protocol"):
        await collected(generator)


@pytest.mark.parametrize("body", ['{"data": ["m"]}', '{"data": [{"name": "m"}]}', '{"data": 4}', "[" * 100_000])
async def test_a_list_of_models_of_another_shape_is_unavailable(body: str) -> None:
    client = Generator(
        "http://g/v1", model="m", transport=httpx.MockTransport(lambda _: httpx.Response(200, text=body))
    )
    [health] = await client.health()
    assert health.problem is not None
    assert "not OpenAI's protocol" in health.problem.message
    await client.close()


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    generator = Generator("http://127.0.0.1:1/v1", model="demo")
    with pytest.raises(GeneratorUnavailable):
        await collected(generator)
    [health] = await generator.health()
    assert isinstance(health.problem, GeneratorUnavailable)
    await generator.close()


async def test_a_server_that_falls_silent_is_unavailable(server: Scripted) -> None:
    server.silent, server.script = True, lambda request: [piece("Geef "), 60.0]
    generator = Generator(server.url, model="demo", timeout=0.3)
    with pytest.raises(GeneratorUnavailable, match="in time"):
        await collected(generator)
    await generator.close()


async def test_closing_the_iterator_hangs_up(server: Scripted, generator: Generator) -> None:
    server.script = lambda request: [piece("Geef "), 30.0, *quote(request)]
    async with aclosing(generator.stream(ASKED)) as events:
        async for _ in events:
            break
    assert server.hung_up.wait(300)


async def test_health_names_the_models(generator: Generator) -> None:
    [health] = await generator.health()
    assert (health.models, health.problem) == ("scripted", None)
    assert health.milliseconds > 0


async def test_a_url_that_changes_is_followed(server: Scripted) -> None:
    urls = iter(["http://127.0.0.1:1/v1", server.url])
    generator = Generator(lambda: next(urls), model="demo")
    with pytest.raises(GeneratorUnavailable):
        await collected(generator)
    assert await collected(generator)
    await generator.close()


def test_a_client_serves_one_event_loop_after_another(server: Scripted) -> None:
    generator = Generator(server.url, model="demo")

    async def one_answer() -> list[GeneratorEvent]:
        events = await collected(generator)
        await generator.close()
        return events

    assert asyncio.run(one_answer()) == asyncio.run(one_answer())


def httpx_exceptions() -> list[type[Exception]]:
    return [kind for _, kind in inspect.getmembers(httpx, inspect.isclass) if issubclass(kind, Exception)]


def raised(kind: type[Exception]) -> Exception:
    """An instance, whatever its constructor wants."""
    request = httpx.Request("GET", "http://x")
    attempts: list[dict[str, Any]] = [{}, {"request": request}, {"request": request, "response": httpx.Response(500)}]
    for arguments in attempts:
        for words in (("words",), ()):
            try:
                return kind(*words, **arguments)
            except TypeError:
                continue
    raise AssertionError(f"no way to make a {kind.__name__}")


def test_every_exception_of_httpx_becomes_generator_unavailable() -> None:
    kinds = httpx_exceptions()
    assert len(kinds) > 20
    for kind in kinds:
        with pytest.raises(GeneratorUnavailable), translated():
            raise raised(kind)


def test_stats_of_the_script_are_the_wire_models() -> None:
    assert wire.StatsOut.model_validate(stats()).tokens_per_step == 4.0


async def test_closing_waits_until_the_looks_that_are_under_way_have_ended() -> None:
    asked, ended = asyncio.Event(), asyncio.Event()

    async def silent_about_models(request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/models"):
            return httpx.Response(400)
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError("nobody let it go on")

    transport = httpx.MockTransport(silent_about_models)
    client = Generator("http://one/v1,http://two/v1", model="demo", transport=transport)
    out = client.replicas.all()[0]
    client.replicas.take_out(out)
    out.next_look = 0.0
    with pytest.raises(GeneratorRefused):
        await collected(client)
    await asked.wait()
    await client.close()
    assert ended.is_set()


@pytest.mark.parametrize("how", ["meanwhile", "as it is cancelled"])
async def test_what_fails_while_the_server_is_found_silent_leaves_no_exception_behind(
    monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    left, looked, failed = list[dict[str, Any]](), asyncio.Event(), asyncio.Event()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: left.append(context))

    async def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/models"):
            looked.set()
            if how == "meanwhile":
                await failed.wait()
            raise httpx.ConnectError("silent")
        try:
            await (looked if how == "meanwhile" else asyncio.Event()).wait()
        finally:
            failed.set()
            raise OSError("the connection broke")

    generator = Generator("http://server", model="demo", transport=httpx.MockTransport(answer))
    monkeypatch.setattr("rag_api.answering.generator.client.QUIET", 0.01)
    with pytest.raises(GeneratorUnavailable, match="silent"):
        await collected(generator)
    assert failed.is_set()
    await generator.close()
    gc.collect()
    await asyncio.sleep(0)
    assert left == []
