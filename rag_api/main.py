"""create_app(settings): the routes, the error handlers, the page, and the container for as long as
the app runs."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope, Send

from rag_api.api import problems
from rag_api.api.limits import Admission, Buckets, Limits
from rag_api.api.routes import audit, documents, gaps, health, judged, owners, retries, reviews, usage, webhooks
from rag_api.api.routes.asking import ask, chat, conversations, feedback, search
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.routes.people import access, accounts, favourites, keys, session
from rag_api.api.schemas import EVENTS, Problem
from rag_api.api.server.closing import Closing
from rag_api.api.server.health import own_version
from rag_api.api.server.metrics import Metrics
from rag_api.api.server.page import Shell, WebPage, web_dir
from rag_api.api.server.watch import Watch
from rag_api.api.sign_in.oidc import Provider
from rag_api.config import Settings, cores
from rag_api.container import Container
from rag_api.db import Database
from rag_api.guard.personal import warm as read_name_lists
from rag_api.ingest.sources.uploads import clear_uploads
from rag_api.notify.sender import Sender
from rag_api.retrieval.precompute import Precomputer
from rag_api.upkeep.pack.last_check import last_check

log = logging.getLogger(__name__)

LOOK_SECONDS = 30.0  # between two looks at what processes left that have died

DESCRIPTION = """
Answers for hospital staff from the hospital's own procedures, with the source opened at the highlighted words.

Errors are `application/problem+json` with a stable `code`. Text offsets count Unicode code points; rectangles are points on the page
as displayed, origin top left.
"""


def create_app(settings: Settings, container: Container | None = None) -> FastAPI:
    """`container` given: they are used as they are and left open, for a caller that opened them
    (`bedside demo`, tests)."""

    folder = web_dir(settings.web_dir)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        own = container or Container(settings, say=log.info)
        if folder is None:
            log.warning(
                "There is no page to serve, only the API: no index.html in BEDSIDE_WEB_DIR, or web/ was not built"
            )
        if removed := await asyncio.to_thread(clear_uploads, settings.data_dir):
            log.info("Removed %d uploads that an interrupted run left behind", removed)
        precomputer, sender = Precomputer(own), Sender(own)
        watch = app.state.watch = Watch(own, app.state.health_listener, app)
        app.state.metrics.watch(
            lambda: own.sentences,
            lambda: app.state.limits.admission.queued,
            own.trail.journal.count,
            lambda: last_check(settings.data_dir),
        )
        app.state.metrics.watch_generators(own.generator.replicas)
        app.state.container = own
        try:
            if container is None:
                await asyncio.to_thread(own.warm)
                own.start_generator()
            own.hurry()
            precomputer.start()
            sender.start()
            if settings.personal_data != "off":
                threading.Thread(target=read_name_lists, name="names", daemon=True).start()
            await asyncio.to_thread(own.trail.start)
            watch.start()
            heir = asyncio.create_task(_take_over(own))
            yield
            heir.cancel()
        finally:
            await asyncio.to_thread(watch.stop)
            await asyncio.to_thread(precomputer.stop)
            await asyncio.to_thread(sender.stop)
            await own.generator.close()
            await asyncio.to_thread(own.trail.close)
            if container is None:
                await asyncio.to_thread(own.close)

    app = FastAPI(
        title="Bedside",
        summary="Answers from your hospital's own procedures",
        description=DESCRIPTION,
        version=own_version(),
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        servers=[{"url": "/api", "description": "This server"}],
        root_path_in_servers=False,
        openapi_url=None,  # routes/health.py has it, for who may read
        docs_url=None,  # its scripts come from elsewhere: web/public/docs shows it
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.settings, app.state.container, app.state.metrics = settings, container, Metrics()
    app.state.provider = Provider(settings) if settings.sign_in == "oidc" else None
    app.state.health_listener = None  # a socket where /health is served too
    app.state.observers, app.state.closing = [], Closing(settings.drain_seconds)
    app.state.limits = limits_of(settings, lambda: app.state.container.opened_db)
    for router in (
        ask.router,
        chat.router,
        documents.router,
        retries.router,
        access.router,
        documents.uploads,
        search.router,
        conversations.router,
        feedback.router,
        judged.router,
        gaps.router,
        reviews.router,
        usage.router,
        owners.router,
        webhooks.router,
        health.router,
        session.router,
        accounts.router,
        keys.router,
        favourites.router,
        audit.router,
    ):
        app.include_router(router)
    refuse_undeclared(app)
    problems.install(app)
    app.add_middleware(Shell, metrics=app.state.metrics, observers=app.state.observers, hands_free=settings.hands_free)
    app.router.default = WebPage(folder) if folder else _nothing_here
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


async def _take_over(container: Container) -> None:
    """Now and then, what processes of the same data directory left that have died: entries of the
    trail, answers that are not stored."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        await asyncio.to_thread(container.trail.take_over)
        await asyncio.to_thread(container.unsaved.store_soon)


def limits_of(settings: Settings, db: Callable[[], Database | None]) -> Limits:
    return Limits(
        Buckets(settings.requests_per_minute, "requests", shared=db),
        Buckets(settings.questions_per_minute, "questions", shared=db),
        Admission(settings.questions_at_once or cores(), settings.questions_waiting, settings.question_wait),
    )


def refuse_undeclared(app: FastAPI) -> None:
    """Deny by default: a route that does not go through the one check must not be served. Raises
    TypeError."""
    for route in all_routes(app.routes):
        if not isinstance(route, LimitedRoute):
            raise TypeError(
                f"{getattr(route, 'path', route)}: its router needs route_class=LimitedRoute, which checks "
                f"who may use it"
            )


def all_routes(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """Those of included routers too."""
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is None:
            yield route
        else:
            yield from all_routes(included.routes)


async def _nothing_here(scope: Scope, receive: Receive, send: Send) -> None:
    raise HTTPException(404, f"There is no {scope.get('path', 'such thing')}.")


def _openapi(app: FastAPI) -> dict[str, Any]:
    """FastAPI's document, with the models that only streams and errors carry."""
    if app.openapi_schema is None:
        schema = FastAPI.openapi(app)
        extra: list[type[BaseModel]] = [*EVENTS.values(), Problem]
        _, definitions = models_json_schema(
            [(model, "serialization") for model in extra], ref_template="#/components/schemas/{model}"
        )
        known = schema.setdefault("components", {}).setdefault("schemas", {})
        for name, definition in definitions["$defs"].items():
            known.setdefault(name, definition)
        app.openapi_schema = schema
    return app.openapi_schema
