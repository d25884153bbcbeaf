"""The data directory in a backup: documents' files, answers that wait for the database, the
hospital's own lists. All of it but what has copies of its own (the database, the index) and what a
running process makes for itself."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

LEFT_OUT = {
    "postgres", "postgres.new", "index", "indexes", "index.json", "uploads", "logs", "generator.json", "restore.unfinished",
    "last-backup.json", "last-pack-check.json",
}  # fmt: skip
COUNTS = "terms"  # of the words of an index; made when it is opened, also of an empty one
PASSING = {".part", ".lock", ".new"}


def kept_files(data_dir: Path) -> Iterator[Path]:
    """Those that a backup holds, below data_dir."""
    for path in sorted(data_dir.rglob("*")):
        inside = path.relative_to(data_dir)
        unfinished = path.suffix in PASSING or any(part.startswith("office-") for part in inside.parts)
        if path.is_file() and inside.parts[0] not in LEFT_OUT and not unfinished:
            yield inside


def copy_all(data_dir: Path, folder: Path) -> None:
    """A file that is gone meanwhile (an answer that was stored) is no loss: what it held is in the
    database, which is copied later."""
    for inside in kept_files(data_dir):
        target = folder / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(data_dir / inside, target)
        except FileNotFoundError:
            target.unlink(missing_ok=True)


def put_back(folder: Path, data_dir: Path) -> None:
    """What is there under the same name is replaced, each in one step."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            target = data_dir / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            part = target.with_name(f"{target.name}.part")
            shutil.copyfile(path, part)
            part.replace(target)
