"""The planner verifies what pays, learns what is accepted, and leaves out who costs more than they
save."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from services.generator.planner.gates import TRIALS, DrafterHistory, Gate
from services.generator.planner.pace import Pace
from services.generator.planner.planner import Planner
from services.generator.planner.rates import AcceptanceRates, Estimate, NodeKind, credit
from services.generator.speculation.tree import TreeBuilder, root_only
from services.generator.types import Accepted, DraftTree, NodeOrigin

pytestmark = pytest.mark.quick

COPY = (NodeOrigin("copy", 0),)


class Linear:
    """Seconds grow by `slope` per node after the first `free` ones."""

    def __init__(self, slope: float, free: int = 1) -> None:
        self.slope, self.free = slope, free

    def verify(self, nodes: int, context: int) -> float:
        return 1.0 + self.slope * max(0, nodes - self.free)


def chain(length: int, decay: float) -> DraftTree:
    builder, node = TreeBuilder(0), 0
    for depth in range(length):
        node = builder.add(node, depth + 1, decay ** (depth + 1), COPY)
    return builder.build()


def cut(planner: Planner, draft: DraftTree) -> DraftTree:
    return planner.cut([planner.start(("copy",))], [draft], [100])[0]


def test_free_nodes_are_all_verified() -> None:
    assert len(cut(Planner(Linear(0.0)), chain(20, 0.5))) == 21


def test_nodes_that_cost_a_whole_step_each_are_not_verified() -> None:
    assert len(cut(Planner(Linear(1.0)), chain(20, 0.5))) == 1


def test_the_cut_is_where_the_rate_is_highest() -> None:
    costs, draft = Linear(0.05), chain(20, 0.8)
    rates = [sum(draft.scores[:n]) / costs.verify(n, 100) for n in range(1, 22)]
    assert len(cut(Planner(costs), draft)) == 1 + rates.index(max(rates))


def test_a_step_up_in_cost_is_looked_past() -> None:
    class Stairs:
        def verify(self, nodes: int, context: int) -> float:
            return 1.0 if nodes < 3 else 1.3  # the fifth node is as dear as the third

    assert len(cut(Planner(Stairs()), chain(12, 0.95))) == 13


def test_a_dear_draft_is_verified_further() -> None:
    """What is spent on a step already makes its tokens dearer, so that less likely ones pay."""
    planner, sizes = Planner(Linear(0.2), {"eagle": 1.0}), []
    for drafters in (("copy",), ("copy", "eagle")):
        plan = planner.start(drafters)
        assert all(planner.wants(plan, name, root_only(0), 100) for name in drafters)
        sizes.append(len(planner.cut([plan], [chain(20, 0.7)], [100])[0]))
    assert 1 < sizes[0] < sizes[1]


def test_nodes_of_all_rows_share_one_budget() -> None:
    planner = Planner(Linear(0.25, free=2))
    sure, unsure = planner.cut(
        [planner.start(("copy",)), planner.start(("copy",))], [chain(6, 0.99), chain(6, 0.2)], [50, 90]
    )
    assert len(sure) > len(unsure) == 1


def test_without_costs_drafts_are_left_alone() -> None:
    draft = chain(9, 0.1)
    assert cut(Planner(None), draft) is draft


def accept(planner: Planner, rounds: int, tokens: int, draft: DraftTree) -> int:
    """Nodes that are verified after `rounds` in which `tokens` of the draft were right."""
    plan = planner.start(("copy",))
    for _ in range(rounds):
        verified = planner.cut([plan], [draft], [100])[0]
        right = min(tokens, len(verified) - 1)
        path = tuple(range(right + 1))
        planner.learn(plan, verified, Accepted(path, tuple(range(right + 1))), 1.0)
    return len(planner.cut([plan], [draft], [100])[0])


def test_what_is_accepted_more_often_than_drafters_thought_is_verified_more() -> None:
    planner = Planner(Linear(0.1))
    modest = chain(10, 0.5)
    assert accept(Planner(Linear(0.1)), 30, 10, modest) > len(cut(planner, modest))


def test_what_is_never_accepted_is_soon_not_verified() -> None:
    assert accept(Planner(Linear(0.1)), 30, 0, chain(10, 0.7)) == 1


def test_a_second_node_that_was_measured_as_free_makes_no_draft_free() -> None:
    assert Planner(Linear(0.3, free=2)).least(100, 1, 60) == pytest.approx(0.5 * 0.6 / 3)
    assert Planner(Linear(0.0)).least(100, 1, 60) == 0


def test_a_rate_moves_from_the_estimate_to_what_happened() -> None:
    everyone = AcceptanceRates(strength=40)
    own, copied, drafted = AcceptanceRates(everyone), NodeKind("copy", 1, False), NodeKind("eagle", 1, False)
    assert own.rate(copied, 0.5) == pytest.approx(0.5)
    for _ in range(200):
        own.count(copied, 0.5, accepted=True)
    assert own.rate(copied, 0.5) > 0.95
    assert 0.8 < AcceptanceRates(everyone).rate(copied, 0.5) < own.rate(copied, 0.5)
    assert own.rate(drafted, 0.5) == pytest.approx(0.5)


def test_a_drafter_that_costs_more_than_it_saves_is_paused_ever_longer() -> None:
    gate, asked = Gate(), []
    for step in range(400):
        if gate.open():
            asked.append(step)
            gate.took(0.010)
            gate.gave(0, tokens=1, seconds=0.020)
    gaps = [b - a for a, b in pairwise(asked)]
    assert sorted(gap for gap in gaps if gap > 1) == [gap for gap in gaps if gap > 1]
    assert max(gaps) == 64
    assert len(asked) < 30


def test_a_drafter_that_pays_is_never_paused() -> None:
    gate = Gate()
    for _ in range(100):
        assert gate.open()
        gate.took(0.010)
        gate.gave(1, tokens=2, seconds=0.020)
    assert gate.balance > 0


@pytest.mark.parametrize("seed", range(20))
def test_chance_hardly_ever_pauses_a_drafter_that_pays_a_little(seed: int) -> None:
    """Four steps of ten bring a token: 8 ms for 4, in any order."""
    draw, habit, asked = random.Random(seed), DrafterHistory(), 0
    for _ in range(24):
        gate = habit.begin(0.002) if habit.admit() else None
        for _ in range(30):
            if gate is not None and gate.open():
                hit = draw.random() < 0.4
                gate.took(0.002)
                gate.gave(hit, tokens=1 + hit, seconds=0.022, extra=0.002)
                asked += 1
        if gate is not None:
            habit.ended(gate)
    assert asked > 0.8 * 24 * 30


def test_an_interruption_is_no_cost_of_a_draft() -> None:
    gate = DrafterHistory().begin(0.001)
    gate.took(1.0)
    assert gate.seconds < 0.0013
    assert gate.balance > -0.0021


def left_out(requests: int, seconds: float, alone: int) -> list[int]:
    """The requests that a drafter was tried in."""
    habit, tried = DrafterHistory(), []
    for number in range(requests):
        if habit.admit():
            tried.append(number)
            gate = habit.begin(seconds)
            for _ in range(20):
                if gate.open():
                    gate.took(seconds)
                    gate.gave(alone, tokens=1 + alone, seconds=0.020)
            habit.ended(gate)
    return tried


def test_a_drafter_that_does_not_pay_is_left_out_of_ever_more_requests() -> None:
    tried = left_out(900, seconds=0.010, alone=0)
    assert [b - a for a, b in pairwise(tried)] == [1] * 31 + [17, 65, 257, 257, 257]
    assert left_out(40, seconds=0.010, alone=1) == list(range(40))


def test_some_answers_that_begin_badly_do_not_leave_out_a_drafter_that_pays() -> None:
    habit = DrafterHistory()
    for number in range(30):
        assert habit.admit()
        gate = habit.begin(0.0015)
        for step in range(40):
            if gate.open():
                gate.took(0.0015)
                gate.gave(int(number >= 12 and step % 2), tokens=1 + int(number >= 12 and step % 2), seconds=0.014)
        habit.ended(gate)
    assert habit.balance > 0


def shown(habit: DrafterHistory, steps: int, gain: int) -> float:
    """One request's steps; what the next one begins from."""
    gate = habit.begin(0.0015)
    for _ in range(steps):
        gate.took(0.0015)
        gate.gave(gain, tokens=1 + gain, seconds=0.014)
    habit.ended(gate)
    return habit.begin(0.0015).known.gain


