"""A request -> its entries in the audit trail. The route tells what it showed or did (`TrailDep`);
who asked, from where and what came of it is known here. Nothing is sent before its entry is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any
from uuid import uuid4

from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from rag_api.api.auditing.audit_actions import BESIDE, REPLACED, Act
from rag_api.api.outcome import client_of
from rag_api.api.problems import CODES
from rag_api.api.sign_in.tokens import KEY_START, prefix_of
from rag_api.audit.entry import Event, Result
from rag_api.audit.shown import cited, documents_of, named
from rag_api.audit.trail import Trail
from rag_api.domain import Answer, Document, User
from rag_api.errors import AuditUnavailable, BedsideError, TooBusy
from services.contract import request_ids

REFUSED = {401, 403, 404, 429}
REFUSED_CODES = {"personal_data"}  # of other states


class Noted:
    """What is to be said of one request. Routes add to it; whoever stands before the route writes
    it."""

    def __init__(self, request: Request, act: Act) -> None:
        self.request, self.act = request, act
        self.user: User | None = None  # where nobody was signed in before: who is now
        self.on: dict[str, Any] = {}
        self.about: dict[str, Any] = {}
        self.question = ""
        self.code = ""  # of a failure that is no error of the request: a sign-in that goes back to the page
        self.asked = False  # the route has begun to write its own entries
        self.id = request_ids.current() or str(uuid4())

    def beside(self, an_answer: bool) -> None:
        """Whether nobody chose it, and a page shows it beside an answer."""
        if an_answer:
            self.act = BESIDE[self.act]

    def replaced(self) -> None:
        """What was loaded took the place of the version before it."""
        self.act = REPLACED

    def documents(self, documents: Iterable[Document]) -> None:
        """These are shown, opened or changed."""
        self.on["documents"] = [*self.on.get("documents", ()), *map(named, documents)]

    def answers(self, answers: Iterable[Answer]) -> None:
        """These are shown, with the passages of their sources."""
        shown = list(answers)
        self.on["answers"] = [answer.id for answer in shown]
        self.on["documents"] = documents_of(source for answer in shown for source in answer.sources)
        self.on["cited"] = cited(citation for answer in shown for citation in answer.citations)

    def event(self, result: Result, status: int = 0, code: str = "", action: str = "") -> Event:
        scope = self.request.scope
        path: Mapping[str, Any] = scope.get("path_params", {})
        on = {name.removesuffix("_id"): value for name, value in path.items() if name != "account_id"}
        account = {"account": path["account_id"]} if "account_id" in path else {}
        return Event(
            action or self.act.action,
            result,
            self._who(),
            route=f"{scope['method']} {getattr(scope.get('route'), 'path', scope['path'])}",
            request=self.id,
            status=status,
            code=code,
            on={**on, **_key_shown(self.request), **self.on},
            about={**account, **self.about},
            question=self.question,
        )

    async def write(self, event: Event) -> None:
        """Raises AuditUnavailable."""
        trail: Trail = self.request.app.state.container.trail
        await run_in_threadpool(trail.write, event)

    async def begins(self) -> None:
        """Before anything is changed."""
        if self.act.changes:
            await self.write(self.event(Result.BEGUN))

    async def done(self, status: int) -> None:
        """Before the response is sent."""
        if self.act.routine or self.asked:
            return
        await self.write(self.event(Result.FAILED if self.code else _result(status), status, self.code))

    async def failed(self, error: Exception, unattended: bool) -> None:
        """Raises AuditUnavailable where something was refused and nobody would know; a failure
        stays the failure that it is."""
        status, code = _status_of(error)
        # of nobody in particular; where hundreds are told so, writing it would cost what is spared
        if isinstance(error, TooBusy):
            return
        if self.act.routine and (status >= 500 or (status == 401 and unattended)):
            return  # the page asks on and on while a part is down, and after a session has ended
        try:
            await self.write(self.event(_result(status, code), status, code))
        except AuditUnavailable:
            if status < 500:
                raise

    def _who(self) -> dict[str, Any]:
        user: User | None = self.user or getattr(self.request.state, "user", None)
        who: dict[str, Any] = {"client": client_of(self.request.scope)}
        if user is not None:
            who |= {"user": user.id, "name": user.name, "roles": sorted(user.roles), "key": user.key_id}
            who |= {"function": user.function, "department": user.department}
        return {name: value for name, value in who.items() if value}


async def noted(request: Request) -> Noted:
    found: Noted = request.state.audit
    return found


TrailDep = Annotated[Noted, Depends(noted)]


def _key_shown(request: Request) -> dict[str, str]:
    """The open beginning of a key: of one that is unknown or revoked it is all there is to say."""
    key = request.headers.get("authorization", "").partition(" ")[2].strip()
    return {"key_prefix": prefix_of(key)} if key.startswith(KEY_START) else {}


def _result(status: int, code: str = "") -> Result:
    return (
        Result.REFUSED
        if status in REFUSED or code in REFUSED_CODES
        else Result.FAILED
        if status >= 400
        else Result.SUCCESS
    )


def _status_of(error: Exception) -> tuple[int, str]:
    if isinstance(error, BedsideError):
        return error.status, error.code
    if isinstance(error, HTTPException):
        return error.status_code, CODES.get(
            error.status_code, "invalid_input" if error.status_code < 500 else "internal"
        )
    return (422, "invalid_request") if isinstance(error, RequestValidationError) else (500, "internal")
