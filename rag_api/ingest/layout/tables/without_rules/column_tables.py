"""Tables whose columns are drawn downwards, one after another: lines that share their baselines
across the columns are rows.

Pieces that follow each other downwards are a strand. Strands that begin again higher up, beside the
one before, are columns: of a table, of prose, of lists. Rows are told by white that is wider
between them than within (header_tables), or, where each line is a row, by lines that the next word
would still have fitted on. Columns are a table's only where something else says so too: rows that
step unevenly and yet begin level, a header, columns of different kinds. What stands level and is
not sure is shown, not quoted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from rag_api.ingest.layout.lines import LEVEL, Line
from rag_api.ingest.layout.tables.without_rules.rows_in_columns import limit_of, rows_in_columns
from rag_api.ingest.layout.tables.without_rules.strands import Strand, columns_beside, line_of, strands_of
from rag_api.ingest.layout.tables.without_rules.table_parts import is_full
from rag_api.text.block_shapes import LABEL

_CLOSE = 0.5  # line heights of white below a table: it may go on
_PADDING = 0.6  # line heights between a full line and the next column
_FEWEST = 3  # rows
_FEWEST_OF_TWO = 4  # in two columns, to be in doubt
_MOST_PIECES = 1_500
_SHARED = 0.8  # of the lines stand level with a line of another column
_RUNNING = 0.5  # of the lines that go on in the next: prose
_AGREE = 0.75  # of the columns have a block that begins where some begin; by chance it is less
_LEFT_OVER = 0.25  # of a column's width: behind a line of prose
_WIDER = 0.12  # line heights
_UNEVEN = 0.5  # line heights that steps between rows differ by
_MOSTLY, _HARDLY = 0.8, 0.2  # of a column's cells
_ALIGNED = 1.5  # points

CellPieces = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ColumnTable:
    """All its pieces, which follow each other; its rows from the top, each its cells from left to
    right, each its pieces. Without rows it is not sure."""

    pieces: tuple[int, ...]
    rows: tuple[tuple[CellPieces, ...], ...]


def column_tables(lines: Sequence[Line | None], bands: Sequence[object]) -> list[ColumnTable]:
    """Those of a page. lines: its pieces in the order in which they are drawn, None for what cannot
    be a cell's; bands: between which rules across each stands, None for most."""
    found: list[ColumnTable] = []
    strands = list(strands_of(lines))
    at = 0
    while at < len(strands) - 1:
        columns, used = columns_beside(lines, strands[at:])
        table = _Region(lines, columns, bands).table() if len(columns) > 1 else None
        if table is not None:
            found.append(table)
        at += max(1, used - 1)  # a strand may end one table and begin the next
    return found


