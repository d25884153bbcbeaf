"""Lines that look like headings, or begin small, and are cells of a table, though no row has them:
level with a row, or close below one in its column.

Read as a heading, such a line would stand over rows that it has nothing to do with. A name that a
header's row lacks is put into it; any other cell is kept where it stands, and the rows that it may
belong to are not certain. What begins at a table's left edge or stands in its middle, clear of its
rows, is a heading, a caption or the name of a group; what begins small goes on in the row above.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rag_api.ingest.layout.lines import Line, PageItem, Row, lines_of_item, stands_below_last_cell
from rag_api.text.sentence_splitter import LineKind, kind_of_line

_ALIGNED = 1.5  # points between the beginnings, or the middles, of cells of one column
_ROWS = 2  # that a column is told by, at least
_NEAR = 1.2  # line heights of white between such a line and a row, at most
_LEVEL = 0.3  # of a line's height that stands beside a row
_MOST = 3  # lines between two rows; more are text
_TALLEST = 8  # line heights of a row; what is taller is columns of text
_LARGER = 1.08  # times a row's letters

Reach = tuple[float, float]  # from left to right


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Rows that follow each other, and the cells of each. at: the index of the first among the
    page's items."""

    at: int
    rows: tuple[PageItem, ...]
    cells: tuple[tuple[Reach, ...], ...]
    left: float
    right: float

    @property
    def end(self) -> int:
        return self.at + len(self.rows)


def with_stray_cells(items: Sequence[PageItem]) -> list[PageItem]:
    """A page's items, those lines marked that are cells; names of a header that stand level with
    its row are put into it."""
    found: list[PageItem | None] = list(items)
    tables = list(_tables(items))
    for n, item in enumerate(items):
        if not isinstance(item, Line) or item.aside or item.counts or "\t" in item.marked.text:
            continue
        if n and _goes_on(found[n - 1], item):
            found[n] = replace(item, cell=True)
            continue
        near = _near(n, tables)
        if n and near and _goes_on_in_a_row(item, items[n - 1], near):
            found[n] = replace(item, cell=True)
            continue
        if not near or not _may_head(item, near[0].rows[0]):
            continue
        beside = _beside(n, item, near)
        row = None if beside is None else found[beside]
        if isinstance(row, Row) and item.bold and all(line.bold for line in row.lines if _is_level(item, line)):
            found[beside], found[n] = _with_cell(row, item), None  # type: ignore[index]
        elif beside is not None or _stands_below_a_column(n, item, near):
            found[n] = replace(item, cell=True)
    return [item for item in found if item is not None]


def rows_in_doubt(items: Sequence[PageItem]) -> list[Line]:
    """The lines of stray cells, and of the rows that they may belong to: those beside them, else
    those before and behind them; of a name in the first column all rows that have none."""
    found: dict[int, Line] = {}
    tables = list(_tables(items))
    for n, item in enumerate(items):
        if not (isinstance(item, Line) and item.cell):
            continue
        near = _near(n, tables)
        its = [row for table in near for row in table.rows if _is_level(item, row)]
        its = its or [table.rows[0] if table.at > n else table.rows[-1] for table in near]
        for table in near:
            if item.x0 < table.left + item.size:
                its += [row for row, cells in zip(table.rows, table.cells, strict=True) if cells[0][0] > item.x1]
        for line in (item, *(line for row in its for line in lines_of_item(row))):
            found[id(line)] = line
    return list(found.values())


def _near(n: int, tables: Sequence[_Table]) -> list[_Table]:
    """The tables that begin just behind, or end just before, the item of this index."""
    return [table for table in tables if 0 <= table.at - n - 1 < _MOST or 0 <= n - table.end < _MOST]


def _tables(items: Sequence[PageItem]) -> Iterator[_Table]:
    rows: list[PageItem] = []
    for n, item in enumerate((*items, None)):
        if isinstance(item, Row) or (item is not None and "\t" in item.marked.text and not item.aside):
            rows.append(item)
        elif rows:
            cells = tuple(tuple(_reaches(row)) for row in rows)
            left, right = min(a for row in cells for a, _ in row), max(b for row in cells for _, b in row)
            yield _Table(n - len(rows), tuple(rows), cells, left, right)
            rows = []


