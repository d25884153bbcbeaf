"""Coloured areas that stand edge to edge, as the cells of a table do: their edges part cells as
rules do.

A marked word and the next one stand so too; their edges do not come again at the same place in
another line, as a column's do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

THIN = 2.5  # points: a filled box as thin as this is a rule
_HIGH = (6.0, 150.0)  # points
_NARROWEST = 12.0  # points
_MOST = 1000  # on a page, and pairs of them beside each other; more is a drawing
_NEAR = 1.0  # points between two that touch
# points: one this wide and not higher may be a table row's background, whose edges part rows
_WIDE, _LOW = 100.0, 150.0

Float = NDArray[np.float32]
Segment = NDArray[np.float64]  # [2, 2] from, to


def seen_areas(fills: Float, colours: NDArray[np.int16]) -> tuple[Float, NDArray[np.bool_]]:
    """Return areas [f, 4], each with the strips that lengthen it, and which of them [f] have edges
    that are seen: not those within another of the same colour [f, 3]. So programs shade the lines
    of a shaded cell, and the white around them."""
    areas, seen = fills.copy(), np.ones(len(fills), bool)
    if len(fills) > _MOST:
        return areas, seen
    own = [(colours == colour).all(axis=1) for colour in colours]
    strips = np.flatnonzero(areas[:, 3] - areas[:, 1] < _HIGH[0])
    for along in (0, 1):  # strips of one strip, then what they lengthen
        for strip in strips:
            beside = own[strip] & _touches(areas, areas[strip], along)
            if along == 0:
                beside &= areas[:, 3] - areas[:, 1] < _HIGH[0]
            areas[beside, :2] = np.minimum(areas[beside, :2], areas[strip, :2])
            areas[beside, 2:] = np.maximum(areas[beside, 2:], areas[strip, 2:])
    sizes = (areas[:, 2:] - areas[:, :2]).sum(axis=1)
    for n, area in enumerate(areas):
        around = (areas[:, :2] <= area[:2] + _NEAR) & (areas[:, 2:] >= area[2:] - _NEAR)
        seen[n] = not (own[n] & around.all(axis=1) & (sizes > sizes[n] + _NEAR)).any()
    return areas, seen


def _touches(areas: Float, one: Float, along: int) -> NDArray[np.bool_]:
    """Which areas go on where this one ends, in x (along 0) or y (1), as wide across."""
    across = 1 - along
    apart = np.abs(areas[:, [across, across + 2]] - one[[across, across + 2]]).max(axis=1)
    ends = np.minimum(np.abs(areas[:, along + 2] - one[along]), np.abs(areas[:, along] - one[along + 2]))
    found: NDArray[np.bool_] = np.maximum(apart, ends) < _NEAR
    return found


def edges_of_area(area: Float) -> list[Segment]:
    """The lines that an area [4] parts a page by: itself where it is thin, its upper and lower edge
    where it may be a row's background."""
    x0, y0, x1, y1 = (float(side) for side in area)
    if min(x1 - x0, y1 - y0) < THIN:
        return [middle(area)]
    return [np.array([[x0, y], [x1, y]]) for y in (y0, y1)] if x1 - x0 > _WIDE and y1 - y0 < _LOW else []


def middle(box: Float) -> Segment:
    """The line along the middle of a thin box [4]."""
    x0, y0, x1, y1 = (float(side) for side in box)
    if x1 - x0 > y1 - y0:
        return np.array([[x0, (y0 + y1) / 2], [x1, (y0 + y1) / 2]])
    return np.array([[(x0 + x1) / 2, y0], [(x0 + x1) / 2, y1]])


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
