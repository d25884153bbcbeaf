"""Cells of a drawn table whose words are turned on their side, as names of groups of rows often
are: each is a cell of the rows that stand beside it between its rules.

Words turned another way than most of a page are laid out by themselves and come last; a row read
without the name that stands beside it would say less than the page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.common.boxed_text import concat, plain
from rag_api.ingest.layout.lines import Line, PageItem, Row, lines_of_item
from rag_api.ingest.layout.tables.grid import LONGEST, nearest

_BEYOND = 2.0  # points that words may reach over their rules

Float = NDArray[np.float32]


class Side(NamedTuple):
    """A line that lies on its side, and where it stands among the page's upright words: [4]."""

    line: Line
    box: Float


def with_sideways_cells(
    items: Sequence[PageItem], sides: Sequence[Side], across: Float, down: Float
) -> tuple[list[PageItem], set[int]]:
    """A page's upright items, their rows with the cells beside them that lie on their side; the
    lines, by `id()`, that rows have now. across, down: the page's rules."""
    found, used = list(items), set[int]()
    for own, cell in _cells(sides, across, down):
        rows = [n for n, item in enumerate(found) if isinstance(item, Row) and cell.is_beside(item)]
        if not rows or rows[-1] - rows[0] >= len(rows):
            continue
        label = _joined([side.line for side in own], np.array([side.box for side in own]))
        for n in rows:
            found[n] = _with_cell(found[n], label, shared=len(rows) > 1)
        used |= {id(side.line) for side in own}
    return found, used


def without(items: Sequence[PageItem], used: set[int]) -> list[PageItem]:
    """The items but for these lines."""
    found: list[PageItem] = []
    for item in items:
        left = [line for line in lines_of_item(item) if id(line) not in used]
        found += [item] if len(left) == len(lines_of_item(item)) else left
    return found


class _Cell(NamedTuple):
    """Where the rules around it stand, and how far those above and below reach."""

    left: float
    top: float
    right: float
    foot: float
    reaches: Float  # [2, 2] from, to

    def is_beside(self, row: Row) -> bool:
        """The row stands between its upper and its lower rule, one of which goes along it, and has
        no words in its column."""
        own = row.lines
        left, right = min(line.x0 for line in own), max(line.x1 for line in own)
        between = row.y0 > self.top - _BEYOND and row.y1 < self.foot + _BEYOND
        along = ((self.reaches[:, 0] < left + _BEYOND) & (self.reaches[:, 1] > right - _BEYOND)).any()
        free = all(line.x0 > self.right - _BEYOND or line.x1 < self.left + _BEYOND for line in own)
        return bool(between and along and free)


def _cells(sides: Sequence[Side], across: Float, down: Float) -> Iterator[tuple[list[Side], _Cell]]:
    """Those with rules on all four sides."""
    if not sides or not len(across) or not len(down):
        return
    boxes = np.array([side.box for side in sides])
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    around = [nearest(y, x, across, -1), nearest(y, x, across, +1), nearest(x, y, down, -1), nearest(x, y, down, +1)]
    by_cell: dict[tuple[int, ...], list[Side]] = defaultdict(list)
    for side, rules in zip(sides, np.column_stack(around).tolist(), strict=True):
        by_cell[tuple(rules)].append(side)
    for (top, foot, left, right), own in by_cell.items():
        if min(top, foot, left, right) < 0 or sum(len(side.line.marked.text) for side in own) > LONGEST:
            continue
        at = float(down[left, 2]), float(across[top, 2]), float(down[right, 2]), float(across[foot, 2])
        yield own, _Cell(*at, across[[top, foot], :2])


def _joined(lines: Sequence[Line], boxes: Float) -> Line:
    """The lines of a cell as one, where the cell stands."""
    parts = [part for line in lines for part in (plain(" "), line.marked)][1:]
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    x0, y0, x1, y1 = float(low[0]), float(low[1]), float(high[0]), float(high[1])
    return replace(lines[0], marked=concat(parts), x0=x0, y0=y0, x1=x1, y1=y1)


def _with_cell(row: PageItem, label: Line, shared: bool) -> Row:
    assert isinstance(row, Row), "its index is a row's"
    over = {id(row.cells[n]) for n in row.shared}
    cell = (label,)
    cells = tuple(sorted([*row.cells, cell], key=lambda one: min(line.x0 for line in one)))
    return Row(cells, frozenset(n for n, one in enumerate(cells) if id(one) in over or (shared and one is cell)))
