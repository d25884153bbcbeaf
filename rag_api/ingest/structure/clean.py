"""The lines of all pages -> cleaned pages: no headers, footers or hidden characters; paragraphs in
one piece.

A line break inside a paragraph becomes a space (or nothing, after a hyphen that parts syllables);
headings, list items and table rows keep a line of their own, cells parted by a tab; a paragraph
goes on across a page border. Every character keeps its box, so that what is cut stays traceable.
Thesis, section 3.2.2.
"""

from __future__ import annotations

import re
from collections import ChainMap, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import count, pairwise, zip_longest
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import Block, CutLine, Page
from rag_api.ingest.common.boxed_text import Marked, concat, plain
from rag_api.ingest.common.characters import SOFT_HYPHEN, clean_line
from rag_api.ingest.layout.lines import Line, PageItem, PageRules, Row, lines_of_item
from rag_api.ingest.layout.scattered import loose_lines
from rag_api.ingest.layout.tables.captions import captions_first, frames_of_lines
from rag_api.ingest.structure.blocks.block_tree import structured
from rag_api.ingest.structure.blocks.paragraphs import Piece
from rag_api.ingest.structure.conservation import Shown, unaccounted
from rag_api.ingest.structure.flow import PlacedItem, parted, place_of
from rag_api.ingest.structure.headers_footers import LINE_NUMBER, SLANTED, furniture, text_of
from rag_api.ingest.structure.hyphens import Hyphen, judge, lexicon
from rag_api.ingest.structure.line_continuation import (
    all_right_margins,
    apart,
    continues,
    goes_on,
    goes_over,
    heads,
    in_brackets,
    jumps,
    listed,
    rows_apart,
    styled_apart,
    unfinished,
    usual_gap,
)
from rag_api.ingest.structure.marginalia import beside
from rag_api.ingest.structure.numbered_lines import numbered_lines, set_out
from rag_api.ingest.structure.tagged_lines import by_words

_HYPHENATED = re.compile(r"[^\W_][-\u00ad]$")


@dataclass(frozen=True, slots=True, eq=False)
class LaidOut:
    """A page as its reader gave it: lines and rows in reading order. `tall`: its height in reading
    space. `doubts`: the boxes of letters that may be others, [k, 4] in page space, exactly as the
    items have them."""

    number: int
    width: float
    height: float
    rotation: int
    tall: float
    items: tuple[PageItem, ...]
    doubts: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 4), np.float32))
    # [f, 4] boxes drawn around text
    frames: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 4), np.float32))
    scanned: bool = False  # it was read from its image
    slanted: tuple[str, ...] = ()  # lines that stand neither upright nor turned by quarters
    shown: Shown | None = None  # what is seen on it; None: it was not read from its text
    rules: PageRules = field(default_factory=PageRules)


@dataclass(frozen=True, slots=True)
class Cleaned:
    pages: tuple[Page, ...]
    cut: tuple[CutLine, ...]  # what the pages no longer hold
    blocks: tuple[Block, ...] = ()
    unaccounted: tuple[int, ...] = ()  # numbers of pages of which signs are lost, or stand twice
    loose: tuple[int, ...] = ()  # and of those of which lines that were not cut are drawn in no order
    unsure: tuple[tuple[int, int], ...] = ()  # places of rows and lines of tables of which the head is not certain
    unplaced: tuple[tuple[int, int], ...] = ()  # of other words of which a heading or bar is not


def clean(pages: Sequence[LaidOut], language: str, tagged: Sequence[str] = ()) -> Cleaned:
    """Pages in the order given, `start` counted from the first. language: "nl", "en" or ""
    (spelling rules of hyphens). tagged: the lines of the file that these pages show, where it says
    what they are."""
    tidy = [replace(page, items=tuple(_tidy(page.items))) for page in pages]
    cut, repeated = furniture([page.items for page in tidy], [page.tall for page in tidy])
    if all(id(item) in cut for page in tidy for item in page.items):  # the same page over and over is no header
        cut = {}
    cut |= {id(item): LINE_NUMBER for page in tidy for item in page.items if isinstance(item, Line) and item.counts}
    bodies = [[item for item in page.items if id(item) not in cut] for page in tidy]
    framed = [frames_of_lines(body, page.frames) for body, page in zip(bodies, tidy, strict=True)]
    rights = {
        id(item): right
        for body, ends in zip(bodies, all_right_margins(bodies), strict=True)
        for item, right in zip(body, ends, strict=True)
    }
    bodies = captions_first(bodies, [page.rules.across for page in tidy], framed)
    lines = [CutLine(page.number, text_of(one), cut[id(one)]) for page in tidy for one in page.items if id(one) in cut]
    lines += [CutLine(page.number, line, SLANTED) for page in tidy for line in page.slanted]
    pieces = _Joiner(bodies, [page.tall for page in tidy], rights, dict(ChainMap(*framed)), language, repeated).pieces()
    blocks, unsure, unplaced = structured(
        pieces, [page.frames for page in pages], [page.rules for page in pages], by_words(tagged)
    )
    assembled = _assemble(tidy, pieces)
    loose = tuple(page.number for page, body in zip(pages, bodies, strict=True) if loose_lines(body))
    unaccounted = tuple(_unaccounted(pages, assembled, lines))
    return Cleaned(assembled, tuple(lines), blocks, unaccounted, loose, unsure, unplaced)


