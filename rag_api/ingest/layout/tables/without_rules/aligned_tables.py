"""Tables without rules, told by cells that begin below each other: which pieces of a page are which
cell of which row.

Most programs write a table cell by cell: down the lines of one, up and to the right to the next,
down and to the left to the next row. Columns of text, cards and forms do not come back to the left
often enough, or have no cell of one line. Others write line by line across the row: there the white
between rows must be wider than within one, and the second line of a cell be there because the first
was full. A row that is not sure to be one leaves the table as it is: two rows in one would give one
patient the other's dose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag_api.ingest.layout.tables.without_rules.table_parts import PADDING, Part, PartCell, PartColumn, PartRow, is_full

_LEVEL = 0.3  # line heights that cells of one row may begin lower than each other
_IN_CELL = 0.5  # line heights of white between two lines of a cell, at most
_BETWEEN_ROWS = 2.0  # line heights of white
_SAME_SIZE = 0.12
_MOST_LINES = 15  # of a cell; more is a column of text
_MOST_CELLS = 40  # of a row; more is a drawing
_FEWEST = 3  # rows, or two where the first is a header
_WIDER = 0.12  # line heights that the white between rows is wider than within one
_EVEN = 0.06  # line heights that the white within rows may differ


def aligned_tables(parts: Sequence[Part | None], small: Sequence[bool]) -> list[list[list[int]]]:
    """Return the rows of all tables, each its cells, each the numbers of its pieces. parts: in
    reading order, None for what cannot be a cell's; small: whether a piece begins with a small
    letter."""
    found: list[list[list[int]]] = []
    for run in _runs(parts):
        for table in _tables(_rows(run)):
            whole = _sure(table, small)
            if _is_table(whole):
                found += [[cell.numbers for cell in row.cells] for row in whole if len(row.cells) > 1]
    return found


def _runs(parts: Sequence[Part | None]) -> Iterator[list[tuple[int, Part]]]:
    run: list[tuple[int, Part]] = []
    for number, part in enumerate(parts):
        if part is not None:
            run.append((number, part))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _rows(run: Sequence[tuple[int, Part]]) -> Iterator[PartRow]:
    """What goes down and to the right without coming back to the left: rows of a table, or running
    text as rows of one cell."""
    cells: list[PartCell] = []
    for number, part in run:
        if cells and _stands_below(cells[-1], part):
            cells[-1].add(part, number)
        elif cells and _stands_beside(cells, part):
            cells.append(PartCell([part], [number]))
        else:
            yield from _cut(cells)
            cells = [PartCell([part], [number])]
    yield from _cut(cells)


def _stands_below(cell: PartCell, part: Part) -> bool:
    last = cell.parts[-1]
    if (
        abs(part.size - last.size) > _SAME_SIZE * last.size
        or part.bold != last.bold
        or part.y0 < last.y0 + 0.5 * last.size
    ):
        return False
    if not PartColumn(cell.x0, cell.x1).aligned(PartCell([part], [0])):
        return False
    usual = cell.parts[1].y0 - cell.parts[0].y1 if len(cell.parts) > 1 else _IN_CELL * last.size
    return part.y0 - last.y1 < min(_IN_CELL * last.size, usual + 0.1 * last.size)


def _stands_beside(cells: Sequence[PartCell], part: Part) -> bool:
    """It begins to the right of the last cell, and where the row is."""
    last = cells[-1]
    if part.x0 < last.x1 - _LEVEL * last.size or len(cells) == _MOST_CELLS:
        return False
    return (
        part.y0 < max(cell.bottom for cell in cells) - _LEVEL * part.size
        and part.y1 > min(cell.top for cell in cells) - 8 * part.size
    )


def _cut(cells: list[PartCell]) -> Iterator[PartRow]:
    """The row; what stands above it in its first cell is none of it, where wider white parts
    them."""
    if len(cells) > 1 and not _level(cells):
        first, top = cells[0], cells[1].top
        at = next((n for n, part in enumerate(first.parts) if abs(part.y0 - top) < _LEVEL * part.size), 0)
        whites = [two.y0 - one.y1 for one, two in pairwise(first.parts)]
        others = [two.y0 - one.y1 for cell in cells[1:] for one, two in pairwise(cell.parts)]
        if at and whites[at - 1] > max([*whites[at:], *others], default=0) + 0.5:
            yield PartRow([PartCell(first.parts[:at], first.numbers[:at])], [])
            cells = [PartCell(first.parts[at:], first.numbers[at:]), *cells[1:]]
    if cells:
        yield PartRow(cells, [])


def _level(cells: Sequence[PartCell]) -> bool:
    """The cells begin at one height, or have their middles there."""
    tops, middles = [cell.top for cell in cells], [(cell.top + cell.bottom) / 2 for cell in cells]
    return min(max(at) - min(at) for at in (tops, middles)) < _LEVEL * min(cell.size for cell in cells)


def _tables(rows: Iterator[PartRow]) -> Iterator[list[PartRow]]:
    """Rows below each other whose cells stand in the same columns."""
    table: list[PartRow] = []
    columns: list[PartColumn] = []
    for row in rows:
        if table and _goes_on(table, columns, row):
            table.append(row)
            continue
        if table:
            yield table
        table, columns = [], []
        if len(row.cells) > 1 and _is_row(row):
            row.columns = list(range(len(row.cells)))
            table, columns = [row], [PartColumn(cell.x0, cell.x1) for cell in row.cells]
    if table:
        yield table


def _is_row(row: PartRow) -> bool:
    return _level(row.cells) and max(len(cell.parts) for cell in row.cells) <= _MOST_LINES


def _goes_on(table: Sequence[PartRow], columns: list[PartColumn], row: PartRow) -> bool:
    """It is the table's next row: its columns are noted, and the table's widened."""
    size = row.cells[0].size
    white = row.top - table[-1].bottom
    if not (-_LEVEL * size < white < _BETWEEN_ROWS * size) or not _is_row(row):
        return False
    found: list[int | None] = []
    for cell in row.cells:
        over = [n for n, column in enumerate(columns) if column.overlaps(cell)]
        if len(over) > 1:
            return False
        found.append(over[0] if over else None)
    known = [n for n in found if n is not None]
    in_line = sum(n is not None and columns[n].aligned(cell) for n, cell in zip(found, row.cells, strict=True))
    if len(set(known)) < len(known) or in_line < min(2, len(row.cells)) or len(known) < len(row.cells):
        return False
    for n, cell in zip(known, row.cells, strict=True):
        columns[n].x0, columns[n].x1 = min(columns[n].x0, cell.x0), max(columns[n].x1, cell.x1)
    row.columns = known
    return True


def _sure(table: list[PartRow], small: Sequence[bool]) -> list[PartRow]:
    """The table with its rows whole; nothing where it is not sure which lines are one row's."""
    table = _without_ends(table)
    if not table:
        return []
    if not any(len(cell.parts) > 1 for row in table for cell in row.cells[:-1]):
        return _by_lines([line for row in table for line in _lines_of(row)], small)
    rights = _rights(table)
    whites = [two.top - one.bottom for one, two in pairwise(table)]
    for row in table:
        heights = [len(cell.parts) for cell in row.cells]
        for n, cell in zip(row.columns, row.cells, strict=True):
            # lines level with another cell's may be rows, written column by column
            alone = heights.count(len(cell.parts)) == 1
            for (_, one), (number, two) in pairwise(zip(cell.numbers, cell.parts, strict=True)):
                apart = alone and two.y0 - one.y1 < min(whites, default=0.0) - _WIDER * two.size
                if not (apart or is_full(one, two, rights[n]) or small[number]):
                    return []
    return table


