"""Captions that stand below their tables: read before the rows, as those above are, so that each
row brings its own.

A caption is numbered ("Table 3. Doses"), stands close below a table, within the width of its words
and rules, and nearer to it than to what follows; no numbered line stands close above the table.
Close is what is no farther than the table's rows are from each other. A document's captions of one
kind stand all below their tables or all above: where one stands so and none above a table, the
others may reach beyond their tables' sides and be as near to what follows. Below a frame stands a
caption only where most lines so numbered do, or stand below tables: steps are numbered too, and
stand below boxes by chance. A line without a number may as well be the next paragraph, and stays
where it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise
from statistics import median

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.lines import Line, PageItem, Row, lines_of_item
from rag_api.ingest.pdf.frames import frames_around
from rag_api.text.block_shapes import NUMBERED_CAPTION

_FOOTNOTE = re.compile(r"[⁰¹²³⁴-⁹ᵃᵇᶜᵈᵉᶠᵍʰ*†‡§]")  # stands below a table too
_CLOSE = 1.8  # line heights of white between a caption and its table, at most, where its rows stand closer
_NEARER = 0.3  # line heights that the white below it is more, at least
_WITHIN = 0.5  # line heights of white between its own lines
_ALIKE = 0.1  # of its size
_MOST = 4  # lines


def captions_first(
    pages: Sequence[Sequence[PageItem]],
    across: Sequence[NDArray[np.float32]],
    framed: Sequence[Mapping[int, int]],
) -> list[list[PageItem]]:
    """The items of all pages, with captions that stand below a table, or below lines in a frame,
    before it. pages: in reading order, without headers and footers; across: of each page [n, 3] its
    level rules, from, to, where; framed: of each the frames around lines, by the lines' `id()`."""
    each = [*zip(pages, across, framed, strict=True)]
    moved = Counter(word for one in each for word in _moved(*one, frozenset())[1])
    every = Counter(_caption_word(items, n) for items in pages for n in range(len(items)))
    most = {word for word, count in moved.items() if count > 1 and 2 * count > every[word]}
    below = {*moved}.difference(*map(_words_above, pages))
    return [_moved(*one, below, most)[0] for one in each]


def frames_of_lines(items: Sequence[PageItem], frames: NDArray[np.float32]) -> dict[int, int]:
    """The smallest frame [f, 4] around each line that is in one, by the line's `id()`."""
    lines = [item for item in items if isinstance(item, Line)]
    around = ((id(line), frames_around(line.marked.boxes, frames)) for line in lines)
    return {line: own[0] for line, own in around if own}


def _moved(
    items: Sequence[PageItem],
    across: NDArray[np.float32],
    framed: Mapping[int, int],
    below: Set[str],
    of_frames: Set[str] | None = None,
) -> tuple[list[PageItem], list[str]]:
    """The items of a page so, and the first word of each caption that was moved. framed: the frame
    of each line; below: first words of captions that stand below all tables; of_frames: of those
    that may stand below frames, None: all."""
    found: list[PageItem] = list(items)
    words: list[str] = []
    start = 0
    while start < len(found):
        end = start
        frame = -1 if _is_row(found[start]) else framed.get(id(found[start]), -1)
        while (
            end < len(found)
            and (_is_row(found[end]) if frame < 0 else framed.get(id(found[end])) == frame and not _is_row(found[end]))
            and not (end > start and _goes_up(*found[end - 1 : end + 1]))
        ):
            end += 1
        word = _caption_word(found, end) if end - start > 1 else ""
        if word and (frame < 0 or of_frames is None or word in of_frames):
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
