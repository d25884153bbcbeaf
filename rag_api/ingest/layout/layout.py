"""A page's glyphs -> its lines and table rows, in reading order. Knows nothing of other pages and cuts nothing.

The order is the content's own (PDFium's): producers write columns and cells one after the other. Geometry decides where a
line ends, which pieces stand on one line, and which belong to one row of a table with drawn rules.

"Reading space" is page space turned so that the text stands upright; only the boxes of whole lines are in it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.common.boxed_text import Marked, no_boxes
from rag_api.ingest.layout.aligned_tables import aligned_tables, is_full
from rag_api.ingest.layout.drawn_upwards import downwards
from rag_api.ingest.layout.grid import Band, Cell, alone, cells_of, joined, said_again
from rag_api.ingest.layout.header_tables import header_tables
from rag_api.ingest.layout.late_labels import late_labels
from rag_api.ingest.layout.line_numbers import line_numbers
from rag_api.ingest.layout.narrow_gaps import narrow_gaps
from rag_api.ingest.pdf.glyphs.superscripts import is_attached, with_raised
from rag_api.ingest.pdf.pdfium import HYPHEN_AT_LINE_END, Glyphs
from rag_api.ingest.pdf.vector_graphics import Drawn

_NEWLINES = np.array([10, 13], np.uint32)
_SPACES = np.array([9, 10, 11, 12, 13, 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000], np.uint32)
_CELL_GAP = 1.8  # line heights of white on one line that part two cells
_MAX_RULES = 600  # more is a drawing, not a table
# Of a list; a longer number of two parts may be a value.
_LABEL = re.compile(r"(?=.{1,4}$)(?:\W{1,3}|\(?(?:\w|\d{1,3}|[ivx]{1,4})[.)]?|(?:\d{1,2}\.)+\d{0,2})|(?:\d{1,2}\.){2,}\d{0,2}")
_FEWEST_ROWS = 3  # without rules between them, in place of lines of one
_PADDING = 0.6  # line heights between a full cell and the next column
_LEVEL = 0.3  # line heights between the middles of what is level
_MOST_ALONE = 2  # lines of a row that is blank but for one cell; more are text
_MAX_CELL_LINES = 15  # more is a column of text in a frame


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
    names: bool = False  # it has a row of a drawn table to itself, and names those below


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A table row: its cells from left to right, each its lines; which of them stand beside other rows too. Of one cell: the others are
    blank."""

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


def lay_out(glyphs: Glyphs, drawn: Drawn, width: float, height: float) -> list[Line | Row]:
    """Lines and rows of a page; text that is turned another way than most comes last."""
    shown = ~glyphs.hidden & ~glyphs.slanted & ~np.isnan(glyphs.boxes).any(axis=1) & (glyphs.codes > 0)
    counts = np.bincount(glyphs.turned[shown], minlength=4)
    items: list[Line | Row] = []
    most = int(counts.argmax())
    for turned in (most, *(t for t in range(4) if t != most and counts[t])):
        upright = _turn(glyphs.boxes, turned, width, height)
        rules = _turn_rules(drawn, turned, width, height)
        items.extend(_one_way(glyphs, shown & (glyphs.turned == turned), upright, rules, aside=turned != most))
    return items


def lay_out_straight(
    glyphs: Glyphs, upright: NDArray[np.float32], rules: tuple[NDArray[np.float32], NDArray[np.float32]]
) -> list[Line | Row]:
    """As `lay_out`, of a page that was set straight: [n, 4] its glyphs' boxes and (across, down) its rules there."""
    across, down = map(joined, rules)
    if len(across) + len(down) > _MAX_RULES:
        across, down = across[:0], down[:0]
    shown = np.asarray(~np.isnan(upright).any(axis=1))
    return _one_way(glyphs, shown, upright, (across, down), aside=False)


def _turn(boxes: NDArray[np.float32], turned: int, width: float, height: float) -> NDArray[np.float32]:
    """[n, 4] page space -> reading space of text turned so many quarters clockwise."""
    x0, y0, x1, y1 = boxes.T
    columns = {
        0: (x0, y0, x1, y1),
        1: (y0, width - x1, y1, width - x0),
        2: (width - x1, height - y1, width - x0, height - y0),
        3: (height - y1, x0, height - y0, x1),
    }[turned]
    return np.column_stack(columns).astype(np.float32)


