"""GET /health/live, /health and /metrics: for compose, for people, for Prometheus; and the API's
description of itself."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from rag_api.api import schemas as api
from rag_api.api.deps import ContainerDep, MetricsDep, UserDep, WatchDep
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.server.health import health, ready
from rag_api.api.server.metrics import CONTENT_TYPE
from rag_api.api.sign_in.access import Access, declared
from rag_api.errors import Unavailable

router = APIRouter(tags=["health"], route_class=LimitedRoute)


@router.get(
    "/health/live",
    openapi_extra=declared(Access.ANONYMOUS),
    summary="Whether the service runs",
    responses=responses(503),
)
async def get_live(watch: WatchDep) -> api.Live:
    """For whatever restarts it. Says nothing of the parts."""
    if watch.is_stuck:
        raise Unavailable("No request has been taken in hand for a while.")
    return api.Live(status="ok")


# for what sends requests here
@router.get("/health/ready", openapi_extra=declared(Access.ANONYMOUS), include_in_schema=False)
async def get_ready(request: Request, watch: WatchDep) -> Response:
    """204 while questions get at least their sources; 503 before, when a part is away, and once the
    service ends."""
    sound = not request.app.state.closing.begun and await ready(watch)
    return Response(status_code=204 if sound else 503)


@router.get(
    "/health",
    openapi_extra=declared(Access.READ, unattended=True),
    summary="The state of the service",
    response_model=api.Health,
    responses={503: {"description": "A part is missing without which no question is answered.", "model": api.Health}},
)
async def get_health(watch: WatchDep, container: ContainerDep, user: UserDep, response: Response) -> api.Health:
    """`ok`: everything answers. `degraded`: the generator does not, questions still get sources.
    `down` (503): neither. Each part, and how far documents are prepared, for admins: the figures
    are of all documents."""
    state = await health(watch, container, user)
    response.status_code = 503 if state.status == "down" else 200
    return state


# not of the API: nginx does not let it out
@router.get("/metrics", openapi_extra=declared(Access.MONITOR), include_in_schema=False)
async def get_metrics(metrics: MetricsDep) -> Response:
    return Response(metrics.page(), media_type=CONTENT_TYPE)


@router.get("/openapi.json", openapi_extra=declared(Access.READ), include_in_schema=False)
async def get_openapi(request: Request) -> dict[str, Any]:
    described: dict[str, Any] = request.app.openapi()
    return described
