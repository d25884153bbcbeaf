"""Chains that a head is trained on: chains of drafted tokens, each begun at one verified position
and fed with the head's own output.

That is drafting as it happens (EAGLE-3's training-time test): step 0 reads the target's feature,
step s the output of step s - 1 with the text's own next token. Every chain sees the verified keys
up to its start and its own. One step only is EAGLE-1's and -2's training. T positions of all
sequences one after another, P chains, L positions of one sequence, h hidden size, D draft
vocabulary.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from services.generator.models.heads.eagle import EagleHead
from services.generator.train.corpus import CorpusAnswer


@dataclass(frozen=True, slots=True)
class Batch:
    """Position i holds feature i and token i + 1, what the head reads there."""

    tokens: Tensor  # int64 [T]
    features: Tensor  # [T, h or 3h]: what the head reads
    hidden: Tensor  # [T, h]: the target's last, from which its own distribution follows
    positions: Tensor  # int64 [T]: within the sequence
    starts: Tensor  # int64 [P]: where chains begin, ascending
    last: Tensor  # int64 [P]: the last position of each chain's sequence
    spans: tuple[tuple[slice, slice], ...]  # per sequence: its positions, its chains


def make_batch(
    answers: list[CorpusAnswer], version: int, prompt_share: float, choose: torch.Generator, device: torch.device
) -> Batch:
    """Begin chains at every position whose token is the answer's, and at `prompt_share` of the
    prompt's."""
    spans: list[tuple[slice, slice]] = []
    starts, last, first, chains = [], [], 0, 0
    for answer in answers:
        length = len(answer.hidden)
        places = torch.arange(length - 1)  # the last one has no target after it
        wanted = (places >= answer.prompt_length - 1) | (torch.rand(length - 1, generator=choose) < prompt_share)
        chosen = places[wanted] + first
        starts.append(chosen)
        last.append(torch.full_like(chosen, first + length - 1))
        spans.append((slice(first, first + length), slice(chains, chains + len(chosen))))
        first, chains = first + length, chains + len(chosen)
    features = [answer.streams if version == 3 else answer.hidden for answer in answers]
    return Batch(
        tokens=torch.cat([answer.tokens[1:] for answer in answers]).to(device),
        features=torch.cat(features).to(device).float(),
        hidden=torch.cat([answer.hidden for answer in answers]).to(device).float(),
        positions=torch.cat([torch.arange(len(answer.hidden)) for answer in answers]).to(device),
        starts=torch.cat(starts).to(device),
        last=torch.cat(last).to(device),
        spans=tuple(spans),
    )


@dataclass(slots=True)
class ChainAttention:
    """Keys of the verified positions, once; and of every step's own tokens."""

    batch: Batch
    _keys: Tensor | None = None  # [kv, T, d]
    _values: Tensor | None = None
    _own: list[tuple[Tensor, Tensor]] = field(default_factory=list)  # per step, [kv, P, d]

    def __call__(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Attend: q [1, heads, P, d] -> the same; k and v of all T at the first call, of the P
        drafted tokens afterwards."""
        if self._keys is None:
            self._keys, self._values = k[0], v[0]
        else:
            self._own.append((k[0], v[0]))
        heads, _, width = q.shape[1:]
        grouped = q[0].unflatten(0, (k.shape[1], -1)) / math.sqrt(width)  # [kv, g, P, d]
        mixed = [self._sequence(grouped[:, :, chains], places, chains) for places, chains in self.batch.spans]
        return torch.cat(mixed, dim=2).reshape(1, heads, -1, width)

    def _sequence(self, q: Tensor, places: slice, chains: slice) -> Tensor:
        """Attend: q [kv, g, p, d] of one sequence's chains -> [kv, g, p, d]"""
        assert self._keys is not None
        assert self._values is not None
        keys, values = self._keys[:, places], self._values[:, places]
        later = torch.arange(places.start, places.stop, device=q.device) > self.batch.starts[chains, None]  # [p, L]
        verified = (q @ keys[:, None].transpose(2, 3)).float().masked_fill(later, -math.inf)
        own = [(q * k[:, None, chains]).sum(-1, keepdim=True).float() for k, _ in self._own]
        weights = torch.cat([verified, *own], dim=-1).softmax(dim=-1).to(q.dtype)  # [kv, g, p, L + s]
        mixed = weights[..., : keys.shape[1]] @ values[:, None]
        for number, (_, v) in enumerate(self._own, start=keys.shape[1]):
            mixed = mixed + weights[..., number, None] * v[:, None, chains]
        return mixed


class Loss(NamedTuple):
    """Of one batch. `agreed` and `counted`, per step: chains whose likeliest token is the target's,
    and chains that were judged."""

    total: Tensor
    agreed: list[int]
    counted: list[int]


@dataclass(frozen=True, slots=True)
class Recipe:
    """EAGLE-3: cross-entropy over `steps` steps, weighted by `decay` per step. EAGLE-1: one step,
    and smooth L1 on the feature itself."""

    steps: int
    decay: float = 0.8
    token_weight: float = 1.0
    feature_weight: float = 0.0
    noise: float = 0.0  # uniform, on what is read: makes up for the errors of drafted features

    @classmethod
    def published(cls, version: int, steps: int = 4) -> Recipe:
        return cls(steps) if version == 3 else cls(1, token_weight=0.1, feature_weight=1.0, noise=0.1)


def chain_loss(head: EagleHead, batch: Batch, rows: Tensor, recipe: Recipe) -> Loss:
    """Sum the loss.

    `rows` [D, h]: the target's output layer at the draft tokens. A step is judged where the text
    goes on with a draft token.
    """
    attend, total = ChainAttention(batch), torch.zeros((), device=rows.device)
    drafted = torch.full((head.config.vocab_size,), -1, device=rows.device)
    drafted[head.target_ids] = 1
    fed = (
        batch.features + (torch.rand_like(batch.features) - 0.5) * (2 * recipe.noise)
        if recipe.noise
        else batch.features
    )
    agreed, counted = [], []
    # [P, h]
    x = head(batch.tokens[None], head.fuse(fed)[None], batch.positions[None], attend, ask=batch.starts[None])[0]
    for step in range(recipe.steps):
        at = batch.starts + step
        if step:
            here = torch.minimum(at, batch.last)
            x = head(batch.tokens[here][None], x[None], (batch.positions[batch.starts] + step)[None], attend)[0]
        following = torch.minimum(at + 1, batch.last)
        judged = torch.nonzero((at < batch.last) & (drafted[batch.tokens[following]] > 0))[:, 0]
        if not len(judged):
            break
        goal = batch.hidden[following[judged]]
        wanted = F.linear(goal, rows).float().softmax(dim=-1)
        said = draft_logits(head, x[judged], rows)
        loss = -(wanted * said.log_softmax(dim=-1)).sum(dim=-1).mean() * recipe.token_weight
        if recipe.feature_weight:
            loss = loss + F.smooth_l1_loss(x[judged].float(), goal) * recipe.feature_weight
        total = total + loss * recipe.decay**step
        agreed.append(int((said.argmax(dim=-1) == wanted.argmax(dim=-1)).sum()))
        counted.append(len(judged))
    return Loss(total, agreed, counted)


def draft_logits(head: EagleHead, x: Tensor, rows: Tensor) -> Tensor:
    """Do as EagleHead.logits, but differentiable whatever kernels the target runs on: EAGLE-1
    borrows `rows`."""
    return head.logits(x) if head.config.version == 3 else F.linear(x, rows).float()