def _turn_rules(drawn: Drawn, turned: int, width: float, height: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(across [h, 3], down [v, 3]) in reading space; none when there are too many to be tables."""
    none = np.zeros((0, 3), np.float32)
    rules = joined(drawn.across), joined(drawn.down)
    if sum(map(len, rules)) > _MAX_RULES:
        return none, none
    across = _turn(rules[0][:, [0, 2, 1, 2]], turned, width, height)
    down = _turn(rules[1][:, [2, 0, 2, 1]], turned, width, height)
    if turned % 2:
        across, down = down, across
    return across[:, [0, 2, 1]], down[:, [1, 3, 0]]


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """Runs of glyphs without a break between: [p] first and one past the last index into the visible glyphs, [p, 4] boxes."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    boxes: NDArray[np.float32]


def _one_way(
    glyphs: Glyphs,
    shown: NDArray[np.bool_],
    upright: NDArray[np.float32],
    rules: tuple[NDArray[np.float32], NDArray[np.float32]],
    aside: bool,
) -> list[Line | Row]:
    spaces = np.isin(glyphs.codes, _SPACES)
    visible = np.flatnonzero(shown & ~spaces)
    if not len(visible):
        return []
    across, down = rules
    here = upright[visible]
    pieces = _pieces(glyphs, visible, here, down)
    before = np.cumsum(spaces)
    white = np.zeros(len(visible), bool)  # PDFium saw white space before this glyph, and a piece goes on after it
    white[1:] = before[visible[1:]] > before[visible[:-1]]
    white[pieces.starts] = False
    lines = _lines(glyphs, visible, white, here, pieces, aside)
    for n in line_numbers([line.marked.text for line in lines], pieces.boxes, [line.size for line in lines]):
        lines[n] = replace(lines[n], counts=True)
    cells = cells_of(pieces.boxes, across, down)
    closed = {i for i, cell in enumerate(cells) if cell is not None and cell.left != -1}
    order = _with_labels(downwards(_order(lines), pieces.boxes), lines, pieces.boxes, closed)
    order = _with_laid_on(_headers_first(order, lines), lines, glyphs.laid_on[visible[pieces.starts]])
    return _merge([lines[i] for i in order], [cells[i] for i in order], pieces.boxes[order])


def _order(lines: list[Line]) -> list[int]:
    """The content's order, unless it mostly goes upwards, as PDFium gives text drawn sideways on an upside-down page."""
    steps = [two.y0 - one.y0 for one, two in pairwise(lines) if min(one.x1, two.x1) > max(one.x0, two.x0)]
    if sum(step < 0 for step in steps) <= sum(step > 0 for step in steps):
        return list(range(len(lines)))
    return sorted(range(len(lines)), key=lambda i: (round(lines[i].y1 / max(1.0, lines[i].size / 2)), lines[i].x0))


def _with_labels(order: list[int], lines: list[Line], boxes: NDArray[np.float32], closed: Set[int]) -> list[int]:
    """Labels that are drawn late are joined to the lines that they stand before; what is left of the order."""
    late = late_labels([line.marked.text for line in lines], boxes, order, closed)
    for label, item in late.items():
        lines[item] = _joined(lines[label], lines[item])
    return [i for i in order if i not in late]


def _headers_first(order: list[int], lines: list[Line]) -> list[int]:
    """What is drawn last and stands above everything drawn before it, as many programs draw a letterhead, is read first."""
    late: list[int] = []
    top, right, bottom = np.inf, -np.inf, -np.inf  # of what is not late
    before = -np.inf  # the bottom of what was drawn before the late ones
    for i in order:
        here = lines[i].x0 < right or (late and _beside(lines[late[-1]], lines[i]))  # further right is another column
        if lines[i].y1 <= top + 1 and here:
            before = before if late else bottom
            late.append(i)
            continue
        if lines[i].y0 < (before if late else bottom) - 1:  # beside what was drawn before: columns, cells
            late = []
        top, right, bottom = min(top, lines[i].y0), max(right, lines[i].x1), max(bottom, lines[i].y1)
    if not late or 2 * len(late) > len(order):
        return order
    first = sorted(late, key=lambda i: (lines[i].y0, lines[i].x0))
    moved = set(first)
    return [*first, *(i for i in order if i not in moved)]


def _with_laid_on(order: list[int], lines: list[Line], laid_on: NDArray[np.bool_]) -> list[int]:
    """Form fields and notes behind the line that they stand beside, else behind the last one above."""
    if not laid_on.any():
        return order
    placed = [i for i in order if not laid_on[i]]
    for i in sorted(np.flatnonzero(laid_on).tolist(), key=lambda i: (lines[i].y0, lines[i].x0)):
        line = lines[i]
        beside = [n for n, other in enumerate(placed) if _beside(lines[other], line)]
        above = [n for n, other in enumerate(placed) if lines[other].y1 <= line.y0 + 0.5 * line.size]
        nearest = max(beside, key=lambda n: lines[placed[n]].x1, default=max(above, key=lambda n: lines[placed[n]].y1, default=-1))
        placed.insert(nearest + 1, i)
    return placed


def _pieces(glyphs: Glyphs, visible: NDArray[np.int64], boxes: NDArray[np.float32], down: NDArray[np.float32]) -> _Pieces:
    newlines = np.cumsum(np.isin(glyphs.codes, _NEWLINES))
    broken = (newlines[visible[1:]] > newlines[visible[:-1]]) & ~is_attached(glyphs.codes[visible], boxes)
    one, two = boxes[:-1], boxes[1:]
    height = np.minimum(one[:, 3] - one[:, 1], two[:, 3] - two[:, 1]).clip(0.1)
    overlap = np.minimum(one[:, 3], two[:, 3]) - np.maximum(one[:, 1], two[:, 1])
    gap = two[:, 0] - one[:, 2]
    broken |= (overlap < 0.3 * height) | (gap < -0.8 * height) | (gap > _CELL_GAP * height)
    centres, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    apart = gap > 0.1 * height
    for y0, y1, x in down:  # a rule between two words parts them; a word may run over a rule
        broken |= apart & (centres[:-1] < x) & (centres[1:] > x) & (y[1:] > y0) & (y[1:] < y1)
    broken[narrow_gaps(boxes, broken) - 1] = True
    starts = np.concatenate([[0], np.flatnonzero(broken) + 1]).astype(np.int64)
    ends = np.append(starts[1:], len(visible))
    low, high = np.minimum.reduceat(boxes, starts, axis=0), np.maximum.reduceat(boxes, starts, axis=0)
    return _Pieces(starts, ends, np.column_stack([low[:, 0], low[:, 1], high[:, 2], high[:, 3]]))


def _lines(
    glyphs: Glyphs, visible: NDArray[np.int64], white: NDArray[np.bool_], here: NDArray[np.float32], pieces: _Pieces, aside: bool
) -> list[Line]:
    """Each piece as a line, with a space wherever `white` says so. here: [v, 4] the visible glyphs' boxes in reading space."""
    at = np.flatnonzero(white)
    shown = with_raised(glyphs.codes[visible], here, pieces.starts, pieces.ends)
    codes = np.insert(np.minimum(shown, 0x10FFFF), at, 32)
    codes[codes == HYPHEN_AT_LINE_END] = ord("-")
    text = "".join(map(chr, codes.tolist()))  # one character each, surrogates too
    boxes = np.insert(glyphs.boxes[visible], at, np.nan, axis=0)
    shift = np.concatenate([[0], np.cumsum(white)])  # how many spaces come before each visible glyph
    heights, lefts, rights = (here[:, 3] - here[:, 1]).tolist(), here[:, 0].tolist(), here[:, 2].tolist()
    bold = np.add.reduceat(glyphs.bold[visible].astype(np.int64), pieces.starts)
    symbol = np.logical_or.reduceat(glyphs.symbol[visible], pieces.starts)
    word_ends = np.append(at, len(visible))[np.searchsorted(at, pieces.starts)]
    lines = []
    for n, (start, end) in enumerate(zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True)):
        first, last = start + int(shift[start]), end + int(shift[end])
        x0, y0, x1, y1 = pieces.boxes[n].tolist()
        size = sorted(heights[start:end])[(end - start) // 2]
        first_word = rights[min(int(word_ends[n]), end) - 1] - lefts[start]
        marked = Marked(text[first:last], boxes[first:last])
        lines.append(Line(marked, x0, y0, x1, y1, size, first_word, 2 * int(bold[n]) > end - start, bool(symbol[n]), aside))
    return lines


def _merge(lines: list[Line], cells: list[Cell | None], boxes: NDArray[np.float32]) -> list[Line | Row]:
    """Pieces of one row become a Row where the row's first piece stands; other pieces on one line become one Line. boxes: [p, 4]"""
    row_of = _aligned_rows(lines, cells)
    known = [{i for i, row in row_of.items() if row is one} for one in {id(row): row for row in row_of.values()}.values()]
    lefts = [-1 if cell is None else cell.left for cell in cells]
    bands: dict[Band, list[int]] = {}
    for i, cell in enumerate(cells):
        if cell is not None and i not in row_of:
            bands.setdefault(cell.band, []).append(i)
    bands = _whole_headers(bands, lines, lefts)
    again = said_again(bands, cells, boxes, [len(line.marked.text) for line in lines])
    over_rows = {i for several in again.values() for i in several}
    for band, found in sorted(bands.items()):
        if over_rows.issuperset(found):
            continue
        members, beside = _below_heading(found, lines), sorted(again.get(band, ()), key=lambda i: lines[i].x0)
        row = _row([(lines[i], lefts[i]) for i in members], [(lines[i], lefts[i]) for i in beside])
        if row is None:
            continue
        for one in _rows_of(row):
            its = [i for i in members if one is row or _is_level(lines[i], one.cells[0][0])]
            row_of.update(dict.fromkeys(its, one))
            known.append({*its, *(beside if row.shared else ())})
        row_of |= {i: row for i in beside if row.shared and i not in row_of}
    row_of.update(_rows_below_headers(lines, known, {i for i, left in enumerate(lefts) if left != -1}))
    lone = alone(bands, cells, boxes, [line.bold for line in lines])
    for own_row in lone.rows:
        words = tuple(_lines_of([lines[i] for i in own_row]))
        if len(words) <= _MOST_ALONE and over_rows.isdisjoint(own_row) and row_of.keys().isdisjoint(own_row):
            row_of.update(dict.fromkeys(own_row, Row((words,))))
    items: list[Line | Row] = []
    seen: set[int] = set()
    for i, line in enumerate(lines):
        line = replace(line, names=True) if i in lone.names else line
        own = row_of.get(i)
        if own is not None:
            if id(own) not in seen:
                seen.add(id(own))
                items.append(own)
        elif items and isinstance(items[-1], Line) and (i - 1) not in row_of and _beside(items[-1], line):
            items[-1] = _joined(items[-1], line)
        else:
            items.append(line)
    return _rows_down(items)


def _rows_down(items: list[Line | Row]) -> list[Line | Row]:
    """The rows of a table from its top, also where a program draws the last one first."""
    start = 0
    for end in range(1, len(items) + 1):
        if end < len(items) and _below_each_other(items[end - 1], items[end]):
            continue
        if end - start > 1 and all(two.y1 <= one.y0 + _LEVEL * (one.y1 - one.y0) for one, two in pairwise(items[start:end])):
            items[start:end] = items[start:end][::-1]
        start = end
    return items


def _below_each_other(one: Line | Row, two: Line | Row) -> bool:
    """Rows, or lines of cells, that stand in the same columns, whichever is above."""
    if any(isinstance(item, Line) and "\t" not in item.marked.text for item in (one, two)):
        return False
    both = [item.lines if isinstance(item, Row) else (item,) for item in (one, two)]
    (left, right), (other_left, other_right) = ((min(line.x0 for line in own), max(line.x1 for line in own)) for own in both)
    return min(right, other_right) > max(left, other_left)


def _whole_headers(bands: dict[Band, list[int]], lines: list[Line], lefts: list[int]) -> dict[Band, list[int]]:
    """A header's cells that are as high as two rows stand in the first of them. lefts: the rule to the left of each piece, -1 without."""
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
    """Without the headings in larger letters that stand above the rest: the rule above them is another one than the row's."""
    for n, (one, two) in enumerate(pairwise(lines[i] for i in members)):
        if one.size <= 1.12 * two.size or any(lines[i].y0 < one.y1 - 0.3 * one.size for i in members[n + 1 :]):
            return members[n:]
    return members


def _aligned_rows(lines: list[Line], cells: list[Cell | None]) -> dict[int, Row]:
    """The rows of tables without rules down, for each of their pieces."""
    free = [line if (cell is None or cell.left == -1) and not line.counts else None for line, cell in zip(lines, cells, strict=True)]
    rows: dict[int, Row] = {}
    for numbers in aligned_tables(free, [line.marked.text[0].islower() for line in lines]):
        row = Row(tuple(tuple(_lines_of([lines[i] for i in cell])) for cell in numbers))
        rows.update(dict.fromkeys((i for cell in numbers for i in cell), row))
    return rows


def _rows_below_headers(lines: list[Line], known: Sequence[Set[int]], closed: Set[int]) -> dict[int, Row]:
    """The rows of tables that are told by their header, for each of their pieces. known: the pieces of each row that was found by others;
    closed: those that stand between rules on all sides."""
    rows: dict[int, Row] = {}
    for found in reversed(header_tables(lines, known, closed)):  # a cell over several stands with the first
        row = Row(tuple(tuple(_lines_of([lines[i] for i in cell])) for cell in found.cells), found.shared)
        rows.update(dict.fromkeys((i for cell in found.cells for i in cell), row))
    return rows


def _row(members: list[tuple[Line, int]], again: list[tuple[Line, int]]) -> Row | None:
    """The pieces between two horizontal rules as a row of at least two cells; None when they are no row. again: what stands beside it and
    beside other rows."""
    cells = _cells(members)
    beside = _cells(again) if again and cells else []
    shared = {id(cell) for cell in beside}
    cells = sorted([*cells, *beside], key=lambda cell: min(line.x0 for line in cell)) if beside else cells
    if len(cells) < 2:
        return None
    laid = tuple(tuple(_lines_of(cell)) for cell in cells)
    spans = frozenset(n for n, cell in enumerate(cells) if id(cell) in shared)
    return None if max(len(cell) for cell in laid) > _MAX_CELL_LINES else Row(laid, spans)


def _rows_of(row: Row) -> list[Row]:
    """The rows that stand between two rules without one between them: their cells have as many lines, each level with its row's others,
    and where one of the columns ends its lines the next word would have fitted."""
    count = len(row.cells[0])
    if row.shared or count < _FEWEST_ROWS or any(len(cell) != count for cell in row.cells):
        return [row]
    found = [Row(tuple((cell[n],) for cell in row.cells)) for n in range(count)]
    level = all(_is_level(line, one.cells[0][0]) for one in found for line in one.lines)
    ends = [min(line.x0 for line in cell) - _PADDING * cell[0].size for cell in row.cells[1:]]
    free = any(not any(is_full(*two, end) for two in pairwise(cell)) for cell, end in zip(row.cells[:-1], ends, strict=True))
    return found if level and free else [row]


def _is_level(one: Line, two: Line) -> bool:
    return abs((one.y0 + one.y1) - (two.y0 + two.y1)) < 2 * _LEVEL * min(one.size, two.size)


def _cells(members: list[tuple[Line, int]]) -> list[list[Line]]:
    """From left to right, each its lines; nothing where they are no cells."""
    if any(left == -1 for _, left in members):
        return _cells_without_rules([line for line, _ in members])
    by_left: dict[int, list[Line]] = defaultdict(list)
    for line, left in members:
        by_left[left].append(line)
    return [by_left[left] for left in sorted(by_left)]


def _cells_without_rules(lines: list[Line]) -> list[list[Line]]:
    """Between two horizontal rules, cells come one after the other, each to the right of the last.

    Text that goes back to the left is several rows, or not a table: no cells then."""
    cells: list[list[Line]] = []
    right = -np.inf
    for line in lines:
        left = min(other.x0 for other in cells[-1]) if cells else np.inf
        if line.x0 > right + 2:
            if cells and line.y0 > max(other.y1 for cell in cells for other in cell):  # a heading, and a title that stands lower
                return []
            cells.append([line])
        elif line.x1 >= left and line.y0 >= cells[-1][-1].y0 + 0.5 * line.size:
            cells[-1].append(line)
        else:
            return []
        right = max(other.x1 for other in cells[-1])
    tall = max(line.y1 for line in lines) - min(line.y0 for line in lines) > 12 * max(line.size for line in lines)
    return [] if tall else cells


def _lines_of(cell: list[Line]) -> list[Line]:
    lines: list[Line] = []
    for line in cell:
        if lines and _beside(lines[-1], line):
            lines[-1] = _joined(lines[-1], line)
        else:
            lines.append(line)
    return lines


def _beside(one: Line, two: Line) -> bool:
    """Two stands on one's line, to the right of it."""
    overlap = min(one.y1, two.y1) - max(one.y0, two.y0)
    return not (one.counts or two.counts) and overlap > 0.5 * min(one.y1 - one.y0, two.y1 - two.y0) and two.x0 >= one.x1 - 0.3 * one.size


def _joined(one: Line, two: Line) -> Line:
    wide = two.x0 - one.x1 > _CELL_GAP * min(one.size, two.size)
    label = _LABEL.fullmatch(one.marked.text.strip())
    separator = "\t" if wide and not label else " "
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
        names=one.names and two.names,
    )


def usual_size(pages: Iterable[Iterable[Line | Row]]) -> float:
    """The size that most characters have; 0 without any."""
    sizes: dict[float, int] = defaultdict(int)
    for items in pages:
        for item in items:
            for line in item.lines if isinstance(item, Row) else (item,):
                sizes[round(line.size, 1)] += len(line.marked.text)
    return max(sizes, key=lambda size: sizes[size], default=0.0)
