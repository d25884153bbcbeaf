"""Which drafts are worth verifying: the tree that maximises expected tokens per second, by measured costs.

A step's time is known by its nodes (costs.py); what it emits is the sum of its nodes' chances. Drafters' own estimates are
corrected by what was accepted before, per proposer and strength; a drafter whose tokens cost more than they save is
left out for a while. Knows nothing of models or text, and decides about time only: the output is the same whatever it does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field, replace
from typing import Protocol

from services.generator import tree
from services.generator.types import Accepted, CandidateSource, DraftTree, NodeOrigin

CONTEXTS = (256, 1024, 4096, 16384, 65536)


class Costs(Protocol):
    def verify(self, nodes: int, context: int) -> float:
        """Seconds of a forward of that many nodes (of all rows together) behind that much context."""


@dataclass(slots=True)
class Calibration:
    """How often nodes of a kind were accepted, given that their parent was: so that depths that were never verified are known too.

    A request's own counts lean on those of all requests, and these on the drafter's estimate.
    """

    parent: Calibration | None = None
    strength: float = 8.0  # trials that the parent's (or the drafter's) estimate counts for
    _trials: dict[tuple[str, int], float] = field(default_factory=dict)
    _hits: dict[tuple[str, int], float] = field(default_factory=dict)

    def rate(self, kind: str, estimate: float) -> float:
        """Chance that a node is accepted after its parent, from what its drafter estimated."""
        key = (kind, round(20 * estimate))
        base = estimate if self.parent is None else self.parent.rate(kind, estimate)
        trials = self._trials.get(key, 0.0)
        return (self._hits.get(key, 0.0) + self.strength * base) / (trials + self.strength)

    def count(self, kind: str, estimate: float, accepted: bool) -> None:
        key = (kind, round(20 * estimate))
        if self._trials.get(key, 0.0) >= 400:  # older text counts for less
            self._trials[key] /= 2
            self._hits[key] /= 2
        self._trials[key] = self._trials.get(key, 0.0) + 1
        self._hits[key] = self._hits.get(key, 0.0) + accepted
        if self.parent is not None:
            self.parent.count(kind, estimate, accepted)


@dataclass(slots=True)
class Gate:
    """Whether one drafter pays for one request. Closed, it is tried again after a while, then after twice that."""

    seconds: float = 0.0  # of a draft, smoothed
    gain: float = 1.0  # tokens per step that only this drafter gave, smoothed
    kind: str = ""  # what its nodes are known by, see _kind
    pause: int = 0  # steps to go without it
    _next_pause: int = 8

    def open(self) -> bool:
        if self.pause:
            self.pause -= 1
        return not self.pause

    def took(self, seconds: float) -> None:
        self.seconds = seconds if not self.seconds else self.seconds + 0.2 * (seconds - self.seconds)

    def gave(self, tokens: int, seconds_per_token: float) -> None:
        self.gain += 0.15 * (tokens - self.gain)
        if self.gain * seconds_per_token >= self.seconds:
            self._next_pause = 8
            return
        self.pause, self._next_pause = self._next_pause, min(64, 2 * self._next_pause)
        self.gain = self.seconds / seconds_per_token  # tried again, it has a few steps to show more


@dataclass(slots=True)
class Plan:
    """What the planner remembers of a request."""

    calibration: Calibration
    gates: dict[str, Gate] = field(default_factory=dict)
    estimates: dict[int, tuple[str, float]] = field(default_factory=dict)  # node of the verified tree -> kind and estimate


class Planner:
    """One per engine. Without costs every draft is verified as it is, up to its budget."""

    def __init__(self, costs: Costs | None) -> None:
        self._costs = costs
        self._all = Calibration(strength=40.0)
        self._tables: dict[int, list[float]] = {}
        self._step_seconds_per_token = 0.0

    def start(self) -> Plan:
        return Plan(Calibration(self._all))

    def wants(self, plan: Plan, drafter: str) -> bool:
        return self._costs is None or plan.gates.setdefault(drafter, Gate()).open()

    def drafted(self, plan: Plan, drafter: str, draft: DraftTree, seconds: float | None) -> None:
        """`seconds`: what it took; None: that says nothing of the next time (at first a head reads the whole prompt)."""
        gate = plan.gates.setdefault(drafter, Gate())
        if len(draft) > 1:
            gate.kind = _kind(draft.origins[1])
        if seconds is not None:
            gate.took(seconds)

    def cut(self, plans: Seq[Plan], trees: Seq[DraftTree], lengths: Seq[int]) -> list[DraftTree]:
        """Every row's tree without the nodes that would cost more time than they save."""
        if self._costs is None:
            return list(trees)
        scored = [self._calibrated(plan, each) for plan, each in zip(plans, trees, strict=True)]
        ranked = sorted((score for each in scored for score in each.scores[1:]), reverse=True)
        nodes = self._best_count(ranked, len(trees), max(lengths))
        floor = ranked[nodes - 1] if nodes else math.inf
        cut = [tree.prune(each, 1 + sum(score >= floor for score in each.scores[1:])) for each in scored]
        for plan, before, after in zip(plans, trees, cut, strict=True):
            plan.estimates = _estimates(before, after)
        return cut

    def learn(self, plan: Plan, verified: DraftTree, accepted: Accepted, seconds: float) -> None:
        """`seconds`: of the step, shared by its rows."""
        if self._costs is None:
            return
        taken = set(accepted.path)
        for node, (kind, estimate) in plan.estimates.items():
            if verified.parents[node] in taken:
                plan.calibration.count(kind, estimate, node in taken)
        per_token = seconds / len(accepted.token_ids)
        for gate in plan.gates.values():
            if not gate.pause:
                alone = sum(_kind(verified.origins[node]) == gate.kind for node in accepted.path[1:])
                gate.gave(alone, per_token)

    def _calibrated(self, plan: Plan, drafted: DraftTree) -> DraftTree:
        scores = [1.0]
        for node in range(1, len(drafted)):
            kind, estimate = _estimate(drafted, node)
            rate = estimate if kind == CandidateSource.CONSTRAINT.value else plan.calibration.rate(kind, estimate)
            scores.append(rate * scores[drafted.parents[node]])
        return replace(drafted, scores=tuple(scores))

    def _best_count(self, scores: list[float], rows: int, context: int) -> int:
        """How many of the nodes, the likeliest first, give the most tokens per second."""
        seconds = self._table(context, rows + len(scores))
        tokens, best, count = float(rows), rows / seconds[rows], 0
        for nodes, score in enumerate(scores, start=1):
            tokens += score
            if tokens / seconds[rows + nodes] > best:
                best, count = tokens / seconds[rows + nodes], nodes
        return count

    def _table(self, context: int, nodes: int) -> list[float]:
        """Seconds by nodes at about this context."""
        assert self._costs is not None
        near = next((c for c in CONTEXTS if c >= context), CONTEXTS[-1])
        known = self._tables.setdefault(near, [0.0])
        while len(known) <= nodes:
            known.append(self._costs.verify(len(known), near))
        return known


def _estimate(drafted: DraftTree, node: int) -> tuple[str, float]:
    """Kind, and the drafters' chance given that the parent is accepted. First tokens are a kind of their own: there copies begin."""
    parent = drafted.parents[node]
    kind = _kind(drafted.origins[node])
    if parent == 0 and kind != CandidateSource.CONSTRAINT.value:
        kind = "first " + kind
    return kind, drafted.scores[node] / max(drafted.scores[parent], 1e-9)


def _kind(origins: tuple[NodeOrigin, ...]) -> str:
    """The proposers of a node, e.g. "copy+eagle"."""
    if len(origins) == 1:
        return origins[0].source.value
    return "+".join(sorted({origin.source.value for origin in origins}))


def _estimates(before: DraftTree, after: DraftTree) -> dict[int, tuple[str, float]]:
    """For the nodes that were kept, what their drafters had said of them."""
    original = {0: 0}
    places = {edge: node for node, edge in enumerate(zip(before.parents, before.token_ids, strict=True))}
    for node in range(1, len(after)):
        original[node] = places[(original[after.parents[node]], after.token_ids[node])]
    return {node: _estimate(before, old) for node, old in original.items() if node}
