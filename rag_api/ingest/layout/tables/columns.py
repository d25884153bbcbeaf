"""Columns that the cells of a table's rows stand in, by where their words stand on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_api.text.block_shapes import CellShape, Shape

CharacterBoxes = tuple[int, NDArray[np.float32]]  # where in the text they begin, and the boxes of its characters
Reach = tuple[float, float]  # from left to right
_SAME_PLACE = 2.0  # points between the beginnings of cells of one column
_MOST = 30  # columns of a table whose header is looked at more closely
_WIDER = 2.0  # points by which a name must stand better over one column more


def columns_of(rows: Sequence[Shape], boxes: Sequence[CharacterBoxes]) -> list[Shape]:
    """The rows with each cell's column and how many it spans. The row of most cells says where
    columns stand, and cells of other rows that stand over each other beside all of its cells;
    without places on the page the cells count."""
    reaches = [[_reach(cell, at) for cell in row.cells] for row, at in zip(rows, boxes, strict=True)]
    known = [one for one in reaches if all(reach is not None for reach in one)]
    most = max(known, key=len, default=[])
    template = [reach for reach in most if reach is not None]
    if len(template) < 2:
        return list(rows)
    template = _with_blank_columns(template, [[reach for reach in one if reach is not None] for one in known])
    right = max(one[-1][1] for one in reaches if len(one) == len(most) and one[-1] is not None)
    placed = []
    for n, (row, own) in enumerate(zip(rows, reaches, strict=True)):
        whole = [reach for reach in own if reach is not None]
        headers = row.header and n + 1 < len(rows) and rows[n + 1].header
        if headers and 1 < len(whole) == len(own) < len(template) <= _MOST:
            placed.append(_spread(row, whole, template, right))
        else:
            placed.append(_placed(row, own, template))
    return placed


def _with_blank_columns(template: Sequence[Reach], rows: Sequence[Sequence[Reach]]) -> list[Reach]:
    """The columns, with those in which the row that says them has no cell, and two others have."""
    found = list(template)
    beside = sorted((a, b, n) for n, row in enumerate(rows) for a, b in row if not _is_over((a, b), template))
    while beside:
        left, right, _ = beside[0]
        own = [one for one in beside if one[0] < right]
        beside = beside[len(own) :]
        whole = left, max(b for _, b, _ in own)
        if len({n for *_, n in own}) > 1 and not _is_over(whole, found):
            found.append(whole)
    return sorted(found)


def _is_over(reach: Reach, others: Sequence[Reach]) -> bool:
    return any(a < reach[1] + _SAME_PLACE and reach[0] < b + _SAME_PLACE for a, b in others)


def in_no_column(rows: Sequence[Shape], boxes: Sequence[CharacterBoxes]) -> list[Shape]:
    """The rows below a header of which a cell stands neither over nor under any other cell of its
    column: nobody knows that it is its own. rows: with their columns. Of text that lies on its side
    no cell's place is known, and no row is told."""
    reaches = [
        [(cell, reach) for cell in row.cells if (reach := _reach(cell, at)) is not None]
        for row, at in zip(rows, boxes, strict=True)
    ]
    upright = all(one[0] < two[0] for row in reaches for (_, one), (_, two) in pairwise(row))
    if not upright or not any(row.header for row in rows):
        return []
    found = []
    for row, own in zip(rows, reaches, strict=True):
        others = [placed for other in reaches if other is not own for placed in other]
        if not row.header and len(own) > 1 and any(_is_alone(cell, reach, others) for cell, reach in own):
            found.append(row)
    return found


def _is_alone(cell: CellShape, reach: Reach, others: Sequence[tuple[CellShape, Reach]]) -> bool:
    column = [
        at
        for other, at in others
        if other.column < cell.column + cell.columns and cell.column < other.column + other.columns
    ]
    return bool(column) and not _is_over(reach, column)


def reaches_of(row: Shape, boxes: CharacterBoxes) -> list[Reach]:
    """From where to where on the page each of its cells reaches."""
    return [reach for cell in row.cells if (reach := _reach(cell, boxes)) is not None]


