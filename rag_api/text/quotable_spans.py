"""Document text -> what an answer may quote of it, each with the words that it must not be read without.

"Ernstige leverinsufficientie" under "Niet geven bij:" says the opposite of what it says alone; a table's row without its header does
not say which number is what; "These patients get none" needs the patients. So a list item brings the line that introduces its
list, a row its table's header, a sentence below a heading such as "Contra-indicaties" that heading, and a sentence that points
back, or that takes something back ("Behalve ..."), is one span with the sentence before it. When in doubt words are added:
too much is read over, too little may be wrong. Knows characters only, as sentence_splitter.py does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rag_api.text.sentence_splitter import Kind, Span, sentences

VERSION = 1  # one more whenever anything else may be quoted or is read with it (tests/rag_api/test_rule_versions.py)
LONGEST_LEAD = 400  # characters; a longer introduction is no introduction
_HISTORY = re.compile(r"(versie|version|datum|date)\b.*\b(wijziging\w*|changes?|aanpassing\w*|omschrijving|description)\b", re.IGNORECASE)
# Rows that say what the document is, not what it says.
_ABOUT = re.compile(
    r"(documentnummer|document ?number|documenttype|document type|versie|version|geldig (vanaf|tot)|valid (from|until|to)"
    r"|eigenaar|owner|doelgroep|target group|dienst|department)$",
    re.IGNORECASE,
)
_CELL = re.compile(r"\t| \| ")
# A heading without which what stands below it may be read as its opposite, or for the wrong patient.
_TURNS_OVER = re.compile(
    r"\b(contra-?\s?indicati\w*|niet|nooit|geen|zonder|verboden|vermijd\w*|uitgesloten|exclusie\w*|uitzondering\w*|behalve|tenzij|stop\w*"
    r"|not|never|no|without|avoid\w*|exclu\w+|exception\w*|except|unless|do not|don't|contraindicat\w*|prohibited|forbidden"
    r"|volwassen\w*|kind|kinderen|neonat\w*|neonaten|prematu\w*|zwanger\w*|adults?|child|children|infants?|pregnan\w*|newborns?)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"(deze|dit|die|dat|daarbij|daarna|daarvoor|daarmee|hierbij|hierna|hiervoor|ze|zij|het gaat|nadien|vervolgens|in dat geval|dan|anders"
    r"|this|these|those|that|they|he|she|it|then|thereafter|afterwards|otherwise|in that case|such)\b",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"(behalve|uitgezonderd|uitzondering\w*|tenzij|maar|echter|niet bij|niet geven|niet voor|geldt niet"
    r"|except\w*|unless|but|however|not (?:in|for|with)|this does not)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quotable:
    """text[start:end], to be read after text[a:b] for every (a, b) of `lead`, which come before it and end in white space."""

    start: int
    end: int
    kind: Kind
    lead: tuple[tuple[int, int], ...] = ()
    heading: tuple[int, int] | None = None  # what it stands below


def quotable(text: str) -> list[Quotable]:
    """In reading order. Headings, headers and introductions are no quotes of their own: they answer nothing."""
    found: list[Quotable] = []
    heading: Span | None = None
    spans = sentences(text)
    at = 0
    while at < len(spans):
        span = spans[at]
        block = _block(spans, at, text)
        if span.kind == Kind.HEADING:
            heading = span
        elif span.kind == Kind.ROW:
            found += _below(heading, _rows(block, text))
        elif span.kind == Kind.ITEM:
            found += _below(heading, _items(block, _introduction(spans, at, text, heading)))
        else:
            found += _below(heading, _prose(block, heading, text, introduces=_introduces(block[-1], spans[at + len(block) :][:1], text)))
        at += len(block)
    return [quote for quote in found if text[quote.start : quote.end].strip()]


def _below(heading: Span | None, quotes: Iterable[Quotable]) -> list[Quotable]:
    return [replace(quote, heading=(heading.start, heading.end)) for quote in quotes] if heading else list(quotes)


def _block(spans: Sequence[Span], at: int, text: str) -> Sequence[Span]:
    """The spans from `at` on that belong together: a table, a list with its items' further sentences, a line of prose, a heading."""
    kind, end = spans[at].kind, at + 1
    while end < len(spans) and kind != Kind.HEADING:
        gap = text[spans[end - 1].start : spans[end - 1].end]
        same_line = not gap.endswith("\n")
        goes_on = spans[end].kind == kind and kind != Kind.PROSE and not re.search(r"\n\s*\n\s*$", gap)
        if not (goes_on or (same_line and spans[end].kind == Kind.PROSE)):
            break
        end += 1
    return spans[at:end]


