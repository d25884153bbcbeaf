"""Tables of rows that follow each other: where one ends and the next begins, which rows head them,
and which columns their cells stand in.

A row is not read under another table's header, whether white parts the two (table_begins.py) or
nothing does (touching_tables.py). Where that is not certain, a row is marked as unsure; so it is if
a cell of it stands in no column of its table, and if it stands below the captions of two tables, or
below a numbered caption that heads a table above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from rag_api.domain import BlockKind
from rag_api.ingest.layout.lines import PageRules
from rag_api.ingest.layout.tables.columns import columns_of, in_no_column, reaches_of
from rag_api.ingest.structure.blocks.paragraphs import Paragraph
from rag_api.ingest.structure.blocks.row_edges import RowShape, begins_at, in_columns, is_name
from rag_api.ingest.structure.blocks.table_begins import firsts, is_crossed, is_outside
from rag_api.ingest.structure.blocks.touching_tables import is_set_apart, touching
from rag_api.text.block_shapes import NUMBERED_CAPTION, CellShape, Shape, headed

_BESIDE = 6.0  # points that a caption may stand outside its table
_BELOW_TITLE = 3.0  # line heights of white, at most, between a title in a box and its table
_TOUCH = 1.5  # line heights, at most, above and below a line between two tables that touch


def with_tables(
    text: str, shapes: Sequence[Shape], found: Sequence[Paragraph], rules: Sequence[PageRules]
) -> list[Shape]:
    """Rows with the columns that their cells stand in, and the rows that head them; those marked
    that may stand below another table's header or caption. rules: each page's."""
    whole: list[Shape] = []
    rows: list[RowShape] = []
    # the only line above, and the last row before that, of a table whose header is set as such
    above: tuple[RowShape, ...] = ()
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


def _is_headless(text: str, rows: Sequence[RowShape], above: Sequence[RowShape], rules: Sequence[PageRules]) -> bool:
    """A line stands close below a table whose header is set as such, outside its sides, and close
    above these rows, of which none is: their first one is no header because it has no figures."""
    if not rows or len(above) < 2 or any(shape.header for shape, _ in rows):
        return False
    last, line, first = above[0][1], above[1][1], rows[0][1]
    near = _TOUCH * line.first.size
    touch = last.page == first.page and 0 <= line.y0 - last.y1 < near and 0 <= first.y0 - line.y1 < near
    is_caption = NUMBERED_CAPTION.match(text[line.start : line.end].strip())
    return touch and not is_caption and is_outside([line, first], last, rules[first.page])


def _is_below_both(captions: RowShape, row: RowShape) -> bool:
    """Captions of tables side by side stand above its cells: it is of both tables."""
    ends = reaches_of(captions[0], (captions[1].start, captions[1].boxes))
    begins = begins_at(row)
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


def _tables(text: str, rows: Sequence[RowShape], rules: Sequence[PageRules], headless: bool) -> Iterator[Shape]:
    """The rows, table by table. headless: the first of them heads none."""
    heads = _heads(text, rows)
    begins = {
        id(first)
        for page, own in groupby(rows, key=lambda row: row[1].page)
        for first in firsts(list(own), heads, rules[page])
    }
    table: list[RowShape] = []
    for shape, paragraph in rows:
        over_page = id(paragraph) in heads and paragraph.page != table[-1][1].page
        begun = id(paragraph) in begins or (over_page and not in_columns((shape, paragraph), table))
        if begun or id(paragraph) in heads:
            names = [table.pop()] if _is_named(paragraph, table, rules) else []
            yield from _table(text, table, rules, headless)
            table = [(replace(name, apart=True, begins=begun), its) for name, its in names]
            shape = replace(shape, apart=not names, begins=begun and not names)
        table.append((shape, paragraph))
    yield from _table(text, table, rules, headless)


def _is_named(row: Paragraph, above: Sequence[RowShape], rules: Sequence[PageRules]) -> bool:
    """The line above it is of one cell, and stands outside the sides of the row before, or has a
    row of the same drawn table to itself, or a box close above it: it names what is below it."""
    if not above or len(above[-1][0].cells) != 1 or above[-1][1].page != row.page:
        return False
    name, before, own = above[-1][1], above[:-1], rules[row.page]
    if is_name(above[-1]) and is_crossed(name, row, (name.y1, row.y0), own):
        return True
    if is_name(above[-1]) and not before:
        return 0 <= row.y0 - name.y1 < _BELOW_TITLE * name.first.size
    return bool(before) and before[-1][1].page == name.page and is_outside([name], before[-1][1], own)


def _heads(text: str, rows: Sequence[RowShape]) -> set[int]:
    """The rows, by id, that are set as headers below rows that are not, or that stand on another
    page, and head no further page of the same table."""
    found: set[int] = set()
    first = rows[0][0] if rows else None
    for (above, before), (row, paragraph) in pairwise(rows):
        if (
            first
            and row.header
            and not (above.header and before.page == paragraph.page)
            and text[first.start : first.end].split() != text[row.start : row.end].split()
        ):
            found.add(id(paragraph))
            first = row
    return found


def _table(text: str, rows: Sequence[RowShape], rules: Sequence[PageRules], headless: bool) -> Iterator[Shape]:
    """The rows of a table, or of several that touch."""
    for n, (own, certain) in enumerate(touching(text, rows, rules) if rows else ()):
        shapes = _headed(text, own, rules, headless and not n)
        shapes[0] = replace(shapes[0], apart=shapes[0].apart or n > 0, begins=shapes[0].begins or n > 0)
        yield from shapes if certain else (replace(shape, unsure=True) for shape in shapes)


def _headed(text: str, rows: Sequence[RowShape], rules: Sequence[PageRules], headless: bool) -> list[Shape]:
    shapes = [replace(shape, apart=shape.apart and n == 0) for n, (shape, _) in enumerate(rows)]
    if shapes[-1].header and all(shape.header or is_name(row) for shape, row in zip(shapes, rows, strict=True)):
        shapes = [set_as(shape, header=False) for shape in shapes]
    first = text[shapes[0].start : shapes[0].end].split()
    again = [text[shape.start : shape.end].split() == first and len(shape.cells) > 1 for shape in shapes]
    boxes = [(paragraph.start, paragraph.boxes) for _, paragraph in rows]
    if not headless:
        shapes = headed(text, columns_of(shapes, boxes), is_set_apart(rows, rules))
    if len(shapes) > 1 and shapes[1].header and len(shapes[0].cells) == 1 < len(shapes[1].cells):
        shapes[0] = _over_a_header(text, shapes[0])
    if sum(again) > 1:  # it heads the table's next page too
        shapes = [set_as(shape, header=True) if same else shape for shape, same in zip(shapes, again, strict=True)]
    placed = columns_of(shapes, boxes)
    unsure = {row.start for row in in_no_column(placed, boxes)}
    return [replace(row, unsure=row.unsure or row.start in unsure) for row in placed]


def _over_a_header(text: str, name: Shape) -> Shape:
    """A name alone right above a header is of the header: what parts it from that stands for its
    blank cells."""
    words = name.start + len(text[name.start : name.end].rstrip())
    return set_as(replace(name, cells=(CellShape(name.start, words, 0), CellShape(words, name.end, 1))), header=True)


def set_as(row: Shape, header: bool) -> Shape:
    return replace(row, header=header, cells=tuple(replace(cell, header=header) for cell in row.cells))
