"""Posters: pages of boxes that a program draws in another order than a person reads them, such as
all headings after all texts, or their texts as others draw boxes.

A box's words stay together. Boxes are read column by column where white parts them from top to
foot, else from the top down. Where white parts them in no way, or as well into rows as into
columns, no order is sure: they are shown, and not quoted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.lines import Line, PageItem, lines_of_item
from rag_api.ingest.pdf.vector_graphics import Drawn

_LEAST = (24.0, 9.0)  # points: of a box around words
_MOST = 0.5  # of the page: what is larger is its background
_FEWEST, _SHARE = 4, 0.6  # boxes of a poster, and how much of its words stands in them
_LINES = 2  # in a box, on average; as many boxes as lines are the shades of a text
_TEXT = 3  # lines that stand in no box and are a text of their own
_NEAR = 1.0  # line heights of white between lines of one text that stands in no box
_OVER, _MOST_OVER = 0.25, 12.0  # of its width or height, points: so much words may overlap with those before them


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    items: list[PageItem]
    box: NDArray[np.float32]  # [4] around its words
    drawn: NDArray[np.float32] | None  # [4] the box that they stand in


def in_order(items: Sequence[PageItem], drawn: Drawn, size: tuple[float, float]) -> list[PageItem]:
    """A page's items, those of a poster in the order of its boxes."""
    lines = [line for item in items for line in lines_of_item(item)]
    if not lines or any(line.aside for line in lines):
        return list(items)
    groups = _groups(items, drawn, size)
    boxed = [group for group in groups if group.drawn is not None]
    held = sum(len(_lines(group)) for group in boxed)
    poster = held >= max(_SHARE * len(lines), _LINES * len(boxed)) and _goes_up(boxed)
    texts = [group for group in groups if group.drawn is None and len(_lines(group)) >= _TEXT]
    if len(boxed) < _FEWEST or not (poster or _goes_up(texts)):
        return list(items)
    found = _read(groups)
    if found is None:
        return [_loose(item) for item in items]
    return [item for group in found for item in group.items]


def _groups(items: Sequence[PageItem], drawn: Drawn, size: tuple[float, float]) -> list[_Group]:
    """What stands in one box, or close below each other in none. As drawn."""
    sides = drawn.outlines[:, 2:] - drawn.outlines[:, :2]
    fits = (sides > _LEAST).all(axis=1) & (sides.prod(axis=1) < _MOST * size[0] * size[1])
    boxes = drawn.outlines[fits][np.argsort(sides.prod(axis=1)[fits], kind="stable")]  # the innermost first
    found: dict[int, list[PageItem]] = {}
    free = -1
    before: PageItem | None = None
    for item in items:
        x, y = _middle(_box([item]))
        around = (boxes[:, 0] < x) & (boxes[:, 1] < y) & (boxes[:, 2] > x) & (boxes[:, 3] > y)
        if around.any():
            found.setdefault(int(around.argmax()), []).append(item)
            before = None
            continue
        free -= before is None or not _goes_on(before, item)
        found.setdefault(free, []).append(item)
        before = item
    return [_Group(own, _box(own), boxes[at] if at >= 0 else None) for at, own in found.items()]


def _goes_on(one: PageItem, two: PageItem) -> bool:
    a, b = _box([one]), _box([two])
    return bool(b[1] >= a[1] and b[1] - a[3] < _NEAR * (b[3] - b[1]) and min(a[2], b[2]) > max(a[0], b[0]))


def _goes_up(groups: Sequence[_Group]) -> bool:
    """A box is drawn before the one right above it."""
    for n, group in enumerate(groups):
        above = [
            (other.box[3], m)
            for m, other in enumerate(groups)
            if min(group.box[2], other.box[2]) > max(group.box[0], other.box[0])
            and other.box[3] <= group.box[1] + _may_overlap(group.box, 1)
        ]
        if above and max(above)[1] > n:
            return True
    return False


def _read(groups: Sequence[_Group]) -> list[_Group] | None:
    """The groups in order; None: nobody knows it."""
    if len(groups) < 2:
        return list(groups)
    columns, bands = _parts(groups, 0), _parts(groups, 1)
    if len(columns) == len(bands) == 1:
        columns = _parts([replace(group, drawn=None) for group in groups], 0)
    largest = max(groups, key=lambda group: len(group.items))
    if len(columns) > 1:
        if len(bands) > 1 and all(len(_parts(band, 0)) == len(band) == len(columns) for band in bands):
            return None
        parts = columns
    elif len(bands) > 1:
        parts = [bands[0]]
        for band in bands[1:]:  # as many as stand in the same columns
            both = [*parts[-1], *band]
            parts[-1:] = [both] if len(_parts(both, 0)) > 1 else [parts[-1], band]
    elif len(parts_of := _beside(largest, [group for group in groups if group is not largest])) > 1:
        return _read([group for group in groups if group is not largest] + parts_of)
    else:
        return None
    read = [_read(part) for part in parts]
    return None if None in read else [group for own in read if own for group in own]


def _beside(group: _Group, others: Sequence[_Group]) -> list[_Group]:
    """What stands between the boxes within its own box."""
    middles = [_middle(other.box)[1] for other in others]
    found: dict[int, list[PageItem]] = {}
    for item in group.items:
        y = _middle(_box([item]))[1]
        found.setdefault(sum(middle < y for middle in middles), []).append(item)
    return [_Group(items, _box(items), group.drawn) for items in found.values()]


def _parts(groups: Sequence[_Group], axis: int) -> list[list[_Group]]:
    """Those between which white goes through all of the page's width or height."""
    boxes = [group.box if axis or group.drawn is None else group.drawn for group in groups]
    found: list[list[_Group]] = []
    end = -np.inf
    for box, group in sorted(zip(boxes, groups, strict=True), key=lambda one: float(one[0][axis])):
        if box[axis] >= end - _may_overlap(box, axis):
            found.append([])
        found[-1].append(group)
        end = max(end, float(box[axis + 2]))
    return found


def _may_overlap(box: NDArray[np.float32], axis: int) -> float:
    return min(_MOST_OVER, _OVER * float(box[axis + 2] - box[axis]))


def _lines(group: _Group) -> list[Line]:
    return [line for item in group.items for line in lines_of_item(item)]


def _box(items: Sequence[PageItem]) -> NDArray[np.float32]:
    boxes = np.concatenate([line.marked.boxes for item in items for line in lines_of_item(item)])
    return np.concatenate([np.nanmin(boxes[:, :2], axis=0), np.nanmax(boxes[:, 2:], axis=0)])


def _middle(box: NDArray[np.float32]) -> tuple[float, float]:
    return float(box[0] + box[2]) / 2, float(box[1] + box[3]) / 2


def _loose(item: PageItem) -> PageItem:
    if isinstance(item, Line):
        return replace(item, loose=True)
    return replace(item, cells=tuple(tuple(replace(line, loose=True) for line in cell) for cell in item.cells))
