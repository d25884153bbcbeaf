"""Squares to tick that are drawn before the items of a list: each is read as a sign at its place,
where a list's mark stands.

Without them an item that begins with a small letter looks like the rest of the one above. One that
something is drawn in gets a sign of its own; a letter in it stands in the text already.
"""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.pdf.glyphs.page_glyphs import Glyphs
from rag_api.ingest.pdf.vector_graphics import MOST_SQUARES

_SQUARE, _HELD, _SPACE = ord("☐"), ord("▣"), 32
_FEWEST = 2  # below each other
_ALIGNED = 1.0  # points
_NEAR = 2.5  # its sides between it and the words


def with_squares(glyphs: Glyphs, squares: NDArray[np.float32], held: NDArray[np.bool_]) -> Glyphs:
    """Return them with a sign for each square that begins a line. squares: [s, 4] in page space;
    held: [s] something is drawn in them."""
    if not _FEWEST <= len(squares) <= MOST_SQUARES:
        return glyphs
    with np.errstate(invalid="ignore"):
        seen = np.flatnonzero((glyphs.codes > _SPACE) & ~glyphs.hidden & ~glyphs.slanted & (glyphs.turned == 0))
        words = [_words(glyphs.boxes[seen], square) for square in squares]
    found = [
        (int(seen[at]), square, _HELD if full else _SQUARE)
        for at, square, full in zip(words, squares, held, strict=True)
        if at is not None
    ]
    if not found:
        return glyphs
    sides = np.array([square[[0, 2]] for _, square, _ in found])
    below = (np.abs(sides[:, None] - sides[None]).max(axis=2) < _ALIGNED).sum(axis=1)  # [s] itself too
    kept = [one for one, many in zip(found, below, strict=True) if many >= _FEWEST]
    if not kept:
        return glyphs
    places = [at for at, _, _ in kept for _ in range(2)]
    arrays = {
        field.name: np.insert(getattr(glyphs, field.name), places, getattr(glyphs, field.name)[places], axis=0)
        for field in fields(glyphs)
    }
    order = sorted(range(len(kept)), key=lambda n: kept[n][0])
    for before, n in enumerate(order):
        first, square, sign = kept[n]
        at = first + 2 * before
        arrays["codes"][at : at + 2] = sign, _SPACE
        arrays["boxes"][at], arrays["boxes"][at + 1] = square, np.nan
    return replace(glyphs, **arrays)


def _words(boxes: NDArray[np.float32], square: NDArray[np.float32]) -> int | None:
    """Which letter the line begins with that stands close to the right of the square; None where
    one stands in it or to its left."""
    side = float(square[2] - square[0])
    middle = (square[1] + square[3]) / 2
    level = (boxes[:, 1] < middle) & (boxes[:, 3] > middle)
    if (level & (boxes[:, 2] > square[0] - _NEAR * side) & (boxes[:, 0] < square[2] - 0.1 * side)).any():
        return None
    right = np.flatnonzero(level & (boxes[:, 0] >= square[2] - 0.1 * side) & (boxes[:, 0] < square[2] + _NEAR * side))
    return int(right[boxes[right, 0].argmin()]) if len(right) else None
