"""Draft trees: built, merged, cut to a budget and packed for one forward.

Knows nothing of who proposes, of logits or of text. A tree's nodes are in an order where parents come first and
the likeliest branch directly follows the root, so that an accepted path is usually contiguous in the KV cache.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Seq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.generator.types import DraftTree, NodeOrigin


def root_only(token: int) -> DraftTree:
    """The tree that proposes nothing."""
    return DraftTree((token,), (-1,), (1.0,), ((),))


class TreeBuilder:
    """A trie under construction, keyed by (parent, token): proposing a node twice adds an origin, not a node."""

    def __init__(self, root: int) -> None:
        self.token_ids = [root]
        self.parents = [-1]
        self.scores = [1.0]
        self.origins: list[tuple[NodeOrigin, ...]] = [()]
        self._nodes: dict[tuple[int, int], int] = {}

    def add(self, parent: int, token: int, score: float, origins: tuple[NodeOrigin, ...]) -> int:
        """Returns the node of `token` below `parent`. A node's score is that of its most confident proposer."""
        node = self._nodes.get((parent, token))
        if node is None:
            node = self._nodes[(parent, token)] = len(self.token_ids)
            self.token_ids.append(token)
            self.parents.append(parent)
            self.scores.append(score)
            self.origins.append(origins)
            return node
        if score > self.scores[node]:
            self.scores[node] = score
        known = self.origins[node]
        if known != origins:
            self.origins[node] = known + tuple(o for o in origins if o not in known)
        return node

    def add_chain(self, parent: int, tokens: Iterable[int], scores: Iterable[float], origins: Iterable[NodeOrigin]) -> int:
        """Hangs a run of tokens below `parent`; returns its last node."""
        for token, score, origin in zip(tokens, scores, origins, strict=True):
            parent = self.add(parent, token, score, (origin,))
        return parent

    def add_tree(self, tree: DraftTree) -> None:
        """Trie union with a tree that has the same root."""
        assert tree.token_ids[0] == self.token_ids[0], "trees of different roots cannot be merged"
        place = [0]
        for token, parent, score, origins in zip(tree.token_ids[1:], tree.parents[1:], tree.scores[1:], tree.origins[1:], strict=True):
            place.append(self.add(place[parent], token, score, origins))

    def build(self, budget: int | None = None) -> DraftTree:
        """The tree cut to its `budget` best nodes (the root is one of them), likeliest branch first."""
        scores, parents = self.scores, self.parents
        for node in range(1, len(scores)):  # a child cannot be likelier than its parent, whatever was rounded
            if scores[node] > scores[parents[node]]:
                scores[node] = scores[parents[node]]
        kept = _best(scores, budget)
        return _arrange(self.token_ids, parents, scores, self.origins, kept)


def merge(trees: Seq[DraftTree], budget: int | None = None) -> DraftTree:
    """Trie union: no duplicate nodes, each node keeps the origins of everyone who proposed it (CASD, section 5.2)."""
    if len(trees) == 1 and (budget is None or len(trees[0]) <= budget):
        return trees[0]
    builder = TreeBuilder(trees[0].token_ids[0])
    for tree in trees:
        builder.add_tree(tree)
    return builder.build(budget)


def prune(tree: DraftTree, budget: int) -> DraftTree:
    """The `budget` best nodes, the root included; a node is never kept without its parent."""
    return merge([tree], budget)


def depths(tree: DraftTree) -> list[int]:
    """Distance of every node from the root."""
    found = [0]
    for parent in tree.parents[1:]:
        found.append(found[parent] + 1)
    return found


def is_chain(tree: DraftTree) -> bool:
    return all(parent == node - 1 for node, parent in enumerate(tree.parents))


def expected_tokens(tree: DraftTree) -> float:
    """Tokens that one verification of this tree should emit, the bonus token included: the scores' sum (root: 1)."""
    return sum(tree.scores)


