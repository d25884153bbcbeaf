"""The planner of drafts that are worth making and verifying: the tree that maximises expected
tokens per second, by measured costs.

A step's time is known by its nodes (costs.py, pace.py); what it emits is the sum of its nodes'
chances (rates.py). A drafter that runs a model is asked where it should give more than its time is
worth beside what was looked up; one whose tokens cost more than they save is left out for a while
(gates.py). Knows nothing of models or text, and decides about time only: the output is the same
whatever it does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Protocol

from services.generator.planner.gates import DrafterHistory, Gate
from services.generator.planner.pace import Pace
from services.generator.planner.rates import AcceptanceRates, Estimate, credit, estimates
from services.generator.speculation import tree
from services.generator.types import Accepted, DraftTree

DEAR = 0.02  # of a step: a drafter that takes less is never left out for its nodes, which `cut` weighs one by one
APART = 3  # nodes: what fewer add is within what measuring errs by
SLACK = 0.5  # of the chance that pays for a node: what drafters are asked to leave out must be far from paying
CONTEXTS = (256, 1024, 4096, 16384, 65536)


class CostModel(Protocol):
    def verify(self, nodes: int, context: int) -> float:
        """Return seconds of a forward of that many nodes (of all rows together) behind that much
        context."""


@dataclass(slots=True)
class Plan:
    """What the planner remembers of a request, and of its step from the first draft to what was
    accepted."""

    rates: AcceptanceRates
    gates: dict[str, Gate] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)  # who drafted for this step
    looked_up: tuple[float, float] | None = None  # tokens and seconds of this step without those who run a model
    estimates: dict[int, Estimate] = field(default_factory=dict)  # by node of the tree that is verified

    @property
    def known(self) -> frozenset[str]:
        """Who may draft."""
        return frozenset(self.gates)

    def next_step(self) -> None:
        """Forget the step."""
        self.asked.clear()
        self.rates.refresh()
        self.looked_up = None
        self.estimates = {}


class Planner:
    """One per engine. Without costs every drafter is asked and every draft verified as it is, up to
    its budget."""

    def __init__(
        self, costs: CostModel | None, drafts: Mapping[str, float] | None = None, models: Collection[str] = ()
    ) -> None:
        """Begin with nothing learnt.

        `drafts`: seconds of a draft by drafter, as far as they were measured; `models`: the
        drafters that run a model.
        """
        self._costs = costs
        self._drafts = drafts or {}
        self._models = frozenset(models)
        self._rates = AcceptanceRates(strength=40.0)
        self._histories: dict[str, DrafterHistory] = {}
        self._pace = Pace()
        self._tables: dict[int, list[float]] = {}
        self._floors: dict[tuple[int, int], float] = {}

    def start(self, drafters: Seq[str] = ()) -> Plan:
        """Begin a request that these may draft for; `gates` names those that will."""
        plan = Plan(AcceptanceRates(self._rates))
        for name in drafters:
            history = self._histories.setdefault(name, DrafterHistory())
            if self._costs is None or history.admit():
                plan.gates[name] = history.begin(self._drafts.get(name, 0.0))
        return plan

    def finish(self, plan: Plan) -> None:
        """Remember how a request's drafters did."""
        if self._costs is not None:
            for name, gate in plan.gates.items():
                self._histories[name].ended(gate)

    def wants(self, plan: Plan, drafter: str, drafted: DraftTree, context: int, rows: int = 1) -> bool:
        """Say whether a drafter is asked in this step, which has `rows` rows. `drafted`: what those
        before it proposed, merged."""
        if self._costs is not None:
            if not plan.gates[drafter].open():
                return False
            if drafter in self._models and not self._pays_beside(plan, drafter, drafted, context, rows):
                return False
        plan.asked.add(drafter)
        return True

    def least(self, context: int, rows: int, nodes: int) -> float:
        """Return the chance below which no node of a tree of up to `nodes` pays, by a step's
        measured seconds; 0 without costs.

        A step without drafts gives `rows` tokens, and a node adds at least the flattest slope of
        what steps take. Half of that, for estimates are often too low by as much, and what is left
        out here is not weighed again.
        """
        if self._costs is None:
            return 0.0
        near = _near(context)
        if (near, rows) not in self._floors:
            table = self._table(near, rows + nodes)
            slopes = [(table[rows + more] - table[rows]) / more for more in range(min(APART, nodes), nodes + 1)]
            self._floors[near, rows] = max(0.0, SLACK * rows * min(slopes, default=0.0) / table[rows])
        return self._floors[near, rows]

    def drafted(self, plan: Plan, drafter: str, seconds: float, usual: bool = True) -> None:
        """Take in what a draft took; see Gate.took."""
        plan.gates[drafter].took(seconds, usual)

    def cut(self, plans: Seq[Plan], trees: Seq[DraftTree], lengths: Seq[int]) -> list[DraftTree]:
        """Return every row's tree without the nodes that would cost more time than they save."""
        if self._costs is None:
            return list(trees)
        said = [estimates(each, plan.known) for plan, each in zip(plans, trees, strict=True)]
        scored = [_scored(plan, each, own) for plan, each, own in zip(plans, trees, said, strict=True)]
        ranked = sorted((score for each in scored for score in each.scores[1:]), reverse=True)
        drafting = sum(plan.gates[name].seconds for plan in plans for name in plan.asked)
        nodes = self._best_count(ranked, len(trees), sum(lengths) // len(lengths), drafting)
        if not nodes:  # the usual outcome on text without copies, and the cheapest
            return [tree.root_only(each.token_ids[0]) for each in trees]
        floor = ranked[nodes - 1]
        cut = [tree.prune(each, 1 + sum(score >= floor for score in each.scores[1:])) for each in scored]
        for plan, own, before, after in zip(plans, said, trees, cut, strict=True):
            plan.estimates = {new: own[old - 1] for new, old in tree.places_in(after, before).items() if new}
        return cut

    def paced(self, nodes: int, context: int, seconds: float) -> float:
        """Take in the `seconds` of a step of so many nodes, its drafts left out; return what such
        steps usually take."""
        if self._costs is None:
            return seconds
        known = self._table(context, nodes)[nodes]
        self._pace.learn(nodes, seconds / known)
        return known * self._pace.factor(nodes)

    def learn(self, plan: Plan, verified: DraftTree, accepted: Accepted, seconds: float) -> None:
        """Take in what was accepted. `seconds`: that such a step takes, without its drafts, shared
        by its rows."""
        if self._costs is None:
            return
        taken = set(accepted.path)
        for node, estimate in plan.estimates.items():
            if verified.parents[node] in taken:
                plan.rates.learn(estimate, node in taken)
        gains = credit(verified, accepted.path[1:], self._models)
        nodes = credit(verified, range(1, len(verified)), self._models)
        for name in plan.asked:
            gate, gain = plan.gates[name], gains.get(name, 0.0)
            dear = gate.seconds > DEAR * seconds
            gate.gave(
                gain,
                len(accepted.token_ids),
                seconds,
                seconds * self._share(len(verified), nodes.get(name, 0.0)) if dear else 0.0,
            )
            if plan.looked_up is not None and name in self._models:
                self._histories[name].beside.gave(plan.looked_up[0] - 1, gain)
        plan.next_step()

    def _pays_beside(self, plan: Plan, drafter: str, looked_up: DraftTree, context: int, rows: int) -> bool:
        """Say whether a draft that runs a model should save more time than it takes, given what the
        look-ups found."""
        if plan.looked_up is None:
            plan.looked_up = self._outlook(plan, looked_up, context, rows)
        (tokens, seconds), known = plan.looked_up, plan.gates[drafter].known
        beside = self._histories[drafter].beside
        gain = beside.expected(tokens - 1, known.gain)
        return gain * seconds / tokens >= known.seconds + known.extra or beside.tries_anyway(tokens - 1)

    def _outlook(self, plan: Plan, drafted: DraftTree, context: int, rows: int) -> tuple[float, float]:
        """Return the tokens that a row should get of this tree, cut to what pays, and the seconds
        of its share of the step."""
        ranked = sorted(_scored(plan, drafted, estimates(drafted, plan.known)).scores[1:], reverse=True)
        nodes = 1 + self._best_count(ranked, 1, context, 0.0)
        return 1.0 + sum(ranked[: nodes - 1]), self.seconds(nodes * rows, context) / rows

    def _share(self, nodes: int, own: float) -> float:
        """Return the part of a step's time that `own` of its nodes add, at a middling context."""
        table = self._table(CONTEXTS[1], nodes)
        return 1 - table[max(1, nodes - round(own))] / table[nodes]

    def _best_count(self, scores: list[float], rows: int, context: int, drafting: float) -> int:
        """Return how many of the nodes, the likeliest first, give the most tokens per second,
        `drafting` seconds included."""
        most = rows + len(scores)
        table, factor = self._table(context, most), self._pace.factor
        seconds = [drafting + table[nodes] * factor(nodes) for nodes in range(rows, most + 1)]
        rates = [tokens / each for tokens, each in zip(accumulate(scores, initial=float(rows)), seconds, strict=True)]
        return rates.index(max(rates))

    def seconds(self, nodes: int, context: int) -> float:
        """Return what a step takes by and large; 0 without costs."""
        return 0.0 if self._costs is None else self._table(context, nodes)[nodes] * self._pace.factor(nodes)

    def _table(self, context: int, nodes: int) -> list[float]:
        """Return seconds by nodes at about this context."""
        assert self._costs is not None
        near = _near(context)
        known = self._tables.setdefault(near, [0.0])
        while len(known) <= nodes:
            known.append(self._costs.verify(len(known), near))
        return known


def _near(context: int) -> int:
    return next((c for c in CONTEXTS if c >= context), CONTEXTS[-1])


def _scored(plan: Plan, drafted: DraftTree, said: Seq[Estimate]) -> DraftTree:
    """Score the nodes by what became of their like."""
    scores, chance = [1.0], plan.rates.chance
    for estimate, parent in zip(said, drafted.parents[1:], strict=True):
        scores.append(chance(estimate) * scores[parent])
    return replace(drafted, scores=tuple(scores))
