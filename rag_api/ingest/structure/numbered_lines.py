"""Lines that begin paragraphs of their own by the edge that they stand at: numbered ones, whose
numbers count on from each other, and those below a list whose items hang, set out to its labels."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from rag_api.ingest.layout.lines import Line, Row
from rag_api.text.block_shapes import label_of

_EDGE = 2.0  # points
_NUMBERED, _ENDS = re.compile(r"\W?\w"), re.compile(r"[.!?:]$")
_HUNG = 0.5  # of a line's height that an item's further lines stand to the right of its label, at least
# "4.2", "3.", "(3)", "§ 4", "Q5."; a bare figure may be anything.
_NUMBER = re.compile(r"([(\[§]?(?:[^\W\d_]\.?)?)((?:\d{1,2}\.)*)(\d{1,3})([.):\]]{0,2})(?=\s)")


def numbered_lines(bodies: Sequence[Sequence[Line | Row]]) -> set[int]:
    """Return the `id()` of each line whose number is the one before or after that of another line
    of its page with the same edge and signs around its number. No two lines of a page have one
    number there: those are said again."""
    found: set[int] = set()
    for body in bodies:
        series: dict[tuple[str, str, str], list[tuple[int, Line]]] = defaultdict(list)
        for item in body:
            number = _NUMBER.match(item.marked.text) if isinstance(item, Line) else None
            if isinstance(item, Line) and number and any(number.group(1, 2, 4)):
                series[number[1], number[2], number[4]].append((int(number[3]), item))
        for lines in series.values():
            for last, line in lines:
                beside = [other for other, at in lines if abs(at.x0 - line.x0) < _EDGE]
                if beside.count(last) == 1 and (last - 1 in beside or last + 1 in beside):
                    found.add(id(line))
    return found


def set_out(bodies: Sequence[Sequence[Line | Row]]) -> set[int]:
    """Return the `id()` of each line that stands below an item at the edge of its mark, while items
    with this edge on the page hang: their sentences go on deeper. One that begins small or with a
    figure may be the item's; a number may be a heading's, of which further lines stand below it."""
    found: set[int] = set()
    for body in bodies:
        hung: set[int] = set()  # edges of marks
        out: list[tuple[int, Line]] = []  # the mark's edge, and a line that is as far out
        edge: float | None = None  # of the item that is open
        for one, two in pairwise(body):
            if isinstance(one, Row) or isinstance(two, Row) or two.y0 < one.y0:
                edge = None
                continue
            edge = one.x0 if label_of(one.marked.text) and not _NUMBERED.match(one.marked.text) else edge
            if edge is not None and not label_of(two.marked.text):
                hangs = two.x0 > edge + _HUNG * two.size and not _ENDS.search(one.marked.text)
                if hangs:
                    hung.add(round(edge))
                elif abs(two.x0 - edge) < _EDGE and two.marked.text[0].isupper():
                    out.append((round(edge), two))
                edge = edge if hangs else None
        found.update(id(line) for at, line in out if hung & {at - 1, at, at + 1})
    return found
