"""Finds what stands beside the running text: footnotes, a letterhead, the footer of one page. Such
blocks stay, apart.

A sentence that runs over a page or column border goes on behind them: they must not get into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from rag_api.ingest.layout.lines import Line, PageItem, Row, usual_size
from rag_api.ingest.structure.line_continuation import continues, is_full

_BAND = 0.16  # of the page's height, from either edge: where a block parted by white may be a letterhead or footer
_APART = 1.2  # line heights of white
_SMALL = 0.93  # of the page's usual size: small print
_LARGE = 1.12  # of it: a heading
_MOST = 60  # lines of running text below which nothing small is looked for: a drawing's labels


def beside(
    bodies: Sequence[Sequence[PageItem]], heights: Sequence[float], rights: Sequence[Sequence[float]]
) -> set[int]:
    """The `id()` of every line that stands beside the text. heights: in reading space; rights: each
    item's right margin."""
    margin = {
        id(item): right
        for body, ends in zip(bodies, rights, strict=True)
        for item, right in zip(body, ends, strict=True)
    }
    candidates = [_candidates(body, height) for body, height in zip(bodies, heights, strict=True)]
    flat = [(page, item) for page, body in enumerate(bodies) for item in body]
    apart: set[int] = set()
    at = 0
    for is_candidate, group in groupby(flat, key=lambda pair: id(pair[1]) in candidates[pair[0]]):
        run = list(group)
        start, at = at, at + len(run)
        if is_candidate:
            before = [item for _, item in flat[max(0, start - 1) : start]]
            after = [item for _, item in flat[at : at + 1]]
            apart |= {id(line) for line in _apart(run, before, after, margin)}
    return apart


def _apart(
    run: Sequence[tuple[int, PageItem]], before: list[PageItem], after: list[PageItem], margin: dict[int, float]
) -> list[PageItem]:
    """Those of a run of candidates, over at most one page border, that are no part of the text
    around them."""
    parts = [[item for _, item in group] for _, group in groupby(run, key=lambda pair: pair[0])]
    whole = [item for part in parts for item in part]
    for option in (whole, parts[0], parts[-1]):
        start = whole.index(option[0])
        rest = [*before, *whole[:start]], [*whole[start + len(option) :], *after]
        if rest[0] and rest[1] and _runs_over(rest[0][-1], option, rest[1][0], margin):
            return option
    ahead = [*before, *whole]
    found: list[PageItem] = []
    for n, part in enumerate(parts):
        follows = [*(item for other in parts[n + 1 :] for item in other), *after]
        first = ahead[ahead.index(part[0]) - 1 : ahead.index(part[0])]
        if not any(_goes(one, part[0], margin) for one in first) and not (
            follows and _goes(part[-1], follows[0], margin)
        ):
            found += part
    return found


def _runs_over(one: PageItem, between: Sequence[PageItem], two: PageItem, margin: dict[int, float]) -> bool:
    """`two` goes on with `one`'s sentence, and what stands between does not do so better."""
    if not _goes(one, two, margin) or _goes(one, between[0], margin):
        return False
    return not _goes(between[-1], two, margin) or not _is_full(between[-1], two, margin) or _is_full(one, two, margin)


def _is_full(one: PageItem, two: PageItem, margin: dict[int, float]) -> bool:
    return isinstance(one, Line) and isinstance(two, Line) and is_full(one, two, margin[id(one)])


def _goes(one: PageItem, two: PageItem, margin: dict[int, float]) -> bool:
    return isinstance(one, Line) and isinstance(two, Line) and continues(one, two, margin[id(one)])


def _candidates(body: Sequence[PageItem], height: float) -> set[int]:
    """By place and size: small print with no text beyond it, and what white parts from the text
    near an edge."""
    usual = usual_size([body])
    upright = [item for item in body if isinstance(item, Row) or not item.aside]
    small = {id(line) for line in _small(upright, usual)}
    edges = {
        id(line)
        for top in (True, False)
        for line in _parted(upright, height, top)
        if not line.bold and line.size < _LARGE * usual
    }
    found = small | edges
    return found if len(found) < len(upright) else set()


def _small(items: Sequence[PageItem], usual: float) -> Iterator[Line]:
    """Nothing but small print stands below it."""
    text: list[PageItem] = []
    for item in sorted(items, key=lambda item: -item.y1):
        if isinstance(item, Line) and item.size < _SMALL * usual and not any(_overlap(item, other) for other in text):
            yield item
        elif len(text) < _MOST:
            text.append(item)
        else:
            return


def _overlap(line: Line, other: PageItem) -> bool:
    lines = other.lines if isinstance(other, Row) else (other,)
    return any(line.x0 < one.x1 and one.x0 < line.x1 for one in lines)


def _parted(items: Sequence[PageItem], height: float, top: bool) -> Sequence[Line]:
    """What stands between an edge and the first broad white in from it; nothing where the text
    begins without such white."""
    order = sorted(items, key=lambda item: item.y0 if top else -item.y1)
    for n, (one, two) in enumerate(pairwise(order), start=1):
        if (one.y1 > _BAND * height) if top else (one.y0 < (1 - _BAND) * height):
            return ()
        white = two.y0 - max(item.y1 for item in order[:n]) if top else min(item.y0 for item in order[:n]) - two.y1
        lines = [item for item in order[:n] if isinstance(item, Line)]
        if lines and white > _APART * min(line.size for line in lines):
            return lines
    return ()
