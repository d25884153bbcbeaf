"""`restore`: an installation made what a backup holds. Everything is looked at before anything is
touched; then files, database, index.

The database changes in one transaction. Between it and the end of the index a note in the data
directory keeps Bedside from answering with half of it; the same command, given again, goes through.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.rows import dict_row

from rag_api.container import Container
from rag_api.db import copies as database
from rag_api.db import translated
from rag_api.db.migrate import read_migrations
from rag_api.errors import EmbedderMismatch, InvalidInput
from rag_api.upkeep import data_files, index_copy
from rag_api.upkeep.backup import DATA, DATABASE, INDEX
from rag_api.upkeep.manifest import Manifest, read_manifest, verify

Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Restored:
    manifest: Manifest
    migrated: tuple[str, ...]  # what the backup's schema lacked
    chunks: int


def check(folder: Path) -> Manifest:
    """A backup that can be restored by this version, whole. Raises InvalidInput and
    ConfigurationError, with what to do."""
    manifest = read_manifest(folder)
    database.check_known(manifest.database, read_migrations())
    verify(folder, manifest)
    return manifest


def restore(container: Container, folder: Path, say: Say, tell: index_copy.Tell, *, replace: bool = False) -> Restored:
    """replace: what the installation holds goes. Raises InvalidInput, ConfigurationError,
    EmbedderMismatch, Conflict, Unavailable; but for the last, before anything is touched."""
    say("Checksums.")
    manifest = check(folder)
    _refuse_embedder(container, manifest)
    store, dsn, data_dir = container.store, container.dsn(), container.settings.data_dir
    if not replace:
        _refuse_filled(dsn, store.count(), data_dir)
    container.unfinished_restore.write_text(str(folder), encoding="utf-8")
    data_files.put_back(folder / DATA, data_dir)
    say("The database.")
    migrated = database.copy_in(dsn, folder / DATABASE, manifest.database, read_migrations())
    say("The index.")
    chunks = index_copy.copy_in(store, folder / INDEX, manifest.index.dim, _groups(dsn), tell)
    if chunks != manifest.index.chunks:
        raise InvalidInput(
            f"The index has {chunks} passages of the backup's {manifest.index.chunks}: restore it "
            f"again, or another backup."
        )
    container.unfinished_restore.unlink()
    return Restored(manifest, tuple(migrated), chunks)


def _refuse_embedder(container: Container, manifest: Manifest) -> None:
    made, ours = (manifest.index.embedder, manifest.index.dim), (container.embedder.name, container.embedder.dim)
    if made != ours:
        raise EmbedderMismatch(
            f"The backup's index was made by the embedder {made[0]!r}, the configured one is {ours[0]!r}: set "
            f"BEDSIDE_EMBEDDER."
        )


def _refuse_filled(dsn: str, chunks: int, data_dir: Path) -> None:
    files = (inside for inside in data_files.kept_files(data_dir) if chunks or inside.parts[0] != data_files.COUNTS)
    holds = [what for what, there in (
        ("a database with rows in it", not database.is_empty(dsn)),
        (f"an index of {chunks} passages", chunks > 0),
        (f"files in {data_dir}", any(files)),
    ) if there]  # fmt: skip
    if holds:
        raise InvalidInput(
            f"This installation is not empty: it has {', '.join(holds)}. With --yes all of that becomes what the "
            f"backup holds."
        )


def _groups(dsn: str) -> dict[str, tuple[str, ...]]:
    """Who may read each document, now that the list is restored; the index is told to have the
    same."""
    with translated(), psycopg.connect(dsn, row_factory=dict_row, application_name="bedside upkeep") as connection:
        connection.execute("update documents set indexed_groups = groups where indexed_groups <> groups")
        return {row["id"]: tuple(row["groups"]) for row in connection.execute("select id, groups from documents")}
