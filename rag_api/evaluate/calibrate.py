"""Where to say "not found": a threshold on retrieval's confidence, chosen by what a refused answer costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag_api.errors import InvalidInput
from rag_api.evaluate import Outcome
from rag_api.evaluate.metrics import precision_recall


@dataclass(frozen=True, slots=True)
class Point:
    """What happens when questions with less confidence than `threshold` are refused."""

    threshold: float
    refused: float  # share of the answerable questions that would be refused
    precision: float  # of "not found"
    recall: float


def curve(outcomes: Sequence[Outcome]) -> list[Point]:
    """One point per distinct confidence, from refusing nothing upwards."""
    unanswerable = [not o.judged.answerable for o in outcomes]
    points = []
    for threshold in sorted({o.confidence for o in outcomes}):
        said = [o.confidence < threshold for o in outcomes]
        precision, recall = precision_recall(said, unanswerable)
        wrong = sum(s and not u for s, u in zip(said, unanswerable, strict=True))
        points.append(Point(threshold, wrong / max(1, len(outcomes) - sum(unanswerable)), precision, recall))
    return points


def calibrate(outcomes: Sequence[Outcome], refused: float = 0.04) -> Point:
    """The highest threshold that refuses at most this share of answerable questions.

    Raises InvalidInput for outcomes of the test half (tuning on it would spoil the figures) and for sets without an unanswerable question.
    """
    if any(o.judged.split == "test" for o in outcomes):
        raise InvalidInput("a threshold is calibrated on the validate half of a judged set, never on its test half")
    if all(o.judged.answerable for o in outcomes):
        raise InvalidInput("this judged set has no question without an answer: nothing to calibrate on")
    return max((p for p in curve(outcomes) if p.refused <= refused), key=lambda p: p.threshold)
