"""Ends of tables whose caption is set as a heading: what stands below the last level rule that is
as wide as the one at the caption, or beside, is not headed by it, nor is the next page unless the
table goes on there. Lines that stand in a table where no cells part them have its caption too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from rag_api.domain import BlockKind
from rag_api.ingest.layout.lines import PageRules
from rag_api.ingest.layout.tables.columns import Reach
from rag_api.ingest.structure.blocks.paragraphs import Paragraph, has_cells, is_caption, is_only_caption
from rag_api.ingest.structure.blocks.row_edges import Float, reach
from rag_api.text.block_shapes import Shape

_NEAR = 1.5  # line heights between a caption and the rules of its table, at most
_DEEPER = 0.4  # line heights that a line is set deeper than others of its table, at least
_SAME = 3.0  # points between ends of rules that are as wide
_OUTSIDE = 2.0  # points that words may stand outside their table
_NEIGHBOURS = 2  # pages on both sides; a rule that stands on most of them too is of no table


def boxed_by_captions(shapes: Sequence[Shape], found: Sequence[Paragraph], rules: Sequence[PageRules]) -> list[Shape]:
    """A table that begins with lines, or is of nothing else, is a box headed by its numbered
    caption: these lines are not read without it either, nor are the rows below them. Of those that
    are set deeper nobody knows which of the others they are for. A caption in the table's own first
    row is none of its rows. One that is not set as a heading must stand within the frame of its
    table: above the rule of another one stands a figure's, too. Where a second line is numbered as
    a caption nobody knows which of the two is for what."""
    whole, boxed = list(shapes), 0
    for n, (shape, after) in enumerate(pairwise(shapes)):
        if shape.kind == BlockKind.ITEM or not is_caption(found[n]) or shape.aside or shape.start < boxed:
            continue
        is_row = shape.kind == BlockKind.ROW
        first = len(shape.cells) == 1 and not (n and shapes[n - 1].kind == BlockKind.ROW)
        until = 0
        if first if is_row else after.kind != BlockKind.ROW:
            until = found[n].until or (end_of_table(n, found, rules) if shape.kind == BlockKind.HEADING else 0)
        own = [one for one in shapes[n + 1 :] if one.start < until]
        lines = found[n + 1 : n + 1 + len(own)]
        alone = own and is_only_caption(found[n], lines)
        if alone and all(one.kind != BlockKind.HEADING and one.box in (0, shape.box) for one in own):
            head = replace(shape, kind=BlockKind.HEADING, level=shape.level or 1, header=False, cells=())
            left = min(one.first.x0 for one in lines)
            for at, one in enumerate((head, *own), start=n):
                deeper = (
                    at > n
                    and one.kind == BlockKind.PARAGRAPH
                    and found[at].first.x0 > left + _DEEPER * found[at].first.size
                )
                whole[at] = replace(one, box=-n - 1, unsure=one.unsure or deeper)
            boxed = until
    return whole


def ended_with_tables(shapes: Sequence[Shape], found: Sequence[Paragraph], rules: Sequence[PageRules]) -> list[Shape]:
    """Captions that are set as headings head no more than their tables, nor anything from the next
    heading on if that is one."""
    ended, next_ = list(shapes), 0
    for n in [n for n, shape in enumerate(shapes) if shape.kind == BlockKind.HEADING][::-1]:
        if not is_caption(found[n]):
            next_ = 0
            continue
        until = shapes[n].until or end_of_table(n, found, rules) or next_
        ended[n], next_ = replace(shapes[n], until=until), shapes[n].start if until else 0
    return ended


def end_of_table(n: int, found: Sequence[Paragraph], rules: Sequence[PageRules]) -> int:
    """Where in the text the table ends that a numbered caption, found[n], stands above; 0: nobody
    knows."""
    caption, last = found[n], n
    if (sides := _sides_at(caption, rules[caption.page].across)) is None:
        return 0
    for page in range(caption.page, found[-1].page + 1):
        sides = _moved(sides, rules[page].across)
        top = caption.y1 + _NEAR * caption.first.size if page == caption.page else 0.0
        below = [at for at in range(last + 1, len(found)) if found[at].page == page]
        own = _levels(page, rules, sides, top, [found[at] for at in below])
        inside = [at for at in below if own and _is_within(found[at], sides, caption.y0 if top else own[0], own[-1])]
        if page == caption.page and not own:
            return 0
        if page > caption.page and not (len(own) > 1 and inside and _goes_on(found[last : inside[0] + 1])):
            break
        last = max(inside, default=last)
    return found[last + 1].start if last + 1 < len(found) else 0


def _sides_at(caption: Paragraph, across: Float) -> Reach | None:
    """From where to where the rule reaches that stands at a caption, over all of it."""
    near, (left, right) = _NEAR * caption.first.size, reach(caption)
    x0, x1, y = across.T
    beside = (x0 < left + _OUTSIDE) & (x1 > right - _OUTSIDE) & (y > caption.y0 - near) & (y < caption.y1 + near)
    return (float(x0[beside][0]), float(x1[beside][0])) if beside.any() else None


def _moved(sides: Reach, across: Float) -> Reach:
    """The sides, or where on a page a rule as long stands that is printed on its other side."""
    as_long = across[abs(across[:, 1] - across[:, 0] - sides[1] + sides[0]) < _SAME]
    moved = len(as_long) and not len(_as_wide(across, sides))
    return (float(as_long[0, 0]), float(as_long[0, 1])) if moved else sides


def _levels(page: int, rules: Sequence[PageRules], sides: Reach, top: float, below: Sequence[Paragraph]) -> list[float]:
    """Where rules between these sides stand on a page, from `top` to the next caption."""
    first, last = max(0, page - _NEIGHBOURS), min(len(rules) - 1, page + _NEIGHBOURS)
    others = [_as_wide(rules[at].across, sides) for at in range(first, last + 1) if at != page]
    after = min((p.y0 - _NEAR * p.first.size for p in below if p.y0 > top and is_caption(p)), default=np.inf)
    own = [float(y) for y in _as_wide(rules[page].across, sides) if top < y < after]
    return [y for y in own if 2 * sum((abs(one - y) < 1).any() for one in others) <= len(others)]


def _is_within(one: Paragraph, sides: Reach, top: float, foot: float) -> bool:
    left, right = reach(one)
    return sides[0] - _OUTSIDE < left and right < sides[1] + _OUTSIDE and top < one.y0 < foot


def _goes_on(rows: Sequence[Paragraph]) -> bool:
    """The last is a row of the next page, and between it and the first, a row too, are no words but
    those that stand so on other pages."""
    between = [piece for one in rows[1:-1] for piece in one.pieces]
    words = any(any(map(str.isalpha, piece.text.text)) and not piece.repeated for piece in between)
    return has_cells(rows[0]) and has_cells(rows[-1]) and not words


def _as_wide(across: Float, sides: Reach) -> Float:
    """Where level rules reach from one side to the other, whole or in pieces."""
    begin, end = sides
    inner = across[(across[:, 0] > begin - _SAME) & (across[:, 1] < end + _SAME)]
    at = [inner[abs(inner[:, 2] - y) < 1] for y in np.unique(inner[:, 2])]
    whole = [one[0, 2] for one in at if one[:, 0].min() < begin + _SAME and one[:, 1].max() > end - _SAME]
    return np.array(whole, np.float32)
