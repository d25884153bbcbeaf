"""Processes of the service and of the generator, as an installation with several has them: for
measuring, and for killing them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from rag_api.errors import Unavailable
from rag_api.own_processes.processes import free_port, free_ports

START_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class StartedProcess:
    """A process that answers at `url`."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path

    def ready(self, path: str) -> None:
        """Return when it answers there. Raises Unavailable with the end of its log."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            try:
                if httpx.get(self.url + path, timeout=5).status_code < 300:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.2)
        raise Unavailable(f"{self.url} did not start: {self.log.read_text(errors='replace')[-2000:]}")


@contextmanager
def generators(folder: Path, count: int, *options: str) -> Iterator[list[StartedProcess]]:
    """Our generator with the demo model, so often."""
    module = ("services.generator.server", "--model", "demo", "--served-name", "demo", *options)
    with started(folder, "generator", [(*module, "--port", str(port)) for port in free_ports(count)]) as running:
        for one in running:
            one.ready("/health")
        yield running


@contextmanager
def services(
    folder: Path, hosts: Sequence[str], settings: Mapping[str, str], port: int | None = None
) -> Iterator[list[StartedProcess]]:
    """`bedside serve` at each of these addresses; all on one port, or each on one of its own."""
    at = [(host, port or free_port()) for host in hosts]
    commands = [("rag_api.cli.app", "serve", "--host", host, "--port", str(own)) for host, own in at]
    with started(folder, "rag_api", commands, settings) as running:
        for one in running:
            one.ready("/api/health/ready")
        yield running


def processor_seconds(pid: int) -> float:
    """Of a process and its threads; 0 of one that is gone."""
    try:
        said = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(said[11]) + int(said[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> int:
    """Memory of a process; 0 of one that is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS")), 0)


def environment(pid: int) -> dict[str, str]:
    """What a process was started with; nothing of one that is gone, or another user's."""
    try:
        said = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
    except OSError:
        return {}
    return dict(pair.split("=", 1) for pair in said.split("\0") if "=" in pair)


@contextmanager
def started(
    folder: Path, name: str, commands: Sequence[Sequence[str]], settings: Mapping[str, str] | None = None
) -> Iterator[list[StartedProcess]]:
    """Modules with their options, the last of which is a port. They are killed at the end."""
    environment = os.environ | {f"BEDSIDE_{key}": value for key, value in (settings or {}).items()}
    running: list[StartedProcess] = []
    try:
        for number, command in enumerate(commands):
            host = command[command.index("--host") + 1] if "--host" in command else "127.0.0.1"
            log = folder / f"{name}-{number}.log"
            with log.open("wb") as out:
                process = subprocess.Popen([sys.executable, "-m", *command], env=environment, stdout=out, stderr=out)
            running.append(StartedProcess(process, f"http://{host}:{command[-1]}", log))
        yield running
    finally:
        for one in running:
            one.process.kill()
            one.process.wait()
