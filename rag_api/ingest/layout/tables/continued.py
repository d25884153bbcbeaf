"""Tables with the columns of the one that the page before ends with: they go on, however little of
them a page shows. A page with one row, or one tall cell, says by its words alone no columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag_api.ingest.layout.lines import PageItem, PageRules, Row
from rag_api.ingest.layout.tables.grid import Cell, Ends, Float, level_of, levels

_FEWEST = 3  # sides: two columns
_SAME = 1.5  # points between sides that are one
_OUTSIDE = 2.0  # points that a rule down may stand outside the ends of level ones

NO_SIDES = np.zeros(0, np.float32)


def sides_at_foot(items: Sequence[PageItem], rules: PageRules) -> Float:
    """Where the rules down stand beside and between the cells of a page's last row; none where it
    has fewer than two columns."""
    last = max((item for item in items if isinstance(item, Row)), key=lambda row: row.y1, default=None)
    if last is None:
        return NO_SIDES
    left, right = min(line.x0 for line in last.lines), max(line.x1 for line in last.lines)
    return _sides((left + right) / 2, (last.y0 + last.y1) / 2, rules.across, rules.down)


def continued(boxes: Float, cells: Sequence[Cell | None], across: Float, down: Float, before: Float) -> Ends:
    """The tables of a page of which a row has the sides of the table before. boxes: [p, 4] of the
    pieces in the cells."""
    found: dict[int, tuple[int, int]] = {}
    first = {cell.band: i for i, cell in reversed([*enumerate(cells)]) if cell is not None and cell.left >= 0}
    for band, i in first.items() if len(before) else ():
        x0, y0, x1, y1 = boxes[i].tolist()
        own = _sides((x0 + x1) / 2, (y0 + y1) / 2, across, down)
        if len(own) == len(before) and (np.abs(own - own[0] - before + before[0]) < _SAME).all():
            at = levels(down[:, 2])
            found[band.table] = level_of(at, own[0]), level_of(at, own[-1])
    return found


def _sides(x: float, y: float, across: Float, down: Float) -> Float:
    """The rules down at a place, as far as the level ones above and below it reach."""
    over = across[(across[:, 0] < x) & (across[:, 1] > x)]
    above, below = over[over[:, 2] < y], over[over[:, 2] > y]
    if not len(above) or not len(below):
        return NO_SIDES
    ends = np.stack([above[above[:, 2].argmax()], below[below[:, 2].argmin()]])
    y0, y1, at = down.T
    here = (y0 < y) & (y1 > y) & (at > ends[:, 0].min() - _OUTSIDE) & (at < ends[:, 1].max() + _OUTSIDE)
    own = np.sort(at[here])
    own = own[np.diff(own, prepend=-np.inf) > _SAME]
    return own if len(own) >= _FEWEST else NO_SIDES
