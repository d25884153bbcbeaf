"""Quotes and headings that are parts of one sentence: a later one closes the bracket of another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag_api.domain import Block, BlockKind
from rag_api.text.block_shapes import label_of
from rag_api.text.quotable.quotable_spans import quotable

_FURTHEST = 3  # parts from the one that opens it to the one that closes it; further on it was never closed

Offsets = tuple[int, int]


def torn(text: str, blocks: Sequence[Block]) -> Iterator[Offsets]:
    """The places of such quotes, and of those between. Sentences of one paragraph may share a
    bracket; a heading that lacks its end still says what stands below it."""
    headings = {(block.start, block.end, n) for n, block in enumerate(blocks) if block.kind == BlockKind.HEADING}
    parts = sorted(headings | {(quote.start, quote.end, quote.block) for quote in quotable(text, blocks)})
    opened = -1
    for n, (start, end, block) in enumerate(parts):
        label = label_of(text[start:end]) if blocks[block].kind == BlockKind.ITEM else ""
        closes, opens = _unmatched(text[start:end].lstrip().removeprefix(label))
        if closes and opened >= 0 and n - opened <= _FURTHEST and parts[opened][2] != block:
            yield from ((a, b) for a, b, own in parts[opened : n + 1] if (a, b, own) not in headings)
        opened = n if opens else -1 if closes else opened


def _unmatched(words: str) -> tuple[bool, bool]:
    """Whether it closes brackets that it did not open, and leaves some open."""
    closes = opens = 0
    for bracket in re.findall(r"[()]", words):
        if bracket == "(":
            opens += 1
        elif opens:
            opens -= 1
        else:
            closes += 1
    return closes > 0, opens > 0
