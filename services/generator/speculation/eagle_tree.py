"""The tree that an EAGLE head's candidates become: the best of a pool (EAGLE-2 and -3) or a fixed
shape (EAGLE-1).

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
    probability, going deeper does not pay. `fixed` makes the tree EAGLE-1's: paths of ranks, (0, 1)
    being the second child of the first child; parents first, `total` is not used.
    """

    top_k: int = 10
    total: int = 60
    depth: int = 5
    least: float = 0.0
    fixed: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        assert min(self.top_k, self.total, self.depth + 1) >= 1
        assert all(path[:-1] in (*self.fixed[:place], ()) for place, path in enumerate(self.fixed)), (
            "parents before children"
        )
        assert all(rank < self.top_k for path in self.fixed for rank in path)


FIXED_TREE: tuple[tuple[int, ...], ...] = (
    *((0,), (1,), (2,), (3,)),
    *((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0)),
    *((0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 0), (0, 1, 1), (0, 2, 0), (0, 2, 1), (1, 0, 0)),
    *((0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 0, 2), (0, 0, 0, 0, 0), (0, 0, 0, 0, 1)),
)
"""EAGLE-1's 25 nodes: the likelier a branch, the deeper."""


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


def plan(fixed: Seq[tuple[int, ...]], top_k: int) -> tuple[list[list[int]], list[int]]:
    """Lay out a fixed tree: per level the K children to expand (places among K * K, padded with the
    first); where each node lies."""
    places: list[int] = []
    expand: list[list[int]] = []
    slots: dict[tuple[int, ...], int] = {(rank,): rank for rank in range(top_k)}
    for path in fixed:
        level = len(path) - 2
        places.append(path[0] if level < 0 else top_k + level * top_k**2 + slots[path[:-1]] * top_k + path[-1])
        if level >= 0 and any(other[:-1] == path for other in fixed):
            while len(expand) <= level:
                expand.append([])
            slots[path] = len(expand[level])
            expand[level].append(slots[path[:-1]] * top_k + path[-1])
    assert all(len(level) <= top_k for level in expand), "a level of a fixed tree expands more nodes than top_k"
    deepest = max(map(len, fixed), default=1)
    padded = [level + [0] * (top_k - len(level)) for level in expand]
    return [*padded, [0] * top_k][: max(deepest - 1, 0)], places


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
