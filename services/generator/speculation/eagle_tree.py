"""The tree that an EAGLE head's candidates become: the best of a pool.

Knows nothing of heads, caches or sequences. R rows, K = top_k, P pool.
"""

from __future__ import annotations

import math
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from services.generator.types import DraftTree, NodeOrigin


@dataclass(frozen=True, slots=True)
class TreeShape:
    """`total` counts the root; `depth` the levels after the first, each one forward of the head.

    `least` ends drafting early: when no leaf of any row is accepted with at least this estimated
    probability, going deeper does not pay.
    """

    top_k: int = 10
    total: int = 60
    depth: int = 5
    least: float = 0.0

    def __post_init__(self) -> None:
        assert min(self.top_k, self.total, self.depth + 1) >= 1


class Pool(NamedTuple):
    """Every candidate of every level, in the order found, so that parents precede children. Each
    [R, P]."""

    tokens: Tensor
    scores: Tensor
    parents: Tensor  # places in the pool; -1: the root


def select(pool: Pool, count: int) -> Tensor:
    """Choose the best `count` of each row's pool, [R, count] places in rising order.

    A child never scores above its parent and stands behind it; a stable sort therefore keeps the
    parent of everything it keeps, even where rounding makes the two equal.
    """
    count = min(count, pool.scores.shape[1])
    return pool.scores.sort(dim=1, descending=True, stable=True).indices[:, :count].sort(dim=1).values


def to_tree(
    root: int, places: Seq[float], tokens: Seq[float], scores: Seq[float], parents: Seq[float], drafter: str
) -> DraftTree:
    """Make nodes 1.. of a tree of chosen pool entries, parents first; scores are
    log-probabilities."""
    origins = (NodeOrigin(drafter),)
    nodes = {-1: 0} | {int(place): number for number, place in enumerate(places, start=1)}
    return DraftTree(
        token_ids=(root, *map(int, tokens)),
        parents=(-1, *(nodes[int(parent)] for parent in parents)),
        scores=(1.0, *map(math.exp, scores)),
        origins=((), *(origins for _ in tokens)),
    )
