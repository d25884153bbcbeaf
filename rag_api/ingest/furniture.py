"""Finds what a page carries besides its text: headers, footers and page numbers that repeat from page to page.

Found by position (the same distance from the same edge) and likeness (digits abstracted), and only in an unbroken run
from the edge inwards, so that a sentence that happens to repeat stays.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from rag_api.ingest.layout import Line, Row

_ZONE = 0.25  # of the page's height, from either edge
_NEAR_EDGE = 0.12  # where a lone page number may stand
_MARGIN = 0.08
_DEPTH = 10  # lines and rows from either edge
_TOLERANCE = 6.0  # points up or down
_ALIKE = 0.8
_NUMBER = re.compile(r"(?:(?:pagina|page|pag\.?|blz\.?|p\.)\s*)?[-–]?\s*\d{1,4}\s*(?:(?:van|of|/|uit)\s*\d{1,4})?\s*[-–]?", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")

Item = Line | Row


@dataclass(slots=True)
class _Kind:
    """Lines of several pages taken for the same header or footer line."""

    text: str
    pages: set[int] = field(default_factory=set)


def furniture(pages: Sequence[Sequence[Item]], heights: Sequence[float]) -> set[int]:
    """The `id()` of every item that is a header or footer. heights: of the pages in reading space."""
    kinds: dict[tuple[str, int], list[_Kind]] = defaultdict(list)
    kind_of: dict[int, _Kind] = {}
    edges = [(edge, _from_edge(items, height, edge)) for items, height in zip(pages, heights, strict=True) for edge in ("top", "bottom")]
    for i, (edge, found) in enumerate(edges):
        for item, distance in found:
            kind = _kind(kinds, edge, distance, _abstract(item))
            kind.pages.add(i // 2)
            kind_of[id(item)] = kind
    needed = 2 if len(pages) <= 4 else 3
    cut = _in_the_margins(pages[0], heights[0]) if len(pages) == 1 else set()
    for i, (_, found) in enumerate(edges):
        for item, distance in found:
            enough = max(needed, 0.6 * len(pages)) if isinstance(item, Row) else needed  # a table's head repeats where the table goes on
            lone_number = distance < _NEAR_EDGE * heights[i // 2] and _NUMBER.fullmatch(_text(item)) is not None
            if len(kind_of[id(item)].pages) < enough and not lone_number:
                break
            cut.add(id(item))
    return cut


def _in_the_margins(items: Sequence[Item], height: float) -> set[int]:
    """Of a page that nothing can be compared with: what stands in the margin and is smaller than the text."""
    sizes = sorted(line.size for item in items for line in _lines(item))
    usual = sizes[len(sizes) // 2] if sizes else 0.0
    edge = _MARGIN * height
    outside = (item for item in items if item.y1 < edge or item.y0 > height - edge)
    return {id(item) for item in outside if len(items) > 3 and all(line.size < 0.95 * usual for line in _lines(item))}


def _lines(item: Item) -> tuple[Line, ...]:
    return item.lines if isinstance(item, Row) else (item,)


def _from_edge(items: Sequence[Item], height: float, edge: str) -> list[tuple[Item, float]]:
    """(item, distance from the edge), nearest first. Half a page at most: a page of two lines is no header."""
    lines = [item for item in items if isinstance(item, Row) or not item.aside]
    near = [(item, item.y0 if edge == "top" else height - item.y1) for item in lines]
    near = sorted((pair for pair in near if pair[1] < _ZONE * height), key=lambda pair: pair[1])
    return near[:_DEPTH]


def _kind(kinds: dict[tuple[str, int], list[_Kind]], edge: str, distance: float, text: str) -> _Kind:
    step = round(distance / _TOLERANCE)
    for place in (step, step - 1, step + 1):
        for kind in kinds[edge, place]:
            if _alike(kind.text, text):
                return kind
    kinds[edge, step].append(_Kind(text))
    return kinds[edge, step][-1]


def _alike(one: str, two: str) -> bool:
    if one == two:
        return True
    if not one or not two or min(len(one), len(two)) < _ALIKE * max(len(one), len(two)):
        return False
    matcher = SequenceMatcher(None, one, two, autojunk=False)
    return matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def _text(item: Item) -> str:
    return " ".join(line.marked.text for line in _lines(item)).strip()


def _abstract(item: Item) -> str:
    return _DIGITS.sub("#", _text(item)[:200]).casefold()
