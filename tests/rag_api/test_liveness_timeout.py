"""A service that says nothing is given up once it does not even say that it lives; a busy one is
waited for."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from rag_api.config import Settings
from rag_api.container import Lazy
from rag_api.embed import HttpEmbedder
from rag_api.embed import http as embedder_http
from rag_api.errors import EmbedderUnavailable, StoreUnavailable
from rag_api.ingest.sources.retries import with_retries
from rag_api.liveness_timeout import begun_again, while_alive
from rag_api.stores.weaviate import connection as weaviate_connection
from rag_api.stores.weaviate.connection import WeaviateConnection


def test_what_takes_long_is_waited_for_as_long_as_the_service_lives() -> None:
    looked, enough = [], threading.Event()

    def alive() -> None:
        looked.append(1)
        if len(looked) == 3:
            enough.set()

    assert while_alive(lambda: enough.wait() and "done", alive, quiet=0.01) == "done"
    assert len(looked) >= 3


def test_a_service_that_does_not_say_that_it_lives_is_given_up() -> None:
    never = threading.Event()

    def alive() -> None:
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        while_alive(never.wait, alive, quiet=0.01)
    never.set()


def test_nothing_is_waited_for_longer_than_is_said() -> None:
    never = threading.Event()
    with pytest.raises(TimeoutError):
        while_alive(never.wait, lambda: None, quiet=0.01, most=0.05)
    never.set()


def test_what_a_call_raises_is_raised_as_it_is() -> None:
    def fail() -> None:
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        while_alive(fail, lambda: None)


def test_a_call_that_is_stuck_is_begun_again_beside_it_and_the_first_answer_counts() -> None:
    begun, never = [], threading.Event()

    def act() -> int:
        begun.append(1)
        if len(begun) < 3:
            never.wait()
        return len(begun)

    assert begun_again(act, 0.01) == 3
    never.set()


def test_a_call_that_was_begun_again_fails_once_all_have_failed() -> None:
    begun, both = [], threading.Event()

    def act() -> None:
        begun.append(1)
        if len(begun) == 2:
            both.set()
        both.wait()
        raise StoreUnavailable(f"{len(begun)} begun")

    with pytest.raises(StoreUnavailable, match="2 begun"):
        begun_again(act, 0.01)


def test_what_a_stuck_call_raises_when_another_sets_it_free_is_no_failure() -> None:
    begun, second, first_failed = [], threading.Event(), threading.Event()

    def act() -> str:
        begun.append(1)
        if len(begun) == 1:
            second.wait()
            first_failed.set()
            raise StoreUnavailable("the connection was closed")
        second.set()
        first_failed.wait()
        return "written"

    assert begun_again(act, 0.01) == "written"


@contextmanager
def silent() -> Iterator[int]:
    """The port of a process that stands still: the kernel takes connections, nobody answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


class Once(BaseHTTPRequestHandler):
    """An embedder that answers once, then stands still."""

    answers = 1
    released = threading.Event()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(b'{"data": [{"index": 0, "embedding": [1.0, 0.0]}]}')

    def do_GET(self) -> None:
        self._answer(b"{}")

    def _answer(self, body: bytes) -> None:
        type(self).answers -= 1
        if self.answers < 0:
            self.released.wait(30)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return None


def test_an_embedder_that_stands_still_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedder_http, "ALIVE", 0.1)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Once)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    embedder = HttpEmbedder(f"http://127.0.0.1:{server.server_port}/v1", "m")
    try:
        with pytest.raises(EmbedderUnavailable):
            embedder.query("hoeveel?")  # it waited for two minutes
    finally:
        Once.released.set()
        embedder.close()
        server.shutdown()
        server.server_close()


def test_a_weaviate_that_stands_still_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weaviate_connection, "ALIVE", 0.1)
    monkeypatch.setattr(weaviate_connection, "check_version", lambda client: None)
    monkeypatch.setattr(weaviate_connection, "connect", lambda node, settings: object())
    with silent() as port:
        connection = WeaviateConnection(Settings(store="weaviate", weaviate_url=f"http://127.0.0.1:{port}"))
        never = threading.Event()
        with pytest.raises(StoreUnavailable):
            connection.do(lambda client: never.wait())  # it waited for half a minute
        never.set()


class Part:
    """Away for so many calls."""

    name = "part"

    def __init__(self, away: int) -> None:
        self.away = away

    def put(self, what: str) -> str:
        self.away -= 1
        if self.away >= 0:
            raise StoreUnavailable("away")
        return what


def test_an_ingestion_waits_for_a_part_that_comes_back_and_not_for_ever() -> None:
    part = with_retries(Part(away=1), 5.0)
    assert (part.put("a"), part.name) == ("a", "part")
    with pytest.raises(StoreUnavailable):
        with_retries(Part(away=100), 0.4).put("a")
    with pytest.raises(StoreUnavailable):
        with_retries(Part(away=1), 0.0).put("a")


def test_what_is_no_absence_is_not_waited_out() -> None:
    class Wrong:
        calls = 0

        def put(self) -> None:
            self.calls += 1
            raise ValueError("wrong")

    part = Wrong()
    with pytest.raises(ValueError, match="wrong"):
        with_retries(part, 60.0).put()
    assert part.calls == 1


def test_a_reader_does_not_wait_for_a_part_that_was_away_and_is_long_in_opening() -> None:
    there, opened = threading.Event(), []

    def open_it() -> str:
        opened.append(1)
        if len(opened) == 1:
            raise StoreUnavailable("away")
        there.wait()
        return "part"

    part = Lazy(open_it, StoreUnavailable)
    part.patience = 0.05
    for _ in range(4):
        with pytest.raises(StoreUnavailable):
            part.get()
    part.patience = 30.0
    there.set()
    assert (part.get(), part.get(), len(opened)) == ("part", "part", 2)


@pytest.mark.parametrize("patience", [None, 30.0])
def test_a_part_that_could_not_be_opened_is_tried_again_by_the_next(patience: float | None) -> None:
    tries = iter([StoreUnavailable("away"), None])

    def open_it() -> str:
        if (error := next(tries)) is not None:
            raise error
        return "part"

    part = Lazy(open_it, StoreUnavailable)
    part.patience = patience
    with pytest.raises(StoreUnavailable, match="away"):
        part.get()
    assert part.get() == "part"
