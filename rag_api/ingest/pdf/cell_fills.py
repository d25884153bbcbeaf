"""Coloured areas that stand edge to edge, as the cells of a table do: their edges part cells as
rules do.

A marked word and the next one stand so too; their edges do not come again at the same place in
another line, as a column's do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_HIGH = (6.0, 150.0)  # points
_NARROWEST = 12.0  # points
_MOST = 1000  # on a page, and pairs of them beside each other; more is a drawing
_NEAR = 1.0  # points between two that touch

Float = NDArray[np.float32]


def edges_of_cells(fills: Float) -> tuple[Float, Float]:
    """Return (across [h, 3] x0, x1, y; down [v, 3] y0, y1, x) of areas [f, 4] that have another one
    beside them."""
    none = np.zeros((0, 3), np.float32)
    wide, high = fills[:, 2] - fills[:, 0], fills[:, 3] - fills[:, 1]
    cells = np.unique(fills[(high > _HIGH[0]) & (high < _HIGH[1]) & (wide > _NARROWEST)], axis=0)
    if not 1 < len(cells) <= _MOST:
        return none, none
    # [f, f] what both have
    low, high = np.maximum(cells[:, None, 1], cells[None, :, 1]), np.minimum(cells[:, None, 3], cells[None, :, 3])
    heights = cells[:, 3] - cells[:, 1]
    least = np.minimum(heights[:, None], heights[None])
    one, two = np.nonzero((np.abs(cells[:, None, 2] - cells[None, :, 0]) < _NEAR) & (high - low > 0.5 * least))
    if not 0 < len(one) <= 2 * _MOST:  # all of them are compared below
        return none, none
    beside = cells[np.unique([one, two])]
    across = np.concatenate([beside[:, [0, 2, 1]], beside[:, [0, 2, 3]]])
    x, top = cells[two, 0], low[one, two]
    again = ((np.abs(x[:, None] - x[None]) < _NEAR) & (np.abs(top[:, None] - top[None]) > _HIGH[0])).any(axis=1)
    columns = cells[np.unique([one[again], two[again]])]
    return across, np.concatenate([columns[:, [1, 3, 0]], columns[:, [1, 3, 2]]])
