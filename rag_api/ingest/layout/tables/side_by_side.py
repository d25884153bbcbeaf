"""Tables side by side that a program draws line by line, over both: each is read by itself, the
left one first.

Two tables are told by their rules: two groups of cells stand level, and no rule above or below the
one reaches to the other. What stands below them is of the left or the right one, down to the first
rule or line that reaches over the white between. A line alone below all of the other table may go
with what follows, and stays where it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.lines import CELL_GAP
from rag_api.ingest.layout.tables.grid import Cell

_OUTSIDE = 6.0  # points that words may stand outside their rules
_LINES = 1  # times that one to the left goes on after one to the right

Float = NDArray[np.float32]


class _Tables(NamedTuple):
    """Side by side: the place in the order of what is drawn first of them, the middles of the white
    between, and where they stand."""

    first: int
    middles: Float
    top: float
    left: float
    right: float


class _DrawnRow(NamedTuple):
    """Between two rules, drawn at one stretch: its places in the order, its pieces' boxes, and how
    far its rules reach."""

    places: list[int]
    boxes: Float
    left: float
    right: float


def table_by_table(
    order: Sequence[int], boxes: Float, cells: Sequence[Cell | None], across: Float
) -> tuple[list[int], list[Cell | None]]:
    """The order in which pieces are read, and the cells of all: those of two tables are in no row
    together. order: in which they are drawn; boxes: [p, 4] of all; across: [h, 3] rules."""
    found, parted = list(order), list(cells)
    done = 0
    for tables in _side_by_side(order, boxes, cells, across):
        own = _drawn_from(order, boxes, tables, _foot(boxes, across, tables)) if tables.first >= done else []
        of_table = [int((tables.middles < boxes[i, 0]).sum()) for i in own]
        if sum(two < one for one, two in pairwise(of_table)) < _LINES:
            continue
        done = tables.first + len(own)
        found[tables.first : done] = [own[n] for n in sorted(range(len(own)), key=lambda n: of_table[n])]
        for i, n in zip(own, of_table, strict=True):
            if n and (cell := parted[i]) is not None and cell.band.table < 0:
                parted[i] = replace(cell, band=cell.band._replace(table=-1 - tables.first - n))
    return found, parted


def _side_by_side(order: Sequence[int], boxes: Float, cells: Sequence[Cell | None], across: Float) -> Iterator[_Tables]:
    """Of rows that are level and drawn one after the other, no rule of one reaching to the next."""
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)  # by the rules above and below
    for place, i in enumerate(order):
        if (cell := cells[i]) is not None:
            groups[cell.rules].append(place)
    rows = [
        _DrawnRow(
            own,
            boxes[[order[n] for n in own]],
            float(across[list(rules), 0].min()),
            float(across[list(rules), 1].max()),
        )
        for rules, own in groups.items()
        if own[-1] - own[0] == len(own) - 1
    ]
    level: list[_DrawnRow] = []
    for row in sorted(
        (row for row in rows if row.boxes[:, 2].min() < row.boxes[:, 0].max()), key=lambda row: row.places
    ):
        if level and not _goes_on(level[-1], row):
            yield from _tables_of(level)
            level = []
        level.append(row)
    yield from _tables_of(level)


def _goes_on(one: _DrawnRow, two: _DrawnRow) -> bool:
    level = one.boxes[:, 1].min() < two.boxes[:, 3].max() and two.boxes[:, 1].min() < one.boxes[:, 3].max()
    white = two.left - one.right > CELL_GAP * float(np.median(one.boxes[:, 3] - one.boxes[:, 1]))
    return bool(level and white and two.places[0] == one.places[-1] + 1)


def _tables_of(level: Sequence[_DrawnRow]) -> Iterator[_Tables]:
    if len(level) > 1:
        middles = np.array([(one.right + two.left) / 2 for one, two in pairwise(level)], np.float32)
        top = min(float(row.boxes[:, 1].min()) for row in level)
        yield _Tables(level[0].places[0], middles, top, level[0].left - _OUTSIDE, level[-1].right + _OUTSIDE)


def _drawn_from(order: Sequence[int], boxes: Float, tables: _Tables, foot: float) -> list[int]:
    """The pieces that are drawn at one stretch where the tables stand."""
    end = tables.first
    while end < len(order) and _is_within(boxes[order[end]], tables, foot):
        end += 1
    return list(order[tables.first : end])


def _is_within(box: Float, tables: _Tables, foot: float) -> bool:
    return bool(box[1] >= tables.top and box[3] <= foot and tables.left < box[0] and box[2] < tables.right)


def _foot(boxes: Float, across: Float, tables: _Tables) -> float:
    """Down to where the tables reach."""
    foot = np.inf
    for middle in tables.middles.tolist():
        rules = across[(across[:, 0] < middle) & (across[:, 1] > middle) & (across[:, 2] > tables.top), 2]
        lines = boxes[(boxes[:, 0] < middle) & (boxes[:, 2] > middle) & (boxes[:, 1] > tables.top), 1]
        foot = min([foot, *rules.tolist(), *lines.tolist()])
    within = boxes[[_is_within(box, tables, foot) for box in boxes]]
    of_table = (within[:, :1] > tables.middles).sum(axis=1)
    ends = [within[of_table == n, 3].max(initial=tables.top) for n in range(len(tables.middles) + 1)]
    below = within[within[:, 1] >= min(ends)]
    alone = [
        one[1] for one in below if not ((below[:, 1] < one[3]) & (below[:, 3] > one[1]) & (below[:, 0] != one[0])).any()
    ]
    return float(min([foot, *alone]))