def test_the_few_steps_of_a_first_answer_do_not_take_the_place_of_what_is_assumed() -> None:
    assumed = DrafterHistory().begin(0.0015).known.gain
    assert shown(DrafterHistory(), 5, gain=0) > 0.9 * assumed
    assert shown(DrafterHistory(), 1000, gain=0) < 0.1 * assumed


def test_an_answer_counts_for_its_steps_however_many_came_before() -> None:
    habit = DrafterHistory()
    for _ in range(20):
        before = shown(habit, 100, gain=0)
    assert before < shown(habit, 5, gain=1) < 0.02 < 0.15 < shown(habit, 100, gain=1)
    for _ in range(20):
        after = shown(habit, 100, gain=1)
    assert after > 0.9


def test_nodes_that_take_as_long_as_the_tokens_they_give_do_not_pay() -> None:
    free, dear = DrafterHistory().begin(0.001), DrafterHistory().begin(0.001)
    opened = 0
    for _ in range(240):
        assert free.open()
        free.gave(1, tokens=2, seconds=0.020)
        if dear.open():
            dear.gave(1, tokens=2, seconds=0.020, extra=0.015)
            opened += 1
    assert opened < 200
    assert free.balance > dear.balance + 0.5


def test_a_second_trial_is_shorter_than_the_first() -> None:
    def steps(gate: Gate) -> int:
        count = 0
        while gate.open():
            gate.took(0.010)
            gate.gave(0, tokens=1, seconds=0.025)
            count += 1
        return count

    habit = DrafterHistory()
    first = habit.begin(0.010)
    before = steps(first)
    habit.ended(first)
    assert steps(habit.begin(0.010)) < before


