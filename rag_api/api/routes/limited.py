"""Checks around every route: who may use it, how large a request's body may be, before anything
reads the whole of it, and the entry in the audit trail, before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.types import Message

from rag_api.api.auditing.audit_actions import act_of
from rag_api.api.auditing.audited import Noted
from rag_api.api.problems import responses
from rag_api.api.sign_in.access import UNATTENDED, Access, access_of
from rag_api.api.sign_in.identity import admit, counted_by, whose
from rag_api.api.sign_in.in_pack import refuse_in_pack
from rag_api.errors import TooManyTries

MB = 1024 * 1024
JUDGED_SET = 21 * MB  # a CSV within JSON (schemas.quality.ImportIn); as in nginx's configuration
OVERHEAD = 64 * 1024  # of a multipart body around its file


class LimitedRoute(APIRoute):
    """JSON: as much as nginx lets through where there is one. Raises TypeError when it is not said
    who may use the route."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        self.access = access_of(options.get("openapi_extra"), path)
        self.act = act_of(set(options.get("methods") or {"GET"}), path)
        self.unattended = bool((options.get("openapi_extra") or {}).get(UNATTENDED))
        self.own_threads = path == "/health"  # whoever watches over Bedside does not wait behind those who ask it
        refusals = responses(403) if self.access is Access.ANONYMOUS else responses(401, 403, 429)
        options["responses"] = {**refusals, **(options.get("responses") or {})}
        super().__init__(path, endpoint, **options)

    async def count(self, request: Request) -> None:
        """Raises TooManyRequests. Nobody's requests are nginx's to limit, and tries to sign in are
        counted where they are made."""
        if self.access is not Access.ANONYMOUS and not self.unattended:
            await run_in_threadpool(request.app.state.limits.requests.take, whose(request))

    def limit(self, request: Request) -> int:
        return JUDGED_SET if self.path.endswith("/csv") else MB

    def too_large(self, request: Request) -> str:
        return f"The request is over {self.limit(request) // MB} MB."

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def limited(request: Request) -> Response:
            noted = request.state.audit = Noted(request, self.act)
            try:
                refuse_in_pack(request.app.state.settings.pack, self.access, self.act.action, self.act.changes)
                await admit(request, self.access, self.unattended, self.own_threads)
                await self.count(request)
                await noted.begins()
                response = await within_limit(request)
            except Exception as error:
                if isinstance(error, TooManyTries):
                    request.app.state.metrics.limited(error.of, counted_by(request))
                await noted.failed(error, self.unattended)
                raise
            await noted.done(response.status_code)
            return response

        async def within_limit(request: Request) -> Response:
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
