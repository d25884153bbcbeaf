"""Letters and lines that a program draws in no order at all, so that what is read is not what
stands on the page.

A page whose pieces are drawn before those right above them as often as after; two lines as near to
each other as two words, on one baseline, that are not read one after the other; a line whose
letters go back to the left. All that is shown, and not quoted.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.lines import Line, Row, lines_of_item

_WORD = 0.35  # line heights of white between two words, at most
_OVER = 0.15  # line heights that two letters may overlap
_BASELINE = 0.1  # line heights between the feet of words on one line
_SAME_SIZE = 0.1
_BELOW = 0.3  # line heights that a piece may overlap with the one above
_PAIRS = 8  # of pieces below each other, at least
_CLOSE, _CLOSE_PAIRS = 0.6, 4  # line heights of white between lines of a paragraph; of these as many are enough
_UPWARDS, _CLOSE_UPWARDS = 0.35, 0.25  # of them, on a page in no order; boxes of a poster may be drawn in any
_MOST = 3_000  # pieces of a page; more is a drawing


def in_no_order(boxes: NDArray[np.float32]) -> bool:
    """A page's pieces go down and up. boxes: [p, 4] in reading space, as they are drawn. A page
    drawn from its foot is in order."""
    if len(boxes) > _MOST:
        return False
    below: list[bool] = []  # of each piece that has one right above it: whether it is drawn first
    close: list[bool] = []  # of those that stand close below it
    by_top = np.argsort(boxes[:, 1], kind="stable")
    heights, widths = boxes[:, 3] - boxes[:, 1], boxes[:, 2] - boxes[:, 0]
    for place, n in enumerate(by_top.tolist()):
        above = by_top[:place]
        overlap = np.minimum(boxes[above, 2], boxes[n, 2]) - np.maximum(boxes[above, 0], boxes[n, 0])
        over = (overlap > 0.5 * np.minimum(widths[above], widths[n])) & (
            boxes[above, 3] < boxes[n, 1] + _BELOW * heights[n]
        )
        above = above[over]
        if len(above):
            nearest = int(above[boxes[above, 3].argmax()])
            below.append(n < nearest)
            if (
                boxes[n, 1] - boxes[nearest, 3] < _CLOSE * heights[n]
                and abs(heights[n] - heights[nearest]) < _SAME_SIZE * heights[n]
            ):
                close.append(n < nearest)
    return _is_mixed(below, _PAIRS, _UPWARDS) or _is_mixed(close, _CLOSE_PAIRS, _CLOSE_UPWARDS)


def _is_mixed(upwards: Sequence[bool], least: int, most: float) -> bool:
    share = sum(upwards) / max(1, len(upwards))
    return len(upwards) >= least and min(share, 1 - share) > most


def with_loose(items: Sequence[Line | Row]) -> list[Line | Row]:
    """A page's items, in the order in which they are read; the lines that nobody can be sure of are
    marked as loose."""
    found = set(map(id, _scattered(items)))
    return [
        replace(
            item, cells=tuple(tuple(replace(line, loose=id(line) in found) for line in cell) for cell in item.cells)
        )
        if isinstance(item, Row)
        else replace(item, loose=id(item) in found)
        for item in items
    ]


def loose_lines(items: Iterable[Line | Row]) -> list[Line]:
    return [line for item in items for line in lines_of_item(item) if line.loose]


def _scattered(items: Sequence[Line | Row]) -> list[Line]:
    placed = [(line, n) for n, item in enumerate(items) for line in lines_of_item(item)]
    placed = [(line, n) for line, n in placed if not (line.aside or line.counts)]
    found = {n for n, (line, _) in enumerate(placed) if line.loose or _goes_back(line)}
    if len(placed) > 1:
        found |= _parted(
            np.array([(line.x0, line.y0, line.x1, line.y1) for line, _ in placed]), np.array([n for _, n in placed])
        )
    return [placed[n][0] for n in sorted(found)]


def _goes_back(line: Line) -> bool:
    """A letter stands to the left of the one that it is read after, on its baseline. Of text that
    lies on its side, or is written from right to left, nothing is known."""
    boxes = line.marked.boxes
    seen = np.flatnonzero(~np.isnan(boxes).any(axis=1))
    own = boxes[seen]
    if len(seen) < 2 or abs(float(own[:, 0].min()) - line.x0) > 1 or abs(float(own[:, 2].max()) - line.x1) > 1:
        return False
    height = own[:, 3] - own[:, 1]
    back = own[1:, 0] < own[:-1, 0] - _OVER * height[:-1]
    back &= (np.abs(own[1:, 3] - own[:-1, 3]) < _BASELINE * height[:-1]) & (
        np.abs(np.diff(height)) < _SAME_SIZE * height[:-1]
    )
    letters = [line.marked.text[n] for n in seen.tolist()]
    return any(_is_western(letters[n]) and _is_western(letters[n + 1]) for n in np.flatnonzero(back).tolist())


def _is_western(letter: str) -> bool:
    return letter.isalnum() and unicodedata.bidirectional(letter) not in ("R", "AL", "AN")


def _parted(boxes: NDArray[np.float64], of_item: NDArray[np.int64]) -> set[int]:
    """Lines of two items, one of which begins where the other ends."""
    heights = boxes[:, 3] - boxes[:, 1]
    by_left = np.argsort(boxes[:, 0], kind="stable")
    lefts = boxes[by_left, 0]
    found: set[int] = set()
    for n, height in enumerate(heights.tolist()):
        first, last = np.searchsorted(lefts, [boxes[n, 2] - _OVER * height, boxes[n, 2] + _WORD * height])
        near = by_left[first:last]
        near = near[(of_item[near] != of_item[n]) & (of_item[near] != of_item[n] + 1)]
        level = np.abs(boxes[near, 3] - boxes[n, 3]) < _BASELINE * height
        alike = np.abs(heights[near] - height) < _SAME_SIZE * height
        if len(near := near[level & alike]):
            found |= {n, *near.tolist()}
    return found
