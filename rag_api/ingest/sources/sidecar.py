"""`metadata.csv` beside documents: what is said of each, by its file's name. A row that is wrong
costs its document, never the others.

A document is not taken in with half of what is said of it: a wrong group of patients or a date that
is none would go unseen.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from rag_api.errors import InvalidInput
from rag_api.ingest.common.described.dates import parse_date
from rag_api.ingest.common.described.metadata import FIELDS, GROUPS, groups_in, target_groups

SIDECAR = "metadata.csv"
_DATES = ("valid_from", "valid_until")
_ALL = re.compile(r"(?:iedereen|alle(?: pati[eë]nten)?|all(?: patients)?|everyone|n\.?v\.?t\.?|-)\s*", re.IGNORECASE)
_MOST_GROUPS = 50
_LONGEST = 100  # characters of a group's name


@dataclass(frozen=True, slots=True)
class SidecarRow:
    lines: tuple[int, ...]  # of the file; more than one where several rows name one document
    values: Mapping[str, str]
    wrong: str = ""  # why it cannot be used


@dataclass(frozen=True, slots=True)
class Sidecar:
    path: Path | str = SIDECAR
    rows: Mapping[str, SidecarRow] = field(default_factory=dict)

    def at(self, path: str) -> Sidecar:
        """The same, said to lie elsewhere."""
        return replace(self, path=path)

    def given(self, name: str) -> Mapping[str, str]:
        """What is said of a file. Of a wrong row who may read it, which holds for the version that
        is kept."""
        row = self.rows.get(name)
        if row is None or not row.wrong:
            return row.values if row else {}
        return {GROUPS: row.values[GROUPS]} if GROUPS in row.values and not _wrong_groups(row.values[GROUPS]) else {}

    def wrong(self, name: str) -> str:
        """Why what is said of a file cannot be used; empty when it can."""
        row = self.rows.get(name)
        return f"{self.path}, {_lines(row.lines)}: {row.wrong}" if row and row.wrong else ""

    def notes(self, there: Iterable[str]) -> tuple[str, ...]:
        """What an admin should know of rows that cost nothing. there: the files that lie beside
        it."""
        return tuple(self._notes(frozenset(there)))

    def _notes(self, there: frozenset[str]) -> Iterator[str]:
        for name, row in self.rows.items():
            if name not in there:
                yield f"{self.path}, {_lines(row.lines)}: there is no file {name or 'without a name'} beside it"
            elif len(row.lines) > 1 and not row.wrong:
                yield f"{self.path}, {_lines(row.lines)}: the same is said of {name} twice"


def read_sidecar(folder: Path) -> Sidecar:
    """The folder's metadata.csv; without rows when there is none. Raises InvalidInput when it
    cannot be understood as a whole."""
    path = folder / SIDECAR
    if not path.is_file():
        return Sidecar(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path}: cannot be read as UTF-8 ({error})") from error
    # as Dutch Excel writes it
    delimiter = ";" if text.partition("\n")[0].count(";") > text.partition("\n")[0].count(",") else ","
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    unknown = set(rows.fieldnames or ()) - {"source", GROUPS, *FIELDS}
    if unknown or "source" not in (rows.fieldnames or ()):
        raise InvalidInput(
            f"{path}: the columns may be source (required), {GROUPS}, {', '.join(FIELDS)}; not "
            f"{', '.join(sorted(map(str, unknown)))}"
        )
    found: dict[str, SidecarRow] = {}
    for cells in rows:
        values = {name: (cells.get(name) or "").strip() for name in (GROUPS, *FIELDS)}
        values = {name: value for name, value in values.items() if value}
        name = unicodedata.normalize("NFC", (cells["source"] or "").strip())
        if name or values:
            row = SidecarRow((rows.line_num,), values, _too_many(cells) or _wrong(values))
            found[name] = _both(found[name], row) if name in found else row
    return Sidecar(path, found)


def _too_many(cells: Mapping[str | None, object]) -> str:
    return (
        "has more cells than the first line names: a comma or semicolon inside a cell needs quotes around it"
        if cells.get(None)
        else ""
    )


def _wrong(values: Mapping[str, str]) -> str:
    """What is wrong with a row's cells."""
    for name in _DATES:
        if name in values and parse_date(values[name]) is None:
            return f"{name} is no date: {values[name]!r} (write 2026-01-31 or 31/01/2026)"
    begins, ends = (parse_date(values.get(name, "")) for name in _DATES)
    if begins and ends and ends < begins:
        return f"valid_until {ends} lies before valid_from {begins}"
    for part in re.split(r"[;,]", values.get("target_groups", "")):
        if part.strip() and not target_groups(part) and not _ALL.fullmatch(part.strip()):
            return (
                f"target_groups names no patients that are known: {part.strip()!r} (adult, child, neonate, pregnancy)"
            )
    return _wrong_groups(values[GROUPS]) if GROUPS in values else ""


def _wrong_groups(text: str) -> str:
    names = groups_in(text)
    if not names or len(names) > _MOST_GROUPS or any(len(name) > _LONGEST or not name.isprintable() for name in names):
        return f"{GROUPS} names no groups: {text[:40]!r} (1 to {_MOST_GROUPS} names, semicolons between)"
    return ""


def _both(one: SidecarRow, two: SidecarRow) -> SidecarRow:
    """Two rows of one document: what they say is used only when it is the same."""
    differ = sorted(name for name in {*one.values, *two.values} if one.values.get(name) != two.values.get(name))
    wrong = (
        one.wrong or two.wrong or (f"two rows are about one file, and differ in {', '.join(differ)}" if differ else "")
    )
    return SidecarRow(
        (*one.lines, *two.lines), {name: value for name, value in one.values.items() if name not in differ}, wrong
    )


def _lines(lines: tuple[int, ...]) -> str:
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {' and '.join(map(str, lines))}"
