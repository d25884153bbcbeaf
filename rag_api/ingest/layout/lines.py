"""The lines of a page and the rows of its tables: what they are, and which pieces of one line are
one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.common.boxed_text import Marked, no_boxes

CELL_GAP = 1.8  # line heights of white on one line that part two cells
_HANGING = 1.0  # line heights that the second line of a cell may begin to the left of the first
LEVEL = 0.3  # line heights between the middles of what is level
# Of a list; a longer number of two parts may be a value.
_LABEL = re.compile(
    r"(?=.{1,4}$)(?:\W{1,3}|\(?(?:\w|\d{1,3}|[ivx]{1,4})[.)]?|(?:\d{1,2}\.)+\d{0,2})|(?:\d{1,2}\.){2,}\d{0,2}"
)


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    marked: Marked
    x0: float  # reading space
    y0: float
    x1: float
    y1: float
    size: float  # height of its typical character
    first_word: float  # width of its first word
    bold: bool
    symbol: bool  # some of it is set in a symbol font
    aside: bool  # it is turned another way than most of the page
    counts: bool = False  # the number of a line, in the margin
    cell: bool = False  # it is a table's, though no row has it
    loose: bool = False  # it is drawn in no order: it may not be what stands on the page
    drawing: bool = False  # it stands in a chart or an emblem: it heads nothing, and is no table's
    apart: bool = False  # it is another cell than what stands before it, however close
    names: bool = False  # it has a row of a drawn table to itself, and names those below


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A table row: its cells from left to right, each its lines; which of them stand beside other
    rows too. Of one cell: the others are blank."""

    cells: tuple[tuple[Line, ...], ...]
    shared: frozenset[int] = frozenset()

    @property
    def lines(self) -> tuple[Line, ...]:
        return tuple(line for cell in self.cells for line in cell)

    @property
    def y0(self) -> float:
        return min(line.y0 for line in self._own())

    @property
    def y1(self) -> float:
        return max(line.y1 for line in self._own())

    def _own(self) -> tuple[Line, ...]:
        return tuple(line for n, cell in enumerate(self.cells) if n not in self.shared for line in cell) or self.lines


PageItem = Line | Row


class PageRules(NamedTuple):
    """Those drawn on a page, in reading space: [n, 3] from, to, where; and its areas in colour:
    [f, 4], the last painted last, and a number for the colour of each."""

    across: NDArray[np.float32] = np.zeros((0, 3), np.float32)
    down: NDArray[np.float32] = np.zeros((0, 3), np.float32)
    fills: NDArray[np.float32] = np.zeros((0, 4), np.float32)
    colours: NDArray[np.int64] = np.zeros(0, np.int64)


def lines_of_item(item: Line | Row) -> tuple[Line, ...]:
    return item.lines if isinstance(item, Row) else (item,)


def lines_of(cell: list[Line]) -> list[Line]:
    lines: list[Line] = []
    for line in cell:
        if lines and is_beside(lines[-1], line):
            lines[-1] = joined_lines(lines[-1], line)
        else:
            lines.append(line)
    return lines


def is_beside(one: Line, two: Line) -> bool:
    """Two stands on one's line, to the right of it."""
    overlap = min(one.y1, two.y1) - max(one.y0, two.y0)
    return (
        not (one.counts or two.counts)
        and overlap > 0.5 * min(one.y1 - one.y0, two.y1 - two.y0)
        and two.x0 >= one.x1 - 0.3 * one.size
    )


def joined_lines(one: Line, two: Line) -> Line:
    wide = two.x0 - one.x1 > CELL_GAP * min(one.size, two.size)
    before = one.marked.text.strip()
    label = _LABEL.fullmatch(before) and not (two.apart and before.isalnum())
    separator = "\t" if (two.apart or wide) and not label else " "
    parts = [one.marked, Marked(separator, no_boxes(1)), two.marked]
    text = "".join(part.text for part in parts)
    longer = one if len(one.marked.text) >= len(two.marked.text) else two
    return Line(
        Marked(text, np.concatenate([part.boxes for part in parts])),
        min(one.x0, two.x0),
        min(one.y0, two.y0),
        max(one.x1, two.x1),
        max(one.y1, two.y1),
        longer.size,
        one.first_word,
        one.bold and two.bold,
        one.symbol or two.symbol,
        one.aside,
        loose=one.loose or two.loose,
        apart=one.apart,
        names=one.names and two.names,
    )


def stands_below_last_cell(one: Line, two: Line) -> bool:
    """Two begins where the last cell of one, a line of cells, does. Of text that lies on its side
    no cell's place is known: then it does unless it begins where the line does."""
    last, whole = one.marked.boxes[one.marked.text.rindex("\t") + 1 :], one.marked.boxes
    known = abs(float(np.nanmin(whole[:, 0])) - one.x0) < 1 and abs(float(np.nanmax(whole[:, 2])) - one.x1) < 1
    begins = float(np.nanmin(last[:, 0])) - _HANGING * one.size if known else one.x0 + 0.5 * one.first_word
    return two.x0 >= begins


def is_level(one: Line, two: Line) -> bool:
    return abs((one.y0 + one.y1) - (two.y0 + two.y1)) < 2 * LEVEL * min(one.size, two.size)


def usual_size(pages: Iterable[Iterable[Line | Row]]) -> float:
    """The size that most characters have; 0 without any."""
    sizes: dict[float, int] = defaultdict(int)
    for items in pages:
        for item in items:
            for line in lines_of_item(item):
                sizes[round(line.size, 1)] += len(line.marked.text)
    return max(sizes, key=lambda size: sizes[size], default=0.0)
