"""Raised figures: "10⁹" is no 109, "3¹" of a footnote no 31, and half past eight, "8³⁰", no 830.

Programs draw them smaller and higher than the text, as plain digits. What a reader sees as raised is stored as a raised sign.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SIGNS = dict(zip(map(ord, "0123456789+-−–()=ni"), map(ord, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁽⁾⁼ⁿⁱ"), strict=True)) | {2: ord("⁻")}
_DIGITS = frozenset(map(ord, "0123456789"))
_SMALLER = 0.87  # of its neighbour's height
_RISE = 0.14  # of its neighbour's height, beyond what a smaller letter's foot is higher anyway
_FOOT = 0.24  # of a letter's height that lies below its line
_LONGEST = 6  # more than that in a row is text of its own


def with_raised(
    codes: NDArray[np.uint32], boxes: NDArray[np.float32], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """[v] code points of visible glyphs, with raised signs where they stand raised. boxes: [v, 4] in reading space; starts, ends: [p] of
    the runs of glyphs that stand on one line."""
    heights = boxes[:, 3] - boxes[:, 1]
    shift = np.abs(np.diff(boxes[:, 3])) > _RISE * np.minimum(heights[1:], heights[:-1])
    if not (shift & (np.isin(codes[1:], list(_SIGNS)) | np.isin(codes[:-1], list(_SIGNS)))).any():
        return codes
    codes = codes.copy()
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if shift[start : end - 1].any():
            _raise(codes, boxes, heights, start, end)
    return codes


def _raise(codes: NDArray[np.uint32], boxes: NDArray[np.float32], heights: NDArray[np.float32], start: int, end: int) -> None:
    at = start
    while at < end:
        run = _run(boxes, heights, at, end)
        beside = at - 1 if at > start else run  # a footnote's own mark stands before its text
        signs = [int(code) for code in codes[at:run]]
        if start <= beside < end and run - at <= _LONGEST and _is_raised(boxes, heights, at, beside) and _is_figure(signs):
            codes[at:run] = [_SIGNS[sign] for sign in signs]
        at = run


def _run(boxes: NDArray[np.float32], heights: NDArray[np.float32], at: int, end: int) -> int:
    """One past the last glyph of the same size and height on the line."""
    stop = at + 1
    while stop < end and abs(heights[stop] - heights[at]) < 0.1 * heights[at] and abs(boxes[stop, 3] - boxes[at, 3]) < 0.1 * heights[at]:
        stop += 1
    return stop


def _is_raised(boxes: NDArray[np.float32], heights: NDArray[np.float32], at: int, beside: int) -> bool:
    own, other = float(heights[at]), float(heights[beside])
    rise = float(boxes[beside, 3] - boxes[at, 3]) - _FOOT * max(0.0, other - own)
    return rise > (_RISE if own < _SMALLER * other else 2 * _RISE) * other


def _is_figure(signs: list[int]) -> bool:
    return all(sign in _SIGNS for sign in signs) and (bool(_DIGITS & set(signs)) or len(signs) <= 3)
