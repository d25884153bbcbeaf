"""Judged questions -> what suits an embedder and a model: weights of a sentence's features, how
long an answer is, when to say "not found". Pure functions over what was gathered
(cli/quality/calibrate.py); the test half is refused by whoever gathers.

Unanswerable questions are few in any judged set, so every answerable one is asked a second time
with its documents left out: then it has no answer, and what is found are its nearest misses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.calibration import weighing
from evaluation.calibration.cases import QuestionKind
from evaluation.calibration.decision import DecisionRow, fit_decision
from evaluation.calibration.weighing import weigh
from evaluation.quality import is_near_miss
from evaluation.quality.answers import holds
from evaluation.quality.metrics import precision_recall
from rag_api.errors import InvalidInput
from rag_api.evaluate.judged import Judged
from rag_api.retrieval.decision.answerability import probability
from rag_api.retrieval.decision.calibration import (
    FEATURES,
    READ,
    SIGNALS,
    NotFoundModel,
    SentenceWeights,
    VerbatimWeights,
    WithReader,
)
from rag_api.retrieval.reader_model.reader_scores import UNREAD, ReaderScores
from rag_api.retrieval.sentence_scorer import Scored

MARGINS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 0.0)  # 0: always another sentence
LIKELIHOODS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class CalibrationCase:
    """A question as it was asked once: with all documents, or with its own left out."""

    judged: Judged
    left_out: bool
    open: bool  # the rules for patients did not rule an answer out
    signals: Mapping[str, float]
    sentences: tuple[Scored, ...]
    likelihoods: Mapping[tuple[str, int, int], float] | None = None  # log p(question | sentence), of the likeliest ones
    read: ReaderScores | None = None  # what a reader made of the sentences, in their order

    @property
    def has_answer(self) -> bool:
        return self.judged.answerable and not self.left_out

    def right(self, scored: Scored) -> bool:
        return self.has_answer and any(holds(scored.candidate.text, place.span) for place in self.judged.places)


def fit_weights(
    cases: Sequence[CalibrationCase], l2: float = 3.0, steps: int = 400, rate: float = 0.1
) -> SentenceWeights:
    """Of all of a question's sentences, the right ones should weigh most: softmax over them, by
    Adam. Deterministic."""
    examples = [
        (np.array([s.features for s in case.sentences]), np.array([case.right(s) for s in case.sentences]))
        for case in cases
    ]
    examples = [(x, y) for x, y in examples if len(y) and y.any()]
    if not examples:
        raise InvalidInput(
            "None of the judged words stands in a sentence that was found: there is nothing to calibrate on."
        )
    scale = _spread(np.concatenate([x for x, _ in examples]))
    examples = [(x / scale, y) for x, y in examples]
    w, mean, square = np.zeros(len(FEATURES)), np.zeros(len(FEATURES)), np.zeros(len(FEATURES))
    for step in range(1, steps + 1):
        gradient = l2 * w - sum((_pull(x, y, w) for x, y in examples), np.zeros(len(FEATURES)))
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        w -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
    return SentenceWeights(**{name: round(float(value), 3) for name, value in zip(FEATURES, w / scale, strict=True)})


def _spread(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The standard deviation of each column; 1 for one that never changes."""
    found = x.std(0)
    return np.where(found > 1e-6, found, 1.0)


def _pull(x: NDArray[np.float64], right: NDArray[np.bool_], w: NDArray[np.float64]) -> NDArray[np.float64]:
    """The gradient of log P(right)."""
    z = x @ w
    p = np.exp(z - z.max())
    p /= p.sum()
    among = p * right
    gradient: NDArray[np.float64] = (among / (among.sum() + 1e-12) - p) @ x
    return gradient


def weighed(case: CalibrationCase, weights: SentenceWeights, span_weight: float = 0.0) -> CalibrationCase:
    """Its sentences by these weights and its reader's, best first, and the signals that follow from
    them."""
    found = weigh([s.features for s in case.sentences], case.read, weights, span_weight)
    best = [case.sentences[number] for number in found.order]
    return replace(
        case,
        sentences=tuple(
            replace(s, candidate=replace(s.candidate, score=score)) for s, score in zip(best, found.scores, strict=True)
        ),
        read=replace(case.read, spans=tuple(case.read.spans[number] for number in found.order))
        if case.read is not None
        else None,
        signals={**case.signals, **found.signals},
    )


def fit_writing(cases: Sequence[CalibrationCase]) -> VerbatimWeights:
    """For the cases of one language. A weight for the likelihood only where it gains more than one
    question, and the smallest margin that loses nothing against always writing two sentences."""
    answered = [case for case in cases if case.has_answer]
    slack = 1.0 / max(1, len(answered))
    weight = (
        _first_best(LIKELIHOODS, lambda value: accuracy(answered, VerbatimWeights(value)), slack)
        if any(case.likelihoods for case in answered)
        else 0.0
    )
    margin = _first_best(MARGINS, lambda value: accuracy(answered, VerbatimWeights(weight, value)), 0.0)
    return VerbatimWeights(weight, margin)


def _first_best(values: Sequence[float], figure: Callable[[float], float], slack: float) -> float:
    figures = [figure(value) for value in values]
    return next(value for value, found in zip(values, figures, strict=True) if found >= max(figures) - slack - 1e-9)


