"""Boxes of lines -> the order in which they are read: from the top, column after column. Knows
boxes only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_LEAST_LINES = 4  # of each of two columns
_LEAST_WIDTH = 11.0  # line heights: as narrow as this is a table's cell, which is read across
_FULL, _OFTEN = 0.88, 0.5  # of the column's width, of its lines: running text fills its column
_CANDIDATES = 40


class Box(NamedTuple):
    x0: float
    y0: float
    x1: float
    y1: float


def reading_order(boxes: Sequence[Box]) -> list[int]:
    """Indices of the boxes."""
    return _order(list(range(len(boxes))), boxes)


def _order(members: list[int], boxes: Sequence[Box]) -> list[int]:
    gutter = _gutter(members, boxes)
    if gutter is None:
        return _across(members, boxes)
    done: list[int] = []
    for crossing, block in _blocks(members, boxes, gutter):
        if crossing or not _columns(block, boxes, gutter):
            done += _across(block, boxes)
        else:
            left = [i for i in block if boxes[i].x1 <= gutter + 1]
            done += _order(left, boxes) + _order([i for i in block if boxes[i].x1 > gutter + 1], boxes)
    return done


def _gutter(members: Sequence[int], boxes: Sequence[Box]) -> float | None:
    """Left of the second column: the place with most lines in columns."""
    lefts = sorted({round(boxes[i].x0) for i in members})
    best, found = 0, None
    for left in lefts[1 : _CANDIDATES + 1]:
        at = left - 2.0
        blocks = [
            block for crossing, block in _blocks(members, boxes, at) if not crossing and _columns(block, boxes, at)
        ]
        if (count := sum(map(len, blocks))) > best:
            best, found = count, at
    return found


def _blocks(members: Sequence[int], boxes: Sequence[Box], at: float) -> list[tuple[bool, list[int]]]:
    """From the top down: lines that cross this place, and between them what stands beside it."""
    found: list[tuple[bool, list[int]]] = []
    for i in sorted(members, key=lambda i: (boxes[i].y0 + boxes[i].y1) / 2):
        crossing = boxes[i].x0 < at - 1 and boxes[i].x1 > at + 1
        if not found or found[-1][0] != crossing:
            found.append((crossing, []))
        found[-1][1].append(i)
    return found


def _columns(block: Sequence[int], boxes: Sequence[Box], at: float) -> bool:
    """Both sides are running text: several lines each that are as wide as their column."""
    for side in ([i for i in block if boxes[i].x1 <= at + 1], [i for i in block if boxes[i].x1 > at + 1]):
        if len(side) < _LEAST_LINES:
            return False
        widths = [boxes[i].x1 - boxes[i].x0 for i in side]
        wide = max(max(widths) * _FULL, _LEAST_WIDTH * (boxes[side[0]].y1 - boxes[side[0]].y0))
        if sum(width >= wide for width in widths) < max(_LEAST_LINES - 1, _OFTEN * len(side)):
            return False
    return True


def _across(members: Sequence[int], boxes: Sequence[Box]) -> list[int]:
    """Line after line, each from the left. The lower edges of boxes on one line are at one
    height."""
    rows: list[list[int]] = []
    for i in sorted(members, key=lambda i: boxes[i].y1):
        last = boxes[rows[-1][0]] if rows else None
        if last is not None and boxes[i].y1 - last.y1 < 0.4 * min(boxes[i].y1 - boxes[i].y0, last.y1 - last.y0):
            rows[-1].append(i)
        else:
            rows.append([i])
    return [i for row in rows for i in sorted(row, key=lambda i: boxes[i].x0)]
