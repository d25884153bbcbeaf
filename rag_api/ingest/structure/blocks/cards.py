"""Pages of cards: most of their words stand in boxes beside and below each other, and bars of a
line or two say by their place alone whom or what the boxes below them are for.

A bar is certain where it is the title of the box right below it, and the only one. Nothing is
quoted of others and of what stands below them, nor of a page whose boxes stand in a grid, in whose
rows and columns something has its meaning: it is opened as a page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import Block, BlockKind
from rag_api.ingest.pdf.frames import frames_around
from rag_api.ingest.structure.blocks.paragraphs import Paragraph
from rag_api.text.quotable.uncertain import Offsets

_FEWEST, _SHARE = 4, 0.6  # boxes of such a page, and how much of its words stands in them
_BESIDE = 2  # boxes at least that have another one to their right
_GRID = 6  # boxes of a grid: half of them at least have one to their right, and half one below
_BARS, _LINES = 2, 2  # at least; in each, at most
_NEAR = 2.5  # line heights between a bar's words and those below it
_SAME = 4.0  # points between sides that are one, and between the begins of boxes in a row or column


_Box = tuple[float, float, float, float]


def cards(
    found: Sequence[Paragraph], frames: Sequence[NDArray[np.float32]], blocks: Sequence[Block]
) -> Iterator[Offsets]:
    """The places of such cards and bars, and of what stands between; of a grid all of its page.
    frames: for each page the boxes that are drawn around text."""
    headings = {block.start for block in blocks if block.kind == BlockKind.HEADING}
    for page, own in groupby(found, key=lambda paragraph: paragraph.page):
        held = list(own)
        boxed = _cards(held, frames[page]) if len(frames[page]) >= _FEWEST else []
        for area in _areas(held, boxed, headings):
            yield from ((one.start, one.end) for one in held if _touches(_box([one]), area))


def _cards(held: Sequence[Paragraph], frames: NDArray[np.float32]) -> list[list[Paragraph]]:
    """What stands in each box; rows of tables do not."""
    inside: dict[int, list[Paragraph]] = defaultdict(list)
    for paragraph in held:
        several = len(paragraph.row.cells) > 1 if paragraph.row else "\t" in paragraph.first.marked.text
        around = [] if several else frames_around(paragraph.boxes, frames)
        if around:
            same = (n for n in inside if np.abs(frames[n] - frames[around[0]]).max() < _SAME)
            inside[next(same, around[0])].append(paragraph)
    return list(inside.values())


def _areas(held: Sequence[Paragraph], own: Sequence[list[Paragraph]], headings: Set[int]) -> list[_Box]:
    words = sum(one.end - one.start for one in held)
    if len(own) < _FEWEST or sum(one.end - one.start for card in own for one in card) < _SHARE * words:
        return []
    boxes = [_box(card) for card in own]
    level = [sum(any(_is_next(one, two, axis) for two in boxes) for one in boxes) for axis in (0, 1)]
    if len(own) >= _GRID and 2 * min(level) >= len(own):
        return [_box(held)]
    placed = [*zip(own, boxes, strict=True)]
    bars = [(bar, box) for bar, box in placed if _is_bar(bar)]
    over = [(bar, card) for bar, above in bars for card, box in placed if _heads(bar, above, box)]
    titled = [(bar, card) for bar, card in over if _is_title(bar, card, headings)]
    sure = {id(card) for pair in titled for card in pair}  # what stands below one is no bar itself
    pairs = [_box([*bar, *card]) for bar, card in over if id(bar) not in sure]
    beside = sum(any(_follows(one, two, 0) for two in boxes) for one in boxes)
    return pairs if beside >= _BESIDE and len(pairs) >= _BARS else []


def _is_bar(card: Sequence[Paragraph]) -> bool:
    return sum(len(paragraph.lines) for paragraph in card) <= _LINES


def _heads(bar: Sequence[Paragraph], above: _Box, box: _Box) -> bool:
    return _follows(above, box, 1) and box[1] - above[3] < _NEAR * bar[0].first.size


def _is_title(bar: Sequence[Paragraph], card: Sequence[Paragraph], headings: Set[int]) -> bool:
    """It is the only heading of the card."""
    joined = all(one.opens and one.box == one.opens for one in bar)
    return joined and all(one.box == bar[0].box and one.start not in headings for one in card)


def _touches(one: _Box, two: _Box) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def _follows(one: _Box, two: _Box, axis: int) -> bool:
    """Two stands to the right of one, or below it (axis 1), with half of the narrower beside it."""
    other = 1 - axis
    shared = min(one[other + 2], two[other + 2]) - max(one[other], two[other])
    return two[axis] >= one[axis + 2] and shared > 0.5 * min(b[other + 2] - b[other] for b in (one, two))


def _is_next(one: _Box, two: _Box, axis: int) -> bool:
    """It follows, and begins at the same place of the other axis."""
    return _follows(one, two, axis) and abs(one[1 - axis] - two[1 - axis]) < _SAME


def _box(card: Sequence[Paragraph]) -> _Box:
    """Around its words, in reading space."""
    lines = [line for paragraph in card for line in paragraph.lines]
    return (
        min(line.x0 for line in lines),
        min(line.y0 for line in lines),
        max(line.x1 for line in lines),
        max(line.y1 for line in lines),
    )
