"""White between two cells that is hardly wider than between two words: a cell that fills its
column, and the next one.

Where other rows begin a cell at that very place, and have one beginning where this line begins, the
words are parted; so they are below a header with cells at both places, and where the second words
stand higher or lower, as those of a cell in the middle of its row, if others begin below each
other. Where no row is parted anywhere, as behind a column of figures of one digit, three lines that
a short number begins, and that begin in the same three places, are rows; a list's begin in two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_LEAST = 0.4  # line heights of white; between words it is .3
_ALIGNED = 1.0  # points between cells of one column
_ROWS = 2  # others that have the two cells
_SHIFTED = 0.3  # line heights
_WITHIN = 16.0  # line heights up and down where those rows stand
_HEADER = 3  # cells
_ALIKE = 0.6  # line heights of white in rows that only agree with each other
_SHORT = 3  # signs of a cell that numbers or names its row
_BELOW = 40.0  # line heights down from a header

Bool = NDArray[np.bool_]


def narrow_gaps(boxes: NDArray[np.float32], broken: Bool) -> NDArray[np.int64]:
    """Which glyphs begin a cell though they are close to the one before. boxes: [v, 4] in reading
    space; broken: [v - 1] whether a piece ends behind each glyph but the last."""
    height = np.minimum(boxes[:-1, 3] - boxes[:-1, 1], boxes[1:, 3] - boxes[1:, 1]).clip(0.1)
    wide = np.flatnonzero(~broken & (boxes[1:, 0] - boxes[:-1, 2] > _LEAST * height)) + 1
    if not len(wide):
        return wide
    starts = np.concatenate([[0], np.flatnonzero(broken) + 1])
    begins, feet = boxes[starts, 0], boxes[starts, 3]
    pairs = _side_by_side(boxes, starts)  # [m, 3] x of one cell, x of the next, y
    headers = _headers(pairs)
    known = np.sort(begins)
    wide = wide[np.searchsorted(known, boxes[wide, 0] + _ALIGNED) > np.searchsorted(known, boxes[wide, 0] - _ALIGNED)]
    found: list[int] = []
    for at in wide.tolist():
        piece = int(starts[np.searchsorted(starts, at, side="right") - 1])
        before = [piece, *(found[-1:] if found and found[-1] > piece else [])]
        reach = _WITHIN * height[at - 1]
        here = pairs[(np.abs(pairs[:, 2] - boxes[at, 3]) < reach) & (np.abs(pairs[:, 1] - boxes[at, 0]) < _ALIGNED)]
        enough = any(np.count_nonzero(np.abs(here[:, 0] - boxes[start, 0]) < _ALIGNED) >= _ROWS for start in before)
        enough = enough or any(
            _heads(cells, foot, boxes[start], boxes[at], height[at - 1]) for cells, foot in headers for start in before
        )
        if _is_shifted(boxes[at - 1], boxes[at]):
            enough = enough or bool(
                np.count_nonzero((np.abs(feet - boxes[at, 3]) < reach) & (np.abs(begins - boxes[at, 0]) < _ALIGNED))
                >= _ROWS
            )
        if enough:
            found.append(at)
    return np.array(found, np.int64)


def _white(boxes: NDArray[np.float32], at: NDArray[np.int64]) -> NDArray[np.float32]:
    """Line heights before each of these glyphs."""
    height = np.minimum(boxes[at - 1, 3] - boxes[at - 1, 1], boxes[at, 3] - boxes[at, 1]).clip(0.1)
    return np.asarray((boxes[at, 0] - boxes[at - 1, 2]) / height)


def cells_alike(boxes: NDArray[np.float32], broken: Bool, codes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Which glyphs begin a cell, but their line's first, of lines that a short number or name
    begins and that begin in three same places; they may be close to the one before."""
    inner = np.flatnonzero(~broken) + 1
    begins = np.concatenate([[0], np.flatnonzero(broken) + 1, inner[_white(boxes, inner) > _ALIKE]]).astype(np.int64)
    begins.sort()
    down = np.abs(np.diff(boxes[begins, 3])) > _ALIGNED
    lines = np.split(begins, np.flatnonzero(down | (np.diff(boxes[begins, 0]) <= 0)) + 1)
    lines = [line for line in lines if len(line) >= _HEADER and _is_short(codes[line[0] : line[1]])]
    return np.array([n for line in lines for n in line[1:][_agreed(boxes, line, lines)[1:]].tolist()], np.int64)


def _is_short(codes: NDArray[np.uint32]) -> bool:
    return len(codes) <= _SHORT and all(chr(code).isalnum() for code in codes.tolist() if code < 0x110000)


def _near(
    boxes: NDArray[np.float32], line: NDArray[np.int64], lines: list[NDArray[np.int64]]
) -> list[NDArray[np.int64]]:
    """Those a few lines above or below it."""
    top, foot = boxes[line[0], 1], boxes[line[0], 3]
    return [other for other in lines if 0 < abs(boxes[other[0], 3] - foot) < _WITHIN * (foot - top)]


def _agreed(boxes: NDArray[np.float32], line: NDArray[np.int64], lines: list[NDArray[np.int64]]) -> Bool:
    """Which of its cells begin where those of two other lines do, with its first."""
    near = [
        np.abs(boxes[line, 0][:, None] - boxes[other, 0][None]).min(axis=1) < _ALIGNED
        for other in _near(boxes, line, lines)
    ]
    agree = [places for places in near if places[0] and places.sum() >= _HEADER]
    return np.sum(agree, axis=0) >= _ROWS if agree else np.zeros(len(line), bool)


def _headers(pairs: NDArray[np.float32]) -> list[tuple[NDArray[np.float32], float]]:
    """Where the cells of each line of several begin, and its foot. pairs: of `_side_by_side`, line
    by line"""
    feet = pairs[:, 2]
    lines = np.split(pairs, np.flatnonzero(np.abs(np.diff(feet)) > _ALIGNED) + 1) if len(pairs) else []
    cells = [(np.append(line[:1, 0], line[:, 1]), float(line[:, 2].max())) for line in lines]
    return [(begins, foot) for begins, foot in cells if len(begins) >= _HEADER]


def _heads(
    cells: NDArray[np.float32], foot: float, one: NDArray[np.float32], two: NDArray[np.float32], height: float
) -> bool:
    """Two of its cells begin where these two glyphs do, which stand below it."""
    if not 0 < two[3] - foot < _BELOW * height:
        return False
    return all(bool((np.abs(cells - box[0]) < _ALIGNED).any()) for box in (one, two))


def _is_shifted(one: NDArray[np.float32], two: NDArray[np.float32]) -> bool:
    """Two letters of one size stand on different lines; a figure that is raised is smaller."""
    heights = [float(box[3] - box[1]) for box in (one, two)]
    return abs(heights[0] - heights[1]) < 0.05 * heights[0] and abs(float(one[3] - two[3])) > _SHIFTED * heights[0]


def _side_by_side(boxes: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.float32]:
    """[m, 3] of every two neighbours on one line: where each begins, and the line's foot."""
    left, foot = boxes[starts, 0], np.maximum.reduceat(boxes[:, 3], starts)
    order = np.argsort(foot, kind="stable")
    line = np.cumsum(np.concatenate([[0], np.diff(foot[order]) > _ALIGNED]))
    order = order[np.lexsort((left[order], line))]  # the lines keep their places
    same = np.abs(np.diff(foot[order])) <= _ALIGNED
    return np.asarray(
        np.column_stack([left[order[:-1]], left[order[1:]], foot[order[1:]]])[same & (np.diff(left[order]) > 0)]
    )
