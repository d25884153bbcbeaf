"""Folders in which documents' files lay when they were last ingested, and a document's new name
when its file was moved."""

from __future__ import annotations

from collections.abc import Mapping

from rag_api.db import Database

# What is kept by a document's name, and goes with it. `metadata_changes` stays as it was but for
# the name: it is one history.
_NAMED = (
    "update documents set source = %(new)s where source = %(old)s",
    "delete from metadata_edits where source = %(new)s",
    "update metadata_edits set source = %(new)s where source = %(old)s",
    "update metadata_edits set said = %(new_title)s where source = %(new)s and field = 'title' and said = "
    "%(old_title)s",
    "delete from document_groups where source = %(new)s",
    """insert into document_groups (source, said_by, groups, user_id, said_at)
    select %(new)s, said_by, groups, user_id, said_at from document_groups where source = %(old)s""",
    """delete from favourites f where source = %(old)s
    and exists (select 1 from favourites g where g.user_id = f.user_id and g.source = %(new)s)""",
    "update favourites set source = %(new)s where source = %(old)s",
    "update group_changes set name = %(new)s where about = 'document' and name = %(old)s",
    "update metadata_changes set source = %(new)s where source = %(old)s",
    """delete from former_names f where source = %(old)s
    and exists (select 1 from former_names g where g.former = f.former and g.source = %(new)s)""",
    "update former_names set source = %(new)s where source = %(old)s",
    "delete from former_names where former = source",
    "insert into former_names (former, source) values (%(old)s, %(new)s) on conflict do nothing",
    "delete from document_folders where source = %(old)s",
)


# Unless another file has the name now: then they are about that one, or about both.
_NOT_TAKEN = (
    "update judged_places set document = %(new)s where document = %(old)s",
    "delete from document_groups where source = %(old)s",
)


def read_folders(db: Database) -> dict[str, str]:
    return {row["source"]: row["folder"] for row in db.all("select source, folder from document_folders")}


def read_items(db: Database) -> dict[str, str]:
    return {row["source"]: row["item"] for row in db.all("select source, item from document_folders where item <> ''")}


def put_folders(db: Database, folders: Mapping[str, str], items: Mapping[str, str]) -> None:
    with db.connection() as connection, connection.cursor() as cursor:
        cursor.executemany(
            """insert into document_folders (source, folder, item) values (%s, %s, %s)
            on conflict (source) do update set folder = excluded.folder, item = excluded.item
            where (document_folders.folder, document_folders.item) <> (excluded.folder, excluded.item)""",
            [(source, folder, items.get(source, "")) for source, folder in sorted(folders.items())],
        )


def rename(db: Database, old: str, new: str, titles: tuple[str, str], taken: bool) -> None:
    """Give a document and its earlier versions another name, with all that is kept by it. titles:
    what the names say, before and now; taken: another file has the old name now."""
    values = {"old": old, "new": new, "old_title": titles[0], "new_title": titles[1]}
    with db.connection() as connection:
        for statement in (*_NAMED, *(() if taken else _NOT_TAKEN)):
            connection.execute(statement, values)


def read_sources(db: Database) -> dict[str, str]:
    return {row["id"]: row["source"] for row in db.all("select id, source from documents")}
