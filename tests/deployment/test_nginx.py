"""nginx as production runs it: the very same configuration files, a real server, a small
upstream."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import socket
import ssl
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from rag_api.api.server.page import ADDRESSES
from tests.deployment.nginx import MISSING, NGINX, Gate, nginx
from tests.support.http_server import served
from tests.support.ports import free_port

pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))

# paths that look like files
DOTTED = ("/api/gaps.csv", "/api/openapi.json", "/api/judged/ronde.1", "/api/judged/a/questions/1.2")
PAUSE = 0.6  # seconds between two events of the upstream's answer
ARRIVED = threading.Semaphore(0)  # an event of an answer "by word", which sends the next one only then
SCRIPT = 200  # questions of one address at once: on any machine more than 50, and 5 for each second that they take


def upstream_app(file: Path) -> Starlette:
    async def events(asked: bytes) -> AsyncIterator[str]:
        for number in range(3):
            yield f"event: token\ndata: {number}\n\n"
            await (asyncio.to_thread(ARRIVED.acquire, timeout=60) if asked == b"by word" else asyncio.sleep(PAUSE))

    async def ask(request: Request) -> Response:
        asked = await request.body()
        if asked == b"silent":
            await asyncio.sleep(8)
        return StreamingResponse(events(asked), media_type="text/event-stream")

    async def documents(request: Request) -> Response:
        return JSONResponse({"bytes": len(await request.body()), "headers": dict(request.headers)})

    async def busy(request: Request) -> Response:
        return JSONResponse({"code": "too_busy"}, 429, {"Retry-After": "7"})

    async def document_file(request: Request) -> Response:
        return FileResponse(file, media_type="application/pdf", headers={"Content-Security-Policy": "sandbox"})

    return Starlette(
        routes=[
            Route("/api/ask", ask, methods=["POST"]),
            Route("/api/v1/chat/completions", ask, methods=["POST"]),
            Route("/api/documents", documents, methods=["GET", "POST"]),
            Route("/api/documents/d1/file", document_file),
            Route("/api/metrics", documents),
            Route("/api/busy", busy),
            *(Route(path, documents, methods=["GET", "POST"]) for path in (*DOTTED, "/api/judged/ronde.1/csv")),
        ]
    )


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Not pytest's own: that one is closed to other users, and the workers of a root's nginx are
    another user."""
    with tempfile.TemporaryDirectory(prefix="bedside-nginx-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def gate(folder: Path) -> Iterator[Gate]:
    pdf = folder / "a.pdf"
    pdf.write_bytes(bytes(range(256)) * 4096)
    web = folder / "web"
    (web / "assets").mkdir(parents=True)
    (web / "index.html").write_text("<!doctype html><title>Bedside</title>")
    (web / "assets" / "app-1a2b.js").write_text("1")
    (web / "docs").mkdir()
    (web / "docs" / "index.html").write_text("<!doctype html><title>The API</title>")
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(upstream_app(pdf), port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    with nginx(folder, f"127.0.0.1:{port}", web) as found:
        while not server.started:
            time.sleep(0.02)
        yield found
    server.should_exit = True
    thread.join(10)


def request(
    gate: Gate, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPSConnection("localhost", gate.https, context=gate.context(), timeout=20)
    connection.request(method, path, body, headers or {})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


@pytest.mark.parametrize("path", ["/api/ask", "/api/v1/chat/completions"])
def test_an_answer_arrives_word_by_word(gate: Gate, path: str) -> None:
    connection = http.client.HTTPSConnection("localhost", gate.https, context=gate.context(), timeout=20)
    connection.request("POST", path, b"by word", {"Accept": "text/event-stream"})
    response = connection.getresponse()
    arrived = []
    while line := response.readline():  # what is held back is never followed by another
        if line.startswith(b"data: "):
            arrived.append(line)
            ARRIVED.release()
    connection.close()
    assert arrived == [b"data: 0\n", b"data: 1\n", b"data: 2\n"]


@pytest.mark.parametrize(
    "path", ["/", "/c/1b6b0c1e", "/docs", "/assets/app-1a2b.js", "/missing.js", "/missing", "/healthz"]
)
def test_every_answer_of_its_own_carries_the_security_headers_once(gate: Gate, path: str) -> None:
    response, _ = request(gate, "GET", path)
    for name in (
        "Strict-Transport-Security",
        "X-Content-Type-Options",
        "X-Frame-Options",
        "Referrer-Policy",
        "Content-Security-Policy",
    ):
        assert len(response.headers.get_all(name) or []) == 1, f"{path}: {name}"
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "'unsafe-eval'" not in policy
    assert "'unsafe-inline'" not in policy
    assert response.headers["Server"] == "nginx", "the version is nobody's business"


def test_the_services_own_headers_pass_and_are_not_doubled(gate: Gate) -> None:
    response, _ = request(gate, "GET", "/api/documents/d1/file")
    assert response.headers.get_all("Content-Security-Policy") == ["sandbox"]
    assert len(response.headers.get_all("Strict-Transport-Security") or []) == 1


def test_addresses_within_the_page_are_the_page_and_missing_files_are_not(gate: Gate) -> None:
    """The addresses are those of the page's source, so that a new one is told here."""
    assert ADDRESSES in (NGINX / "templates/bedside.conf.template").read_text()
    source = (NGINX.parent / "web/src/state/window/route.ts").read_text()
    own = re.findall(r'"(/[a-z]+/[a-z]+)"', source)
    assert len(own) >= 7
    for path in (*own, "/", "/c/1b6b0c1e", "/d/0f", "/a/1b6b0c1e/"):
        response, content = request(gate, "GET", path + "?q=x")
        assert (path, response.status, response.headers["Cache-Control"]) == (path, 200, "no-cache")
        assert b"<title>Bedside" in content
        assert re.match(ADDRESSES, path)
    for path in ("/docs", "/docs/"):
        described, content = request(gate, "GET", path)
        assert (described.status, described.headers["Content-Type"]) == (200, "text/html")
        assert b"<title>The API" in content
    assert request(gate, "GET", "/assets/gone.js")[0].status == 404
    asset, _ = request(gate, "GET", "/assets/app-1a2b.js")
    assert "immutable" in asset.headers["Cache-Control"]
    assert asset.headers["Content-Type"].startswith(("application/javascript", "text/javascript"))


@pytest.mark.parametrize("path", ["/nothing", "/v1/chat", "/c", "/c/1/2", "/admin", "/ask", "/missing.js", "/assets/"])
def test_any_other_path_is_a_404_in_json_or_the_page_that_says_so_to_a_browser(gate: Gate, path: str) -> None:
    response, content = request(gate, "GET", path)
    assert response.status == 404
    if path != "/assets/":
        assert (response.headers["Content-Type"], json.loads(content)["code"]) == (
            "application/problem+json",
            "not_found",
        )
        response, content = request(gate, "GET", path, headers={"Accept": "text/html,*/*;q=0.8"})
        assert (response.status, response.headers["Cache-Control"]) == (404, "no-cache")
        assert b"<title>Bedside" in content


def test_parts_of_a_file_can_be_asked_for(gate: Gate) -> None:
    response, content = request(gate, "GET", "/api/documents/d1/file", headers={"Range": "bytes=256-511"})
    assert response.status == 206
    assert content == bytes(range(256))
    assert response.headers["Content-Range"] == f"bytes 256-511/{256 * 4096}"


@pytest.mark.parametrize("path", DOTTED)
def test_a_path_of_the_api_that_looks_like_a_file_is_the_apis(gate: Gate, path: str) -> None:
    response, _ = request(gate, "GET", path)
    assert (response.status, response.headers["Content-Type"]) == (200, "application/json")


def test_a_judged_set_may_be_as_large_as_the_api_takes_it(gate: Gate) -> None:
    assert request(gate, "POST", "/api/judged/ronde.1/csv", bytes(19 * 1024 * 1024))[0].status == 200
    assert request(gate, "POST", "/api/judged/ronde.1/csv", bytes(22 * 1024 * 1024))[0].status == 413
    assert request(gate, "POST", "/api/judged/ronde.1", bytes(2 * 1024 * 1024))[0].status == 413


def test_a_body_over_the_limit_is_refused_with_a_problem_document(gate: Gate) -> None:
    question = b"x" * 65_537
    response, content = request(gate, "POST", "/api/ask", question)
    assert response.status == 413
    assert response.headers["Content-Type"] == "application/problem+json"
    assert json.loads(content)["code"] == "too_large"
    assert request(gate, "POST", "/api/documents", bytes(2 * 1024 * 1024 + 1))[0].status == 413
    response, content = request(gate, "POST", "/api/documents", bytes(2 * 1024 * 1024))
    assert (response.status, json.loads(content)["bytes"]) == (200, 2 * 1024 * 1024)


def test_a_clients_claims_about_itself_are_overwritten(gate: Gate) -> None:
    claims = {"X-Forwarded-For": "10.0.0.1", "X-Forwarded-Proto": "http", "X-Request-ID": "of-the-client"}
    _, content = request(gate, "GET", "/api/documents", headers=claims)
    headers = json.loads(content)["headers"]
    assert headers["x-forwarded-for"] == "127.0.0.1"
    assert headers["x-forwarded-proto"] == "https"
    assert len(headers["x-request-id"]) == 32


def test_a_stream_that_falls_silent_is_given_up_and_a_whole_answer_is_waited_for(gate: Gate) -> None:
    began = time.monotonic()
    with ThreadPoolExecutor(1) as others:
        whole = others.submit(request, gate, "POST", "/api/ask", b"silent")
        response, content = request(gate, "POST", "/api/ask", b"silent", {"Accept": "text/event-stream"})
        assert (response.status, json.loads(content)["code"]) == (503, "unavailable")
        assert time.monotonic() - began > 4
        assert whole.result()[0].status == 200
    assert time.monotonic() - began > 8


def test_a_line_of_the_log_says_which_service_was_asked_and_under_which_id(gate: Gate, folder: Path) -> None:
    _, content = request(gate, "GET", "/api/documents")
    asked = json.loads(content)["headers"]["x-request-id"]
    until = time.monotonic() + 300
    while asked not in (text := (folder / "nginx.log").read_text()) and time.monotonic() < until:
        time.sleep(0.05)
    (line,) = (json.loads(line) for line in text.splitlines() if asked in line)
    assert (line["message"], line["status"], line["request"]) == ("GET /api/documents", 200, asked)
    assert line["asked"].startswith("127.0.0.1:")
    assert float(line["waited"]) >= 0


def test_an_address_that_asks_like_a_script_is_refused_with_a_time(gate: Gate) -> None:
    """Questions of one address: 5 a second and 50 at a time. All are sent before any is answered:
    how fast a connection is made, and a client goes on, is not part of it."""
    asked = b"GET /api/ask HTTP/1.1\r\nHost: localhost\r\n\r\n" * (SCRIPT - 1)
    last = b"GET /api/ask HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with (
        socket.create_connection(("localhost", gate.https), 60) as plain,
        gate.context().wrap_socket(plain, server_hostname="localhost") as secure,
    ):
        secure.sendall(asked + last)
        received = b"".join(iter(lambda: secure.recv(65_536), b""))
    found = [answer.partition(b"\r\n\r\n") for answer in received.split(b"HTTP/1.1 ")[1:]]
    refused = [(head, content) for head, _, content in found if head.startswith(b"429 ")]
    assert len(found) == SCRIPT
    assert len(found) - len(refused) >= 50
    assert refused
    assert all(b"\r\nRetry-After: 2" in head for head, _ in refused)
    assert all(json.loads(content)["code"] == "too_many_requests" for _, content in refused)
    assert request(gate, "GET", "/api/documents")[0].status == 200, "other routes have a limit of their own"


def test_an_address_has_so_many_requests_at_a_time_and_no_more(gate: Gate) -> None:
    """Two hundred, each with a body that does not come."""
    begun = b"POST /api/judged/ronde.1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n"
    with ExitStack() as held:
        for _ in range(200):
            plain = held.enter_context(socket.create_connection(("localhost", gate.https), 20))
            held.enter_context(gate.context().wrap_socket(plain, server_hostname="localhost")).sendall(begun)
        wait(lambda: request(gate, "GET", "/api/judged/ronde.1")[0].status == 429)
        response, content = request(gate, "GET", "/api/judged/ronde.1")
        assert (response.status, response.headers["Retry-After"], json.loads(content)["code"]) == (
            429,
            "2",
            "too_many_requests",
        )
    wait(lambda: request(gate, "GET", "/api/judged/ronde.1")[0].status == 200)


def wait(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.1)


def test_the_services_own_429_passes_as_it_is(gate: Gate) -> None:
    response, content = request(gate, "GET", "/api/busy")
    assert (response.status, response.headers["Retry-After"], json.loads(content)["code"]) == (429, "7", "too_busy")


def test_a_client_that_does_not_finish_its_headers_is_not_waited_for() -> None:
    configuration = (NGINX / "nginx.conf").read_text()
    assert "client_header_timeout 15s;" in configuration
    assert "client_body_timeout 30s;" in configuration


def test_metrics_are_not_for_the_outside(gate: Gate) -> None:
    assert request(gate, "GET", "/api/metrics")[0].status == 404


def test_plain_http_leads_to_https(gate: Gate) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", gate.http, timeout=10)
    connection.request("GET", "/c/1?x=2", headers={"Host": "bedside.example"})
    response = connection.getresponse()
    assert response.status == 308
    assert response.headers["Location"] == "https://bedside.example/c/1?x=2"
    connection.close()


@pytest.mark.parametrize(
    ("public", "address"),
    [
        ("8443", "bedside.example:8443"),
        ("10.0.0.7:9443", "bedside.example:9443"),
        ("10.0.0.7:443", "bedside.example"),
        ("1443", "bedside.example:1443"),
    ],
)
def test_plain_http_leads_to_the_port_that_https_has(folder: Path, public: str, address: str) -> None:
    with nginx(folder / public.replace(":", "_"), "127.0.0.1:9", folder / "web", public_https=public) as gate:
        connection = http.client.HTTPConnection("127.0.0.1", gate.http, timeout=10)
        connection.request("GET", "/c/1?x=2", headers={"Host": "bedside.example:8080"})
        assert connection.getresponse().headers["Location"] == f"https://{address}/c/1?x=2"
        connection.close()


@pytest.mark.parametrize(
    ("hands_free", "microphone"),
    [("false", "microphone=()"), ("true", "microphone=(self)"), ("1", "microphone=(self)")],
)
def test_the_page_may_ask_for_the_microphone_where_that_is_configured(
    folder: Path, hands_free: str, microphone: str
) -> None:
    with nginx(folder / f"hands-free-{hands_free}", "127.0.0.1:9", folder / "web", hands_free=hands_free) as gate:
        assert request(gate, "GET", "/")[0].headers["Permissions-Policy"] == f"camera=(), geolocation=(), {microphone}"


@pytest.mark.parametrize(
    ("version", "spoken"),
    [(ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True)],
)
def test_only_tls_1_2_and_newer_are_spoken(gate: Gate, version: ssl.TLSVersion, spoken: bool) -> None:
    context = gate.context()
    if version is ssl.TLSVersion.TLSv1_1:
        context.set_ciphers("ALL:@SECLEVEL=0")  # else the client itself would refuse
        with pytest.warns(DeprecationWarning, match="TLSv1_1 is deprecated"):
            context.minimum_version = context.maximum_version = version
    else:
        context.minimum_version = context.maximum_version = version
    with socket.create_connection(("127.0.0.1", gate.https), 10) as plain:
        if spoken:
            with context.wrap_socket(plain, server_hostname="localhost") as secure:
                assert secure.version() == version.name.replace("_", ".")
        else:
            with pytest.raises(ssl.SSLError):
                context.wrap_socket(plain, server_hostname="localhost")


def test_when_the_service_is_down_the_page_still_comes_and_hears_why(folder: Path) -> None:
    (folder / "alone").mkdir(mode=0o755)
    with nginx(folder / "alone", f"127.0.0.1:{free_port()}", folder / "web") as gate:
        assert request(gate, "GET", "/")[0].status == 200
        response, content = request(gate, "POST", "/api/ask", b"{}")
        assert response.status == 503
        assert json.loads(content)["code"] == "unavailable"


def test_health_is_asked_where_no_question_keeps_it_waiting(folder: Path) -> None:
    async def well(request: Request) -> Response:
        return JSONResponse({"path": request.url.path})

    (folder / "health").mkdir(mode=0o755)
    paths = ("/api/health", "/api/health/ready")
    app = Starlette(routes=[Route(path, well) for path in paths])
    nobody = f"127.0.0.1:{free_port()}"
    with (
        served(app) as url,
        nginx(folder / "health", nobody, folder / "web", health=url.removeprefix("http://")) as gate,
    ):
        for path in paths:
            response, content = request(gate, "GET", path)
            assert (response.status, json.loads(content)) == (200, {"path": path})
        assert request(gate, "GET", "/api/session")[0].status == 503


def test_an_answer_that_is_being_sent_is_finished_when_the_server_is_asked_to_end(folder: Path) -> None:
    """By the signal that the image names; the usual one cuts every answer."""
    named = re.search(r"^STOPSIGNAL (\w+)$", (NGINX / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert named
    (folder / "ending").mkdir(mode=0o755)
    pdf = folder / "ending" / "a.pdf"
    pdf.touch()
    with (
        served(upstream_app(pdf)) as url,
        nginx(folder / "ending", url.removeprefix("http://"), folder / "web") as gate,
    ):
        connection = http.client.HTTPSConnection("localhost", gate.https, context=gate.context(), timeout=20)
        connection.request("POST", "/api/ask", b"{}", {"Accept": "text/event-stream"})
        response = connection.getresponse()
        assert response.readline() == b"event: token\n"
        os.kill(int((folder / "ending" / "run" / "nginx.pid").read_text()), signal.Signals[named[1]])
        assert response.read().count(b"event: token") == 2  # to the end
        connection.close()
        with pytest.raises(ConnectionError):
            request(gate, "GET", "/healthz")
