"""Which drafts are worth verifying: the tree that maximises expected tokens per second, by measured costs.

A step's time is known by its nodes (costs.py); what it emits is the sum of its nodes' chances. Drafters' own estimates are
corrected by what was accepted before, per proposer and strength, and the measured costs by what steps really take; a drafter whose
tokens cost more than they save is left out for a while (gates.py). Knows nothing of models or text, and decides about time only: the
output is the same whatever it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Protocol

from services.generator.planner.gates import Gate, Habit
from services.generator.speculation import tree
from services.generator.types import Accepted, DraftTree, NodeOrigin

CONSTRAINT = "constraint"
DEAR = 0.02  # of a step: a drafter that takes less is never left out for its nodes, which `cut` weighs one by one
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
class Plan:
    """What the planner remembers of a request."""

    calibration: Calibration
    gates: dict[str, Gate] = field(default_factory=dict)
    estimates: dict[int, tuple[str, float]] = field(default_factory=dict)  # node of the verified tree -> kind and estimate


@dataclass(slots=True)
class Pace:
    """How much longer steps take than the table says, by nodes: the host's work, and what a busy machine measured wrongly at start."""

    weight: float = 0.05  # of the latest step
    least: int = 12  # steps of a size before its own factor is believed
    _all: float = 1.0
    _factors: dict[int, float] = field(default_factory=dict)
    _steps: dict[int, int] = field(default_factory=dict)

    def learn(self, nodes: int, factor: float) -> None:
        size = nodes.bit_length()
        known, steps = self._factors.get(size, factor), self._steps.get(size, 0) + 1
        seen = min(max(factor, known / 2), known * 2)  # an interruption is no cost of the nodes
        self._factors[size] = known + max(self.weight, 1 / steps) * (seen - known)
        self._steps[size] = steps
        self._all += self.weight * (min(max(factor, self._all / 2), self._all * 2) - self._all)

    def factor(self, nodes: int) -> float:
        """Of sizes that were hardly seen: what all steps have shown."""
        size = nodes.bit_length()
        return self._factors[size] if self._steps.get(size, 0) >= self.least else self._all


