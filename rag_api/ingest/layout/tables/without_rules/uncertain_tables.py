"""Tables of which nobody knows the rows: cells side by side that no rule and no agreed column tells
apart, read as if each were text.

Lines close below each other are a block: a cell, or a paragraph. Blocks of a table begin level with
the one beside them, or have their middles there, row after row; columns of prose do so only by
chance, and cards bear a heading each. A row that is read as it stands, each of its cells on one
line but the last, is certain all the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.lines import Line, Row
from rag_api.text.block_shapes import LABEL

_LEVEL = 0.3  # line heights between the tops, or the middles, of cells of one row
_CLOSE = 0.5  # line heights of white between two lines of a cell, at most
_ALIGNED = 2.0  # points between the beginnings of a cell's lines
_SAME_SIZE = 0.12
_GUTTER = 3.0  # line heights of white: wider, and it is the next column that a line must reach
_PADDING = 0.6  # line heights between a full cell and the next column
_NEAR = 0.12  # of a column's width: how far from its margin the lines of prose end
_WIDEST = 0.5  # of the text's width: what is wider and has several lines is running text
_LONGEST = 15  # lines of a cell; more is a column of text
_ROWS = 2  # at least
_PAIRS = 6  # of blocks that agree, at least
_COLUMNS = 3  # in half of them, at least
_AGREE = 0.65  # of the blocks that stand beside each other
_MOST = 1_000  # pieces of a page; more is a drawing
_LABEL = re.compile(r"\W{1,3}|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]?", re.IGNORECASE)  # alone before its item
_HUNG = 4.0  # line heights of white between such a label and its item


@dataclass(slots=True, eq=False)
class _Piece:
    """What stands between two tabs of a line; item: its line's number."""

    item: int
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    first_word: float
    bold: bool
    labelled: bool
    label: bool  # it is nothing but one
    hung: float  # where its second word begins


@dataclass(slots=True, eq=False)
class _Block:
    pieces: list[_Piece]
    x0: float = field(init=False)
    x1: float = field(init=False)

    def __post_init__(self) -> None:
        self.x0, self.x1 = min(one.x0 for one in self.pieces), max(one.x1 for one in self.pieces)

    @property
    def first(self) -> _Piece:
        return self.pieces[0]

    @property
    def y0(self) -> float:
        return self.pieces[0].y0

    @property
    def y1(self) -> float:
        return self.pieces[-1].y1


def uncertain_rows(items: Sequence[Line | Row]) -> list[Line]:
    """The lines of rows that are not certain. items: of a page, in the order in which they are
    read."""
    pieces = [piece for n, item in enumerate(items) if isinstance(item, Line) for piece in _pieces(n, item)]
    if not _may_be_tables(pieces) or len(pieces) > _MOST:
        return []
    pieces = _without_labels(pieces)
    width = max(one.x1 for one in pieces) - min(one.x0 for one in pieces)
    blocks = [block for block in _blocks(pieces) if len(block.pieces) == 1 or block.x1 - block.x0 < _WIDEST * width]
    blocks = [block for block in blocks if len(block.pieces) <= _LONGEST]
    found: set[int] = set()
    for table in _tables(blocks):
        lines: dict[int, Cells] = defaultdict(list)
        for block in _inside(table, blocks):
            lines[block.first.item].append(block)
        found |= {
            piece.item for row in lines.values() if not _is_read_whole(row) for block in row for piece in block.pieces
        }
    return [item for n, item in enumerate(items) if n in found and isinstance(item, Line)]


def _pieces(number: int, line: Line) -> Iterator[_Piece]:
    at = 0
    parts = [] if line.aside or line.counts else line.marked.text.split("\t")
    for n, text in enumerate(parts):
        boxes = line.marked.boxes[at : at + len(text)]
        at += len(text) + 1
        if not (words := text.split(maxsplit=1)):
            continue
        reach = (line.x0, line.y0, line.x1, line.y1)
        first_word = line.first_word
        if len(parts) > 1:
            seen = boxes[~np.isnan(boxes[:, 0])]
            low, high = seen[:, :2].min(axis=0).tolist(), seen[:, 2:].max(axis=0).tolist()
            reach = (*low, *high)
            first_word = float(boxes[len(words[0]) - 1, 2] - boxes[0, 0]) if n else first_word
        hung = float(boxes[len(words[0]) + 1, 0]) if len(boxes) > len(words[0]) + 1 else reach[2]
        labelled, label = LABEL.fullmatch(words[0]) is not None, _LABEL.fullmatch(text.strip()) is not None
        yield _Piece(number, *reach, line.size, first_word, line.bold, labelled, label, hung)