def test_a_drafter_that_pays_again_is_in_every_request() -> None:
    habit = DrafterHistory()
    for _ in range(TRIALS):
        assert habit.admit()
        habit.ended(Gate(balance=-1.0))
    assert [habit.admit() for _ in range(17)] == [False] * 16 + [True]
    habit.ended(Gate(balance=90.0))
    assert all(habit.admit() for _ in range(5))


def test_whoever_does_not_pay_is_left_out_of_the_next_request() -> None:
    planner = Planner(Linear(0.1), {"eagle": 0.5})
    for _ in range(TRIALS):
        plan = planner.start(("copy", "eagle"))
        planner.drafted(plan, "eagle", 0.5)
        planner.finish(plan)
    assert [set(planner.start(("copy", "eagle")).gates) for _ in range(16)] == [{"copy"}] * 16
    assert set(planner.start(("copy", "eagle")).gates) == {"copy", "eagle"}


def test_without_costs_everyone_drafts_always() -> None:
    planner = Planner(None)
    for _ in range(3):
        plan = planner.start(("eagle",))
        planner.drafted(plan, "eagle", 100.0)
        planner.finish(plan)
        assert planner.wants(plan, "eagle", root_only(0), 100)


def test_a_size_of_tree_that_takes_longer_than_the_table_says_is_chosen_less() -> None:
    planner, draft = Planner(Linear(0.02)), chain(12, 0.9)
    before = len(cut(planner, draft))
    for _ in range(40):
        planner.paced(1, 100, 1.0)
        planner.paced(2, 100, 1.0)
        planner.paced(4, 100, 1.1)
        planner.paced(12, 100, 4.0)
    assert len(cut(planner, draft)) < 8 < before


