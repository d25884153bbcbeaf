"""A real uvicorn as `bedside serve` runs it, and clients that do not finish what they begin. Its
clock stands still until a test moves it: how fast the machine is makes no difference."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from rag_api.api.server.prompt_http import PromptHttp
from tests.support.waiting import until

pytestmark = pytest.mark.quick


class Hasty(PromptHttp):
    header_seconds = 0.3
    body_seconds = 0.5


class Loop(asyncio.SelectorEventLoop):
    now = 0.0

    def time(self) -> float:
        return self.now

    def pass_time(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class Uvicorn:
    listener: socket.socket
    loop: Loop = field(default_factory=Loop)
    received: int = 0  # bytes of the last request's body

    def connect(self) -> socket.socket:
        return socket.create_connection(self.listener.getsockname(), 10)

    def has(self, received: int) -> bool:
        return self.received == received

    def wait(self, seconds: float) -> None:
        self.loop.call_soon_threadsafe(self.loop.pass_time, seconds)

    def rest(self, client: socket.socket) -> bytes:
        """What still comes until the connection is closed, while time goes on."""
        client.settimeout(0.02)
        parts: list[bytes] = []

        def closed() -> bool:
            try:
                parts.append(client.recv(10_000))
            except TimeoutError:
                self.wait(0.1)
                return False
            return not parts[-1]

        until(closed)
        return b"".join(parts)


@pytest.fixture(scope="module")
def server() -> Iterator[Uvicorn]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    found = Uvicorn(listener)

    async def slow(request: Request) -> Response:
        await asyncio.sleep(0.8)
        return PlainTextResponse("at last")

    async def read(request: Request) -> Response:
        found.received = 0
        async for part in request.stream():
            found.received += len(part)
        return PlainTextResponse(str(found.received))

    app = Starlette(routes=[Route("/slow", slow), Route("/read", read, methods=["POST"])])
    running = uvicorn.Server(uvicorn.Config(app, http=Hasty, log_level="warning", ws="none"))
    serve = running.serve([listener])
    thread = threading.Thread(target=found.loop.run_until_complete, args=[serve], daemon=True)
    thread.start()
    until(lambda: running.started)
    yield found
    running.should_exit = True

    def ended() -> bool:
        if thread.is_alive():
            found.wait(0.1)
        return not thread.is_alive()

    until(ended)
    found.loop.close()
    listener.close()


@pytest.mark.parametrize("sent", [b"", b"GET /slow HTTP/1.1\r\nHost: x\r\nX-Half: "])
def test_headers_that_do_not_come_close_the_connection(server: Uvicorn, sent: bytes) -> None:
    with server.connect() as client:
        client.sendall(sent)
        assert server.rest(client) == b"", "closed without an answer"


def test_headers_that_stop_half_way_in_a_second_request_close_it_too(server: Uvicorn) -> None:
    with server.connect() as client:
        client.sendall(b"GET /none HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        while not answer.endswith(b"Not Found"):
            answer += client.recv(10_000)
        assert answer.startswith(b"HTTP/1.1 404")
        client.sendall(b"GET /none HTTP/1.1\r\nX-Half: ")
        assert server.rest(client) == b""


def test_an_answer_that_takes_longer_than_headers_may_is_waited_for(server: Uvicorn) -> None:
    with server.connect() as client:
        client.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert server.rest(client).endswith(b"at last")


@pytest.mark.parametrize("drops", [0, 30])
def test_a_body_that_does_not_come_or_comes_by_the_drop_is_answered_with_408(server: Uvicorn, drops: int) -> None:
    with server.connect() as client:
        began = server.loop.now
        client.sendall(b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf")
        try:
            for _ in range(drops):
                client.sendall(b".")
                server.wait(0.05)
        except OSError:
            pass  # closed already, while it was dripping
        if not drops:
            received = server.rest(client)
            assert received.startswith(b"HTTP/1.1 408 ")
            assert b"application/problem+json" in received
            assert b"Send it again, whole." in received
            assert server.loop.now - began >= Hasty.body_seconds
        else:
            try:
                left = server.rest(client)
            except ConnectionResetError:
                left = b"HTTP/1.1 408 "
            assert left.startswith(b"HTTP/1.1 408 ")


def test_a_body_that_comes_slowly_but_comes_is_read(server: Uvicorn) -> None:
    with server.connect() as client:
        client.sendall(b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 400000\r\nConnection: close\r\n\r\n")
        for sent in range(40_000, 400_001, 40_000):
            client.sendall(b"x" * 40_000)
            until(partial(server.has, sent))
            server.wait(3)  # six times what a body may take of which no more comes
        assert server.rest(client).endswith(b"400000")
