"""Traces: one for each request, through the services that it goes through; none where no collector
is configured."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest
from fastapi.testclient import TestClient
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.main import create_app
from services.contract import traces
from services.embedder.app import create_app as embedder_app
from tests.support.scripted_server import scripted_server
from tests.support.world import load_hospital

QUESTION = "hoeveel paracetamol iv bij een kind van 12 kg?"


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    made = InMemorySpanExporter()
    provider = traces.configure("test", None, made)
    yield made
    provider.shutdown()
    traces.configure("test", None)


def by_name(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


def test_a_question_is_one_trace_with_its_call_of_the_generator(
    exporter: InMemorySpanExporter, dsn: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with scripted_server() as generator:
        folder = tmp_path_factory.mktemp("data")
        settings = Settings(data_dir=folder, database_url=dsn, store="memory", generator_url=generator.url)
        with Container(settings) as container:
            load_hospital(container)
            with TestClient(create_app(settings, container)) as client:
                assert client.post("/ask", json={"question": QUESTION}).json()["status"] == "answered"
        sent = generator.headers[-1]["traceparent"]
    found = by_name(exporter)
    asked, called = found["POST /ask"], found["generator"]
    assert asked.context is not None
    assert called.context is not None
    assert called.parent is not None
    assert called.parent.span_id == asked.context.span_id
    assert sent.split("-")[1:3] == [f"{called.context.trace_id:032x}", f"{called.context.span_id:016x}"]
    assert asked.attributes is not None
    assert asked.attributes["http.response.status_code"] == 200
    assert len(str(asked.attributes["bedside.request"])) == 32
    assert "paracetamol" not in "".join(span.to_json() for span in exporter.get_finished_spans())


def test_a_service_goes_on_with_the_trace_that_it_is_asked_in(exporter: InMemorySpanExporter) -> None:
    with TestClient(embedder_app(load=lambda _: None)) as client:  # type: ignore[arg-type,return-value]
        client.get("/v1/models", headers={"traceparent": f"00-{7:032x}-{9:016x}-01"})
    span = by_name(exporter)["GET /v1/models"]
    assert span.context is not None
    assert span.parent is not None
    assert (span.context.trace_id, span.parent.span_id) == (7, 9)


def test_without_a_collector_nothing_is_traced_and_nothing_imported() -> None:
    with traces.call("generator") as headers:
        assert headers == {}
    with traces.request("GET", {}) as span:
        span.say("GET /", http__response__status_code=200)
    program = "import sys; from services.contract import logs, request_ids, traces; traces.configure('bedside', None);"
    program += "print(any(name.startswith('opentelemetry') for name in sys.modules))"
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
        == "False"
    )


def test_spans_reach_a_collector_over_http() -> None:
    received: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = HTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    provider = traces.configure("bedside", f"http://127.0.0.1:{server.server_port}")
    try:
        with traces.request("GET", {}) as span:
            span.say("GET /health")
        provider.shutdown()
    finally:
        traces.configure("bedside", None)
        server.shutdown()
        server.server_close()
    ((path, body),) = received
    assert path == "/v1/traces"
    assert b"GET /health" in body


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="otlp_url"):
        Settings(otlp_url="collector:4318")
    assert httpx.URL(str(Settings(otlp_url="http://collector:4318").otlp_url)).port == 4318
