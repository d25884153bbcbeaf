"""Quality of "no document answers this": what the decision did, and what each other threshold would
risk and cost. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.quality.metrics import bootstrap_ratio, precision_recall

BUDGETS = (0.05, 0.1)  # shares of the answerable that a hospital may accept to see refused
COVERAGES = tuple(step / 10 for step in range(1, 11))


@dataclass(frozen=True, slots=True)
class DecidedQuestion:
    """One question, as far as a decision concerns it. `confidence` below 0: refused whatever the
    threshold."""

    confidence: float
    answerable: bool
    refused: bool
    at_hand: bool = True  # its document is among the first three sources
    right: bool = False  # the answer would be right
    near_miss: bool = False  # nothing answers it, but a document is about it
    unit: str = ""  # questions of one unit fare alike; empty: each by itself


def refusals(asked: Sequence[DecidedQuestion]) -> dict[str, Any]:
    """`refused`: share of the answerable questions of which it was said; `refused_with_source`: of
    those whose document was at hand, so that a refusal lost something; `at_refused`: what is
    refused where this share of the answerable is; `curve`: risk by coverage."""
    precision, recall = precision_recall([a.refused for a in asked], [not a.answerable for a in asked])
    answerable = [a for a in asked if a.answerable]
    near = [a for a in answerable if a.at_hand]
    return {
        "precision": precision,
        "recall": recall,
        "n": len(asked) - len(answerable),
        "refused": sum(a.refused for a in answerable) / max(1, len(answerable)),
        "refused_with_source": sum(a.refused for a in near) / max(1, len(near)),
        "near_misses": share([a for a in asked if a.near_miss], lambda a: a.refused),
        "off_topic": share([a for a in asked if not a.answerable and not a.near_miss], lambda a: a.refused),
        "at_refused": [at_refused(asked, budget) for budget in BUDGETS] if answerable else [],
        "curve": curve(asked),
    }


def at_refused(asked: Sequence[DecidedQuestion], budget: float) -> dict[str, Any]:
    """With the highest threshold that refuses no more than this share of the answerable."""
    confidences = sorted(a.confidence for a in asked if a.answerable)
    threshold = max(0.0, confidences[min(len(confidences) - 1, int(budget * len(confidences) + 1e-9))])
    return {
        "refused": budget,
        "threshold": round(threshold, 4),
        "near_misses": share([a for a in asked if a.near_miss], lambda a: a.confidence < threshold),
        "off_topic": share(
            [a for a in asked if not a.answerable and not a.near_miss], lambda a: a.confidence < threshold
        ),
        "answered_right": share([a for a in asked if a.answerable], lambda a: a.right and a.confidence >= threshold),
        "risk": share([a for a in asked if a.confidence >= threshold], lambda a: not a.right),
    }


def curve(asked: Sequence[DecidedQuestion]) -> list[dict[str, Any]]:
    """Risk (share of the answered that are wrong or should have been refused) by coverage (share
    answered), from the surest upwards."""
    confidences = np.sort([a.confidence for a in asked])[::-1]
    points: list[dict[str, Any]] = []
    for coverage in COVERAGES if len(confidences) else ():
        threshold = max(0.0, float(confidences[max(0, round(coverage * len(confidences)) - 1)]))
        answered = [a for a in asked if a.confidence >= threshold]
        if answered and (not points or points[-1]["coverage"] != round(len(answered) / len(asked), 4)):
            found = share(answered, lambda a: not a.right)
            lost = share([a for a in asked if a.answerable], lambda a, limit=threshold: a.confidence < limit)  # type: ignore[misc]
            points.append(
                {
                    "coverage": round(len(answered) / len(asked), 4),
                    "risk": found["share"],
                    "interval": found["interval"],
                    "refused": lost["share"],
                    "threshold": round(threshold, 4),
                }
            )
    return points


def share(asked: Sequence[DecidedQuestion], holds: Callable[[DecidedQuestion], bool]) -> dict[str, Any]:
    """Of how many it holds, with the middle 95% over units."""
    units: dict[str, list[bool]] = {}
    for number, one in enumerate(asked):
        units.setdefault(one.unit or f"\0{number}", []).append(holds(one))
    low, high = bootstrap_ratio([sum(own) for own in units.values()], [len(own) for own in units.values()])
    true = sum(map(sum, units.values()))
    return {
        "share": round(true / len(asked), 4) if asked else None,
        "interval": [round(low, 3), round(high, 3)],
        "n": len(asked),
    }
