"""Beginnings of tables, by the white between rows, the rules in it and the sides drawn beside
them.

Another table begins where white parts the rows that no rule down crosses, if it holds two rules, or
is wider than all between the rows above and the next cells begin where none of theirs do; where the
sides between cells are others; and where rows go on in another column of the page.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np

from rag_api.ingest.layout.lines import PageRules
from rag_api.ingest.structure.blocks.paragraphs import Paragraph
from rag_api.ingest.structure.blocks.row_edges import (
    WITHIN,
    RowShape,
    between,
    in_columns,
    is_name,
    lack,
    reach,
    sides_of,
)

_WIDE = 3.0  # line heights of white between two tables without rules, at least
_WIDER = 2.0  # times the white between the rows above
_HIGH = 1.0  # line heights between the rules of two tables, at least
_BESIDE = 6.0  # points that a table's side may stand outside its words
_SAME_SIDE = 3.0  # points
_FEWEST = 2  # rows above, without which nobody knows how far apart a table's rows are


def firsts(rows: Sequence[RowShape], heads: Container[int], rules: PageRules) -> Iterator[Paragraph]:
    """The rows of one page with which another table begins, but for the first of all."""
    begin, left, right = 0, np.inf, -np.inf
    for n, (_, one) in enumerate(rows):
        if n - begin >= _FEWEST and all(_is_beside(other, rows[n - 1][1], left, right) for _, other in rows[n : n + 2]):
            yield one
            yield from _firsts_down(rows[begin:n], heads, rules)
            begin, left, right = n, np.inf, -np.inf
        ends = reach(one)
        left, right = min(left, ends[0]), max(right, ends[1])
    yield from _firsts_down(rows[begin:], heads, rules)


def _is_beside(one: Paragraph, last: Paragraph, left: float, right: float) -> bool:
    """It stands to the left or to the right of all rows above, and not beside the last one."""
    begin, end = reach(one)
    level = one.y0 < last.y1 and last.y0 < one.y1
    return not level and (begin > right or end < left)


def _firsts_down(rows: Sequence[RowShape], heads: Container[int], rules: PageRules) -> Iterator[Paragraph]:
    """Of rows in one column of the page, which are parted by white from side to side. heads: rows
    set as headers."""
    feet = list(accumulate((one.y1 for _, one in rows), max))
    tops = list(accumulate((one.y0 for _, one in reversed(rows)), min))[::-1]
    first = 0
    for n in range(1, len(rows)):
        above, (row, one) = rows[first:n], rows[n]
        white = feet[n - 1], tops[n]
        is_head = id(one) in heads
        free = white[1] > white[0] and not is_crossed(above[-1][1], one, white, rules)
        apart = free and (
            _are_ruled_apart(above[-1][1], one, white, rules) or _stand_far_apart(above, (row, one), white, is_head)
        )
        only_heads = all(other[0].header or is_name(other) for other in above)
        apart = apart or (not only_heads and _has_other_sides(one, [other for _, other in above], rules))
        if apart:
            yield one
        if apart or is_head:
            first = n


def is_outside(rows: Sequence[Paragraph], above: Paragraph, rules: PageRules) -> bool:
    """A table's sides are drawn left and right of the row above, and none beside these rows."""
    left, right = reach(above)
    sides = sides_of(above, rules)
    outer = sides[sides <= left + 1].max(initial=-np.inf), sides[sides >= right - 1].min(initial=np.inf)
    if not np.isfinite(outer).all():
        return False
    return not any(
        ((own > outer[0] - _SAME_SIDE) & (own < outer[1] + _SAME_SIDE)).any()
        for own in (sides_of(row, rules) for row in rows)
    )


def is_crossed(one: Paragraph, two: Paragraph, white: tuple[float, float], rules: PageRules) -> bool:
    """A table's side, or a rule between its columns, goes through the white."""
    (left, right), middle = reach(one, two), sum(white) / 2
    y0, y1, x = rules.down.T
    return bool(((y0 < middle) & (y1 > middle) & (x > left - _BESIDE) & (x < right + _BESIDE)).any())


def _are_ruled_apart(one: Paragraph, two: Paragraph, white: tuple[float, float], rules: PageRules) -> bool:
    """Two rules are in the white: one table's last and the other's first."""
    (left, right), size = reach(one, two), min(one.first.size, two.first.size)
    x0, x1, y = rules.across.T
    own = np.sort(y[(x0 < right) & (x1 > left) & (y > white[0] - WITHIN * size) & (y < white[1] + WITHIN * size)])
    return bool((np.diff(own) > _HIGH * size).any())


def _has_other_sides(row: Paragraph, above: Sequence[Paragraph], rules: PageRules) -> bool:
    """Between its cells are rules down where none of the rows above has one, and none where they
    have: it is no row of merged cells."""
    own = sides_of(row, rules)
    others = [sides_of(one, rules) for one in above] if len(own) else []
    return (
        len(own) > 0
        and lack(between(own, row), np.concatenate(others))
        and any(lack(between(between(sides, one), row), own) for sides, one in zip(others, above, strict=True))
    )


def _stand_far_apart(above: Sequence[RowShape], row: RowShape, white: tuple[float, float], is_head: bool) -> bool:
    if white[1] - white[0] <= _WIDE * min(above[-1][1].first.size, row[1].first.size):
        return False
    wider = all(white[1] - white[0] > _WIDER * (two.y0 - one.y1) for (_, one), (_, two) in pairwise(above))
    return wider and (is_head or (len(above) >= _FEWEST and not in_columns(row, above)))