class Planner:
    """One per engine. Without costs every draft is verified as it is, up to its budget."""

    def __init__(self, costs: Costs | None, drafts: Mapping[str, float] | None = None) -> None:
        """`drafts`: seconds of a draft by drafter, as far as they were measured."""
        self._costs = costs
        self._drafts = drafts or {}
        self._all = Calibration(strength=40.0)
        self._habits: dict[str, Habit] = {}
        self._pace = Pace()
        self._tables: dict[int, list[float]] = {}

    def start(self, drafters: Seq[str] = ()) -> Plan:
        """For a request that these may draft for; `gates` names those that will."""
        plan = Plan(Calibration(self._all))
        for name in drafters:
            habit = self._habits.setdefault(name, Habit())
            if self._costs is None or habit.admit():
                plan.gates[name] = habit.begin(self._drafts.get(name, 0.0))
        return plan

    def finish(self, plan: Plan) -> None:
        if self._costs is not None:
            for name, gate in plan.gates.items():
                self._habits[name].ended(gate)

    def wants(self, plan: Plan, drafter: str) -> bool:
        return self._costs is None or plan.gates[drafter].open()

    def drafted(self, plan: Plan, drafter: str, draft: DraftTree, seconds: float, usual: bool = True) -> None:
        """`seconds`: what it took; see Gate.took."""
        gate = plan.gates[drafter]
        if len(draft) > 1:
            gate.kind = _kind(draft.origins[1])
        gate.took(seconds, usual)

    def cut(self, plans: Seq[Plan], trees: Seq[DraftTree], lengths: Seq[int]) -> list[DraftTree]:
        """Every row's tree without the nodes that would cost more time than they save."""
        if self._costs is None:
            return list(trees)
        scored = [self._calibrated(plan, each) for plan, each in zip(plans, trees, strict=True)]
        ranked = sorted((score for each in scored for score in each.scores[1:]), reverse=True)
        drafting = sum(gate.seconds for plan in plans for gate in plan.gates.values() if not gate.pause)
        nodes = self._best_count(ranked, len(trees), sum(lengths) // len(lengths), drafting)
        if not nodes:  # the usual outcome on text without copies, and the cheapest
            for plan in plans:
                plan.estimates = {}
            return [tree.root_only(each.token_ids[0]) for each in trees]
        floor = ranked[nodes - 1]
        cut = [tree.prune(each, 1 + sum(score >= floor for score in each.scores[1:])) for each in scored]
        for plan, before, after in zip(plans, trees, cut, strict=True):
            plan.estimates = _estimates(before, after)
        return cut

    def paced(self, nodes: int, context: int, seconds: float) -> float:
        """A step of so many nodes, of all rows together, took `seconds`, without its drafts. What such steps take by and large."""
        if self._costs is None:
            return seconds
        known = self._table(context, nodes)[nodes]
        self._pace.learn(nodes, seconds / known)
        return known * self._pace.factor(nodes)

    def learn(self, plan: Plan, verified: DraftTree, accepted: Accepted, seconds: float) -> None:
        """`seconds`: that such a step takes, without its drafts, shared by its rows."""
        if self._costs is None:
            return
        taken = set(accepted.path)
        for node, (kind, estimate) in plan.estimates.items():
            if verified.parents[node] in taken:
                plan.calibration.count(kind, estimate, node in taken)
        kinds = [_kind(origins) for origins in verified.origins[1:]]
        for gate in plan.gates.values():
            if not gate.pause:
                alone = sum(kinds[node - 1] == gate.kind for node in accepted.path[1:])
                dear = gate.seconds > DEAR * seconds
                extra = seconds * self._share(len(verified), kinds.count(gate.kind)) if dear else 0.0
                gate.gave(alone, len(accepted.token_ids), seconds, extra)

    def _share(self, nodes: int, own: int) -> float:
        """Of a step's time that `own` of its nodes add, at a middling context."""
        table = self._table(CONTEXTS[1], nodes)
        return 1 - table[nodes - own] / table[nodes]

    def _calibrated(self, plan: Plan, drafted: DraftTree) -> DraftTree:
        scores, depths = [1.0], tree.depths(drafted)
        for node in range(1, len(drafted)):
            kind, estimate = _estimate(drafted, node, depths[node])
            rate = estimate if kind == CONSTRAINT else plan.calibration.rate(kind, estimate)
            scores.append(rate * scores[drafted.parents[node]])
        return replace(drafted, scores=tuple(scores))

    def _best_count(self, scores: list[float], rows: int, context: int, drafting: float) -> int:
        """How many of the nodes, the likeliest first, give the most tokens per second, `drafting` seconds included."""
        table = self._table(context, rows + len(scores))
        tokens, best, count = float(rows), rows / (drafting + table[rows] * self._pace.factor(rows)), 0
        for nodes, score in enumerate(scores, start=rows + 1):
            tokens += score
            rate = tokens / (drafting + table[nodes] * self._pace.factor(nodes))
            if rate > best:
                best, count = rate, nodes - rows
        return count

    def _table(self, context: int, nodes: int) -> list[float]:
        """Seconds by nodes at about this context."""
        assert self._costs is not None
        near = next((c for c in CONTEXTS if c >= context), CONTEXTS[-1])
        known = self._tables.setdefault(near, [0.0])
        while len(known) <= nodes:
            known.append(self._costs.verify(len(known), near))
        return known


def _estimate(drafted: DraftTree, node: int, depth: int) -> tuple[str, float]:
    """Kind, and the drafters' chance given that the parent is accepted.

    A kind's first tokens are one of their own, for there copies begin, and so are its second and those from the third on: a copy that
    was right so far goes on being right, whatever it began from.
    """
    return _kind_at(_kind(drafted.origins[node]), min(depth, 3)), drafted.scores[node] / max(drafted.scores[drafted.parents[node]], 1e-9)


@cache
def _kind_at(kind: str, depth: int) -> str:
    return kind if kind == CONSTRAINT else f"{kind} {depth}"


def _kind(origins: tuple[NodeOrigin, ...]) -> str:
    """The proposers of a node, e.g. "copy+eagle"."""
    if len(origins) == 1:
        return origins[0].drafter
    return "+".join(sorted({origin.drafter for origin in origins}))


def _estimates(before: DraftTree, after: DraftTree) -> dict[int, tuple[str, float]]:
    """For the nodes that were kept, what their drafters had said of them."""
    original = {0: 0}
    places = {edge: node for node, edge in enumerate(zip(before.parents, before.token_ids, strict=True))}
    for node in range(1, len(after)):
        original[node] = places[(original[after.parents[node]], after.token_ids[node])]
    depths = tree.depths(before)
    return {node: _estimate(before, old, depths[old]) for node, old in original.items() if node}
