"""`make dev`: the API starts again when its code changes, the page comes from vite and reaches it,
and the end is the end of both."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.cli.serving import dev
from tests.support.ports import free_port
from tests.support.scripted_server import scripted_server

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not (dev.ROOT / "web" / "node_modules" / "vite").exists(),
    reason="needs node and web/node_modules (`make web-test` installs them)",
)


@dataclass
class Running:
    process: subprocess.Popen[bytes]
    log: Path
    page: str
    api: str

    def health(self, url: str) -> str:
        """Return the service's state; "" while nothing answers there."""
        with contextlib.suppress(httpx.TransportError, ValueError):
            return str(httpx.get(f"{url}/api/health", timeout=10).json()["status"])
        return ""

    def until(self, what: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 300
        while not what():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.2)


@pytest.fixture
def running(dsn: str, tmp_path: Path) -> Iterator[Running]:
    canvas = Canvas(str(tmp_path / "naaldcontainers.pdf"))
    canvas.drawString(72, 720, "Een naaldcontainer wordt vervangen wanneer hij voor drie vierde gevuld is.")
    canvas.save()
    api, page, log = free_port(), free_port(), tmp_path / "log"
    with scripted_server() as generator, log.open("w") as output:
        mine = {
            "BEDSIDE_DATA_DIR": str(tmp_path / "data"),
            "BEDSIDE_DATABASE_URL": dsn,
            "BEDSIDE_GENERATOR_URL": generator.url,
        }
        environment = {**os.environ, **mine, "BEDSIDE_PORT": str(api)}
        subprocess.run(
            [sys.executable, "-m", "rag_api.cli.app", "ingest", str(tmp_path)],
            env=environment,
            cwd=dev.ROOT,
            check=True,
        )
        command = [sys.executable, "-m", "rag_api.cli.serving.dev", "--page-port", str(page)]
        process = subprocess.Popen(command, env=environment, cwd=dev.ROOT, stdout=output, stderr=output)
        try:
            yield Running(process, log, f"http://localhost:{page}", f"http://127.0.0.1:{api}")
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)


def test_one_command_runs_both_a_change_starts_the_api_again_and_ctrl_c_ends_all(running: Running) -> None:
    running.until(lambda: running.health(running.page) == "ok")  # vite's answer, from the API
    assert "/@vite/client" in httpx.get(running.page, timeout=60).text
    os.utime(dev.ROOT / "rag_api" / "errors.py")
    running.until(lambda: "Reloading" in running.log.read_text() and running.health(running.api) == "ok")
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(timeout=60) == 130
    for url in (running.page, running.api):
        assert running.health(url) == ""
