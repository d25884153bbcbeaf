"""Quotes of which a heading, a header or an introduction stands below them on their page: the order
in which it was drawn is not the one in which a person reads it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from rag_api.domain import Block, BlockKind
from rag_api.ingest.layout.lines import lines_of_item
from rag_api.ingest.structure.blocks.paragraphs import Paragraph, is_caption
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import Offsets

_ROW_AND_CELL = (BlockKind.ROW, BlockKind.CELL)
_BELOW = 1.0  # points that they may overlap
_OVER = 5.0  # points of their width that stand over each other


def led_from_below(text: str, blocks: Sequence[Block], found: Sequence[Paragraph]) -> Iterator[Offsets]:
    """The places of such quotes. A numbered caption may stand below its table, and a cell over
    several rows beside the last of them. found: all of the text's paragraphs, in order."""
    rows, cells = ({(one.start, one.end) for one in blocks if one.kind == kind} for kind in _ROW_AND_CELL)
    labels = cells - rows
    places = _Places(found)
    for quote in quotable(text, blocks):
        own = places.box(quote.start, quote.end)
        named = (lead for lead in quote.lead if lead not in labels and not is_caption(places.paragraph(lead[0])))
        leads = (places.box(*lead) for lead in named)
        if own and any(lead and _is_below(lead, own) for lead in leads):
            yield quote.start, quote.end


class _Box(NamedTuple):
    """In reading space, of the page that it begins on."""

    page: int
    left: float
    top: float
    right: float
    foot: float


class _Places:
    def __init__(self, found: Sequence[Paragraph]) -> None:
        self.found, self.begins = found, [paragraph.start for paragraph in found]

    def paragraph(self, start: int) -> Paragraph:
        return self.found[bisect_right(self.begins, start) - 1]

    def box(self, start: int, end: int) -> _Box | None:
        """Around the lines of the first of its paragraphs; None where that goes on in another
        column, or on another page."""
        whole = self.paragraph(start)
        if any(two.item.y0 < one.item.y0 for one, two in pairwise(whole.pieces)):
            return None
        ends = accumulate((len(piece.text.text) for piece in whole.pieces), initial=whole.start)
        pieces = [piece for piece, (a, b) in zip(whole.pieces, pairwise(ends), strict=True) if a < end and start < b]
        lines = [line for piece in pieces for line in lines_of_item(piece.item)]
        return _Box(
            whole.page,
            min(line.x0 for line in lines),
            min(line.y0 for line in lines),
            max(line.x1 for line in lines),
            max(line.y1 for line in lines),
        )


def _is_below(lead: _Box, own: _Box) -> bool:
    over = min(lead.right, own.right) - max(lead.left, own.left) > _OVER
    return lead.page == own.page and over and lead.top > own.foot - _BELOW
