"""Every table copied to files and back, whatever tables there are: `COPY` in one snapshot, so that
no client program of the server's version is needed. Knows no manifest and no folder but the one
that it is given.

The schema is not copied: the migrations that were applied then make it again, and those that came
since bring it up to date.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import DictRow, dict_row

from rag_api.db import translated
from rag_api.db.migrate import LOCK, Migration, apply
from rag_api.errors import ConfigurationError, Conflict, InvalidInput

# Who is signed in is not kept: a session that was ended since would be open again. Nor is what was
# asked in the last minute.
PASSING = {"sessions", "sign_ins", "rate_limits"}
HISTORY = "schema_migrations"
LEFT_OUT = PASSING | {HISTORY}
BLOCK = 1 << 20
LEAVING_SECONDS = 5.0
COMPANY = """
    select 1 from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name like 'bedside%'
"""
# What migrations make beside tables, and no extension does.
LEFT_BESIDE_TABLES = """
    with foreigners as (select objid from pg_depend where deptype = 'e')
    select format('drop routine %s cascade', oid::regprocedure) as act from pg_proc
      where pronamespace = 'public'::regnamespace and oid not in (select objid from foreigners)
    union all select format('drop type %s cascade', oid::regtype) from pg_type
      where typnamespace = 'public'::regnamespace and typtype in ('e', 'd') and oid not in (select objid from foreigners)
    union all select format('drop sequence %s cascade', oid::regclass) from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'S' and oid not in (select objid from foreigners)
"""


@dataclass(frozen=True, slots=True)
class TableCopy:
    name: str
    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class SequenceValue:
    """A sequence: the last number that it gave, and whether it gave it."""

    name: str
    last: int
    given: bool


@dataclass(frozen=True, slots=True)
class DatabaseCopy:
    """Tables in an order in which none refers to a later one. migrations: (name, SHA-256) of those
    that made the schema."""

    tables: tuple[TableCopy, ...]
    counters: tuple[SequenceValue, ...]
    migrations: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CopiedRows:
    """Of a table, the rows where `where` holds; `instead`: values that columns get in the copy,
    whatever they had. Both are SQL of ours."""

    where: sql.Composable
    instead: Mapping[str, sql.Composable] = field(default_factory=dict)


def copy_out(dsn: str, folder: Path, only: Mapping[str, CopiedRows] | None = None) -> DatabaseCopy:
    """Copy all tables as they are at one moment into `folder`; others go on reading and writing.
    only: these tables and rows alone. Raises DatabaseUnavailable."""
    with translated(), _connected(dsn) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        names = [name for name in _in_order(connection) if name not in LEFT_OUT and (only is None or name in only)]
        tables = [_copy_table(connection, name, folder, None if only is None else only[name]) for name in names]
        history = connection.execute(f"select name, sha256 from {HISTORY} order by version").fetchall()  # noqa: S608 - our own name
        return DatabaseCopy(
            tuple(tables), tuple(_counters(connection)), tuple((row["name"], row["sha256"]) for row in history)
        )


def copy_in(dsn: str, folder: Path, copied: DatabaseCopy, known: Sequence[Migration]) -> list[str]:
    """Make the database what was copied, in one transaction: it is as before, or as the copy and up
    to date. The names of the migrations that the copy lacked. Raises Conflict while Bedside is
    running, ConfigurationError, DatabaseUnavailable."""
    made_by, since = _split(copied, known)
    with translated(), _connected(dsn) as connection:
        connection.execute("select pg_advisory_xact_lock(%s)", [LOCK])
        _refuse_company(connection)
        _drop_all(connection)
        apply(connection, made_by)
        triggers = _silence(connection)
        _fill(connection, folder, copied)
        _wake(connection, triggers)
        return apply(connection, [*made_by, *since])


def is_empty(dsn: str) -> bool:
    """Return whether no table has a row, but for what is not copied."""
    with translated(), _connected(dsn) as connection:
        return not any(
            connection.execute(sql.SQL("select 1 from {} limit 1").format(sql.Identifier(name))).fetchone()
            for name in _tables(connection)
            if name not in LEFT_OUT
        )


def check_known(copied: DatabaseCopy, known: Sequence[Migration]) -> None:
    """Raises ConfigurationError when the copy's schema is not one that these migrations make."""
    _split(copied, known)


def _split(copied: DatabaseCopy, known: Sequence[Migration]) -> tuple[list[Migration], list[Migration]]:
    ours, theirs = {migration.name: migration for migration in known}, dict(copied.migrations)
    if unknown := [name for name in theirs if name not in ours]:
        raise ConfigurationError(
            f"The backup is of a newer Bedside (it has migration {unknown[-1]}): install that version or a newer one."
        )
    if changed := [name for name, sha256 in theirs.items() if ours[name].sha256 != sha256]:
        raise ConfigurationError(f"Migration {changed[0]} was changed since the backup was made: put the file back.")
    return [m for m in known if m.name in theirs], [m for m in known if m.name not in theirs]


def _connected(dsn: str) -> psycopg.Connection[DictRow]:
    return psycopg.connect(dsn, application_name="bedside upkeep", row_factory=dict_row)


def _tables(connection: psycopg.Connection[DictRow]) -> list[str]:
    rows = connection.execute(
        "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname"
    )
    return [row["relname"] for row in rows]


