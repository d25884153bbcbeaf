"""BM25 as every store scores with it: over what the asker may read, and nothing else.

How rare a term is and how long passages are would tell of documents that are hidden from the asker,
if theirs counted. So the engines of LanceDB and Weaviate, which count all that they hold, only find
passages; their scores are never shown.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

K1, B = 1.2, 0.75  # as LanceDB and Weaviate have them
ROUNDED = 1.1  # LanceDB rounds lengths, and engines count what was deleted until they tidy up
GREAT = 50_000  # chunks; from here on a question's frequent terms are not looked up:
# terms of more than this share of the chunks. Their lists are long, and they tell little:
# docs/benchmarks.md
FREQUENT = 0.2


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of the chunks that somebody may read, in any state of validity."""

    chunks: int = 0
    terms: int = 0  # of all of them together, repeats counted
    holding: Mapping[str, int] = field(default_factory=dict)  # term -> in how many chunks; those in none may be absent

    @property
    def length(self) -> float:
        """Of a chunk, mean."""
        return self.terms / self.chunks if self.chunks else 0.0

    def told_by(self, term: str) -> float:
        """Return the term's inverse document frequency, 0 of one that nothing holds."""
        held = self.holding.get(term, 0)
        return math.log(1 + (self.chunks - held + 0.5) / (held + 0.5)) if held else 0.0

    def worth_looking_up(self, terms: Sequence[str]) -> list[str]:
        """Return those that anything holds, in a great index without the frequent ones; with them
        when there are no others."""
        held = [term for term in terms if self.holding.get(term)]
        if self.chunks < GREAT:
            return held
        return [term for term in held if self.holding[term] <= FREQUENT * self.chunks] or held


@dataclass(frozen=True, slots=True)
class Scorer:
    """Scores chunks for one question. `weights`: of the terms that count."""

    weights: Mapping[str, float]
    length: float

    @classmethod
    def of(cls, statistics: Statistics, terms: Sequence[str]) -> Scorer:
        return cls({term: statistics.told_by(term) for term in terms}, statistics.length)

    def score(self, counts: Mapping[str, int], length: int) -> float:
        """counts: how often the chunk has each term; length: all that it has."""
        norm = K1 * (1 - B + B * length / self.length) if self.length else K1
        held = ((weight, counts.get(term, 0)) for term, weight in self.weights.items())
        return sum(weight * count * (K1 + 1) / (count + norm) for weight, count in held if count)

    def score_of(self, terms: str) -> float:
        """terms: a chunk's, as they are stored."""
        listed = terms.split()
        return self.score(Counter(listed), len(listed))


@dataclass(frozen=True, slots=True)
class ScoreBounds:
    """Our score of a chunk lies between an engine's times `low` and times `high`."""

    low: float
    high: float


def range_of(own: Statistics, everything: Statistics, terms: Sequence[str]) -> ScoreBounds:
    """own: what scores are counted over; everything: what the engine counts over."""
    ratios = [own.told_by(term) / everything.told_by(term) for term in terms if everything.told_by(term)] or [1.0]
    longer = own.length / everything.length if everything.length else 1.0
    return ScoreBounds(min(ratios) * min(1.0, longer) / ROUNDED, max(ratios) * max(1.0, longer) * ROUNDED)


def cosines(vectors: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """vectors: [n, dim]. Each by itself: a matrix product rounds a row by where it stands, and so
    by what else there is."""
    return np.array([np.dot(row, vector) for row in vectors], np.float32)
