"""Order of a table's rows: from its top, in whatever order a program draws them. Lines that are
drawn between them and stand above or below them all are read before or behind them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from rag_api.ingest.layout.lines import LEVEL, Line, Row, lines_of_item

_UPWARDS = 4  # times as many items as places where all that follows stands above: else all are drawn upwards

_SIDE = 0.1  # of the width of what stands below: what is over all of it may end so far from its sides


def rows_down(items: list[Line | Row]) -> list[Line | Row]:
    """A page's items, rows that follow each other from the highest. Those that stand beside another
    of them keep their order: they are of two tables, or text in columns. Lines of cells may be a
    footer's: only where all are drawn upwards are they turned with the rows."""
    items = _without_strangers(items)
    start = 0
    for end in range(1, len(items) + 1):
        if end < len(items) and _in_columns(items[end - 1], items[end]):
            continue
        run = items[start:end]
        down = sorted(run, key=lambda item: item.y0)
        whole = _are_full(run) or down == run[::-1]
        if whole and all(one.y1 - LEVEL * _height(one) <= two.y0 for one, two in pairwise(down)):
            items[start:end] = down
        start = end
    return _from_the_top(items)


def _without_strangers(items: list[Line | Row]) -> list[Line | Row]:
    """Lines between two rows of the same columns, below all rows that follow and precede, or above
    them all, are moved there."""
    found = list(items)
    for start in range(len(found) - 2, 0, -1):
        if _is_text(found[start]) and isinstance(found[start - 1], Row):
            end = next((n for n in range(start, len(found)) if not _is_text(found[n])), len(found))
            first, last = _rows_around(found, start, end)
            lines, around = found[start:end], [*found[first:start], *found[end:last]]
            if first == start or last == end:
                continue
            if min(line.y0 for line in lines) > max(row.y1 for row in around) - LEVEL * _height(lines[0]):
                found[start:last] = [*found[end:last], *lines]
            elif max(line.y1 for line in lines) < min(row.y0 for row in around) + LEVEL * _height(lines[0]):
                found[first:end] = [*lines, *found[first:start]]
    return found


def _rows_around(items: list[Line | Row], start: int, end: int) -> tuple[int, int]:
    """From where to where rows of the same columns follow each other, but for the lines from
    `start` to before `end`."""
    first, last = start, end
    if end < len(items) and isinstance(items[end], Row) and _in_columns(items[start - 1], items[end]):
        first, last = start - 1, end + 1
        while first and isinstance(items[first - 1], Row) and _in_columns(items[first - 1], items[first]):
            first -= 1
        while last < len(items) and isinstance(items[last], Row) and _in_columns(items[last - 1], items[last]):
            last += 1
    return first, last


def _is_text(item: Line | Row) -> bool:
    return isinstance(item, Line) and not item.aside and "\t" not in item.marked.text


def _height(item: Line | Row) -> float:
    return item.y1 - item.y0


def _from_the_top(items: list[Line | Row]) -> list[Line | Row]:
    """What is drawn last and stands above all that is drawn before it is read first, such as a
    title; so what is drawn first and stands below all, such as a footnote, is read last."""
    below = [*accumulate((item.y1 for item in reversed(items)), max)][::-1]  # where what follows ends
    tops = [*accumulate((item.y0 for item in reversed(items)), min)][::-1]
    start = next((n for n in range(len(items) - 1) if items[n].y1 > tops[n + 1] + 1), len(items))  # what is in place
    begins = [*accumulate((item.y0 for item in items[start:]), min)]
    turns = [n for n in range(start + 1, len(items)) if below[n] <= begins[n - start - 1] + 1]
    if len(turns) > max(1, len(items) // _UPWARDS):
        return items
    for n in sorted(turns, key=lambda n: -min(n - start, len(items) - n)):
        first, last = items[n:], items[start:n]
        few, many = (first, last) if len(first) < len(last) else (last, first)
        cells = few is last and not all(map(_is_text, few))  # a running line's would be a row of the table above it
        if not cells and all(_is_over(item, many) for item in few):
            few.sort(key=lambda item: item.y0)
            return [*items[:start], *first, *last]
    return _with_spanning_first(items, start, begins)


def _with_spanning_first(items: list[Line | Row], start: int, begins: Sequence[float]) -> list[Line | Row]:
    """A table that is drawn in the midst, behind the columns below it, is read first where it
    stands above all else and reaches from side to side of what is drawn before. begins: where each
    stretch of the items from `start` has its top."""
    for n, top in enumerate(begins[:-1], start=start + 1):
        end = next((at for at in range(n, len(items)) if items[at].y1 > top + 1), n)
        over, before = items[n:end], items[start:n]
        if any(isinstance(item, Row) for item in over):
            (left, right), (x0, x1) = (_reach(*own) for own in (over, before))
            above = max(item.y1 for item in over) <= min((item.y0 for item in items[end:]), default=top) + 1
            if above and left < x0 + _SIDE * (x1 - x0) and right > x1 - _SIDE * (x1 - x0):
                return [*items[:start], *over, *before, *items[end:]]
    return items


def _is_over(item: Line | Row, others: list[Line | Row]) -> bool:
    left, right = _reach(item)
    return any(left < b and a < right for a, b in map(_reach, others))


def _reach(*items: Line | Row) -> tuple[float, float]:
    own = [line for item in items for line in lines_of_item(item)]
    return min(line.x0 for line in own), max(line.x1 for line in own)


def _are_full(run: list[Line | Row]) -> bool:
    """Rows that all begin in one column: what a row without a first cell belongs to, such as a name
    at the foot of its cell, the order of drawing tells."""
    lefts = [min(line.x0 for line in lines_of_item(item)) for item in run]
    return all(isinstance(item, Row) for item in run) and max(lefts) - min(lefts) < lines_of_item(run[0])[0].size


def _in_columns(one: Line | Row, two: Line | Row) -> bool:
    """Rows, or lines of cells, that stand in the same columns, whichever is above."""
    if any(isinstance(item, Line) and "\t" not in item.marked.text for item in (one, two)):
        return False
    (left, right), (other_left, other_right) = map(_reach, (one, two))
    return min(right, other_right) > max(left, other_left)
