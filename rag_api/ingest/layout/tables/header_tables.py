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
from dataclasses import dataclass
from itertools import pairwise

from rag_api.ingest.layout.tables.aligned_tables import PADDING, Part, is_full

_COLUMNS = 3  # of a header, at least
_GAP = 2.0  # points between columns
_ALIGNED = 1.5  # points
_MIDDLE = 0.4  # line heights that a cell may be off the middle
_LEADING = 0.3  # line heights of white between two lines of a header's cell, at most
_APART = 0.45  # line heights of white that part rows, whatever else there is
_STEP = 0.12  # line heights that the white between rows is wider than within a cell
_WIDE = 1.2  # line heights; wider white parts cells that are for several rows
_WHITE = 2.5  # line heights of white in a table, at most
_MOST_NAMES = 60  # pieces of a header; more is a drawing
_MOST = 80  # rows
_PIECES = 1_500  # of a table
_LINES = 6  # of a cell that is for several rows


@dataclass(frozen=True, slots=True)
class TableRow:
    """Its cells from left to right, each the numbers of its lines; which of them stand beside other
    rows too."""

    cells: tuple[tuple[int, ...], ...]
    shared: frozenset[int]


@dataclass(slots=True)
class _Cell:
    lines: list[int]
    y0: float
    y1: float
    size: float

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


Span = tuple[int, int]  # rows, from one to before another
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
    columns = _without_ends(parts, [_cells(parts, own, limit) for own in pieces])
    foot = _foot(parts, small, columns)
    found = _found(columns, limit)
    return found if _is_new(found, known) else [], foot if found else []


def _foot(parts: Sequence[Part], small: Sequence[bool], columns: Sequence[Sequence[_Cell]]) -> list[Foot]:
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
    parts: Sequence[Part], small: Sequence[bool], cells: Sequence[_Cell], others: Sequence[_Cell], after: float | None
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


def _off_the_middle(parts: Sequence[Part], cell: _Cell, others: Sequence[_Cell]) -> int:
    """From which line on a column's last cell is more than what has its middle where the others of
    its row have theirs."""
    row = [other for other in others if other.y0 < cell.y1 and cell.y0 < other.y1]
    middles, near = [other.middle for other in row], _MIDDLE * cell.size
    if not row or max(middles) - min(middles) > near or all(abs(other.y0 - cell.y0) < near for other in row):
        return len(cell.lines)
    feet = [parts[n].y1 for n in cell.lines]
    fits = [abs((cell.y0 + foot) / 2 - middles[0]) < near for foot in feet]
    return len(feet) if fits[-1] else fits.index(True) + 1 if True in fits else len(feet)


def rows_in_columns(parts: Sequence[Part], columns: Sequence[Sequence[int]], limit: float) -> list[TableRow]:
    """The rows of columns whose pieces are known, where they are sure. limit: of white that parts
    rows, in line heights."""
    return _found([_cells(parts, own, limit) for own in columns], limit)


def _found(columns: list[list[_Cell]], limit: float) -> list[TableRow]:
    rows = _rows(columns, limit) if columns and all(columns) else []
    if not 2 <= len(rows) <= _MOST:
        return []
    spans: list[list[Span]] = []
    leads = True  # the columns before it are for several rows too: nothing but names stands there
    for cells in columns:
        shared = _shared_out(cells, rows) if len(cells) < len(rows) else None
        if (
            shared is not None
            and not any(_between(cell, rows) for cell in cells)
            and not (leads and _inside(shared, len(rows)))
        ):
            shared = None
        own = shared or _level(cells, rows)
        if own is None:
            return []
        leads = leads and shared is not None
        spans.append(own)
    return [_row(columns, spans, n) for n in range(len(rows))]


def _without_ends(parts: Sequence[Part], columns: list[list[_Cell]]) -> list[list[_Cell]]:
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


def limit_of(parts: Sequence[Part], columns: Sequence[Sequence[int]]) -> float | None:
    """From how many line heights on white parts rows; None where lines of a cell cannot be told
    from rows."""
    whites: list[float] = []
    for pieces in columns:
        foot: float | None = None
        for part in sorted((parts[n] for n in pieces), key=lambda part: part.y0):
            if foot is not None and 0 < (white := (part.y0 - foot) / part.size) < _WIDE:
                whites.append(white)
            foot = part.y1
    whites.sort()
    if not whites or whites[0] >= _APART:
        return _APART
    return next(((one + two) / 2 for one, two in pairwise(whites) if two - one >= _STEP), None)


