"""A bound on the bodies of requests, before anything reads the whole of one. Knows nothing of what
is in them."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.generator.errors import GeneratorError


class BodyTooLarge(GeneratorError):
    code, status = "request_too_large", 413


class BodyLimit:
    """ASGI middleware: a request that says it is larger than `limit` bytes, or turns out to be, is
    refused and its connection closed."""

    def __init__(self, app: ASGIApp, limit: int, refuse: ASGIApp) -> None:
        self.app, self.limit, self.refuse = app, limit, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if said.isdigit() and int(said) > self.limit:
            return await self.refuse(scope, receive, send)
        received = 0

        async def bounded() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.limit:
                raise HTTPException(413)  # what the application makes of it is not sent
            return message

        async def unless_over(message: Message) -> None:
            if received <= self.limit:
                await send(message)

        await self.app(scope, bounded, unless_over)
        if received > self.limit:
            await self.refuse(scope, receive, send)
