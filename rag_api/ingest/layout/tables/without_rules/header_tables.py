"""Tables below a header, by where their words stand: rows without rules, and cells that stand in
the middle of several of them.

The columns are the header's. Rows are what the column of most cells says; the white between two is
clearly wider than between the lines of one. Another column has a cell for each row, or its cells
share out the rows: each stands in the middle between the top of its first row and the foot of its
last. Where that is not so in one way only nothing is known: a dose in the wrong row is worse than
none. A cell at the top of several rows is not looked for: what is blank below it may be meant so. A
line below all others of the last row, though its first word would have fitted on the one above, may
be that cell's or text that follows the table: neither it nor the row is sure.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import pairwise

from rag_api.ingest.layout.tables.without_rules.rows_in_columns import (
    MIDDLE,
    CellLines,
    TableRow,
    cells_down,
    found_rows,
    limit_of,
)
from rag_api.ingest.layout.tables.without_rules.table_parts import PADDING, Part, is_full

_COLUMNS = 3  # of a header, at least
_GAP = 2.0  # points between columns
_ALIGNED = 1.5  # points
_LEADING = 0.3  # line heights of white between two lines of a header's cell, at most
_WIDE = 1.2  # line heights; wider white parts cells that are for several rows
_WHITE = 2.5  # line heights of white in a table, at most
_MOST_NAMES = 60  # pieces of a header; more is a drawing
_PIECES = 1_500  # of a table


Foot = tuple[int, int]  # the numbers of a line, and of the one below it that may be no cell's


def header_tables(
    parts: Sequence[Part], small: Sequence[bool], known: Sequence[Set[int]], closed: Set[int]
) -> tuple[list[TableRow], list[Foot]]:
    """The rows below every header that are not known, or lack a cell, and the lines at their feet
    that may be theirs. parts: in reading order; small: whether each begins with a small letter;
    known: the pieces of each row that is; closed: what stands between rules on all sides, so that
    its table is known where nothing else is in it."""
    found: list[TableRow] = []
    feet: list[Foot] = []
    at = 0
    while at < len(parts):
        header = _with_second(parts, _header(parts, at)) if parts[at].bold else []
        bold = len(header) >= _COLUMNS and all(parts[n].bold for cell in header for n in cell)
        rows, foot = _table(parts, small, header, known) if bold else ([], [])
        if closed >= {n for row in rows for cell in row.cells for n in cell}:
            rows = []
        found += rows
        feet += foot
        at = max((n for row in rows for cell in row.cells for n in cell), default=at) + 1
    return found, feet


def _header(parts: Sequence[Part], at: int) -> list[list[int]]:
    """Cells side by side from this piece on, each of a line or a few."""
    cells = [[at]]
    for n in range(at + 1, min(len(parts), at + _MOST_NAMES)):
        last, part = parts[cells[-1][-1]], parts[n]
        right = max(parts[k].x1 for k in cells[-1])
        top, foot = min(parts[k].y0 for cell in cells for k in cell), max(parts[k].y1 for cell in cells for k in cell)
        if part.x0 > right + _GAP and part.y0 < foot - 0.3 * part.size and part.y1 > top + 0.3 * part.size:
            cells.append([n])
        elif (
            len(cells) > 1
            and part.x0 < right
            and part.x1 > last.x0
            and last.y0 < part.y0 < last.y1 + _LEADING * part.size
        ):
            cells[-1].append(n)
        else:
            break
    return cells


def _with_second(parts: Sequence[Part], header: list[list[int]]) -> list[list[int]]:
    """With the names that a second line has, in place of those that they stand below."""
    after = header[-1][-1] + 1
    if len(header) < 2 or after == len(parts) or not parts[after].bold:
        return header
    second, foot = _header(parts, after), max(parts[n].y1 for cell in header for n in cell)
    names = [n for cell in second for n in cell]
    left, right = min(parts[n].x0 for n in names), max(parts[n].x1 for n in names)
    below = all(
        parts[n].bold and foot - 0.3 * parts[n].size < parts[n].y0 < foot + _WIDE * parts[n].size for n in names
    )
    if len(second) < 2 or not below or left < parts[header[1][0]].x0 - _ALIGNED:
        return header
    before = [cell for cell in header if max(parts[n].x1 for n in cell) < left]
    behind = [cell for cell in header if min(parts[n].x0 for n in cell) > right]
    return [*before, *second, *behind]


def _table(
    parts: Sequence[Part], small: Sequence[bool], header: Sequence[Sequence[int]], known: Sequence[Set[int]]
) -> tuple[list[TableRow], list[Foot]]:
    pieces = _columns(parts, header)
    limit = limit_of(parts, pieces)
    if limit is None:
        return [], []
    columns = _without_ends(parts, [cells_down(parts, own, limit) for own in pieces])
    foot = _foot(parts, small, columns)
    found = found_rows(columns, limit)
    return found if _is_new(found, known) else [], foot if found else []


def _foot(parts: Sequence[Part], small: Sequence[bool], columns: Sequence[Sequence[CellLines]]) -> list[Foot]:
    """The lines of the last row that may be none of its cell's, taken from it."""
    for k, cells in enumerate(columns if len(columns) > 1 and all(columns) else ()):
        others = [cell for j, own in enumerate(columns) if j != k for cell in own]
        after = min((parts[n].x0 for own in columns[k + 1 : k + 2] for cell in own for n in cell.lines), default=None)
        at = min(_begins_foot(parts, small, cells, others, after), _off_the_middle(parts, cells[-1], others))
        lines = cells[-1].lines
        if at < len(lines):
            foot = [*pairwise(lines[at - 1 :])]
            del lines[at:]
            cells[-1].y1 = max(parts[n].y1 for n in lines)
            return foot
    return []


