"""/health on a thread of its own: neither questions nor a part that stands still keep whoever asks
it waiting."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from rag_api.api.server import health, watch
from rag_api.cli.serving.workers import listening
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.embed import Cached
from rag_api.errors import DatabaseUnavailable
from rag_api.main import create_app
from tests.support.http_server import served
from tests.support.scripted_server import scripted_server
from tests.support.waiting import until


@pytest.fixture
def container(dsn: str, tmp_path: Path) -> Iterator[Container]:
    with scripted_server() as generator:
        settings = Settings(
            data_dir=tmp_path,
            database_url=dsn,
            store="memory",
            generator_url=generator.url,
            sentence_vectors_mb=0,
            web_dir=tmp_path,
            personal_data="off",
            questions_per_minute=0,
        )
        with Container(settings) as opened:
            opened.warm()
            yield opened


@pytest.fixture
def both(container: Container) -> Iterator[tuple[str, str, Any]]:
    """Where everything is served, where /health is served apart, and the application."""
    app = create_app(container.settings, container)
    with listening(container.settings, 0) as listener:
        app.state.health_listener = listener
        with served(app) as url:
            yield url, f"http://127.0.0.1:{listener.getsockname()[1]}", app


class Held:
    """An embedder that stands still for as long as it is told to."""

    def __init__(self) -> None:
        self.name, self.dim = "held", 4
        self.free, self.asked = threading.Event(), 0
        self.free.set()

    def query(self, text: str) -> Any:
        self.asked += 1
        assert self.free.wait(60)
        return np.ones(self.dim, np.float32) / 2


def state(url: str) -> tuple[str, dict[str, bool]]:
    found = httpx.get(f"{url}/health", timeout=30).json()
    return found["status"], {part["name"]: part["ok"] for part in found["parts"]}


def test_health_is_served_apart_and_nothing_else_is(both: tuple[str, str, Any]) -> None:
    url, apart, _ = both
    assert state(apart)[0] == state(url)[0] == "ok"
    assert httpx.get(f"{apart}/api/health/live").json() == {"status": "ok"}
    assert httpx.get(f"{apart}/api/health/ready").status_code == 204
    assert [httpx.get(f"{apart}{path}").status_code for path in ("/documents", "/api/documents", "/", "/metrics")] == [
        404
    ] * 4


def test_health_apart_is_answered_while_all_requests_wait_and_says_when_that_lasts(
    both: tuple[str, str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, apart, app = both
    held = threading.Event()
    app.state.watch.watched.call_soon_threadsafe(held.wait, 60)  # the loop that has every request in hand
    try:
        assert state(apart)[0] == "ok"
        monkeypatch.setattr(watch, "STUCK", 0.0)
        stuck = httpx.get(f"{apart}/health/live")
        assert (stuck.status_code, stuck.json()["code"]) == (503, "unavailable")
    finally:
        held.set()


def test_a_part_that_stands_still_is_what_it_was_until_it_was_silent_for_long_and_is_asked_once(
    both: tuple[str, str, Any], container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, apart, _ = both
    monkeypatch.setattr(watch, "SOON", 0.05)
    embedder = Held()
    assert isinstance(container.embedder, Cached), "it was opened"
    monkeypatch.setattr(container.embedder, "inner", embedder)
    until(lambda: state(url)[1]["embedder"] and embedder.asked > 0)
    embedder.free.clear()
    try:
        assert [state(url)[1]["embedder"] for _ in range(3)] == [True] * 3
        asked = embedder.asked
        monkeypatch.setattr(watch, "PATIENCE", 0.0)
        for one in (url, apart):
            status, parts = state(one)
            assert (status, parts["embedder"]) == ("down", False)
        assert httpx.get(f"{url}/health/ready").status_code == 503
        assert embedder.asked == asked, "nobody else waits for it"
    finally:
        embedder.free.set()
    monkeypatch.setattr(watch, "PATIENCE", 30.0)
    until(lambda: state(url)[0] == "ok")


def test_documents_are_counted_while_the_parts_are_looked_at_and_nobody_waits_twice(
    both: tuple[str, str, Any], container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, _, _ = both
    monkeypatch.setattr(watch, "SOON", 60.0)
    embedder, counted = Held(), threading.Event()
    assert isinstance(container.embedder, Cached), "it was opened"
    monkeypatch.setattr(container.embedder, "inner", embedder)
    until(lambda: embedder.asked > 0)
    embedder.free.clear()

    def count(*_: object) -> int:
        counted.set()
        return 7

    monkeypatch.setattr(health, "count_indexed", count)
    with ThreadPoolExecutor(1) as others:
        said = others.submit(httpx.get, f"{url}/health", timeout=60)
        try:
            assert counted.wait(300), "it waits for the embedder first"
        finally:
            embedder.free.set()
        assert said.result().json()["documents"] == 7


def test_a_database_that_did_not_answer_is_not_asked_to_count(
    both: tuple[str, str, Any], container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, _, app = both
    assert httpx.get(f"{url}/health").json()["documents"] is not None

    def gone(*_: object) -> str:
        raise DatabaseUnavailable("It is gone.")

    monkeypatch.setattr(container.db, "ping", gone)
    until(lambda: not app.state.watch.database_answered)
    monkeypatch.setattr(health, "count_indexed", lambda *_: pytest.fail("it was asked"))
    said = httpx.get(f"{url}/health")
    assert (said.status_code, said.json()["documents"]) == (503, None)


def test_an_embedder_that_is_gone_is_not_well_because_its_vectors_are_remembered(
    both: tuple[str, str, Any], container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rag_api.errors import EmbedderUnavailable

    url, _, _ = both
    assert state(url)[1]["embedder"]
    assert isinstance(container.embedder, Cached)

    def gone(text: str) -> Any:
        raise EmbedderUnavailable("It is gone.")

    monkeypatch.setattr(container.embedder.inner, "query", gone)
    assert not state(url)[1]["embedder"]


def test_readers_are_measured_and_health_at_both_places(both: tuple[str, str, Any]) -> None:
    from evaluation.service.load import Served, measure

    url, apart, _ = both
    found = measure(3, 1.5, Served(url, apart, os.getpid()))
    assert (found["readers"], found["errors"]) == (3, {})
    assert found["admitted"] > 0
    for name in ("admitted_p95_seconds", "health_worst_seconds", "health_apart_worst_seconds"):
        assert found[name] > 0, name
    assert found["memory_mb"][0] > 10
