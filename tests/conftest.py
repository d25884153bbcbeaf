"""What all tests share: a real PostgreSQL server for the session, with a fresh migrated database for each module that asks."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.migrate import migrate
from rag_api.embedded import EmbeddedPostgres
from tests.skips import pytest_addoption, pytest_configure

__all__ = ["pytest_addoption", "pytest_configure"]


@pytest.fixture(autouse=True, scope="session")
def no_settings_from_outside() -> None:
    """A developer's own BEDSIDE_ variables must not change what is tested; the address of a Weaviate server may."""
    for name in [n for n in os.environ if n.startswith("BEDSIDE_") and n != "BEDSIDE_WEAVIATE_URL"]:
        del os.environ[name]


@pytest.fixture
def open_dir() -> Iterator[Path]:
    """A folder outside of pytest's: started by root, PostgreSQL runs as another user, and every pytest session that starts
    closes pytest's own folder to other users again."""
    with tempfile.TemporaryDirectory(prefix="bedside-test-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The DSN of an embedded server's own database; durable writes are off, for it is thrown away."""
    with tempfile.TemporaryDirectory(prefix="bedside-test-", ignore_cleanup_errors=True) as folder:
        yield from _running_server(Path(folder) / "data")


def _running_server(folder: Path) -> Iterator[str]:
    import psycopg

    server = EmbeddedPostgres(folder)
    dsn = server.start()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("alter system set fsync = off")
        connection.execute("select pg_reload_conf()")
    yield dsn
    server.stop()


@pytest.fixture(scope="module")
def empty_database(postgres_server: str) -> Iterator[str]:
    """The DSN of a database with nothing in it, dropped afterwards."""
    import psycopg

    name = f"test_{uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'create database "{name}"')
        yield postgres_server.replace("/bedside?", f"/{name}?")
        connection.execute(f'drop database "{name}" with (force)')


@pytest.fixture(scope="module")
def dsn(empty_database: str) -> str:
    """The DSN of a migrated database of this module's own."""
    migrate(empty_database)
    return empty_database


@pytest.fixture(scope="module")
def db(dsn: str) -> Iterator[Database]:
    database = Database(dsn, max_size=4)
    yield database
    database.close()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


@pytest.fixture
def settings(data_dir: Path, dsn: str) -> Settings:
    """Settings with the module's database, a store in memory and nothing of the environment's."""
    return Settings(data_dir=data_dir, database_url=dsn, store="memory")  # type: ignore[arg-type]
