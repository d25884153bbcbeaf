"""Lines that begin numbered paragraphs: they stand at one left edge, and their numbers count on
from each other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from rag_api.ingest.layout.lines import Line, Row

_EDGE = 2.0  # points
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