def accuracy(cases: Sequence[CalibrationCase], writing: VerbatimWeights) -> float:
    """Share of the cases of which a sentence that would be written is right."""
    return sum(any(case.right(s) for s in written(case, writing)) for case in cases) / max(1, len(cases))


def written(case: CalibrationCase, writing: VerbatimWeights, candidates: int = 8) -> list[Scored]:
    """What the generator would write: the heaviest, then others of its document that are near
    enough (generator/verbatim/trie.py)."""
    said = case.likelihoods or {}
    worst = min(said.values(), default=0.0)
    weight = {
        id(s): s.candidate.score
        + writing.likelihood_weight * said.get((s.candidate.document_id, s.candidate.start, s.candidate.end), worst)
        for s in case.sentences[:candidates]
    }
    ranked = sorted(case.sentences[:candidates], key=lambda s: -weight[id(s)])
    chosen: list[Scored] = []
    for s in ranked:
        if len(chosen) == writing.sentences:
            break
        near = not writing.margin or weight[id(s)] >= weight[id(ranked[0])] - writing.margin
        if not chosen or (near and all(_beside(s, other) for other in chosen)):
            chosen.append(s)
    return chosen


def _beside(one: Scored, other: Scored) -> bool:
    a, b = one.candidate, other.candidate
    return (
        a.document_id == b.document_id and (a.end <= b.start or b.end <= a.start) and a.text.split() != b.text.split()
    )


def span_weight_of(cases: Sequence[CalibrationCase], weights: SentenceWeights) -> float:
    answered = [case for case in cases if case.has_answer]
    return weighing.span_weight_of(lambda weight: rows_of([weighed(case, weights, weight) for case in answered], "own"))


def fit_reader(
    cases: Sequence[CalibrationCase], others: Sequence[DecisionRow], weights: SentenceWeights, span_weight: float
) -> WithReader:
    """others: rows of other collections that the same reader read."""
    return WithReader(
        _decision([weighed(case, weights, span_weight) for case in cases], others, span_weight), span_weight
    )


def _decision(
    cases: Sequence[CalibrationCase], others: Sequence[DecisionRow], span_weight: float | None = None
) -> NotFoundModel:
    return fit_decision([*rows_of(cases, "own"), *others], SIGNALS if span_weight is None else (*SIGNALS, *READ))


def rows_of(cases: Sequence[CalibrationCase], collection: str) -> list[DecisionRow]:
    """Return the cases as the decision sees them."""
    return [
        DecisionRow(
            collection,
            "fit",
            _kind(case),
            case.judged.id,
            case.open,
            bool(case.sentences) and case.right(case.sentences[0]),
            {**dict.fromkeys(READ, UNREAD), **case.signals},
        )
        for case in cases
    ]


def _kind(case: CalibrationCase) -> QuestionKind:
    if case.has_answer:
        return QuestionKind.ANSWERABLE
    if case.left_out:
        return QuestionKind.LEFT_OUT
    return QuestionKind.NEAR_MISS if is_near_miss(case.judged) else QuestionKind.OFF_TOPIC


def folds(cases: Sequence[CalibrationCase], count: int = 5) -> list[int]:
    """A fold for each case, by its question's id: a question and its left-out self are never on two
    sides."""
    ids = sorted({case.judged.id for case in cases})
    place = {name: index % count for index, name in enumerate(np.random.default_rng(0).permutation(ids).tolist())}
    return [place[case.judged.id] for case in cases]


def cross_validated(
    cases: Sequence[CalibrationCase],
    others: Sequence[DecisionRow] = (),
    count: int = 5,
    span_weight: float | None = None,
) -> dict[str, float]:
    """What new questions would see: everything is fitted on four fifths (and on other collections'
    rows) and told on the last, in turn. span_weight: of the reader that read; None: without one."""
    own = span_weight or 0.0
    fold, pairs, first, whole = folds(cases, count), [], [], []
    for held in range(count):
        known = [case for case, f in zip(cases, fold, strict=True) if f != held]
        weights = fit_weights(known)
        fitted = _decision([weighed(case, weights, own) for case in known], others, span_weight)
        for case in (weighed(case, weights, own) for case, f in zip(cases, fold, strict=True) if f == held):
            refused = not case.open or probability(case.signals, fitted) < fitted.threshold
            pairs.append((refused, case))
            if case.has_answer:
                first.append(any(case.right(s) for s in written(case, VerbatimWeights(sentences=1))))
                whole.append(any(case.right(s) for s in written(case, VerbatimWeights())))
    asked = [(refused, case) for refused, case in pairs if not case.left_out]
    precision, recall = precision_recall([r for r, _ in asked], [not case.has_answer for _, case in asked])
    answerable = [r for r, case in asked if case.has_answer]
    return {
        "first_sentence": round(sum(first) / max(1, len(first)), 4),
        "two_sentences": round(sum(whole) / max(1, len(whole)), 4),
        "not_found_precision": round(precision, 4),
        "not_found_recall": round(recall, 4),
        "refused": round(sum(answerable) / max(1, len(answerable)), 4),
        "recall_left_out": round(float(np.mean([r for r, case in pairs if case.left_out] or [False])), 4),
    }
