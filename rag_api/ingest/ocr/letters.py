"""A line as read, and its ink -> where each of its letters stands, how large the type is, and
whether it is bold. Pixels throughout."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.ocr.paddle import Reading
from rag_api.ingest.ocr.picture import Grey, letters_in

# Shares of the type's size, as in most faces.
_ASCENT, _X_HEIGHT = 0.72, 0.53
# of a letter's box above and below the line that letters stand on, as PDFium has it of the same
# pages
_TOP, _BOTTOM = 0.69, 0.18
_TALL = re.compile(r"[A-ZÀ-Þ0-9bdfhijkltßþà-ý()\[\]{}/|!?%&\"'$€£§]")
_FULL = 0.35  # of the fullest rows' ink: rows of small letters have more
_SOME = 0.7  # pixels of ink: a row with less is white
_HALF = 0.55  # of the size: no letter reaches further from its middle
_MARK = 0.14  # of the size: a mark as high and as wide is no speck
_THROUGH = 0.9  # of the crop's height: a rule, no mark
_SPACE = 0.28  # of the size: white as wide parts words
_ALIKE = 1.09  # sizes of one page that differ less are one size
_BOLD = 1.3  # times the usual stroke

InkMask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Letters:
    reading: Reading  # with a space wherever there is white
    boxes: NDArray[np.float32]  # [letters, 4]; NaN of white space
    size: float
    base: float  # the line that letters stand on
    stroke: float  # how thick, as a share of the size
    beside: NDArray[np.bool_]  # [letters] next to it stands ink that was read as nothing


def letters_of(first: Reading, box: tuple[float, float, float, float], grey: Grey) -> Letters:
    """grey: the whole picture, without rules."""
    x0, y0, x1, y1 = map(int, box)
    own = letters_in(grey[y0:y1, x0:x1])
    size, base = _size(first.text, own)
    reading = _spaced(first, own, _SPACE * size)
    text, middles = reading.text, reading.at * (x1 - x0)
    columns = np.flatnonzero(own.any(axis=0))
    boxes = np.full((len(text), 4), np.nan, np.float32)
    words = [match.span() for match in re.finditer(r"\S+", text)]
    for n, (a, b) in enumerate(words):
        low = 0.0 if not n else (middles[words[n - 1][1] - 1] + middles[a]) / 2
        high = float(x1 - x0) if n + 1 == len(words) else (middles[b - 1] + middles[words[n + 1][0]]) / 2
        edges = _edges(middles[a:b], low, high, columns, size)
        boxes[a:b, 0], boxes[a:b, 2] = edges[:-1] + x0, edges[1:] + x0
    inked = ~np.isnan(boxes[:, 0])
    boxes[inked, 1], boxes[inked, 3] = y0 + base - _TOP * size, y0 + base + _BOTTOM * size
    return Letters(reading, boxes, size, y0 + base, _stroke(own) / size, _beside(middles, text, own, size, base))


def _beside(middles: NDArray[np.float32], text: str, own: InkMask, size: float, base: float) -> InkMask:
    """[letters] between this letter and the next or the last stands a mark as high as a letter that
    neither is."""
    core = own[max(0, round(base - _ASCENT * size)) : round(base)]
    marks = (core.sum(axis=0) >= _MARK * size) & (own.mean(axis=0) < _THROUGH)
    letters = [n for n, letter in enumerate(text) if not letter.isspace()]
    found = np.zeros(len(text), bool)
    for one, two in pairwise(letters):
        low, high = middles[one] + _HALF * size, middles[two] - _HALF * size
        if high > low and marks[int(low) : int(high)].sum() >= _MARK * size:
            found[[one, two]] = True
    return found


def _spaced(first: Reading, own: InkMask, least: float) -> Reading:
    """With the spaces that the reader left out: white at least so wide between two letters."""
    white = np.asarray(~own.any(axis=0))
    middles = first.at * own.shape[1]
    letters: list[str] = []
    sure: list[float] = []
    at: list[float] = []
    for n, letter in enumerate(first.text):
        if n and not letter.isspace() and not letters[-1].isspace():
            low, high = int(middles[n - 1]), int(middles[n])
            if max((b - a for a, b in _runs(white[low:high])), default=0) >= least:
                letters.append(" ")
                sure.append(1.0)
                at.append(float(first.at[n - 1] + first.at[n]) / 2)
        letters.append(letter)
        sure.append(float(first.sure[n]))
        at.append(float(first.at[n]))
    return Reading("".join(letters), np.array(sure, np.float32), np.array(at, np.float32))


def _edges(
    middles: NDArray[np.float32], low: float, high: float, columns: NDArray[np.int64], size: float
) -> NDArray[np.float64]:
    """Where the letters of a word begin and end: one more than letters. low, high: where the
    neighbouring words' halves begin."""
    inked = columns[(columns >= low) & (columns < high)]
    left = min(float(inked[0]), float(middles[0])) if len(inked) else float(middles[0]) - 0.25 * size
    right = max(float(inked[-1]) + 1, float(middles[-1])) if len(inked) else float(middles[-1]) + 0.25 * size
    between = (middles[:-1] + middles[1:]) / 2
    edges = np.concatenate([[max(left, float(middles[0]) - size)], between, [min(right, float(middles[-1]) + size)]])
    return np.maximum.accumulate(edges + np.arange(len(edges)) * 1e-3)


