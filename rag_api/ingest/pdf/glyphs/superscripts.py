"""Raised figures: "10⁹" is no 109, "3¹" of a footnote no 31, and half past eight, "8³⁰", no 830; a
footnote's letter: "mg/kgᵃ".

Programs draw them smaller and higher than the text, as plain digits, and not always next to their
word: some draw all of them after the row or the page. Or they take the font's own raised figures,
whose boxes are like all others and whose code is a plain digit's. What a reader sees as raised is
stored as a raised sign, behind the word that it stands at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SIGNS = dict(zip(map(ord, "0123456789+-−–()=ni"), map(ord, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁽⁾⁼ⁿⁱ"), strict=True)) | {2: ord("⁻")}
# alone: of a footnote; behind a figure: "2e"
_LETTERS = dict(zip(map(ord, "abcdefgh"), map(ord, "ᵃᵇᶜᵈᵉᶠᵍʰ"), strict=True))
_DIGITS = frozenset(map(ord, "0123456789"))
_SMALLER = 0.87  # of its neighbour's height
_RISE = 0.14  # of its neighbour's height, beyond what a smaller letter's foot is higher anyway
_FOOT = 0.24  # of a letter's height that lies below its line
_FEW = 3  # signs of a mark that is no figure
_LONGEST = 6  # more than that in a row is text of its own
_LOW, _HIGH = 0.45, 0.5  # of a box: from where on a font's raised figure is drawn, and how high it is at most
_NEAR = 0.4  # line heights between a raised figure and its word
_OVERLAP = 0.25  # line heights that it may reach into the word
_LARGEST = 2.2  # times a mark's height that its word's letters may have; larger ones begin a chapter
_ONE_RUN = 0.5  # heights between two signs of one mark
_STEP = 1e-4  # of the places of marks at one word, from the left
FIGURES = np.arange(ord("0"), ord("9") + 1, dtype=np.uint32)
_REFERENCES = frozenset(map(ord, "*†‡§¶#"))
_CLOSING = frozenset(map(ord, ")]%.,;:"))  # what a mark may stand behind, beside letters and figures
_SLASH = frozenset(map(ord, "/⁄"))


def with_raised(
    codes: NDArray[np.uint32], boxes: NDArray[np.float32], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """[v] code points of visible glyphs, with raised signs where they stand raised. boxes: [v, 4]
    in reading space; starts, ends: [p] of the runs of glyphs that stand on one line."""
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


def beside_their_words(
    codes: NDArray[np.uint32], boxes: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """([v] the order in which glyphs are read, [v] with which other glyph of the content each
    comes). boxes: [v, 4] in reading space, in the content's order.

    A few signs that are set smaller than a word beside them, and higher or lower, are read at that
    word, whenever they were drawn. All others are read as they come."""
    count = len(codes)
    order, with_ = np.arange(count), np.arange(count)
    runs = _marks(codes, boxes)
    if not len(runs):
        return order, with_
    letters = np.flatnonzero([chr(min(code, 0x10FFFF)).isalnum() or code in _CLOSING for code in codes.tolist()])
    edges = {side: letters[np.argsort(boxes[letters, side], kind="stable")] for side in (0, 2)}
    places, placed = order.astype(np.float64), list[_Mark]()
    for n, (start, end) in enumerate(sorted(runs, key=lambda run: float(boxes[run[0], 0])), start=1):
        own = np.concatenate([boxes[start:end, :2].min(axis=0), boxes[start:end, 2:].max(axis=0)])
        word = next((mark.end for mark in reversed(placed[-_LONGEST:]) if _goes_on(mark.box, own)), None)
        side = 2
        if word is None and not (start and _is_beside(boxes[start - 1], own)):
            for side, beside in ((2, start - 1), (0, end)):
                word = _word(own, boxes, edges[side], side, beside, (start, end))
                if word is not None:
                    break
        if word is None:
            continue
        moves = word != (start - 1 if side == 2 else end)
        placed.append(_Mark(own, word if moves else end - 1))
        if moves:
            places[start:end] = places[word] + (0.5 if side == 2 else -0.5) + n * _STEP
            with_[start:end] = with_[word]
    order = np.argsort(places, kind="stable")
    return order, with_[order]


@dataclass(frozen=True, slots=True, eq=False)
class _Mark:
    """box: [4]; end: the glyph behind which the next sign of the mark stands."""

    box: NDArray[np.float32]
    end: int


def _is_beside(one: NDArray[np.float32], two: NDArray[np.float32]) -> bool:
    """Two is drawn where it is read: right behind one, on its line or a little off it."""
    low, high = sorted((float(one[3] - one[1]), float(two[3] - two[1])))
    overlap = min(float(one[3]), float(two[3])) - max(float(one[1]), float(two[1]))
    return -_ONE_RUN * high < float(two[0] - one[2]) < _NEAR * high and overlap > _OVERLAP * low


def _goes_on(one: NDArray[np.float32], two: NDArray[np.float32]) -> bool:
    """Two signs of one mark, from the left."""
    height = float(one[3] - one[1])
    same = abs(float(two[3] - two[1]) - height) < 0.1 * height and abs(float(one[3] - two[3])) < 0.1 * height
    return same and abs(float(two[0] - one[2])) < _ONE_RUN * height


def _word(
    mark: NDArray[np.float32],
    boxes: NDArray[np.float32],
    by_edge: NDArray[np.int64],
    side: int,
    beside: int,
    own: tuple[int, int],
) -> int | None:
    """The glyph at which a mark stands: `beside`, which is drawn next to it, where it may be, else
    the nearest. by_edge: the glyphs from the left by their edge on that side, those alone that
    words are made of; own: from where to where the mark goes."""
    at = float(mark[2 - side])
    reach = _NEAR * _LARGEST * float(mark[3] - mark[1])
    first, last = np.searchsorted(boxes[by_edge, side], [at - reach, at + reach])
    near = by_edge[first:last]
    near = near[(near < own[0]) | (near >= own[1])]
    words = near[_is_word_of(mark, boxes[near], side)]
    if not len(words):
        return None
    return beside if beside in words else int(words[np.abs(boxes[words, side] - at).argmin()])


def _marks(codes: NDArray[np.uint32], boxes: NDArray[np.float32]) -> list[tuple[int, int]]:
    """From where to where runs of one size and height go that are as short as marks are."""
    heights = boxes[:, 3] - boxes[:, 1]
    own = np.minimum(heights[1:], heights[:-1])
    gap = boxes[1:, 0] - boxes[:-1, 2]
    parted = (np.abs(np.diff(heights)) > 0.1 * own) | (np.abs(np.diff(boxes[:, 3])) > 0.1 * own)
    parted |= (gap > _ONE_RUN * own) | (gap < -_ONE_RUN * own)
    starts = np.concatenate([[0], np.flatnonzero(parted) + 1])
    ends = np.append(starts[1:], len(codes))
    small = heights[starts] < _SMALLER * heights.max(initial=0.0)
    short = np.flatnonzero((ends - starts <= _LONGEST) & small)
    runs = [(int(starts[n]), int(ends[n])) for n in short.tolist()]
    signs = [[int(code) for code in codes[start:end]] for start, end in runs]
    return [
        run
        for run, own in zip(runs, signs, strict=True)
        if _is_figure(own) or (len(own) <= _FEW and all(map(_is_marks_sign, own)))
    ]


def _is_marks_sign(code: int) -> bool:
    return chr(min(code, 0x10FFFF)).isalnum() or code in _REFERENCES


def _is_word_of(mark: NDArray[np.float32], words: NDArray[np.float32], side: int) -> NDArray[np.bool_]:
    """[n]: the mark stands at this glyph, behind it (2) or before it (0), smaller and higher;
    behind it also lower."""
    height, own = words[:, 3] - words[:, 1], mark[3] - mark[1]
    gap = mark[0] - words[:, 2] if side == 2 else words[:, 0] - mark[2]
    rise = words[:, 3] - mark[3] - _FOOT * (height - own)
    overlap = np.minimum(words[:, 3], mark[3]) - np.maximum(words[:, 1], mark[1])
    beside = (gap < _NEAR * height) & (gap > -_OVERLAP * height) & (overlap > 0.5 * own)
    apart = rise > _RISE * height
    if side == 2:
        apart |= rise < -_RISE * height
    return np.asarray(beside & apart & (own < _SMALLER * height) & (height < _LARGEST * own))


def with_drawn_high(
    codes: NDArray[np.uint32], boxes: NDArray[np.float32], drawn: NDArray[np.float32], turned: NDArray[np.int8]
) -> NDArray[np.uint32]:
    """[n] code points, with raised signs for figures that are drawn in the upper half of their
    boxes alone. drawn: [n, 4] what is drawn of them, NaN of others; turned: [n] quarter turns
    clockwise. The upper half of "½" is no raised figure."""
    # a box's foot and top, and which way is up
    sides = {0: (3, 1, -1.0), 1: (0, 2, 1.0), 2: (1, 3, 1.0), 3: (2, 0, -1.0)}
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
    """[n - 1]: of two neighbours one is a figure set smaller and raised beside the other, whatever
    line it is said to be on. boxes: [n, 4] in reading space."""
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


def _raise(
    codes: NDArray[np.uint32], boxes: NDArray[np.float32], heights: NDArray[np.float32], start: int, end: int
) -> None:
    at = start
    while at < end:
        run = _run(boxes, heights, at, end)
        beside = at - 1 if at > start else run  # a footnote's own mark stands before its text
        signs = [int(code) for code in codes[at:run]]
        if start <= beside < end and run - at <= _LONGEST and _is_raised(boxes, heights, at, beside):
            letter = (
                run - at == 1
                and (at == start or int(codes[at - 1]) not in _DIGITS)
                and heights[at] < _SMALLER * heights[beside]
            )
            signs_of = _SIGNS if _is_figure(signs) else _LETTERS if letter else {}
            codes[at:run] = [signs_of.get(sign, sign) for sign in signs]
        at = run


def _run(boxes: NDArray[np.float32], heights: NDArray[np.float32], at: int, end: int) -> int:
    """One past the last glyph of the same size and height on the line."""
    stop = at + 1
    while (
        stop < end
        and abs(heights[stop] - heights[at]) < 0.1 * heights[at]
        and abs(boxes[stop, 3] - boxes[at, 3]) < 0.1 * heights[at]
    ):
        stop += 1
    return stop


def _is_raised(boxes: NDArray[np.float32], heights: NDArray[np.float32], at: int, beside: int) -> bool:
    own, other = float(heights[at]), float(heights[beside])
    rise = float(boxes[beside, 3] - boxes[at, 3]) - _FOOT * max(0.0, other - own)
    return rise > (_RISE if own < _SMALLER * other else 2 * _RISE) * other


def _is_figure(signs: list[int]) -> bool:
    return all(sign in _SIGNS for sign in signs) and (bool(_DIGITS & set(signs)) or len(signs) <= 3)
