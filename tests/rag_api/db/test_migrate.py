"""Migrations: applied once, in order, by one process at a time, and never guessed about."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from rag_api.db.migrate import MIGRATIONS, migrate, outstanding, read_migrations
from rag_api.errors import ConfigurationError, DatabaseUnavailable


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, copy)
    return copy


@pytest.fixture(autouse=True)
def clean(empty_database: str) -> None:
    with psycopg.connect(empty_database, autocommit=True) as connection:
        connection.execute("drop schema public cascade; create schema public")


def names() -> list[str]:
    return [migration.name for migration in read_migrations()]


def test_every_migration_is_applied_once(empty_database: str) -> None:
    assert outstanding(empty_database) == names()
    assert migrate(empty_database) == names()
    assert migrate(empty_database) == []
    assert outstanding(empty_database) == []


def test_processes_that_start_at_once_apply_each_migration_once(empty_database: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(migrate, [empty_database] * 4))
    assert sorted(name for result in results for name in result) == names()


def test_an_edited_migration_is_refused(empty_database: str, folder: Path) -> None:
    migrate(empty_database, folder)
    first = folder / f"{names()[0]}.sql"
    first.write_text(first.read_text() + "\n-- a late thought\n")
    with pytest.raises(ConfigurationError, match="was changed after it was applied"):
        migrate(empty_database, folder)


def test_a_database_of_a_newer_version_is_refused(empty_database: str, folder: Path) -> None:
    extra = folder / "9999_from_the_future.sql"
    extra.write_text("create table future (id text);")
    migrate(empty_database, folder)
    extra.unlink()
    with pytest.raises(ConfigurationError, match="newer Bedside"):
        migrate(empty_database, folder)


def test_a_failing_migration_leaves_nothing_of_itself(empty_database: str, folder: Path) -> None:
    (folder / "9999_broken.sql").write_text("create table half (id text); select nonsense from nowhere;")
    with pytest.raises(psycopg.errors.UndefinedTable):
        migrate(empty_database, folder)
    assert outstanding(empty_database, folder) == ["9999_broken"]
    with psycopg.connect(empty_database) as connection:
        assert connection.execute("select to_regclass('half')").fetchone() == (None,)


def test_two_migrations_of_one_number_are_refused(folder: Path) -> None:
    (folder / "0001_again.sql").write_text("select 1;")
    with pytest.raises(ConfigurationError, match="a number of its own"):
        read_migrations(folder)


def test_a_database_that_is_not_there_is_named_as_such() -> None:
    with pytest.raises(DatabaseUnavailable):
        migrate("postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")
