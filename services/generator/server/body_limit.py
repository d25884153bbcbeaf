"""A bound on the bodies of requests, before anything reads the whole of one. Knows nothing of what is in them."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.generator.errors import GeneratorError


class TooLarge(GeneratorError):
    code, status = "request_too_large", 413


class BodyLimit:
    """ASGI middleware: a request that says it is larger than `limit` bytes, or turns out to be, is refused and its connection closed."""

    def __init__(self, app: ASGIApp, limit: int, refuse: ASGIApp) -> None:
        self.app, self.limit, self.refuse = app, limit, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if said.isdigit() and int(said) > self.limit:
            return await self.refuse(scope, receive, send)
        received, began = 0, False

        async def bounded() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.limit:
                raise TooLarge(f"the request is over {self.limit} bytes")
            return message

        async def noted(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await self.app(scope, bounded, noted)
        except TooLarge:
            if began:
                raise
            await self.refuse(scope, receive, send)