def _lines_of(row: PartRow) -> Iterator[PartRow]:
    """Its lines; only its last cell has more than one."""
    yield PartRow([PartCell(cell.parts[:1], cell.numbers[:1]) for cell in row.cells], row.columns)
    last = row.cells[-1]
    for part, number in zip(last.parts[1:], last.numbers[1:], strict=True):
        yield PartRow([PartCell([part], [number])], row.columns[-1:])


def _by_lines(table: list[PartRow], small: Sequence[bool]) -> list[PartRow]:
    """Rows that are written line by line, in one each; nothing where that is not sure."""
    whites = [two.top - one.bottom for one, two in pairwise(table)]
    step, limit = max(((two - one, (one + two) / 2) for one, two in pairwise(sorted(whites))), default=(0.0, 0.0))
    size = table[0].cells[0].size
    within = [white for white in whites if white < limit]
    if step < _WIDER * size or max(within) - min(within) > _EVEN * size:
        return table
    rights = _rights(table)
    last = max(rights)
    whole = [table[0]]
    for white, row in zip(whites, table[1:], strict=True):
        if white > limit:
            whole.append(row)
            continue
        open_ = dict(zip(whole[-1].columns, whole[-1].cells, strict=True))
        for n, cell in zip(row.columns, row.cells, strict=True):
            above = open_.get(n)
            if above is None:
                return []
            wrapped = small[cell.numbers[0]] if n == last else is_full(above.parts[-1], cell.parts[0], rights[n])
            if not wrapped:  # a row of its own, whose first cell is the one above
                return []
            open_[n] = PartCell([*above.parts, *cell.parts], [*above.numbers, *cell.numbers])
        whole[-1] = PartRow(list(open_.values()), whole[-1].columns)
    return whole


def _rights(table: Sequence[PartRow]) -> dict[int, float]:
    """How far the words of each column may reach."""
    cells = [(n, cell) for row in table for n, cell in zip(row.columns, row.cells, strict=True)]
    columns = sorted({n for n, _ in cells})
    begins = {n: min(cell.x0 for k, cell in cells if k == n) - PADDING * cells[0][1].size for n in columns}
    last = max(cell.x1 for n, cell in cells if n == columns[-1])
    return dict(zip(columns, [*(begins[n] for n in columns[1:]), last], strict=True))


def _without_ends(table: list[PartRow]) -> list[PartRow]:
    """A table ends with a row of several cells, unless what is alone there stands further right
    than what follows a table."""
    end = len(table)
    while end and len(table[end - 1].cells) == 1 and table[end - 1].columns == [0]:
        end -= 1
    return table[:end]


def _is_table(rows: Sequence[PartRow]) -> bool:
    """Cells of several lines, among others of one line, in rows enough."""
    whole = [row for row in rows if len(row.cells) > 1]
    columns = {n for row in whole for n in row.columns}
    if not whole:
        return False
    header = whole[0].bold and not whole[-1].bold
    if len(whole) < _FEWEST - header:
        return False
    short = sum(any(len(cell.parts) == 1 for cell in row.cells) for row in whole)
    if 2 * short < len(whole):
        return False
    last = max(columns)
    free = header or len(columns) > 2
    return any(
        len(cell.parts) > 1 and (free or n < last)
        for row in whole
        for cell, n in zip(row.cells, row.columns, strict=True)
    )
