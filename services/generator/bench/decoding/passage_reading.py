"""A reading of a question's passages as the product asks for it: where an answer begins in each of
them, then where it ends."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Seq
from typing import Any

from services.contract.reading_prompt import LABELS, NONE, TO, passage_part, question_part
from services.generator.types import Passage

PASSAGES = 3  # of a question
Score = Callable[[list[dict[str, Any]]], list[list[float]]]  # prompts of POST /score -> their log-probabilities


def read(question: str, passages: Seq[Passage], adapter: str, score: Score) -> None:
    """A passage's lines are its units; those beyond the last letter are left out."""
    lines = [[line for line in one.text.splitlines() if line.strip()][: len(LABELS)] for one in passages[:PASSAGES]]
    prompts = [
        [passage_part(one.title, "", own), question_part(question)] for one, own in zip(passages, lines, strict=False)
    ]
    begins = score(
        [
            {"prompt": prompt, "adapter": adapter, "continuations": [*LABELS[: len(own)], NONE]}
            for prompt, own in zip(prompts, lines, strict=True)
        ]
    )
    firsts = [max(range(len(log_p) - 1), key=log_p.__getitem__, default=0) for log_p in begins]
    score(
        [
            {
                "prompt": [*prompt, LABELS[first], TO],
                "adapter": adapter,
                "continuations": [f" {label}" for label in LABELS[first : max(len(own), first + 1)]],
            }
            for prompt, own, first in zip(prompts, lines, firsts, strict=True)
        ]
    )
