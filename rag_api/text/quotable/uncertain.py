"""Places of a document text that may say something else than its page shows, or that speak to a
machine (addressed.py): what touches one is never quoted, and no model is told it.

Knows characters only. Places are (start, end), in order, none within another.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Sequence

from rag_api.domain import Block
from rag_api.text.blocks import blocks_of, names_of
from rag_api.text.quotable.quotable_spans import Quotable, quotable

Offsets = tuple[int, int]
Places = Sequence[Offsets]
_LETTER = re.compile(r"\S")
BLANK = "▒"  # stands for each letter of what is left out


def touches(start: int, end: int, uncertain: Places) -> bool:
    """Whether some of text[start:end] is in doubt."""
    at = bisect_right(uncertain, start, key=lambda place: place[1])
    return at < len(uncertain) and uncertain[at][0] < end


def is_certain(quote: Quotable, uncertain: Places, base: int = 0, names: Container[Offsets] = ()) -> bool:
    """Whether neither the quote, what it must be read after, nor the headings of the parts that it
    stands in are in doubt: a heading that says something else may turn it over. names: headings
    over the whole document, which cannot; base: where the quote's text begins in the document's."""
    places = [(quote.start, quote.end), *quote.lead, *(place for place in quote.path if place not in names)]
    return not any(touches(start + base, end + base, uncertain) for start, end in places)


def certain_share(text: str, blocks: Sequence[Block], uncertain: Places) -> float:
    """How much of what could be quoted of a text can be, by its letters."""
    blocks = blocks or blocks_of(text)
    quotes, names = quotable(text, blocks), names_of(blocks)
    whole = sum(quote.end - quote.start for quote in quotes)
    sure = sum(quote.end - quote.start for quote in quotes if is_certain(quote, uncertain, names=names))
    return sure / whole if whole else 1.0


def together(*several: Places) -> tuple[Offsets, ...]:
    """Places of several kinds as one: in order, none within or beside another."""
    merged: list[Offsets] = []
    for start, end in sorted(place for places in several for place in places):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return tuple(merged)


def blanked(text: str, start: int, uncertain: Places, blank: str = BLANK) -> str:
    """The text, which begins at `start` of the document's, with every letter in doubt as BLANK and
    white space as it is: as long as before, so that places in it stay places in the document.
    blank: another sign, or none."""
    parts, at = [], 0
    for a, b in uncertain:
        a, b = max(0, a - start), min(len(text), b - start)
        if a < b:
            parts += [text[at:a], _LETTER.sub(blank, text[a:b])]
            at = b
    return "".join(parts) + text[at:]


def is_same(shown: str, text: str) -> bool:
    """Whether `shown` is the text, but for what is blank in it."""
    return shown == text or (len(shown) == len(text) and all(a in (b, BLANK) for a, b in zip(shown, text, strict=True)))
