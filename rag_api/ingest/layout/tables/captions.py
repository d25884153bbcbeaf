"""Captions that stand below their tables: read before the rows, as those above are, so that each
row brings its own.

A caption is numbered ("Table 3. Doses"), stands close below a table, within the width of its words
and rules, and nearer to it than to what follows; no numbered line stands close above the table.
Close is what is no farther than the table's rows are from each other. A document's captions of one
kind stand all below their tables or all above: where one stands so and none above a table, the
others may reach beyond their tables' sides and be as near to what follows. A line without a number
may as well be the next paragraph, and stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from statistics import median

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.lines import Line, PageItem, Row, lines_of_item
from rag_api.text.block_shapes import NUMBERED_CAPTION

_FOOTNOTE = re.compile(r"[⁰¹²³⁴-⁹ᵃᵇᶜᵈᵉᶠᵍʰ*†‡§]")  # stands below a table too
_CLOSE = 1.8  # line heights of white between a caption and its table, at most, where its rows stand closer
_NEARER = 0.3  # line heights that the white below it is more, at least
_WITHIN = 0.5  # line heights of white between its own lines
_ALIKE = 0.1  # of its size
_MOST = 4  # lines


def captions_first(pages: Sequence[Sequence[PageItem]], across: Sequence[NDArray[np.float32]]) -> list[list[PageItem]]:
    """The items of all pages, with captions that stand below a table before it. pages: in reading
    order, without headers and footers; across: of each page [n, 3] its level rules, from, to,
    where."""
    each = [*zip(pages, across, strict=True)]
    below = {word for items, rules in each for word in _moved(items, rules, frozenset())[1]}
    below.difference_update(*map(_words_above, pages))
    return [_moved(items, rules, below)[0] for items, rules in each]


def _moved(items: Sequence[PageItem], across: NDArray[np.float32], below: Set[str]) -> tuple[list[PageItem], list[str]]:
    """The items of a page so, and the first word of each caption that was moved. below: first words
    of captions that stand below all tables."""
    found: list[PageItem] = list(items)
    words: list[str] = []
    start = 0
    while start < len(found):
        end = start
        while end < len(found) and _is_row(found[end]) and not (end > start and _goes_up(*found[end - 1 : end + 1])):
            end += 1
        if end - start > 1 and (word := _caption_word(found, end)):
            after = _caption(found, start, end, across, word in below)
            found[start:after] = [*found[end:after], *found[start:end]]
            words += [word] * (after > end)
            end = after
        start = max(end, start + 1)
    return found, words


def _caption_word(items: Sequence[PageItem], n: int) -> str:
    """The first word of a line that is numbered as a caption is; "" of any other."""
    line = _line(items, n)
    match = NUMBERED_CAPTION.match(line.marked.text) if line is not None else None
    return match[1] if match else ""


def _words_above(items: Sequence[PageItem]) -> Iterator[str]:
    """The first words of numbered lines, below no table, that stand right above one."""
    for n in range(len(items) - 1):
        if _is_row(items[n + 1]) and not (n and _is_row(items[n - 1])):
            yield _caption_word(items, n)


def _is_row(item: PageItem) -> bool:
    return isinstance(item, Row) or item.cell or item.names or ("\t" in item.marked.text and not item.aside)


def _goes_up(one: PageItem, two: PageItem) -> bool:
    """Two stands above, and is no cell of an unsure table, of which columns may follow each
    other."""
    return two.y1 < one.y0 and not (isinstance(two, Line) and two.cell)


def _caption(items: Sequence[PageItem], start: int, end: int, across: NDArray[np.float32], is_below: bool) -> int:
    """One past the last line of the caption below the rows from `start` to before `end`; `end`
    without one. is_below: captions of its kind stand below their tables."""
    first, above = _line(items, end), _line(items, start - 1)
    assert first is not None, "it begins with a caption's word"
    rows = _lines(items[start:end])
    left, right, foot = _edges(rows, across)
    edges = (first.x0 - left, first.x1 - right, (first.x0 + first.x1 - left - right) / 2)
    within = first.x0 > left - first.size and first.x1 < right + first.size and min(map(abs, edges)) < first.size
    if is_below:
        within = first.x0 < right and first.x1 > left
    white, between = first.y0 - foot, _white(items[start:end])
    if not (within and -first.size < white < max(_CLOSE * first.size, between)):
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
    if is_below or below is None or last is None or (isinstance(below, Line) and _FOOTNOTE.match(below.marked.text)):
        return after
    return end if 0 <= below.y0 - last.y1 < white + _NEARER * first.size else after


def _edges(rows: Sequence[Line], across: NDArray[np.float32]) -> tuple[float, float, float]:
    """From where to where a table's words reach, and the level rules at them, and how far down."""
    left, right = min(line.x0 for line in rows), max(line.x1 for line in rows)
    top, foot = min(line.y0 for line in rows), max(line.y1 for line in rows)
    x0, x1, y = across.T
    own = (x0 < right) & (x1 > left) & (y > top - rows[0].size) & (y < foot + rows[-1].size)
    ends = x0[own].min(initial=left), x1[own].max(initial=right), y[own].max(initial=foot)
    return float(ends[0]), float(ends[1]), float(ends[2])


def _white(rows: Sequence[PageItem]) -> float:
    """What rows mostly have between them."""
    return median(two.y0 - one.y1 for one, two in pairwise(rows)) if len(rows) > 1 else 0.0


def _line(items: Sequence[PageItem], n: int) -> Line | None:
    item = items[n] if 0 <= n < len(items) else None
    return item if isinstance(item, Line) and not _is_row(item) and not item.aside else None


def _lines(items: Sequence[PageItem]) -> list[Line]:
    return [line for item in items for line in lines_of_item(item)]


def goes_on(one: Line | None, two: Line) -> bool:
    """Two is the next line of a caption."""
    alike = one is not None and abs(one.size - two.size) < _ALIKE * one.size and one.bold == two.bold
    return alike and one is not None and two.y0 - one.y0 > 0 and two.y0 - one.y1 < _WITHIN * one.size
