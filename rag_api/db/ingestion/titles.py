"""Titles that indexed documents may have by their own words. Not checked for access: for
ingestion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from psycopg.rows import DictRow

from rag_api.db import Connection, Database
from rag_api.domain import Titles
from rag_api.text.title_key import title_key

MOST = 200  # documents of one title that are looked at: of a letterhead the first few show it
_OPENING = 20_000  # characters of a first page


def put_titles(connection: Connection, titles: Mapping[str, tuple[str, Titles]]) -> None:
    """By document: its title, and what it may be called. In place of what was there."""
    connection.execute("delete from document_titles where document_id = any(%(ids)s)", {"ids": list(titles)})
    with (
        connection.cursor() as cursor,
        cursor.copy("copy document_titles (document_id, titles, keys, called, patients) from stdin") as copy,
    ):
        for document_id, (title, own) in titles.items():
            keys = [title_key(name) for name in own.names]
            copy.write_row((document_id, list(own.names), keys, title_key(title) if own.borne else "", own.patients))


def read_bearers(db: Database, keys: Sequence[str]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Indexed documents that may be called so, by key: their groups by their ids; of very many that
    the same may read `MOST`."""
    rows = db.all(
        f"""select key, found.document_id, found.groups from unnest(%(keys)s::text[]) key cross join lateral (
          select t.document_id, d.groups, row_number() over (partition by d.groups order by d.id) as n
          from document_titles t join documents d on d.id = t.document_id
          where t.keys @> array[key] and d.status = 'indexed') found where n <= {MOST}""",  # noqa: S608 - a number of ours
        {"keys": list(keys)},
    )
    bearers: dict[str, dict[str, tuple[str, ...]]] = {}
    for row in rows:
        bearers.setdefault(row["key"], {})[row["document_id"]] = tuple(row["groups"])
    return bearers


def read_shared(db: Database, least: int) -> list[str]:
    """Keys that so many indexed documents have, or more."""
    rows = db.all(
        """select key from document_titles t join documents d on d.id = t.document_id cross join lateral unnest(t.keys) key
        where d.status = 'indexed' group by key having count(*) >= %(least)s order by key""",
        {"least": least},
    )
    return [row["key"] for row in rows]


def read_openings(db: Database, document_ids: Sequence[str]) -> dict[str, str]:
    """The first pages' text, as far as it tells what they are about."""
    rows = db.all(
        f"select document_id, left(text, {_OPENING}) as text from pages where number = 1 and document_id = "  # noqa: S608
        f"any(%(ids)s)",
        {"ids": list(document_ids)},
    )
    return {row["document_id"]: row["text"] for row in rows}


def read_called(db: Database, keys: Sequence[str]) -> list[tuple[DictRow, Titles]]:
    """Indexed documents that are called so by their own words: rows of the documents list."""
    rows = db.all(
        """select d.*, t.titles as names, t.patients from document_titles t join documents d on d.id = t.document_id
        where t.called = any(%(keys)s) and t.called <> '' and d.status = 'indexed' order by d.source""",
        {"keys": list(keys)},
    )
    return [(row, Titles(tuple(row["names"]), row["patients"], borne=True)) for row in rows]
