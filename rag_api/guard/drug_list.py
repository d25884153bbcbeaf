"""The hospital's own drugs: drugs.csv in the data directory, beside the table that comes with
Bedside (guard/drugs.py).

Columns: names (a substance with its brands and other names, parted by |) and, where texts speak of
one, its class in Bedside's table. A row that has a name of the table adds its names to that; the
others are new.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from rag_api.errors import ConfigurationError
from rag_api.guard import drugs
from rag_api.guard.words import folded
from rag_api.text.bm25_analyzer import STOP_WORDS
from rag_api.text.csv_cells import read_cell

FILE = "drugs.csv"
SHORTEST, LONGEST = 3, 100  # letters of a name


@dataclass(frozen=True, slots=True)
class DrugList:
    """A hospital's rows. version: the first letters of the file's SHA-256; empty: there is no
    file."""

    rows: tuple[tuple[tuple[str, ...], str], ...] = ()
    version: str = ""


def read_drugs(path: Path) -> DrugList:
    """Return what the file says, nothing where there is none. Raises ConfigurationError with the
    line that is wrong."""
    if not path.is_file():
        return DrugList()
    try:
        content = path.read_bytes()
        lines = content.decode("utf-8-sig").splitlines()
        reader = csv.DictReader(lines, delimiter=";" if lines and ";" in lines[0] else ",")
        if "names" not in (reader.fieldnames or ()):
            raise ConfigurationError(f"{path}: there is no column names")
        rows = [(reader.line_num, _row(path, reader.line_num, row)) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigurationError(f"{path}: cannot be read as CSV: {error}") from error
    _each_name_once(path, rows)
    return DrugList(tuple(row for _, row in rows), sha256(content).hexdigest()[:8])


def _row(path: Path, line: int, row: dict[str, str | None]) -> tuple[tuple[str, ...], str]:
    names = tuple(name for name in (folded(read_cell(one)).strip() for one in (row["names"] or "").split("|")) if name)
    of = read_cell(row.get("class") or "").strip()
    if not names:
        raise ConfigurationError(f"{path}, line {line}: names is empty")
    for name in names:
        if not SHORTEST <= len(name) <= LONGEST or name in STOP_WORDS["nl"] | STOP_WORDS["en"]:
            raise ConfigurationError(f"{path}, line {line}: {name!r} is no name of a drug")
    if of and of not in drugs.classes():
        known = ", ".join(sorted(drugs.classes()))
        raise ConfigurationError(f"{path}, line {line}: class is {of!r}, not one of {known}; or leave it empty")
    return names, of


def _each_name_once(path: Path, rows: Sequence[tuple[int, tuple[tuple[str, ...], str]]]) -> None:
    known: dict[str, int] = {}
    for line, (names, _) in rows:
        for name in dict.fromkeys(names):
            if (before := known.setdefault(name, line)) != line:
                raise ConfigurationError(f"{path}, line {line}: {name!r} stands in line {before} too")
