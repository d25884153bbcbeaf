"""Reader: what it is asked, what it says. Numbers of one reader compare across passages and questions, those of two do not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rag_api.readers.passages import ReadingPassage

LATER = 0.5  # nats that a passage loses for each better one found: retrieval knows something too


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader makes of one passage. answers: the log-odds that it holds an answer. first, last: the likeliest range of its lines.
    sure: the log-probability of that range, given that there is an answer. reason: what does not fit, where nothing answers."""

    answers: float
    first: int
    last: int
    sure: float
    reason: str = ""

    @property
    def odds(self) -> float:
        """Log-odds that this very range answers."""
        probability = math.exp(self.sure) / (1 + math.exp(-max(-30.0, min(30.0, self.answers))))
        return math.log(max(probability, 1e-9)) - math.log(max(1 - probability, 1e-9))


class Reader(Protocol):
    name: str  # what a fitted threshold is kept under: of the model, the adapter and the prompt's version

    def read(self, question: str, passages: Sequence[ReadingPassage]) -> list[Reading]:
        """Return one reading a passage, in their order. Blocks; threads may share it. Raises Unavailable when a service does not answer."""

    def close(self) -> None: ...


def order(readings: Sequence[Reading]) -> list[int]:
    """Return the passages' indices, the likeliest to answer first."""
    return sorted(range(len(readings)), key=lambda n: LATER * n - readings[n].odds)
