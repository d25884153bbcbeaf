"""Tables of rows that follow each other: where one ends and the next begins, which rows head them,
and which columns their cells stand in.

Two tables may follow each other with nothing but white between. A row is not read under another
table's header: another table begins where white parts the rows that no rule down crosses, if it
holds two rules, or is wider than all between the rows above and the next cells begin where none of
theirs do; and where rows go on in another column of the page.

Where that is not certain, a row is marked as unsure: a cell of it stands in no column of its table,
it stands below the captions of two tables, or below a numbered caption that heads a table above it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import BlockKind
from rag_api.ingest.layout.lines import PageRules
from rag_api.ingest.layout.tables.columns import alike, begins_of, columns_of, in_no_column, reaches_of
from rag_api.ingest.structure.blocks.paragraphs import Paragraph
from rag_api.text.block_shapes import NUMBERED_CAPTION, Shape, headed

_WIDE = 3.0  # line heights of white between two tables without rules, at least
_WIDER = 2.0  # times the white between the rows above
_HIGH = 1.0  # line heights between the rules of two tables, at least
_WITHIN = 0.25  # line heights that a rule may stand within a row: letters reach below their line
_BESIDE = 6.0  # points that a table's side may stand outside its words
_SAME_SIDE = 3.0  # points
_TOUCH = 1.5  # line heights, at most, above and below a line between two tables that touch
_FEWEST = 2  # rows above, without which nobody knows how far apart a table's rows are

_TableRow = tuple[Shape, Paragraph]
_Float = NDArray[np.float32]


def with_tables(
    text: str, shapes: Sequence[Shape], found: Sequence[Paragraph], rules: Sequence[PageRules]
) -> list[Shape]:
    """Rows with the columns that their cells stand in, and the rows that head them; those marked
    that may stand below another table's header or caption. rules: each page's."""
    whole: list[Shape] = []
    rows: list[_TableRow] = []
    # the only line above, and the last row before that, of a table whose header is set as such
    above: tuple[_TableRow, ...] = ()
    for shape, paragraph in zip(shapes, found, strict=True):
        one = (shape, paragraph)
        if shape.kind == BlockKind.ROW:
            rows.append((replace(shape, unsure=True), paragraph) if above and _is_below_both(above[-1], one) else one)
            continue
        if not shape.aside:
            whole += _tables(text, rows, rules, _is_headless(text, rows, above, rules))
            rows, above = [], (*rows[-1:], one) if any(row.header for row, _ in rows) else (one,)
        whole.append(shape)
    whole += _tables(text, rows, rules, _is_headless(text, rows, above, rules))
    return _below_one_caption(text, sorted(whole, key=lambda shape: shape.start))


def _is_headless(text: str, rows: Sequence[_TableRow], above: Sequence[_TableRow], rules: Sequence[PageRules]) -> bool:
    """A line stands close below a table whose header is set as such, outside its sides, and close
    above these rows, of which none is: their first one is no header because it has no figures."""
    if not rows or len(above) < 2 or any(shape.header for shape, _ in rows):
        return False
    last, line, first = above[0][1], above[1][1], rows[0][1]
    near = _TOUCH * line.first.size
    touch = last.page == first.page and 0 <= line.y0 - last.y1 < near and 0 <= first.y0 - line.y1 < near
    is_caption = NUMBERED_CAPTION.match(text[line.start : line.end].strip())
    return touch and not is_caption and is_outside([line, first], last, rules[first.page])


def _is_below_both(captions: _TableRow, row: _TableRow) -> bool:
    """Captions of tables side by side stand above its cells: it is of both tables."""
    ends = reaches_of(captions[0], (captions[1].start, captions[1].boxes))
    begins = _begins(row)
    if row[1].page != captions[1].page or not begins:
        return False
    return any(min(begins) < one[1] and max(begins) > two[0] - _BESIDE for one, two in pairwise(ends))


def _below_one_caption(text: str, shapes: Sequence[Shape]) -> list[Shape]:
    """Rows of further tables marked that stand below a heading which is numbered as a caption is
    and stands above its table: whether it is over them too, nobody knows. One with a line above it
    has that."""
    found: list[Shape] = []
    tables = 0  # below such a heading; 0: below another one
    above: Shape | None = None
    for shape in shapes:
        if shape.kind == BlockKind.HEADING:
            tables = 0
        elif shape.kind == BlockKind.ROW and above is not None:
            words = text[above.start : above.end].strip()
            if above.kind == BlockKind.HEADING and NUMBERED_CAPTION.match(words):
                tables = 1
            elif tables and (above.kind != BlockKind.ROW or shape.begins):
                is_caption = above.kind != BlockKind.ROW and not words.endswith((".", "!", "?", ";", ","))
                tables = tables + 1 if not is_caption else 1
            if tables > 1:
                shape = replace(shape, unsure=True)
        found.append(shape)
        above = above if shape.aside else shape
    return found


def _tables(text: str, rows: Sequence[_TableRow], rules: Sequence[PageRules], headless: bool) -> Iterator[Shape]:
    """The rows, table by table. headless: the first of them heads none."""
    heads = _heads(text, rows)
    begins = {
        id(first)
        for page, own in groupby(rows, key=lambda row: row[1].page)
        for first in _firsts(list(own), heads, rules[page])
    }
    table: list[_TableRow] = []
    for shape, paragraph in rows:
        over_page = id(paragraph) in heads and paragraph.page != table[-1][1].page
        begun = id(paragraph) in begins or (over_page and not _in_columns((shape, paragraph), table))
        if begun or id(paragraph) in heads:
            yield from _table(text, table, rules, headless)
            table = []
            shape = replace(shape, apart=True, begins=begun)
        table.append((shape, paragraph))
    yield from _table(text, table, rules, headless)


def _heads(text: str, rows: Sequence[_TableRow]) -> set[int]:
    """The rows, by id, that are set as headers below rows that are not, and head no further page of
    the same table."""
    found: set[int] = set()
    first = rows[0][0] if rows else None
    for (above, _), (row, paragraph) in pairwise(rows):
        if (
            first
            and row.header
            and not above.header
            and text[first.start : first.end].split() != text[row.start : row.end].split()
        ):
            found.add(id(paragraph))
            first = row
    return found


def _firsts(rows: Sequence[_TableRow], heads: Container[int], rules: PageRules) -> Iterator[Paragraph]:
    """The rows of one page with which another table begins, but for the first of all."""
    begin, left, right = 0, np.inf, -np.inf
    for n, (_, one) in enumerate(rows):
        if n - begin >= _FEWEST and all(_is_beside(other, rows[n - 1][1], left, right) for _, other in rows[n : n + 2]):
            yield one
            yield from _firsts_down(rows[begin:n], heads, rules)
            begin, left, right = n, np.inf, -np.inf
        ends = _reach(one)
        left, right = min(left, ends[0]), max(right, ends[1])
    yield from _firsts_down(rows[begin:], heads, rules)


def _is_beside(one: Paragraph, last: Paragraph, left: float, right: float) -> bool:
    """It stands to the left or to the right of all rows above, and not beside the last one."""
    begin, end = _reach(one)
    level = one.y0 < last.y1 and last.y0 < one.y1
    return not level and (begin > right or end < left)


def _firsts_down(rows: Sequence[_TableRow], heads: Container[int], rules: PageRules) -> Iterator[Paragraph]:
    """Of rows in one column of the page, which are parted by white from side to side. heads: rows
    set as headers."""
    feet = list(accumulate((one.y1 for _, one in rows), max))
    tops = list(accumulate((one.y0 for _, one in reversed(rows)), min))[::-1]
    first = 0
    for n in range(1, len(rows)):
        above, (row, one) = rows[first:n], rows[n]
        white = feet[n - 1], tops[n]
        is_head = id(one) in heads
        free = white[1] > white[0] and not _is_crossed(above[-1][1], one, white, rules)
        apart = free and (
            _are_ruled_apart(above[-1][1], one, white, rules) or _stand_far_apart(above, (row, one), white, is_head)
        )
        apart = apart or _has_other_sides(one, [other for _, other in above], rules)
        if apart:
            yield one
        if apart or is_head:
            first = n


def is_outside(rows: Sequence[Paragraph], above: Paragraph, rules: PageRules) -> bool:
    """A table's sides are drawn left and right of the row above, and none beside these rows."""
    left, right = _reach(above)
    sides = _sides(above, rules)
    outer = sides[sides <= left + 1].max(initial=-np.inf), sides[sides >= right - 1].min(initial=np.inf)
    if not np.isfinite(outer).all():
        return False
    return not any(
        ((own > outer[0] - _SAME_SIDE) & (own < outer[1] + _SAME_SIDE)).any()
        for own in (_sides(row, rules) for row in rows)
    )


