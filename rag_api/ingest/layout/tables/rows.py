"""The pieces of a page, in reading order -> its lines, and the rows of its tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise

import numpy as np

from rag_api.ingest.layout.lines import Line, Row, is_beside, is_level, joined_lines, lines_of
from rag_api.ingest.layout.tables.grid import Band, Cell, Ends, Float, alone, said_again
from rag_api.ingest.layout.tables.row_order import rows_down
from rag_api.ingest.layout.tables.without_rules.aligned_tables import aligned_tables
from rag_api.ingest.layout.tables.without_rules.column_tables import ColumnTable, column_tables
from rag_api.ingest.layout.tables.without_rules.header_tables import header_tables
from rag_api.ingest.layout.tables.without_rules.ruled_headers import RuledTable, ruled_tables
from rag_api.ingest.layout.tables.without_rules.table_parts import is_full
from rag_api.text.block_shapes import label_of

_FEWEST_ROWS = 3  # without rules between them, in place of lines of one
_CLEAR = 0.45  # line heights of white between a heading and the row below it, at least
_PADDING = 0.6  # line heights between a full cell and the next column
_MAX_CELL_LINES = 15  # more is a column of text in a frame, where no other row has its columns


def merged(lines: list[Line], cells: list[Cell | None], boxes: Float, ends: Ends) -> list[Line | Row]:
    """Pieces of one row become a Row where the row's first piece stands; other pieces on one line
    become one Line. boxes: [p, 4]; ends: of tables that go on from the page before."""
    by_columns = _by_columns(lines, cells)
    row_of = _rows_by_columns(lines, by_columns) | _aligned_rows(
        lines, cells, {i for table in by_columns if table.rows for i in table.pieces}
    )
    known = [
        {i for i, row in row_of.items() if row is one} for one in {id(row): row for row in row_of.values()}.values()
    ]
    lefts = [-1 if cell is None else cell.left for cell in cells]
    bands: dict[Band, list[int]] = {}
    for i, cell in enumerate(cells):
        if cell is not None and i not in row_of:
            bands.setdefault(cell.band, []).append(i)
    bands = _whole_headers(bands, lines, lefts)
    again = said_again(bands, cells, boxes, [len(line.marked.text) for line in lines])
    over_rows = {i for several in again.values() for i in several}
    columns = {band: {lefts[i] for i in own} for band, own in bands.items()}
    for band, found in sorted(bands.items()):
        if over_rows.issuperset(found):
            continue
        members, beside = _below_heading(found, lines), sorted(again.get(band, ()), key=lambda i: lines[i].x0)
        row = _row([(lines[i], lefts[i]) for i in members], [(lines[i], lefts[i]) for i in beside])
        one_of_several = band.table in ends or _is_one_of_several(band, columns)
        if row is None or (max(map(len, row.cells)) > _MAX_CELL_LINES and not one_of_several):
            continue
        below = _below_title(members, lines, lefts)
        if len(below) < len(members) and (parted := _row([(lines[i], lefts[i]) for i in below], [])) is not None:
            members, row = below, parted
        for one in _rows_of(row):
            its = [i for i in members if one is row or is_level(lines[i], one.cells[0][0])]
            row_of.update(dict.fromkeys(its, one))
            known.append({*its, *(beside if row.shared else ())})
        row_of |= {i: row for i in beside if row.shared and i not in row_of}
    below_headers, feet = _rows_below_headers(lines, known, cells)
    row_of.update(below_headers)
    lone = alone(bands, cells, boxes, [line.bold for line in lines], ends)
    going_on = {i for i, cell in enumerate(cells) if cell and cell.band.table in ends}
    for own_row in lone.rows:
        words = tuple(lines_of([lines[i] for i in own_row]))
        is_text = len(words) > _MAX_CELL_LINES or any(label_of(line.marked.text) for line in words[1:])
        if not (is_text and going_on.isdisjoint(own_row)) and (over_rows | row_of.keys()).isdisjoint(own_row):
            row_of.update(dict.fromkeys(own_row, Row((words,))))
    ruled = _with_ruled_rows(row_of, lines, ruled_tables(lines, cells))
    items: list[Line | Row] = []
    seen: set[int] = set()
    doubtful = {i for table in by_columns if not table.rows for i in table.pieces} | ((feet | ruled) - row_of.keys())
    before = -1
    for i in _downwards(len(lines), by_columns):
        line = replace(lines[i], names=i in lone.names, cell=i in doubtful)
        own, last = row_of.get(i), before
        before = i
        if own is not None:
            if id(own) not in seen:
                seen.add(id(own))
                items.append(own)
        elif (
            items
            and isinstance(items[-1], Line)
            and last not in row_of
            and last not in doubtful
            and is_beside(items[-1], line)
        ):
            items[-1] = joined_lines(items[-1], line)
        else:
            items.append(line)
    return rows_down(items)


def _by_columns(lines: Sequence[Line], cells: Sequence[Cell | None]) -> list[ColumnTable]:
    """Tables that are drawn column by column, of pieces that no rules close in."""
    free = [
        line if (cell is None or cell.left == -1) and not line.counts else None
        for line, cell in zip(lines, cells, strict=True)
    ]
    return column_tables(free, [None if cell is None else cell.band for cell in cells])


def _rows_by_columns(lines: Sequence[Line], tables: Sequence[ColumnTable]) -> dict[int, Row]:
    found: dict[int, Row] = {}
    for numbers in (row for table in tables for row in table.rows):
        row = Row(tuple(tuple(lines_of([lines[i] for i in cell])) for cell in numbers))
        found.update(dict.fromkeys((i for cell in numbers for i in cell), row))
    return found


def _with_ruled_rows(row_of: dict[int, Row], lines: list[Line], tables: Sequence[RuledTable]) -> set[int]:
    """Rows of tables with level rules alone, of which others know not all, or took several for one;
    the pieces of those that are not sure."""
    doubtful: set[int] = set()
    for table in tables:
        known = {id(row_of[i]) for i in table.pieces & row_of.keys()}
        as_one = any(one in row_of and row_of[one] is row_of.get(two) for one, two in table.anew)
        whole = table.pieces <= row_of.keys() and not (table.by_cells and table.rows)
        if not as_one and (whole or not (table.by_cells or table.rows)):
            continue
        doubtful |= table.pieces
        for i in [i for i, row in row_of.items() if id(row) in known and (table.rows or as_one)]:
            del row_of[i]
        for numbers in table.rows:
            row = Row(tuple(tuple(lines_of([lines[i] for i in cell])) for cell in numbers))
            row_of.update(dict.fromkeys((i for cell in numbers for i in cell), row))
    return doubtful


def _downwards(count: int, tables: Sequence[ColumnTable]) -> Iterator[int]:
    """The order of pieces in which the rows of tables that are drawn column by column follow each
    other."""
    at = 0
    for table in tables:
        if table.rows:
            yield from range(at, table.pieces[0])
            yield from (i for row in table.rows for cell in row for i in cell)
            at = table.pieces[-1] + 1
    yield from range(at, count)


def _whole_headers(bands: dict[Band, list[int]], lines: list[Line], lefts: list[int]) -> dict[Band, list[int]]:
    """A header's cells that are as high as two rows stand in the first of them. lefts: the rule to
    the left of each piece, -1 without."""
    bold = {band for band, members in bands.items() if all(lines[i].bold and lefts[i] != -1 for i in members)}
    into = {}
    for band in bold:
        others = [other for other in bold if other.table == band.table]
        first = min(other.bottom for other in others if other.top == band.top)
        if first < band.bottom and any(other.top == first and other.bottom <= band.bottom for other in others):
            into[band] = band._replace(bottom=first)
    whole: dict[Band, list[int]] = defaultdict(list)
    for band, members in bands.items():
        whole[into.get(band, band)] += members
    return {band: sorted(members) for band, members in whole.items()}


def _below_heading(members: list[int], lines: list[Line]) -> list[int]:
    """Without the headings in larger letters that stand above the rest: the rule above them is
    another one than the row's."""
    for n, (one, two) in enumerate(pairwise(lines[i] for i in members)):
        if one.size <= 1.12 * two.size or any(lines[i].y0 < one.y1 - 0.3 * one.size for i in members[n + 1 :]):
            return members[n:]
    return members


