"""Numbered SQL files, applied once and in order, one transaction each.

Two processes may start at once: an advisory lock makes one wait. A file that was edited after it
ran, and a database that a newer Bedside has been at, are refused: guessing would lose data.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from rag_api.db import translated
from rag_api.errors import ConfigurationError

MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"
LOCK = 0x6265_6473_6964_65  # "bedside"


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def read_migrations(folder: Path = MIGRATIONS) -> tuple[Migration, ...]:
    """The files `0001_name.sql`, in order of their numbers, which may have gaps. Raises
    ConfigurationError for doubles and stray names."""
    found = []
    for path in sorted(folder.glob("*.sql")):
        match = re.fullmatch(r"(\d{4})_(\w+)\.sql", path.name)
        if not match:
            raise ConfigurationError(f"{path}: a migration is named like 0001_what_it_adds.sql")
        found.append(Migration(int(match[1]), path.stem, path.read_text(encoding="utf-8")))
    numbers = [migration.version for migration in found]
    if not numbers or len(set(numbers)) < len(numbers):
        raise ConfigurationError(f"{folder}: each migration must have a number of its own; found {numbers}")
    return tuple(found)


def migrate(dsn: str, folder: Path = MIGRATIONS) -> list[str]:
    """Bring the database up to date; the names of what was applied."""
    wanted = read_migrations(folder)
    with translated(), psycopg.connect(dsn, autocommit=True, application_name="bedside migrate") as connection:
        connection.execute("select pg_advisory_lock(%s)", [LOCK])  # let go when the connection closes
        return apply(connection, wanted)


def apply(connection: psycopg.Connection[Any], wanted: Sequence[Migration]) -> list[str]:
    """Bring the connection's database as far as these go, inside a transaction when one is open;
    the names of what was applied."""
    connection.execute(
        "create table if not exists schema_migrations (version integer primary key, name text not null,"
        " sha256 text not null, applied_at timestamptz not null default now())"
    )
    todo = _outstanding(connection, wanted)
    for migration in todo:
        with connection.transaction():
            connection.execute(migration.sql)
            connection.execute(
                "insert into schema_migrations (version, name, sha256) values (%s, %s, %s)",
                [migration.version, migration.name, migration.sha256],
            )
    return [migration.name for migration in todo]


def outstanding(dsn: str, folder: Path = MIGRATIONS) -> list[str]:
    """The names of migrations that the database still needs; changes nothing."""
    wanted = read_migrations(folder)
    with translated(), psycopg.connect(dsn, autocommit=True) as connection:
        if connection.execute("select to_regclass('schema_migrations')").fetchone() == (None,):
            return [migration.name for migration in wanted]
        return [migration.name for migration in _outstanding(connection, wanted)]


def _outstanding(connection: psycopg.Connection[Any], wanted: Sequence[Migration]) -> list[Migration]:
    with connection.cursor(row_factory=tuple_row) as cursor:
        rows = cursor.execute("select version, name, sha256 from schema_migrations").fetchall()
    applied = {version: (name, sha256) for version, name, sha256 in rows}
    for migration in wanted:
        if migration.version in applied and applied[migration.version][1] != migration.sha256:
            raise ConfigurationError(
                f"Migration {migration.name} was changed after it was applied. Put the file back; a change is a new "
                f"migration."
            )
    unknown = sorted(set(applied) - {migration.version for migration in wanted})
    if unknown:
        raise ConfigurationError(
            f"The database was made by a newer Bedside (it has migration {applied[unknown[-1]][0]}). Install that "
            f"version or a newer one."
        )
    return [migration for migration in wanted if migration.version not in applied]
