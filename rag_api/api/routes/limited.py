"""How large a request's body may be: refused while it streams in, before anything reads the whole of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.types import Message

MB = 1024 * 1024
JUDGED_SET = 21 * MB  # a CSV within JSON (schemas_quality.ImportIn); as in nginx's configuration
OVERHEAD = 64 * 1024  # of a multipart body around its file


class LimitedRoute(APIRoute):
    """JSON: as much as nginx lets through where there is one."""

    def limit(self, request: Request) -> int:
        return JUDGED_SET if self.path.endswith("/csv") else MB

    def too_large(self, request: Request) -> str:
        return f"The request is over {self.limit(request) // MB} MB."

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def limited(request: Request) -> Response:
            limit = self.limit(request)
            # Closing says: do not send the rest.
            too_large = HTTPException(413, self.too_large(request), {"Connection": "close"})
            if int(request.headers.get("content-length", 0)) > limit:
                raise too_large
            received = 0

            async def receive() -> Message:
                nonlocal received
                message = await request.receive()
                received += len(message.get("body", b""))
                if received > limit:
                    raise too_large
                return message

            return await handle(Request(request.scope, receive))

        return limited


class UploadRoute(LimitedRoute):
    """A file: the form parser would write all of it to disk first."""

    def limit(self, request: Request) -> int:
        return int(request.app.state.settings.max_file_mb * MB) + OVERHEAD

    def too_large(self, request: Request) -> str:
        return f"The upload is over {request.app.state.settings.max_file_mb:g} MB."
