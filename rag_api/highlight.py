"""A span of the document text -> rectangles on its pages. Exact or nothing: a span with a character whose place is not known
has no rectangles, and the reader is shown the page instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag_api.types import Page, PageRects, Rect

_SAME_LINE = 0.5  # of the lower character's height that two characters on one line share
_JUMP = 1.5  # heights of white between two pieces of one line that are drawn apart: table cells, columns


def rects(pages: Sequence[Page], start: int, end: int) -> tuple[PageRects, ...]:
    """One rectangle for each line that [start, end) touches, page by page; white space at either end is left out.

    pages: all of the document, or those around the span, in order. Empty when a character that is not white space has no box,
    or lies outside of the pages given."""
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
            found.append(PageRects(page.number, tuple(_merge(boxes))))
    return tuple(found) if missing <= 0 else ()


def page_of(pages: Sequence[Page], position: int) -> int:
    """The number of the page that a position of the document text lies on."""
    return next((page.number for page in reversed(pages) if page.start <= position), pages[0].number if pages else 1)


def _merge(boxes: NDArray[np.float32]) -> list[Rect]:
    """[n, 4] boxes in reading order -> one rectangle for each run on a line (for text turned sideways: on a column)."""
    upright = _is_upright(boxes)
    along, across = ((0, 2), (1, 3)) if upright else ((1, 3), (0, 2))
    one, two = boxes[:-1], boxes[1:]
    thick = np.minimum(one[:, across[1]] - one[:, across[0]], two[:, across[1]] - two[:, across[0]])
    shared = np.minimum(one[:, across[1]], two[:, across[1]]) - np.maximum(one[:, across[0]], two[:, across[0]])
    gap = np.maximum(two[:, along[0]] - one[:, along[1]], one[:, along[0]] - two[:, along[1]])
    parted = (shared < _SAME_LINE * thick) | (gap > _JUMP * thick)
    starts = np.concatenate([[0], np.flatnonzero(parted) + 1])
    low, high = np.minimum.reduceat(boxes, starts, axis=0), np.maximum.reduceat(boxes, starts, axis=0)
    return [Rect(float(a[0]), float(a[1]), float(b[2]), float(b[3])) for a, b in zip(low, high, strict=True) if b[2] > a[0] and b[3] > a[1]]


def _is_upright(boxes: NDArray[np.float32]) -> bool:
    """Whether successive characters follow each other left or right, rather than up or down."""
    if len(boxes) < 2:
        return True
    centres = np.column_stack([boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]])
    steps = np.abs(np.diff(centres, axis=0))
    return bool(np.median(steps[:, 0]) >= np.median(steps[:, 1]))
