"""Outcome of the last `bedside pack --check`, as far as this data directory knows: for
`bedside doctor` and /metrics."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

FILE = "last-pack-check.json"


@dataclass(frozen=True, slots=True)
class LastCheck:
    """differing: questions that the pack answered otherwise, by id. problem: why it was not checked
    to its end, "" when it was."""

    checked_at: datetime
    folder: str
    asked: int
    differing: tuple[str, ...] = ()
    problem: str = ""


def note(data_dir: Path, folder: Path, asked: int, differing: tuple[str, ...] = (), problem: str = "") -> None:
    """Keep the outcome. A check counts, and goes on, where it cannot be written."""
    noted = asdict(LastCheck(datetime.now(UTC), str(folder.resolve()), asked, differing, problem))
    noted["checked_at"] = noted["checked_at"].isoformat(timespec="seconds")
    with suppress(OSError):
        unfinished = data_dir / f"{FILE}.new"  # /metrics reads the other one meanwhile
        unfinished.write_text(json.dumps(noted, ensure_ascii=False), encoding="utf-8")
        unfinished.replace(data_dir / FILE)


@contextmanager
def noted_error(data_dir: Path, folder: Path, asked: int) -> Iterator[None]:
    """What ends the work early is the outcome."""
    try:
        yield
    except Exception as error:
        note(data_dir, folder, asked, problem=str(error) or type(error).__name__)
        raise


def last_check(data_dir: Path) -> LastCheck | None:
    with suppress(OSError, ValueError, KeyError):
        noted = json.loads((data_dir / FILE).read_text(encoding="utf-8"))
        when, differing = datetime.fromisoformat(noted["checked_at"]), tuple(map(str, noted["differing"]))
        return LastCheck(when, str(noted["folder"]), int(noted["asked"]), differing, str(noted["problem"]))
    return None