class _Region:
    """Columns beside each other, which may be a table."""

    def __init__(self, lines: Sequence[Line | None], columns: Sequence[Strand], bands: Sequence[object]) -> None:
        self.columns = sorted(columns, key=lambda column: median(line_of(lines, n).x0 for n in column))
        self.pieces = tuple(sorted(n for column in columns for n in column))
        self.lines = {n: line_of(lines, n) for n in self.pieces}
        self.size = median(line.size for line in self.lines.values())
        after = lines[self.pieces[-1] + 1] if self.pieces[-1] + 1 < len(lines) else None
        before = lines[self.pieces[0] - 1] if self.pieces[0] else None
        self.before, self.after = before, after
        self.bands = {n: bands[n] for n in self.pieces}
        lefts = [min(self.lines[n].x0 for n in column) for column in self.columns]
        ends = [max(self.lines[n].x1 for n in column) for column in self.columns]
        self.rights = [
            max(end, left - _PADDING * self.size) for end, left in zip(ends, lefts[1:], strict=False)
        ] + ends[-1:]
        self.ends = ends

    def table(self) -> ColumnTable | None:
        """The table; None where they are prose, lists, or nothing that can be told."""
        if len(self.pieces) > _MOST_PIECES or self._are_lists():
            return None
        by_rules = self._by_rules()
        rows = by_rules or self._rows()
        if by_rules or (rows and self._is_table(rows) and not self._goes_on()):
            return ColumnTable(self.pieces, tuple(tuple(row) for row in rows))
        return ColumnTable(self.pieces, ()) if self._is_in_doubt(rows) else None

    def _are_lists(self) -> bool:
        """Two columns of items with labels, or more."""
        return sum(map(self._is_list, self.columns)) > 1

    def _is_list(self, column: Strand) -> bool:
        """Every fourth line has a label, or a number that counts on from the one before."""
        first = [self.lines[n].marked.text.split(maxsplit=1)[0] for n in column]
        numbers = [int(word) for word in first if word.isascii() and word.isdigit()]
        counted = sum(two == one + 1 for one, two in pairwise(numbers))
        return (
            max(sum(LABEL.fullmatch(word) is not None for word in first), counted + 1) > len(column) / 4
            and len(column) > 2
        )

    def _by_rules(self) -> list[list[CellPieces]]:
        """The rows between rules across, where all pieces stand between two."""
        bands = sorted({self.bands[n] for n in self.pieces if self.bands[n] is not None})  # type: ignore[type-var]
        if None in self.bands.values() or len(bands) < _FEWEST:
            return []
        cells = [[tuple(n for n in column if self.bands[n] == band) for column in self.columns] for band in bands]
        rows = [[cell for cell in row if cell] for row in cells]
        whole = all(row[0] for row in cells) and all(len(row) > 1 for row in rows)
        return rows if whole and max(map(len, rows)) == len(self.columns) else []

    def _rows(self) -> list[list[CellPieces]]:
        """By the white between them; else each line as one, where no line can be the second of its
        cell."""
        parts = [self.lines.get(n) for n in range(self.pieces[-1] + 1)]
        known: Sequence[Line] = [line if line is not None else self.lines[self.pieces[0]] for line in parts]
        limit = limit_of(known, self.columns)
        if limit is None and self._has_free_column():
            limit = self._least_white() - 0.05
        found = [] if limit is None else rows_in_columns(known, self.columns, limit)
        if any(row.shared for row in found) or sum(len(cell) for row in found for cell in row.cells) != len(
            self.pieces
        ):
            return []
        return [list(row.cells) for row in found]

    def _least_white(self) -> float:
        return min(
            (self.lines[two].y0 - self.lines[one].y1) / self.size
            for column in self.columns
            for one, two in pairwise(column)
        )

    def _has_free_column(self) -> bool:
        """One with a line on every baseline, of which none is so full that it may go on in the
        next."""
        most = max(map(len, self.columns))
        inner = [
            (column, right) for column, right in zip(self.columns, self.rights, strict=True) if len(column) == most
        ]
        return any(not any(self._is_full(one, two, right) for one, two in pairwise(column)) for column, right in inner)

    def _is_full(self, one: int, two: int, right: float) -> bool:
        return is_full(self.lines[one], self.lines[two], right)

    def _is_table(self, rows: Sequence[Sequence[CellPieces]]) -> bool:
        """Rows enough, whole cells, and something that columns of text have not."""
        if len(rows) < _FEWEST or not self._are_whole(rows):
            return False
        header = self._is_header(rows)
        body = rows[header:]
        if not self._are_even_in_weight(body):
            return False
        differ, uneven = self._differ(body), self._steps_unevenly(rows)
        if len(self.columns) == 2:
            return uneven or (header and differ)
        return len(body) >= _FEWEST - header and (header or differ or uneven)

    def _are_whole(self, rows: Sequence[Sequence[CellPieces]]) -> bool:
        """No row but a name lacks the first column's cell; the second line of a cell is there
        because the first was full."""
        first = set(self.columns[0])
        if not all(row[0][0] in first for row in rows):
            return False
        ends = {n: end for column, end in zip(self.columns, self.ends, strict=True) for n in column}
        return all(
            self._is_full(one, two, ends[one]) or self.lines[two].marked.text[0].islower()
            for row in rows
            for cell in row
            for one, two in pairwise(cell)
        )

    def _is_header(self, rows: Sequence[Sequence[CellPieces]]) -> bool:
        head, body = (
            [self.lines[n].bold for row in part for cell in row for n in cell] for part in (rows[:1], rows[1:])
        )
        return all(head) and len(rows[0]) >= len(self.columns) - 1 and not all(body)

    def _are_even_in_weight(self, body: Sequence[Sequence[CellPieces]]) -> bool:
        """No column has a heading of its own below its first cell, beside rows that have none."""
        places = {n: k for k, column in enumerate(self.columns) for n in column}
        for k in range(1, len(self.columns)):
            bold = {self.lines[n].bold for row in body for cell in row for n in cell if places[n] == k and len(row) > 1}
            if len(bold) > 1:
                return False
        return True

    def _differ(self, body: Sequence[Sequence[CellPieces]]) -> bool:
        """Some columns have figures in their cells, are bold, or end even at the right, and others
        do not."""
        places = {n: k for k, column in enumerate(self.columns) for n in column}
        cells: list[list[CellPieces]] = [[] for _ in self.columns]
        for row in body:
            for cell in row:
                cells[places[cell[0]]].append(cell)
        kinds = []
        for own in filter(None, cells):
            figures = sum(any(c.isdigit() for n in cell for c in self.lines[n].marked.text) for cell in own) / len(own)
            bold = sum(self.lines[n].bold for cell in own for n in cell) / sum(map(len, own))
            lefts, rights = [self.lines[cell[0]].x0 for cell in own], [self.lines[cell[0]].x1 for cell in own]
            right = max(rights) - min(rights) < _ALIGNED < max(lefts) - min(lefts)
            kinds.append((figures, bold, float(right)))
        return any(max(one) >= _MOSTLY and min(one) <= _HARDLY for one in zip(*kinds, strict=True))

    def _steps_unevenly(self, rows: Sequence[Sequence[CellPieces]]) -> bool:
        """Two rows and more begin lower than the least step says, in all columns."""
        tops = [min(self.lines[cell[0]].y0 for cell in row) for row in rows]
        steps = [two - one for one, two in pairwise(tops)]
        return sum(step - min(steps) > _UNEVEN * self.size for step in steps) > 1

    def _goes_on(self) -> bool:
        """A line that the table may begin or end with stands close to it, set alike."""
        first, last = self.lines[self.pieces[0]], self.lines[self.pieces[-1]]
        above = self.before is not None and self._are_close(self.before, first)
        return above or (self.after is not None and self._are_close(last, self.after))

    def _are_close(self, one: Line, two: Line) -> bool:
        even = abs(one.x0 - two.x0) < _ALIGNED or abs(one.x1 - two.x1) < _ALIGNED
        return (
            even
            and one.bold == two.bold
            and abs(one.size - two.size) < 0.1 * one.size
            and 0 < two.y0 - one.y0 < (1 + _CLOSE) * one.size
        )

    def _is_in_doubt(self, rows: Sequence[Sequence[CellPieces]]) -> bool:
        """Short lines that stand level with each other, row after row: a table, or lists side by
        side."""
        if len(rows) >= (_FEWEST_OF_TWO if len(self.columns) == 2 else _FEWEST):
            return True
        if max(map(len, self.columns)) < (_FEWEST_OF_TWO if len(self.columns) == 2 else _FEWEST):
            return False
        running = [self._running(column) for column in self.columns]
        if median(running) < _RUNNING and self._shared() >= _SHARED:
            return True
        blocks = [self._blocks(column)[1:] for column in self.columns]
        return self._levels(blocks) >= _FEWEST and sum(map(len, blocks)) >= _AGREE * len(blocks) * self._levels(blocks)

    def _levels(self, blocks: Sequence[Sequence[CellPieces]]) -> int:
        """At how many heights they begin, or have their middles, counted once where columns
        agree."""
        seen: list[CellPieces] = []
        for column in blocks:
            seen += [one for one in column if not any(self._is_level(one, two) for two in seen)]
        return len(seen)

    def _blocks(self, column: Strand) -> list[CellPieces]:
        """Lines that go on in each other: parted by wider white, and where the next word would have
        fitted."""
        whites = [self.lines[two].y0 - self.lines[one].y1 for one, two in pairwise(column)]
        limit = min(whites) + _WIDER * self.size
        right = max(self.lines[n].x1 for n in column)
        goes_on = [
            white <= limit and self._is_full(*two, right) for white, two in zip(whites, pairwise(column), strict=True)
        ]
        begins = [0, *(n for n, on in enumerate(goes_on, start=1) if not on)]
        return [tuple(column[a:b]) for a, b in pairwise([*begins, len(column)])]

    def _is_level(self, one: CellPieces, two: CellPieces) -> bool:
        ends = [(self.lines[cell[0]].y0, self.lines[cell[-1]].y1) for cell in (one, two)]
        (top, foot), (other_top, other_foot) = ends
        near = LEVEL * self.size
        return abs(top - other_top) < near or abs(top + foot - other_top - other_foot) < 2 * near

    def _running(self, column: Strand) -> float:
        runs = self._runs_on(column)
        return sum(runs) / len(runs)

    def _runs_on(self, column: Strand) -> list[bool]:
        """Of all lines but the last, whether it may go on in the next: the next word did not fit,
        and little was left of the width."""
        left, right = min(self.lines[n].x0 for n in column), max(self.lines[n].x1 for n in column)
        return [
            self._is_full(one, two, right) and right - self.lines[one].x1 < _LEFT_OVER * (right - left)
            for one, two in pairwise(column)
        ]

    def _shared(self) -> float:
        """How many of the lines stand level with one of another column."""
        level = 0
        for k, column in enumerate(self.columns):
            others = [self.lines[n] for j, other in enumerate(self.columns) if j != k for n in other]
            for n in column:
                one = self.lines[n]
                level += any(abs(one.y0 + one.y1 - two.y0 - two.y1) < 2 * LEVEL * one.size for two in others)
        return level / len(self.pieces)
