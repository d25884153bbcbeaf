"""Labels of a list that a program draws after all text of the page, far from the items that they
stand beside: "1. 2. 3." below it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

import numpy as np
from numpy.typing import NDArray

_LABEL = re.compile(r"[•▪●○◦■□◆◇▫▸►➢➤→✓✔❑❖‣–—-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4})[.)]|(?:\d{1,2}\.){2,4}")
_NUMBER = re.compile(r"((?:\d{1,2}\.)+)(\d{1,2})")  # "4.2", which may be a value
_EDGE = 2.0  # points
_NEAR = 3.0  # line heights between a label and its item
_BESIDE = 0.5  # line heights between two lines of a paragraph
_WORDS = 1.0  # line heights between a sign in a formula and what it follows
_OVER = 0.3  # line heights that they may overlap


def late_labels(
    texts: Sequence[str], boxes: NDArray[np.float32], order: Sequence[int], closed: Set[int]
) -> dict[int, int]:
    """Which pieces of a page are labels that do not come before the one that they stand beside, and
    which one that is; the furthest right first. boxes: [n, 4] in reading space; order: in which
    they are read; closed: those between rules on all sides."""
    follows = dict(zip(order, [*order[1:], None], strict=True))
    labels = {i for i in order if _LABEL.fullmatch(texts[i].strip())} | (
        _counted(texts, boxes, order, follows) - closed
    )
    late = [
        i
        for i in order
        if i in labels and ((next_ := follows[i]) is None or not _begins(boxes[[i]], boxes[[next_]])[0])
    ]
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


def _counted(
    texts: Sequence[str], boxes: NDArray[np.float32], order: Sequence[int], follows: Mapping[int, int | None]
) -> set[int]:
    """Numbers that count on from each other down one edge. One that is drawn before words beside it
    is theirs, though it stands level with their last line."""
    found_all = ((i, _NUMBER.fullmatch(texts[i].strip())) for i in order)
    numbers = {i: (found[1], int(found[2])) for i, found in found_all if found}
    places: dict[tuple[str, int], list[int]] = {}
    for i, number in numbers.items():
        places.setdefault(number, []).append(i)
    found: set[int] = set()
    for i, (above, last) in numbers.items():
        for k in places.get((above, last + 1), ()):
            if np.abs(boxes[i, [0, 2]] - boxes[k, [0, 2]]).min() < _EDGE and boxes[k, 1] >= boxes[i, 3] - _EDGE:
                found |= {i, k}
    return {i for i in found if (next_ := follows[i]) is None or not _is_near(boxes[i], boxes[next_])}


def _is_near(label: NDArray[np.float32], words: NDArray[np.float32]) -> bool:
    """The words begin close to the right of the label, on its line or the one beside."""
    height = min(label[3] - label[1], words[3] - words[1])
    apart = max(label[1], words[1]) - min(label[3], words[3])
    return bool(apart < _BESIDE * height and 0 < words[0] - label[2] < _NEAR * height)


def _begins(labels: NDArray[np.float32], items: NDArray[np.float32], near: float = _NEAR) -> NDArray[np.bool_]:
    """[n]: the item stands on the label's line, close to the right of it."""
    height = np.minimum(labels[:, 3] - labels[:, 1], items[:, 3] - items[:, 1]).clip(0.1)
    overlap = np.minimum(labels[:, 3], items[:, 3]) - np.maximum(labels[:, 1], items[:, 1])
    gap = items[:, 0] - labels[:, 2]
    return np.asarray((overlap > 0.5 * height) & (gap >= -_OVER * height) & (gap < near * height))
