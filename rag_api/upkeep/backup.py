"""`backup`: all of an installation copied into an empty folder, while questions are answered. Its
steps in order.

Documents are neither loaded nor described meanwhile (ingestion's lock), so list, index and files
fit together.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from rag_api.container import Container
from rag_api.db import copies as database
from rag_api.db.documents import PgDocuments
from rag_api.errors import InvalidInput
from rag_api.upkeep import data_files, index_copy
from rag_api.upkeep.manifest import IndexCopy, KeptFile, Manifest, sha256_of, write_manifest

DATABASE, INDEX, DATA = "database", "index", "data"
LAST = "last-backup.json"
Say = Callable[[str], object]


def backup(container: Container, folder: Path, say: Say, tell: index_copy.Tell) -> Manifest:
    """Raises InvalidInput when the folder cannot be used, Unavailable when a part does not answer:
    then there is no manifest, and what is there is refused by `restore`."""
    _refuse_folder(folder, container.settings.data_dir)
    store, embedder = container.store, container.embedder
    say("Waiting for documents that are being loaded, if any; then none are until the copy is made.")
    with PgDocuments(container.db).lock(), finishing("backup", folder):
        for part in (DATABASE, INDEX, DATA):
            (folder / part).mkdir(parents=True, mode=0o700)
        # Answers that wait for the database come first: what has been stored meanwhile is in the
        # database's copy.
        data_files.copy_all(container.settings.data_dir, folder / DATA)
        copied = database.copy_out(container.dsn(), folder / DATABASE)
        documents, chunks = index_copy.copy_out(store, folder / INDEX, tell)
    say("Checksums.")
    index = IndexCopy(container.settings.store, embedder.name, embedder.dim, documents, chunks)
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    manifest = Manifest(1, version("bedside"), made_at, copied, index, _listed(folder))
    write_manifest(folder, manifest)
    _note(container.settings.data_dir, folder, made_at)
    return manifest


def last_backup(data_dir: Path) -> tuple[datetime, str] | None:
    """When the last one was made and where, as far as this data directory knows."""
    with suppress(OSError, ValueError, KeyError):
        noted = json.loads((data_dir / LAST).read_text(encoding="utf-8"))
        return datetime.fromisoformat(noted["made_at"]), str(noted["folder"])
    return None


def _refuse_folder(folder: Path, data_dir: Path) -> None:
    if folder.resolve().is_relative_to(data_dir.resolve()):
        raise InvalidInput(
            f"{folder} lies in the data directory, which is what is kept: name a folder elsewhere, on another disk."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        filled = any(folder.iterdir())
    except OSError as error:
        owner = f"Bedside is user {os.geteuid()} here: let that user write to {folder.parent}."
        raise InvalidInput(f"{folder} cannot be written: {error.strerror}. {owner}") from None
    if filled:
        raise InvalidInput(
            f"{folder} is not empty: name a new folder for each backup, for example {folder}/$(date +%F)."
        )


def _listed(folder: Path) -> tuple[KeptFile, ...]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return tuple(KeptFile(str(path.relative_to(folder)), path.stat().st_size, sha256_of(path)) for path in paths)


def _note(data_dir: Path, folder: Path, made_at: str) -> None:
    """For `bedside doctor`; a backup is a backup without it."""
    with suppress(OSError):
        (data_dir / LAST).write_text(
            json.dumps({"made_at": made_at, "folder": str(folder.resolve())}), encoding="utf-8"
        )


@contextmanager
def finishing(what: str, folder: Path) -> Iterator[None]:
    """A disk that is full, or gone, is said as such. what: is written there. Raises
    InvalidInput."""
    try:
        yield
    except OSError as error:
        raise InvalidInput(
            f"The {what} in {folder} was not finished: {error}. Remove it and make another one."
        ) from error
