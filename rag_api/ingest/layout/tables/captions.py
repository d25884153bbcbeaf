"""Captions that stand below their tables: read before the rows, as those above are, so that each
row brings its own.

A caption is numbered ("Table 3. Doses"), stands close below a table, within its width, and nearer
to it than to what follows; no numbered line stands close above the table. Close is what is no
farther than the table's rows are from each other. Where one stands so and none above any table of
the page, others may be as near to a line below them. A line without a number may as well be the
next paragraph, and stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from rag_api.ingest.layout.lines import Line, Row, lines_of_item
from rag_api.text.block_shapes import NUMBERED_CAPTION

_FOOTNOTE = re.compile(r"[⁰¹²³⁴-⁹ᵃᵇᶜᵈᵉᶠᵍʰ*†‡§]")  # stands below a table too
_CLOSE = 1.8  # line heights of white between a caption and its table, at most, where its rows stand closer
_NEARER = 0.3  # line heights that the white below it is more, at least
_WITHIN = 0.5  # line heights of white between its own lines
_ALIKE = 0.1  # of its size
_MOST = 4  # lines

Item = Line | Row


def captions_first(items: Sequence[Item]) -> list[Item]:
    """A page's items, with captions that stand below a table before it. items: in reading order."""
    found, below = _moved(items, may_be_near_others=False)
    return _moved(items, may_be_near_others=True)[0] if below and not _one_stands_above(items) else found


def _moved(items: Sequence[Item], may_be_near_others: bool) -> tuple[list[Item], int]:
    """The items so, and how many captions were moved."""
    found: list[Item] = list(items)
    start, count = 0, 0
    while start < len(found):
        end = start
        while end < len(found) and _is_row(found[end]):
            end += 1
        if end - start > 1:
            after = _caption(found, start, end, may_be_near_others)
            found[start:after] = [*found[end:after], *found[start:end]]
            count += after > end
            end = after
        start = max(end, start + 1)
    return found, count


def _one_stands_above(items: Sequence[Item]) -> bool:
    """A numbered line, below no table, stands right above one."""
    return any(
        isinstance(two, Line)
        and NUMBERED_CAPTION.match(two.marked.text)
        and _is_row(three)
        and not (one and _is_row(one))
        for one, two, three in zip([None, *items], items, items[1:], strict=False)
        if not _is_row(two)
    )


def _is_row(item: Item) -> bool:
    return isinstance(item, Row) or item.cell or ("\t" in item.marked.text and not item.aside)


def _caption(items: Sequence[Item], start: int, end: int, may_be_near_others: bool) -> int:
    """One past the last line of the caption below the rows from `start` to before `end`; `end`
    without one."""
    first = _line(items, end)
    above = _line(items, start - 1)
    if first is None or not NUMBERED_CAPTION.match(first.marked.text) or first.cell:
        return end
    rows = _lines(items[start:end])
    left, right = min(line.x0 for line in rows), max(line.x1 for line in rows)
    white = first.y0 - max(line.y1 for line in rows)
    edges = (first.x0 - left, first.x1 - right, (first.x0 + first.x1 - left - right) / 2)
    within = first.x0 > left - first.size and first.x1 < right + first.size and min(map(abs, edges)) < first.size
    between = _white(items[start:end])
    if not (within and 0 <= white < max(_CLOSE * first.size, between)):
        return end
    if (
        above is not None
        and NUMBERED_CAPTION.match(above.marked.text)
        and 0 <= items[start].y0 - above.y1 < max(_CLOSE * above.size, between)
    ):
        return end
    after = end + 1
    while after - end < _MOST and (two := _line(items, after)) is not None and goes_on(_line(items, after - 1), two):
        after += 1
    last, below = _line(items, after - 1), items[after] if after < len(items) else None
    if may_be_near_others and isinstance(below, Line) and not _is_row(below):
        return after
    if below is None or last is None or (isinstance(below, Line) and _FOOTNOTE.match(below.marked.text)):
        return after
    return end if 0 <= below.y0 - last.y1 < white + _NEARER * first.size else after


def _white(rows: Sequence[Item]) -> float:
    """What rows mostly have between them."""
    return median(two.y0 - one.y1 for one, two in pairwise(rows)) if len(rows) > 1 else 0.0


def _line(items: Sequence[Item], n: int) -> Line | None:
    item = items[n] if 0 <= n < len(items) else None
    return item if isinstance(item, Line) and not _is_row(item) and not item.aside else None


def _lines(items: Sequence[Item]) -> list[Line]:
    return [line for item in items for line in lines_of_item(item)]


def goes_on(one: Line | None, two: Line) -> bool:
    """Two is the next line of a caption."""
    alike = one is not None and abs(one.size - two.size) < _ALIKE * one.size and one.bold == two.bold
    return alike and one is not None and two.y0 - one.y0 > 0 and two.y0 - one.y1 < _WITHIN * one.size
