"""Between asyncio and the engine's thread: submit a request, receive its outputs, leave early.

The engine runs in one thread and is touched by it alone. An exception in a step fails the requests
of that step and the thread goes on.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field

from services.generator.engine.engine import Engine, Output, Request
from services.generator.engine.scoring import Scoring
from services.generator.errors import GeneratorError

log = logging.getLogger("bedside.generator")


class NotReady(GeneratorError):
    """The model is being loaded, or could not be."""

    code = "not-ready"
    status = 503


@dataclass(slots=True)
class _Client:
    """Who waits for a request's outputs."""

    loop: asyncio.AbstractEventLoop
    outputs: asyncio.Queue[Output | Exception | None] = field(default_factory=asyncio.Queue)  # None: accepted

    def send(self, item: Output | Exception | None) -> None:
        try:
            self.loop.call_soon_threadsafe(self.outputs.put_nowait, item)
        except RuntimeError:  # its event loop is gone: nobody is left to tell
            log.debug("a client left before its answer")


class EngineThread:
    """Owns the engine. `load` makes it, in the thread, so that the service can answer /health
    meanwhile."""

    def __init__(self, load: Callable[[], Engine]) -> None:
        self.engine: Engine | None = None
        self.failure: str = ""  # why there is no engine
        self.stopped = False  # it had one, which could not go on
        self._load = load
        self._inbox: queue.SimpleQueue[Callable[[Engine], None] | None] = queue.SimpleQueue()
        self._clients: dict[str, _Client] = {}
        self._futures: set[Future[list[float]]] = set()  # what somebody waits to be told
        self._began: float | None = None  # when the step that is being computed began
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._inbox.put(None)
        self._thread.join()

    @property
    def ready(self) -> bool:
        return self.engine is not None and not self.failure

    @property
    def step_seconds(self) -> float:
        """Return for how long the present step has been computed; 0 between two."""
        began = self._began
        return 0.0 if began is None else time.monotonic() - began

    async def submit(self, request: Request) -> AsyncIterator[Output]:
        """Return once the request is accepted. Raises what `Engine.add` raises, or NotReady.

        The iterator ends with the request; leaving it early cancels the request.
        """
        if not self.ready:
            raise NotReady(self.failure or "the model is still being loaded")
        client = _Client(asyncio.get_running_loop())
        self._inbox.put(lambda engine: self._add(engine, request, client))
        try:
            first = await client.outputs.get()
        except BaseException:
            self.cancel(request.sequence.id)
            raise
        if isinstance(first, Exception):
            raise first
        return self._outputs(request.sequence.id, client)

    async def read(self, asked: Sequence[Scoring]) -> list[list[float]]:
        """Return what the model tells of each. Raises what `Engine.read` raises, or NotReady; who
        leaves early is forgotten."""
        if not self.ready:
            raise NotReady(self.failure or "the model is still being loaded")
        futures = [Future[list[float]]() for _ in asked]
        self._inbox.put(lambda engine: self._read(engine, asked, futures))
        try:
            return [await asyncio.wrap_future(one) for one in futures]
        finally:
            for one in futures:
                one.cancel()

    def _read(self, engine: Engine, asked: Sequence[Scoring], futures: Sequence[Future[list[float]]]) -> None:
        for scoring, one in zip(asked, futures, strict=True):
            try:
                if self.failure:
                    raise NotReady(self.failure)
                engine.read(scoring, one)
            except Exception as error:  # whatever it is, it is the caller's to hear and not the thread's end
                _refuse(one, error)
            else:
                self._futures.add(one)
                one.add_done_callback(self._futures.discard)

    def cancel(self, sequence_id: str) -> None:
        self._inbox.put(lambda engine: self._forget(engine, sequence_id))

    async def _outputs(self, sequence_id: str, client: _Client) -> AsyncIterator[Output]:
        done = False
        try:
            while not done:
                output = await client.outputs.get()
                if isinstance(output, Exception):
                    raise output
                assert output is not None
                done = output.finish is not None
                yield output
        finally:
            if not done:
                self.cancel(sequence_id)

    def _run(self) -> None:
        try:
            self.engine = engine = self._load()
        except Exception as error:
            log.exception("the model could not be loaded")
            self.failure = f"the model could not be loaded: {error}"
            return
        try:
            self._decode(engine)
        except Exception:
            log.exception("the engine has stopped")
            self.stopped = True
        self._leave(engine)

    def _decode(self, engine: Engine) -> None:
        while self._handle_inbox(engine):
            with self._timed():
                try:
                    outputs = engine.step()
                except Exception as error:
                    log.exception("a step failed; its requests are failed and the engine goes on")
                    outputs = engine.fail(error)
            for output in outputs:
                self._deliver(output)

    def _leave(self, engine: Engine) -> None:
        """Tell everyone that the service stops, or the engine could not even fail its requests:
        nobody may wait for ever."""
        self.failure = "the engine has stopped"
        for client in self._clients.values():
            client.send(NotReady(self.failure))
        self._clients.clear()
        for one in list(self._futures):
            _refuse(one, NotReady(self.failure))
        while not self._inbox.empty():
            command = self._inbox.get()
            if command is not None:
                command(engine)

    def _handle_inbox(self, engine: Engine) -> bool:
        """Wait while there is nothing to do; False: stop."""
        while True:
            try:
                command = self._inbox.get(block=not engine.busy)
            except queue.Empty:
                return True
            if command is None:
                return False
            with self._timed():
                command(engine)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        self._began = time.monotonic()
        try:
            yield
        finally:
            self._began = None

    def _add(self, engine: Engine, request: Request, client: _Client) -> None:
        try:
            if self.failure:
                raise NotReady(self.failure)
            engine.add(request)
        except Exception as error:  # whatever it is, it is the client's to hear and not the thread's end
            client.send(error)
            return
        self._clients[request.sequence.id] = client
        client.send(None)

    def _forget(self, engine: Engine, sequence_id: str) -> None:
        self._clients.pop(sequence_id, None)
        engine.cancel(sequence_id)

    def _deliver(self, output: Output) -> None:
        client = self._clients.pop(output.sequence.id, None) if output.finish else self._clients.get(output.sequence.id)
        if client is not None:
            client.send(output)


def _refuse(future: Future[list[float]], error: Exception) -> None:
    if future.set_running_or_notify_cancel():
        future.set_exception(error)