def _size(text: str, own: InkMask) -> tuple[float, float]:
    """(the type's size, the height at which its letters stand), from the rows that hold ink and the
    letters that are there. The rows of small letters hold most; other lines' ink at the edges is
    parted from them by white."""
    height = own.shape[0]
    rows = np.convolve(own.sum(axis=1).astype(np.float64), np.ones(3) / 3, "same")
    if not rows.any():
        return 0.7 * height, 0.75 * height
    full = rows >= _FULL * np.sort(rows)[-max(1, len(rows) // 8)]
    first, last = max(_runs(full), key=lambda run: float(rows[run[0] : run[1]].sum()))
    gap, top = max(1, round(0.12 * (last - first))), first
    while top > 0 and rows[max(0, top - gap) : top].max() >= _SOME:
        top -= 1
    share = _ASCENT if _TALL.search(text) else _X_HEIGHT
    return float(np.clip((last - top) / share, 0.4 * height, 1.2 * height)), float(last)


def _runs(flags: InkMask) -> list[tuple[int, int]]:
    """(first, one past the last) of each run of true ones."""
    steps = np.diff(np.concatenate([[0], flags.astype(np.int8), [0]]))
    return list(zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist(), strict=True))


def _stroke(own: InkMask) -> float:
    """How wide most strokes are."""
    padded = np.pad(own, ((0, 0), (1, 1))).astype(np.int8)
    steps = np.diff(padded, axis=1)
    lengths = np.argwhere(steps == -1)[:, 1] - np.argwhere(steps == 1)[:, 1]
    return float(np.median(lengths)) if len(lengths) else 0.0


def alike(sizes: Sequence[float]) -> list[float]:
    """Sizes that differ by little made one: print has few."""
    order = np.argsort(sizes)
    found = np.array(sizes, np.float64)
    start = 0
    for n in range(1, len(order) + 1):
        if n == len(order) or sizes[order[n]] > _ALIKE * sizes[order[start]]:
            found[order[start:n]] = np.median([sizes[i] for i in order[start:n]])
            start = n
    return [float(size) for size in found]


def bold(strokes: Sequence[float], lengths: Sequence[int]) -> list[bool]:
    """Which lines are bolder than most of the page's letters."""
    order = np.argsort(strokes)
    total = np.cumsum(np.array(lengths)[order])
    usual = strokes[int(order[int(np.searchsorted(total, total[-1] / 2))])] if len(order) else 0.0
    return [stroke > _BOLD * usual for stroke in strokes]
