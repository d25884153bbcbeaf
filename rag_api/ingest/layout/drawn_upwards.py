"""Stretches of a page that a program draws from the bottom up, such as the lines of a cell, in the
order in which they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_OVER = 0.2  # line heights that lines below each other may overlap
_LEVEL = 0.5  # of the lower piece's height that two share on one line


def downwards(order: Sequence[int], boxes: NDArray[np.float32]) -> list[int]:
    """Return the order in which pieces are read. boxes: [n, 4] in reading space.

    A stretch in which nothing is drawn below what comes before it, though something is drawn above
    that, goes line by line from its top, where nothing else stands between its pieces."""
    found: list[int] = []
    for run, steps_up in _runs(order, boxes):
        found += _by_lines(run, boxes) if steps_up and _alone(run, boxes) else run
    return found


def _runs(order: Sequence[int], boxes: NDArray[np.float32]) -> Iterator[tuple[list[int], int]]:
    """Stretches that end where the next piece is below the last, and how often each goes up."""
    run, steps_up = list(order[:1]), 0
    for one, two in pairwise(order):
        step = _step(boxes[one], boxes[two])
        if step > 0:
            yield run, steps_up
            run, steps_up = [], 0
        run.append(two)
        steps_up += step < 0
    yield run, steps_up


def _step(one: NDArray[np.float32], two: NDArray[np.float32]) -> int:
    """1: two stands below one; -1: above it; 0: neither, or beside it."""
    if min(one[2], two[2]) <= max(one[0], two[0]):
        return 0
    over = _OVER * min(one[3] - one[1], two[3] - two[1])
    return 1 if two[1] >= one[3] - over else -1 if two[3] <= one[1] + over else 0


def _alone(run: Sequence[int], boxes: NDArray[np.float32]) -> bool:
    low, high = boxes[run, :2].min(axis=0), boxes[run, 2:].max(axis=0)
    within = ((boxes[:, :2] < high) & (boxes[:, 2:] > low)).all(axis=1)
    return int(within.sum()) == len(run)


def _by_lines(run: Sequence[int], boxes: NDArray[np.float32]) -> list[int]:
    lines: list[list[int]] = []
    for i in sorted(run, key=lambda i: float(boxes[i, 1] + boxes[i, 3])):
        last = boxes[lines[-1][0]] if lines else None
        if last is not None and min(last[3], boxes[i, 3]) - max(last[1], boxes[i, 1]) > _LEVEL * (
            boxes[i, 3] - boxes[i, 1]
        ):
            lines[-1].append(i)
        else:
            lines.append([i])
    return [i for line in lines for i in sorted(line, key=lambda i: float(boxes[i, 0]))]
