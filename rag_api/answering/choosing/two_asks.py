"""Two things asked in one question: each is answered in few words, and what answers one is not said
again for the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag_api.answering.choosing.span_selection import Section

CLOSE = 1.5  # nats behind the best sentence from which another may be the one that answers: both are quoted
# nats behind it from which another sentence takes its place, where it has been said for the other
# question
AS_GOOD = 1.5
_MOST = 2  # sentences of each


def shortened(section: Section) -> Section:
    """Return it with its best sentence, and the next where the two are as good as each other."""
    best = section.candidates[0].score
    close = tuple(c for c in section.candidates if c.score >= best - CLOSE)
    most = _MOST if section.most is None else section.most
    return replace(
        section,
        candidates=section.candidates if len(close) > 1 else section.candidates[:_MOST],
        most=min(most, len(close)),
    )


def told_apart(asked: Sequence[Sequence[Section]]) -> list[Section]:
    """Return what each of the things asked is answered with, in order. Where one sentence comes
    first for both, the one for which another is nearly as good takes that; where neither has one,
    it is said once."""
    found: list[Section] = []
    for own in asked:
        for section in own:
            before = next((one for one in found if one.first == section.first), None)
            if before is None:
                found.append(section)
            elif _loss(section) <= min(AS_GOOD, _loss(before)):
                found.append(_next(section))
            elif _loss(before) <= AS_GOOD:
                found[found.index(before)] = _next(before)
                found.append(section)
    return found


def _loss(section: Section) -> float:
    """Nats between its first sentence and the next of the same document."""
    following = _next(section).candidates
    return section.candidates[0].score - following[0].score if following else float("inf")


def _next(section: Section) -> Section:
    first = section.candidates[0]
    rest = tuple(
        c
        for c in section.candidates[1:]
        if c.document_id == first.document_id and (c.start, c.end) != (first.start, first.end)
    )
    return replace(section, candidates=rest, most=1)
