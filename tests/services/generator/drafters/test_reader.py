"""READER's two searches: a branch beside the tree and one behind its best branch."""

from __future__ import annotations

import numpy as np
import pytest

from services.generator.datastore.build import build
from services.generator.drafters import DrafterContext, StepState
from services.generator.drafters.reader import ReaderDrafter, ReaderOptions, best_branch, commonest
from services.generator.drafters.registry import open_drafter
from services.generator.native import kernels
from services.generator.speculation.tree import TreeBuilder, merge
from services.generator.types import DraftTree, NodeOrigin
from tests.services.generator.engines import request

EAGLE = (NodeOrigin("eagle"),)


def eagle_tree(root: int, *paths: tuple[tuple[int, float], ...]) -> DraftTree:
    builder = TreeBuilder(root)
    for path in paths:
        node = 0
        for token, score in path:
            node = builder.add(node, token, score, EAGLE)
    return builder.build()


def paths(tree: DraftTree) -> set[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for token, parent in zip(tree.token_ids[1:], tree.parents[1:], strict=True):
        found.append((*found[parent], token))
    return set(found[1:])


def draft(text: list[int], drafted: DraftTree | None, drafter: ReaderDrafter | None = None) -> DraftTree:
    job = request(text)
    drafter = drafter or ReaderDrafter(ReaderOptions(branch=3, deepen=3))
    drafter.start(job.sequence)
    return drafter.propose([StepState(job.sequence, np.array(text, np.int32), drafted=drafted)], 60)[0]


def test_a_long_branch_stands_beside_the_tree() -> None:
    tree = draft([1, 2, 3, 4, 5, 9, 1, 2], None)
    assert paths(tree) == {(3,), (3, 4), (3, 4, 5)}
    assert [tree.origins[node] for node in range(1, 4)] == [(NodeOrigin("reader", place),) for place in (2, 3, 4)]


def test_the_best_branch_goes_on_as_the_text_did_after_it() -> None:
    """After 7 8 the text went on with 4 5; nothing there ever followed 1 itself."""
    drafted = eagle_tree(1, ((7, 0.8), (8, 0.6)), ((6, 0.1),))
    tree = draft([7, 8, 4, 5, 9, 1], drafted)
    assert paths(tree) == {(7,), (7, 8), (7, 8, 4), (7, 8, 4, 5), (7, 8, 4, 5, 9)}
    both = merge([drafted, tree])
    assert paths(both) == paths(tree) | {(6,)}
    by_path = {both.token_ids[node]: both.origins[node] for node in range(1, len(both))}
    assert by_path[7] == by_path[8] == EAGLE  # what EAGLE drafted stays EAGLE's alone
    assert by_path[4] == (NodeOrigin("reader", 2),)


def test_the_commonest_continuation_of_the_longest_matches_is_followed() -> None:
    tokens = [1, 2, 5, 6, 1, 2, 7, 8, 1, 2, 7, 9, 0, 2, 3]
    branch = commonest(tokens, [(1, 2), (5, 2), (9, 2), (13, 1)], 2)
    assert branch.tokens[0] == 7
    assert branch.places[0] in (6, 10)
    assert branch.matched == 2
    assert commonest(tokens, [], 2).tokens == []


def test_the_likeliest_child_is_followed_to_the_end() -> None:
    tree = eagle_tree(1, ((7, 0.3),), ((8, 0.8), (9, 0.2)), ((8, 0.8), (5, 0.5), (4, 0.4)))
    assert [tree.token_ids[node] for node in best_branch(tree)] == [8, 5, 4]


@pytest.mark.skipif(kernels() is None, reason="no C compiler on this machine")
def test_the_longer_match_wins_whether_it_is_here_or_in_the_datastore() -> None:
    store = build([[1, 2, 3, 40, 41, 42], [8, 3, 50]], "t")
    drafter = open_drafter("reader", DrafterContext(datastore=store))
    tree = draft([3, 60, 61, 9, 1, 2, 3], None, drafter)  # type: ignore[arg-type]
    assert (40,) in paths(tree)
    assert tree.origins[1] == (NodeOrigin("reader", -1),)
    tree = draft([9, 1, 2, 3, 60, 61, 9, 1, 2, 3], None, drafter)  # type: ignore[arg-type]
    assert (60, 61) in paths(tree)
