"""A request's id, the same in every service that works on it: taken from who asks or made here,
sent on, sent back, in every log line.

nginx gives each request one and overwrites what a client claims; without it a client's own counts
where it has the shape of an id. Knows ASGI and no service.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from contextvars import ContextVar
from typing import Any

from services.contract import traces

HEADER = "x-request-id"
# As nginx and other proxies make them: 32 hex digits, or a UUID. Anything else could forge a log
# line, or carry a name into the audit trail, where it could not be erased.
SOUND = re.compile(rb"[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_current: ContextVar[str] = ContextVar("request_id", default="")

log = logging.getLogger(__name__)


def current() -> str:
    """Return the id of the request that is worked on; empty outside of one."""
    return _current.get()


def sent_on() -> dict[str, str]:
    """Return the header for another service."""
    return {HEADER: current()} if current() else {}


def begin(headers: list[tuple[bytes, bytes]]) -> str:
    """Take the id that came with the request, or make one; from now on it is `current` in this task
    and what it starts."""
    given = next((value for name, value in headers if name == HEADER.encode()), b"")
    request_id = given.decode() if SOUND.fullmatch(given) else uuid.uuid4().hex
    _current.set(request_id)
    return request_id


def headers_of(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}


class RequestIds:
    """Around a service: its requests get their ids, the answers carry them, and each is a log line,
    without its query and body."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id, began, status = begin(scope["headers"]), time.perf_counter(), 0

        async def with_id(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", []), (HEADER.encode(), request_id.encode())]}
            await send(message)

        try:
            with traces.request(scope["method"], headers_of(scope["headers"])) as span:
                try:
                    await self.app(scope, receive, with_id)
                finally:
                    span.say(
                        f"{scope['method']} {scope['path']}",
                        http__response__status_code=status,
                        bedside__request=request_id,
                    )
        finally:
            fields = {"status": status, "milliseconds": round((time.perf_counter() - began) * 1000, 1)}
            level = logging.DEBUG if scope["path"] in ("/health", "/metrics") else logging.INFO
            log.log(level, "%s %s", scope["method"], scope["path"], extra={"fields": fields})
