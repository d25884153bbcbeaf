"""Tables that touch: where the second begins within rows that nothing parts.

It begins where its columns are others than those above, and with a row that is set apart as the
first one is: by a colour, or by rules. A row that only reads like a header begins it where it alone
begins each cell with a capital, as the first row does.

Where rows may be below another table's header, and nobody knows, they are told as not certain: a
row like a header amid rows that begin with capitals too; and rows that a grid parts into fewer or
more cells than those above, from here to the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from rag_api.ingest.layout.lines import PageRules
from rag_api.ingest.layout.tables.columns import columns_of, reaches_of
from rag_api.ingest.structure.blocks.row_edges import (
    RowShape,
    between,
    colour_behind,
    is_ruled,
    lack,
    sides_of,
)
from rag_api.text.block_shapes import Shape, headed

_FEWEST = 2  # rows of a table, its header among them
_FURTHEST = 30  # rows that are looked at below a row
_SAME_PLACE = 2.0  # points between the edges of cells of one column
_ELSEWHERE = 1.0  # line heights between the edges of another table's columns, at least


def touching(text: str, rows: Sequence[RowShape], rules: Sequence[PageRules]) -> Iterator[tuple[list[RowShape], bool]]:
    """The tables that rows are of which nothing parts, and whether each one's rows are certainly
    below no other's header."""
    rows_ = _Rows(text, rows, rules)
    first, certain = 0, True
    for n in range(_FEWEST, len(rows) - _FEWEST + 1):
        if n - first >= _FEWEST and (begins := rows_.begins(first, n)) is not None:
            yield list(rows[first:n]), certain
            first, certain = n, begins
    yield list(rows[first:]), certain


def is_set_apart(rows: Sequence[RowShape], rules: Sequence[PageRules]) -> bool:
    """The first row is ruled off, or in a colour of its own."""
    own = [paragraph for _, paragraph in rows if paragraph.page == rows[0][1].page]
    ruled = [is_ruled(one, two, rules[one.page]) for one, two in pairwise(own)]
    return (len(ruled) > 1 and ruled[0] and not any(ruled[1:])) or _is_coloured_apart(
        [colour_behind(one, rules[one.page]) for one in own]
    )


def _is_coloured_apart(colours: Sequence[int]) -> bool:
    """In a colour that the others do not have, which have none or take turns in two."""
    first, others = colours[0], colours[1:]
    if first < 0 or first in others or not others:
        return False
    turns = len(others) > 2 and all(one == two for one, two in zip(others, others[2:], strict=False))
    return turns or all(one < 0 for one in others)


