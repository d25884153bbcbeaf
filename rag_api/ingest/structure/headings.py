"""Headings of a first page and running headers that may name a document, the likeliest first.

What a document's file is called tells which of them does: a cover bears its maker's name larger
than its own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from rag_api.domain import CutLine
from rag_api.ingest.common.boxed_text import Marked
from rag_api.ingest.common.metadata import naming_words
from rag_api.ingest.layout.lines import Line, usual_size
from rag_api.ingest.structure.clean import LaidOut
from rag_api.ingest.structure.document_ids import has_imprint
from rag_api.ingest.structure.headers_footers import HEADER

_TITLES = 6
_TOP = 0.14  # of the page's height: where a letterhead stands
_UPPER = 0.6  # of the page's height: where a heading is looked for
_COVER = 15  # lines: a page of fewer may bear its title anywhere
_LARGER = 1.15  # than most letters
_LONGEST = 300  # characters
_LETTERHEAD = re.compile(
    r"ziekenhuis|hospital\b|hospitals\b|kliniek\b|\bclinic\b|\bumc\b|\buz\b|\baz\b|medisch centrum|medical "
    r"cent|universitair|"
    r"university|ministerie|staten-generaal|gemeente|stichting|\bvzw\b|\bnhs\b|zorggroep|campus",
    re.IGNORECASE,
)
_PART = re.compile(  # of what stands before or behind it
    r"[,;:(&/–-]$|\b(?:de|het|een|en|van|in|op|te|met|voor|bij|of|the|a|an|of|and|to|for|with|on|by|or|from|at)$"
    r"|^(?:by|of|and|or|on behalf|door|en|namens)\b",
    re.IGNORECASE,
)

_CODE = re.compile(r"[^\W\d_][-_./]?\d")  # of a document or a department
_MARK = re.compile(r"(?<=[^\W\d_]{4})[⁰¹²³⁴-⁹*†‡]{1,2}$")  # of a footnote
_APART, _APART_ON_COVER = 1.0, 2.0  # line heights of white between two lines of one heading, at most
_EVEN = 1.2  # times the white between those before


def headings_of(pages: Sequence[LaidOut], cut: Iterable[CutLine], name: str) -> tuple[str, ...]:
    """What may be the title. Of the first page its larger or bold lines, those that the file's name
    shares words with before larger ones; then of what every page repeats. Behind these what names
    nothing, bears a date or a version, or is part of a sentence, and last a letterhead. cut: what
    cleaning left out."""
    called = naming_words(PurePosixPath(name).stem)
    found: list[tuple[bool, bool, int, float, str]] = []
    for title, size, letterhead in [
        *_of_first_page(pages),
        *((header, 0.0, False) for header in _running(cut, len(pages))),
    ]:
        if len(title) <= _LONGEST:
            words = naming_words(title)
            dated = (has_imprint(title) and len(called & words) < 2) or bool(_PART.search(title))
            found.append((letterhead, not words or dated, -_shared(called, words), -round(size, 1), title))
    return tuple(dict.fromkeys(title for *_, title in sorted(found, key=lambda one: one[:4])))[:_TITLES]


def _shared(called: frozenset[str], words: frozenset[str]) -> int:
    """How many words a file's name and a heading share; fewer than half of those that the shorter
    has may be chance."""
    shared = len(called & words)
    return shared if 2 * shared >= min(len(called), len(words)) else 0


def _of_first_page(pages: Sequence[LaidOut]) -> Iterable[tuple[str, float, bool]]:
    """(heading, its size, whether it is a letterhead)"""
    page = pages[0]
    lines = [
        _widest(item)
        for item in page.items
        if isinstance(item, Line) and not item.aside and _letters(item.marked.text) >= 3
    ]
    cover = len(page.items) < _COVER
    usual = usual_size([one.items for one in pages[:10]]) if cover else usual_size([lines])
    taken = 0
    for n, line in enumerate(lines):
        if n < taken or (line.y0 > _UPPER * page.tall and not cover):
            continue
        alone = len(lines) == 1 < len(pages)  # all that a cover says; all that a document says is no title
        if not (alone or line.size >= _LARGER * usual or line.bold):
            continue
        taken, apart = n + 1, _APART_ON_COVER if cover else _APART
        while taken < len(lines) and _of_one(lines[taken - 1], lines[taken], apart):
            apart = max(_APART, min(apart, _EVEN * (lines[taken].y0 - lines[taken - 1].y1) / line.size))
            taken += 1
        title = _MARK.sub("", " ".join(" ".join(one.marked.text for one in lines[n:taken]).split()))
        letterhead = line.y0 < _TOP * page.tall and _LETTERHEAD.search(title) is not None and len(title.split()) <= 8
        yield title, line.size, letterhead


def _letters(text: str) -> int:
    return sum(c.isalpha() for c in text)


def _widest(line: Line) -> Line:
    """Of a line of cells the one with most letters: a number or a page stands beside a heading. Of
    text on its side nothing is known."""
    start, cells = 0, []
    for cell in line.marked.text.split("\t"):
        cells.append((_letters(cell), -start, cell))
        start += len(cell) + 1
    _, at, text = max(cells)
    boxes = line.marked.boxes[-at : len(text) - at]
    left, right = float(np.nanmin(boxes[:, 0])), float(np.nanmax(boxes[:, 2]))
    return replace(line, marked=Marked(text, boxes), x0=left, x1=right) if line.x0 <= left <= right <= line.x1 else line


def _of_one(one: Line, two: Line, apart: float) -> bool:
    """Two lines of one heading: set alike, close below each other and even at one side or in the
    middle."""
    if (
        abs(two.size - one.size) >= 0.1
        or one.bold != two.bold
        or not -0.5 * one.size <= two.y0 - one.y1 < apart * one.size
    ):
        return False
    sides = (two.x0 - one.x0, two.x1 - one.x1, (two.x0 + two.x1 - one.x0 - one.x1) / 2)
    return min(map(abs, sides)) < one.size and not has_imprint(one.marked.text) and not has_imprint(two.marked.text)


def _running(cut: Iterable[CutLine], count: int) -> Iterable[str]:
    """The parts of headers that most pages bear and that tell no page, date, version, code or file;
    the commonest first."""
    pages: dict[str, set[int]] = defaultdict(set)
    for line in cut:
        for part in line.text.split("\t") if line.reason == HEADER else ():
            words = " ".join(part.split())
            if len(naming_words(words)) > 1 and not has_imprint(words) and not _CODE.search(words):
                pages[words].add(line.page)
    return [words for words, on in sorted(pages.items(), key=lambda one: -len(one[1])) if len(on) >= max(2, count / 2)]
