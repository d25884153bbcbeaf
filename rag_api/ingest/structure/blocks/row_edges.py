"""Edges of a table's rows on their page: how far their words reach, where their cells begin, which
rules run through them and between them, and the colour behind them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.lines import PageRules
from rag_api.ingest.layout.tables.columns import alike, begins_of
from rag_api.ingest.structure.blocks.paragraphs import Paragraph
from rag_api.text.block_shapes import Shape

WITHIN = 0.25  # line heights that a rule may stand within a row: letters reach below their line
_SAME_SIDE = 3.0  # points

RowShape = tuple[Shape, Paragraph]
Float = NDArray[np.float32]


def reach(*rows: Paragraph) -> tuple[float, float]:
    lines = [line for row in rows for line in row.lines]
    return min(line.x0 for line in lines), max(line.x1 for line in lines)


def begins_at(row: RowShape) -> list[float]:
    shape, paragraph = row
    return begins_of(shape, (paragraph.start, paragraph.boxes))


def in_columns(row: RowShape, above: Sequence[RowShape]) -> bool:
    """Its cells begin where those of one of the rows above do."""
    return any(alike(begins_at(one), begins_at(row)) for one in above)


def is_name(row: RowShape) -> bool:
    """It has a row of a drawn table to itself, and names those below."""
    return len(row[0].cells) == 1 and row[1].names


def sides_of(row: Paragraph, rules: PageRules) -> Float:
    """Where rules down go through a row, or a part of it."""
    y0, y1, x = rules.down.T
    return np.asarray(x[(y0 < row.y1 - 1) & (y1 > row.y0 + 1)])


def between(sides: Float, row: Paragraph) -> Float:
    left, right = reach(row)
    return sides[(sides > left) & (sides < right)]


def lack(sides: Float, others: Float) -> bool:
    """Some are none of the others."""
    return bool((np.abs(sides[:, None] - others[None]) > _SAME_SIDE).all(axis=1).any())


def is_ruled(one: Paragraph, two: Paragraph, rules: PageRules) -> bool:
    """A rule parts two rows from side to side."""
    (left, right), size = reach(one, two), one.first.size
    x0, x1, y = rules.across.T
    here = (y > one.y1 - WITHIN * size) & (y < two.y0 + WITHIN * size)
    own = here & (x0 < right) & (x1 > left)
    return bool(own.any() and x0[own].min() < left + size and x1[own].max() > right - size)


def colour_behind(row: Paragraph, rules: PageRules) -> int:
    """Of what was painted last behind all of its lines; -1: of nothing, or not of one colour."""
    x0, y0, x1, y1 = rules.fills.T
    found = set()
    for line in row.lines:
        x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
        behind = np.flatnonzero((x0 < x) & (x < x1) & (y0 < y) & (y < y1))
        found.add(int(rules.colours[behind[-1]]) if len(behind) else -1)
    return found.pop() if len(found) == 1 else -1
