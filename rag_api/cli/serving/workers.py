"""Several processes of the service on one address of this machine: what one of them needs of
another stands in the database or the data directory. One that dies is started again; they end with
this process.
"""

from __future__ import annotations

import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from rag_api.config import cores
from rag_api.own_processes.generator import LAUNCHER
from rag_api.own_processes.processes import Watcher

if TYPE_CHECKING:
    from rag_api.config import Settings

MODULE = "rag_api.cli.serving.worker"
COUNTED = "PROMETHEUS_MULTIPROC_DIR"  # where the processes' metrics lie, so that each can say those of all


class Worker:
    """One process, started again when it dies."""

    def __init__(self, number: int, listeners: Mapping[str, socket.socket], environment: dict[str, str]) -> None:
        self._listeners, self._environment = (
            {name: listener.fileno() for name, listener in listeners.items()},
            environment,
        )
        self._process: subprocess.Popen[bytes] | None = None
        self._watcher = Watcher(f"worker {number}", self._alive, self._begin)

    @property
    def pid(self) -> int:
        return self._process.pid if self._process is not None else 0

    def start(self) -> None:
        self._begin()
        self._watcher.start()

    def ask_to_stop(self) -> None:
        self._watcher.stop()
        if self._process is not None:
            self._process.terminate()

    def wait(self, seconds: float) -> None:
        """Until it has ended; one that takes longer is killed."""
        if self._process is None:
            return
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _begin(self) -> None:
        from prometheus_client.multiprocess import mark_process_dead

        if self._process is not None:
            mark_process_dead(self._process.pid, self._environment[COUNTED])  # type: ignore[no-untyped-call]
        given = [word for name, number in self._listeners.items() for word in (f"--{name}", str(number))]
        command, inherited = [sys.executable, "-c", LAUNCHER, MODULE, *given], list(self._listeners.values())
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, pass_fds=inherited, env=self._environment, start_new_session=True
        )


def run_workers(settings: Settings, count: int) -> None:
    """Until Ctrl-C or SIGTERM; answers that are being given may finish then."""
    from rag_api.api.server.closing import LAST

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with ExitStack() as stack:
        listeners = {"listener": stack.enter_context(listening(settings, settings.port))}
        if (health := health_listening(settings)) is not None:
            listeners["health-listener"] = stack.enter_context(health)
        counted = tempfile.mkdtemp(prefix="bedside-metrics-")
        stack.callback(shutil.rmtree, counted, ignore_errors=True)
        workers = [
            Worker(number, listeners, {**_environment(settings, count), COUNTED: counted})
            for number in range(1, count + 1)
        ]
        for worker in workers:
            worker.start()
        stop.wait()
        for worker in workers:
            worker.ask_to_stop()
        for worker in workers:
            worker.wait(settings.drain_seconds + LAST + 10)


def health_listening(settings: Settings) -> socket.socket | None:
    """Return where /health is served apart from everything else, where that is wanted."""
    return None if settings.health_port is None else listening(settings, settings.health_port)


def listening(settings: Settings, port: int) -> socket.socket:
    """Return the address that all take connections from: one that dies leaves those that wait to
    the others."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((settings.host, port))
    listener.listen(2048)
    listener.set_inheritable(True)
    return listener


def _environment(settings: Settings, count: int) -> dict[str, str]:
    """They share the machine's processors, so each looks up its part of the questions."""
    own = {
        "HOST": settings.host,
        "PORT": str(settings.port),
        "DATA_DIR": str(settings.data_dir),
        "QUESTIONS_AT_ONCE": str(math.ceil((settings.questions_at_once or cores()) / count)),
    }
    return {**os.environ, **{f"BEDSIDE_{name}": value for name, value in own.items()}}