def _rows(rows: Sequence[Span], text: str) -> Iterator[Quotable]:
    """The first row heads the others when it looks like one that does. What a document's versions changed is no answer: it may have
    been changed again."""
    cells = [_cells(text[row.start : row.end]) for row in rows]
    if _HISTORY.match(" ".join(cells[0])):
        return
    header = rows[0] if _is_header(cells) and rows[0].end - rows[0].start <= LONGEST_LEAD else None
    for row, own in zip(rows, cells, strict=True):
        if row is not header and not (own and _ABOUT.match(own[0])):
            yield Quotable(row.start, row.end, Kind.ROW, _lead(header))


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Mostly without figures; or, in a regular table of three columns and more, figures that stand for columns ("MEWS 3 2 1 0")."""
    if len(rows) < 3:
        return False
    figures = [any(c.isdigit() for c in cell) for cell in rows[0]]
    regular = len(rows[0]) >= 3 and not figures[0] and all(len(row) == len(rows[0]) for row in rows)
    return sum(figures) * 2 < len(figures) or regular


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in _CELL.split(row.strip()) if cell.strip()]


def _introduction(spans: Sequence[Span], at: int, text: str, heading: Span | None) -> Span | None:
    """The line before the list when it ends in a colon, else the heading above."""
    before = spans[at - 1] if at else None
    if before is not None and before.kind == Kind.PROSE and text[before.start : before.end].rstrip().endswith(":"):
        return before if before.end - before.start <= LONGEST_LEAD else None
    return heading


def _items(block: Sequence[Span], introduction: Span | None) -> Iterator[Quotable]:
    """Each item whole: its sentences explain each other."""
    starts = [n for n, span in enumerate(block) if span.kind == Kind.ITEM]
    for begin, end in zip(starts, [*starts[1:], len(block)], strict=True):
        yield Quotable(block[begin].start, block[end - 1].end, Kind.ITEM, _lead(introduction))


def _prose(block: Sequence[Span], heading: Span | None, text: str, introduces: bool) -> Iterator[Quotable]:
    turning = heading if heading is not None and _TURNS_OVER.search(text[heading.start : heading.end]) else None
    joined: list[Quotable] = []
    for span in block[: len(block) - 1 if introduces else len(block)]:
        words = text[span.start : span.end]
        if joined and _TAKES_BACK.match(words):
            joined[-1] = replace(joined[-1], end=span.end)
        elif joined and _POINTS_BACK.match(words) and span.end - joined[-1].start <= LONGEST_LEAD * 2:
            joined.append(Quotable(joined[-1].start, span.end, Kind.PROSE, joined[-1].lead))
        else:
            joined.append(Quotable(span.start, span.end, Kind.PROSE, _lead(turning)))
    yield from joined


def _introduces(last: Span, following: Sequence[Span], text: str) -> bool:
    """Says nothing but what the list below it is of."""
    is_list = bool(following) and following[0].kind in (Kind.ITEM, Kind.ROW)
    return is_list and text[last.start : last.end].rstrip().endswith(":")


def _lead(span: Span | None) -> tuple[tuple[int, int], ...]:
    return () if span is None else ((span.start, span.end),)
