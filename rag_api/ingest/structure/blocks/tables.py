"""Tables of rows that follow each other: where one ends and the next begins, which rows head them, and which columns their cells stand in.

Two tables may follow each other with nothing but white between. A row is not read under another table's header: another table begins
where white from side to side parts the rows and holds two rules that no side of a table joins; where it is wider than all between rows
above, and the next cells begin where no row's above do; and where rows go on in another column of the page.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import BlockKind
from rag_api.ingest.layout.tables.columns import alike, begins_of, columns_of
from rag_api.ingest.structure.blocks.paragraphs import Paragraph
from rag_api.text.block_shapes import Shape, headed

_WIDE = 3.0  # line heights of white between two tables without rules, at least
_WIDER = 2.0  # times the white between the rows above
_HIGH = 1.0  # line heights between the rules of two tables, at least
_WITHIN = 0.25  # line heights that a rule may stand within a row: letters reach below their line
_FEWEST = 2  # rows above, without which nobody knows how far apart a table's rows are

_TableRow = tuple[Shape, Paragraph]
Strips = NDArray[np.float32]


def with_tables(text: str, shapes: Sequence[Shape], found: Sequence[Paragraph], strips: Sequence[Strips]) -> list[Shape]:
    """Rows with the columns that their cells stand in, and the rows that head them. strips: [s, 4] for each page."""
    whole: list[Shape] = []
    rows: list[_TableRow] = []
    for shape, paragraph in zip(shapes, found, strict=True):
        if shape.kind == BlockKind.ROW:
            rows.append((shape, paragraph))
            continue
        if not shape.aside:
            whole += _tables(text, rows, strips)
            rows = []
        whole.append(shape)
    return sorted([*whole, *_tables(text, rows, strips)], key=lambda shape: shape.start)


def _tables(text: str, rows: Sequence[_TableRow], strips: Sequence[Strips]) -> Iterator[Shape]:
    """The rows, table by table."""
    heads = _heads(text, rows)
    begins = {id(first) for page, own in groupby(rows, key=lambda row: row[1].page) for first in _firsts(list(own), heads, strips[page])}
    table: list[_TableRow] = []
    for shape, paragraph in rows:
        over_page = id(paragraph) in heads and paragraph.page != table[-1][1].page
        begun = id(paragraph) in begins or (over_page and not _in_columns((shape, paragraph), table))
        if begun or id(paragraph) in heads:
            yield from _table(text, table)
            table = []
            shape = replace(shape, apart=True, begins=begun)
        table.append((shape, paragraph))
    yield from _table(text, table)


def _heads(text: str, rows: Sequence[_TableRow]) -> set[int]:
    """The rows, by id, that are set as headers below rows that are not, and head no further page of the same table."""
    found: set[int] = set()
    first = rows[0][0] if rows else None
    for (above, _), (row, paragraph) in pairwise(rows):
        if first and row.header and not above.header and text[first.start : first.end].split() != text[row.start : row.end].split():
            found.add(id(paragraph))
            first = row
    return found


def _firsts(rows: Sequence[_TableRow], heads: Container[int], strips: Strips) -> Iterator[Paragraph]:
    """The rows of one page with which another table begins, but for the first of all."""
    column: list[_TableRow] = []
    for n, row in enumerate(rows):
        if len(column) >= _FEWEST and all(_is_beside(one, column) for one in rows[n : n + 2]):
            yield row[1]
            yield from _firsts_down(column, heads, strips)
            column = []
        column.append(row)
    yield from _firsts_down(column, heads, strips)


def _is_beside(row: _TableRow, column: Sequence[_TableRow]) -> bool:
    """It stands to the left or to the right of all these rows, and not beside the last one."""
    one, last = row[1], column[-1][1]
    right, left = max(line.x1 for _, other in column for line in other.lines), min(line.x0 for _, other in column for line in other.lines)
    level = one.y0 < last.y1 and last.y0 < one.y1
    return not level and (min(line.x0 for line in one.lines) > right or max(line.x1 for line in one.lines) < left)


def _firsts_down(rows: Sequence[_TableRow], heads: Container[int], strips: Strips) -> Iterator[Paragraph]:
    """Of rows in one column of the page, which are parted by white from side to side. heads: rows set as headers."""
    first = 0
    for n in range(1, len(rows)):
        above, (row, one) = rows[first:n], rows[n]
        white = max(one.y1 for _, one in above), min(one.y0 for _, one in rows[n:])
        is_head = id(one) in heads
        if white[1] > white[0] and (
            _are_ruled_apart(above[-1][1], one, white, strips) or _stand_far_apart(above, (row, one), white, is_head)
        ):
            yield one
            first = n
        elif is_head:
            first = n


def _are_ruled_apart(one: Paragraph, two: Paragraph, white: tuple[float, float], strips: Strips) -> bool:
    """A strip between two rules fills the white."""
    size = min(one.first.size, two.first.size)
    left, right = min(line.x0 for line in (*one.lines, *two.lines)), max(line.x1 for line in (*one.lines, *two.lines))
    x0, y0, x1, y1 = strips.T
    high, over = y1 - y0 > _HIGH * size, (x0 < right) & (x1 > left)
    return bool((high & over & (y0 > white[0] - _WITHIN * size) & (y1 < white[1] + _WITHIN * size)).any())


def _stand_far_apart(above: Sequence[_TableRow], row: _TableRow, white: tuple[float, float], is_head: bool) -> bool:
    between = max((two.y0 - one.y1 for (_, one), (_, two) in pairwise(above)), default=0.0)
    far = white[1] - white[0] > max(_WIDE * min(above[-1][1].first.size, row[1].first.size), _WIDER * between)
    return far and (is_head or (len(above) >= _FEWEST and not _in_columns(row, above)))


def _in_columns(row: _TableRow, above: Sequence[_TableRow]) -> bool:
    """Its cells begin where those of one of the rows above do."""
    return any(alike(_begins(one), _begins(row)) for one in above)


def _begins(row: _TableRow) -> list[float]:
    shape, paragraph = row
    return begins_of(shape, (paragraph.start, paragraph.boxes))


def _table(text: str, rows: Sequence[_TableRow]) -> list[Shape]:
    if not rows:
        return []
    shapes = [replace(shape, apart=shape.apart and n == 0) for n, (shape, _) in enumerate(rows)]
    if all(shape.header for shape in shapes):
        shapes = [_set(shape, header=False) for shape in shapes]
    first = text[shapes[0].start : shapes[0].end].split()
    again = [text[shape.start : shape.end].split() == first and len(shape.cells) > 1 for shape in shapes]
    shapes = headed(text, shapes)
    if sum(again) > 1:  # it heads the table's next page too
        shapes = [_set(shape, header=True) if same else shape for shape, same in zip(shapes, again, strict=True)]
    return columns_of(shapes, [(paragraph.start, paragraph.boxes) for _, paragraph in rows])


def _set(row: Shape, header: bool) -> Shape:
    return replace(row, header=header, cells=tuple(replace(cell, header=header) for cell in row.cells))