class _Rows:
    def __init__(self, text: str, rows: Sequence[RowShape], rules: Sequence[PageRules]) -> None:
        self.text, self.rows, self.rules = text, rows, rules
        boxes = [(paragraph.start, paragraph.boxes) for _, paragraph in rows]
        self.shapes = columns_of([shape for shape, _ in rows], boxes)
        self.words = [[text[cell.start : cell.end].strip(" \t|\n") for cell in shape.cells] for shape in self.shapes]
        self.counts = [len("\t".join(words).split("\t")) for words in self.words]  # a cell may hold several
        self.edges = [_edges(shape, at) for shape, at in zip(self.shapes, boxes, strict=True)]
        pages = [rules[paragraph.page] for _, paragraph in rows]
        self.sides = [between(sides_of(one, page), one) for (_, one), page in zip(rows, pages, strict=True)]
        self.colours = [colour_behind(one, page) for (_, one), page in zip(rows, pages, strict=True)]
        self.ruled = [
            one.page == two.page and is_ruled(one, two, rules[one.page]) for (_, one), (_, two) in pairwise(rows)
        ]

    def begins(self, first: int, n: int) -> bool | None:
        """Whether another table begins with this row; None: none does, False: it may. A header that
        comes again heads the same table."""
        if " ".join(self.words[n]).split() == " ".join(self.words[first]).split():
            return None
        reads_so = self._reads_like_a_header(n)
        if self._has_other_columns(first, n) or self._is_coloured_as(first, n):
            return True
        if self._has_other_cells(first, n):
            return reads_so
        if reads_so and (self._is_ruled_as(first, n) or self._begins_alone_with_capitals(first, n)):
            return True
        return False if reads_so and self._is_named_as(first, n) else None

    def _heads(self, n: int, apart: bool) -> bool:
        below = list(self.shapes[n : n + _FURTHEST])
        return len(below[0].cells) > 1 and headed(self.text, below, apart)[0].header

    def _reads_like_a_header(self, n: int) -> bool:
        """It has names, each another one, in place of figures that stand below."""
        words = self.words[n]
        if any(map(_has_figures, words)) or len({*words}) < len(words):
            return False
        columns = zip(*self.words[n + 1 : n + 1 + _FEWEST], strict=False)
        return self._heads(n, apart=False) and any(all(map(_has_figures, column)) for column in columns)

    def _is_coloured_as(self, first: int, n: int) -> bool:
        """In the colour of the first row, which the rows between and those below do not have."""
        own = self.colours[first]
        if own < 0 or self.colours[n] != own or own in self.colours[first + 1 : n]:
            return False
        return own != self.colours[n + 1] and own not in self.colours[n + 1 : 2 * n - first] and self._heads(n, True)

    def _is_ruled_as(self, first: int, n: int) -> bool:
        """Rules are above it and below it, as below the first row, and none between the others."""
        inner = self.ruled[first + 1 : n - 1] + self.ruled[n + 1 : 2 * n - first]
        return self.ruled[first] and self.ruled[n - 1] and self.ruled[n] and bool(inner) and not any(inner)

    def _is_named_as(self, first: int, n: int) -> bool:
        """It has as many cells as the first row, whose names begin as its names do."""
        own, above = ([cell[:1].isupper() for cell in self.words[at]] for at in (n, first))
        return own == above and not any(map(_has_figures, self.words[first]))

    def _begins_alone_with_capitals(self, first: int, n: int) -> bool:
        """As the first row, and no other near it begins with one."""
        if not all(cell[:1].isupper() for at in (first, n) for cell in self.words[at]):
            return False
        others = [self.words[at] for at in (*range(first + 1, n), *range(n + 1, min(len(self.words), n + _FURTHEST)))]
        named = [words[0][:1] for words in others if words and words[0][:1].isalpha()]
        return bool(named) and not any(map(str.isupper, named))

    def _has_other_cells(self, first: int, n: int) -> bool:
        """The sides between the cells, or where none are drawn the count of cells, are the same in
        all rows above, and others in all rows from here on."""
        if self.counts[n] == self.counts[n - 1]:
            return False
        above, below = self.sides[first:n], self.sides[n:]
        if not len(above[0]) or not len(below[0]):
            counts = [{*own} for own in (self.counts[first:n], self.counts[n:])]
            return (
                n < len(self.words) - _FEWEST
                and all(len(own) == 1 and min(own) > 1 for own in counts)
                and counts[0] != counts[1]
            )
        return _differ(above[0], below[0]) and not any(
            _differ(one, rows[0]) for rows in (above, below) for one in rows[1:]
        )

    def _has_other_columns(self, first: int, n: int) -> bool:
        """No sides are drawn, and a cell of this row and of those below stands by one of its edges
        where no cell above stands by its own."""
        own = self.edges[n : n + _FEWEST + 1]
        if any(len(one) for one in self.sides[first : n + _FEWEST]) or any(len(one) != len(own[0]) for one in own):
            return False
        above = np.concatenate(self.edges[first:n])
        far = _ELSEWHERE * self.rows[n][1].first.size
        for cells in np.stack(own, axis=1) if len(own[0]) > 1 else ():
            level = np.ptp(cells, axis=0) < _SAME_PLACE  # by which edges they stand below each other
            if level.any() and (np.abs(above - cells[0])[:, level] > far).all():
                return True
        return False


def _has_figures(cell: str) -> bool:
    return any(c.isdigit() for c in cell)


def _edges(row: Shape, boxes: tuple[int, np.ndarray]) -> np.ndarray:
    """[cells, 3] where each begins, has its middle, and ends."""
    found = [(a, (a + b) / 2, b) for a, b in reaches_of(row, boxes)]
    return np.array(found, np.float64).reshape(-1, 3)


def _differ(one: np.ndarray, two: np.ndarray) -> bool:
    return lack(one, two) or lack(two, one)
