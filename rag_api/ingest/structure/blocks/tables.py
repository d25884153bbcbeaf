"""Rows that follow each other -> tables: which rows head them, and which columns their cells stand in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag_api.domain import BlockKind
from rag_api.ingest.layout.tables.columns import columns_of
from rag_api.ingest.structure.blocks.paragraphs import Paragraph
from rag_api.text.block_shapes import Shape, headed

_Rows = Sequence[tuple[Shape, Paragraph]]


def with_tables(text: str, shapes: Sequence[Shape], found: Sequence[Paragraph]) -> list[Shape]:
    """Rows with the columns that their cells stand in, and the rows that head them."""
    whole: list[Shape] = []
    table: list[tuple[Shape, Paragraph]] = []
    for shape, paragraph in zip(shapes, found, strict=True):
        if shape.kind == BlockKind.ROW:
            if _begins_another(text, shape, table):
                whole += _table(text, table)
                table = []
                shape = replace(shape, apart=True)
            table.append((shape, paragraph))
            continue
        if not shape.aside:
            whole += _table(text, table)
            table = []
        whole.append(shape)
    return sorted([*whole, *_table(text, table)], key=lambda shape: shape.start)


def _begins_another(text: str, row: Shape, table: _Rows) -> bool:
    """It is set as a header, below rows that are not, and heads no further page of the same table."""
    if not table or not row.header or table[-1][0].header:
        return False
    first = table[0][0]
    return text[first.start : first.end].split() != text[row.start : row.end].split()


def _table(text: str, rows: _Rows) -> list[Shape]:
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
