"""GET /health and GET /metrics: for people, for compose, for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Response

from rag_api.api import schemas as api
from rag_api.api.deps import ContainerDep, MetricsDep, UserDep
from rag_api.api.health import health
from rag_api.api.metrics import CONTENT_TYPE

router = APIRouter(tags=["health"])


@router.get(
    "/health",
    summary="The state of each part",
    response_model=api.Health,
    responses={503: {"description": "A part is missing without which no question is answered.", "model": api.Health}},
)
async def get_health(container: ContainerDep, user: UserDep, response: Response) -> api.Health:
    """`ok`: everything answers. `degraded`: the generator does not, questions still get sources. `down` (503): neither."""
    state = await health(container, user)
    response.status_code = 503 if state.status == "down" else 200
    return state


@router.get("/metrics", include_in_schema=False)  # not of the API: nginx does not let it out
async def get_metrics(metrics: MetricsDep) -> Response:
    return Response(metrics.page(), media_type=CONTENT_TYPE)
