"""Letters set apart: a space that was guessed from a gap is none where the gap is what stands
between all letters of that line.

PDFium puts one where a gap is wide for the letters beside it. In spaced words every gap is, and by
how much hangs on the letters: "M i d d e l", "de t ijd".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bool = NDArray[np.bool_]

_LEAST = 0.03  # line heights between letters: less is not spaced
_TOUCHING = 0.01  # line heights
_MOST = 0.25  # line heights in a line of one word, as wide as between words
_EVEN = 0.04  # line heights that one such gap may differ from another
_WORD = 0.12  # line heights that a gap between words is wider, at least
_ENOUGH = 4  # gaps that show how a line is spaced
_SAME = 0.02  # of a line's height, that of another line of its kind


def without_spacing(
    white: Bool, guessed: Bool, codes: NDArray[np.uint32], boxes: NDArray[np.float32], starts: NDArray[np.int64]
) -> Bool:
    """[v] where a space comes before a glyph. white: as it was read; guessed: where nothing was
    drawn for one; boxes: [v, 4] in reading space; starts: the pieces' first glyphs."""
    if not (white & guessed).any():
        return white
    letters = np.fromiter(map(str.isalpha, map(chr, np.minimum(codes, 0x10FFFF).tolist())), bool, len(codes))
    heights = (boxes[:, 3] - boxes[:, 1]).clip(0.1)
    gaps = np.zeros(len(boxes), np.float32)
    height = np.minimum(heights[1:], heights[:-1])
    gaps[1:] = (boxes[1:, 0] - boxes[:-1, 2]) / height
    between = ~white | guessed
    between[starts] = False
    ends = np.append(starts[1:], len(boxes))
    pieces = [(a, b, float(np.median(heights[a:b]))) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    own = [_spacing(gaps[a:b][between[a:b]], letters[a:b]) for a, b, _ in pieces]
    known = np.array([(size, n) for (_, _, size), n in zip(pieces, own, strict=True) if n], np.float32).reshape(-1, 2)
    kept = white.copy()
    for (a, b, size), spacing in zip(pieces, own, strict=True):
        unsure = white[a:b] & between[a:b]
        if not unsure.any():
            continue
        spacing = spacing or _of_others(gaps[a:b][between[a:b]], known[np.abs(known[:, 0] - size) < _SAME * size, 1])
        if spacing:
            kept[a:b] &= ~(unsure & (gaps[a:b] < spacing + _WORD))
    return kept


def _spacing(gaps: NDArray[np.float32], letters: Bool) -> float:
    """Line heights between the letters of one piece, by itself; 0 if it does not show any. Between
    words, if there are several, stands more."""
    if len(gaps) < _ENOUGH or 2 * letters.sum() < len(letters):
        return 0
    spacing = float(np.quantile(gaps, 0.25, method="lower"))
    inner = gaps[gaps < spacing + _WORD]
    even = np.abs(inner - np.median(inner)) < _EVEN
    one_word = len(inner) == len(gaps)
    if spacing < _LEAST or even.sum() < _ENOUGH or even.mean() < 0.7 or (one_word and np.median(inner) > _MOST):
        return 0
    return float(np.median(inner)) if 2 * len(inner) > len(gaps) else 0


def _of_others(gaps: NDArray[np.float32], known: NDArray[np.float32]) -> float:
    """What stands between the letters of other lines of this size, if no letters stand closer here
    and half of them so."""
    near = known[np.abs(known - np.median(gaps)) < _EVEN]
    return float(np.median(near)) if len(near) and gaps.min() > _TOUCHING else 0
