"""Chromium for the page tests: the machine's own where there is one, else the one that Playwright
brought."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator

import uvicorn
from playwright.sync_api import Browser, Playwright
from starlette.types import ASGIApp

FLAGS = (
    "--no-sandbox",  # as root in a container there is no other way
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",  # letters lie where the page has them, with a window or without
)


def launch(playwright: Playwright, *, whole: bool = False) -> Browser:
    """Without the window around the page, which costs as much as the page; `whole`: with it, and
    with speech."""
    names = (*([] if whole else ["chromium-headless-shell"]), "chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    channel = "chromium" if whole and path is None else None  # else Playwright's own has no window either
    return playwright.chromium.launch(executable_path=path, channel=channel, args=list(FLAGS), headless=True)


@contextlib.contextmanager
def serve(app: ASGIApp) -> Iterator[str]:
    """The app on a free port; gives its address."""
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the service ended at its start"
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        sock.close()