def follow(tree: DraftTree, answer: Seq[int]) -> list[int]:
    """The nodes that a target saying `answer` accepts, root first; the last token of the answer is always the target's own."""
    children = {edge: node for node, edge in enumerate(zip(tree.parents, tree.token_ids, strict=True))}
    path = [0]
    for token in answer[:-1]:
        node = children.get((path[-1], token))
        if node is None:
            break
        path.append(node)
    return path


def ancestor_mask(tree: DraftTree, size: int | None = None) -> NDArray[np.bool_]:
    """bool [size, size]: node i sees node j, itself included. Rows beyond the tree see themselves only."""
    size = size or len(tree)
    width = (size + 7) // 8
    bits = [1]
    for node in range(1, size):
        bits.append((1 << node) | (bits[tree.parents[node]] if node < len(tree) else 0))
    rows = np.frombuffer(b"".join(b.to_bytes(width, "little") for b in bits), dtype=np.uint8).reshape(size, width)
    return np.unpackbits(rows, axis=1, count=size, bitorder="little").astype(np.bool_)


@dataclass(frozen=True, slots=True)
class PackedTrees:
    """A padded batch of trees, R rows of N nodes. Padding repeats the root and is seen by nobody."""

    token_ids: NDArray[np.int64]  # [R, N]
    positions: NDArray[np.int64]  # [R, N]
    parents: NDArray[np.int64]  # [R, N]; -1 at roots and padding
    counts: tuple[int, ...]  # [R]
    mask: NDArray[np.bool_] | None  # [R, N, N]; None when every row is a chain


def pack(trees: Seq[DraftTree], lengths: Seq[int]) -> PackedTrees:
    """`lengths[r]`: verified tokens of row r before its root, which is therefore at that position."""
    counts = tuple(len(tree) for tree in trees)
    rows, size = len(trees), max(counts)
    token_ids = np.empty((rows, size), dtype=np.int64)
    positions = np.empty((rows, size), dtype=np.int64)
    parents = np.full((rows, size), -1, dtype=np.int64)
    for row, (tree, length, count) in enumerate(zip(trees, lengths, counts, strict=True)):
        token_ids[row, :count], token_ids[row, count:] = tree.token_ids, tree.token_ids[0]
        positions[row, :count], positions[row, count:] = depths(tree), 0
        positions[row] += length
        parents[row, :count] = tree.parents
    mask = None
    if not all(is_chain(tree) for tree in trees):
        mask = np.stack([ancestor_mask(tree, size) for tree in trees])
    return PackedTrees(token_ids, positions, parents, counts, mask)


def _best(scores: list[float], budget: int | None) -> list[int]:
    """Indices of the best nodes in ascending order; ties go to the earlier node, so a parent comes before its child."""
    if budget is None or len(scores) <= budget:
        return list(range(len(scores)))
    order = sorted(range(1, len(scores)), key=lambda node: (-scores[node], node))
    return [0, *sorted(order[: budget - 1])]


def _arrange(
    token_ids: list[int], parents: list[int], scores: list[float], origins: list[tuple[NodeOrigin, ...]], kept: list[int]
) -> DraftTree:
    """Puts the likeliest branch first; everything else keeps its order."""
    best_child: dict[int, int] = {}
    for node in kept[1:]:
        parent = parents[node]
        if parent not in best_child or scores[node] > scores[best_child[parent]]:
            best_child[parent] = node
    branch = [0]
    while branch[-1] in best_child:
        branch.append(best_child[branch[-1]])
    on_branch = set(branch)
    order = branch + [node for node in kept if node not in on_branch]
    place = {node: index for index, node in enumerate(order)}
    place[-1] = -1
    return DraftTree(
        tuple(token_ids[node] for node in order),
        tuple(place[parents[node]] for node in order),
        tuple(scores[node] for node in order),
        tuple(origins[node] for node in order),
    )
