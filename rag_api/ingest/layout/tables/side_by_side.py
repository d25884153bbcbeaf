"""Tables side by side that a program draws line by line, over both: each is read by itself, the left one first.

Two tables are told by their rules: two groups of cells stand level, and no rule above or below the one reaches to the other. What stands
below them is of the left or the right one, down to the first rule or line that reaches over the white between. A line alone below all of
the other table may go with what follows, and stays where it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.lines import CELL_GAP
from rag_api.ingest.layout.tables.grid import Cell

_OUTSIDE = 6.0  # points that words may stand outside their rules
_MOST = 60  # groups of cells; more is one large table, or a drawing

Float = NDArray[np.float32]


class _White(NamedTuple):
    """Between two tables: where it is, and from where to where both reach."""

    middle: float
    top: float
    left: float
    right: float


def table_by_table(order: Sequence[int], boxes: Float, cells: Sequence[Cell | None], across: Float) -> tuple[list[int], list[Cell | None]]:
    """The order in which pieces are read, and the cells of all: those of two tables are in no row together. order: in which they are
    drawn; boxes: [p, 4] of all; across: [h, 3] rules."""
    found, parted = list(order), list(cells)
    for number, white in enumerate(sorted(_whites(boxes, cells, across), key=lambda white: (white.top, white.middle)), start=1):
        foot = _foot(boxes, across, white)
        places = [n for n, i in enumerate(found) if _is_within(boxes[i], white) and boxes[i, 3] <= foot]
        sides = [[found[n] for n in places if (boxes[found[n], 0] > white.middle) == right] for right in (False, True)]
        if not _alternate(places, found, sides[1]):
            continue
        for n, i in zip(places, [*sides[0], *sides[1]], strict=True):
            found[n] = i
        for i in sides[1]:
            if (cell := parted[i]) is not None and cell.band.table < 0:
                parted[i] = replace(cell, band=cell.band._replace(table=-1 - number))
    return found, parted


def _is_within(box: Float, white: _White) -> bool:
    return bool(box[1] >= white.top and white.left < box[0] and box[2] < white.right)


def _whites(boxes: Float, cells: Sequence[Cell | None], across: Float) -> Iterator[_White]:
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, cell in enumerate(cells):
        if cell is not None:
            groups[cell.rules].append(i)
    rows = {rules: boxes[own] for rules, own in groups.items() if _are_side_by_side(boxes[own])}
    for one, two in combinations(rows, 2) if len(rows) <= _MOST else ():
        if across[list(one), 0].min() > across[list(two), 0].min():
            one, two = two, one
        left, right = float(across[list(one), 1].max()), float(across[list(two), 0].min())
        size = float(np.median(rows[one][:, 3] - rows[one][:, 1]))
        level = rows[one][:, 1].min() < rows[two][:, 3].max() and rows[two][:, 1].min() < rows[one][:, 3].max()
        if level and right - left > CELL_GAP * size:
            top = min(float(rows[own][:, 1].min()) for own in (one, two))
            ends = float(across[list(one), 0].min()) - _OUTSIDE, float(across[list(two), 1].max()) + _OUTSIDE
            yield _White((left + right) / 2, top, *ends)


def _are_side_by_side(cells: Float) -> bool:
    return bool(cells[:, 2].min() < cells[:, 0].max())


def _foot(boxes: Float, across: Float, white: _White) -> float:
    """Down to where the two tables reach."""
    over = across[(across[:, 0] < white.middle) & (across[:, 1] > white.middle) & (across[:, 2] > white.top), 2]
    lines = boxes[(boxes[:, 0] < white.middle) & (boxes[:, 2] > white.middle) & (boxes[:, 1] > white.top), 1]
    foot = min([*over.tolist(), *lines.tolist()], default=np.inf)
    within = boxes[[_is_within(box, white) and box[3] <= foot for box in boxes]]
    right = within[:, 0] > white.middle
    if not right.any() or right.all():
        return white.top
    both = min(float(within[right, 3].max()), float(within[~right, 3].max()))
    below = within[within[:, 1] >= both]
    alone = [one[1] for one in below if not ((below[:, 1] < one[3]) & (below[:, 3] > one[1]) & (below[:, 0] != one[0])).any()]
    return min([foot, *(float(y) for y in alone)])


def _alternate(places: Sequence[int], order: Sequence[int], right: Sequence[int]) -> bool:
    """Something of the left table is drawn after something of the right one, and the other way round."""
    of_right = set(right)
    return sum((order[one] in of_right) != (order[two] in of_right) for one, two in pairwise(places)) > 1