def _cells(parts: Sequence[Part], pieces: Sequence[int], limit: float) -> list[_Cell]:
    """A column's, downwards: lines close below each other are one's."""
    cells: list[_Cell] = []
    for n in sorted(pieces, key=lambda n: (parts[n].y0, parts[n].x0)):
        part = parts[n]
        if cells and part.y0 - cells[-1].y1 < limit * part.size:
            cells[-1].lines.append(n)
            cells[-1].y1 = max(cells[-1].y1, part.y1)
        else:
            cells.append(_Cell([n], part.y0, part.y1, part.size))
    return cells


def _rows(columns: Sequence[Sequence[_Cell]], limit: float) -> list[tuple[float, float]]:
    """From where to where each reaches; nothing where that is not sure."""
    most = max(map(len, columns))
    full = [cells for cells in columns if len(cells) == most]
    rows = [(min(cell.y0 for cell in own), max(cell.y1 for cell in own)) for own in zip(*full, strict=True)]
    least = limit * full[0][0].size
    apart = all(two[0] - one[1] >= least for one, two in pairwise(rows))
    level = all(max(cell.y0 for cell in own) < min(cell.y1 for cell in own) for own in zip(*full, strict=True))
    tight = any(
        len(own[0].lines) > 1 and len({len(cell.lines) for cell in own}) == 1 for own in zip(*full, strict=True)
    )
    return rows if apart and level and not (tight and len(full) == len(columns)) else []


def _level(cells: Sequence[_Cell], rows: Sequence[tuple[float, float]]) -> list[Span] | None:
    """For each cell the one row that it stands in."""
    found: list[Span] = []
    for cell in cells:
        over = [n for n, (a, b) in enumerate(rows) if cell.y0 < b and a < cell.y1]
        if len(over) != 1 or (found and found[-1][0] >= over[0]):
            return None
        found.append((over[0], over[0] + 1))
    return found


def _inside(spans: Sequence[Span], count: int) -> bool:
    """Neither the first row has a name to itself nor the last: names would stand at the top of
    their rows, or at the foot."""
    return spans[0] != (0, 1) and spans[-1] != (count - 1, count)


def _between(cell: _Cell, rows: Sequence[tuple[float, float]]) -> bool:
    """It stands neither in the middle of a row, nor at its top or foot."""
    near = _MIDDLE * cell.size
    return all(min(abs(cell.middle - (a + b) / 2), abs(cell.y0 - a), abs(cell.y1 - b)) > near for a, b in rows)


def _shared_out(cells: Sequence[_Cell], rows: Sequence[tuple[float, float]]) -> list[Span] | None:
    """Which rows each cell is for, where they share out all of them in one way only."""
    # by how many cells: in how many ways, one of them
    ways: list[dict[int, tuple[int, list[Span]]]] = [{} for _ in range(len(rows) + 1)]
    ways[0][0] = (1, [])
    for i in range(len(rows)):
        for used, (many, spans) in ways[i].items():
            if used == len(cells):
                continue
            cell = cells[used]
            for j in range(i + 1, len(rows) + 1):
                if j > i + 1 and len(cell.lines) > _LINES:
                    break
                if abs(cell.middle - (rows[i][0] + rows[j - 1][1]) / 2) < _MIDDLE * cell.size:
                    before = ways[j].get(used + 1, (0, []))[0]
                    ways[j][used + 1] = (before + many, [*spans, (i, j)])
    many, spans = ways[-1].get(len(cells), (0, []))
    return spans if many == 1 else None


def _row(columns: Sequence[Sequence[_Cell]], spans: Sequence[Sequence[Span]], n: int) -> TableRow:
    cells: list[tuple[int, ...]] = []
    shared = set()
    for own, places in zip(columns, spans, strict=True):
        for cell, (a, b) in zip(own, places, strict=True):
            if a <= n < b:
                if b - a > 1:
                    shared.add(len(cells))
                cells.append(tuple(cell.lines))
    return TableRow(tuple(cells), frozenset(shared))


def _is_new(rows: Sequence[TableRow], known: Sequence[Set[int]]) -> bool:
    """They say more than what is known, and nothing against it: each known row is within one of
    these."""
    wholes = [{n for cell in row.cells for n in cell} for row in rows]
    pieces = set().union(*wholes)
    met = [row for row in known if row & pieces]
    if not all(any(row <= whole for whole in wholes) for row in met):
        return False
    return any(row.shared for row in rows) or bool(pieces - set().union(*met))
