"""Items of lists that only the page tells: labels without a dot, and how deep each item is set
in."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rag_api.domain import BlockKind
from rag_api.ingest.structure.blocks.paragraphs import Paragraph
from rag_api.text.block_shapes import Shape

DEEPER = 6.0  # points that an item stands to the right of the one that it belongs to
COLUMN = 90.0  # points; further is another column
_BARE = re.compile(r"([1-9]\d?|[a-z]) (?=\S)")
_HUNG = 0.45  # line heights of white between such a label and its words


def with_bare_labels(text: str, shapes: Sequence[Shape], found: Sequence[Paragraph]) -> list[Shape]:
    """Paragraphs that begin "1", "2" or "a", "b", without a dot, are items where white wider than
    between words parts that from what begins below each other, and they count."""
    runs: dict[tuple[bool, int, int], list[tuple[int, str]]] = defaultdict(list)
    labels: dict[int, str] = {}
    for n, (shape, paragraph) in enumerate(zip(shapes, found, strict=True)):
        label = _BARE.match(text, shape.start)
        if (
            shape.kind != BlockKind.PARAGRAPH
            or label is None
            or (begin := _begin_apart(paragraph, label.end() - shape.start)) is None
        ):
            continue
        run = runs[label[1].isdigit(), paragraph.page, round(begin)]
        if run and _value(label[1]) != _value(run[-1][1]) + 1:
            labels |= _counted(run)
            run.clear()
        run.append((n, label[1]))
    for run in runs.values():
        labels |= _counted(run)
    return [
        replace(one, kind=BlockKind.ITEM, label=labels[n], inner=False) if n in labels else one
        for n, one in enumerate(shapes)
    ]


def with_depths(shapes: Sequence[Shape], found: Sequence[Paragraph]) -> list[Shape]:
    """Items with how far they are set in, against those before them; a new page or column is
    measured anew."""
    open_: list[tuple[float, str]] = []
    deep = []
    for shape, paragraph in zip(shapes, found, strict=True):
        if shape.kind == BlockKind.ITEM:
            x0, label = paragraph.first.x0, re.sub(r"\w+", "0", shape.label)
            if open_ and abs(x0 - open_[-1][0]) > COLUMN:
                at = next((n for n, (_, other) in enumerate(open_) if other == label), 0)
                open_ = open_[:at]
            while open_ and open_[-1][0] > x0 - DEEPER:
                open_.pop()
            shape = replace(shape, level=len(open_))
            open_.append((x0, label))
        elif not (shape.inner or shape.aside):
            open_ = []
        deep.append(shape)
    return deep


def _begin_apart(paragraph: Paragraph, at: int) -> float | None:
    """Where on the page the words begin that stand behind a label; None where they are as near to
    it as to each other."""
    boxes = paragraph.pieces[0].text.boxes
    if (
        at >= len(boxes)
        or np.isnan(boxes[[at - 2, at]]).any()
        or boxes[at, 0] - boxes[at - 2, 2] < _HUNG * paragraph.first.size
    ):
        return None
    return float(boxes[at, 0])


def _value(label: str) -> int:
    return int(label) if label.isdigit() else ord(label) - ord("a") + 1


def _counted(run: Sequence[tuple[int, str]]) -> dict[int, str]:
    """The labels of a run that counts from the first."""
    return dict(run) if len(run) > 1 and _value(run[0][1]) == 1 else {}
