"""`bedside serve --workers 2`: several processes on one address, one of which may die. Real
processes, a real PostgreSQL."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from evaluation.service.processes import StartedProcess, started
from tests.support.ports import free_port
from tests.support.scripted_server import scripted_server


@pytest.fixture(scope="module")
def served(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartedProcess]:
    folder = tmp_path_factory.mktemp("workers")
    with scripted_server() as generator:
        own = {
            "DATA_DIR": str(folder / "data"), "DATABASE_URL": dsn, "STORE": "memory", "GENERATOR_URL": generator.url,
            "SENTENCE_VECTORS_MB": "0", "QUESTIONS_PER_MINUTE": "0", "REQUESTS_PER_MINUTE": "0", "HEALTH_PORT": str(free_port()),
        }  # fmt: skip
        command = ("rag_api.cli.app", "serve", "--workers", "2", "--port", str(free_port()))
        with started(folder, "rag_api", [command], own) as [running]:
            running.ready("/api/health/ready")
            assert httpx.get(f"http://127.0.0.1:{own['HEALTH_PORT']}/api/health/ready", timeout=30).status_code == 204
            yield running
            running.process.send_signal(signal.SIGTERM)
            assert running.process.wait(60) == 0
            assert not children(running)


def children(running: StartedProcess) -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(running.process.pid)], capture_output=True, text=True, check=False
    )
    return [int(pid) for pid in listed.stdout.split() if "rag_api.cli.serving.worker" in _command(pid)]


def _command(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def until(true: object, running: StartedProcess) -> None:
    end = time.monotonic() + 300
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end, running.log.read_text()[-2000:]
        time.sleep(0.1)


def ask(running: StartedProcess) -> int:
    return httpx.post(
        f"{running.url}/api/ask", json={"question": "hoe laat is het restaurant open?"}, timeout=60
    ).status_code


def test_one_that_is_killed_is_started_again_and_the_other_answers_meanwhile(served: StartedProcess) -> None:
    until(lambda: len(children(served)) == 2, served)
    killed, left = children(served)
    assert ask(served) == 200
    os.kill(killed, signal.SIGKILL)
    assert [ask(served) for _ in range(3)] == [200] * 3
    until(lambda: len(children(served)) == 2 and killed not in children(served), served)
    assert left in children(served)


def test_each_says_the_counts_of_all(served: StartedProcess) -> None:
    def counted() -> float:
        page = httpx.get(f"{served.url}/metrics", timeout=30).text
        return sum(
            float(value)
            for value in re.findall(r'^bedside_requests_total\{[^}]*route="/ask"[^}]*\} (\S+)$', page, re.MULTILINE)
        )

    before = counted()
    for _ in range(6):
        assert ask(served) == 200
    until(lambda: counted() == before + 6, served)
    assert [counted() for _ in range(6)] == [before + 6] * 6
