"""Rates at which drafted nodes are accepted, by who drafted them and what is known of them. Knows
nothing of time.

Counts are kept per drafter, never per combination of drafters: a node that several proposed is one
of the kind "others agreed" of each, and each is credited with its share of it. So a further drafter
adds its own counts and no more.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from services.generator.speculation import tree
from services.generator.types import DraftTree, NodeOrigin

OLD = 400  # trials of a kind after which older ones count for half


class NodeKind(NamedTuple):
    """What nodes of one drafter have in common.

    First tokens are a kind of their own, for there copies begin, and so are second ones and those
    from the third on: a copy that was right so far goes on being right, whatever it began from.
    """

    drafter: str
    depth: int  # 1, 2, or 3 for deeper
    agreed: bool  # another drafter proposed the same


class Estimate(NamedTuple):
    """What was said of a node: by whom, and the chance that it is accepted once its parent is."""

    kinds: tuple[NodeKind, ...]  # none: of a constraint, which is taken at its word
    chance: float


@dataclass(slots=True)
class AcceptanceRates:
    """How often nodes of a kind were accepted, given that their parent was: so that depths that
    were never verified are known too.

    A request's own counts lean on those of all requests, and these on the drafter's estimate.
    """

    parent: AcceptanceRates | None = None
    strength: float = 8.0  # trials that the parent's (or the drafter's) estimate counts for
    # in shares, where several proposed a node
    trials_of: dict[tuple[NodeKind, int], float] = field(default_factory=dict)
    _hits: dict[tuple[NodeKind, int], float] = field(default_factory=dict)
    _asked: dict[Estimate, float] = field(default_factory=dict)  # since something was learnt

    def chance(self, estimate: Estimate) -> float:
        """Return the chance of a node: the mean of what its drafters' counts say. A step asks the
        same of many nodes."""
        chance = self._asked.get(estimate)
        if chance is None:
            rates = [self.rate(kind, estimate.chance) for kind in estimate.kinds]
            chance = self._asked[estimate] = sum(rates) / len(rates) if rates else estimate.chance
        return chance

    def learn(self, estimate: Estimate, accepted: bool) -> None:
        """Credit each of a node's drafters with its share."""
        self.refresh()
        for kind in estimate.kinds:
            self.count(kind, estimate.chance, accepted, 1 / len(estimate.kinds))

    def refresh(self) -> None:
        """Look at the counts again: others may have learnt."""
        self._asked.clear()

    def rate(self, kind: NodeKind, estimate: float) -> float:
        """Return the chance that a node is accepted after its parent, from what its drafter
        estimated."""
        key = (kind, round(20 * estimate))
        base = estimate if self.parent is None else self.parent.rate(kind, estimate)
        trials = self.trials_of.get(key, 0.0)
        return (self._hits.get(key, 0.0) + self.strength * base) / (trials + self.strength)

    def count(self, kind: NodeKind, estimate: float, accepted: bool, share: float = 1.0) -> None:
        """Add a trial, or a share of one."""
        key = (kind, round(20 * estimate))
        if self.trials_of.get(key, 0.0) >= OLD:
            self.trials_of[key] /= 2
            self._hits[key] /= 2
        self.trials_of[key] = self.trials_of.get(key, 0.0) + share
        self._hits[key] = self._hits.get(key, 0.0) + share * accepted
        if self.parent is not None:
            self.parent.count(kind, estimate, accepted, share)


def drafters_of(origins: tuple[NodeOrigin, ...]) -> tuple[str, ...]:
    """Name the proposers of a node, each once: one drafter may have copied it from several
    places."""
    if len(origins) == 1:
        return (origins[0].drafter,)
    return tuple(dict.fromkeys(origin.drafter for origin in origins))


def estimates(drafted: DraftTree, known: frozenset[str]) -> list[Estimate]:
    """Say of every node but the root what its drafters, those that are `known`, said of it."""
    depths, scores = tree.depths(drafted), drafted.scores
    nodes = zip(drafted.origins[1:], depths[1:], scores[1:], drafted.parents[1:], strict=True)
    return [
        Estimate(_kinds(drafters_of(origins), min(depth, 3), known), score / max(scores[parent], 1e-9))
        for origins, depth, score, parent in nodes
    ]


@cache
def _kinds(drafters: tuple[str, ...], depth: int, known: frozenset[str]) -> tuple[NodeKind, ...]:
    agreed = len(drafters) > 1
    return tuple(NodeKind(drafter, depth, agreed) for drafter in drafters if _asked(drafter) in known)


def _asked(source: str) -> str:
    """Return who is asked for what this source has: "blend:beside" -> "blend"."""
    return source.partition(":")[0]


def credit(drafted: DraftTree, nodes: Collection[int], later: Collection[str]) -> dict[str, float]:
    """Share these nodes among those who proposed them. `later`: who is asked after the others, and
    gets what nobody else had found."""
    shares: dict[str, float] = {}
    for node in nodes:
        drafters = tuple(dict.fromkeys(map(_asked, drafters_of(drafted.origins[node]))))
        if len(drafters) > 1:
            drafters = tuple(drafter for drafter in drafters if drafter not in later) or drafters
        for drafter in drafters:
            shares[drafter] = shares.get(drafter, 0.0) + 1 / len(drafters)
    return shares
