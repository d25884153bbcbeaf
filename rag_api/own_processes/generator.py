"""The generator that Bedside starts itself when no other is configured: a process beside this one,
shared within a data directory."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType

from rag_api.errors import GeneratorUnavailable
from rag_api.own_processes.processes import Watcher, file_lock, free_port
from services.contract.wire import QUOTES

OnMessage = Callable[[str], None]
TAKEN = "address already in use"
# seconds without an answer to /health, which no step of the engine holds up: it hangs, and is
# started anew
SILENT = 10.0
STARTING = 300.0  # seconds until a model is loaded
LOG_LINES = 15  # that an error shows
HEALTH = 5.0  # seconds that one such answer may take
ENDING = 3.0  # seconds that a process may take to end when it is asked to
# Runs a module and ends with its parent, however that ends: the parent holds the other end of our
# standard input. Whoever reads sources comes before whoever waits for a model's words, on the same
# cores.
LAUNCHER = """
import os, runpy, sys, threading
os.nice(5)
def watch():
    while os.read(0, 4096): pass
    os._exit(0)
threading.Thread(target=watch, daemon=True).start()
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True, slots=True)
class Running:
    """What a process that started a generator tells the others, in generator.json."""

    pid: int
    port: int
    model: str


def command_of(model: str) -> tuple[str, ...]:
    """Return the module that serves a model, with its options."""
    if model == QUOTES:
        return ("services.generator.server.quotes_only",)
    return ("services.generator.server", "--model", model, "--served-name", model)


class _PortTaken(GeneratorUnavailable):
    """Somebody took the port that was free when it was chosen."""


class GeneratorProcess:
    """Our generator as a process beside this one, started again when it dies. One per data
    directory: others borrow it.

    `command` is a Python module and its options, the generator with this model when absent; `--port
    N` is added. It is ready when GET /health answers 200.
    """

    def __init__(self, data_dir: Path, model: str, command: tuple[str, ...] = ()) -> None:
        self.data_dir = data_dir.expanduser().resolve()
        self.model = model
        self.command = command or command_of(model)
        self.port = 0
        self.borrowed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._heard = 0.0  # time.monotonic() of its last answer
        self._watcher = Watcher("the generator", self._alive, lambda: self._obtain(lambda line: None))

    @property
    def restarts(self) -> int:
        return self._watcher.restarts

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def log_file(self) -> Path:
        return self.data_dir / "logs" / "generator.log"

    def start(self, say: OnMessage = lambda line: None) -> None:
        """Return when it answers. Raises GeneratorUnavailable, with the end of its log."""
        self._obtain(say)
        self._watcher.start()

    def stop(self) -> None:
        self._watcher.stop()
        if self._process is not None:
            with suppress(OSError):
                (self.data_dir / "generator.json").unlink()
            self._end()

    def __enter__(self) -> GeneratorProcess:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _obtain(self, say: OnMessage) -> None:
        """Borrow the one that another process started, or start one."""
        with file_lock(self.data_dir / "generator.lock"):
            running = self._running()
            if running is not None:
                self.port, self.borrowed = running.port, True
            else:
                try:
                    self._launch()
                    self._wait(say)
                except _PortTaken:
                    self._launch()
                    self._wait(say)

    def _launch(self) -> None:
        self._end()
        self.port, self.borrowed = free_port(), False
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        with self.log_file.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-c", LAUNCHER, *self.command, "--port", str(self.port)],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C in the terminal is ours to handle
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )

    def _wait(self, say: OnMessage) -> None:
        process = self._process  # who stops it meanwhile takes it away
        assert process is not None
        began = time.monotonic()
        said_at = began
        while _health(self.port) != 200:
            if process.poll() is not None or self._watcher.stopping.is_set():
                self._end()
                said = self._log_tail()
                why = _PortTaken if TAKEN in said.lower() else GeneratorUnavailable
                raise why(f"The generator ended while starting:\n{said}")
            if time.monotonic() - began > STARTING:
                self._end()
                raise GeneratorUnavailable(
                    f"The generator was not ready after {STARTING:.0f} s; its log is {self.log_file}."
                )
            if time.monotonic() - said_at > 5:
                said_at = time.monotonic()
                say(f"the generator is loading its model ({said_at - began:.0f} s)")
            time.sleep(0.1)
        self._heard = time.monotonic()
        note = self.data_dir / "generator.json"
        note.with_suffix(".tmp").write_text(json.dumps(asdict(Running(process.pid, self.port, self.model))))
        note.with_suffix(".tmp").replace(note)

    def _running(self) -> Running | None:
        """A generator of this data directory that another process started, if it still answers and
        has our model."""
        try:
            running = Running(**json.loads((self.data_dir / "generator.json").read_text()))
        except (OSError, ValueError, TypeError):
            return None
        return running if running.model == self.model and _health(running.port) == 200 else None

    def _alive(self) -> bool:
        """An engine whose thread has died says so itself; a busy one that is slow to answer is left
        alone for a while."""
        if self.borrowed:
            return _health(self.port) == 200
        if self._process is None or self._process.poll() is not None:
            return False
        left = self._heard + SILENT - time.monotonic()
        status = _health(self.port, max(0.1, min(HEALTH, left)))
        self._heard = time.monotonic() if status else self._heard
        # 503: it was ready before, so it is not loading, it has failed. Silent for long: it hangs,
        # and would not end if it was asked to.
        silent = time.monotonic() - self._heard >= SILENT
        if status == 503 or silent:
            self._end(asked=not silent)
            return False
        return True

    def _end(self, asked: bool = True) -> None:
        """End the process that we started, if it has not ended by itself."""
        if self._process is not None:
            _end(self._process, ENDING if asked else 0.0)
        self._process = None

    def _log_tail(self) -> str:
        with suppress(OSError):
            return "\n".join(self.log_file.read_text(errors="replace").splitlines()[-LOG_LINES:])
        return ""


def _health(port: int, patience: float = HEALTH) -> int:
    """The status of GET /health; 0 when nothing answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=patience) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (OSError, http.client.HTTPException):
        return 0


def _end(process: subprocess.Popen[bytes], patience: float) -> None:
    """Closing its standard input ends it (LAUNCHER); SIGKILL is for one that hangs."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(timeout=patience)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
