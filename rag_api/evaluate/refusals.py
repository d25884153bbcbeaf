"""How well "no document answers this" is said: what the decision did, and what other thresholds would do. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rag_api.evaluate.metrics import precision_recall


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, as far as a decision concerns it. `confidence` below 0: refused whatever the threshold."""

    confidence: float
    answerable: bool
    refused: bool
    at_hand: bool = True  # its document is among the first three sources


def refusals(asked: Sequence[Asked]) -> dict[str, Any]:
    """`refused`: share of the answerable questions of which it was said; `refused_with_source`: of those whose document was at hand,
    so that a refusal lost something; `curve`: what each threshold on the confidence would do."""
    precision, recall = precision_recall([a.refused for a in asked], [not a.answerable for a in asked])
    answerable = [a for a in asked if a.answerable]
    near = [a for a in answerable if a.at_hand]
    return {
        "precision": precision,
        "recall": recall,
        "n": len(asked) - len(answerable),
        "refused": sum(a.refused for a in answerable) / max(1, len(answerable)),
        "refused_with_source": sum(a.refused for a in near) / max(1, len(near)),
        "curve": curve(asked),
    }


def curve(asked: Sequence[Asked]) -> list[dict[str, float]]:
    """For each recall that can be had, its best precision and the threshold for it, from the lowest recall upwards."""
    levels = sorted({a.confidence for a in asked})
    unanswerable = [not a.answerable for a in asked]
    best: dict[float, dict[str, float]] = {}
    for threshold in [(a + b) / 2 for a, b in pairwise(levels)] + [levels[-1] + 1e-6] if levels else []:
        said = [a.confidence < threshold for a in asked]
        precision, recall = precision_recall(said, unanswerable)
        wrong = sum(s and a.answerable for s, a in zip(said, asked, strict=True)) / max(1, len(asked) - sum(unanswerable))
        if recall not in best or precision > best[recall]["precision"]:
            point = {"threshold": threshold, "precision": precision, "recall": recall, "refused": wrong}
            best[recall] = {name: round(value, 4) for name, value in point.items()}
    return [best[recall] for recall in sorted(best)]
