"""RAPID's retrieval-augmented target distribution (section 2.4): what reads the retrieved parts
alone is believed a little.

Where a token x was drawn from the drafter's distribution q, it is accepted with the chance min(1,
p'(x) / q(x)), p' being the target's p moved towards q (eq. 6 and 8, the tail left as it was, eq.
9); else the token is drawn from what is left of p (eq. 10). So a token is

    min(q, p') + (1 - sum min(q, p')) * norm(max(p - p', p - q, 0))

and no longer p: not lossless, never the default, and said in the response. At temperature 0 p' is p
(eq. 8), and nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Seq
from dataclasses import dataclass

import torch
from torch import Tensor

from services.generator.speculation.acceptance import EXACT
from services.generator.speculation.sampling import gumbel, nucleus
from services.generator.types import Accepted, DraftTree, SamplingParams

TAIL = 0.1  # of the likeliest's chance: less likely tokens keep theirs (eq. 9)
_ACCEPT, _REST = 0x52415049, 0x44525354  # the noise of a position is that of drafting it: these two are other noise


@dataclass(frozen=True, slots=True)
class DrawnChain:
    """A chain that was drawn token by token: `chances` fp32 [tokens, V], what each was drawn from;
    `position` of the first in the text."""

    token_ids: tuple[int, ...]
    chances: Tensor
    position: int


@dataclass(frozen=True, slots=True)
class Augmented:
    """An `Acceptance`. `drawn`: returns what was drawn last for this sequence."""

    drawn: Callable[[], DrawnChain | None]
    sampling: SamplingParams
    # eta: the paper tries 5, 10 and 20 where drafter and target are of a size, 40 and 50 for a
    # larger drafter
    transfer: float = 10.0
    lossless: bool = False

    def accept(self, tree: DraftTree, chosen: Seq[int], logits: Tensor) -> Accepted:
        """Choose the path along the drawn tokens that are accepted, and along the target's own
        wherever nothing was drawn."""
        drawn = self.drawn() if self.sampling.temperature > 0 else None
        if drawn is None or not drawn.token_ids:
            return EXACT.accept(tree, chosen, logits)
        children = {edge: node for node, edge in enumerate(zip(tree.parents, tree.token_ids, strict=True))}
        own = list(chosen)
        node: int | None = 0
        for place, token in enumerate(drawn.token_ids):
            if node is None:
                break
            own[node] = self._token(logits[node], drawn, place)
            node = children.get((node, token)) if own[node] == token else None
        return EXACT.accept(tree, own, logits)

    def _token(self, logits: Tensor, drawn: DrawnChain, place: int) -> int:
        """Return the token of one position: the drawn one, or one of what is left."""
        q, token, position = drawn.chances[place], drawn.token_ids[place], drawn.position + place
        p = chances(logits, self.sampling)
        moved = augmented(p, q, self.transfer)
        if _uniform(self.sampling.seed ^ _ACCEPT, position) <= float(moved[token] / q[token]):
            return token
        left = rest(p, moved, q)
        noise = gumbel(self.sampling.seed ^ _REST, [position], len(left), left.device)[0]
        return int((left.log() + noise).argmax())


def chances(logits: Tensor, sampling: SamplingParams) -> Tensor:
    """Return the probabilities at this temperature and top-p, along the last dimension."""
    return nucleus(logits[None] / sampling.temperature, sampling.top_p)[0].softmax(-1)


def augmented(p: Tensor, q: Tensor, transfer: float) -> Tensor:
    """Return p' [V]: eq. 6, softmax(z / T + eta (q - p)), with the tail of eq. 9. z / T is log p up
    to what a softmax takes away."""
    moved = (p.log() + transfer * (q - p)).softmax(-1)
    return torch.where(moved < TAIL * moved.max(), p, moved)


def rest(p: Tensor, moved: Tensor, q: Tensor) -> Tensor:
    """Return what a token is drawn from when the drafted one is rejected (eq. 10); p where rounding
    alone left nothing."""
    left = torch.maximum(p - moved, p - q).clamp(min=0)
    total = left.sum()
    return left / total if total > 0 else p


def draw(logits: Tensor, samplings: Seq[SamplingParams], positions: Seq[int]) -> tuple[Tensor, Tensor]:
    """Draw a token for each row of `logits` [R, V] -> (tokens int64 [R], what they were drawn from
    fp32 [R, V])."""
    given = torch.stack([chances(row, sampling) for row, sampling in zip(logits, samplings, strict=True)])
    noise = torch.stack(
        [
            gumbel(sampling.seed, [position], logits.shape[-1], logits.device)[0]
            for sampling, position in zip(samplings, positions, strict=True)
        ]
    )
    return (given.log() + noise).argmax(-1), given


def _uniform(seed: int, position: int) -> float:
    """Return a number in (0, 1) of this seed and position: exp(-exp(-g)) of standard Gumbel noise
    is uniform."""
    noise = gumbel(seed, [position], 1, torch.device("cpu")).double()
    return float((-(-noise).exp()).exp())
