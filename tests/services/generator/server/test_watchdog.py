"""A generator whose engine will not go on says so, and ends, so that it is started again."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from services.generator.server import __main__ as server
from services.generator.server.config import GeneratorSettings
from services.generator.server.service import Loaded, Service
from services.generator.server.watchdog import STATUS, watch
from tests.support.waiting import until


class Engine:
    """One that computes for as long as it is held."""

    def __init__(self) -> None:
        self.busy, self.free, self.broken = False, threading.Event(), False
        self.began = threading.Event()

    def step(self) -> list[Any]:
        self.began.set()
        if self.broken:
            raise RuntimeError("the GPU fell off")
        assert self.free.wait(300)
        return []

    def fail(self, error: Exception) -> list[Any]:
        raise error


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def started(engine: Engine) -> Iterator[Callable[[float], Service]]:
    """Starts services of the engine, and ends their threads: one that is busy for ever would
    compute until the last test."""
    services: list[Service] = []

    def start(seconds: float) -> Service:
        loaded: Any = SimpleNamespace(engine=engine)
        services.append(Service(GeneratorSettings(model="tiny", step_seconds=seconds), lambda: loaded))
        services[-1].start()
        return services[-1]

    yield start
    engine.busy = False
    engine.free.set()
    for service in services:
        service.stop()


def work(service: Service, engine: Engine) -> None:
    engine.busy = True
    service.thread.cancel("nobody's")  # anything that wakes it
    assert engine.began.wait(300)


def ended(service: Service) -> int:
    """Return the status that its process would end with."""
    ends: queue.Queue[int] = queue.Queue()
    watch(service, ends.put, every=0.01)
    return ends.get(timeout=300)


def test_a_step_that_hangs_ends_the_process(engine: Engine, started: Callable[[float], Service]) -> None:
    engine.cancel = lambda _: None  # type: ignore[attr-defined]
    service = started(0.05)
    work(service, engine)
    assert ended(service) == STATUS
    assert (service.health().status, service.health().detail) == (
        "failed",
        "a step of the engine takes longer than 0.05 s",
    )


def test_an_engine_that_cannot_go_on_ends_the_process(engine: Engine, started: Callable[[float], Service]) -> None:
    engine.cancel = lambda _: None  # type: ignore[attr-defined]
    engine.broken = True
    service = started(0.0)
    work(service, engine)
    assert ended(service) == STATUS
    assert service.health().detail == "the engine has stopped"


def test_a_slow_step_a_pause_and_a_model_that_cannot_be_loaded_end_nothing(
    engine: Engine, started: Callable[[float], Service]
) -> None:
    engine.cancel = lambda _: None  # type: ignore[attr-defined]
    slow = started(3600.0)
    work(slow, engine)
    off = started(0.0)

    def fail() -> Loaded:
        raise RuntimeError("no such model")

    unloaded = Service(GeneratorSettings(model="tiny"), fail)
    unloaded.start()
    until(lambda: unloaded.health().status == "failed")
    looks = 0

    class Looked:
        @property
        def broken(self) -> str:
            nonlocal looks
            looks += 1
            return "it stood still" if looks == 1 else ""

    ends: list[int] = []
    over = watch(Looked(), ends.append, every=0.001)  # type: ignore[arg-type]
    while looks < 5:
        assert [slow.broken, off.broken, unloaded.broken] == [""] * 3
    over.set()
    assert ends == []


def test_the_service_is_watched_from_its_start(monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[Service] = []
    monkeypatch.setattr(sys, "argv", ["generator", "--model", "tiny"])
    monkeypatch.setattr(server, "watch", watched.append)
    monkeypatch.setattr("uvicorn.run", lambda app, **_: watched.append(app.state.service))
    server.main()
    assert len(watched) == 2
    assert watched[0] is watched[1]
