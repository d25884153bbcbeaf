"""A page's glyphs -> its lines and table rows, in reading order. Knows nothing of other pages and
cuts nothing.

The order is the content's own (PDFium's): producers write columns and cells one after the other.
Geometry decides where a line ends, which pieces stand on one line, and which belong to one row of a
table with drawn rules.

"Reading space" is page space turned so that the text stands upright; only the boxes of whole lines
are in it.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.drawn_upwards import downwards
from rag_api.ingest.layout.late_labels import late_labels
from rag_api.ingest.layout.line_numbers import line_numbers
from rag_api.ingest.layout.lines import Line, PageRules, Row, is_beside, joined_lines, lines_of_item
from rag_api.ingest.layout.order import Box, reading_order
from rag_api.ingest.layout.pieces import SPACES, lines_in, pieces_of
from rag_api.ingest.layout.scattered import in_no_order
from rag_api.ingest.layout.tables.continued import NO_SIDES, continued
from rag_api.ingest.layout.tables.grid import cells_of, joined
from rag_api.ingest.layout.tables.rows import merged
from rag_api.ingest.layout.tables.side_by_side import table_by_table
from rag_api.ingest.layout.tables.sideways_cells import Side, with_sideways_cells, without
from rag_api.ingest.pdf.glyphs.page_glyphs import Glyphs
from rag_api.ingest.pdf.glyphs.superscripts import beside_their_words
from rag_api.ingest.pdf.vector_graphics import Drawn

_MAX_RULES = 600  # more is a drawing, not a table


def lay_out(
    glyphs: Glyphs, drawn: Drawn, width: float, height: float, before: NDArray[np.float32] = NO_SIDES
) -> list[Line | Row]:
    """Lines and rows of a page; text that is turned another way than most comes last. before: the
    sides of the table at the foot of the page before."""
    shown, counts = _shown(glyphs)
    most = int(counts.argmax())
    items: dict[int, list[Line | Row]] = {}
    for turned in (most, *(t for t in range(4) if t != most and counts[t])):
        upright = _turn(glyphs.boxes, turned, width, height)
        rules = _turn_rules(drawn, turned, width, height)
        sides_before = before if turned == most else NO_SIDES
        items[turned] = _one_way(
            glyphs, shown & (glyphs.turned == turned), upright, rules, turned != most, sides_before
        )
    sides = [
        Side(line, _turn(_around(line.marked.boxes), most, width, height)[0])
        for turned, own in items.items()
        if (turned - most) % 2
        for item in own
        for line in lines_of_item(item)
    ]
    items[most], used = with_sideways_cells(items[most], sides, *_turn_rules(drawn, most, width, height))
    return [*items.pop(most), *(item for own in items.values() for item in without(own, used))]


def rules_of(glyphs: Glyphs, drawn: Drawn, width: float, height: float) -> PageRules:
    """A page's rules, and its areas in colour, in the reading space of most of its text."""
    turned = int(_shown(glyphs)[1].argmax())
    few = slice(0 if len(drawn.fills) > _MAX_RULES else None)
    colours = drawn.colours[few].astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    return PageRules(
        *_turn_rules(drawn, turned, width, height), _turn(drawn.fills[few], turned, width, height), colours
    )


def _shown(glyphs: Glyphs) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """[n] which glyphs are laid out, and [4] how many of them are turned by so many quarters."""
    shown = ~glyphs.hidden & ~glyphs.slanted & ~np.isnan(glyphs.boxes).any(axis=1) & (glyphs.codes > 0)
    return shown, np.bincount(glyphs.turned[shown], minlength=4)


def lay_out_straight(
    glyphs: Glyphs, upright: NDArray[np.float32], rules: tuple[NDArray[np.float32], NDArray[np.float32]]
) -> list[Line | Row]:
    """As `lay_out`, of a page that was set straight: [n, 4] its glyphs' boxes and (across, down)
    its rules there."""
    across, down = map(joined, rules)
    if len(across) + len(down) > _MAX_RULES:
        across, down = across[:0], down[:0]
    shown = np.asarray(~np.isnan(upright).any(axis=1))
    return _one_way(glyphs, shown, upright, (across, down), aside=False)