def _reaches(item: PageItem) -> list[Reach]:
    """How far each cell of a row reaches; of a line of cells as far as its letters tell."""
    if isinstance(item, Row):
        return [(min(one.x0 for one in cell), max(one.x1 for one in cell)) for cell in item.cells]
    boxes, at, found = item.marked.boxes, 0, []
    for part in item.marked.text.split("\t"):
        own = boxes[at : at + len(part)]
        at += len(part) + 1
        own = own[~np.isnan(own).any(axis=1)]
        if len(own):
            found.append((float(own[:, 0].min()), float(own[:, 2].max())))
    upright = bool(found) and abs(found[0][0] - item.x0) < 1 and abs(found[-1][1] - item.x1) < 1
    return found if upright else [(item.x0, item.x1)]


def _goes_on(one: PageItem | None, two: Line) -> bool:
    """The next line of a stray cell."""
    if not isinstance(one, Line) or not one.cell or one.bold != two.bold:
        return False
    return (
        min(abs(one.x0 - two.x0), abs(one.x0 + one.x1 - two.x0 - two.x1) / 2) < _ALIGNED
        and 0 < two.y0 - one.y0 < 1.6 * one.size
    )


def _goes_on_in_a_row(line: Line, above: PageItem, tables: Sequence[_Table]) -> bool:
    """It begins small, right below a row, in one of its columns but the first; it is no second line
    of the last cell."""
    if not line.marked.text[0].islower() or not any(above is table.rows[-1] for table in tables):
        return False
    last = isinstance(above, Line) and stands_below_last_cell(above, line)
    near = line.y0 - above.y0 > 0 and line.y0 - above.y1 < _NEAR * line.size
    reaches = [reach for table in tables for cells in table.cells for reach in cells[1:]]
    return near and not last and sum(abs(line.x0 - a) < _ALIGNED for a, _ in reaches) >= _ROWS


def _may_head(line: Line, row: PageItem) -> bool:
    larger = line.size > _LARGER * lines_of_item(row)[0].size
    return line.bold or larger or kind_of_line(line.marked.text, followed=True) == LineKind.HEADING


def _beside(n: int, line: Line, tables: Sequence[_Table]) -> int | None:
    """The index of the row that a line is level with, within the reach of the tables before and
    behind it. A name to the left of the row that follows groups this and others."""
    left, right = min(table.left for table in tables), max(table.right for table in tables)
    if line.x0 < left - line.size or line.x1 > right + line.size:
        return None
    for table in tables:
        for k, row in enumerate(table.rows):
            leads = table.at > n and k == 0 and line.x1 < table.cells[0][0][0]
            if _is_level(line, row) and not leads and all(line.x0 > b or line.x1 < a for a, b in table.cells[k]):
                return table.at + k
    return None


def _is_level(line: Line, row: PageItem) -> bool:
    level = min(line.y1, row.y1) - max(line.y0, row.y0) > _LEVEL * (line.y1 - line.y0)
    return level and row.y1 - row.y0 < _TALLEST * line.size


def _stands_below_a_column(n: int, line: Line, tables: Sequence[_Table]) -> bool:
    """Close to a row, even with cells of one of its table's columns but the first, and not in the
    table's middle."""
    before = next((table for table in tables if table.at < n), None)
    if before is None or line.y0 < before.rows[-1].y0:
        return False
    after = [table for table in tables if table.at > n and table.rows[0].y0 > line.y0]
    white = min(line.y0 - before.rows[-1].y1, *(table.rows[0].y0 - line.y1 for table in after), float("inf"))
    return white < _NEAR * line.size and any(_is_of_a_column(line, table) for table in (before, *after))


def _is_of_a_column(line: Line, table: _Table) -> bool:
    middle, own = (table.left + table.right) / 2, (line.x0 + line.x1) / 2
    wide = 2 * (line.x1 - line.x0) > table.right - table.left
    if wide or not table.left + line.size < line.x0 < table.right or abs(own - middle) < 2 * line.size:
        return False
    reaches = [reach for cells in table.cells for reach in cells]
    begins = sum(abs(line.x0 - a) < _ALIGNED for a, _ in reaches)
    middles = sum(abs(2 * own - a - b) < 2 * _ALIGNED for a, b in reaches)
    return max(begins, middles) >= _ROWS


def _with_cell(row: Row, line: Line) -> Row:
    cells = sorted([*row.cells, (line,)], key=lambda cell: min(one.x0 for one in cell))
    shared = {id(row.cells[n]) for n in row.shared}
    return Row(tuple(cells), frozenset(n for n, cell in enumerate(cells) if id(cell) in shared))
