"""Order of a table's rows: from its top, in whatever order a program draws them."""

from __future__ import annotations

from itertools import pairwise

from rag_api.ingest.layout.lines import LEVEL, Line, Row, lines_of_item


def rows_down(items: list[Line | Row]) -> list[Line | Row]:
    """A page's items, rows that follow each other from the highest. Those that stand beside another
    of them keep their order: they are of two tables, or text in columns. Lines of cells may be a
    footer's: only where all are drawn upwards are they turned with the rows."""
    start = 0
    for end in range(1, len(items) + 1):
        if end < len(items) and _in_columns(items[end - 1], items[end]):
            continue
        run = items[start:end]
        down = sorted(run, key=lambda item: item.y0)
        whole = _are_full(run) or down == run[::-1]
        if whole and all(one.y1 - LEVEL * (one.y1 - one.y0) <= two.y0 for one, two in pairwise(down)):
            items[start:end] = down
        start = end
    return items


def _are_full(run: list[Line | Row]) -> bool:
    """Rows that all begin in one column: what a row without a first cell belongs to, such as a name
    at the foot of its cell, the order of drawing tells."""
    lefts = [min(line.x0 for line in lines_of_item(item)) for item in run]
    return all(isinstance(item, Row) for item in run) and max(lefts) - min(lefts) < lines_of_item(run[0])[0].size


def _in_columns(one: Line | Row, two: Line | Row) -> bool:
    """Rows, or lines of cells, that stand in the same columns, whichever is above."""
    if any(isinstance(item, Line) and "\t" not in item.marked.text for item in (one, two)):
        return False
    both = [lines_of_item(item) for item in (one, two)]
    (left, right), (other_left, other_right) = (
        (min(line.x0 for line in own), max(line.x1 for line in own)) for own in both
    )
    return min(right, other_right) > max(left, other_left)