def _begins_foot(
    parts: Sequence[Part],
    small: Sequence[bool],
    cells: Sequence[CellLines],
    others: Sequence[CellLines],
    after: float | None,
) -> int:
    """From which line of a column's last cell on they stand below all other columns, and need not
    go on in the line above. Where other cells of the column have such lines, they are the table's
    manner. after: where the next column begins."""
    lines, size = cells[-1].lines, cells[-1].size
    below = max(cell.y1 for cell in others) - _LEADING * size
    first = next((n for n in range(1, len(lines)) if parts[lines[n]].y0 > below), len(lines))
    right = max(parts[n].x1 for cell in cells for n in cell.lines if n not in lines[first:])
    right = right if after is None else max(right, after - PADDING * size)
    free = {
        two
        for cell in cells
        for one, two in pairwise(cell.lines)
        if not (small[two] or is_full(parts[one], parts[two], right))
    }
    at = next((n for n in range(first, len(lines)) if lines[n] in free), len(lines))
    return at if free <= {*lines[at:]} else len(lines)


def _off_the_middle(parts: Sequence[Part], cell: CellLines, others: Sequence[CellLines]) -> int:
    """From which line on a column's last cell is more than what has its middle where the others of
    its row have theirs."""
    row = [other for other in others if other.y0 < cell.y1 and cell.y0 < other.y1]
    middles, near = [other.middle for other in row], MIDDLE * cell.size
    if not row or max(middles) - min(middles) > near or all(abs(other.y0 - cell.y0) < near for other in row):
        return len(cell.lines)
    feet = [parts[n].y1 for n in cell.lines]
    fits = [abs((cell.y0 + foot) / 2 - middles[0]) < near for foot in feet]
    return len(feet) if fits[-1] else fits.index(True) + 1 if True in fits else len(feet)


def _without_ends(parts: Sequence[Part], columns: list[list[CellLines]]) -> list[list[CellLines]]:
    """The columns without a second header, and without what stands alone below the table."""
    labels, others = columns[0], [cell for cells in columns[1:] for cell in cells]
    while labels and labels[-1].y0 >= max((cell.y1 for cell in others), default=0.0):
        labels = labels[:-1]
    first = min((cell.y0 for cell in labels), default=0.0)
    second = [cell for cell in others if cell.y1 <= first]
    if second and all(parts[n].bold for cell in second for n in cell.lines):
        return [labels, *([cell for cell in cells if cell not in second] for cells in columns[1:])]
    return [labels, *columns[1:]]


def _columns(parts: Sequence[Part], header: Sequence[Sequence[int]]) -> list[list[int]]:
    """The pieces below each cell of a header, as far as every one stands below one of them, and to
    the next header or wide white."""
    reach = [(min(parts[n].x0 for n in cell), max(parts[n].x1 for n in cell)) for cell in header]
    foot = max(parts[n].y1 for cell in header for n in cell)
    top = foot - 0.5 * parts[header[0][0]].size
    placed: list[tuple[int, int]] = []  # piece, column
    for n in range(max(n for cell in header for n in cell) + 1, len(parts)):
        part = parts[n]
        over = [k for k, (a, b) in enumerate(reach) if part.x0 < b + _GAP and a - _GAP < part.x1]
        if len(over) != 1 or part.y0 < top or (over[0] == 0 and _stands_out(part, reach[0])):
            break
        if len(placed) == _PIECES:
            return [[] for _ in header]
        k = over[0]
        reach[k] = min(reach[k][0], part.x0), max(reach[k][1], part.x1)
        placed.append((n, k))
    placed.sort(key=lambda one: parts[one[0]].y0)
    found: list[list[int]] = [[] for _ in header]
    body = False
    for n, k in placed:
        part = parts[n]
        if part.y0 > foot + _WHITE * part.size or (body and k and part.bold):
            break
        body = body or (k > 0 and not part.bold)
        foot = max(foot, part.y1)
        found[k].append(n)
    return found


def _stands_out(part: Part, reach: tuple[float, float]) -> bool:
    """It begins to the left of a column, and not in its middle: a title."""
    return part.x0 < reach[0] - _ALIGNED and abs(part.x0 + part.x1 - sum(reach)) > 2 * _ALIGNED


def _is_new(rows: Sequence[TableRow], known: Sequence[Set[int]]) -> bool:
    """They say more than what is known, and nothing against it: each known row is within one of
    these."""
    wholes = [{n for cell in row.cells for n in cell} for row in rows]
    pieces = set().union(*wholes)
    met = [row for row in known if row & pieces]
    if not all(any(row <= whole for whole in wholes) for row in met):
        return False
    return any(row.shared for row in rows) or bool(pieces - set().union(*met))
