"""Labels of a list that a program draws after all text of the page, far from the items that they stand beside: "1. 2. 3." below it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_LABEL = re.compile(r"[•▪●○◦■□◆◇▫▸►➢➤→✓✔❑❖‣–—-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4})[.)]|(?:\d{1,2}\.){2,4}")
_NEAR = 3.0  # line heights between a label and its item
_WORDS = 1.0  # line heights between a sign in a formula and what it follows
_OVER = 0.3  # line heights that they may overlap


def late_labels(texts: Sequence[str], boxes: NDArray[np.float32], order: Sequence[int]) -> dict[int, int]:
    """Which pieces of a page are labels that do not come before the one that they stand beside, and which one that is; the furthest right
    first. boxes: [n, 4] in reading space; order: in which they are read."""
    follows = dict(zip(order, [*order[1:], None], strict=True))
    labels = {i for i in order if _LABEL.fullmatch(texts[i].strip())}
    late = [i for i in order if i in labels and ((next_ := follows[i]) is None or not _begins(boxes[[i]], boxes[[next_]])[0])]
    if not late:
        return {}
    tops = np.argsort(boxes[:, 1], kind="stable")
    sorted_tops = boxes[tops, 1]
    tallest = float((boxes[:, 3] - boxes[:, 1]).max())
    found: dict[int, int] = {}
    taken: set[int] = set()
    for i in sorted(late, key=lambda i: -float(boxes[i, 0])):
        first, last = np.searchsorted(sorted_tops, [boxes[i, 1] - tallest, boxes[i, 3]])
        near = tops[first:last]
        near, own = near[near != i], boxes[[i]]
        before = near[_begins(boxes[near], own, _WORDS)]
        near = near[_begins(own, boxes[near])]
        within = any(int(n) not in labels for n in before)  # a sign in a formula
        item = i if within or not len(near) else int(near[boxes[near, 0].argmin()])
        if item != i and item not in taken:
            taken.add(item)
            found[i] = found.get(item, item)  # "1. a." before one item
    return found


def _begins(labels: NDArray[np.float32], items: NDArray[np.float32], near: float = _NEAR) -> NDArray[np.bool_]:
    """[n]: the item stands on the label's line, close to the right of it."""
    height = np.minimum(labels[:, 3] - labels[:, 1], items[:, 3] - items[:, 1]).clip(0.1)
    overlap = np.minimum(labels[:, 3], items[:, 3]) - np.maximum(labels[:, 1], items[:, 1])
    gap = items[:, 0] - labels[:, 2]
    return np.asarray((overlap > 0.5 * height) & (gap >= -_OVER * height) & (gap < near * height))
