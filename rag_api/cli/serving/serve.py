"""`bedside serve`: the API and the page, until Ctrl-C."""

from __future__ import annotations

import logging
import socket
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.cli.audited import acting, begun
from rag_api.cli.console import opened, read_settings, say, speaking_as_a_service
from rag_api.cli.serving.workers import health_listening, run_workers

if TYPE_CHECKING:
    from rag_api.container import Container

# Seconds that a thread which looks a question up may hold the interpreter while the event loop
# waits for it: it has every request in hand, and waits some ten times for each.
SWITCH = 0.001
REHEARSED = "Hoeveel mg paracetamol mag een kind van 12 kg?"


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; BEDSIDE_HOST.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; BEDSIDE_PORT.")] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes on that address.")] = 1,
) -> None:
    """Serve the API and the page until Ctrl-C.

    What is not configured is started here: a PostgreSQL server, and the generator with its model,
    which loads in the background: until it is ready questions get their sources.
    """
    with speaking_as_a_service():
        settings = read_settings()
        settings = settings.model_copy(
            update={name: value for name, value in {"host": host, "port": port}.items() if value is not None}
        )
        with opened(settings) as container:
            container.start_generator()
            container.warm()
            rehearse(container)
            say(f"Bedside: {url_of(container)}   (Ctrl-C stops)")
            serve_all(container, workers)


def serve_all(container: Container, workers: int) -> None:
    """In this process, or in several that this one watches over."""
    if workers > 1:
        run_workers(container.settings, workers)
    else:
        run_server(container)


def rehearse(container: Container) -> None:
    """Look something up before anybody asks: the first question would wait for the tables and
    models that it is the first to need."""
    from rag_api.domain import LOCAL_USER, Filters
    from rag_api.errors import BedsideError
    from rag_api.query.analysis import analyse
    from rag_api.retrieval.find import find

    with suppress(BedsideError):  # whoever asks then hears it
        find(analyse(REHEARSED, container.expander), LOCAL_USER, Filters(), container)


def url_of(container: Container) -> str:
    settings = container.settings
    return f"http://{'localhost' if settings.host in ('127.0.0.1', '0.0.0.0', '::') else settings.host}:{settings.port}"  # noqa: S104


def run_server(
    container: Container, listener: socket.socket | None = None, health_listener: socket.socket | None = None
) -> None:
    """Until Ctrl-C or SIGTERM; on the settings' addresses, or from listeners that are there
    already."""
    import uvicorn

    from rag_api.api.server.closing import LAST, Server
    from rag_api.api.server.prompt_http import PromptHttp
    from rag_api.main import create_app
    from services.contract import logs, traces

    settings = container.settings
    logs.configure(
        "json" if settings.environment == "production" else "text", getattr(logging, settings.log_level.upper())
    )
    traces.configure("bedside", settings.otlp_url)
    application = create_app(settings, container)
    application.state.health_listener = health_listener or health_listening(settings)
    listens: dict[str, Any] = {"host": settings.host, "port": settings.port, "http": PromptHttp}
    quiet: dict[str, Any] = {"log_config": None, "access_log": False, "server_header": False}
    sys.setswitchinterval(SWITCH)
    with acting(container, begun("service.run", "bedside serve", {"environment": settings.environment})):
        config = uvicorn.Config(
            application, **listens, **quiet, timeout_graceful_shutdown=int(settings.drain_seconds) + LAST
        )
        Server(config).run(sockets=[listener] if listener is not None else None)
