"""The drafter's trees: budgets, ties, and which features it has seen."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from services.generator.drafters.eagle import EagleDrafter
from services.generator.speculation.eagle_tree import Pool, TreeShape, select, to_tree
from services.generator.types import DraftTree, NodeOrigin
from tests.services.generator.models.heads.test_eagle import (
    CASES,
    assert_equal,
    load_case,
    paths,
    sequence,
    shape,
    state,
)


def assert_well_formed(tree: DraftTree) -> None:
    assert tree.parents[0] == -1
    assert all(0 <= parent < node for node, parent in enumerate(tree.parents) if node)
    assert len(paths(tree.token_ids, tree.parents)) == len(tree)  # siblings differ
    assert all(0 <= tree.scores[node] <= tree.scores[parent] <= 1 for node, parent in enumerate(tree.parents) if node)
    assert all({origin.drafter for origin in origins} == {"eagle"} for origins in tree.origins[1:])


@pytest.mark.parametrize("nodes", [1, 2, 3, 9, 64])
@pytest.mark.parametrize("name", CASES)
def test_a_tree_keeps_to_its_budget(name: str, nodes: int) -> None:
    case = load_case(name)
    drafter, one = EagleDrafter(case.head, shape(case)), sequence()
    drafter.start(one)
    (start, end, _), (_, more, second) = case.drafts
    (tree,) = drafter.propose([state(case, one, start, end)], nodes)
    assert_well_formed(tree)
    assert len(tree) == min(nodes, case.expected["total_tokens"])
    (tree,) = drafter.propose([state(case, one, end, more)], 64)
    assert_equal(tree, second)  # a step without a budget has still read its features


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_parents_come_before_children_under_ties_in_half_precision(dtype: torch.dtype) -> None:
    """A head that is certain of one token at every depth: child and parent have the same
    probability, 1."""
    case = load_case("eagle2-gqa", dtype)
    lm_head = torch.zeros(300, 64, dtype=dtype)
    case.vocabulary.target_lm_head.copy_(lm_head)
    certain = [7, 11, 13]

    def logits(hidden: torch.Tensor) -> torch.Tensor:
        out = torch.zeros(*hidden.shape[:-1], 300, dtype=dtype)
        out[..., certain] = torch.tensor([60000.0, 0.0, 0.0], dtype=dtype)
        return out.float()

    case.head.logits = logits  # type: ignore[method-assign]
    drafter, one = EagleDrafter(case.head, TreeShape(top_k=4, total=6, depth=6)), sequence()
    drafter.start(one)
    (tree,) = drafter.propose([state(case, one, 0, 23)], 64)
    assert_well_formed(tree)
    assert tree.token_ids[1:] == (7,) * 5
    assert tree.parents == (-1, 0, 1, 2, 3, 4)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_select_keeps_the_parent_of_everything_it_keeps(data: st.DataObject) -> None:
    """Few distinct steps, so that ties are the rule; scores in half precision."""
    size = data.draw(st.integers(1, 40))
    parents: list[int] = []
    scores: list[float] = []
    for place in range(size):
        parent = data.draw(st.integers(-1, place - 1))
        step = data.draw(st.sampled_from([0.0, 0.0, -(2.0**-12), -0.5]))
        parents.append(parent)
        scores.append(float(torch.tensor((scores[parent] if parent >= 0 else 0.0) + step, dtype=torch.float16)))
    pool = Pool(torch.arange(size)[None], torch.tensor([scores]), torch.tensor([parents]))
    count = data.draw(st.integers(1, size))
    kept = select(pool, count)[0].tolist()
    assert len(set(kept)) == count
    assert all(parents[place] in (-1, *kept) for place in kept)
    worst = min(scores[place] for place in kept)
    assert all(scores[place] <= worst for place in set(range(size)) - set(kept))


def test_drafting_stops_where_no_leaf_is_likely() -> None:
    case = load_case("eagle2-gqa")
    one, calls = sequence(), []
    level = EagleDrafter.draft_level

    class Counting(EagleDrafter):
        def draft_level(self, *args):  # type: ignore[no-untyped-def]
            calls.append(args[-1])
            return level(self, *args)

    for least, expected in ((0.0, 5), (1.0, 0)):
        calls.clear()
        drafter = Counting(case.head, shape(case, least=least))
        drafter.start(one)
        drafter.propose([state(case, one, 0, 23)], 64)
        assert len(calls) == expected


def test_a_cached_prefix_without_features_only_shortens_what_the_head_sees() -> None:
    """Positions stay absolute: the same features at the same positions give the same tree, however
    the row began."""
    case = load_case("eagle3-rope-theta")
    trees = []
    for split in (23, 15):
        drafter, one = EagleDrafter(case.head, shape(case)), sequence()
        drafter.start(one)
        for start, end in ((10, split), (split, 23)):
            if start < end:
                (tree,) = drafter.propose([state(case, one, start, end)], 64)
        trees.append(tree)
    assert paths(trees[0].token_ids, trees[0].parents) == paths(trees[1].token_ids, trees[1].parents)
    assert paths(trees[0].token_ids, trees[0].parents) != paths(
        case.drafts[0][2]["tokens"], case.drafts[0][2]["parents"]
    )


def test_features_that_do_not_continue_are_an_error() -> None:
    case = load_case("eagle2-gqa")
    drafter, one = EagleDrafter(case.head, shape(case)), sequence()
    drafter.start(one)
    drafter.propose([state(case, one, 0, 20)], 64)
    with pytest.raises(AssertionError, match="do not continue"):
        drafter.propose([state(case, one, 21, 23)], 64)


def test_scores_are_path_probabilities() -> None:
    tree = to_tree(5, [0, 3], [8, 9], [math.log(0.5), math.log(0.125)], [-1, 0], "eagle")
    eagle = (NodeOrigin("eagle"),)
    assert (tree.token_ids, tree.parents, tree.origins) == ((5, 8, 9), (-1, 0, 1), ((), eagle, eagle))
    assert tree.scores == pytest.approx((1.0, 0.5, 0.125))
