"""Raised figures: "10⁹" is no 109, "3¹" of a footnote no 31, and half past eight, "8³⁰", no 830; a footnote's letter: "mg/kgᵃ".

Programs draw them smaller and higher than the text, as plain digits; or take the font's own raised figures, whose boxes are like all
others and whose code is a plain digit's. What a reader sees as raised is stored as a raised sign.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SIGNS = dict(zip(map(ord, "0123456789+-−–()=ni"), map(ord, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁽⁾⁼ⁿⁱ"), strict=True)) | {2: ord("⁻")}
_LETTERS = dict(zip(map(ord, "abcdefgh"), map(ord, "ᵃᵇᶜᵈᵉᶠᵍʰ"), strict=True))  # alone: of a footnote; behind a figure: "2e"
_DIGITS = frozenset(map(ord, "0123456789"))
_SMALLER = 0.87  # of its neighbour's height
_RISE = 0.14  # of its neighbour's height, beyond what a smaller letter's foot is higher anyway
_FOOT = 0.24  # of a letter's height that lies below its line
_LONGEST = 6  # more than that in a row is text of its own
_LOW, _HIGH = 0.45, 0.5  # of a box: from where on a font's raised figure is drawn, and how high it is at most
_NEAR = 0.4  # line heights between a raised figure and its word
FIGURES = np.arange(ord("0"), ord("9") + 1, dtype=np.uint32)
_SLASH = frozenset(map(ord, "/⁄"))


def with_raised(
    codes: NDArray[np.uint32], boxes: NDArray[np.float32], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """[v] code points of visible glyphs, with raised signs where they stand raised. boxes: [v, 4] in reading space; starts, ends: [p] of
    the runs of glyphs that stand on one line."""
    heights = boxes[:, 3] - boxes[:, 1]
    shift = np.abs(np.diff(boxes[:, 3])) > _RISE * np.minimum(heights[1:], heights[:-1])
    signs = [*_SIGNS, *_LETTERS]
    if not (shift & (np.isin(codes[1:], signs) | np.isin(codes[:-1], signs))).any():
        return codes
    codes = codes.copy()
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if shift[start : end - 1].any():
            _raise(codes, boxes, heights, start, end)
    return codes


def with_drawn_high(
    codes: NDArray[np.uint32], boxes: NDArray[np.float32], drawn: NDArray[np.float32], turned: NDArray[np.int8]
) -> NDArray[np.uint32]:
    """[n] code points, with raised signs for figures that are drawn in the upper half of their boxes alone. drawn: [n, 4] what is drawn of
    them, NaN of others; turned: [n] quarter turns clockwise. The upper half of "½" is no raised figure."""
    sides = {0: (3, 1, -1.0), 1: (0, 2, 1.0), 2: (1, 3, 1.0), 3: (2, 0, -1.0)}  # a box's foot and top, and which way is up
    found = np.zeros(len(codes), bool)
    with np.errstate(invalid="ignore", divide="ignore"):
        for quarter, (foot, top, up) in sides.items():
            height = up * (boxes[:, top] - boxes[:, foot])
            low, high = up * (drawn[:, foot] - boxes[:, foot]) / height, up * (drawn[:, top] - drawn[:, foot]) / height
            found |= (turned == quarter) & (height > 0) & (low > _LOW) & (high > 0) & (high < _HIGH)
    found[:-1] &= ~np.isin(codes[1:], list(_SLASH))
    if not found.any():
        return codes
    codes = codes.copy()
    codes[found] = [_SIGNS[int(code)] for code in codes[found]]
    return codes


def is_attached(codes: NDArray[np.uint32], boxes: NDArray[np.float32]) -> NDArray[np.bool_]:
    """[n - 1]: of two neighbours one is a figure set smaller and raised beside the other, whatever line it is said to be on. boxes: [n, 4]
    in reading space."""
    if len(codes) < 2:
        return np.zeros(max(0, len(codes) - 1), bool)
    one, two, heights = boxes[:-1], boxes[1:], boxes[:, 3] - boxes[:, 1]
    small, large = np.minimum(heights[:-1], heights[1:]), np.maximum(heights[:-1], heights[1:])
    figure = np.where(heights[1:] < heights[:-1], codes[1:], codes[:-1])
    raised = np.where(heights[1:] < heights[:-1], one[:, 3] - two[:, 3], two[:, 3] - one[:, 3])
    overlap = np.minimum(one[:, 3], two[:, 3]) - np.maximum(one[:, 1], two[:, 1])
    near = np.abs(two[:, 0] - one[:, 2]) < _NEAR * large
    smaller = (small < _SMALLER * large) & (raised > _RISE * large)
    return np.asarray(np.isin(figure, FIGURES) & smaller & near & (overlap > 0.5 * small))


def _raise(codes: NDArray[np.uint32], boxes: NDArray[np.float32], heights: NDArray[np.float32], start: int, end: int) -> None:
    at = start
    while at < end:
        run = _run(boxes, heights, at, end)
        beside = at - 1 if at > start else run  # a footnote's own mark stands before its text
        signs = [int(code) for code in codes[at:run]]
        if start <= beside < end and run - at <= _LONGEST and _is_raised(boxes, heights, at, beside):
            letter = run - at == 1 and (at == start or int(codes[at - 1]) not in _DIGITS) and heights[at] < _SMALLER * heights[beside]
            signs_of = _SIGNS if _is_figure(signs) else _LETTERS if letter else {}
            codes[at:run] = [signs_of.get(sign, sign) for sign in signs]
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