def _unaccounted(pages: Sequence[LaidOut], assembled: Sequence[Page], cut: Sequence[CutLine]) -> Iterator[int]:
    left_out: dict[int, list[str]] = defaultdict(list)
    for line in cut:
        left_out[line.page].append(line.text)
    for laid, page in zip(pages, assembled, strict=True):
        if laid.shown is not None:
            found = unaccounted(laid.shown, [page.text, *left_out[page.number]], laid.items)
            if found.lost or found.doubled:
                yield page.number


def _tidy(items: Sequence[PageItem]) -> list[PageItem]:
    """Each line's characters cleaned; lines and cells of nothing left out."""
    kept: list[PageItem] = []
    for item in items:
        if isinstance(item, Line):
            line = _tidy_line(item)
            if line.marked.text.strip(SOFT_HYPHEN):
                kept.append(line)
            continue
        cells = [
            tuple(line for line in map(_tidy_line, cell) if line.marked.text.strip(SOFT_HYPHEN)) for cell in item.cells
        ]
        if filled := tuple(cell for cell in cells if cell):
            kept.append(Row(filled))
    return kept


def _tidy_line(line: Line) -> Line:
    return replace(line, marked=clean_line(line.marked, line.symbol))


class _Joiner:
    """Decides what stands between one line and the next, over the whole document."""

    def __init__(
        self,
        bodies: list[list[PageItem]],
        heights: Sequence[float],
        rights: Mapping[int, float],
        framed: Mapping[int, int],
        language: str,
        repeated: Set[int],
    ) -> None:
        self.bodies = bodies
        self.language = language
        lines = (line for body in bodies for item in body for line in lines_of_item(item))
        self.words = lexicon(line.marked.text for line in lines)
        self.rights = [[rights[id(item)] for item in body] for body in bodies]
        self.gaps = [usual_gap(body) for body in bodies]
        self.beside = beside(bodies, heights, self.rights)
        self.repeated = repeated
        self.framed = framed
        self.listed = listed(bodies, heights) | apart(bodies, self.rights)
        self.begins = numbered_lines(bodies) | set_out(bodies)
        self.in_brackets = in_brackets(bodies)

    def pieces(self) -> list[list[Piece]]:
        """For each page its pieces of text in order, separators included; a separator belongs to
        the page before it."""
        pieces: list[list[Piece]] = [[] for _ in self.bodies]
        placed = self._in_order()
        for one, two in zip_longest(placed, placed[1:]):
            cells = self._row(one.item) if isinstance(one.item, Row) else []
            text = concat(cells) if isinstance(one.item, Row) else one.item.marked
            ended = (
                concat([_without_soft(text), plain("\n")])
                if two is None
                else self._close(text, self._between(one, two), two.item)
            )
            pieces[one.page].append(
                Piece(one.item, ended, tuple(len(cell.text) for cell in cells), id(one.item) in self.repeated)
            )
        return pieces

    def _in_order(self) -> list[PlacedItem]:
        """As on the pages; but what stands beside a paragraph that runs past it comes behind the
        paragraph, or before it where it ends on another page."""
        number = count()
        everything = [
            PlacedItem(next(number), page, i, item)
            for page, body in enumerate(self.bodies)
            for i, item in enumerate(body)
        ]
        flow = [one for one in everything if id(one.item) not in self.beside]
        goes = [self._between(one, two) == " " for one, two in pairwise(flow)]  # does flow[k + 1] go on with flow[k]?
        behind: dict[int, list[PlacedItem]] = defaultdict(list)  # by the number of what comes before, -1: nothing
        k = -1
        for one in everything:
            if id(one.item) not in self.beside:
                k = next(n for n in range(k + 1, len(flow)) if flow[n].n == one.n)
                continue
            while 0 <= k < len(flow) - 1 and flow[k + 1].n == flow[k].n:  # the second half of a line that was parted
                k += 1
            place = place_of(one.page, k, flow, goes)
            if place is None:
                whole, place = flow[:], parted(flow, goes, k, one.page)
                if len(flow) > len(whole):
                    behind[id(flow[place + 1])] = behind.pop(id(whole[place]), [])
            behind[id(flow[place]) if place >= 0 else -1].append(one)
        order = sorted(behind.get(-1, ()), key=attrgetter("n"))
        for one in flow:
            order += [one, *sorted(behind.get(id(one), ()), key=attrgetter("n"))]
        assert len({one.n for one in order}) == len(everything), "an item was lost"
        return order

    def _between(self, one: PlacedItem, two: PlacedItem) -> str:
        beside = [id(placed.item) in self.beside for placed in (one, two)]
        if any(beside) and (not all(beside) or one.page != two.page):
            return (
                "\n"
                if isinstance(one.item, Line) and isinstance(two.item, Line) and heads(one.item, two.item)
                else "\n\n"
            )
        separator = self._separator(one.page, one.i, one.item, two.page, two.item)
        if (
            two.n != one.n + 1 and separator == " " and isinstance(one.item, Line) and isinstance(two.item, Line)
        ):  # something stands between
            return " " if continues(one.item, two.item, self.rights[one.page][one.i]) else "\n"
        return separator

    def _row(self, row: Row) -> list[Marked]:
        """Cells with the tabs that part them, each cell's lines joined: one line of text."""
        cells = []
        for n, cell in enumerate(row.cells, start=1):
            parts = [self._close(line.marked, " ", after) for line, after in pairwise(cell)]
            cells.append(concat([*parts, _without_soft(cell[-1].marked), plain("\t" if n < len(row.cells) else "")]))
        return cells

    def _close(self, text: Marked, separator: str, after: PageItem) -> Marked:
        """The text with what parts it from `after`; a hyphen at its end is judged when the line
        goes on."""
        if separator == " " and isinstance(after, Line) and _HYPHENATED.search(text.text):
            verdict = judge(text.text, after.marked.text, self.words, self.language)
            kept = text[: len(text.text) - 1] if verdict is Hyphen.DROP else _without_soft(text)
            return concat([kept, plain(" ")]) if verdict is Hyphen.SUSPENDED else kept
        return concat([_without_soft(text), plain(separator)])

    def _separator(self, page: int, i: int, one: PageItem, next_page: int, two: PageItem) -> str:
        """' ' when `two` goes on with `one`'s paragraph, else one or two line ends."""
        if lines_of_item(one)[-1].drawing != lines_of_item(two)[0].drawing:
            return "\n\n"
        if isinstance(one, Row) or isinstance(two, Row):
            caption = isinstance(one, Line) and one.bold
            rows = isinstance(one, Row) and isinstance(two, Row)
            return "\n" if caption or rows or (next_page == page and _one_table(one, two)) else "\n\n"
        if one.cell != two.cell or id(two) in self.in_brackets:
            return "\n" if one.cell != two.cell else " "
        right = self.rights[page][i]
        if next_page == page and not jumps(one, two) and (rows_apart(one, two) or id(two) in self.listed):
            return "\n" if two.y0 - one.y1 < max(0.75 * one.size, 1.35 * self.gaps[page] + 1) else "\n\n"
        if styled_apart(one, two):
            return "\n" if heads(one, two) else "\n\n"  # so that a chunk is cut before a heading, not after it
        begins = id(two) in self.begins
        if next_page != page or jumps(one, two):  # over a page border or to the next column
            begins |= next_page == page and self.framed.get(id(one)) != self.framed.get(id(two))  # of a box
            return " " if not begins and goes_over(one, two, right) else "\n"
        gap = two.y0 - one.y1
        if gap > max(0.75 * one.size, 1.35 * self.gaps[page] + 1):
            return " " if not begins and unfinished(one, two) and gap < 1.5 * one.size else "\n\n"
        return " " if not begins and goes_on(one, two, right) else "\n"


def _one_table(one: PageItem, two: PageItem) -> bool:
    """A row with rules around it, and close to it one without."""
    cells = [isinstance(item, Row) or "\t" in item.marked.text for item in (one, two)]
    size = next(line.size for item in (one, two) if isinstance(item, Row) for line in item.lines)
    return all(cells) and -0.5 * size < two.y0 - one.y1 < 1.2 * size


def _without_soft(text: Marked) -> Marked:
    return text[: len(text.text) - 1] if text.text.endswith(SOFT_HYPHEN) else text


def _assemble(pages: Sequence[LaidOut], pieces: list[list[Piece]]) -> tuple[Page, ...]:
    assembled, start = [], 0
    for page, parts in zip(pages, pieces, strict=True):
        whole = concat(piece.text for piece in parts)
        text_from = "ocr" if page.scanned else "pdf"
        assembled.append(
            Page(page.number, page.width, page.height, page.rotation, start, whole.text, whole.boxes, text_from)
        )
        start += len(whole.text)
    return tuple(assembled)
