"""Strands: pieces of a page that are drawn downwards, one after another; and those that stand
beside each other as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag_api.ingest.layout.lines import Line

_FAR = 3.0  # line heights of white to either side: another column
_DEEPER = 0.5  # line heights that the next piece of a strand stands lower

Strand = list[int]  # the numbers of its pieces, downwards


def strands_of(lines: Sequence[Line | None]) -> Iterator[Strand]:
    strand: Strand = []
    for n, line in enumerate(lines):
        last = lines[strand[-1]] if strand else None
        if line is not None and last is not None and _goes_down(last, line):
            strand.append(n)
            continue
        if strand:
            yield strand
        strand = [] if line is None else [n]
    if strand:
        yield strand


def _goes_down(one: Line, two: Line) -> bool:
    apart = max(one.x0, two.x0) - min(one.x1, two.x1)
    return two.y0 >= one.y0 + _DEEPER * two.size and apart < _FAR * two.size


def columns_beside(lines: Sequence[Line | None], strands: Sequence[Strand]) -> tuple[list[Strand], int]:
    """The columns that the first of these strands begin, in the order in which they are drawn, and
    how many strands that are."""
    columns: list[Strand] = []
    for count in range(2, len(strands) + 1):
        own = strands[:count]
        if own[-1][0] != own[-2][-1] + 1:  # what is no cell's stands between
            break
        trimmed = _trimmed(lines, own)
        if min(map(len, trimmed)) < 2 or trimmed[1:-1] != list(own[1:-1]) or not _are_apart(lines, trimmed):
            break
        columns = trimmed
    return columns, len(columns)


def _trimmed(lines: Sequence[Line | None], strands: Sequence[Strand]) -> list[Strand]:
    """Without what stands above the others in the first, below them in the last."""
    top = min(line_of(lines, strand[0]).y0 for strand in strands[1:])
    foot = max(line_of(lines, strand[-1]).y1 for strand in strands[:-1])
    first = [n for n in strands[0] if line_of(lines, n).y1 > top + _DEEPER * line_of(lines, n).size]
    last = [n for n in strands[-1] if line_of(lines, n).y0 < foot - _DEEPER * line_of(lines, n).size]
    own = [first, *strands[1:-1], last]
    # Each stands beside the one before for most of the shorter's height.
    for one, two in pairwise(own):
        if not one or not two:
            return [[] for _ in own]
        reach = [(line_of(lines, column[0]).y0, line_of(lines, column[-1]).y1) for column in (one, two)]
        both = min(foot for _, foot in reach) - max(top for top, _ in reach)
        if 2 * both < min(foot - top for top, foot in reach):
            return [[] for _ in own]
    return own


def line_of(lines: Sequence[Line | None], n: int) -> Line:
    line = lines[n]
    assert line is not None, "strands are of lines"
    return line


def _are_apart(lines: Sequence[Line | None], columns: Sequence[Strand]) -> bool:
    """Nothing stands level with a piece of another column and over or under it."""
    placed = sorted((line_of(lines, n).y0, k, line_of(lines, n)) for k, column in enumerate(columns) for n in column)
    for i, (_, k, one) in enumerate(placed):
        for y0, other, two in placed[i + 1 :]:
            if y0 > one.y1:
                break
            if (
                k != other
                and min(one.y1, two.y1) - y0 > _DEEPER * two.size
                and min(one.x1, two.x1) > max(one.x0, two.x0)
            ):
                return False
    return True