def _below_title(members: list[int], lines: list[Line], lefts: list[int]) -> list[int]:
    """Of a row without rules down: without the lines that stand above the rest, clear of it or set
    in another weight than all of it."""
    for n, i in enumerate(members):
        rest = [lines[k] for k in members[n + 1 :]]
        clear = 0 if len(rest) > 1 and all(line.bold != lines[i].bold for line in rest) else _CLEAR * lines[i].size
        if lefts[i] != -1 or any(line.y0 < lines[i].y1 + clear for line in rest):
            return members[n:]
    return members


def _aligned_rows(lines: list[Line], cells: list[Cell | None], known: Set[int]) -> dict[int, Row]:
    """The rows of tables without rules down, for each of their pieces. known: those that others
    have."""
    free = [
        line if (cell is None or cell.left == -1) and not line.counts and i not in known else None
        for i, (line, cell) in enumerate(zip(lines, cells, strict=True))
    ]
    rows: dict[int, Row] = {}
    for numbers in aligned_tables(free, _begin_small(lines)):
        row = Row(tuple(tuple(lines_of([lines[i] for i in cell])) for cell in numbers))
        rows.update(dict.fromkeys((i for cell in numbers for i in cell), row))
    return rows


def _rows_below_headers(
    lines: list[Line], known: Sequence[Set[int]], cells: Sequence[Cell | None]
) -> tuple[dict[int, Row], set[int]]:
    """The rows of tables that are told by their header, for each of their pieces, and the pieces at
    their feet that may be theirs. known: the pieces of each row that was found by others."""
    closed = {i for i, cell in enumerate(cells) if cell is not None and cell.left != -1}
    tables, feet = header_tables(lines, _begin_small(lines), known, closed)
    rows: dict[int, Row] = {}
    for found in reversed(tables):  # a cell over several stands with the first
        row = Row(tuple(tuple(lines_of([lines[i] for i in cell])) for cell in found.cells), found.shared)
        rows.update(dict.fromkeys((i for cell in found.cells for i in cell), row))
    return rows, _without_rules(feet, cells)


