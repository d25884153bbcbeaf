"""A real uvicorn as `bedside serve` runs it, and clients that do not finish what they begin."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

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


async def slow(request: Request) -> Response:
    import asyncio

    await asyncio.sleep(0.8)
    return PlainTextResponse("at last")


async def read(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    app = Starlette(routes=[Route("/slow", slow), Route("/read", read, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, http=Hasty, log_level="warning", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    until(lambda: server.started)
    yield listener.getsockname()[1]
    server.should_exit = True
    thread.join(10)
    listener.close()


@pytest.mark.parametrize("sent", [b"", b"GET /slow HTTP/1.1\r\nHost: x\r\nX-Half: "])
def test_headers_that_do_not_come_close_the_connection(port: int, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), 10) as client:
        client.sendall(sent)
        assert client.recv(100) == b"", "closed without an answer"


def test_headers_that_stop_half_way_in_a_second_request_close_it_too(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 10) as client:
        client.sendall(b"GET /none HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(10_000).startswith(b"HTTP/1.1 404")
        client.sendall(b"GET /none HTTP/1.1\r\nX-Half: ")
        assert client.recv(10_000) == b""


def test_an_answer_that_takes_longer_than_headers_may_is_waited_for(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 10) as client:
        client.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        received = b""
        while part := client.recv(10_000):
            received += part
        assert received.endswith(b"at last")


@pytest.mark.parametrize("drops", [0, 30])
def test_a_body_that_does_not_come_or_comes_by_the_drop_is_answered_with_408(port: int, drops: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 10) as client:
        began = time.monotonic()
        client.sendall(b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf")
        try:
            for _ in range(drops):
                client.sendall(b".")
                time.sleep(0.05)
        except OSError:
            pass  # closed already, while it was dripping
        if not drops:
            received = b""
            while part := client.recv(10_000):
                received += part
            assert received.startswith(b"HTTP/1.1 408 ")
            assert b"application/problem+json" in received
            assert b"Send it again, whole." in received
            assert time.monotonic() - began > 0.4
        else:
            client.settimeout(8)
            try:
                left = client.recv(10_000)
            except ConnectionResetError:
                left = b"HTTP/1.1 408 "
            assert left.startswith(b"HTTP/1.1 408 ")


def test_a_body_that_comes_slowly_but_comes_is_read(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 10) as client:
        client.sendall(b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 400000\r\nConnection: close\r\n\r\n")
        for _ in range(10):
            client.sendall(b"x" * 40_000)
            time.sleep(0.1)
        received = b""
        while part := client.recv(10_000):
            received += part
        assert received.endswith(b"400000")
