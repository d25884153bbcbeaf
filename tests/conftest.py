"""Fixtures that all tests share: a real PostgreSQL server for the session, with a fresh migrated
database for each module that asks."""

from __future__ import annotations

import os
import random
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import HealthCheck
from hypothesis import settings as drawn

from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.migrate import migrate
from rag_api.embed import EMBEDDERS, Cached, Embedder
from rag_api.guard.personal import warm
from rag_api.own_processes.postgres import EmbeddedPostgres
from tests.kept_readers import kept_pools, readers_are_kept
from tests.longer import Longer
from tests.skips import Skips, pytest_addoption
from tests.support.scripted_server import Scripted, scripted_server

__all__ = ["kept_pools", "pytest_addoption", "readers_are_kept"]

# sample files, tokenizers and recorded answers that are not part of the project
SHARED = Path(__file__).parents[2] / "shared"


def pytest_configure(config: pytest.Config) -> None:
    """One seed for all that is drawn in a run: hypothesis's examples, and what `seed` and the
    global generators give."""
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = secrets.randbelow(2**31)
    # How long an example takes says nothing on a machine that does much else.
    drawn.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    drawn.load_profile("untimed")
    config.pluginmanager.register(Skips(config.getoption("--refuse-skips")))
    if is_quick(config):
        config.pluginmanager.register(Longer())
    else:
        warm()  # not first in an app's thread: pytest parses the names' package, and Python 3.11 parses in one thread


def pytest_report_header(config: pytest.Config) -> str:
    return (
        f"random seed {config.option.hypothesis_seed}: the same draws again with "
        f"--hypothesis-seed={config.option.hypothesis_seed}"
    )


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """After a failure the seed is said once more: -q prints no header."""
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        terminalreporter.write_line(pytest_report_header(config))


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Return the run's own, which its header names."""
    return int(request.config.option.hypothesis_seed)


@pytest.fixture(autouse=True)
def drawn_from_the_seed(request: pytest.FixtureRequest) -> None:
    """Seed the global generators, so that a test that uses one draws the same alone and among
    others."""
    given = int(request.config.option.hypothesis_seed)
    random.seed(given)
    np.random.seed(given)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(given)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """For `-m quick` a file without the mark is not even imported, nor the conftest.py of a folder
    without such files: half a minute for all of them."""
    if not is_quick(config):
        return None
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    files = collection_path.rglob("test_*.py") if collection_path.is_dir() else [collection_path] if is_test else None
    return True if files is not None and not any("mark.quick" in file.read_text("utf-8") for file in files) else None


def is_quick(config: pytest.Config) -> bool:
    return str(config.option.markexpr).split(" ")[0] == "quick"


@pytest.fixture(autouse=True, scope="session")
def no_settings_from_outside() -> None:
    """A developer's own BEDSIDE_ variables must not change what is tested; the address of a
    Weaviate server may."""
    for name in [n for n in os.environ if n.startswith("BEDSIDE_") and n != "BEDSIDE_WEAVIATE_URL"]:
        del os.environ[name]


@cache
def _encoder(opening: Callable[[], Embedder]) -> Embedder:
    made = opening()
    made.close = lambda: None  # type: ignore[attr-defined]
    return Cached(made)


@pytest.fixture(autouse=True, scope="module")
def one_encoder() -> Iterator[None]:
    """The encoder that packages carry is opened once for all tests of a run, closed by none, and
    remembers what it embedded: opening takes half a second of the processor and the small hospital
    a tenth, more than most tests take."""
    with pytest.MonkeyPatch.context() as patched:
        opening = EMBEDDERS["e5-small"]
        for name in ("auto", "e5-small"):
            patched.setitem(EMBEDDERS, name, lambda: _encoder(opening))
        yield


@pytest.fixture
def open_dir() -> Iterator[Path]:
    """A folder outside of pytest's: started by root, PostgreSQL runs as another user, and every
    pytest session that starts closes pytest's own folder to other users again."""
    with tempfile.TemporaryDirectory(prefix="bedside-test-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres_server(request: pytest.FixtureRequest) -> Iterator[str]:
    """The DSN of an embedded server's own database; durable writes are off, for it is thrown
    away."""
    assert not is_quick(request.config), "a quick test asks for no server: mark it longer"
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
    with new_database(postgres_server) as dsn:
        yield dsn


@contextmanager
def new_database(server: str, like: str = "template1") -> Iterator[str]:
    """The DSN of one more database, dropped afterwards: a copy of the named one, of template1 an
    empty one."""
    import psycopg

    name = f"test_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'create database "{name}" template "{like}"')
        yield server.replace("/bedside?", f"/{name}?")
        connection.execute(f'drop database "{name}" with (force)')


@pytest.fixture(scope="session")
def migrated(postgres_server: str) -> Iterator[str]:
    """The name of a migrated database, which nobody uses: to copy it costs less than to migrate
    another one."""
    with new_database(postgres_server) as dsn:
        migrate(dsn)
        yield urlsplit(dsn).path.removeprefix("/")


@pytest.fixture(scope="module")
def dsn(postgres_server: str, migrated: str) -> Iterator[str]:
    """The DSN of a migrated database of this module's own."""
    with new_database(postgres_server, migrated) as dsn:
        yield dsn


@pytest.fixture(scope="module")
def scripted() -> Iterator[Scripted]:
    """A generator that does as it is told, one for all tests of a module; `server` is one of a
    test's own."""
    with scripted_server() as running:
        yield running


@pytest.fixture
def server() -> Iterator[Scripted]:
    with scripted_server() as running:
        yield running


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
    return Settings(data_dir=data_dir, database_url=dsn, store="memory")
