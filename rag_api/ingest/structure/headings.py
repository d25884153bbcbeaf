"""Headings of a first page and running headers that may name a document, with how they are set."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from rag_api.domain import CutLine
from rag_api.ingest.common.described.title_signs import NamingLine
from rag_api.ingest.common.described.words import naming_words
from rag_api.ingest.layout.lines import Line, lines_of_item, usual_size
from rag_api.ingest.structure.clean import LaidOut
from rag_api.ingest.structure.document_ids import has_imprint
from rag_api.ingest.structure.headers_footers import HEADER

_UPPER = 0.6  # of the page's height: where a heading is looked for
_COVER = 15  # lines: a page of fewer may bear its title anywhere
_LONGEST = 300  # characters
_LETTERS = 3  # of a line at least
_CODE = re.compile(r"[^\W\d_][-_./]?\d")  # of a document or a department
_MARK = re.compile(r"(?<=[^\W\d_]{4})[⁰¹²³⁴-⁹*†‡]{1,2}$")  # of a footnote
_APART, _APART_ON_COVER = 1.0, 2.0  # line heights of white between two lines of one heading, at most
_SAME = 0.1  # points
_EVEN = 1.2  # times the least white between two of its lines


def headings_of(pages: Sequence[LaidOut], cut: Iterable[CutLine]) -> list[NamingLine]:
    """cut: what cleaning left out."""
    running = (NamingLine(header, repeated=True) for header in _running(cut, len(pages)))
    return [one for one in (*_of_first_page(pages), *running) if len(one.text) <= _LONGEST]


def _of_first_page(pages: Sequence[LaidOut]) -> Iterator[NamingLine]:
    page = pages[0]
    every = (line for item in page.items for line in lines_of_item(item) if not line.aside)
    cells = [_cells(line) for line in every if _letters(line) >= _LETTERS]
    lines = [max(own, key=_letters) for own in cells]  # a number or a page stands beside a heading
    cover = len(page.items) < _COVER
    usual = usual_size([one.items for one in pages[:10]] if cover else [lines])
    taken = 0
    for n, line in enumerate(lines):
        if n < taken or (line.y0 > _UPPER * page.tall and not cover):
            continue
        taken = n + _count(lines[n:], _APART_ON_COVER if cover else _APART)
        title = _MARK.sub("", " ".join(" ".join(one.marked.text for one in lines[n:taken]).split()))
        at = min(1.0, line.y0 / page.tall)
        yield NamingLine(title, line.size / usual, line.bold, at, imprint=has_imprint(title))
        for cell in cells[n]:  # beside a letterhead
            words = " ".join(cell.marked.text.split())
            if words not in title and _may_name(words):
                yield NamingLine(words, cell.size / usual, cell.bold, at)


def _count(lines: Sequence[Line], apart: float) -> int:
    """How many of them, from the first, are one heading."""
    last = next((n for n, (one, two) in enumerate(pairwise(lines)) if not _of_one(one, two, apart)), len(lines) - 1)
    whites = [(two.y0 - one.y1) / one.size for one, two in pairwise(lines[: last + 1])]
    most = max(_APART, _EVEN * min(whites, default=0.0))
    return next((n for n, white in enumerate(whites, start=1) if white > most), last + 1)


def _letters(line: Line) -> int:
    return sum(c.isalpha() for c in line.marked.text)


def _cells(line: Line) -> list[Line]:
    """Those of a line that have letters, each as large as it is set. Of text on its side nothing is
    known."""
    found, ends = [], [at for at, c in enumerate(line.marked.text) if c == "\t"]
    for begin, end in pairwise([-1, *ends, len(line.marked.text)]):
        own = replace(line, marked=line.marked[begin + 1 : end])
        boxes = own.marked.boxes
        if ends and _letters(own):
            (x0, y0), (x1, y1) = np.nanmin(boxes[:, :2], axis=0).tolist(), np.nanmax(boxes[:, 2:], axis=0).tolist()
            if min(x0 - line.x0, y0 - line.y0, line.x1 - x1, line.y1 - y1) > -_SAME:
                size = float(np.nanmedian(boxes[:, 3] - boxes[:, 1]))
                own = replace(own, x0=x0, y0=y0, x1=x1, y1=y1, size=size)
        found += [own] * bool(_letters(own))
    return found


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
            if _may_name(words):
                pages[words].add(line.page)
    return [words for words, on in sorted(pages.items(), key=lambda one: -len(one[1])) if len(on) >= max(2, count / 2)]


def _may_name(words: str) -> bool:
    return len(naming_words(words)) > 1 and not has_imprint(words) and not _CODE.search(words)
