"""Guaranteed risk: the least confidence from which at most a given share of the answers is wrong,
with 95% certainty.

Each threshold is tested by an exact binomial bound, from the surest answers on, until one fails
(Learn then Test with several starts: Angelopoulos and others, 2021). The thresholds come from the
confidences alone, so that no look at the verdicts chooses them. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rag_api.errors import ConfigurationError

CERTAINTY = 0.95
OFFERED = (0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)  # shares that are tested
COVERAGES = tuple(step / 20 for step in range(1, 21))  # thresholds: where these shares of the questions are answered
STARTS = (0, 6, 13)  # of COVERAGES: each test begins here with its part of the certainty


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judged question. confidence: below 0 where a guard refuses it whatever the threshold.
    right: what would be said answers it."""

    confidence: float
    right: bool
    answerable: bool = True


@dataclass(frozen=True, slots=True)
class Guarantee:
    """From this confidence on at most `risk` of what is answered is wrong. answered, wrong,
    refused: counts of the judged questions; of the refused those that a document answers."""

    risk: float
    threshold: float
    answered: int
    wrong: int
    refused: int


@dataclass(frozen=True, slots=True)
class GuaranteedRisk:
    """What was measured of one reader on `questions` judged questions, of which `unanswerable` have
    no answer."""

    questions: int
    unanswerable: int
    guarantees: tuple[Guarantee, ...] = ()
    by_risk: Mapping[str, float] = field(default_factory=dict)  # thresholds by name

    def at(self, risk: str | float) -> float:
        """Return the threshold for a named risk or a share. Raises ConfigurationError for a share
        that these questions do not prove."""
        if isinstance(risk, str):
            return self.by_risk[risk]
        proven = [one for one in self.guarantees if one.risk <= risk + 1e-9]
        if not proven:
            least = f"the least proven is {self.guarantees[0].risk}" if self.guarantees else "none is proven"
            raise ConfigurationError(
                f"BEDSIDE_RISK={risk} is not proven on {self.questions} reviewed questions: {least}. Judge more "
                f"questions and run "
                "`bedside quality calibrate`, or choose a greater risk."
            )
        return proven[-1].threshold


def guaranteed(verdicts: Sequence[Verdict], named: Mapping[str, float]) -> GuaranteedRisk:
    """Return every share of OFFERED that is proven, each with its lowest threshold, least share
    first. named: shares of what has an answer that may be refused, by their names."""
    found = []
    for risk in OFFERED:
        threshold = _lowest(verdicts, risk)
        if threshold is not None:
            found.append(_counted(verdicts, risk, threshold))
    unanswerable = sum(not one.answerable for one in verdicts)
    return GuaranteedRisk(
        len(verdicts), unanswerable, tuple(found), {name: _refusing(verdicts, share) for name, share in named.items()}
    )


def binomial(wrong: int, answered: int, risk: float) -> float:
    """Return the probability of at most so many wrong of those answered, if each is wrong with
    probability `risk`."""

    def log_of(k: int) -> float:
        ways = math.lgamma(answered + 1) - math.lgamma(k + 1) - math.lgamma(answered - k + 1)
        return ways + k * math.log(risk) + (answered - k) * math.log1p(-risk)

    return min(1.0, math.fsum(math.exp(log_of(k)) for k in range(wrong + 1)))


def _lowest(verdicts: Sequence[Verdict], risk: float) -> float | None:
    """The lowest threshold at which the risk is proven; None where it is at none."""
    thresholds = _thresholds(verdicts)
    proven = None
    for start in STARTS:
        for threshold in thresholds[start:]:
            answered = [one for one in verdicts if one.confidence >= threshold]
            if binomial(sum(not one.right for one in answered), len(answered), risk) > (1 - CERTAINTY) / len(STARTS):
                break
            proven = threshold if proven is None else min(proven, threshold)
    return proven


def _thresholds(verdicts: Sequence[Verdict]) -> list[float]:
    """One for each of COVERAGES, falling; what a guard refuses is answered at none."""
    confidences = sorted((max(0.0, one.confidence) for one in verdicts), reverse=True)
    return (
        [
            confidences[max(0, math.ceil(share * len(confidences)) - 1)] or math.nextafter(0.0, 1.0)
            for share in COVERAGES
        ]
        if confidences
        else []
    )


def _counted(verdicts: Sequence[Verdict], risk: float, threshold: float) -> Guarantee:
    answered = [one for one in verdicts if one.confidence >= threshold]
    lost = sum(one.answerable and one.confidence < threshold for one in verdicts)
    return Guarantee(risk, threshold, len(answered), sum(not one.right for one in answered), lost)


def _refusing(verdicts: Sequence[Verdict], share: float) -> float:
    """The highest threshold that refuses at most this share of what has an answer."""
    confidences = sorted(max(0.0, one.confidence) for one in verdicts if one.answerable)
    return confidences[min(len(confidences) - 1, int(share * len(confidences)))] if confidences else 1.0
