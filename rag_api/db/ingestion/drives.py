"""SharePoint's drives as last seen, in Postgres: a `rag_api.ingest.sharepoint.DrivesRepo`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from typing import Any

import psycopg
from psycopg.rows import DictRow

from rag_api.db import Connection, Database, translated
from rag_api.domain import RemoteItem

SYNC_LOCK = 0x6265_6473_6964_67  # one look at drives at a time over all processes
COLUMNS = tuple(field.name for field in fields(RemoteItem))
UPSERT = f"""
    insert into drive_items (drive_id, {", ".join(COLUMNS)}) values (%(drive_id)s, {", ".join(f"%({name})s" for name in COLUMNS)})
    on conflict (drive_id, id) do update set {", ".join(f"{name} = excluded.{name}" for name in COLUMNS if name != "id")}
"""  # noqa: S608 - column names only


class PgDrives:
    def __init__(self, db: Database) -> None:
        self.db = db

    @contextmanager
    def lock(self) -> Iterator[None]:
        """A connection of its own: the lock dies with it, also when this process is killed."""
        with translated():
            connection = psycopg.connect(self.db.dsn, autocommit=True, application_name="bedside sharepoint")
        try:
            with translated():
                connection.execute("select pg_advisory_lock(%s)", [SYNC_LOCK])
            yield
        finally:
            connection.close()

    def delta_link(self, drive: str) -> str:
        row = self.db.one("select delta_link from drives where id = %(id)s", {"id": drive})
        return row["delta_link"] if row else ""

    def items(self, drive: str) -> dict[str, RemoteItem]:
        rows = self.db.all("select * from drive_items where drive_id = %(id)s", {"id": drive})
        return {row["id"]: _item(row) for row in rows}

    def put_changes(self, drive: str, items: Mapping[str, RemoteItem], gone: Iterable[str], delta_link: str) -> None:
        with self.db.connection() as connection:
            connection.execute(
                """insert into drives (id, delta_link) values (%(id)s, %(link)s)
                on conflict (id) do update set delta_link = excluded.delta_link, synced_at = now()""",
                {"id": drive, "link": delta_link},
            )
            connection.execute(
                "delete from drive_items where drive_id = %(id)s and id = any(%(gone)s)",
                {"id": drive, "gone": list(gone)},
            )
            for item in items.values():
                _put(connection, drive, item)

    def put(self, drive: str, item: RemoteItem) -> None:
        with self.db.connection() as connection:
            _put(connection, drive, item)


def _item(row: DictRow) -> RemoteItem:
    known: dict[str, Any] = {name: row[name] for name in COLUMNS}
    return RemoteItem(**known | {"groups": tuple(row["groups"]), "notes": tuple(row["notes"])})


def _put(connection: Connection, drive: str, item: RemoteItem) -> None:
    row = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(item).items()}
    connection.execute(UPSERT, row | {"drive_id": drive})
