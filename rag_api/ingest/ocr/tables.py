"""Lines and rows of a scan that may hold what belongs elsewhere: tables whose rules are not seen.

What stands side by side without rules was read across; where cells are wrapped, that tears them
apart. And where one rule is missed, two rows look like one. Each letter is right, and the whole
says something else: so all of it is in doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.lines import Line, Row

_APART = 0.9  # of the size: white as wide within a line parts columns
_LABEL = 4  # letters: "12.", "•"
_NARROW = 0.72  # of the page's widest line: a line as wide is running text
_CLOSE = 1.0  # of the size, from one line to the next: they may be one cell
_WRAPPED = 0.75  # of the size, from line to line in a cell: wrapped lines are closer than two rows are


def torn(items: Sequence[Line | Row]) -> Iterator[Line]:
    """The lines that may be torn apart, or glued together."""
    for item in items:
        if isinstance(item, Row) and any(_two_rows(cell) for cell in item.cells):
            yield from item.lines
    wide = _NARROW * max((item.x1 - item.x0 for item in items if isinstance(item, Line)), default=0.0)
    for block in _blocks(items):
        columns = [_has_columns(line) for line in block]
        near = [one or line.x1 - line.x0 < wide for one, line in zip(columns, block, strict=True)]
        for start, end in _runs(near):
            if end - start > 1 and any(columns[start:end]):
                yield from block[start:end]


def _runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """(first, one past the last) of each run of true ones."""
    start = 0
    for n, flag in enumerate((*flags, False)):
        if not flag:
            if n > start:
                yield start, n
            start = n + 1


def _two_rows(cell: Sequence[Line]) -> bool:
    return any(two.y0 - one.y1 > _WRAPPED * min(one.size, two.size) for one, two in pairwise(cell))


def _blocks(items: Sequence[Line | Row]) -> Iterator[list[Line]]:
    """Lines under each other without much white between them."""
    block: list[Line] = []
    for item in items:
        if isinstance(item, Line) and block and -0.5 * item.size < item.y0 - block[-1].y1 < _CLOSE * item.size:
            block.append(item)
            continue
        if block:
            yield block
        block = [item] if isinstance(item, Line) else []
    if block:
        yield block


def _has_columns(line: Line) -> bool:
    """White within it, but for that behind a list's label."""
    inked = ~np.isnan(line.marked.boxes[:, 0])
    boxes = line.marked.boxes[inked]
    return len(boxes) > _LABEL and bool((_gaps(boxes)[_LABEL - 1 :] > _APART * line.size).any())


def _gaps(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    """[n - 1] from each letter to the next, whichever way the line runs on its page."""
    one, two = boxes[:-1], boxes[1:]
    return np.asarray(np.maximum(two[:, :2] - one[:, 2:], one[:, :2] - two[:, 2:]).max(axis=1), np.float32)
