"""Finds what a page carries besides its text: headers, footers and page numbers that repeat from
page to page.

Found by position (the same distance from the same edge) and by words: the same ones, but for page
numbers, dates, versions, codes and file names. Only in an unbroken run from the edge inwards, so
that a sentence that happens to repeat stays; and never a line with a unit, a drug or a sentence,
whatever repeats. Time grows with the number of lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rag_api.ingest.layout.lines import Line, PageItem, Row, lines_of_item, usual_size
from rag_api.ingest.structure.document_ids import counts, has_imprint, is_content, is_number, is_page_number, keys

_ZONE = 0.25  # of the page's height, from either edge
_NEAR_EDGE = 0.12  # where a lone page number may stand
_MARGIN = 0.08  # where a single page's small print may be cut
_WORDS_ZONE = 0.15  # where words repeat in a header that tells no page, date, version, code or file
_DEPTH = 10  # lines and rows from either edge
_TOLERANCE = 6.0  # points up or down
_LARGER = 1.15  # than most lines: a heading
_TITLE = 1.3  # and a title, which a running head says again

HEADER, FOOTER, PAGE_NUMBER = "header", "footer", "page_number"
LINE_NUMBER, SLANTED = "line_number", "slanted"  # what is cut for another reason


@dataclass(frozen=True, slots=True)
class _Near:
    """An item near an edge of a page. `page` counts from 0."""

    item: PageItem
    page: int
    edge: str
    distance: float
    text: str
    numbers: bool = False  # it is the page's number

    def places(self) -> Iterator[tuple[str, int, str]]:
        """What it is found by again on other pages."""
        for key in keys(self.text, self.page):
            yield self.edge, round(self.distance / _TOLERANCE), key


def furniture(pages: Sequence[Sequence[PageItem]], heights: Sequence[float]) -> tuple[dict[int, str], set[int]]:
    """The `id()` of every item that is a header, footer or page number, with which of these it is;
    and of all that stand at one place of several pages, those too that hold what a reader could
    need. heights: in reading space."""
    edges = [
        _from_edge(items, height, page, edge)
        for page, (items, height) in enumerate(zip(pages, heights, strict=True))
        for edge in (HEADER, FOOTER)
    ]
    places: dict[tuple[str, int, str], set[int]] = defaultdict(set)
    for near in (near for edge in edges for near in edge):
        for place in near.places():
            places[place].add(near.page)
    usual = usual_size(pages)
    titles = (
        [text for item in pages[0] for text in [text_of(item)] if isinstance(item, Line) and item.size > _TITLE * usual]
        if pages
        else []
    )
    cut: dict[int, str] = {}
    repeated: set[int] = set()
    for edge in edges:
        run = list(_run(edge, places, heights, len(pages)))
        found = _of_one_page(edge, usual, heights) if len(pages) == 1 else _cuttable(run, usual, heights, titles)
        cut |= {id(near.item): near.edge for near in found} | {
            id(near.item): PAGE_NUMBER for near in run if near.numbers
        }
        repeated |= {id(near.item) for near in run}
    return cut, repeated


def text_of(item: PageItem) -> str:
    """Its words, cells parted by tabs."""
    if isinstance(item, Line):
        return item.marked.text.strip()
    return "\t".join(" ".join(line.marked.text.strip() for line in cell) for cell in item.cells)


def _from_edge(items: Sequence[PageItem], height: float, page: int, edge: str) -> list[_Near]:
    """Nearest first."""
    upright = [item for item in items if isinstance(item, Row) or not item.aside]
    near = [(item.y0 if edge == HEADER else height - item.y1, item) for item in upright]
    near = sorted((pair for pair in near if pair[0] < _ZONE * height), key=lambda pair: pair[0])
    return [_Near(item, page, edge, distance, text_of(item)) for distance, item in near[:_DEPTH]]


def _run(
    edge: Sequence[_Near], places: dict[tuple[str, int, str], set[int]], heights: Sequence[float], count: int
) -> Iterator[_Near]:
    """From the edge inwards what stands there on other pages too, and page numbers."""
    needed = 2 if count <= 4 else 3
    for near in edge:
        # a table's head repeats where the table goes on
        enough = max(needed, 0.6 * count) if isinstance(near.item, Row) else needed
        repeats = [_is_at(places, place, enough, count) for place in near.places()]
        said = is_page_number(near.text) or counts(near.text, near.page + 1)
        if (said and near.distance < _NEAR_EDGE * heights[near.page]) or (
            is_number(near.text) and len(repeats) > 1 and repeats[-1]
        ):
            yield replace(near, numbers=True)
        elif any(repeats):
            yield near
        else:
            return


def _is_at(
    places: dict[tuple[str, int, str], set[int]], place: tuple[str, int, str], enough: float, count: int
) -> bool:
    """It stands there on enough of the pages; or, of a document printed on both sides, on all left
    or all right ones but the first."""
    edge, step, key = place
    pages = set().union(*(places.get((edge, near, key), ()) for near in (step - 1, step, step + 1)))
    one_side = (
        len(pages) > 1
        and pages >= set(range(min(pages), count, 2))
        and min(pages) <= 3
        and len({page % 2 for page in pages}) == 1
    )
    return len(pages) >= enough or one_side


def _of_one_page(edge: Sequence[_Near], usual: float, heights: Sequence[float]) -> Iterator[_Near]:
    """Nothing can be compared with it: small print at the very edge that tells a page, date,
    version, code or file."""
    for near in edge:
        small = all(line.size < 0.95 * usual for line in lines_of_item(near.item))
        if near.distance < _MARGIN * heights[0] and small and has_imprint(near.text) and not is_content(near.text):
            yield near


def _cuttable(run: Sequence[_Near], usual: float, heights: Sequence[float], titles: Sequence[str]) -> Iterator[_Near]:
    """Of the run what holds nothing that a reader could need, or the title again."""
    content = _content([replace(near, text=_without(near.text, titles)) for near in run])
    # what stands outside of it belongs to it
    last = max((i for i, near in enumerate(run) if has_imprint(near.text)), default=-1)
    for i, near in enumerate(run):
        plain = (
            isinstance(near.item, Line)
            and near.item.size < _LARGER * usual
            and near.distance < _WORDS_ZONE * heights[near.page]
        )
        if i not in content and (i <= last or plain):
            yield near


def _without(text: str, titles: Sequence[str]) -> str:
    """Cells that say a title again."""
    cells = text.split("\t")
    return "\t".join(cell for cell in cells if cell.strip() not in titles) if len(cells) > 1 else text


def _content(run: Sequence[_Near]) -> set[int]:
    """Places in the run of lines that hold content, with the lines that one of these runs on from
    or into."""
    order = sorted(range(len(run)), key=lambda i: run[i].item.y0)
    blocks: list[list[int]] = [[i] for i in order[:1]]
    for one, two in pairwise(order):
        if _goes_on(run[one], run[two]):
            blocks[-1].append(two)
        else:
            blocks.append([two])
    return {
        i
        for block in blocks
        if is_content(" ".join(run[i].text for i in block)) or any(is_content(run[i].text) for i in block)
        for i in block
    }


def _goes_on(one: _Near, two: _Near) -> bool:
    """Lines of one paragraph: under each other, of one size, and neither tells of the document
    itself."""
    above, below = one.item, two.item
    if isinstance(above, Row) or isinstance(below, Row) or has_imprint(one.text) or has_imprint(two.text):
        return False
    return (
        abs(above.size - below.size) < 0.12 * above.size
        and abs(above.x0 - below.x0) < 3
        and below.y0 - above.y1 < 0.8 * above.size
    )
