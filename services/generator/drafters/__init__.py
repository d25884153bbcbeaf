"""Drafters propose continuations. A drafter only proposes; it cannot change what is generated.

One file per drafter, one line each in DRAFTERS (registry.py). Drafters never import each other, the engine or verify.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from services.generator.types import Accepted, DraftTree, Sequence


@dataclass(frozen=True, slots=True)
class StepState:
    """What a drafter sees of one sequence before a step.

    `context` is prompt + output; its last token is the root of the draft (decided, not yet in the target's cache).
    `features` are the target's hidden states of the tokens verified since the last call, [n, h or 3h] or None when
    no drafter asks for them; `entropy` is that of the distribution the root token was drawn from, in nats, or None.
    """

    sequence: Sequence
    context: NDArray[np.int32]  # [prompt + output], read-only view
    features: torch.Tensor | None = None
    entropy: float | None = None


class Drafter(Protocol):
    name: str

    @property
    def wants_features(self) -> str | None:
        """None, "hidden" (EAGLE-1/2) or "streams" (EAGLE-3)."""

    def start(self, sequence: Sequence) -> None:
        """A sequence was admitted; its prompt is known."""

    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        """One tree per state, at most `nodes` nodes each, the root included; a tree of the root alone says: nothing."""

    def feedback(self, state: StepState, tree: DraftTree, accepted: Accepted) -> None:
        """What became of the merged tree of this step (not only of this drafter's part)."""

    def finish(self, sequence: Sequence) -> None:
        """The sequence ended or was cancelled: forget it."""