def test_one_interruption_changes_little() -> None:
    pace = Pace()
    for _ in range(50):
        pace.learn(4, 1.1)
    pace.learn(4, 100.0)
    assert pace.factor(4) < 1.2


def test_a_node_that_two_proposed_is_credited_to_both_in_shares() -> None:
    both = Estimate((NodeKind("copy", 1, True), NodeKind("eagle", 1, True)), 0.5)
    rates, alone = AcceptanceRates(strength=8), NodeKind("copy", 1, False)
    for _ in range(50):
        rates.learn(both, accepted=True)
    copied, drafted = (rates.rate(kind, 0.5) for kind in both.kinds)
    assert copied == drafted == pytest.approx((25 + 4) / (25 + 8))  # half a trial each
    assert rates.chance(both) == pytest.approx(copied)
    assert rates.rate(alone, 0.5) == 0.5, "copies that nobody agreed with are another kind"


def test_counts_grow_with_the_drafters_and_not_with_their_combinations() -> None:
    rates, names = AcceptanceRates(), [f"d{n}" for n in range(10)]
    for size in range(2, 11):
        for first in range(11 - size):
            rates.learn(
                Estimate(tuple(NodeKind(name, 1, True) for name in names[first : first + size]), 0.5), accepted=True
            )
    assert len(rates.trials_of) == len(names)


def test_what_was_looked_up_is_no_gain_of_a_head() -> None:
    shared, own, copied = (
        (NodeOrigin("copy", 1), NodeOrigin("eagle")),
        (NodeOrigin("eagle"),),
        (NodeOrigin("copy", 2), NodeOrigin("sam", 9)),
    )
    draft = DraftTree((0, 1, 2, 3), (-1, 0, 1, 2), (1.0,) * 4, ((), shared, own, copied))
    assert credit(draft, (1, 2, 3), {"eagle"}) == {"copy": 1.5, "eagle": 1.0, "sam": 0.5}


def test_a_constraint_is_taken_at_its_word() -> None:
    constrained = DraftTree(
        (0, 1, 2), (-1, 0, 1), (1.0, 1.0, 1.0), ((), (NodeOrigin("constraint"),), (NodeOrigin("constraint"),))
    )
    planner = Planner(Linear(0.5))
    plan = planner.start(("copy",))
    for _ in range(30):
        verified = planner.cut([plan], [constrained], [100])[0]
        assert len(verified) == 3
        planner.learn(plan, verified, Accepted((0,), (9,)), 1.0)


def run_model(planner: Planner, looked_up: DraftTree, gain: int, steps: int = 200) -> int:
    """How often of `steps` a head was asked beside these look-ups, when each time it gives `gain`
    tokens that they had not."""
    plan, asked = planner.start(("copy", "eagle")), 0
    origins = ((), *(((NodeOrigin("eagle"),),) * gain))
    drafted = DraftTree(tuple(range(1 + gain)), tuple(range(-1, gain)), (1.0,) * (1 + gain), origins)
    for _ in range(steps):
        assert planner.wants(plan, "copy", root_only(0), 100)
        if planner.wants(plan, "eagle", looked_up, 100):
            asked += 1
        planner.learn(plan, drafted, Accepted(tuple(range(1 + gain)), tuple(range(1 + gain))), 1.0)
    return asked


def test_a_head_is_asked_where_it_gains_more_than_its_time_is_worth() -> None:
    assert run_model(Planner(Linear(0.0), {"eagle": 0.1}, {"eagle"}), root_only(0), gain=1) == 200
    assert run_model(Planner(Linear(0.0), {"eagle": 0.1}, {"eagle"}), chain(8, 0.95), gain=0) < 60


def test_without_costs_a_head_is_always_asked() -> None:
    planner = Planner(None, models={"eagle"})
    assert planner.wants(planner.start(("eagle",)), "eagle", chain(8, 0.99), 100)
