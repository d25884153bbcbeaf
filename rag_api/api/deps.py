"""Dependencies of routes: the container, the database, the user.

What only looks something up is `async`: FastAPI runs plain functions in threads, and a turn there
takes long while questions are looked up.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Query, Request

from rag_api.api import schemas
from rag_api.api.server.metrics import Metrics
from rag_api.api.server.watch import Watch
from rag_api.container import Container
from rag_api.db import Database
from rag_api.domain import User
from rag_api.errors import NotSignedIn


async def get_container(request: Request) -> Container:
    """With the index that is in force when the request comes."""
    container: Container = request.app.state.container
    return container.pinned()


def get_writing_container(request: Request) -> Container:
    """For what changes the index: never one that was left."""
    container: Container = request.app.state.container
    return container.pinned(wait=True)


ContainerDep = Annotated[Container, Depends(get_container)]
WritingContainerDep = Annotated[Container, Depends(get_writing_container)]


def get_db(container: ContainerDep) -> Database:
    """Opens it when this is the first call; therefore a plain function, which FastAPI runs in a
    thread."""
    return container.db


DbDep = Annotated[Database, Depends(get_db)]


async def get_metrics(request: Request) -> Metrics:
    metrics: Metrics = request.app.state.metrics
    return metrics


MetricsDep = Annotated[Metrics, Depends(get_metrics)]


async def get_watch(request: Request) -> Watch:
    watch: Watch = request.app.state.watch
    return watch


WatchDep = Annotated[Watch, Depends(get_watch)]


async def current_user(request: Request) -> User:
    """Who was admitted to this route (sign_in/identity.py); on a route for anyone, there is
    nobody."""
    user: User | None = getattr(request.state, "user", None)
    if user is None:
        raise NotSignedIn("Sign in first.")
    return user


UserDep = Annotated[User, Depends(current_user)]

DocumentId = Annotated[
    str, Path(pattern=schemas.DOCUMENT, max_length=32, examples=["0f8b2c44d1e94c1c9c0f6f0e6f0f1a2b"])
]
AccountId = Annotated[str, Path(max_length=100, pattern=r"^[0-9A-Za-z_-]+$", description="Of an account, or of a key.")]
Uuid = Annotated[str, Path(pattern=schemas.UUID, max_length=36, examples=["5f0c9a3e-6f0b-4c56-8a57-0d9b7b1f3c11"])]
Limit = Annotated[int, Query(ge=1, le=200, description="At most this many.")]
Offset = Annotated[int, Query(ge=0, le=1_000_000, description="Leave out this many first.")]