def _around(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    """[1, 4] around them all."""
    return np.concatenate([np.nanmin(boxes[:, :2], axis=0), np.nanmax(boxes[:, 2:], axis=0)])[None]


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


def _turn_rules(
    drawn: Drawn, turned: int, width: float, height: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
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


def _one_way(
    glyphs: Glyphs,
    shown: NDArray[np.bool_],
    upright: NDArray[np.float32],
    rules: tuple[NDArray[np.float32], NDArray[np.float32]],
    aside: bool,
    before: NDArray[np.float32] = NO_SIDES,
) -> list[Line | Row]:
    visible = np.flatnonzero(shown & ~np.isin(glyphs.codes, SPACES))
    if not len(visible):
        return []
    across, down = rules
    order, with_ = beside_their_words(glyphs.codes[visible], upright[visible])
    with_, visible = visible[with_], visible[order]
    here = upright[visible]
    pieces = pieces_of(glyphs, visible, with_, here, down)
    lines = lines_in(glyphs, visible, here, pieces, aside)
    loose = in_no_order(pieces.boxes[~glyphs.laid_on[visible[pieces.starts]]])
    if loose:
        lines = [replace(line, loose=True) for line in lines]
    for n in line_numbers([line.marked.text for line in lines], pieces.boxes, [line.size for line in lines]):
        lines[n] = replace(lines[n], counts=True)
    cells = cells_of(pieces.boxes, across, down)
    closed = {i for i, cell in enumerate(cells) if cell is not None and cell.left != -1}
    drawn = reading_order([Box(*box) for box in pieces.boxes.tolist()]) if loose else _order(lines)
    follows = _with_labels(downwards(drawn, pieces.boxes), lines, pieces.boxes, closed)
    follows = _with_laid_on(_headers_first(follows, lines), lines, glyphs.laid_on[visible[pieces.starts]])
    follows, cells = table_by_table(follows, pieces.boxes, cells, across)
    cells, boxes = [cells[i] for i in follows], pieces.boxes[follows]
    return merged([lines[i] for i in follows], cells, boxes, continued(boxes, cells, across, down, before))


def _order(lines: list[Line]) -> list[int]:
    """The content's order, unless it mostly goes upwards, as PDFium gives text drawn sideways on an
    upside-down page."""
    steps = [two.y0 - one.y0 for one, two in pairwise(lines) if min(one.x1, two.x1) > max(one.x0, two.x0)]
    if sum(step < 0 for step in steps) <= sum(step > 0 for step in steps):
        return list(range(len(lines)))
    return sorted(range(len(lines)), key=lambda i: (round(lines[i].y1 / max(1.0, lines[i].size / 2)), lines[i].x0))


def _with_labels(order: list[int], lines: list[Line], boxes: NDArray[np.float32], closed: Set[int]) -> list[int]:
    """Labels that are drawn late are joined to the lines that they stand before; what is left of
    the order."""
    late = late_labels([line.marked.text for line in lines], boxes, order, closed)
    for label, item in late.items():
        lines[item] = joined_lines(lines[label], lines[item])
    return [i for i in order if i not in late]


def _headers_first(order: list[int], lines: list[Line]) -> list[int]:
    """What is drawn last and stands above everything drawn before it, as many programs draw a
    letterhead, is read first."""
    late: list[int] = []
    top, right, bottom = np.inf, -np.inf, -np.inf  # of what is not late
    before = -np.inf  # the bottom of what was drawn before the late ones
    for i in order:
        here = lines[i].x0 < right or (late and is_beside(lines[late[-1]], lines[i]))  # further right is another column
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
    """Form fields and notes behind the line that they stand beside, else behind the last one
    above."""
    if not laid_on.any():
        return order
    placed = [i for i in order if not laid_on[i]]
    for i in sorted(np.flatnonzero(laid_on).tolist(), key=lambda i: (lines[i].y0, lines[i].x0)):
        line = lines[i]
        beside = [n for n, other in enumerate(placed) if is_beside(lines[other], line)]
        above = [n for n, other in enumerate(placed) if lines[other].y1 <= line.y0 + 0.5 * line.size]
        nearest = max(
            beside, key=lambda n: lines[placed[n]].x1, default=max(above, key=lambda n: lines[placed[n]].y1, default=-1)
        )
        placed.insert(nearest + 1, i)
    return placed
