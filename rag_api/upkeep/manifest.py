"""The manifest that a backup gives of itself, in one file that is written last: a backup without it
is half made. Values and their file only."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from rag_api.db.copies import DatabaseCopy
from rag_api.errors import ConfigurationError, InvalidInput

NAME = "manifest.json"
FORMAT = 1  # one more whenever a backup is laid out otherwise


@dataclass(frozen=True, slots=True)
class KeptFile:
    path: str  # below the backup's folder
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class IndexCopy:
    store: str
    embedder: str
    dim: int
    documents: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Manifest:
    format: int
    version: str  # of Bedside
    made_at: str  # ISO 8601, UTC
    database: DatabaseCopy
    index: IndexCopy
    files: tuple[KeptFile, ...]


_FORM = TypeAdapter(Manifest)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """In one step, once it is on the disk, with a checksum of its own."""
    said = _FORM.dump_python(manifest, mode="json")
    part = folder / f"{NAME}.part"
    with part.open("w", encoding="utf-8") as file:
        json.dump({"sha256": _checksum(said), "backup": said}, file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    part.replace(folder / NAME)


def read_manifest(folder: Path) -> Manifest:
    """Raises InvalidInput for what is no whole backup, ConfigurationError for one of another
    version."""
    try:
        read = json.loads((folder / NAME).read_text(encoding="utf-8"))
        said, checksum = read["backup"], read["sha256"]
    except FileNotFoundError:
        raise InvalidInput(
            f"{folder} is no backup, or one that was not finished: it has no {NAME}. Restore another one."
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{folder / NAME} cannot be read ({error}): restore another backup.") from None
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise ConfigurationError(_other_version(folder, said))
    if checksum != _checksum(said):
        raise InvalidInput(f"{folder / NAME} was changed since it was written: restore another backup.")
    try:
        return _FORM.validate_python(said)
    except ValidationError as error:
        raise InvalidInput(
            f"{folder / NAME} is not a backup's ({error.error_count()} faults): restore another backup."
        ) from None


def verify(folder: Path, manifest: Manifest) -> None:
    """Raises InvalidInput that names the first file that is missing or not as it was written."""
    for kept in manifest.files:
        path = folder / kept.path
        if not path.is_file():
            raise InvalidInput(f"{path} is missing from the backup: restore another backup, or copy this one again.")
        if path.stat().st_size != kept.bytes or sha256_of(path) != kept.sha256:
            raise InvalidInput(
                f"{path} is damaged (its checksum is not the one written down): restore another backup, or copy this "
                f"one again."
            )


def _other_version(folder: Path, said: Any) -> str:
    number, version = (said.get("format"), said.get("version")) if isinstance(said, dict) else (None, None)
    newer = isinstance(number, int) and number > FORMAT
    what = (
        f"of a newer Bedside ({version}): install that version or a newer one"
        if newer
        else "of an unknown version: restore another one"
    )
    return f"The backup in {folder} is laid out as format {number}, {what}."


def _checksum(said: Any) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
