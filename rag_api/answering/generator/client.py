"""Client of any OpenAI-compatible chat server, and the only place that knows httpx's exceptions.

Two kinds of server: `bedside`, our own, takes the passages as `documents` and reports which
characters it copied from where; `openai`, any other, gets the prompt rendered here, without
anything that it could read as its model's control tokens, and reports text only. Knows nothing of
documents, pages or storage.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import hashlib
import json
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

import httpx
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from rag_api.answering.generator.replicas import GeneratorReplicas, Replica
from rag_api.errors import GeneratorRefused, GeneratorUnavailable, PromptTooLong
from services.contract import request_ids, templates, traces, wire

log = logging.getLogger(__name__)

T = TypeVar("T")
DONE = "[DONE]"
QUIET = 1.5  # seconds without a word, after which it is asked whether it still lives
ALIVE = 2.5  # seconds that this answer may take
REFUSED = (400, 401, 403, 404, 413, 422)


@dataclass(frozen=True, slots=True)
class GeneratorRequest:
    """What one answer needs. Passage ids are unique within the request; `candidates` are for
    verbatim answers."""

    question: str
    language: Literal["nl", "en"]
    passages: tuple[wire.DocumentIn, ...]
    mode: Literal["answer", "verbatim"] = "answer"
    candidates: tuple[wire.CandidateIn, ...] | None = None
    max_tokens: int = 512
    options: dict[str, Any] = field(default_factory=dict)  # further fields of wire.BedsideIn
    scope: str = ""  # of who may read the passages: what the generator keeps of the prompt serves no others
    # of a document that is read whole: what was found in it, to draft from
    retrieved: tuple[wire.RetrievedRangeIn, ...] = ()
    # texts that the asker may read and the answer may repeat: they are drafted from, not shown to
    # the model
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """`reason` is "stop" or "length". `stats` is what the server measured, as JSON."""

    reason: str
    model: str
    prompt_version: str
    stats: dict[str, Any]
    weighed: tuple[wire.CandidateOut, ...] = ()  # verbatim: every sentence that could be quoted


GeneratorEvent = TextDelta | wire.CopiedSpanOut | Finished


# What is read of a server's answers; other servers' extra fields are left alone.
class _Delta(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _StreamedPiece(BaseModel):
    choices: list[_Choice] | None = None
    model: str | None = None
    bedside: wire.BedsideOut | None = None


class _Model(BaseModel):
    id: str


class _Models(BaseModel):
    data: list[_Model] = []


@contextmanager
def translated() -> Iterator[None]:
    """httpx's exceptions, and nonsense from the server, -> GeneratorUnavailable."""
    try:
        yield
    except (httpx.TimeoutException, TimeoutError) as error:
        raise GeneratorUnavailable(f"The generator did not answer in time ({type(error).__name__}).") from error
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, httpx.CookieConflict) as error:
        raise GeneratorUnavailable(f"The generator does not answer: {error or type(error).__name__}") from error
    except (ValidationError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise GeneratorUnavailable(
            f"The generator answered something that is not OpenAI's protocol: {str(error)[:200]}"
        ) from error


@dataclass(frozen=True, slots=True)
class ReplicaHealth:
    """Of one replica: the models that it serves and how long it took to say so, or why it did
    not."""

    name: str
    models: str
    milliseconds: float
    problem: GeneratorUnavailable | None = None


class Generator:
    """One server, or several with commas that serve the same model. `url` is asked at every
    request: an embedded generator that was started again has another port."""

    def __init__(
        self,
        url: str | Callable[[], str],
        *,
        model: str,
        kind: Literal["bedside", "openai"] = "bedside",
        api_key: str | None = None,
        timeout: float = 120.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.replicas = GeneratorReplicas(url if callable(url) else lambda: url)
        self.model = model
        self.kind = kind
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        # Between two words of a stream `timeout` may pass; a server that is not there should be
        # noticed at once.
        self._new_client: Callable[[], httpx.AsyncClient] = lambda: httpx.AsyncClient(
            headers=headers, timeout=httpx.Timeout(timeout, connect=5.0), transport=transport
        )
        # belongs to an event loop: made when first used, and again after close()
        self._client: httpx.AsyncClient | None = None
        self._looks: set[asyncio.Task[None]] = set()

    async def stream(self, request: GeneratorRequest) -> AsyncGenerator[GeneratorEvent]:
        """Text and copied spans as they come, then Finished. Closing the iterator cancels the
        generation.

        Raises GeneratorUnavailable when no replica begins, and in mid-stream; and GeneratorRefused.
        """
        body, version = self._body(request)
        async with contextlib.aclosing(self._anywhere(body, version, routing_key(request))) as events:
            async for event in events:
                yield event

    async def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = ()) -> str:
        """All that a chat server of either kind says to one message, greedily and without
        documents. Raises as stream() does."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": templates.without_tokens(prompt)}],
            "max_tokens": max_tokens,
            "temperature": 0,
            "stream": True,
        }
        asked = body | ({"stop": list(stop)} if stop else {})
        async with contextlib.aclosing(self._anywhere(asked, "", prompt)) as events:
            return "".join([event.text async for event in events if isinstance(event, TextDelta)])

    async def _anywhere(self, body: dict[str, Any], version: str, key: str) -> AsyncGenerator[GeneratorEvent]:
        """The events of the first replica that begins. One that breaks off after that has been
        heard: nobody else goes on for it."""
        order = self.replicas.in_order(key)
        self._look_at_those_out()
        for replica in order:
            begun = False
            try:
                async with contextlib.aclosing(self._of(replica, body, version)) as events:
                    async for event in events:
                        begun = True
                        yield event
            except GeneratorRefused:
                self.replicas.tell(replica, "refused")
                raise
            except GeneratorUnavailable as error:
                self.replicas.take_out(replica)
                again = not begun and replica is not order[-1]
                self.replicas.tell(replica, "broken" if begun else "retried" if again else "failed")
                if not again:
                    raise
                log.warning("the generator at %s did not begin, another is asked: %s", replica.name, error.message)
            else:
                self.replicas.take_in(replica)
                self.replicas.tell(replica, "finished")
                return

    async def _of(self, replica: Replica, body: dict[str, Any], version: str) -> AsyncGenerator[GeneratorEvent]:
        with translated(), self.replicas.writes(replica):
            async with (
                self._asked(replica, body) as response,
                contextlib.aclosing(_events(self._lines(replica, response), version)) as events,
            ):
                async for event in events:
                    yield event

    def _look_at_those_out(self) -> None:
        """Beside the question, which does not wait for it."""
        for replica in self.replicas.to_look_at():
            task = asyncio.ensure_future(self._look(replica))
            self._looks.add(task)
            task.add_done_callback(self._looks.discard)

    async def _look(self, replica: Replica) -> None:
        with contextlib.suppress(GeneratorUnavailable):
            await self.models(replica, ALIVE)
            self.replicas.take_in(replica)

    @contextlib.asynccontextmanager
    async def _asked(self, replica: Replica, body: dict[str, Any]) -> AsyncIterator[httpx.Response]:
        """The opened stream of an accepted request."""
        client = self._open()
        with traces.call("generator") as trace:
            headers = {**request_ids.sent_on(), **trace}
            request = client.build_request("POST", f"{replica.url}/chat/completions", json=body, headers=headers)
            response = await self._while_alive(replica, client.send(request, stream=True))
            async with contextlib.aclosing(response):
                if response.status_code != 200:
                    raise _refusal(response.status_code, await response.aread())
                yield response

    async def _lines(self, replica: Replica, response: httpx.Response) -> AsyncGenerator[str]:
        async with contextlib.aclosing(cast(AsyncGenerator[str], response.aiter_lines())) as lines:
            while (line := await self._while_alive(replica, anext(lines, None))) is not None:
                yield line

    async def _while_alive(self, replica: Replica, coming: Awaitable[T]) -> T:
        """What is awaited, however long that takes; GeneratorUnavailable as soon as the server does
        not even say that it is there. A model may think for minutes before its first word, a
        stopped process would be waited for as long."""
        task = asyncio.ensure_future(coming)
        try:
            while not (await asyncio.wait({task}, timeout=QUIET))[0]:
                with contextlib.suppress(GeneratorRefused):  # it has no list of models, but it answers
                    await self.models(replica, ALIVE)
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
            if not task.cancelled():  # it failed meanwhile, or as it was cancelled: nobody else looks at that
                task.exception()

    async def health(self, patience: float = 5.0) -> list[ReplicaHealth]:
        """Return how each replica is; what it says puts it in or out. Raises GeneratorUnavailable
        while there is none yet."""
        return list(await asyncio.gather(*(self._health(replica, patience) for replica in self.replicas.all())))

    async def _health(self, replica: Replica, patience: float) -> ReplicaHealth:
        began, names = time.perf_counter(), ""
        problem: GeneratorUnavailable | None = None
        try:
            names = await self.models(replica, patience)
            self.replicas.take_in(replica)
        except GeneratorUnavailable as error:
            problem = error
            if not isinstance(error, GeneratorRefused):  # one that refuses is there
                self.replicas.take_out(replica)
        return ReplicaHealth(replica.name, names, (time.perf_counter() - began) * 1000, problem)

    async def models(self, replica: Replica, patience: float) -> str:
        """The models it serves. Raises GeneratorUnavailable."""
        with translated():
            async with asyncio.timeout(patience):
                response = await self._open().get(f"{replica.url}/models", timeout=patience)
            if response.status_code != 200:
                raise _refusal(response.status_code, response.content)
            return ", ".join(model.id for model in _Models.model_validate(_object(response.content)).data)

    def address(self) -> str:
        """Return the base URL of one that answers, as far as is known: for what asks by itself.
        Raises GeneratorUnavailable."""
        return self.replicas.in_order("")[0].url

    def apart(self) -> Generator:
        """Return the same with connections of its own, for another event loop; what one learns of
        the replicas the other knows."""
        other = copy.copy(self)
        other._client, other._looks = None, set()
        return other

    async def close(self) -> None:
        """Its connections, in the event loop that made them. It may be used again, in another loop
        too."""
        looks = [task for task in self._looks if task.get_loop() is asyncio.get_running_loop()]
        for task in looks:
            task.cancel()
        # one under way holds a connection, which would be left open
        await asyncio.gather(*looks, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()
        self._client = None

    def _open(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = self._new_client()
        return self._client

    def _body(self, request: GeneratorRequest) -> tuple[dict[str, Any], str]:
        """The request as JSON, and the version of the prompt when it is rendered here."""
        if self.kind == "bedside":
            extension = wire.BedsideIn(
                mode=request.mode,
                language=request.language,
                scope=request.scope,
                beside=list(request.beside),
                retrieved=list(request.retrieved),
                candidates=None if request.candidates is None else list(request.candidates),
                **request.options,
            )
            asked = wire.ChatRequest(
                model=self.model,
                messages=[wire.MessageIn(role="user", content=request.question)],
                documents=list(request.passages),
                bedside=extension,
                max_tokens=request.max_tokens,
                stream=True,
            )
            return asked.model_dump(mode="json", exclude_defaults=True) | {"model": self.model}, ""
        rendered = templates.render(templates.DEFAULT_TEMPLATE, request.question, request.passages, request.language)
        content = templates.without_tokens(rendered.text)
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": content}],
            "max_tokens": request.max_tokens,
            "temperature": 0,
            "stream": True,
        }
        return body | ({"stop": list(rendered.stop)} if rendered.stop else {}), rendered.version


def routing_key(request: GeneratorRequest) -> str:
    """The same for all questions about the same passages: what a generator keeps of their prompt is
    found again."""
    said = "\0".join(f"{passage.title}\0{passage.text}" for passage in request.passages)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


async def _events(lines: AsyncGenerator[str], version: str) -> AsyncGenerator[GeneratorEvent]:
    """The chunks of the stream. An end without a finish_reason is a failure: half an answer must
    not pass for a whole one."""
    finished: Finished | None = None
    async for line in lines:
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == DONE:
            break
        chunk = _object(data)
        if "error" in chunk:
            raise GeneratorUnavailable(f"The generator failed while writing: {_message(chunk)}")
        for event in _of_chunk(chunk, version):
            if isinstance(event, Finished):
                finished = event
            else:
                yield event
    if finished is None:
        raise GeneratorUnavailable("The generator broke off in the middle of its answer.")
    yield finished


def _of_chunk(chunk: dict[str, Any], version: str) -> Iterator[GeneratorEvent]:
    """Text first: a span's text was sent in this chunk or before."""
    said = _StreamedPiece.model_validate(chunk)
    choice = next(iter(said.choices or []), _Choice())
    if choice.delta and choice.delta.content:
        yield TextDelta(choice.delta.content)
    extension = said.bedside or wire.BedsideOut()
    yield from extension.spans
    if choice.finish_reason:
        stats = extension.stats.model_dump(mode="json") if extension.stats else {}
        yield Finished(
            choice.finish_reason,
            said.model or "",
            extension.prompt_version or version,
            stats,
            tuple(extension.candidates),
        )


def _refusal(status: int, body: bytes) -> GeneratorUnavailable:
    kind = GeneratorRefused if status in REFUSED else GeneratorUnavailable
    try:
        said = _object(body)
        message = _message(said)
        if kind is GeneratorRefused and _code(said) == wire.TOO_LONG:
            kind = PromptTooLong
    except (json.JSONDecodeError, ValidationError, UnicodeDecodeError):
        message = body[:200].decode("utf-8", "replace")
    return kind(f"The generator answered {status}: {message}")


def _object(data: bytes | str) -> dict[str, Any]:
    """Raises JSONDecodeError, of whatever nesting and numbers."""
    try:
        value = from_json(data)
    except ValueError as error:
        raise json.JSONDecodeError(str(error)[:100], "", 0) from error
    if not isinstance(value, dict):
        raise json.JSONDecodeError("expected an object", str(value)[:40], 0)
    return value


def _message(body: dict[str, Any]) -> str:
    error = body.get("error", body)
    return str(error.get("message", error) if isinstance(error, dict) else error)[:500]


def _code(body: dict[str, Any]) -> str:
    error = body.get("error")
    return str(error.get("code", "")) if isinstance(error, dict) else ""


def passages_of(texts: Sequence[tuple[str, str]]) -> tuple[wire.DocumentIn, ...]:
    """(title, text) pairs as documents with the ids "0", "1", ...: what a span's `document` then
    says."""
    return tuple(wire.DocumentIn(id=str(index), title=title, text=text) for index, (title, text) in enumerate(texts))
