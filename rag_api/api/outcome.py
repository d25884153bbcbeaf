"""Outcome of each request, and whose it was: the one place to look on from
(`app.state.observers`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import Scope

from rag_api.domain import User


@dataclass(frozen=True, slots=True)
class RequestOutcome:
    """A request that is done, streams too. The query is not in it: it may hold what was searched
    for."""

    user: User | None  # None: nobody known, or a route for anyone
    method: str
    route: str  # as it was declared; "page": none
    path: str
    client: str  # the address that the connection came from, or the proxy says it came from
    status: int  # 0: it broke off before there was one
    seconds: float


Observer = Callable[[RequestOutcome], None]


def client_of(scope: Scope) -> str:
    """Return the address; uvicorn has put in the proxy's word for it where the proxy is trusted
    (FORWARDED_ALLOW_IPS)."""
    client = scope.get("client")
    return str(client[0]) if client else ""
