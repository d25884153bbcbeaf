"""A span of the document text -> rectangles on its pages. Exact or nothing: a span with a character
whose place is not known has no rectangles, and the reader is shown the page instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import Page, PageRects, Rect

_SAME_LINE = 0.5  # of the lower character's height that two characters on one line share
_STRAY = 0.1  # of a line's characters may stand out from it
_JUMP = 1.5  # heights of white between two pieces of one line that are drawn apart: table cells, columns


def rects(pages: Sequence[Page], start: int, end: int) -> tuple[PageRects, ...]:
    """One rectangle for each line that [start, end) touches, page by page; white space at either
    end is left out.

    pages: all of the document, or those around the span, in order. Empty when a character that is
    not white space has no box, or lies outside of the pages given."""
    found: list[PageRects] = []
    missing = end - start
    for page in pages:
        low, high = max(start, page.start), min(end, page.start + len(page.text))
        if low >= high:
            continue
        missing -= high - low
        boxes = page.boxes[low - page.start : high - page.start]
        inked = np.array([not c.isspace() for c in page.text[low - page.start : high - page.start]])
        boxes = boxes[inked]
        if np.isnan(boxes).any():
            return ()
        if len(boxes):
            found.append(PageRects(page.number, tuple(_merge(boxes, page.boxes))))
    return tuple(found) if missing <= 0 else ()


def page_of(pages: Sequence[Page], position: int) -> int:
    """The number of the page that a position of the document text lies on."""
    return next((page.number for page in reversed(pages) if page.start <= position), pages[0].number if pages else 1)


def page_of_most(pages: Sequence[Page], start: int, end: int) -> int:
    """The number of the page on which most of [start, end) stands, of two alike the first."""
    said = {
        page.number: "".join(page.text[max(start - page.start, 0) : max(end - page.start, 0)].split()) for page in pages
    }
    return max(said, key=lambda number: len(said[number]), default=1)


def _merge(boxes: NDArray[np.float32], around: NDArray[np.float32]) -> list[Rect]:
    """[n, 4] boxes in reading order -> one rectangle for each run on a line (for text turned
    sideways: on a column).

    around: [m, 4] all boxes of the page."""
    upright = _is_upright(boxes)
    along, across = ((0, 2), (1, 3)) if upright else ((1, 3), (0, 2))
    one, two = boxes[:-1], boxes[1:]
    thick = np.minimum(one[:, across[1]] - one[:, across[0]], two[:, across[1]] - two[:, across[0]])
    shared = np.minimum(one[:, across[1]], two[:, across[1]]) - np.maximum(one[:, across[0]], two[:, across[0]])
    gap = np.maximum(two[:, along[0]] - one[:, along[1]], one[:, along[0]] - two[:, along[1]])
    parted = (shared < _SAME_LINE * thick) | (gap > _JUMP * thick)
    runs = np.split(boxes, np.flatnonzero(parted) + 1)
    found = [_clear(_around(run, *across), around, along, across) for run in runs]
    return [Rect(*(float(side) for side in sides)) for sides in found if sides[0] < sides[2] and sides[1] < sides[3]]


def _around(run: NDArray[np.float32], near: int, far: int) -> NDArray[np.float32]:
    """[4], as long as its characters reach and as thick as most of them are."""
    sides = np.concatenate([run[:, :2].min(axis=0), run[:, 2:].max(axis=0)])
    sides[near], sides[far] = _quantile(run[:, near], _STRAY), _quantile(run[:, far], 1 - _STRAY)
    return sides


def _quantile(values: NDArray[np.float32], share: float) -> float:
    """Return what numpy's does, of a few dozen values in a tenth of its time: a question's sources
    have hundreds of lines."""
    ordered = np.sort(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    below, above = float(ordered[low]), float(ordered[min(low + 1, len(ordered) - 1)])
    return below + (above - below) * (place - low)


def _clear(
    sides: NDArray[np.float32], around: NDArray[np.float32], along: tuple[int, int], across: tuple[int, int]
) -> NDArray[np.float32]:
    """Where lines stand so close that their boxes overlap, each gets half of what they share."""
    near, far = across
    beside = (around[:, along[0]] < sides[along[1]]) & (around[:, along[1]] > sides[along[0]])
    centres = (around[:, near] + around[:, far]) / 2
    after = beside & (centres > sides[far]) & (around[:, near] < sides[far])
    before = beside & (centres < sides[near]) & (around[:, far] > sides[near])
    if after.any():
        sides[far] = (sides[far] + around[after, near].min()) / 2
    if before.any():
        sides[near] = (sides[near] + around[before, far].max()) / 2
    return sides


def _is_upright(boxes: NDArray[np.float32]) -> bool:
    """Whether successive characters follow each other left or right, rather than up or down."""
    if len(boxes) < 2:
        return True
    centres = np.column_stack([boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]])
    steps = np.abs(np.diff(centres, axis=0))
    return bool(np.median(steps[:, 0]) >= np.median(steps[:, 1]))
