"""The real service with the sample handbook in it, as `bedside ingest` and `bedside serve` make it,
in folders of the test's own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.ports import free_port

ROOT = Path(__file__).parents[2]
HANDBOOK = ROOT / "rag_api" / "handbook"
BEDSIDE = [sys.executable, "-m", "rag_api.cli.app"]
PATIENCE = 600.0  # seconds for the generator's model to load on a busy machine


@contextlib.contextmanager
def bedside() -> Iterator[str]:
    """Ingests the handbook into a new folder and serves it; gives the address when every part
    answers."""
    with _folder() as folder, _served(folder) as address:
        yield address


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """Not pytest's own: that one is closed to other users, and a root's PostgreSQL runs as another
    user.

    E2E_DATA names one to use again and again while working on the page: ingesting takes a minute.
    """
    if kept := os.environ.get("E2E_DATA"):
        Path(kept).mkdir(parents=True, exist_ok=True)
        yield Path(kept)
        return
    with tempfile.TemporaryDirectory(prefix="bedside-e2e-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextlib.contextmanager
def _served(folder: Path) -> Iterator[str]:
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BEDSIDE_")}
    environment |= {"BEDSIDE_DATA_DIR": str(folder / "data"), "BEDSIDE_HOST": "127.0.0.1", "BEDSIDE_PORT": str(port)}
    said = folder / "bedside.log"
    with said.open("w") as log:
        subprocess.run(
            [*BEDSIDE, "ingest", str(HANDBOOK / "pdf")], cwd=ROOT, env=environment, stdout=log, stderr=log, check=True
        )
        server = subprocess.Popen([*BEDSIDE, "serve"], cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            _wait(f"http://127.0.0.1:{port}/api/health", server, said)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(60)


def _wait(health: str, server: subprocess.Popen[bytes], said: Path) -> None:
    end = time.monotonic() + PATIENCE
    state: dict[str, Any] = {}
    while time.monotonic() < end:
        assert server.poll() is None, "bedside serve ended at its start:\n" + said.read_text()[-2000:]
        with contextlib.suppress(OSError, ValueError):
            state = _get(health)
            if state["status"] == "ok":
                return
        time.sleep(0.5)
    raise AssertionError(f"bedside serve is not ready: {state}")


def _get(url: str) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return dict(json.load(response))
    except urllib.error.HTTPError as error:
        return dict(json.load(error))