def _may_be_tables(pieces: Sequence[_Piece]) -> bool:
    """There are lines of three pieces."""
    tops = sorted((piece.y0, piece.size) for piece in pieces)
    wide = sum(three[0] - one[0] < _LEVEL * one[1] for one, three in zip(tops, tops[2:], strict=False))
    return wide >= _ROWS


def _without_labels(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Labels that stand apart from their items are those items' labels."""
    found: list[_Piece] = []
    for piece in sorted(pieces, key=lambda one: one.x0):
        if piece.label:
            beside = [one for one in pieces if abs(one.y1 - piece.y1) < _LEVEL * piece.size and one.x0 > piece.x1]
            item = min(beside, key=lambda one: one.x0, default=None)
            if item is not None and not item.label and item.x0 - piece.x1 < _HUNG * piece.size:
                item.labelled = True
                continue
        found.append(piece)
    return found


def _blocks(pieces: Sequence[_Piece]) -> Iterator[_Block]:
    """Cells and paragraphs: what stands close below each other, parted where the next line's first
    word would have fitted."""
    boxes = np.array([(one.x0, one.y0, one.x1, one.y1) for one in pieces])
    for run in _runs(pieces, boxes):
        right = _limit(run, boxes)
        begin = 0
        for n, (one, two) in enumerate(pairwise(run), start=1):
            if one.x1 + 0.25 * one.size + two.first_word < right:
                yield _Block(run[begin:n])
                begin = n
        yield _Block(run[begin:])


def _runs(pieces: Sequence[_Piece], boxes: NDArray[np.float64]) -> list[list[_Piece]]:
    runs: list[list[_Piece]] = []
    for n in np.argsort(boxes[:, 1], kind="stable").tolist():
        piece = pieces[n]
        above = next((run for run in reversed(runs[-60:]) if _goes_below(run[-1], piece)), None)
        if above is None:
            runs.append([piece])
        else:
            above[0].labelled |= (
                len(above) == 1 and piece.x0 > above[0].x0 + _ALIGNED and abs(piece.x0 - above[0].hung) < _ALIGNED
            )
            above.append(piece)
    return runs


def _goes_below(one: _Piece, two: _Piece) -> bool:
    ends = (two.x0 - one.x0, two.x0 - one.hung, two.x1 - one.x1, (two.x0 + two.x1 - one.x0 - one.x1) / 2)
    white = two.y0 - one.y1
    alike = abs(one.size - two.size) < _SAME_SIZE * one.size and one.bold == two.bold and not two.labelled
    return (
        alike
        and -0.6 * one.size < white < _CLOSE * one.size
        and two.y0 > one.y0 + 0.5 * one.size
        and min(map(abs, ends)) < _ALIGNED
    )


def _limit(run: Sequence[_Piece], boxes: NDArray[np.float64]) -> float:
    """How far the lines of a run may reach: to the margin that several come near, or where the
    white is wide to the next column."""
    ends = sorted((one.x1 for one in run), reverse=True)
    near = _NEAR * (ends[0] - min(one.x0 for one in run))
    margin = next((one for one, two in pairwise(ends) if one - two < near), ends[0])
    beside = boxes[(boxes[:, 0] > ends[0]) & (boxes[:, 1] < run[-1].y1) & (boxes[:, 3] > run[0].y0)]
    size = run[0].size
    after = float(beside[:, 0].min()) if len(beside) else margin
    return after - _PADDING * size if after - margin > _GUTTER * size else margin


@dataclass(slots=True, eq=False)
class _Pairs:
    """Of blocks by their numbers, which stand beside each other with nothing between; and which of
    them agree."""

    all: list[tuple[int, int]]
    agree: list[tuple[int, int]]


def _pairs(blocks: Sequence[_Block]) -> _Pairs:
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
            near = _LEVEL * min(one.first.size, two.first.size)
            if not _alike(one, two) and min(abs(one.y0 - two.y0), abs(one.y0 + one.y1 - two.y0 - two.y1) / 2) < near:
                found.agree.append((n, k))
    return found


def _alike(one: _Block, two: _Block) -> bool:
    """Two headings, or two items of lists."""
    return (one.first.bold and two.first.bold) or (one.first.labelled and two.first.labelled)


Cells = list[_Block]


def _tables(blocks: Sequence[_Block]) -> Iterator[list[Cells]]:
    """The rows of each table, from left to right."""
    pairs = _pairs(blocks) if len(blocks) > _ROWS else _Pairs([], [])
    if len(pairs.agree) < _PAIRS:
        return
    chains: list[list[Cells]] = []
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


def _joined(blocks: Sequence[_Block], agree: Iterable[tuple[int, int]]) -> list[Cells]:
    root = list(range(len(blocks)))

    def top(n: int) -> int:
        while root[n] != n:
            n = root[n]
        return n

    agreed = list(agree)
    for one, two in agreed:
        root[top(one)] = top(two)
    rows: dict[int, Cells] = defaultdict(list)
    for n in sorted({n for pair in agreed for n in pair}, key=lambda n: blocks[n].x0):
        rows[top(n)].append(blocks[n])
    return list(rows.values())


def _follows(chain: Sequence[Cells], row: Cells) -> bool:
    last = chain[-1]
    white = min(cell.y0 for cell in row) - max(cell.y1 for cell in last)
    size = row[0].first.size
    shared = sum(any(cell.x0 < other.x1 and other.x0 < cell.x1 for other in last) for cell in row)
    return -size < white < _GUTTER * size and shared >= 2


def _in_columns(rows: Sequence[Cells]) -> list[Cells]:
    """The rows without what stands in a column of its own, such as prose beside a table."""
    cells = sorted(((cell, n) for n, row in enumerate(rows) for cell in row), key=lambda one: one[0].x0)
    columns: list[list[tuple[_Block, int]]] = []
    right = -np.inf
    for cell, n in cells:
        if cell.x0 >= right:
            columns.append([])
        columns[-1].append((cell, n))
        right = max(right, cell.x1)
    kept = {id(cell) for column in columns if 2 * len({n for _, n in column}) >= len(rows) for cell, _ in column}
    whole = ([cell for cell in row if id(cell) in kept] for row in rows)
    return [row for row in whole if len(row) > 1]


def _is_sure(rows: Sequence[Cells], own: set[int], blocks: Sequence[_Block], pairs: _Pairs) -> bool:
    """Its blocks agree with those beside them, also after cells of several lines, in three columns:
    two may be lists."""
    numbers = {id(block): n for n, block in enumerate(blocks)}
    inside = {numbers[id(block)] for block in _inside(rows, blocks)}
    near = [pair for pair in pairs.all if set(pair) <= inside]
    agree = sum(set(pair) <= own for pair in pairs.agree)
    wrapped = any(len(cell.pieces) > 1 for row in rows for cell in row)
    columns = sum(len(row) >= _COLUMNS for row in rows)
    return agree >= max(_PAIRS, _AGREE * len(near)) and wrapped and 2 * columns >= len(rows)


def _inside(rows: Sequence[Cells], blocks: Sequence[_Block]) -> list[_Block]:
    x0, x1 = min(row[0].x0 for row in rows), max(cell.x1 for row in rows for cell in row)
    y0, y1 = min(cell.y0 for cell in rows[0]), max(cell.y1 for row in rows for cell in row)
    return [one for one in blocks if x0 - 1 < one.x0 and one.x1 < x1 + 1 and y0 < (one.y0 + one.y1) / 2 < y1]


def _is_read_whole(row: Cells) -> bool:
    """Of cells on one line: the last one alone goes on, or they are rows of one line each."""
    if len(row) < 2:
        return False
    if len({len(cell.pieces) for cell in row}) == 1:
        return all(
            len({piece.item for piece in line}) == 1 for line in zip(*(cell.pieces for cell in row), strict=True)
        )
    return all(len(cell.pieces) == 1 for cell in sorted(row, key=lambda cell: cell.x0)[:-1])
