"""Flow of a document's text: where in it comes what stands beside a paragraph that runs past it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from rag_api.ingest.layout.lines import PageItem, Row

_SENTENCE = re.compile(r"[.!?] +(?=[A-ZÀ-Þ0-9])")


@dataclass(frozen=True, slots=True, eq=False)
class PlacedItem:
    """An item with its place in the document, its page, and its place on that."""

    n: int
    page: int
    i: int
    item: PageItem


def place_of(page: int, k: int, flow: Sequence[PlacedItem], goes: Sequence[bool]) -> int | None:
    """Behind which of the flow an item of this page comes that stands behind flow[k]; None: its
    paragraph fills the page."""
    if k < 0 or k >= len(goes) or not goes[k]:
        return k
    last = next((n for n in range(k + 1, len(goes)) if not goes[n]), len(flow) - 1)
    first = next((n for n in range(k, 0, -1) if not goes[n - 1]), 0)
    if flow[last].page == page:
        return last
    return first - 1 if flow[first].page == page else None


def parted(flow: list[PlacedItem], goes: list[bool], k: int, page: int) -> int:
    """Part a paragraph that fills a page at the end of a sentence on it, the nearest one up from
    flow[k]; behind which of the flow that is."""
    for n in chain(range(k, -1, -1), range(k + 1, len(flow))):
        one = flow[n]
        if abs(one.page - page) > 1:
            break
        if one.page != page or isinstance(one.item, Row):
            continue
        ends = list(_SENTENCE.finditer(one.item.marked.text))
        if ends:
            at = ends[-1].end()
            text = one.item.marked
            halves = (replace(one.item, marked=text[: ends[-1].start() + 1]), replace(one.item, marked=text[at:]))
            flow[n : n + 1] = [replace(one, item=half) for half in halves]
            goes.insert(n, False)
            return n
    return k