def _reach(*rows: Paragraph) -> tuple[float, float]:
    lines = [line for row in rows for line in row.lines]
    return min(line.x0 for line in lines), max(line.x1 for line in lines)


def _is_crossed(one: Paragraph, two: Paragraph, white: tuple[float, float], rules: PageRules) -> bool:
    """A table's side, or a rule between its columns, goes through the white."""
    (left, right), middle = _reach(one, two), sum(white) / 2
    y0, y1, x = rules.down.T
    return bool(((y0 < middle) & (y1 > middle) & (x > left - _BESIDE) & (x < right + _BESIDE)).any())


def _are_ruled_apart(one: Paragraph, two: Paragraph, white: tuple[float, float], rules: PageRules) -> bool:
    """Two rules are in the white: one table's last and the other's first."""
    (left, right), size = _reach(one, two), min(one.first.size, two.first.size)
    x0, x1, y = rules.across.T
    own = np.sort(y[(x0 < right) & (x1 > left) & (y > white[0] - _WITHIN * size) & (y < white[1] + _WITHIN * size)])
    return bool((np.diff(own) > _HIGH * size).any())


def _has_other_sides(row: Paragraph, above: Sequence[Paragraph], rules: PageRules) -> bool:
    """Between its cells are rules down where none of the rows above has one, and none where they
    have: it is no row of merged cells."""
    own = _sides(row, rules)
    others = [_sides(one, rules) for one in above] if len(own) else []
    return (
        len(own) > 0
        and _lack(_between(own, row), np.concatenate(others))
        and any(_lack(_between(_between(sides, one), row), own) for sides, one in zip(others, above, strict=True))
    )


