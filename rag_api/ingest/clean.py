"""The lines of all pages -> cleaned pages: no headers, footers or hidden characters; paragraphs in one piece.

A line break inside a paragraph becomes a space (or nothing, after a hyphen that parts syllables); headings, list items and
table rows keep a line of their own, cells parted by a tab; a paragraph goes on across a page border. Every character keeps its
box, so that what is cut stays traceable. Thesis, section 3.2.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from rag_api.ingest.characters import SOFT_HYPHEN, clean_line
from rag_api.ingest.furniture import furniture, text_of
from rag_api.ingest.hyphens import Hyphen, judge, lexicon
from rag_api.ingest.layout import Line, Row
from rag_api.ingest.marked import Marked, concat, plain
from rag_api.types import CutLine, Page

Item = Line | Row

_BULLET = re.compile(r"[•▪●○◦■□◆◇▫–—►➢➤→✓✔❑❖*·‣]\s|[o§]\s(?=\S)|-\s")
_NUMBER = re.compile(r"\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)]\s|\d{1,2}(?:\.\d{1,2})+\.?\s|stap \d|step \d", re.IGNORECASE)
_ENDS = re.compile(r"[.!?:;][\"'”’»)\]]*$")
_HYPHENATED = re.compile(r"[^\W_][-\u00ad]$")


@dataclass(frozen=True, slots=True, eq=False)
class LaidOut:
    """A page as its reader gave it: lines and rows in reading order. `tall`: its height in reading space."""

    number: int
    width: float
    height: float
    rotation: int
    tall: float
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Cleaned:
    pages: tuple[Page, ...]
    cut: tuple[CutLine, ...]  # what the pages no longer hold


def clean(pages: Sequence[LaidOut], language: str) -> Cleaned:
    """Pages in the order given, `start` counted from the first. language: "nl", "en" or "" (spelling rules of hyphens)."""
    tidy = [replace(page, items=tuple(_tidy(page.items))) for page in pages]
    cut = furniture([page.items for page in tidy], [page.tall for page in tidy])
    if all(id(item) in cut for page in tidy for item in page.items):  # the same page over and over is no header
        cut = {}
    bodies = [[item for item in page.items if id(item) not in cut] for page in tidy]
    lines = (CutLine(page.number, text_of(item), cut[id(item)]) for page in tidy for item in page.items if id(item) in cut)
    return Cleaned(_assemble(tidy, _Joiner(bodies, language).pieces()), tuple(lines))


def _tidy(items: Sequence[Item]) -> list[Item]:
    """Each line's characters cleaned; lines and cells of nothing left out."""
    kept: list[Item] = []
    for item in items:
        if isinstance(item, Line):
            line = _tidy_line(item)
            if line.marked.text.strip(SOFT_HYPHEN):
                kept.append(line)
            continue
        cells = [tuple(line for line in map(_tidy_line, cell) if line.marked.text.strip(SOFT_HYPHEN)) for cell in item.cells]
        if filled := tuple(cell for cell in cells if cell):
            kept.append(Row(filled))
    return kept


def _tidy_line(line: Line) -> Line:
    return replace(line, marked=clean_line(line.marked, line.symbol))


class _Joiner:
    """Decides what stands between one line and the next, over the whole document."""

    def __init__(self, bodies: list[list[Item]], language: str) -> None:
        self.bodies = bodies
        self.language = language
        lines = (line for body in bodies for item in body for line in (item.lines if isinstance(item, Row) else (item,)))
        self.words = lexicon(line.marked.text for line in lines)
        self.rights = _all_right_margins(bodies)
        self.gaps = [_usual_gap(body) for body in bodies]

    def pieces(self) -> list[list[Marked]]:
        """For each page its pieces of text in order, separators included; a separator belongs to the page before it."""
        pieces: list[list[Marked]] = [[] for _ in self.bodies]
        flat = [(page, i, item) for page, body in enumerate(self.bodies) for i, item in enumerate(body)]
        for n, (page, i, item) in enumerate(flat):
            text = self._row(item) if isinstance(item, Row) else item.marked
            if n + 1 < len(flat):
                following = flat[n + 1]
                text = self._close(text, self._separator(page, i, item, following[0], following[2]), following[2])
            else:
                text = concat([_without_soft(text), plain("\n")])
            pieces[page].append(text)
        return pieces

    def _row(self, row: Row) -> Marked:
        """Cells parted by tabs, each cell's lines joined: one line of text."""
        cells = []
        for cell in row.cells:
            parts = [self._close(line.marked, " ", after) for line, after in pairwise(cell)]
            cells.append(concat([*parts, _without_soft(cell[-1].marked)]))
        return concat([part for cell in cells for part in (cell, plain("\t"))][:-1])

    def _close(self, text: Marked, separator: str, after: Item) -> Marked:
        """The text with what parts it from `after`; a hyphen at its end is judged when the line goes on."""
        if separator == " " and isinstance(after, Line) and _HYPHENATED.search(text.text):
            verdict = judge(text.text, after.marked.text, self.words, self.language)
            kept = text[: len(text.text) - 1] if verdict is Hyphen.DROP else _without_soft(text)
            return concat([kept, plain(" ")]) if verdict is Hyphen.SUSPENDED else kept
        return concat([_without_soft(text), plain(separator)])

    def _separator(self, page: int, i: int, one: Item, next_page: int, two: Item) -> str:
        """' ' when `two` goes on with `one`'s paragraph, else one or two line ends."""
        if isinstance(one, Row) or isinstance(two, Row):
            heads = isinstance(one, Line) and one.bold
            return "\n" if heads or (isinstance(one, Row) and isinstance(two, Row)) else "\n\n"
        right = self.rights[page][i]
        if _styled_apart(one, two):
            return "\n" if _heads(one, two) else "\n\n"  # so that a chunk is cut before a heading, not after it
        if next_page != page or _jumps(one, two):  # over a page border or to the next column
            return " " if _goes_over(one, two, right) else "\n"
        gap = two.y0 - one.y1
        if gap > max(0.75 * one.size, 1.35 * self.gaps[page] + 1):
            return " " if _unfinished(one, two) and gap < 1.5 * one.size else "\n\n"
        return " " if _goes_on(one, two, right) else "\n"


