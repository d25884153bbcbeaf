"""Pieces of prompts that a step computes beside the trees of those who decode: whose turn it is,
and how much of each. Knows nothing of requests."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from services.generator.models import StepInput
from services.generator.models.decoder.adapters import Active, of_rows

PATIENCE = 4  # tokens computed since somebody came that weigh as much as one that he still needs


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """Tokens that go behind the `start` that a row of the cache holds."""

    tokens: NDArray[np.int32]
    slot: int
    start: int
    active: Active | None = None


def in_turn(missing: Seq[int], waited: Seq[int]) -> list[int]:
    """Return their places in the order of their turn: who needs the fewest tokens first, but who
    waited for PATIENCE times what he needs goes before all who come. `waited`: tokens computed
    since each came."""
    return sorted(range(len(missing)), key=lambda n: (PATIENCE * missing[n] - waited[n], n))


def shared(room: int, missing: Seq[int], waited: Seq[int]) -> list[int]:
    """Return how many of the tokens that each needs are computed now, `room` at most of all."""
    given = [0] * len(missing)
    for place in in_turn(missing, waited):
        given[place] = min(missing[place], room)
        room -= given[place]
    return given


def chains(pieces: Seq[PromptPiece], logits: int = 0, features: bool = False) -> StepInput:
    """Make the step that computes them; `logits`: of so many of each one's last tokens."""
    counts = tuple(len(piece.tokens) for piece in pieces)
    token_ids, positions = torch.zeros(2, len(pieces), max(counts), dtype=torch.int64)
    for row, piece in enumerate(pieces):
        token_ids[row, : counts[row]] = torch.from_numpy(piece.tokens.astype(np.int64))
        positions[row, : counts[row]] = torch.arange(piece.start, piece.start + counts[row])
    return StepInput(
        token_ids,
        positions,
        slots=tuple(piece.slot for piece in pieces),
        lengths=tuple(piece.start for piece in pieces),
        counts=counts,
        tree_mask=None,
        logits_from=-logits or max(counts),
        features=features,
        adapters=of_rows([piece.active for piece in pieces]),
    )
