"""Rows of columns whose pieces are known: the white between two is wider than between the lines of
one, and a cell for several stands in the middle of them. Nothing where that is not sure in one way
only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_api.ingest.layout.tables.without_rules.table_parts import Part

MIDDLE = 0.4  # line heights that a cell may be off the middle
_APART = 0.45  # line heights of white that part rows, whatever else there is
_STEP = 0.12  # line heights that the white between rows is wider than within a cell
_WIDE = 1.2  # line heights; wider white parts cells that are for several rows
_MOST = 80  # rows
_LINES = 6  # of a cell that is for several rows


@dataclass(frozen=True, slots=True)
class TableRow:
    """Its cells from left to right, each the numbers of its lines; which of them stand beside other
    rows too."""

    cells: tuple[tuple[int, ...], ...]
    shared: frozenset[int]


@dataclass(slots=True)
class CellLines:
    lines: list[int]
    y0: float
    y1: float
    size: float

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


RowRange = tuple[int, int]  # rows, from one to before another


def rows_in_columns(parts: Sequence[Part], columns: Sequence[Sequence[int]], limit: float) -> list[TableRow]:
    """The rows of columns whose pieces are known, where they are sure. limit: of white that parts
    rows, in line heights."""
    return found_rows([cells_down(parts, own, limit) for own in columns], limit)


def found_rows(columns: list[list[CellLines]], limit: float) -> list[TableRow]:
    rows = _rows(columns, limit) if columns and all(columns) else []
    if not 2 <= len(rows) <= _MOST:
        return []
    spans: list[list[RowRange]] = []
    leads = True  # the columns before it are for several rows too: nothing but names stands there
    for cells in columns:
        shared = _shared_out(cells, rows) if len(cells) < len(rows) else None
        if (
            shared is not None
            and not any(_between(cell, rows) for cell in cells)
            and not (leads and _inside(shared, len(rows)))
        ):
            shared = None
        own = shared or _level(cells, rows)
        if own is None:
            return []
        leads = leads and shared is not None
        spans.append(own)
    return [_row(columns, spans, n) for n in range(len(rows))]


def limit_of(parts: Sequence[Part], columns: Sequence[Sequence[int]]) -> float | None:
    """From how many line heights on white parts rows; None where lines of a cell cannot be told
    from rows."""
    whites: list[float] = []
    for pieces in columns:
        foot: float | None = None
        for part in sorted((parts[n] for n in pieces), key=lambda part: part.y0):
            if foot is not None and 0 < (white := (part.y0 - foot) / part.size) < _WIDE:
                whites.append(white)
            foot = part.y1
    whites.sort()
    if not whites or whites[0] >= _APART:
        return _APART
    return next(((one + two) / 2 for one, two in pairwise(whites) if two - one >= _STEP), None)


def cells_down(parts: Sequence[Part], pieces: Sequence[int], limit: float) -> list[CellLines]:
    """A column's, downwards: lines close below each other are one's."""
    cells: list[CellLines] = []
    for n in sorted(pieces, key=lambda n: (parts[n].y0, parts[n].x0)):
        part = parts[n]
        if cells and part.y0 - cells[-1].y1 < limit * part.size:
            cells[-1].lines.append(n)
            cells[-1].y1 = max(cells[-1].y1, part.y1)
        else:
            cells.append(CellLines([n], part.y0, part.y1, part.size))
    return cells


def _rows(columns: Sequence[Sequence[CellLines]], limit: float) -> list[tuple[float, float]]:
    """From where to where each reaches; nothing where that is not sure."""
    most = max(map(len, columns))
    full = [cells for cells in columns if len(cells) == most]
    rows = [(min(cell.y0 for cell in own), max(cell.y1 for cell in own)) for own in zip(*full, strict=True)]
    least = limit * full[0][0].size
    apart = all(two[0] - one[1] >= least for one, two in pairwise(rows))
    level = all(max(cell.y0 for cell in own) < min(cell.y1 for cell in own) for own in zip(*full, strict=True))
    tight = any(
        len(own[0].lines) > 1 and len({len(cell.lines) for cell in own}) == 1 for own in zip(*full, strict=True)
    )
    return rows if apart and level and not (tight and len(full) == len(columns)) else []


def _level(cells: Sequence[CellLines], rows: Sequence[tuple[float, float]]) -> list[RowRange] | None:
    """For each cell the one row that it stands in."""
    found: list[RowRange] = []
    for cell in cells:
        over = [n for n, (a, b) in enumerate(rows) if cell.y0 < b and a < cell.y1]
        if len(over) != 1 or (found and found[-1][0] >= over[0]):
            return None
        found.append((over[0], over[0] + 1))
    return found


def _inside(spans: Sequence[RowRange], count: int) -> bool:
    """Neither the first row has a name to itself nor the last: names would stand at the top of
    their rows, or at the foot."""
    return spans[0] != (0, 1) and spans[-1] != (count - 1, count)


def _between(cell: CellLines, rows: Sequence[tuple[float, float]]) -> bool:
    """It stands neither in the middle of a row, nor at its top or foot."""
    near = MIDDLE * cell.size
    return all(min(abs(cell.middle - (a + b) / 2), abs(cell.y0 - a), abs(cell.y1 - b)) > near for a, b in rows)


def _shared_out(cells: Sequence[CellLines], rows: Sequence[tuple[float, float]]) -> list[RowRange] | None:
    """Which rows each cell is for, where they share out all of them in one way only."""
    # by how many cells: in how many ways, one of them
    ways: list[dict[int, tuple[int, list[RowRange]]]] = [{} for _ in range(len(rows) + 1)]
    ways[0][0] = (1, [])
    for i in range(len(rows)):
        for used, (many, spans) in ways[i].items():
            if used == len(cells):
                continue
            cell = cells[used]
            for j in range(i + 1, len(rows) + 1):
                if j > i + 1 and len(cell.lines) > _LINES:
                    break
                if abs(cell.middle - (rows[i][0] + rows[j - 1][1]) / 2) < MIDDLE * cell.size:
                    before = ways[j].get(used + 1, (0, []))[0]
                    ways[j][used + 1] = (before + many, [*spans, (i, j)])
    many, spans = ways[-1].get(len(cells), (0, []))
    return spans if many == 1 else None


def _row(columns: Sequence[Sequence[CellLines]], spans: Sequence[Sequence[RowRange]], n: int) -> TableRow:
    cells: list[tuple[int, ...]] = []
    shared = set()
    for own, places in zip(columns, spans, strict=True):
        for cell, (a, b) in zip(own, places, strict=True):
            if a <= n < b:
                if b - a > 1:
                    shared.add(len(cells))
                cells.append(tuple(cell.lines))
    return TableRow(tuple(cells), frozenset(shared))
