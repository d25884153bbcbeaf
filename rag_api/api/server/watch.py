"""State of the parts, looked at by a thread with an event loop of its own: whoever asks whether
Bedside is well waits neither behind those who ask it questions nor for a part that stands still.

Each part is looked at once at a time, however many ask, and again every few seconds; one that does
not answer at once is what it was at the last look, until it has been silent for `PATIENCE` seconds.
Where it is given a listener, the thread serves /health on it as well.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rag_api.answering.generator.client import Generator
from rag_api.api.schemas import PartHealth
from rag_api.api.server.prompt_http import PromptHttp
from rag_api.container import Container
from rag_api.embed import Cached, Embedder
from rag_api.errors import BedsideError

T = TypeVar("T")

THREADS = ThreadPoolExecutor(8, thread_name_prefix="health")
SOON = 0.25  # seconds that whoever asks waits for a look
PATIENCE = 5.0  # seconds that a part may take to answer
EVERY = 3.0  # seconds between two looks
STUCK = 30.0  # seconds without a turn of the loop that has every request in hand
PATHS = {"/health", "/health/live", "/health/ready"}


async def apart(act: Callable[[], T]) -> T:
    """Return what `act` returns, done in a thread that no question uses."""
    return await asyncio.get_running_loop().run_in_executor(THREADS, act)


class WatchedPart:
    """What one part, or several of a kind, said when it was last looked at; kept by the watch's
    loop."""

    def __init__(
        self, name: str, look: Callable[[], Awaitable[list[PartHealth]]], loop: asyncio.AbstractEventLoop
    ) -> None:
        self.name, self._look, self._loop = name, look, loop
        self._lock = threading.Lock()
        self._looking: Future[list[PartHealth]] | None = None
        self._began = 0.0
        self._last: tuple[float, list[PartHealth]] | None = None  # when that look began, and what it found

    def look(self) -> Future[list[PartHealth]]:
        """Begin to look, where nobody does."""
        with self._lock:
            if self._looking is None or self._looking.done():
                self._began = time.monotonic()
                self._looking = asyncio.run_coroutine_threadsafe(self._looked(self._began), self._loop)
            return self._looking

    async def state(self) -> list[PartHealth]:
        """Return how it is now, or was when it was last seen; the first time is waited for."""
        looking = asyncio.wrap_future(self.look())
        done, _ = await asyncio.wait({looking}, timeout=SOON if self._last is not None else PATIENCE)
        if done:
            return looking.result()
        silent = time.monotonic() - self._began
        if self._last is not None and silent < PATIENCE:
            return self._last[1]
        return [
            PartHealth(
                name=self.name, ok=False, detail=f"no answer in {silent:.0f} s", milliseconds=round(silent * 1000, 1)
            )
        ]

    @property
    def was_well(self) -> bool:
        """At its last look; before the first one nothing speaks against it."""
        return self._last is None or all(part.ok for part in self._last[1])

    async def _looked(self, began: float) -> list[PartHealth]:
        found = await self._look()
        self._last = began, found
        return found


class Watch:
    """The thread, for as long as the service runs. Its methods are for any thread and any loop."""

    def __init__(self, container: Container, listener: socket.socket | None = None, app: ASGIApp | None = None) -> None:
        self._container, self._listener, self._app = container, listener, app
        self._loop = asyncio.new_event_loop()
        self._threads = ThreadPoolExecutor(3, thread_name_prefix="watch")
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self.watched: asyncio.AbstractEventLoop | None = None  # that has every request in hand
        self._turned = time.monotonic()
        self._generator: Generator | None = None
        checks = {
            "database": lambda own: f"PostgreSQL {own.db.ping()}",
            "store": lambda own: f"{own.settings.store}: {own.store.count()} passages",
            "embedder": lambda own: f"{own.embedder.name}: {len(_itself(own.embedder).query('health'))} dimensions",
        }
        self._parts = [WatchedPart(name, self._look_of(name, check), self._loop) for name, check in checks.items()]
        self._generators = WatchedPart("generator", self._look_at_generators, self._loop)

    def start(self) -> None:
        """Called in the loop that has every request in hand: whether that still turns is watched
        too."""
        self.watched = asyncio.get_running_loop()
        self._thread.start()

    def stop(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._over.set)
            self._thread.join(PATIENCE)
        elif not self._loop.is_closed():  # it was never started
            self._loop.close()

    @property
    def is_stuck(self) -> bool:
        """The loop of all requests has not turned for long: whoever restarts the service should."""
        return time.monotonic() - self._turned > STUCK

    @property
    def database_answered(self) -> bool:
        return all(part.was_well for part in self._parts if part.name == "database")

    async def parts(self) -> list[PartHealth]:
        """Return how all but the generators are."""
        return [one for found in await asyncio.gather(*(part.state() for part in self._parts)) for one in found]

    async def generators(self) -> list[PartHealth]:
        """Return how each is; with one of them questions are answered."""
        return await self._generators.state()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._watch())

    async def _watch(self) -> None:
        server = self._server()
        serving = (
            asyncio.ensure_future(server.serve([self._listener]))
            if server is not None and self._listener is not None
            else None
        )
        while not self._over.is_set():
            assert self.watched is not None, "it was started"
            self.watched.call_soon_threadsafe(self._turn)
            for part in (*self._parts, self._generators):
                part.look()
            try:
                await asyncio.wait_for(self._over.wait(), EVERY)
            except TimeoutError:
                continue
        if server is not None and serving is not None:
            server.should_exit = True
            await serving
        await self._end_looks()
        if self._generator is not None:
            await self._generator.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _end_looks(self) -> None:
        """Those that are under way hold connections, which would be left open."""
        looks = asyncio.all_tasks() - {asyncio.current_task()}
        for look in looks:
            look.cancel()
        await asyncio.gather(*looks, return_exceptions=True)

    def _turn(self) -> None:
        self._turned = time.monotonic()

    def _server(self) -> uvicorn.Server | None:
        if self._app is None:
            return None
        quiet: dict[str, Any] = {"log_config": None, "access_log": False, "server_header": False}
        config = uvicorn.Config(
            _only_health(self._app), http=PromptHttp, lifespan="off", timeout_graceful_shutdown=1, **quiet
        )
        return uvicorn.Server(config)

    def _look_of(self, name: str, check: Callable[[Container], str]) -> Callable[[], Awaitable[list[PartHealth]]]:
        async def look() -> list[PartHealth]:
            began, ok = time.perf_counter(), True
            try:
                detail = await self._loop.run_in_executor(self._threads, lambda: check(self._container.pinned()))
            except BedsideError as error:
                detail, ok = error.message, False
            return [
                PartHealth(name=name, ok=ok, detail=detail, milliseconds=round((time.perf_counter() - began) * 1000, 1))
            ]

        return look

    async def _look_at_generators(self) -> list[PartHealth]:
        """The one, or each of several by its address, with connections of this loop's."""
        try:
            if self._generator is None:
                self._generator = self._container.generator.apart()
            found = await self._generator.health(PATIENCE)
        except BedsideError as error:  # it has no address yet
            return [PartHealth(name="generator", ok=False, detail=error.message, milliseconds=0.0)]
        return [
            PartHealth(
                name=f"generator {one.name}" if len(found) > 1 else "generator",
                ok=one.problem is None,
                detail=one.models if one.problem is None else one.problem.message,
                milliseconds=round(one.milliseconds, 1),
            )
            for one in found
        ]


def _itself(embedder: Embedder) -> Embedder:
    """What remembers texts would say that it is well long after it is gone."""
    return embedder.inner if isinstance(embedder, Cached) else embedder


def _only_health(app: ASGIApp) -> ASGIApp:
    """The same application, as far as it says how it is."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].removeprefix("/api") not in PATHS:
            return await PlainTextResponse("Here is only /health.", 404)(scope, receive, send)
        await app(scope, receive, send)

    return answer
