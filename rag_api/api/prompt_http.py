"""HTTP for uvicorn, by which a client that opens a connection and does not finish its headers is not waited for without end.

uvicorn closes idle connections only after a first response; nginx, where it stands in front, does this too.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_SECONDS = 15.0  # as nginx's client_header_timeout


class PromptHttp(HttpToolsProtocol):
    """Closes a connection on which no request's headers are complete within `header_seconds`, at its beginning or after a request."""

    header_seconds = HEADER_SECONDS
    _closing: asyncio.TimerHandle | None = None

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

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _forget(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None

    def _give_up(self) -> None:
        self._closing = None
        if not self.transport.is_closing():
            self.transport.close()
