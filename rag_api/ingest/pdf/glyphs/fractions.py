"""Fractions of two figures above each other: 1 over a bar over 2 is read as 1/2, in its line.

Otherwise the lower figure begins a line of its own, and "2 tablet" is another dose.
"""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.pdf.glyphs.page_glyphs import Glyphs
from rag_api.ingest.pdf.vector_graphics import Drawn

_SPACE, _NEWLINES, _SLASH = 32, (10, 13), ord("/")
_OVER = 1.5  # points that a figure may reach over the bar
_NEAR = 1.0  # of a figure's height from its middle to the bar
_LONGEST = 3  # figures
_TOUCHING = 1.0  # points between a bar and a rule that goes on from it


def with_fractions(glyphs: Glyphs, drawn: Drawn) -> Glyphs:
    """Return them with each fraction's figures beside each other, on the line that it stands in."""
    for x0, x1, y in _free(drawn).tolist():
        found = _fraction(glyphs, x0, x1, y)
        if found is not None:
            glyphs = _beside(glyphs, *found, (x0, x1, y))
    return glyphs


def _free(drawn: Drawn) -> NDArray[np.float32]:
    """[b, 3] x0, x1, y of the bars that no rule goes on from: those of a narrow cell, with a figure
    above and one below, are none of a fraction."""
    bars, rules = drawn.bars, np.concatenate([drawn.bars, drawn.across])
    x0, x1, y = (bars[:, None, k] for k in range(3))
    ends = np.minimum(np.abs(rules[None, :, 0] - x1), np.abs(rules[None, :, 1] - x0))
    along = (ends < _TOUCHING) & (np.abs(rules[None, :, 2] - y) < _TOUCHING)
    top, foot, x = (drawn.down[None, :, k] for k in range(3))
    at = np.minimum(np.abs(x - x0), np.abs(x - x1))
    down = (at < _TOUCHING) & (top - _TOUCHING < y) & (y < foot + _TOUCHING)
    return np.asarray(bars[~(along.any(axis=1) | down.any(axis=1))])


def _fraction(glyphs: Glyphs, x0: float, x1: float, y: float) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Places of the figures above the bar and below; None: something else stands there."""
    boxes = glyphs.boxes
    with np.errstate(invalid="ignore"):
        x, middle, height = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2, boxes[:, 3] - boxes[:, 1]
        near = (x > x0 - _OVER) & (x < x1 + _OVER) & (np.abs(middle - y) < _NEAR * height)
    near &= (glyphs.codes > 32) & ~glyphs.hidden & (glyphs.turned == 0)
    at = np.flatnonzero(near)
    above, below = at[middle[at] < y], at[middle[at] > y]
    figures = (glyphs.codes[at] >= ord("0")) & (glyphs.codes[at] <= ord("9"))
    if not figures.all() or not all(0 < len(part) <= _LONGEST for part in (above, below)):
        return None
    wide = max(boxes[part, 2].max() - boxes[part, 0].min() for part in (above, below))
    return (above, below) if x1 - x0 < 2 * wide + 2 * _OVER else None


def _beside(
    glyphs: Glyphs, above: NDArray[np.int64], below: NDArray[np.int64], bar: tuple[float, float, float]
) -> Glyphs:
    x0, x1, y = bar
    top, bottom = _line(glyphs, above, below, y)
    codes, boxes = glyphs.codes.copy(), glyphs.boxes.copy()
    middle = (x0 + x1) / 2
    for part, left, right in ((above, x0, middle), (below, middle, x1)):
        edges = np.linspace(left, right, len(part) + 1)
        boxes[part] = np.column_stack([edges[:-1], np.full(len(part), top), edges[1:], np.full(len(part), bottom)])
    first, last = int(above[0]), int(above[-1])
    before = _white(codes, range(first - 1, -1, -1))
    after = _white(codes, range(int(below[-1]) + 1, len(codes)))
    codes[[*before, *after]] = _SPACE
    between = _white(codes, range(last + 1, len(codes)))
    codes[between] = 0 if last + len(between) + 1 == below[0] else _SPACE
    order = [n for n in range(len(codes)) if n not in set(below.tolist())]
    at = order.index(last) + 1
    order[at:at] = [last, *below.tolist()]  # the slash is made of a figure
    arrays = {field.name: getattr(glyphs, field.name)[order] for field in fields(glyphs)}
    new_codes, new_boxes = codes[order], boxes[order]
    new_codes[at], new_boxes[at] = _SLASH, (middle, top, middle, bottom)
    made = replace(glyphs, **{**arrays, "codes": new_codes, "boxes": new_boxes})
    joined = first > 0 and not before and ord("0") <= codes[first - 1] <= ord("9")
    return _with_space(made, first) if joined else made


def _line(glyphs: Glyphs, above: NDArray[np.int64], below: NDArray[np.int64], y: float) -> tuple[float, float]:
    """From where to where the line reaches that the bar stands in."""
    for step, start in ((-1, int(above[0])), (1, int(below[-1]))):
        n = start + step
        while 0 <= n < len(glyphs.codes) and (glyphs.codes[n] <= 32 or np.isnan(glyphs.boxes[n, 0])):
            n += step
        if 0 <= n < len(glyphs.codes) and glyphs.boxes[n, 1] < y < glyphs.boxes[n, 3]:
            return float(glyphs.boxes[n, 1]), float(glyphs.boxes[n, 3])
    return float(glyphs.boxes[above, 1].min()), float(glyphs.boxes[below, 3].max())


def _white(codes: NDArray[np.uint32], places: range) -> list[int]:
    found = []
    for n in places:
        if codes[n] not in (*_NEWLINES, _SPACE):
            break
        found.append(n)
    return found


def _with_space(glyphs: Glyphs, at: int) -> Glyphs:
    """3 before 1/2 is not 31/2."""
    order = [*range(at), at, *range(at, len(glyphs.codes))]
    made = replace(glyphs, **{field.name: getattr(glyphs, field.name)[order] for field in fields(glyphs)})
    made.codes[at] = _SPACE
    made.boxes[at] = np.nan
    return made
