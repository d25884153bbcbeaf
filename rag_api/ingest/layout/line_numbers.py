"""Numbers of lines in the margin, every one or every fifth: they count what stands beside them and
are no part of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_FEWEST = 3  # or two, where they are small and count by more than one
_FEWEST_OF_ALL = 5  # where every line has one: fewer are a list's
_SMALL = 0.9  # of the text's size
_ALIGNED = 2.0  # points
_BESIDE = 0.95  # of the text stands on one side of them


def line_numbers(texts: Sequence[str], boxes: NDArray[np.float32], sizes: Sequence[float]) -> frozenset[int]:
    """Return which pieces of a page are its lines' numbers. boxes: [n, 4] in reading space.

    They stand in one column outside of the text, and from one to the next as many lines lie between
    them as they count."""
    numbers = [
        n for n, text in enumerate(texts) if text.isascii() and text.strip().isdigit() and len(text.strip()) <= 4
    ]
    rest = sorted(set(range(len(texts))) - set(numbers))
    if len(numbers) < 2 or not rest:
        return frozenset()
    rows = _rows(boxes[rest])
    found: set[int] = set()
    for column in _columns(numbers, boxes):
        outside = [np.mean(boxes[rest, 0] >= boxes[column, 2].max()), np.mean(boxes[rest, 2] <= boxes[column, 0].min())]
        if max(outside) >= _BESIDE and _count(column, texts, boxes, sizes, rows, [texts[n] for n in rest]):
            found.update(column)
    return frozenset(found)


def _columns(numbers: Sequence[int], boxes: NDArray[np.float32]) -> list[list[int]]:
    """Those that end below each other, from the top."""
    columns: list[list[int]] = []
    for n in sorted(numbers, key=lambda n: float(boxes[n, 1])):
        for column in columns:
            if min(abs(boxes[n, 2] - boxes[column[0], 2]), abs(boxes[n, 0] - boxes[column[0], 0])) < _ALIGNED:
                column.append(n)
                break
        else:
            columns.append([n])
    return [column for column in columns if len(column) > 1]


def _rows(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    """[r] the middles of the lines of text, from the top."""
    middles = np.sort((boxes[:, 1] + boxes[:, 3]) / 2)
    height = float(np.median(boxes[:, 3] - boxes[:, 1]))
    return np.asarray(middles[np.concatenate([[True], np.diff(middles) > 0.5 * height])], np.float32)


def _count(
    column: Sequence[int],
    texts: Sequence[str],
    boxes: NDArray[np.float32],
    sizes: Sequence[float],
    rows: NDArray[np.float32],
    others: Sequence[str],
) -> bool:
    """They go up by the same, and by as many lines as lie between them."""
    values = [int(texts[n]) for n in column]
    steps = {two - one for one, two in pairwise(values)}
    if len(steps) != 1 or (step := steps.pop()) < 1:
        return False
    at = [int(np.abs(rows - (boxes[n, 1] + boxes[n, 3]) / 2).argmin()) for n in column]
    between = [two - one for one, two in pairwise(at)]
    small = max(sizes[n] for n in column) < _SMALL * float(np.median(sizes))
    if step == 1:
        lower = sum(text[:1].islower() for text in others)
        return (
            small
            and len(column) >= _FEWEST_OF_ALL
            and between.count(1) >= 0.8 * len(between)
            and 3 * lower >= len(others)
        )
    return len(column) >= (2 if small else _FEWEST) and between.count(step) >= 0.6 * len(between)
