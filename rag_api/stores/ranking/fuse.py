"""Two ranked lists -> one. The same functions serve every store, so that all rank alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

CANDIDATES = 100  # how many of each list are fetched at least, as Weaviate does
# BM25's score of one fully matched term that a single one of a million chunks has: (k1 + 1) *
# ln(1,000,000).
INFORMATION = 30.0

K = TypeVar("K", str, int)  # a chunk's id, or its row's number
Fusion = Literal["information", "relative"]
"""How the lists become one. "relative" is the thesis's, and Weaviate's own: both lists min-max
scaled to [0, 1]. It gives BM25's best hit full marks even when only a word that says little
matched. "information" keeps the scales: the cosine as it is, and BM25 by how much of what the
question's terms could tell was matched. Figures for both are in docs/evaluation.md."""


@dataclass(frozen=True, slots=True)
class ScoreLists(Generic[K]):
    """What a store found, scores by chunk."""

    dense: Mapping[K, float]  # cosines of the nearest chunks
    bm25: Mapping[K, float]  # scores above 0
    cosines: Mapping[K, float]  # of every chunk in either list
    terms: int  # how many terms the question has


def fuse(lists: ScoreLists[K], alpha: float, fusion: Fusion, most: int = CANDIDATES) -> list[tuple[K, float]]:
    """(chunk, score in [0, 1]) best first. Ties are broken by id, so that equal scores rank alike
    in every store. most: how long a list is that is scaled by what it holds; on scales that hold
    everywhere every chunk has its own scores."""
    if fusion == "relative":
        dense, bm25 = scaled(_best(lists.dense, most)), scaled(_best(lists.bm25, most))
    else:
        whole = INFORMATION * max(1, lists.terms)
        dense = {key: min(1.0, max(0.0, cosine)) for key, cosine in lists.cosines.items()}
        bm25 = {key: min(1.0, score / whole) for key, score in lists.bm25.items()}
    fused = {key: alpha * dense.get(key, 0.0) + (1 - alpha) * bm25.get(key, 0.0) for key in dense | bm25}
    return sorted(fused.items(), key=lambda item: (-item[1], item[0]))


def _best(scores: Mapping[K, float], most: int) -> dict[K, float]:
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:most])


def scaled(scores: Mapping[K, float]) -> dict[K, float]:
    """Min-max to [0, 1] over the list; a list of equal scores is all ones."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}
