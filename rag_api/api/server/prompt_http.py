"""HTTP for uvicorn, by which a client that does not finish what it sends is not waited for without
end: its headers, or its body.

uvicorn closes idle connections only after a first response; nginx, where it stands in front, does
this too.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_SECONDS = 15.0  # as nginx's client_header_timeout
BODY_SECONDS = 30.0  # and as long again as what has come takes at LEAST_RATE
LEAST_RATE = 10_000  # bytes a second
_LATE = json.dumps(
    {
        "type": "about:blank",
        "title": "Request Timeout",
        "status": 408,
        "code": "too_slow",
        "detail": "The rest of the request did not come in time. Send it again, whole.",
    }
).encode()


class PromptHttp(HttpToolsProtocol):
    """Closes a connection on which no request's headers are complete within `header_seconds`, at
    its beginning or after a request; and one whose body does not come, or comes by the drop, with
    408."""

    header_seconds = HEADER_SECONDS
    body_seconds = BODY_SECONDS
    _closing: asyncio.TimerHandle | None = None
    _began = 0.0  # the body
    _received = 0  # bytes of it

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._closing = self.loop.call_later(self.header_seconds, self._give_up)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._closing is None:
            self._closing = self.loop.call_later(self.header_seconds, self._give_up)

    def on_headers_complete(self) -> None:
        self._forget()
        super().on_headers_complete()
        self._began, self._received = self.loop.time(), 0
        self._wait_for_body()

    def on_body(self, body: bytes) -> None:
        self._received += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._forget()
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _wait_for_body(self) -> None:
        self._closing = self.loop.call_at(
            self._began + self.body_seconds + self._received / LEAST_RATE, self._check_body
        )

    def _check_body(self) -> None:
        self._closing = None
        if self.flow.read_paused:  # it is we who do not read on
            self._began = self.loop.time()
        if self.loop.time() < self._began + self.body_seconds + self._received / LEAST_RATE:
            self._wait_for_body()
            return
        if not self.transport.is_closing() and not self.cycle.response_started:
            head = (
                f"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/problem+json\r\ncontent-length: "
                f"{len(_LATE)}\r\n"
            )
            self.transport.write(f"{head}connection: close\r\n\r\n".encode() + _LATE)
        self._give_up()

    def _forget(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None

    def _give_up(self) -> None:
        self._closing = None
        if not self.transport.is_closing():
            self.transport.close()
