"""A sheet (.xlsx) -> a line for each row that says its columns' names: "Middel: kalium; Dosis: 10
mmol". A row that is read alone, as answers quote it, must not lose what its numbers are of. Hidden
rows, columns and sheets are not read, and named."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.utils import get_column_letter

from rag_api.domain import BlockKind
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.described.words import language_of
from rag_api.ingest.common.notes import note
from rag_api.ingest.docx.package import Package, tag
from rag_api.ingest.structure.tagged_lines import TaggedLine

# in the rectangle that is used; a sheet with one cell at its far corner has 17 thousand million
_MOST_CELLS = 2_000_000
_MOST_TEXT = 20_000_000


@dataclass(slots=True)
class Sheets:
    lines: list[str] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    hidden: list[str] = field(default_factory=list)  # "sheet Oud", "rows of Doses"
    uncounted: int = 0  # formulas without a stored value
    remarks: int = 0

    def warnings(self) -> tuple[str, ...]:
        found = []
        if self.hidden:
            found.append(note("hidden_parts", parts=", ".join(self.hidden)))
        if self.uncounted:
            found.append(note("formulas", count=self.uncounted))
        if self.remarks:
            found.append(note("remarks", count=self.remarks))
        return tuple(found)


def read_sheets(path: Path, name: str) -> Sheets:
    """Raises UnreadableDocument: broken, too_large."""
    with Package(path, name) as package:
        found = Sheets(properties=package.properties())
        drawn = [line for part in package.parts("xl/drawings/") for line in _drawn(package, part)]
        package.refuse_large("xl/")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of parts that openpyxl does not keep when it writes
            values = openpyxl.load_workbook(path, data_only=True)
            formulas = openpyxl.load_workbook(path)
    except MemoryError:
        raise
    except Exception as error:
        raise UnreadableDocument("broken", f"{name}: is damaged: it cannot be opened as a sheet") from error
    comma = language_of(" ".join(_texts(values))) == "nl"
    for sheet in values.worksheets:
        if sheet.max_row * sheet.max_column > _MOST_CELLS:
            raise UnreadableDocument(
                "too_large", f"{name}: sheet {sheet.title} is {sheet.max_row:,} rows by {sheet.max_column:,} columns"
            )
        if sheet.sheet_state != "visible":
            found.hidden.append(f"sheet {sheet.title}")
            continue
        found.lines += [
            TaggedLine(sheet.title, BlockKind.HEADING, 1),
            *_lines(sheet, formulas[sheet.title], found, comma),
            "",
        ]
    found.lines += drawn
    if sum(map(len, found.lines)) > _MOST_TEXT:
        raise UnreadableDocument("too_large", f"{name}: holds more than {_MOST_TEXT:,} characters")
    return found


def _texts(book: Any) -> Iterator[str]:
    count = 0
    for sheet in book.worksheets:
        for row in sheet.iter_rows(
            max_row=min(sheet.max_row, 500), max_col=min(sheet.max_column, 100), values_only=True
        ):
            for value in row:
                if isinstance(value, str):
                    yield value
                    count += len(value)
            if count > 20_000:
                return


def _lines(sheet: Any, formulas: Any, found: Sheets, comma: bool) -> Iterator[str]:
    """A table begins with the first row of several cells, all words, after a gap; its names stand
    before the cells of each row below."""
    header: Sequence[str] | None = None
    for cells in _rows(sheet, formulas, found, comma):
        filled = [cell for cell in cells if cell]
        if not filled:
            header = None
        elif header is None and len(filled) >= 2 and not any(c.isdigit() for cell in filled for c in cell[:1]):
            header = cells
            yield _row("\t".join(filled), cells, header=True)
        elif header is None or len(filled) == 1:
            yield _row("\t".join(filled), cells)
        else:
            named = [f"{title}: {cell}" if title else cell for title, cell in zip(header, cells, strict=True) if cell]
            yield _row("; ".join(named), cells, names=[one.partition(": ")[0] for one in named])


def _row(text: str, cells: Sequence[str], header: bool = False, names: Sequence[str] = ()) -> TaggedLine:
    return TaggedLine(
        text, BlockKind.ROW, header=header, columns=[(n, 1) for n, cell in enumerate(cells) if cell], names=names
    )


def _rows(sheet: Any, formulas: Any, found: Sheets, comma: bool) -> Iterator[list[str]]:
    columns = [n for n in range(1, sheet.max_column + 1) if not _hidden_column(sheet, n)]
    merged = _merged(sheet)
    dropped: set[str] = {"columns"} if len(columns) < sheet.max_column else set()
    for row in sheet.iter_rows():
        texts = [_said(merged.get((cell.row, cell.column), cell), comma) for cell in row]
        found.remarks += sum(cell.comment is not None for cell in row)
        for cell in row:
            if cell.value is None and isinstance(formula := formulas.cell(cell.row, cell.column).value, str):
                found.uncounted += formula.startswith("=")
        if sheet.row_dimensions[row[0].row].hidden:
            if any(texts):
                dropped.add("rows")
            continue
        yield [texts[n - 1] for n in columns]
    found.hidden += [f"{what} of {sheet.title}" for what in sorted(dropped)]


def _hidden_column(sheet: Any, number: int) -> bool:
    return any(
        one.hidden and (one.min or 0) <= number <= (one.max or 0) for one in sheet.column_dimensions.values()
    ) or (
        get_column_letter(number) in sheet.column_dimensions
        and sheet.column_dimensions[get_column_letter(number)].hidden
    )


def _merged(sheet: Any) -> dict[tuple[int, int], Any]:
    """(row, column) -> the cell whose value stands over it: a merged cell is said in each of its
    rows, once in a row."""
    found = {}
    for area in sheet.merged_cells.ranges:
        for row in range(area.min_row, min(area.max_row, sheet.max_row) + 1):
            found[(row, area.min_col)] = sheet.cell(area.min_row, area.min_col)
    return found


def _said(cell: Any, comma: bool) -> str:
    """A cell's value as Excel shows it, as far as its format changes what is read: percentages and
    dates."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "✓" if value else "✗"
    if isinstance(value, (int, float)):
        percent = "%" in re.sub(r'"[^"]*"', "", cell.number_format or "")
        text = f"{value * 100 if percent else value:.12g}"
        return (text.replace(".", ",") if comma else text) + ("%" if percent else "")
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    return " ".join(str(value).split())


def _drawn(package: Package, part: str) -> Iterator[str]:
    """Text boxes that lie on a sheet."""
    root = package.xml(part)
    for paragraph in root.iter() if root is not None else ():
        if tag(paragraph) == "a:p" and (
            text := "".join(one.text or "" for one in paragraph.iter() if tag(one) == "a:t").strip()
        ):
            yield text
