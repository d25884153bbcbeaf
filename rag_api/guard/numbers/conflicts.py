"""Conflicts: two documents for the same patients that give different numbers for the same thing.

Only what is nearly the same sentence is compared: the same quantities in the same order, nearly the
same words around them. A rule this strict misses a contradiction that is put in other words; it is
meant to be believed when it speaks. Documents of one title are compared clause by clause as well
(restated.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag_api.domain import Hit
from rag_api.guard.numbers.quantities import Quantity, quantities
from rag_api.guard.numbers.restated import context, restated
from rag_api.guard.words import folded
from rag_api.text.bm25_analyzer import question_terms
from rag_api.text.sentence_splitter import LineKind, sentences

OF_SHORTER, OF_LONGER = 0.8, 0.5  # so much of the words of the shorter sentence, and of the longer one, are in both
FEWEST_WORDS = 4  # besides numbers, units and small words, that they must share
MOST_NUMBERS = 6  # a longer row of numbers is a table's line, whose columns nobody named


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that states quantities; `words` are the others of it."""

    hit: int
    text: str
    words: frozenset[str]
    quantities: tuple[Quantity, ...]


@dataclass(frozen=True, slots=True)
class ValueConflict:
    """hits[first] says `first_value` where hits[second] says `second_value`."""

    first: int
    second: int
    first_value: str
    second_value: str


def conflicts(hits: Sequence[Hit], asked_terms: Iterable[str]) -> list[ValueConflict]:
    """At most one for two documents, the first by rank."""
    asked = set(asked_terms)
    stated = [statement for index, hit in enumerate(hits) for statement in _statements(index, hit)]
    found: dict[tuple[str, str], ValueConflict] = {}
    for one in stated:
        if not asked & set(question_terms(one.text)):
            continue
        for other in stated:
            pair = (hits[one.hit].chunk.document_id, hits[other.hit].chunk.document_id)
            if one.hit < other.hit and pair not in found and _comparable(hits[one.hit], hits[other.hit]):
                differing = _differing(one, other)
                if differing and not _said_by_both(one, other, stated, hits):
                    found[pair] = ValueConflict(one.hit, other.hit, *differing)
    for conflict, ids in _between_versions(hits, asked):
        found.setdefault(ids, conflict)
    return sorted(found.values(), key=lambda c: (c.first, c.second))


def _between_versions(hits: Sequence[Hit], asked: set[str]) -> Iterator[tuple[ValueConflict, tuple[str, str]]]:
    """Of two documents that have one title, what is nearest to the question."""
    ids = list(dict.fromkeys(hit.chunk.document_id for hit in hits))
    passages = {name: [(index, hit) for index, hit in enumerate(hits) if hit.chunk.document_id == name] for name in ids}
    for place, one in enumerate(ids):
        for other in ids[place + 1 :]:
            first, second = passages[one][0][1], passages[other][0][1]
            if not _comparable(first, second) or folded(first.chunk.title) != folded(second.chunk.title):
                continue
            pairs = restated(passages[one], passages[other])
            near = [len(asked & {*question_terms(ours.text), *question_terms(theirs.text)}) for ours, theirs in pairs]
            if any(near):
                ours, theirs = pairs[near.index(max(near))]
                yield ValueConflict(ours.hit, theirs.hit, ours.written, theirs.written), (one, other)


def _statements(index: int, hit: Hit) -> Iterator[Statement]:
    for written, words, found in _stated(hit.chunk.text, hit.chunk.metadata.language):
        yield Statement(index, written, words, found)


@lru_cache(maxsize=2048)  # the same passages are found by question after question
def _stated(text: str, language: str) -> tuple[tuple[str, frozenset[str], tuple[Quantity, ...]], ...]:
    """The sentences that state quantities, with their other words."""
    stated = []
    for span in sentences(text):
        written = text[span.start : span.end]
        found = tuple(quantities(written, language))
        words = context(written, found)
        if (
            span.kind != LineKind.HEADING
            and any(q.dimension for q in found)
            and len(found) <= MOST_NUMBERS
            and len(words) >= FEWEST_WORDS
        ):
            stated.append((written, words, found))
    return tuple(stated)


def _comparable(one: Hit, other: Hit) -> bool:
    """Two documents for patients that may be the same, in one language."""
    a, b = one.chunk.metadata, other.chunk.metadata
    same_patients = not a.target_groups or not b.target_groups or bool(set(a.target_groups) & set(b.target_groups))
    return one.chunk.document_id != other.chunk.document_id and a.language == b.language and same_patients


def _alike(one: Statement, other: Statement) -> bool:
    shared, lengths = len(one.words & other.words), sorted((len(one.words), len(other.words)))
    return shared >= max(FEWEST_WORDS, OF_SHORTER * lengths[0], OF_LONGER * lengths[1])


def _differing(one: Statement, other: Statement) -> tuple[str, str] | None:
    """What the two write where they differ; None when they do not state the same things, or
    agree."""
    if not _alike(one, other) or [_kind(q) for q in one.quantities] != [_kind(q) for q in other.quantities]:
        return None
    pairs = [(a, b) for a, b in zip(one.quantities, other.quantities, strict=True) if a.value != b.value]
    measured = [(a, b) for a, b in pairs if a.dimension]
    if len(pairs) != 1 or not measured:  # several that differ, or a bare one, tell another case, row or step
        return None
    a, b = measured[0]
    return one.text[a.start : a.end], other.text[b.start : b.end]


def _kind(q: Quantity) -> tuple[object, ...]:
    return q.dimension, q.per, q.period


def _said_by_both(one: Statement, other: Statement, stated: Sequence[Statement], hits: Sequence[Hit]) -> bool:
    """Either document says what the other does as well: then they are lines of one list."""
    return any(_repeats(s, other) for s in stated if _same_document(s, one, hits)) or any(
        _repeats(s, one) for s in stated if _same_document(s, other, hits)
    )


def _same_document(s: Statement, other: Statement, hits: Sequence[Hit]) -> bool:
    return hits[s.hit].chunk.document_id == hits[other.hit].chunk.document_id


def _repeats(s: Statement, other: Statement) -> bool:
    return _alike(s, other) and [q.value for q in s.quantities] == [q.value for q in other.quantities]
