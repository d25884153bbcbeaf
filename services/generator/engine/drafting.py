"""One tree per row of a step: drafters are asked stage by stage, their trees merged, and what does
not pay is cut off.

Used by the engine, and where recorded answers are replayed without a model (replay.py). Knows
nothing of targets, logits or text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Sequence as Seq
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from services.generator.drafters import Drafter, DraftStage, StepState
from services.generator.engine.features import Features
from services.generator.models import FeatureKind
from services.generator.planner.planner import CostModel, Plan, Planner
from services.generator.planner.policies import Merge, Policy
from services.generator.speculation import tree
from services.generator.types import Accepted, DraftTree, Sequence


class DraftRow(Protocol):
    """What drafting knows of a request."""

    sequence: Sequence
    drafters: tuple[str, ...]
    features: Features
    plan: Plan
    length: int  # verified tokens before the root

    @property
    def decided(self) -> NDArray[np.int32]:
        """Prompt and output; the last token is the root."""


class Drafting:
    """The drafters of an engine and the planner that says who is asked. `nodes`: of a tree at most,
    the root included."""

    def __init__(
        self,
        drafters: Mapping[str, Drafter],
        nodes: int,
        costs: CostModel | None = None,
        seconds: Mapping[str, float] | None = None,
        clock: Callable[[], float] = time.perf_counter,
        policy: Policy | None = None,
    ) -> None:
        """Verify every draft whole where there are no `costs`; `seconds`: of a draft by drafter,
        where they were measured."""
        assert all(name == drafter.name for name, drafter in drafters.items()), (
            "nodes are counted by the name their drafter gives them"
        )
        self.drafters, self.nodes = dict(drafters), nodes
        self.planner = Planner(
            costs, seconds, {name for name, drafter in drafters.items() if drafter.stage is DraftStage.MODEL}
        )
        self.clock, self.spent = clock, 0.0  # seconds that the drafters themselves took
        self.policy = policy or Merge()
        self._stages = {
            stage: [(name, drafter) for name, drafter in drafters.items() if drafter.stage is stage]
            for stage in DraftStage
        }

    def wants_entropy(self, drafters: Iterable[str]) -> bool:
        """Say whether one of them hears how sure the target was of each token
        (Accepted.entropies)."""
        return any(getattr(self.drafters[name], "wants_entropy", False) for name in drafters)

    def start(self, sequence: Sequence, drafters: Seq[str]) -> tuple[Plan, Features]:
        """Begin a sequence that these may draft for; whoever does not pay these days is left out
        (Plan.gates)."""
        plan = self.planner.start(drafters)
        for name in plan.gates:
            self.drafters[name].start(sequence)
        return plan, Features(self._wanted(plan.gates))

    def finish(self, row: DraftRow) -> None:
        """Forget a sequence that ended, however."""
        for name in row.drafters:
            self.drafters[name].finish(row.sequence)
        self.planner.finish(row.plan)

    def propose(self, rows: Seq[DraftRow], budgets: Seq[int]) -> list[DraftTree]:
        """Return everyone's drafts merged, at most budgets[r] nodes for row r."""
        trees = [tree.root_only(int(row.decided[-1])) for row in rows]
        asked = list(range(len(rows)))
        for stage, drafters in self._stages.items():
            proposed: list[list[DraftTree]] = [[each] if len(each) > 1 else [] for each in trees]
            for name, drafter in drafters:
                self._ask(name, drafter, rows, asked, trees, proposed)
            if stage is DraftStage.LOOKUP:
                choices = [self.policy.choose(own) for own in proposed]
                proposed, asked = (
                    [choice.kept for choice in choices],
                    [place for place in asked if choices[place].others],
                )
            if stage is DraftStage.MODEL:
                proposed = [
                    [self.policy.beside(before, own[1:]), *own[1:]] if len(before) > 1 else own
                    for own, before in zip(proposed, trees, strict=True)
                ]
            trees = [
                tree.merge(own, budget) if own else before
                for own, before, budget in zip(proposed, trees, budgets, strict=True)
            ]
        return trees

    def cut(self, rows: Seq[DraftRow], trees: Seq[DraftTree]) -> list[DraftTree]:
        """Leave what pays."""
        return self.planner.cut([row.plan for row in rows], trees, [row.length for row in rows])

    def feedback(self, row: DraftRow, drafted: DraftTree, accepted: Accepted) -> None:
        """Tell a row's drafters what became of the tree."""
        for name in row.drafters:
            self.drafters[name].feedback(StepState(row.sequence, _view(row)), drafted, accepted)

    def learn(
        self,
        rows: Seq[DraftRow],
        trees: Seq[DraftTree],
        accepted: Seq[Accepted],
        lengths: Seq[int],
        seconds: float | None,
    ) -> None:
        """Take in a step of these trees behind `lengths`, which took `seconds` without its drafts;
        None: more was computed in it than trees, so that it took what such steps take."""
        nodes, length = sum(map(len, trees)), sum(lengths) // len(lengths)
        usual = self.planner.seconds(nodes, length) if seconds is None else self.planner.paced(nodes, length, seconds)
        for row, drafted, taken in zip(rows, trees, accepted, strict=True):
            self.planner.learn(row.plan, drafted, taken, usual / len(rows))

    def learn_replayed(self, row: DraftRow, drafted: DraftTree, accepted: Accepted) -> None:
        """Take in a step that nobody computed: it took what such steps take."""
        self.planner.learn(row.plan, drafted, accepted, self.planner.seconds(len(drafted), row.length))

    def _ask(
        self,
        name: str,
        drafter: Drafter,
        rows: Seq[DraftRow],
        places: Seq[int],
        trees: Seq[DraftTree],
        proposed: list[list[DraftTree]],
    ) -> None:
        """Add the drafts of one drafter for the rows at these `places` to what the others of its
        stage found."""
        asked = [
            place
            for place in places
            if name in rows[place].drafters
            and self.planner.wants(rows[place].plan, name, trees[place], rows[place].length, len(rows))
        ]
        if not asked:
            return
        began = self.clock()
        states = [self._state(name, rows[place], len(rows), trees[place]) for place in asked]
        drafts = drafter.propose(states, self.nodes)
        seconds = self.clock() - began
        self.spent += seconds
        each = seconds / len(asked)
        for place, draft in zip(asked, drafts, strict=True):
            proposed[place].append(draft)
            self.planner.drafted(rows[place].plan, name, each, usual=rows[place].sequence.stats.steps > 0)

    def _state(self, name: str, row: DraftRow, rows: int, drafted: DraftTree) -> StepState:
        least = self.planner.least(row.length, rows, self.nodes)
        return StepState(row.sequence, _view(row), row.features.unread(name), least, drafted)

    def _wanted(self, names: Iterable[str]) -> dict[str, FeatureKind]:
        return {name: kind for name in names if (kind := self.drafters[name].wants_features) is not None}


def _view(row: DraftRow) -> NDArray[np.int32]:
    view = row.decided
    view.flags.writeable = False
    return view
