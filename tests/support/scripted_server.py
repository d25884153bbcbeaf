"""A generator that does as it is told: OpenAI's protocol over real HTTP, for the failures that a
real one cannot be asked for."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Step = str | dict[str, Any] | float | None
# What a script says: a string is sent as it is, a dict as a `data:` line, a number is a pause in
# seconds, None cuts the connection.
Script = Callable[[dict[str, Any]], Iterable[Step]]


def piece(
    text: str = "", *, finish: str | None = None, spans: list[dict[str, Any]] | None = None, **extension: Any
) -> dict[str, Any]:
    """A stream chunk as our generator sends it."""
    choice = {"index": 0, "delta": {"content": text} if text else {}, "finish_reason": finish}
    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "scripted", "choices": [choice]}
    extra = {"spans": spans or [], **extension}
    return chunk | ({"bedside": extra} if spans or extension else {})


def stats(tokens: int = 8, steps: int = 2) -> dict[str, Any]:
    return {"tokens": tokens, "steps": steps, "tokens_per_step": tokens / steps}


def quote(request: dict[str, Any]) -> list[Step]:
    """An honest verbatim answer: the likeliest candidate, in two pieces."""
    best = max(request["bedside"]["candidates"], key=lambda c: c["score"])
    text = request["documents"][int(best["document"])]["text"][best["start"] : best["end"]]
    half = len(text) // 2
    span = {
        "start": 0,
        "end": len(text),
        "document": best["document"],
        "source_start": best["start"],
        "source_end": best["end"],
    }
    last = piece(finish="stop", prompt_version="quote-nl-1", stats=stats())
    return [piece(text[:half]), piece(text[half:], spans=[span]), last, "data: [DONE]\n\n"]


@dataclass
class Scripted:
    """The running server. Set `script` or `status`; read what was asked."""

    url: str
    script: Script = quote
    status: int = 200
    silent: bool = False  # says nothing any more, not even what its models are
    body: str = ""  # what a status other than 200 comes with
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)  # a client went away in mid-stream
    gone: threading.Event = field(default_factory=threading.Event)  # the server is closing


@contextmanager
def scripted_server() -> Iterator[Scripted]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            return None

        def do_GET(self) -> None:
            if state.silent:
                state.gone.wait(60)
                return
            self._send(200, json.dumps({"object": "list", "data": [{"id": "scripted"}]}))

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            state.requests.append(request)
            state.headers.append({name.lower(): value for name, value in self.headers.items()})
            if state.status != 200:
                return self._send(state.status, state.body)
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            try:
                for step in state.script(request):
                    if step is None:
                        return None
                    if isinstance(step, float):
                        self._pause(step)
                        continue
                    self.wfile.write((step if isinstance(step, str) else f"data: {json.dumps(step)}\n\n").encode())
                    self.wfile.flush()
            except OSError:
                state.hung_up.set()

        def _pause(self, seconds: float) -> None:
            """Comments meanwhile, for a closed connection is noticed only by writing; a silent
            server writes none."""
            if state.silent:
                state.gone.wait(seconds)
                return
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                time.sleep(0.02)
                self.wfile.write(b": waiting\n\n")
                self.wfile.flush()

        def _send(self, status: int, body: str) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state = Scripted(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.gone.set()
        server.shutdown()
        server.server_close()
        thread.join()
