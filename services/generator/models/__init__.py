"""Target models: token ids in, logits and hidden states out. They know nothing of trees' origins,
sampling or text.

A forward runs over a padded batch of trees; a prompt's prefill is a chain. Shapes: R rows in this
step, N nodes (padded to the longest row's), h hidden size, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import torch

if TYPE_CHECKING:
    from services.generator.models.decoder.adapters import Active
    from services.generator.models.kv_cache import KVCache


FeatureKind = Literal["hidden", "streams"]
"""What of the target a drafter may read: fields of StepOutput, EAGLE-1's and -2's features and
EAGLE-3's."""


@dataclass(frozen=True, slots=True)
class TargetConfig:
    vocab_size: int
    hidden_size: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    max_positions: int
    eos_token_ids: tuple[int, ...]
    name: str


@dataclass(frozen=True, slots=True)
class StepInput:
    """What one forward computes. Row r writes its nodes' keys at cache positions lengths[r] ..
    lengths[r] + counts[r].

    Tensors may be on the host: the target uploads them, in one copy where it can.
    """

    token_ids: torch.Tensor  # int64 [R, N]
    positions: torch.Tensor  # int64 [R, N]: lengths[r] + depth of the node
    slots: tuple[int, ...]  # [R]: the cache row of each row
    lengths: tuple[int, ...]  # [R]: verified tokens in the cache before this step
    counts: tuple[int, ...]  # [R]: real nodes; the rest is padding
    # bool [R, N, N]: node i sees node j (itself included); None: every row is a causal chain
    tree_mask: torch.Tensor | None
    # logits are computed for nodes >= this (N: for none); negative counts from counts[r] (-1: the
    # last only)
    logits_from: int = 0
    features: bool = False  # also return what heads want
    adapters: tuple[Active | None, ...] = ()  # [R], or none at all


@dataclass(frozen=True, slots=True)
class StepOutput:
    logits: torch.Tensor  # fp32 [R, N', V]
    hidden: torch.Tensor | None  # [R, N, h]: after the final norm (EAGLE-1/2), when features
    streams: torch.Tensor | None  # [R, N, 3h]: before layers 2, n//2, n-3 (EAGLE-3), when features


class Target(Protocol):
    config: TargetConfig
    device: torch.device
    dtype: torch.dtype

    def new_cache(self, rows: int, length: int) -> KVCache: ...

    def forward(self, step: StepInput, cache: KVCache) -> StepOutput: ...

    def forward_all(self, steps: Sequence[StepInput], cache: KVCache) -> list[StepOutput]:
        """Compute steps that share no row, as one where that changes no result but by rounding in
        fp32."""

    @property
    def embedding(self) -> torch.Tensor:
        """[V, h]"""

    def embed(self, token_ids: torch.Tensor) -> torch.Tensor:
        """Turn [...] into [..., h]; heads share the target's embeddings."""

    def lm_head(self, hidden: torch.Tensor) -> torch.Tensor:
        """Turn [..., h] (after the final norm) into fp32 [..., V]."""
