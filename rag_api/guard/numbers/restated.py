"""Two documents of one title, versions that are both in force: where the one says of a thing what
the other says otherwise.

Beyond the same sentence (conflicts.py) clauses and rows are compared, for a new version moves an
amount from a sentence into a table. Two clauses are about the same thing when each is the one in
its document that shares most words with the other. Between documents of different titles this finds
what is merely alike: 73 pairs in the sample handbook, none a contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_api.domain import Hit
from rag_api.guard.numbers.quantities import Quantity, quantities
from rag_api.guard.words import folded
from rag_api.text.bm25_analyzer import STOP_WORDS
from rag_api.text.sentence_splitter import LineKind, sentences

SHARED, OF_SHORTER = 2, 0.5  # so many words, and so much of the shorter clause's, are in both
_BORDER = re.compile(r"(?<=[,;:.])\s+|\s+(?:en|maar|and|but)\s+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_SMALL = {folded(word) for words in STOP_WORDS.values() for word in words} | {"en", "steeds", "altijd"}


@dataclass(frozen=True, slots=True)
class Clause:
    """What states one measured amount; `words` are its others."""

    hit: int
    text: str
    words: frozenset[str]
    amount: Quantity

    @property
    def written(self) -> str:
        return self.text[self.amount.start : self.amount.end]


def context(text: str, found: Sequence[Quantity]) -> frozenset[str]:
    """The words of a text besides its quantities and small words."""
    for q in found:
        text = text[: q.start] + " " * (q.end - q.start) + text[q.end :]
    return frozenset(word for word in _WORD.findall(folded(text)) if word not in _SMALL)


def restated(one: Sequence[tuple[int, Hit]], other: Sequence[tuple[int, Hit]]) -> list[tuple[Clause, Clause]]:
    """Of the passages of two documents: the clauses that say the same thing with another amount, in
    the order of `one`."""
    ours, theirs = _clauses(one), _clauses(other)
    found = []
    for clause in ours:
        match = _only_best(clause, theirs)
        if match is not None and _only_best(match, ours) is clause and clause.amount.value != match.amount.value:
            found.append((clause, match))
    return found


def _clauses(passages: Sequence[tuple[int, Hit]]) -> list[Clause]:
    """Each once, though passages overlap."""
    return list({clause.text: clause for index, hit in reversed(passages) for clause in _of(index, hit)}.values())


def _of(index: int, hit: Hit) -> Iterator[Clause]:
    text = hit.chunk.text
    for span in sentences(text):
        written = text[span.start : span.end]
        if span.kind == LineKind.HEADING:
            continue
        for part in [written] if span.kind == LineKind.ROW else _BORDER.split(written):
            found = quantities(part, hit.chunk.metadata.language)
            measured = [q for q in found if q.dimension and q.value is not None]
            words = context(part, found)
            if len(measured) == 1 and len(words) >= SHARED:
                yield Clause(index, part, words, measured[0])


def _only_best(clause: Clause, among: Sequence[Clause]) -> Clause | None:
    """The one that shares most of the shorter one's words, when no other shares as many."""
    ranked = sorted(
        (
            (_likeness(clause, other), index)
            for index, other in enumerate(among)
            if _kind(other.amount) == _kind(clause.amount)
        ),
        reverse=True,
    )
    if not ranked or (len(ranked) > 1 and ranked[1][0] == ranked[0][0]):
        return None
    (share, shared), index = ranked[0]
    return among[index] if shared >= SHARED and share >= OF_SHORTER else None


def _likeness(one: Clause, other: Clause) -> tuple[float, int]:
    shared = len(one.words & other.words)
    return shared / min(len(one.words), len(other.words)), shared


def _kind(q: Quantity) -> tuple[object, ...]:
    return q.dimension, q.per, q.period
