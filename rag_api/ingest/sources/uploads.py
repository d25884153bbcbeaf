"""The place of an upload while it is ingested. A process that is killed leaves it there, and the
next one removes it."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any

from rag_api.errors import room

_YOUNG = 10.0  # seconds: its process may be about to lock it


@contextmanager
def upload_file(data_dir: Path, suffix: str) -> Iterator[IO[bytes]]:
    """A file that goes when this is left. It is locked, so that no other process takes it for a
    leftover."""
    folder = data_dir / "uploads"
    folder.mkdir(parents=True, exist_ok=True)
    with room(), NamedTemporaryFile(dir=folder, suffix=suffix, delete=False) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            Path(file.name).unlink(missing_ok=True)


def clear_uploads(data_dir: Path) -> int:
    """Remove what no process holds; how many files that were."""
    removed = 0
    for path in sorted((data_dir / "uploads").glob("*")):
        if path.is_file() and _abandoned(path):
            path.unlink(missing_ok=True)
            removed += 1
    return removed


def _abandoned(path: Path) -> bool:
    try:
        if time.time() - path.stat().st_mtime < _YOUNG:
            return False
        with path.open("rb") as file:
            return _locked(file)
    except OSError:
        return False


def _locked(file: Any) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
