"""Tables of which nobody knows the rows: cells side by side that no rule and no agreed column tells
apart, read as if each were text.

Lines close below each other are a block: a cell, or a paragraph. Blocks of a table begin level with
the one beside them, or have their middles there, row after row; columns of prose do so only by
chance, and cards bear a heading each. A row that is read as it stands, each of its cells on one
line but the last, is certain all the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rag_api.ingest.layout.lines import Line, Row
from rag_api.ingest.layout.tables.without_rules.cell_blocks import (
    GUTTER,
    LEVEL_CELLS,
    CellBlock,
    CellPiece,
    blocks_of,
    pieces_of_lines,
    without_labels,
)

_WIDEST = 0.5  # of the text's width: what is wider and has several lines is running text
_LONGEST = 15  # lines of a cell; more is a column of text
_ROWS = 2  # at least
_PAIRS = 6  # of blocks that agree, at least
_COLUMNS = 3  # in half of them, at least
_AGREE = 0.65  # of the blocks that stand beside each other
_MOST = 1_000  # pieces of a page; more is a drawing


def uncertain_rows(items: Sequence[Line | Row]) -> list[Line]:
    """The lines of rows that are not certain. items: of a page, in the order in which they are
    read."""
    pieces = [piece for n, item in enumerate(items) if isinstance(item, Line) for piece in pieces_of_lines(n, item)]
    if not _may_be_tables(pieces) or len(pieces) > _MOST:
        return []
    pieces = without_labels(pieces)
    width = max(one.x1 for one in pieces) - min(one.x0 for one in pieces)
    blocks = [block for block in blocks_of(pieces) if len(block.pieces) == 1 or block.x1 - block.x0 < _WIDEST * width]
    blocks = [block for block in blocks if len(block.pieces) <= _LONGEST]
    found: set[int] = set()
    for table in _tables(blocks):
        lines: dict[int, CellBlocks] = defaultdict(list)
        for block in _inside(table, blocks):
            lines[block.first.item].append(block)
        found |= {
            piece.item for row in lines.values() if not _is_read_whole(row) for block in row for piece in block.pieces
        }
    return [item for n, item in enumerate(items) if n in found and isinstance(item, Line)]


def _may_be_tables(pieces: Sequence[CellPiece]) -> bool:
    """There are lines of three pieces."""
    tops = sorted((piece.y0, piece.size) for piece in pieces)
    wide = sum(three[0] - one[0] < LEVEL_CELLS * one[1] for one, three in zip(tops, tops[2:], strict=False))
    return wide >= _ROWS


@dataclass(slots=True, eq=False)
class _Pairs:
    """Of blocks by their numbers, which stand beside each other with nothing between; and which of
    them agree."""

    all: list[tuple[int, int]]
    agree: list[tuple[int, int]]


def _pairs(blocks: Sequence[CellBlock]) -> _Pairs:
    boxes = np.array([(one.x0, one.y0, one.x1, one.y1) for one in blocks])
    found = _Pairs([], [])
    for n, one in enumerate(blocks):
        level = (np.minimum(boxes[:, 3], one.y1) - np.maximum(boxes[:, 1], one.y0)) > 0.5 * one.first.size
        right = np.flatnonzero(level & (boxes[:, 0] > one.x1))
        for k in right[np.argsort(boxes[right, 0])].tolist():
            two = blocks[k]
            between = right[boxes[right, 2] < two.x0]
            if (np.minimum(boxes[between, 3], two.y1) > np.maximum(boxes[between, 1], two.y0)).any():
                continue
            found.all.append((n, k))
            near = LEVEL_CELLS * min(one.first.size, two.first.size)
            if not _alike(one, two) and min(abs(one.y0 - two.y0), abs(one.y0 + one.y1 - two.y0 - two.y1) / 2) < near:
                found.agree.append((n, k))
    return found


def _alike(one: CellBlock, two: CellBlock) -> bool:
    """Two headings, or two items of lists."""
    return (one.first.bold and two.first.bold) or (one.first.labelled and two.first.labelled)


CellBlocks = list[CellBlock]


def _tables(blocks: Sequence[CellBlock]) -> Iterator[list[CellBlocks]]:
    """The rows of each table, from left to right."""
    pairs = _pairs(blocks) if len(blocks) > _ROWS else _Pairs([], [])
    if len(pairs.agree) < _PAIRS:
        return
    chains: list[list[CellBlocks]] = []
    for row in sorted(_joined(blocks, pairs.agree), key=lambda row: min(cell.y0 for cell in row)):
        above = next((chain for chain in reversed(chains) if _follows(chain, row)), None)
        if above is None:
            chains.append([row])
        else:
            above.append(row)
    numbers = {id(block): n for n, block in enumerate(blocks)}
    for chain in chains:
        rows = _in_columns(chain)
        own = {numbers[id(cell)] for row in rows for cell in row}
        if len(rows) >= _ROWS and _is_sure(rows, own, blocks, pairs):
            yield rows


def _joined(blocks: Sequence[CellBlock], agree: Iterable[tuple[int, int]]) -> list[CellBlocks]:
    root = list(range(len(blocks)))

    def top(n: int) -> int:
        while root[n] != n:
            n = root[n]
        return n

    agreed = list(agree)
    for one, two in agreed:
        root[top(one)] = top(two)
    rows: dict[int, CellBlocks] = defaultdict(list)
    for n in sorted({n for pair in agreed for n in pair}, key=lambda n: blocks[n].x0):
        rows[top(n)].append(blocks[n])
    return list(rows.values())


def _follows(chain: Sequence[CellBlocks], row: CellBlocks) -> bool:
    last = chain[-1]
    white = min(cell.y0 for cell in row) - max(cell.y1 for cell in last)
    size = row[0].first.size
    shared = sum(any(cell.x0 < other.x1 and other.x0 < cell.x1 for other in last) for cell in row)
    return -size < white < GUTTER * size and shared >= 2


def _in_columns(rows: Sequence[CellBlocks]) -> list[CellBlocks]:
    """The rows without what stands in a column of its own, such as prose beside a table."""
    cells = sorted(((cell, n) for n, row in enumerate(rows) for cell in row), key=lambda one: one[0].x0)
    columns: list[list[tuple[CellBlock, int]]] = []
    right = -np.inf
    for cell, n in cells:
        if cell.x0 >= right:
            columns.append([])
        columns[-1].append((cell, n))
        right = max(right, cell.x1)
    kept = {id(cell) for column in columns if 2 * len({n for _, n in column}) >= len(rows) for cell, _ in column}
    whole = ([cell for cell in row if id(cell) in kept] for row in rows)
    return [row for row in whole if len(row) > 1]


def _is_sure(rows: Sequence[CellBlocks], own: set[int], blocks: Sequence[CellBlock], pairs: _Pairs) -> bool:
    """Its blocks agree with those beside them, also after cells of several lines, in three columns:
    two may be lists."""
    numbers = {id(block): n for n, block in enumerate(blocks)}
    inside = {numbers[id(block)] for block in _inside(rows, blocks)}
    near = [pair for pair in pairs.all if set(pair) <= inside]
    agree = sum(set(pair) <= own for pair in pairs.agree)
    wrapped = any(len(cell.pieces) > 1 for row in rows for cell in row)
    columns = sum(len(row) >= _COLUMNS for row in rows)
    return agree >= max(_PAIRS, _AGREE * len(near)) and wrapped and 2 * columns >= len(rows)


def _inside(rows: Sequence[CellBlocks], blocks: Sequence[CellBlock]) -> list[CellBlock]:
    x0, x1 = min(row[0].x0 for row in rows), max(cell.x1 for row in rows for cell in row)
    y0, y1 = min(cell.y0 for cell in rows[0]), max(cell.y1 for row in rows for cell in row)
    return [one for one in blocks if x0 - 1 < one.x0 and one.x1 < x1 + 1 and y0 < (one.y0 + one.y1) / 2 < y1]


def _is_read_whole(row: CellBlocks) -> bool:
    """Of cells on one line: the last one alone goes on, or they are rows of one line each."""
    if len(row) < 2:
        return False
    if len({len(cell.pieces) for cell in row}) == 1:
        return all(
            len({piece.item for piece in line}) == 1 for line in zip(*(cell.pieces for cell in row), strict=True)
        )
    return all(len(cell.pieces) == 1 for cell in sorted(row, key=lambda cell: cell.x0)[:-1])
