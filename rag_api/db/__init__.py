"""PostgreSQL: the pool, and the one place that knows psycopg's exceptions. All SQL lives in this
package.

Calls are synchronous and safe from several threads; the event loop calls them through threads.
Nothing here knows HTTP, files, vectors or the generator. Who may see which row is decided in
access.py and nowhere else.
"""

from __future__ import annotations

import copy
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import psycopg
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from rag_api.errors import Conflict, DatabaseUnavailable, DiskFull, InvalidInput

# seconds without a word from the server, after which a reader is told so: within five, with what
# else is tried first
PATIENCE = 3.5
SHORT = 1.0  # the same, where the server said nothing just now: what a question asks in turn does not add up
KNOWN = 5.0  # seconds for which that is known; then somebody tries anew
CHECK_PATIENCE = 2.0
FRESH = 10.0  # seconds after an answer
CONNECT_SECONDS = 3
LONG = 120.0  # for what nobody reads along: loading documents, measuring


class Silence:
    """Whether the server said nothing just now. Whoever finds that out has waited long; those after
    it wait shortly."""

    def __init__(self) -> None:
        self._until = float("-inf")

    def __bool__(self) -> bool:
        return time.monotonic() < self._until

    def begins(self) -> None:
        if not self:
            self._until = time.monotonic() + KNOWN

    def ends(self) -> None:
        self._until = float("-inf")


class Connection(psycopg.Connection[DictRow]):
    """Gives up on a server that says nothing for `patience` seconds: one that was stopped keeps its
    sockets open for ever."""

    patience = PATIENCE
    answered = float("-inf")  # time.monotonic() of its last answer to the pool
    silence: Silence | None = None  # of its server, shared by all that ask it

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        try:
            found = super().wait(gen, interval, self.patience if timeout is None else timeout)
            if self.silence is not None:
                self.silence.ends()
            return found
        except psycopg.errors._WaitTimeout as error:
            self.pgconn.finish()  # what it may still answer belongs to nobody
            if self.silence is not None:
                self.silence.begins()
            raise psycopg.OperationalError(f"no answer in {self.patience:g} s") from error


def _check(connection: Connection) -> None:
    """A restarted server costs one round trip, not one failed request. One that answered just now
    and closed nothing since is not asked again: a question asks dozens of times."""
    if time.monotonic() - connection.answered > FRESH or _has_news(connection):
        connection.patience = SHORT if connection.silence else CHECK_PATIENCE
        ConnectionPool.check_connection(connection)
        connection.answered = time.monotonic()


def _has_news(connection: Connection) -> bool:
    """Something to read, which an idle connection has when its end was closed."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


@contextmanager
def translated() -> Iterator[None]:
    """psycopg's exceptions -> ours. What is left untranslated is a bug in our SQL and should be
    seen as one."""
    try:
        yield
    except psycopg.errors.LockNotAvailable as error:
        raise Conflict("Documents are being ingested just now. Try again when that is done.") from error
    except psycopg.errors.DiskFull as error:
        raise DiskFull(f"The database's disk is full: {_first_line(error)}") from error
    except (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout, PoolClosed, TooManyRequests) as error:
        raise DatabaseUnavailable(f"The database does not answer: {_first_line(error)}") from error
    except psycopg.errors.UniqueViolation as error:
        raise Conflict(f"That exists already: {_first_line(error)}") from error
    # a NUL or a lone surrogate in a text, a number out of range
    except (psycopg.DataError, UnicodeEncodeError) as error:
        raise InvalidInput(f"The database cannot hold this value: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


class Database:
    """A pool of connections. `with db.connection() as c` is one transaction: committed at the end,
    rolled back on any exception.

    A server that is silent for `patience` seconds raises DatabaseUnavailable, whatever it was
    doing."""

    def __init__(self, dsn: str, *, max_size: int = 8, timeout: float = 10.0, patience: float = PATIENCE) -> None:
        self.dsn = dsn
        self.patience = patience
        self.silence = Silence()
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            dsn,
            min_size=1,
            max_size=max_size,
            timeout=timeout,
            open=False,
            connection_class=Connection,
            kwargs={"row_factory": dict_row, "application_name": "bedside", "connect_timeout": CONNECT_SECONDS},
            configure=self._share,
            check=_check,
            reconnect_timeout=30.0,
            name="bedside",
        )
        with translated():
            self._pool.open(wait=True, timeout=timeout)

    def _share(self, connection: Connection) -> None:
        connection.silence = self.silence

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        read_along = self.patience <= PATIENCE
        patience, began = SHORT if self.silence and read_along else self.patience, time.monotonic()
        with translated(), self._pool.connection(timeout=patience) as connection:
            waited = time.monotonic() - began if read_along else 0.0
            connection.patience = max(min(SHORT, patience), patience - waited)
            yield connection

    def with_timeout(self, seconds: float = LONG) -> Self:
        """Return the same database for work that nobody reads along with."""
        other = copy.copy(self)
        other.patience = seconds
        return other

    def all(self, query: str, values: dict[str, Any] | None = None) -> list[DictRow]:
        with self.connection() as connection:
            return connection.execute(query, values).fetchall()

    def one(self, query: str, values: dict[str, Any] | None = None) -> DictRow | None:
        with self.connection() as connection:
            return connection.execute(query, values).fetchone()

    def run(self, query: str, values: dict[str, Any] | None = None) -> int:
        """Number of rows touched."""
        with self.connection() as connection:
            return connection.execute(query, values).rowcount

    def ping(self) -> str:
        """The server's version; raises DatabaseUnavailable."""
        row = self.one("select current_setting('server_version') as version")
        assert row is not None
        return str(row["version"])

    def close(self) -> None:
        self._pool.close()