def _without_soft(text: Marked) -> Marked:
    return text[: len(text.text) - 1] if text.text.endswith(SOFT_HYPHEN) else text


def _styled_apart(one: Line, two: Line) -> bool:
    """Another size or weight: a heading and its text. A word in bold that a sentence runs into is not."""
    if abs(one.size - two.size) > 0.12 * max(one.size, two.size):
        return True
    return one.bold != two.bold and not _unfinished(one, two)


def _heads(one: Line, two: Line) -> bool:
    """`one` is the heading of `two`."""
    return (one.bold and not two.bold) or one.size > 1.12 * two.size


def _jumps(one: Line, two: Line) -> bool:
    return two.y1 < one.y0 or two.x0 > one.x1 or two.aside != one.aside


def _unfinished(one: Line, two: Line) -> bool:
    """By their letters alone, `two` must go on with `one`'s sentence."""
    first = two.marked.text[0]
    return first.islower() and not _ENDS.search(one.marked.text) and not _starts_item(one, two, wraps=False)


def _goes_on(one: Line, two: Line, right: float) -> bool:
    """The line ended because its margin was reached. If two's first word had fitted, the writer broke the line."""
    wraps = one.x1 + 0.25 * one.size + two.first_word > right - 1
    if _starts_item(one, two, wraps):
        return False
    if _HYPHENATED.search(one.marked.text) and two.marked.text[0].isalpha():
        return True
    if _unfinished(one, two):
        return True
    indented = two.x0 > one.x0 + 1.2 * one.size and not _label(one)
    if indented and (_ENDS.search(one.marked.text) or not wraps):
        return False
    return wraps


def _goes_over(one: Line, two: Line, right: float) -> bool:
    """As `_goes_on`, over a page border, where the gap says nothing."""
    if _HYPHENATED.search(one.marked.text) and two.marked.text[0].islower():
        return True
    if _label(two) or one.marked.text.endswith(":"):
        return False
    return _unfinished(one, two) or one.x1 + 0.25 * one.size + two.first_word > right - 1


def _label(line: Line) -> bool:
    text = line.marked.text
    return bool(_BULLET.match(text) or _NUMBER.match(text))


def _starts_item(one: Line, two: Line, wraps: bool) -> bool:
    """`two` opens a list item. A wrapped line may begin with '4.2 ' or '- ' by chance: then `one` is full and unfinished."""
    text = two.marked.text
    if _BULLET.match(text) and text[0] not in "-–—*o":
        return True
    if not _label(two):
        return False
    by_chance = wraps and not _ENDS.search(one.marked.text) and two.x0 > one.x0 - 3 and not (_label(one) and abs(two.x0 - one.x0) < 3)
    return not by_chance


def _all_right_margins(bodies: Sequence[Sequence[Item]]) -> list[list[float]]:
    """For each item the right margin of its column. A lone line has none of its own: it gets the document's furthest."""
    runs = [list(_runs(body)) for body in bodies]
    own = [[_margin([body[i] for i in run]) for run in page] for body, page in zip(bodies, runs, strict=True)]
    furthest = max((max(margins, default=0.0) for margins in own), default=0.0)
    rights = [[0.0] * len(body) for body in bodies]
    for page, found, margins in zip(runs, own, rights, strict=True):
        for run, margin in zip(page, found, strict=True):
            for i in run:
                margins[i] = margin if len(run) > 2 else furthest
    return rights


def _runs(body: Sequence[Item]) -> Iterator[list[int]]:
    """The lines of a page, by column: a run ends where the text jumps up or aside."""
    run: list[int] = []
    for i, item in enumerate(body):
        if isinstance(item, Row):
            continue
        last = body[run[-1]] if run else None
        if isinstance(last, Line) and _jumps(last, item):
            yield run
            run = []
        run.append(i)
    if run:
        yield run


def _margin(run: Sequence[Item]) -> float:
    """The furthest right that at least two lines come near, of the size that most have: a heading may reach over two columns."""
    lines = [line for line in run if isinstance(line, Line)]
    usual = sorted(line.size for line in lines)[len(lines) // 2]
    ends = sorted((line.x1 for line in lines if abs(line.size - usual) <= 0.12 * usual), reverse=True)
    near = 0.12 * (ends[0] - min(line.x0 for line in lines))
    return next((one for one, two in pairwise(ends) if one - two < near), ends[0]) if len(ends) > 3 else ends[0]


def _usual_gap(body: Sequence[Item]) -> float:
    """The usual white between two lines of a page."""
    lines = [(a, b) for a, b in pairwise(body) if isinstance(a, Line) and isinstance(b, Line) and not _jumps(a, b)]
    gaps = [b.y0 - a.y1 for a, b in lines if abs(b.x0 - a.x0) < 2]
    return float(np.median(gaps)) if len(gaps) > 2 else 0.0


def _assemble(pages: Sequence[LaidOut], pieces: list[list[Marked]]) -> tuple[Page, ...]:
    assembled, start = [], 0
    for page, parts in zip(pages, pieces, strict=True):
        whole = concat(parts)
        assembled.append(Page(page.number, page.width, page.height, page.rotation, start, whole.text, whole.boxes))
        start += len(whole.text)
    return tuple(assembled)
