"""`make dev`: the API, started again when its code changes, and the page, renewed in the browser
when its code changes.

For those who work on Bedside, so no command of `bedside`. PostgreSQL and the generator are started
here and outlive every reload: the API borrows them, as any two processes with one data directory
do.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_api.cli.console import opened, read_settings, say
from rag_api.cli.serving.demo import load_handbook
from rag_api.cli.serving.serve import url_of

if TYPE_CHECKING:
    from fastapi import FastAPI

    from rag_api.config import Settings

ROOT = Path(__file__).resolve().parents[3]
WATCHED = ("rag_api", "services/contract", "migrations")


def api() -> FastAPI:
    """Return the app, in the process that is started again at each change."""
    from rag_api.main import create_app
    from services.contract import logs

    logs.configure("text")
    return create_app(read_settings())


def dev(
    page_port: Annotated[int, typer.Option(help="Where the page is served; the API is at BEDSIDE_PORT.")] = 5173,
) -> None:
    """Run both until one of them ends or Ctrl-C. Where nothing is indexed yet the sample handbook
    is."""
    from rag_api.db.documents import count_indexed
    from rag_api.domain import LOCAL_USER

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts it in the background has it ignored
    with opened() as container:
        container.start_generator()  # loads beside the rest
        if not count_indexed(container.db, LOCAL_USER):
            load_handbook(container)
        with ExitStack() as stack:
            running = [stack.enter_context(started(*command)) for command in commands(container.settings, page_port)]
            say(f"\nThe page: http://localhost:{page_port}   the API: {url_of(container)}/api   (Ctrl-C ends both)\n")
            while all(process.poll() is None for process in running):
                time.sleep(0.2)
    raise typer.Exit(1)  # one ended by itself, and has said why


def commands(settings: Settings, page_port: int) -> list[tuple[Sequence[str], Path, dict[str, str]]]:
    """Return what is run, in which folder, and what its environment has beside this one's."""
    watched = [option for folder in WATCHED for option in ("--reload-dir", str(ROOT / folder))]
    listens = ["--host", settings.host, "--port", str(settings.port)]
    uvicorn = [
        sys.executable,
        "-m",
        "uvicorn",
        "rag_api.cli.serving.dev:api",
        "--factory",
        "--reload",
        *watched,
        *listens,
    ]
    vite = ["node", "node_modules/vite/bin/vite.js", "--clearScreen", "false", "--port", str(page_port), "--strictPort"]
    return [(uvicorn, ROOT, {}), (vite, ROOT / "web", {"BEDSIDE_API": f"http://{settings.host}:{settings.port}"})]


@contextmanager
def started(command: Sequence[str], folder: Path, more: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run it in a session of its own, so that Ctrl-C is ours to handle; at the end it stops with
    all that it started."""
    process = subprocess.Popen(
        command, cwd=folder, env={**os.environ, **more}, stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=20)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    typer.run(dev)