def begins_of(row: Shape, boxes: CharacterBoxes) -> list[float]:
    """Where on the page each of its cells begins."""
    return [reach[0] for reach in reaches_of(row, boxes)]


def alike(one: Sequence[float], two: Sequence[float]) -> bool:
    """Several cells begin at the same places."""
    return len(one) == len(two) > 1 and all(abs(a - b) < _SAME_PLACE for a, b in zip(one, two, strict=True))


def _reach(cell: CellShape, boxes: CharacterBoxes) -> Reach | None:
    start, all_ = boxes
    own = all_[cell.start - start : cell.end - start]
    own = own[~np.isnan(own).any(axis=1)]
    return (float(own[:, 0].min()), float(own[:, 2].max())) if len(own) else None


def _placed(row: Shape, reaches: Sequence[Reach | None], template: Sequence[Reach]) -> Shape:
    if len(row.cells) == len(template) and None not in reaches:
        return replace(row, cells=tuple(replace(cell, column=n) for n, cell in enumerate(row.cells)))
    cells, least = [], 0
    for n, (cell, reach) in enumerate(zip(row.cells, reaches, strict=True)):
        left = sum(other is not None for other in reaches[n + 1 :])  # cells that must still find a column
        column = least if reach is None else _column(reach, template, least, len(template) - left)
        last = column if reach is None else _last(reach, template, column, len(template) - left)
        cells.append(replace(cell, column=column, columns=last - column + 1))
        least = min(last + 1, len(template) - 1)
    if len(cells) == 1 and cells[0].header:  # it heads what stands below it, over the whole width
        cells = [replace(cells[0], column=0, columns=len(template))]
    return replace(row, cells=tuple(cells))


def _spread(row: Shape, reaches: Sequence[Reach], template: Sequence[Reach], right: float) -> Shape:
    """A header above another one: its names may stand over several columns, at their left or in
    their middle. right: how far the last column reaches."""
    begins, ends = [one[0] for one in template], [*(one[0] for one in template[1:]), right]
    best: dict[int, tuple[float, list[tuple[int, int]]]] = {-1: (0.0, [])}  # by the last column taken
    for reach in reaches:
        grown: dict[int, tuple[float, list[tuple[int, int]]]] = {}
        for taken, (cost, spans) in best.items():
            for a in range(taken + 1, len(template)):
                for b in range(a, len(template)):
                    total = cost + _misfit(reach, begins[a], (ends[b], template[b][1])) + _WIDER * (b - a)
                    if b not in grown or total < grown[b][0]:
                        grown[b] = (total, [*spans, (a, b)])
        best = grown
    if not best:
        return _placed(row, reaches, template)
    _, spans = min(best.values(), key=lambda one: one[0])
    nexts = [*(a for a, _ in spans[1:]), len(template)]  # columns that no name stands over are the one's before
    cells = (
        replace(cell, column=a, columns=after - a) for cell, (a, _), after in zip(row.cells, spans, nexts, strict=True)
    )
    return replace(row, cells=tuple(cells))


def _misfit(reach: Reach, begin: float, ends: Reach) -> float:
    """How far a name is from where it would stand over columns. ends: where the next column begins,
    and where the last one's words end."""
    middle = (reach[0] + reach[1]) / 2
    outside = max(0.0, begin - reach[0] - _WIDER, reach[1] - max(ends) - _WIDER)
    return min(abs(reach[0] - begin), *(abs(middle - (begin + end) / 2) for end in ends)) + 10 * outside


def _column(reach: Reach, template: Sequence[Reach], least: int, before: int) -> int:
    """The one that begins nearest to where the cell does."""
    return min(range(least, max(least + 1, before)), key=lambda n: abs(template[n][0] - reach[0]))


def _last(reach: Reach, template: Sequence[Reach], first: int, before: int) -> int:
    """The last column that the cell's words reach into."""
    last = first
    for n in range(first + 1, before):
        middle = (template[n][0] + template[n][1]) / 2
        if reach[1] > middle:
            last = n
    return last