def _in_order(connection: psycopg.Connection[DictRow]) -> list[str]:
    """What is referred to comes before what refers to it; a table may refer to itself."""
    rows = connection.execute(
        "select conrelid::regclass::text as own, confrelid::regclass::text as other from pg_constraint"
        " where contype = 'f' and connamespace = 'public'::regnamespace and conrelid <> confrelid order by 1, 2"
    )
    graph: dict[str, set[str]] = {name: set() for name in _tables(connection)}
    for row in rows:
        graph[row["own"]].add(row["other"])
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise ConfigurationError(
            f"The tables {error.args[1]} refer to each other in a circle: they cannot be copied in any order."
        ) from None


def _columns(connection: psycopg.Connection[DictRow], table: str) -> tuple[str, ...]:
    """Without those that the database computes."""
    rows = connection.execute(
        "select attname from pg_attribute where attrelid = to_regclass(quote_ident(%s)) and attnum > 0"
        " and not attisdropped and attgenerated = '' order by attnum",
        [table],
    )
    return tuple(row["attname"] for row in rows)


def _path(folder: Path, table: str) -> Path:
    return folder / f"{table}.copy.gz"


def _copy_table(connection: psycopg.Connection[DictRow], name: str, folder: Path, rows: CopiedRows | None) -> TableCopy:
    columns = _columns(connection, name)
    command = sql.SQL("copy {} ({}) to stdout").format(
        sql.Identifier(name), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    if rows is not None:
        values = sql.SQL(", ").join(rows.instead.get(column) or sql.Identifier(column) for column in columns)
        command = sql.SQL("copy (select {} from {} where {}) to stdout").format(
            values, sql.Identifier(name), rows.where
        )
    with connection.cursor() as cursor:
        with gzip.open(_path(folder, name), "wb", compresslevel=1) as file, cursor.copy(command) as copy:
            for block in copy:
                file.write(block)
        return TableCopy(name, columns, cursor.rowcount)


def _counters(connection: psycopg.Connection[DictRow]) -> list[SequenceValue]:
    names = [row["relname"] for row in connection.execute(
        "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by relname")]  # fmt: skip
    found = []
    for name in names:
        row = connection.execute(
            sql.SQL("select last_value, is_called from {}").format(sql.Identifier(name))
        ).fetchone()
        assert row is not None
        found.append(SequenceValue(name, row["last_value"], row["is_called"]))
    return found


def _refuse_company(connection: psycopg.Connection[DictRow]) -> None:
    """A connection that was just closed, our own too, is listed until its process has ended."""
    until = time.monotonic() + LEAVING_SECONDS
    while connection.execute(COMPANY).fetchone():
        if time.monotonic() > until:
            raise Conflict("Bedside is running on this database: stop it (docker compose stop rag_api), then restore.")
        time.sleep(0.1)
        connection.execute("select pg_stat_clear_snapshot()")  # one transaction sees one list otherwise


def _drop_all(connection: psycopg.Connection[DictRow]) -> None:
    """The schema itself stays, with what it grants to whom."""
    for name in _tables(connection):
        connection.execute(sql.SQL("drop table if exists {} cascade").format(sql.Identifier(name)))
    for row in connection.execute(LEFT_BESIDE_TABLES).fetchall():
        connection.execute(row["act"])


def _silence(connection: psycopg.Connection[DictRow]) -> list[DictRow]:
    """Our triggers would refuse or change rows that they have already seen; references stay
    checked."""
    rows = connection.execute(
        "select tgrelid::regclass::text as own, tgname, tgenabled from pg_trigger t join pg_class c on c.oid = "
        "t.tgrelid"
        " where not tgisinternal and c.relnamespace = 'public'::regnamespace"
    ).fetchall()
    _switch(connection, ((row["own"], row["tgname"], "disable") for row in rows))
    return rows


def _wake(connection: psycopg.Connection[DictRow], triggers: Iterable[Mapping[str, Any]]) -> None:
    connection.execute("set constraints all immediate")
    ways = {"O": "enable", "A": "enable always", "R": "enable replica", "D": "disable"}
    _switch(connection, ((row["own"], row["tgname"], ways[_word(row["tgenabled"])]) for row in triggers))


def _word(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _switch(connection: psycopg.Connection[DictRow], triggers: Iterable[tuple[str, str, str]]) -> None:
    for table, name, way in triggers:
        connection.execute(
            sql.SQL("alter table {} {} trigger {}").format(sql.Identifier(table), sql.SQL(way), sql.Identifier(name))
        )


def _fill(connection: psycopg.Connection[DictRow], folder: Path, copied: DatabaseCopy) -> None:
    tables = [name for name in _tables(connection) if name != HISTORY]
    # migrations may put rows in
    connection.execute(sql.SQL("truncate {}").format(sql.SQL(", ").join(map(sql.Identifier, tables))))
    for table in copied.tables:
        _fill_table(connection, folder, table)
    for counter in copied.counters:
        connection.execute(
            "select setval(quote_ident(%s)::regclass, %s, %s)", [counter.name, counter.last, counter.given]
        )


def _fill_table(connection: psycopg.Connection[DictRow], folder: Path, table: TableCopy) -> None:
    into = sql.SQL("copy {} ({}) from stdin").format(
        sql.Identifier(table.name), sql.SQL(", ").join(map(sql.Identifier, table.columns))
    )
    with connection.cursor() as cursor:
        with gzip.open(_path(folder, table.name)) as file, cursor.copy(into) as copy:
            while block := file.read(BLOCK):
                copy.write(block)
        if cursor.rowcount != table.rows:
            raise InvalidInput(f"The backup's table {table.name} has {cursor.rowcount} rows, {table.rows} were copied.")
