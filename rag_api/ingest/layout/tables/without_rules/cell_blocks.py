"""Blocks of lines that stand close below each other: cells of a table, or paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.lines import Line
from rag_api.text.block_shapes import LABEL

LEVEL_CELLS = 0.3  # line heights between the tops, or the middles, of cells of one row
GUTTER = 3.0  # line heights of white: wider, and it is the next column that a line must reach
_CLOSE = 0.5  # line heights of white between two lines of a cell, at most
_ALIGNED = 2.0  # points between the beginnings of a cell's lines
_SAME_SIZE = 0.12
_PADDING = 0.6  # line heights between a full cell and the next column
_NEAR = 0.12  # of a column's width: how far from its margin the lines of prose end
_LABEL = re.compile(r"\W{1,3}|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]?", re.IGNORECASE)  # alone before its item
_HUNG = 4.0  # line heights of white between such a label and its item


@dataclass(slots=True, eq=False)
class CellPiece:
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
class CellBlock:
    pieces: list[CellPiece]
    x0: float = field(init=False)
    x1: float = field(init=False)

    def __post_init__(self) -> None:
        self.x0, self.x1 = min(one.x0 for one in self.pieces), max(one.x1 for one in self.pieces)

    @property
    def first(self) -> CellPiece:
        return self.pieces[0]

    @property
    def y0(self) -> float:
        return self.pieces[0].y0

    @property
    def y1(self) -> float:
        return self.pieces[-1].y1


def pieces_of_lines(number: int, line: Line) -> Iterator[CellPiece]:
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
        yield CellPiece(number, *reach, line.size, first_word, line.bold, labelled, label, hung)


def without_labels(pieces: Sequence[CellPiece]) -> list[CellPiece]:
    """Labels that stand apart from their items are those items' labels."""
    found: list[CellPiece] = []
    for piece in sorted(pieces, key=lambda one: one.x0):
        if piece.label:
            beside = [one for one in pieces if abs(one.y1 - piece.y1) < LEVEL_CELLS * piece.size and one.x0 > piece.x1]
            item = min(beside, key=lambda one: one.x0, default=None)
            if item is not None and not item.label and item.x0 - piece.x1 < _HUNG * piece.size:
                item.labelled = True
                continue
        found.append(piece)
    return found


def blocks_of(pieces: Sequence[CellPiece]) -> Iterator[CellBlock]:
    """Cells and paragraphs: what stands close below each other, parted where the next line's first
    word would have fitted."""
    boxes = np.array([(one.x0, one.y0, one.x1, one.y1) for one in pieces])
    for run in _runs(pieces, boxes):
        right = _limit(run, boxes)
        begin = 0
        for n, (one, two) in enumerate(pairwise(run), start=1):
            if one.x1 + 0.25 * one.size + two.first_word < right:
                yield CellBlock(run[begin:n])
                begin = n
        yield CellBlock(run[begin:])


def _runs(pieces: Sequence[CellPiece], boxes: NDArray[np.float64]) -> list[list[CellPiece]]:
    runs: list[list[CellPiece]] = []
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


def _goes_below(one: CellPiece, two: CellPiece) -> bool:
    ends = (two.x0 - one.x0, two.x0 - one.hung, two.x1 - one.x1, (two.x0 + two.x1 - one.x0 - one.x1) / 2)
    white = two.y0 - one.y1
    alike = abs(one.size - two.size) < _SAME_SIZE * one.size and one.bold == two.bold and not two.labelled
    return (
        alike
        and -0.6 * one.size < white < _CLOSE * one.size
        and two.y0 > one.y0 + 0.5 * one.size
        and min(map(abs, ends)) < _ALIGNED
    )


def _limit(run: Sequence[CellPiece], boxes: NDArray[np.float64]) -> float:
    """How far the lines of a run may reach: to the margin that several come near, or where the
    white is wide to the next column."""
    ends = sorted((one.x1 for one in run), reverse=True)
    near = _NEAR * (ends[0] - min(one.x0 for one in run))
    margin = next((one for one, two in pairwise(ends) if one - two < near), ends[0])
    beside = boxes[(boxes[:, 0] > ends[0]) & (boxes[:, 1] < run[-1].y1) & (boxes[:, 3] > run[0].y0)]
    size = run[0].size
    after = float(beside[:, 0].min()) if len(beside) else margin
    return after - _PADDING * size if after - margin > GUTTER * size else margin
