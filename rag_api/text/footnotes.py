"""The footnotes that a passage's marks point to: "20 cmH₂O ²" is not read without "² Known bullae: not above 15".

A mark is a raised figure, a star or a dagger behind a word; its footnote is what next begins with it in the document. Exponents ("m²",
"10⁹") and bullets are no marks: nothing, or a list, begins with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag_api.domain import Block, BlockKind
from rag_api.text.blocks import leaves

MOST = 4  # footnotes of one passage
LONGEST = 500  # characters of a footnote
FURTHEST = 6_000  # characters behind the mark
_RAISED = "⁰¹²³⁴-⁹"
_MARK = re.compile(rf"(?<=\S)\s?([{_RAISED}]{{1,2}}|\*{{1,3}}|[†‡§]{{1,2}})(?![\w*†‡])")
_POWER = re.compile(r"(?:(?<![^\W\d_])[cdmk]?m|10|[xX])\s?$")  # before a raised figure
_NEXT = re.compile(rf"(?<=[.!?;)])\s(?:[{_RAISED}]{{1,2}}|\*{{1,3}}|[†‡§])\s?(?=\S)")  # another footnote on the same line
_BEGIN = re.compile(rf"([{_RAISED}]{{1,2}}|\*{{1,3}}|[†‡§]{{1,2}})\s?(?=[^\s*†‡{_RAISED}])")

Place = tuple[int, int]


def footnotes(text: str, blocks: Sequence[Block], start: int, end: int) -> list[Place]:
    """Where the footnotes of text[start:end] stand, in the order of their marks; those within it are read with it anyway."""
    found: list[Place] = []
    marks = list(dict.fromkeys(_marks(text[start:end])))
    for mark in marks[: 2 * MOST]:
        place = next((place for begins, place in _all(text, blocks, end) if begins == mark), None)
        if place is not None and place not in found:
            found.append(place)
    return found[:MOST]


def _marks(said: str) -> Iterator[str]:
    for found in _MARK.finditer(said):
        mark, before = found[1], said[: found.start()]
        if not (mark[0] not in "*†‡§" and _POWER.search(before)):
            yield mark
            if len(mark) > 1 and mark[0] not in "*†‡§":  # of two footnotes
                yield from mark


def _all(text: str, blocks: Sequence[Block], behind: int) -> Iterator[tuple[str, Place]]:
    """All footnotes that begin near behind a place, each with its mark."""
    starred = [index for index, block in enumerate(blocks) if block.kind == BlockKind.ITEM and block.label.strip() == "*"]
    bullets = {blocks[index].start for index in starred if sum(blocks[one].parent == blocks[index].parent for one in starred) > 1}
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


def _parts(text: str, start: int, end: int) -> Iterator[Place]:
    """The footnotes that stand behind each other in one paragraph."""
    at = start
    for found in _NEXT.finditer(text, start, end):
        yield at, found.start() + 1
        at = found.start() + 1
    yield at, end