def _sides(row: Paragraph, rules: PageRules) -> _Float:
    """Where rules down go through a row, or a part of it."""
    y0, y1, x = rules.down.T
    return np.asarray(x[(y0 < row.y1 - 1) & (y1 > row.y0 + 1)])


def _between(sides: _Float, row: Paragraph) -> _Float:
    left, right = _reach(row)
    return sides[(sides > left) & (sides < right)]


def _lack(sides: _Float, others: _Float) -> bool:
    """Some are none of the others."""
    return bool((np.abs(sides[:, None] - others[None]) > _SAME_SIDE).all(axis=1).any())


def _stand_far_apart(above: Sequence[_TableRow], row: _TableRow, white: tuple[float, float], is_head: bool) -> bool:
    if white[1] - white[0] <= _WIDE * min(above[-1][1].first.size, row[1].first.size):
        return False
    wider = all(white[1] - white[0] > _WIDER * (two.y0 - one.y1) for (_, one), (_, two) in pairwise(above))
    return wider and (is_head or (len(above) >= _FEWEST and not _in_columns(row, above)))


def _in_columns(row: _TableRow, above: Sequence[_TableRow]) -> bool:
    """Its cells begin where those of one of the rows above do."""
    return any(alike(_begins(one), _begins(row)) for one in above)


def _begins(row: _TableRow) -> list[float]:
    shape, paragraph = row
    return begins_of(shape, (paragraph.start, paragraph.boxes))


def _table(text: str, rows: Sequence[_TableRow], rules: Sequence[PageRules], headless: bool) -> list[Shape]:
    if not rows:
        return []
    shapes = [replace(shape, apart=shape.apart and n == 0) for n, (shape, _) in enumerate(rows)]
    if all(shape.header for shape in shapes):
        shapes = [_set(shape, header=False) for shape in shapes]
    first = text[shapes[0].start : shapes[0].end].split()
    again = [text[shape.start : shape.end].split() == first and len(shape.cells) > 1 for shape in shapes]
    boxes = [(paragraph.start, paragraph.boxes) for _, paragraph in rows]
    if not headless:
        shapes = headed(text, columns_of(shapes, boxes), _is_ruled_off([paragraph for _, paragraph in rows], rules))
    if sum(again) > 1:  # it heads the table's next page too
        shapes = [_set(shape, header=True) if same else shape for shape, same in zip(shapes, again, strict=True)]
    placed = columns_of(shapes, boxes)
    unsure = {row.start for row in in_no_column(placed, boxes)}
    return [replace(row, unsure=row.unsure or row.start in unsure) for row in placed]


def _is_ruled_off(rows: Sequence[Paragraph], rules: Sequence[PageRules]) -> bool:
    """A rule is below the first row, or its colour ends there, and none parts the others of its
    page."""
    own = [one for one in rows if one.page == rows[0].page]
    ruled = [_is_ruled(one, two, rules[one.page]) for one, two in pairwise(own)]
    return len(ruled) > 1 and ruled[0] and not any(ruled[1:])


def _is_ruled(one: Paragraph, two: Paragraph, rules: PageRules) -> bool:
    """A rule parts two rows from side to side."""
    (left, right), size = _reach(one, two), one.first.size
    x0, x1, y = rules.across.T
    between = (y > one.y1 - _WITHIN * size) & (y < two.y0 + _WITHIN * size)
    own = between & (x0 < right) & (x1 > left)
    return bool(own.any() and x0[own].min() < left + size and x1[own].max() > right - size)


def _set(row: Shape, header: bool) -> Shape:
    return replace(row, header=header, cells=tuple(replace(cell, header=header) for cell in row.cells))
