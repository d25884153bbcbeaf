"""Tables with level rules alone, below their header and at their end.

The columns are what white parts in header and rows from top to foot. Where a program draws cell by
cell, what goes on to the right is the next cell of a row, what goes back to the first column the
next row. Else rows are what clearly wider white parts through all columns. The cells of a row begin
level, or have their middles there. Where any of that is not so nobody knows the row of a cell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from rag_api.ingest.layout.lines import CELL_GAP, LEVEL, Line, is_beside
from rag_api.ingest.layout.tables.grid import Cell
from rag_api.ingest.layout.tables.without_rules.table_parts import PADDING, PartCell, PartRow, is_full
from rag_api.text.block_shapes import label_of

_GAP = 2.0  # points between columns
_FEWEST = 3  # rows without names above
_UP = 0.5  # line heights
_WIDER = 0.45  # line heights that the white between rows is wider than within one

RowCells = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class RuledTable:
    """All pieces below the header; its rows, each its cells, each its pieces: without any it is not
    sure. by_cells: they are drawn one after another; anew: of its first column the pieces that
    would have fitted on the line above, behind that."""

    pieces: frozenset[int]
    rows: tuple[RowCells, ...]
    by_cells: bool
    anew: frozenset[tuple[int, int]]


def ruled_tables(lines: Sequence[Line], cells: Sequence[Cell | None]) -> list[RuledTable]:
    """Those of a page. lines: its pieces in the order in which they are drawn; cells: between which
    rules each stands."""
    between: dict[tuple[int, int], list[int]] = defaultdict(list)
    closed: set[tuple[int, int]] = set()
    for n, cell in enumerate(cells):
        if cell is not None and not lines[n].counts:
            between[cell.band.top, cell.band.bottom].append(n)
            closed |= {cell.band[1:]} if cell.left != -1 else set()
    between = {band: own for band, own in between.items() if band not in closed}
    tables: dict[tuple[int, int], dict[int, int]] = {}
    for (top, bottom), body in between.items():
        header = [n for (_, foot), own in between.items() if foot == top for n in own]
        columns = _columns(lines, header, body) or _unnamed_columns(lines, header, body)
        if len(set(columns.values())) > 1:
            tables[top, bottom] = columns
    return [
        _table(lines, between[band], columns, not any(band[0] == foot or band[1] == top for top, foot in tables))
        for band, columns in tables.items()
    ]


def _table(lines: Sequence[Line], body: Sequence[int], columns: dict[int, int], alone: bool) -> RuledTable:
    """alone: no rules part its rows."""
    by_cells = _is_cell_by_cell(lines, body, columns)
    rows = _drawn_rows(body, columns) if by_cells else _rows_by_white(lines, body, columns)
    rows = rows if _are_sure(lines, rows) else ()
    anew = _anew(lines, body, columns) if alone and not (by_cells and rows) else ()
    return RuledTable(frozenset(body), rows, by_cells, frozenset(anew))


def _columns(lines: Sequence[Line], header: Sequence[int], body: Sequence[int]) -> dict[int, int]:
    """The column of each piece of the body; nothing where each name of the header has not one to
    itself. The first column may have no name."""
    names = _parted(lines, header)
    parted = _parted(lines, [*header, *body])
    named = [bool(set(own) & set(header)) for own in parted]
    if not all(named[1:]) or sum(named) != len(names) or len(names) < 2:
        return {}
    columns = {n: k for k, own in enumerate(parted) for n in own if n not in header}
    several = any(
        columns[one] == columns[two] and lines[two].x0 - lines[one].x1 > CELL_GAP * lines[two].size
        for one, two in product(columns, columns)
        if is_beside(lines[one], lines[two])
    )
    return {} if several else columns


def _unnamed_columns(lines: Sequence[Line], header: Sequence[int], body: Sequence[int]) -> dict[int, int]:
    """Where no names stand above, the column of each piece of a body that is drawn cell by cell in
    rows that are sure; nothing else says that it is no text beside text."""
    columns = {n: k for k, own in enumerate(_parted(lines, body)) for n in own}
    if len(_parted(lines, header)) > 1 or len(set(columns.values())) < 2 or not _is_cell_by_cell(lines, body, columns):
        return {}
    rows = _drawn_rows(body, columns)
    whole = len(rows) >= _FEWEST and all(len(row) == len(set(columns.values())) for row in rows)
    labels = all(label_of(f"{lines[n].marked.text} ") for row in rows for n in row[0])
    return columns if whole and not labels and _are_sure(lines, rows) else {}


def _parted(lines: Sequence[Line], own: Sequence[int]) -> list[list[int]]:
    """Pieces between which white goes through from top to foot, from the left."""
    found: list[list[int]] = []
    right = float("-inf")
    for n in sorted(own, key=lambda n: lines[n].x0):
        if lines[n].x0 > right + _GAP:
            found.append([])
        found[-1].append(n)
        right = max(right, lines[n].x1)
    return found


def _is_cell_by_cell(lines: Sequence[Line], body: Sequence[int], columns: dict[int, int]) -> bool:
    """What is drawn next stands higher more often than columns end; or does, and what is drawn
    further left always begins a row."""
    up = sum(lines[two].y0 < lines[one].y0 - _UP * lines[two].size for one, two in pairwise(body))
    back = [columns[two] for one, two in pairwise(body) if columns[two] < columns[one]]
    return up >= len(set(columns.values())) or (up > 0 and len(back) > 1 and not any(back))


def _drawn_rows(body: Sequence[int], columns: dict[int, int]) -> tuple[RowCells, ...]:
    """Nothing where one begins in another column than the first."""
    rows: list[list[list[int]]] = []
    before = 0
    for n in body:
        column = columns[n]
        if not rows or column < before:
            if column:
                return ()
            rows.append([[n]])
        elif column == before:
            rows[-1][-1].append(n)
        else:
            rows[-1].append([n])
        before = column
    return tuple(tuple(map(tuple, row)) for row in rows)


def _rows_by_white(lines: Sequence[Line], body: Sequence[int], columns: dict[int, int]) -> tuple[RowCells, ...]:
    """Nothing where the white is of one kind."""
    levels: list[list[int]] = []
    whites: list[float] = []
    foot = float("-inf")
    for n in sorted(body, key=lambda n: lines[n].y0):
        if lines[n].y0 > foot:
            whites += [(lines[n].y0 - foot) / lines[n].size] if levels else []
            levels.append([])
        levels[-1].append(n)
        foot = max(foot, lines[n].y1)
    step, limit = max(((two - one, (one + two) / 2) for one, two in pairwise(sorted(whites))), default=(0.0, 0.0))
    if step < _WIDER:
        return ()
    rows = levels[:1]
    for white, level in zip(whites, levels[1:], strict=True):
        rows = [*rows, level] if white > limit else [*rows[:-1], rows[-1] + level]
    return tuple(
        tuple(tuple(n for n in row if columns[n] == k) for k in sorted({columns[n] for n in row}))
        if any(columns[n] == 0 for n in row)
        else ()
        for row in rows
    )


def _are_sure(lines: Sequence[Line], rows: Sequence[RowCells]) -> bool:
    whole = [PartRow([PartCell([lines[n] for n in cell], list(cell)) for cell in row], []) for row in rows]
    if not all(len(row.cells) > 1 and _is_level(row) and _goes_down(row) for row in whole):
        return False
    return all(two.top > one.bottom - LEVEL * two.cells[0].size for one, two in pairwise(whole))


def _is_level(row: PartRow) -> bool:
    tops, middles = [cell.top for cell in row.cells], [(cell.top + cell.bottom) / 2 for cell in row.cells]
    near = LEVEL * min(cell.size for cell in row.cells)
    return min(max(at) - min(at) for at in (tops, middles)) < near


def _goes_down(row: PartRow) -> bool:
    return all(two.y0 > one.y0 - _UP * two.size for cell in row.cells for one, two in pairwise(cell.parts))


def _anew(lines: Sequence[Line], body: Sequence[int], columns: dict[int, int]) -> Iterator[tuple[int, int]]:
    right = min(lines[n].x0 for n in body if columns[n]) - PADDING * lines[body[0]].size
    first = sorted((n for n in body if columns[n] == 0), key=lambda n: lines[n].y0)
    for one, two in pairwise(first):
        if not (is_full(lines[one], lines[two], right) or lines[two].marked.text[0].islower()):
            yield one, two
