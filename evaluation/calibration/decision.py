"""Rows of several collections -> the decision whether there is a right answer. Pure functions.

Every collection weighs as much as every other, and within it what can be answered as much as what
cannot, however many questions it has: a decision that is fitted to one collection alone refuses
another's words. What is predicted is that the answer would be *right*: a wrong quote is no better
than one where there is none. Thresholds and curve come from questions that were left out of the
fitting, in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.calibration.cases import QuestionKind
from rag_api.errors import InvalidInput
from rag_api.retrieval.decision.answerability import given, probability
from rag_api.retrieval.decision.calibration import RISKS, SIGNALS, NotFoundModel, RiskPoint

REAL = 3.0  # weight of a question that really was asked in vain, beside one whose documents were left out
FOLDS = 5
FEW = 10  # questions in another language than their documents, below which nothing is fitted to them
BONUSES = tuple(step / 10 for step in range(31))  # nats that such a question may need to be refused no more than others


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """One question, as far as the decision concerns it. `unit`: questions of one unit fare alike;
    `right`: its answer would be."""

    collection: str
    split: Literal["fit", "test"]
    kind: QuestionKind
    unit: str
    open: bool  # no rule refused it
    right: bool
    signals: Mapping[str, float]

    @property
    def answerable(self) -> bool:
        return self.kind == QuestionKind.ANSWERABLE


def fit_decision(
    rows: Sequence[DecisionRow], names: Sequence[str] = SIGNALS, l2: float = 3.0, risks: Mapping[str, float] = RISKS
) -> NotFoundModel:
    """risks: shares of the answerable that may be refused, by their names. Raises InvalidInput
    where there is nothing to tell apart."""
    _check(rows)
    fold = folds(rows)
    logits = np.zeros(len(rows))
    for number in range(FOLDS):
        known = [row for row, own in zip(rows, fold, strict=True) if own != number]
        coefficients = _coefficients(known, names, l2)
        for index, row in enumerate(rows):
            if fold[index] == number:
                logits[index] = _logit(row, coefficients)
    bonus = _bonus(rows, logits)
    confidences = [
        _confidence(row, logit + bonus * row.signals.get("crossed", 0.0))
        for row, logit in zip(rows, logits, strict=True)
    ]
    thresholds = {name: round(threshold_at(rows, confidences, share), 4) for name, share in risks.items()}
    fitted = {**_coefficients(rows, names, l2), "crossed": bonus}
    return NotFoundModel(
        {name: round(value, 4) for name, value in fitted.items()},
        thresholds["balanced"],
        round(refused(rows, confidences, thresholds["balanced"]), 4),
        thresholds,
        tuple(curve(rows, confidences)),
    )


def _check(rows: Sequence[DecisionRow]) -> None:
    asked = [row for row in rows if row.open]
    if all(row.answerable for row in asked) or not any(row.right for row in asked):
        raise InvalidInput(
            "These reviewed questions hold none without an answer, or none that gets a right one: "
            "nothing to calibrate on."
        )


def weights_of(rows: Sequence[DecisionRow]) -> NDArray[np.float64]:
    """Return one for each row: collections weigh alike, and in each what can be answered as much as
    what cannot; on average 1."""
    own = np.array([REAL if row.kind in (QuestionKind.NEAR_MISS, QuestionKind.OFF_TOPIC) else 1.0 for row in rows])
    parts: dict[tuple[str, bool], list[int]] = {}
    for index, row in enumerate(rows):
        parts.setdefault((row.collection, row.answerable), []).append(index)
    for members in parts.values():
        own[members] /= own[members].sum()
    weights: NDArray[np.float64] = own * len(rows) / own.sum()
    return weights


def _coefficients(rows: Sequence[DecisionRow], names: Sequence[str], l2: float) -> dict[str, float]:
    asked = [row for row in rows if row.open]
    if not asked:
        raise InvalidInput(
            "Too few questions to calibrate on: some of them are always held back, and then none is left."
        )
    x = np.array([[row.signals[name] for name in names] for row in asked])
    weights = weights_of(asked)
    center, scale = np.average(x, axis=0, weights=weights), x.std(0)
    scale = np.where(scale > 1e-6, scale, 1.0)
    design = np.column_stack([np.ones(len(x)), (x - center) / scale])
    w = newton(design, np.array([row.right for row in asked], np.float64), weights, l2)
    slopes = w[1:] / scale
    return {"intercept": float(w[0] - slopes @ center), **dict(zip(names, slopes.tolist(), strict=True))}


def newton(
    x: NDArray[np.float64], y: NDArray[np.float64], weight: NDArray[np.float64], l2: float
) -> NDArray[np.float64]:
    """Return the weights of a logistic regression, the first column's not held down."""
    w, penalty = np.zeros(x.shape[1]), l2 * np.eye(x.shape[1])
    penalty[0, 0] = 1e-6
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        gradient = x.T @ (weight * (p - y)) + penalty @ w
        w -= np.linalg.solve((x * (weight * p * (1 - p))[:, None]).T @ x + penalty, gradient)
    return w


