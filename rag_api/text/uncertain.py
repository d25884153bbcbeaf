"""Places of a document text that were read in doubt, from an image, or that speak to a machine (addressed.py): what touches one is never
quoted, and no model is told it.

Knows characters only. Places are (start, end), in order, none within another.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from rag_api.text.quotable_spans import Quotable

Place = tuple[int, int]
Places = Sequence[Place]
BLANK = "▒"  # stands for each letter of what is left out


def touches(start: int, end: int, uncertain: Places) -> bool:
    """Whether some of text[start:end] is in doubt."""
    at = bisect_right(uncertain, start, key=lambda place: place[1])
    return at < len(uncertain) and uncertain[at][0] < end


def is_certain(quote: Quotable, uncertain: Places, base: int = 0) -> bool:
    """Whether neither the quote, what it must be read after, nor the headings that it stands below are in doubt: a heading that says
    something else may turn it over. base: where the quote's text begins in the document's."""
    places = [(quote.start, quote.end), *quote.lead, *quote.path]
    return not any(touches(start + base, end + base, uncertain) for start, end in places)


def together(*several: Places) -> tuple[Place, ...]:
    """Places of several kinds as one: in order, none within or beside another."""
    merged: list[Place] = []
    for start, end in sorted(place for places in several for place in places):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return tuple(merged)


def blanked(text: str, start: int, uncertain: Places) -> str:
    """The text, which begins at `start` of the document's, with every letter in doubt as BLANK and white space as it is: as long as
    before, so that places in it stay places in the document."""
    parts, at = [], 0
    for a, b in uncertain:
        a, b = max(0, a - start), min(len(text), b - start)
        if a < b:
            parts += [text[at:a], "".join(c if c.isspace() else BLANK for c in text[a:b])]
            at = b
    return "".join(parts) + text[at:]


def is_same(shown: str, text: str) -> bool:
    """Whether `shown` is the text, but for what is blank in it."""
    return shown == text or (len(shown) == len(text) and all(a in (b, BLANK) for a, b in zip(shown, text, strict=True)))
