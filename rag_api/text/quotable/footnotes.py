"""The footnotes that a passage's marks point to: "20 cmH₂O ²" is not read without "² Known bullae:
not above 15".

A mark is a raised figure or letter, a star or a dagger behind a word; its footnote is what next
begins with it in the document. Exponents ("m²", "10⁹") and bullets are no marks: nothing, or a
list, begins with them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rag_api.domain import Block, BlockKind
from rag_api.text.blocks import leaves

MOST = 4  # footnotes of one passage
LONGEST = 500  # characters of a footnote
FURTHEST = 6_000  # characters behind the mark
_RAISED = "⁰¹²³⁴-⁹ᵃᵇᶜᵈᵉᶠᵍʰ"
_MARK = re.compile(rf"(?<=\S)\s?([{_RAISED}]{{1,2}}|\*{{1,3}}|[†‡§]{{1,2}})(?![\w*†‡])")
_POWER = re.compile(r"(?:(?<![^\W\d_])[cdmk]?m|10|[xX])\s?$")  # before a raised figure
_LONGEST_UNIT = 4  # characters of a word that tells a power, with what stands before it
# another footnote on the same line
_NEXT = re.compile(rf"(?<=[.!?;)])\s(?:[{_RAISED}]{{1,2}}|\*{{1,3}}|[†‡§])\s?(?=\S)")
_BEGIN = re.compile(rf"([{_RAISED}]{{1,2}}|\*{{1,3}}|[†‡§]{{1,2}})\s?(?=[^\s*†‡{_RAISED}])")

Offsets = tuple[int, int]


def footnotes(text: str, blocks: Sequence[Block], start: int, end: int) -> list[Offsets]:
    """Where the footnotes of text[start:end] stand, in the order of their marks; those within it
    are read with it anyway."""
    marks = marks_in(text[start:end])
    first: dict[str, Offsets] = {}  # by its mark, the footnote that begins with it next
    for mark, place in _all(text, blocks, end) if marks else ():
        first.setdefault(mark, place)
    return list(dict.fromkeys(first[mark] for mark in marks if mark in first))[:MOST]


def marks_in(said: str) -> list[str]:
    """In their order, each once."""
    return list(dict.fromkeys(_marks(said)))


def _marks(said: str) -> Iterator[str]:
    for found in _MARK.finditer(said):
        mark, before = found[1], said[max(0, found.start() - _LONGEST_UNIT) : found.start()]
        if not (mark[0] not in "*†‡§" and _POWER.search(before)):
            yield mark
            if len(mark) > 1 and mark[0] not in "*†‡§":  # of two footnotes
                yield from mark


def _all(text: str, blocks: Sequence[Block], behind: int) -> Iterator[tuple[str, Offsets]]:
    """All footnotes that begin near behind a place, each with its mark."""
    starred = [block for block in blocks if block.kind == BlockKind.ITEM and block.label.strip() == "*"]
    several = Counter(block.parent for block in starred)
    bullets = {block.start for block in starred if several[block.parent] > 1}
    for block in leaves(blocks):
        if block.start < behind or block.kind not in (BlockKind.PARAGRAPH, BlockKind.ITEM):
            continue
        if block.start > behind + FURTHEST:
            return
        for a, b in _parts(text, block.start, block.end):
            b = a + len(text[a:b].rstrip())
            begin = _BEGIN.match(text, a, b)
            if begin and a not in bullets and b - a <= LONGEST:
                yield begin[1], (a, b)


def _parts(text: str, start: int, end: int) -> Iterator[Offsets]:
    """The footnotes that stand behind each other in one paragraph."""
    at = start
    for found in _NEXT.finditer(text, start, end):
        yield at, found.start() + 1
        at = found.start() + 1
    yield at, end