def _logit(row: DecisionRow, coefficients: Mapping[str, float]) -> float:
    return (
        coefficients["intercept"]
        + sum(coefficients.get(name, 0.0) * value for name, value in row.signals.items())
        + given(row.signals)
    )


def _confidence(row: DecisionRow, logit: float) -> float:
    """Below 0: the rules refuse it, whatever the threshold."""
    return 1 / (1 + float(np.exp(-np.clip(logit, -30, 30)))) if row.open else -1.0


def confidences_of(rows: Sequence[DecisionRow], fitted: NotFoundModel) -> list[float]:
    return [probability(row.signals, fitted) if row.open else -1.0 for row in rows]


def _bonus(rows: Sequence[DecisionRow], logits: NDArray[np.float64]) -> float:
    """What a question in another language than its best document needs to be refused no more often
    than others."""
    across = [bool(row.signals.get("crossed")) for row in rows]
    if sum(row.answerable and over for row, over in zip(rows, across, strict=True)) < FEW:
        return 0.0
    for bonus in BONUSES:
        confidences = [
            _confidence(row, logit + bonus * over) for row, logit, over in zip(rows, logits, across, strict=True)
        ]
        limit = threshold_at(rows, confidences, RISKS["balanced"])
        apart = [
            [c < limit for row, c, o in zip(rows, confidences, across, strict=True) if row.answerable and o is over]
            for over in (True, False)
        ]
        if np.mean(apart[0]) <= np.mean(apart[1]):
            return bonus
    return BONUSES[-1]


def folds(rows: Sequence[DecisionRow]) -> list[int]:
    """A fold for each row, by its unit: a question and its near misses are never on two sides."""
    units = sorted({(row.collection, row.unit) for row in rows})
    place = {
        units[index]: number % FOLDS
        for number, index in enumerate(np.random.default_rng(0).permutation(len(units)).tolist())
    }
    return [place[row.collection, row.unit] for row in rows]


def threshold_at(rows: Sequence[DecisionRow], confidences: Sequence[float], share: float) -> float:
    """Return the highest that refuses at most this share of the answerable, each collection
    weighing alike."""
    ranked = sorted(zip(confidences, _shares(rows), strict=True))
    lost, limit = 0.0, 0.0
    for confidence, part in ranked:
        if lost + part > share + 1e-12:
            return max(0.0, confidence)
        lost += part
        limit = confidence
    return max(0.0, limit)


def _shares(rows: Sequence[DecisionRow]) -> list[float]:
    """Of all that can be answered, by collections; 0 for what cannot."""
    counts = {name: sum(row.answerable for row in own) for name, own in _by_collection(rows).items()}
    there = sum(count > 0 for count in counts.values())
    return [1 / (there * counts[row.collection]) if row.answerable else 0.0 for row in rows]


def _by_collection(rows: Sequence[DecisionRow]) -> dict[str, list[DecisionRow]]:
    ordered = sorted(rows, key=lambda row: row.collection)
    return {name: list(own) for name, own in groupby(ordered, key=lambda row: row.collection)}


def refused(rows: Sequence[DecisionRow], confidences: Sequence[float], threshold: float) -> float:
    """Return the share of the answerable that it refuses, collections alike."""
    return sum(part for part, confidence in zip(_shares(rows), confidences, strict=True) if confidence < threshold)


def curve(rows: Sequence[DecisionRow], confidences: Sequence[float], points: int = 20) -> list[RiskPoint]:
    """Return what refusing ever more would do, of what was really asked; collections weigh alike,
    what has no answer as what has one."""
    asked = [(row, c) for row, c in zip(rows, confidences, strict=True) if row.kind != QuestionKind.LEFT_OUT]
    weights = weights_of([row for row, _ in asked])
    right = np.array([row.right for row, _ in asked])
    scores = np.array([c for _, c in asked])
    found = []
    for threshold in [threshold_at(rows, confidences, number / points) for number in range(points)]:
        answered = scores >= threshold
        total = float(weights[answered].sum())
        if total > 0:
            risk = float(weights[answered & ~right].sum()) / total
            point = RiskPoint(threshold, total / float(weights.sum()), risk, refused(rows, confidences, threshold))
            found.append(
                replace(
                    point,
                    **{name: round(getattr(point, name), 4) for name in ("threshold", "coverage", "risk", "refused")},
                )
            )
    return found
