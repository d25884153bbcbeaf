"""A question's sentences by other weights than it was asked with: their order, and what follows
from it for the decision. It knows nothing of how a case was kept: calibrate.py weighs those that
were just asked, bench/decision those that lie in a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.calibration.decision import DecisionRow
from rag_api.retrieval.decision.answerability import lead
from rag_api.retrieval.decision.calibration import READ, SentenceWeights
from rag_api.retrieval.reader_model.reader_scores import UNREAD, ReaderScores

SPAN_WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 2.0, 4.0, 8.0)  # nats for each of a reader's log-odds


@dataclass(frozen=True, slots=True)
class Weighed:
    """`order`: the numbers of the sentences, best first; `scores` in that order; `signals` that
    follow from it."""

    order: tuple[int, ...]
    scores: tuple[float, ...]
    signals: Mapping[str, float]


def weigh(
    features: Sequence[Sequence[float]], read: ReaderScores | None, weights: SentenceWeights, span_weight: float
) -> Weighed:
    """features: of each sentence; read: what a reader made of them, in their order."""
    spans = read.spans if read is not None else (0.0,) * len(features)
    scores = [weights.score(own) + span_weight * odds for own, odds in zip(features, spans, strict=True)]
    order = tuple(sorted(range(len(scores)), key=lambda number: -scores[number]))
    best = tuple(scores[number] for number in order)
    signals = read.signals(order[0]) if read is not None and order else dict.fromkeys(READ, UNREAD)
    return Weighed(order, best, {"lead": lead(best), **signals})


def span_weight_of(rows_by: Callable[[float], Sequence[DecisionRow]]) -> float:
    """Return the weight with which most first sentences are right, collections weighing alike; the
    least of equals. rows_by: the rows of what can be answered by such a weight."""

    def first(weight: float) -> float:
        own: dict[str, list[bool]] = {}
        for row in rows_by(weight):
            own.setdefault(row.collection, []).append(row.right)
        return float(np.mean([np.mean(right) for right in own.values()])) if own else 0.0

    return max(SPAN_WEIGHTS, key=lambda weight: (round(first(weight), 4), -weight))