def _without_rules(feet: Sequence[tuple[int, int]], cells: Sequence[Cell | None]) -> set[int]:
    """The pieces at the feet of tables that no rule parts from the row above."""
    own = [(cells[above], cells[foot], foot) for above, foot in feet]
    return {foot for one, two, foot in own if one is None or (two is not None and one.band == two.band)}


def _begin_small(lines: Sequence[Line]) -> list[bool]:
    return [line.marked.text[0].islower() for line in lines]


def _row(members: list[tuple[Line, int]], again: list[tuple[Line, int]]) -> Row | None:
    """The pieces between two horizontal rules as a row of at least two cells; None when they are no
    row. again: what stands beside it and beside other rows."""
    cells = _cells(members)
    beside = _cells(again) if again and cells else []
    shared = {id(cell) for cell in beside}
    cells = sorted([*cells, *beside], key=lambda cell: min(line.x0 for line in cell)) if beside else cells
    if len(cells) < 2:
        return None
    laid = tuple(tuple(lines_of(cell)) for cell in cells)
    spans = frozenset(n for n, cell in enumerate(cells) if id(cell) in shared)
    return Row(laid, spans)


def _is_one_of_several(band: Band, columns: Mapping[Band, Set[int]]) -> bool:
    """Another row of the same drawn table has several of its columns."""
    others = [own for one, own in columns.items() if one != band and one.table == band.table]
    return any(len((own & columns[band]) - {-1}) > 1 for own in others)


def _rows_of(row: Row) -> list[Row]:
    """The rows that stand between two rules without one between them: their cells have as many
    lines, each level with its row's others, and where one of the columns ends its lines the next
    word would have fitted."""
    count = len(row.cells[0])
    if row.shared or count < _FEWEST_ROWS or any(len(cell) != count for cell in row.cells):
        return [row]
    found = [Row(tuple((cell[n],) for cell in row.cells)) for n in range(count)]
    level = all(is_level(line, one.cells[0][0]) for one in found for line in one.lines)
    ends = [min(line.x0 for line in cell) - _PADDING * cell[0].size for cell in row.cells[1:]]
    free = any(
        not any(is_full(*two, end) for two in pairwise(cell)) for cell, end in zip(row.cells[:-1], ends, strict=True)
    )
    return found if level and free else [row]


def _cells(members: list[tuple[Line, int]]) -> list[list[Line]]:
    """From left to right, each its lines; nothing where they are no cells."""
    if any(left == -1 for _, left in members):
        return _cells_without_rules([line for line, _ in members])
    by_left: dict[int, list[Line]] = defaultdict(list)
    for line, left in members:
        by_left[left].append(line)
    return [_from_the_top(by_left[left]) for left in sorted(by_left)]


def _from_the_top(cell: list[Line]) -> list[Line]:
    """Its lines as they stand, where a program draws them in another order; each from the left."""
    if all(two.y0 > one.y0 or is_beside(one, two) for one, two in pairwise(cell)):
        return cell
    rows: list[list[Line]] = []
    for line in sorted(cell, key=lambda line: line.y0 + line.y1):
        if rows and is_level(rows[-1][0], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.x0)]


def _cells_without_rules(lines: list[Line]) -> list[list[Line]]:
    """Between two horizontal rules, cells come one after the other, each to the right of the last.

    Text that goes back to the left is several rows, or not a table: no cells then."""
    cells: list[list[Line]] = []
    right = -np.inf
    for line in lines:
        left = min(other.x0 for other in cells[-1]) if cells else np.inf
        if line.x0 > right + 2:
            # a heading, and a title that stands lower
            if cells and line.y0 > max(other.y1 for cell in cells for other in cell):
                return []
            cells.append([line])
        elif line.x1 >= left and line.y0 >= cells[-1][-1].y0 + 0.5 * line.size:
            cells[-1].append(line)
        else:
            return []
        right = max(other.x1 for other in cells[-1])
    tall = max(line.y1 for line in lines) - min(line.y0 for line in lines) > 12 * max(line.size for line in lines)
    return [] if tall else cells
