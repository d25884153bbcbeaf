"""The end of the service: answers finish, or are told; and while it goes on each request is known
by one id in every service."""

from __future__ import annotations

import io
import json
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient

from rag_api.api.server.closing import Closing, Server
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.audit import TrailQuery, read
from rag_api.embed import HttpEmbedder
from rag_api.main import create_app
from services.contract import request_ids
from services.contract.logs import JsonLines, TextFormatter
from services.embedder.app import create_app as embedder_app
from tests.support.scripted_server import Scripted, Step, quote
from tests.support.waiting import until
from tests.support.world import load_hospital

QUESTION = "hoeveel paracetamol iv bij een kind van 12 kg?"
STREAM = {"accept": "text/event-stream"}


@pytest.fixture(scope="module")
def container(dsn: str, scripted: Scripted, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"), database_url=dsn, store="memory", generator_url=scripted.url
    )
    with Container(settings) as made:
        load_hospital(made)
        yield made


@pytest.fixture
def app(container: Container, scripted: Scripted) -> Iterator[FastAPI]:
    yield create_app(container.settings, container)
    scripted.script = quote


@contextmanager
def serving(app: FastAPI) -> Iterator[tuple[str, Server]]:
    """As `bedside serve` does it, in a thread; ended as SIGTERM ends it when the block is left, or
    before."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = Server(uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=20))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    until(lambda: server.started or not thread.is_alive())
    assert server.started
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", server
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        listener.close()


def slow(seconds: float) -> object:
    """Return a script: the answer, after its first half a pause."""

    def script(request: dict[str, object]) -> list[Step]:
        first, *rest = quote(request)
        return [first, seconds, *rest]

    return script


def events(lines: Iterator[str], server: Server, stop_at: str) -> list[tuple[str, dict[str, object]]]:
    """Return the events of a stream; the service is asked to stop at the first one of a name."""
    found: list[tuple[str, dict[str, object]]] = []
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            found.append((name, json.loads(line.removeprefix("data: "))))
            server.should_exit = server.should_exit or name == stop_at
    return found


@pytest.mark.parametrize(("pause", "patience", "last"), [(1.0, 20.0, "done"), (30.0, 0.2, "failed")])
def test_a_stream_finishes_or_is_told_that_the_service_ends(
    app: FastAPI, scripted: Scripted, container: Container, pause: float, patience: float, last: str
) -> None:
    scripted.script = slow(pause)  # type: ignore[assignment]
    app.state.closing = Closing(patience)
    asked = {"question": QUESTION}
    with (
        serving(app) as (url, server),
        httpx.stream("POST", f"{url}/ask", json=asked, headers=STREAM, timeout=60) as response,
    ):
        found = events(response.iter_lines(), server, "found")
    assert found[-1][0] == last
    if last == "failed":
        assert (found[-1][1]["code"], "ask again" in str(found[-1][1]["message"])) == ("ending", True)


def test_an_answer_that_does_not_stream_is_refused_with_a_reason(app: FastAPI, scripted: Scripted) -> None:
    app.state.closing = Closing(0.2)
    with serving(app) as (url, server):

        def ends_as_it_is_asked(request: dict[str, object]) -> list[Step]:
            server.should_exit = True
            return [30.0, *quote(request)]

        scripted.script = ends_as_it_is_asked
        response = httpx.post(f"{url}/ask", json={"question": QUESTION}, timeout=60)
    assert (response.status_code, response.json()["code"]) == (503, "ending")


def test_it_is_ready_until_it_ends(app: FastAPI) -> None:
    with TestClient(app) as client:
        assert client.get("/health/ready").status_code == 204
        app.state.closing.begin()
        assert client.get("/health/ready").status_code == 503
        assert client.get("/health/live").status_code == 200


def test_it_is_not_ready_while_the_database_is_away(
    app: FastAPI, container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rag_api.errors import DatabaseUnavailable

    def away() -> str:
        raise DatabaseUnavailable("gone")

    with TestClient(app) as client:
        assert client.get("/health/ready").status_code == 204
        monkeypatch.setattr(container.db, "ping", away)
        until(lambda: client.get("/health/ready").status_code == 503)


GIVEN = "0123456789abcdef0123456789abcdef"


class TestRequestIds:
    @pytest.mark.parametrize("given", [GIVEN, "5f0c9a3e-6f0b-4c56-8a57-0d9b7b1f3c11", "Jan-Peeters-1975-03-02"])
    def test_the_trail_holds_a_clients_own_only_where_it_is_nothing_but_an_id(
        self, app: FastAPI, container: Container, given: str
    ) -> None:
        with TestClient(app) as client:
            answer = client.get("/documents", headers={"x-request-id": given})
        (last,) = read(container.db, TrailQuery(actions=("documents.listed",), limit=1))
        said = json.loads(last.text)["request"]
        assert said == answer.headers["x-request-id"]
        assert (said == given) is (given != "Jan-Peeters-1975-03-02")
        assert "Peeters" not in last.text

    def test_one_id_goes_through_all_services_and_comes_back(self, app: FastAPI, scripted: Scripted) -> None:
        with TestClient(app) as client:
            response = client.post("/ask", json={"question": QUESTION}, headers={"x-request-id": GIVEN})
        assert response.headers["x-request-id"] == GIVEN
        assert scripted.headers[-1]["x-request-id"] == GIVEN

    @pytest.mark.parametrize(
        "given",
        [
            "",
            "short",
            "with space and more",
            "x" * 65,
            'quote"quote"quote',
            "Jan-Peeters-1975-03-02-zaal-4-bed",
            GIVEN + "0",
        ],
    )
    def test_an_id_that_could_forge_a_line_or_carry_a_name_is_replaced(self, app: FastAPI, given: str) -> None:
        with TestClient(app) as client:
            found = client.get("/health/live", headers={"x-request-id": given}).headers["x-request-id"]
        assert found != given
        assert len(found) == 32

    def test_the_embedder_is_told(self) -> None:
        seen: list[str | None] = []

        def answer(request: httpx.Request) -> httpx.Response:
            seen.append(request.headers.get("x-request-id"))
            texts = json.loads(request.content)["input"]
            return httpx.Response(
                200, json={"data": [{"index": i, "embedding": [1.0, 0.0]} for i in range(len(texts))]}
            )

        embedder = HttpEmbedder("http://embedder/v1", "m", transport=httpx.MockTransport(answer))
        request_ids.begin([(b"x-request-id", GIVEN.encode())])
        embedder.query("x")
        embedder.close()
        assert seen == [None, GIVEN]

    def test_a_service_says_it_back_and_logs_it_without_query_and_body(self) -> None:
        written = io.StringIO()
        handler = logging.StreamHandler(written)
        handler.setFormatter(JsonLines())
        logger = logging.getLogger("services.contract.request_ids")
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        try:
            with TestClient(embedder_app(load=lambda _: None)) as client:  # type: ignore[arg-type,return-value]
                response = client.get("/v1/models?secret=geheim", headers={"x-request-id": GIVEN})
        finally:
            logger.removeHandler(handler)
        line = json.loads(written.getvalue())
        assert response.headers["x-request-id"] == GIVEN
        assert (line["request"], line["message"], line["status"]) == (GIVEN, "GET /v1/models", 200)
        assert "geheim" not in written.getvalue()

    def test_a_line_for_people_names_it_too(self) -> None:
        request_ids.begin([(b"x-request-id", GIVEN.encode())])
        assert "[01234567]" in TextFormatter().format(logging.makeLogRecord({"msg": "said", "levelname": "INFO"}))
