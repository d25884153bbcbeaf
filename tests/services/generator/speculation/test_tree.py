"""Draft trees: built, merged, pruned and packed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.generator.native import kernels
from services.generator.native.merge import merged
from services.generator.speculation import tree
from services.generator.types import DraftTree, NodeOrigin

pytestmark = pytest.mark.quick

COPY = (NodeOrigin("copy", 7),)
EAGLE = (NodeOrigin("eagle"),)


@st.composite
def draft_trees(draw: st.DrawFn, root: int = 1) -> DraftTree:
    builder = tree.TreeBuilder(root)
    for _ in range(draw(st.integers(0, 25))):
        parent = draw(st.integers(0, len(builder.token_ids) - 1))
        score = builder.scores[parent] * draw(st.sampled_from([1.0, 0.9, 0.5, 0.1]))
        builder.add(parent, draw(st.integers(0, 4)), score, draw(st.sampled_from([COPY, EAGLE])))
    return builder.build()


def paths(of: DraftTree) -> dict[tuple[int, ...], int]:
    """Every node by the tokens that lead to it."""
    found: list[tuple[int, ...]] = [()]
    for token, parent in zip(of.token_ids[1:], of.parents[1:], strict=True):
        found.append((*found[parent], token))
    return {path: node for node, path in enumerate(found)}


def assert_well_formed(of: DraftTree) -> None:
    assert of.parents[0] == -1
    assert all(0 <= parent < node for node, parent in enumerate(of.parents) if node)
    assert len(paths(of)) == len(of), "siblings have different tokens"
    assert all(of.scores[node] <= of.scores[parent] for node, parent in enumerate(of.parents) if node)


@given(st.lists(draft_trees(), min_size=1, max_size=4))
def test_merging_is_a_union_of_paths(trees: list[DraftTree]) -> None:
    merged = tree.merge(trees)
    assert_well_formed(merged)
    assert set(paths(merged)) == set().union(*(paths(each) for each in trees))


@given(draft_trees(), draft_trees())
def test_a_merged_node_keeps_everyone_who_proposed_it(one: DraftTree, other: DraftTree) -> None:
    merged = tree.merge([one, other])
    for path, node in paths(merged).items():
        proposers = {o for each in (one, other) if path in paths(each) for o in each.origins[paths(each)[path]]}
        assert set(merged.origins[node]) == proposers
        assert len(merged.origins[node]) == len(proposers)


@given(draft_trees(), st.integers(1, 12))
def test_pruning_keeps_the_best_nodes_and_their_parents(whole: DraftTree, budget: int) -> None:
    cut = tree.prune(whole, budget)
    assert_well_formed(cut)
    assert len(cut) == min(budget, len(whole))
    assert sorted(cut.scores) == sorted(sorted(whole.scores, reverse=True)[: len(cut)])
    assert set(paths(cut)) <= set(paths(whole))


@given(st.lists(draft_trees(), min_size=1, max_size=3))
def test_the_likeliest_branch_follows_the_root(trees: list[DraftTree]) -> None:
    merged = tree.merge([*trees, tree.root_only(1)])
    node = 0
    while children := [child for child, parent in enumerate(merged.parents) if parent == node and child]:
        node += 1
        assert merged.parents[node] == node - 1
        assert merged.scores[node] == max(merged.scores[child] for child in children)


def test_a_child_scored_above_its_parent_is_not_kept_without_it() -> None:
    builder = tree.TreeBuilder(0)
    weak = builder.add(0, 1, 0.1, COPY)
    builder.add(weak, 2, 0.9, COPY)
    builder.add(0, 3, 0.5, COPY)
    assert set(paths(builder.build(2))) == {(), (3,)}


@pytest.mark.skipif(kernels() is None, reason="no C compiler on this machine: trees are merged in Python alone")
@given(st.lists(draft_trees(), min_size=1, max_size=4), st.one_of(st.none(), st.integers(0, 14)))
def test_trees_merged_in_c_are_those_merged_in_python(trees: list[DraftTree], budget: int | None) -> None:
    assert tree.merged_in_c(trees, budget) == tree.merged_in_python(trees, budget)


@pytest.mark.skipif(kernels() is None, reason="no C compiler on this machine: trees are merged in Python alone")
def test_a_score_that_is_no_number_is_its_parents() -> None:
    found = merged(
        [1, 2, 3, 4, 1, 5, 6],
        [-1, 0, 0, 2, -1, 0, 1],
        [1.0, float("nan"), 0.5, float("nan"), 1.0, float("nan"), 0.1],
        [4, 3],
        None,
    )
    assert found is not None
    assert sorted(found.order) == [0, 1, 2, 3, 5, 6]
    assert dict(zip(found.order, found.scores, strict=True)) == {0: 1.0, 1: 1.0, 2: 0.5, 3: 0.5, 5: 1.0, 6: 0.1}


def test_more_nodes_than_there_is_room_for_in_c_are_merged_all_the_same() -> None:
    wide = [
        DraftTree((1, *range(first, first + 600)), (-1, *[0] * 600), (1.0, *[0.5] * 600), ((),) * 601)
        for first in (2, 300)
    ]
    assert tree.merged_in_c(wide, None) is None
    assert len(tree.merge(wide)) == 899


@given(draft_trees(), st.integers(0, 5))
def test_a_node_sees_its_ancestors_and_itself_only(of: DraftTree, padding: int) -> None:
    size = len(of) + padding
    mask = tree.ancestor_mask(of, size)
    for node in range(size):
        seen, at = {node}, of.parents[node] if node < len(of) else -1
        while at >= 0:
            seen.add(at)
            at = of.parents[at]
        assert set(np.flatnonzero(mask[node])) == seen


def test_packed_rows_have_their_own_lengths_depths_and_padding() -> None:
    chain = tree.TreeBuilder(5)
    chain.add_chain(0, [6, 7], [0.9, 0.8], COPY * 2)
    fork = tree.TreeBuilder(1)
    fork.add(0, 2, 0.6, COPY)
    fork.add(0, 3, 0.5, COPY)
    fork.add(1, 4, 0.4, COPY)
    packed = tree.pack([chain.build(), fork.build(), tree.root_only(9)], [10, 20, 30])
    assert packed.counts == (3, 4, 1)
    assert packed.positions.tolist() == [[10, 11, 12, 10], [20, 21, 22, 21], [30, 30, 30, 30]]
    assert packed.token_ids.tolist() == [[5, 6, 7, 5], [1, 2, 4, 3], [9, 9, 9, 9]]
    assert packed.parents.tolist() == [[-1, 0, 1, -1], [-1, 0, 1, 0], [-1, -1, -1, -1]]
    assert packed.mask is not None
    assert packed.mask.shape == (3, 4, 4)


def test_chains_need_no_mask() -> None:
    chain = tree.TreeBuilder(5)
    chain.add_chain(0, [6, 7], [0.9, 0.8], COPY * 2)
    assert tree.pack([chain.build(), tree.root_only(1)], [3, 4]).mask is None
