"""Draft trees: built, merged, cut to a budget and packed for one forward.

Knows nothing of who proposes, of logits or of text. A tree's nodes are in an order where parents
come first and the likeliest branch directly follows the root, so that an accepted path is usually
contiguous in the KV cache.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from services.generator.native.merge import merged
from services.generator.types import DraftTree, NodeOrigin


def root_only(token: int) -> DraftTree:
    """Return the tree that proposes nothing."""
    return DraftTree((token,), (-1,), (1.0,), ((),))


class TreeBuilder:
    """A trie under construction, keyed by (parent, token): proposing a node twice adds an origin,
    not a node."""

    def __init__(self, root: int) -> None:
        self.token_ids = [root]
        self.parents = [-1]
        self.scores = [1.0]
        self.origins: list[tuple[NodeOrigin, ...]] = [()]
        self._nodes: dict[tuple[int, int], int] = {}
        self._rises = False  # some child was scored above its parent

    def add(self, parent: int, token: int, score: float, origins: tuple[NodeOrigin, ...]) -> int:
        """Return the node of `token` below `parent`. A node's score is that of its most confident
        proposer."""
        node = self._nodes.get((parent, token))
        self._rises |= score > self.scores[parent]
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

    @classmethod
    def of(cls, tree: DraftTree) -> TreeBuilder:
        """Begin with all of a tree's nodes."""
        builder = cls(tree.token_ids[0])
        builder.token_ids, builder.parents = list(tree.token_ids), list(tree.parents)
        builder.scores, builder.origins = list(tree.scores), list(tree.origins)
        builder._nodes = dict(zip(zip(tree.parents, tree.token_ids, strict=True), range(len(tree)), strict=True))
        return builder

    def add_chain(self, parent: int, tokens: Seq[int], scores: Iterable[float], origins: Iterable[NodeOrigin]) -> int:
        """Hang a run of tokens below `parent`; return its last node. What is new is appended in one
        go."""
        nodes, shared = self._nodes, 0
        rest_scores, rest_origins = iter(scores), iter(origins)
        while shared < len(tokens) and (parent, tokens[shared]) in nodes:
            parent = self.add(parent, tokens[shared], next(rest_scores), (next(rest_origins),))
            shared += 1
        rest, first = tokens[shared:], len(self.token_ids)
        if not rest:
            return parent
        edges = (parent, *range(first, first + len(rest) - 1))
        before = self.scores[parent]
        self.token_ids += rest
        self.parents += edges
        self.scores += rest_scores
        self._rises |= self.scores[first] > before or self.scores[first:] != sorted(self.scores[first:], reverse=True)
        self.origins += zip(rest_origins)
        nodes.update(zip(zip(edges, rest, strict=True), range(first, first + len(rest)), strict=True))
        return first + len(rest) - 1

    def add_tree(self, tree: DraftTree) -> None:
        """Add by trie union a tree that has the same root."""
        assert tree.token_ids[0] == self.token_ids[0], "trees of different roots cannot be merged"
        nodes, place = self._nodes, [0]
        for token, parent, score, origins in zip(
            tree.token_ids[1:], tree.parents[1:], tree.scores[1:], tree.origins[1:], strict=True
        ):
            edge = (place[parent], token)
            if edge in nodes:
                place.append(self.add(*edge, score, origins))
                continue
            node = nodes[edge] = len(self.token_ids)  # as in `add`, whose call would cost as much as the rest
            self._rises |= score > self.scores[edge[0]]
            self.token_ids.append(token)
            self.parents.append(edge[0])
            self.scores.append(score)
            self.origins.append(origins)
            place.append(node)

    def build(self, budget: int | None = None) -> DraftTree:
        """Return the tree cut to its `budget` best nodes (the root is one of them), likeliest
        branch first."""
        scores, parents = self.scores, self.parents
        if self._rises:
            for node in range(1, len(scores)):  # a child cannot be likelier than its parent, whatever was rounded
                if scores[node] > scores[parents[node]]:
                    scores[node] = scores[parents[node]]
        return arrange(self.token_ids, parents, scores, self.origins, budget)


def merge(trees: Seq[DraftTree], budget: int | None = None) -> DraftTree:
    """Make the trie union: no duplicate nodes, each node keeps the origins of everyone who proposed
    it (CASD, section 5.2)."""
    if len(trees) == 1 and (budget is None or len(trees[0]) <= budget):
        return trees[0]
    most = max(range(len(trees)), key=lambda number: len(trees[number]))  # the smaller ones are added to it
    ordered = [trees[most], *trees[:most], *trees[most + 1 :]]
    return merged_in_c(ordered, budget) or merged_in_python(ordered, budget)


def merged_in_python(trees: Seq[DraftTree], budget: int | None) -> DraftTree:
    """Return what `merge` gives for several trees, where there is no C compiler."""
    builder = TreeBuilder.of(trees[0])
    for tree in trees[1:]:
        builder.add_tree(tree)
    return builder.build(budget)


def merged_in_c(trees: Seq[DraftTree], budget: int | None) -> DraftTree | None:
    """The same, in half of the time; None where it cannot be had."""
    assert len({tree.token_ids[0] for tree in trees}) == 1, "trees of different roots cannot be merged"
    first = trees[0]
    token_ids, parents, scores, every = first.token_ids, first.parents, first.scores, first.origins
    for tree in trees[1:]:
        token_ids, parents, scores, every = (
            token_ids + tree.token_ids,
            parents + tree.parents,
            scores + tree.scores,
            every + tree.origins,
        )
    found = merged(token_ids, parents, scores, [len(tree) for tree in trees], budget)
    if found is None:
        return None
    if len(found.order) == 1:
        return DraftTree(token_ids[:1], (-1,), scores[:1], every[:1])
    pick = itemgetter(*found.order)
    origins = pick(every)
    if found.shared:
        origins = tuple(_with_shared(list(origins), every, found.shared))
    return DraftTree(pick(token_ids), found.parents, found.scores, origins)


def _with_shared(
    origins: list[tuple[NodeOrigin, ...]], every: Seq[tuple[NodeOrigin, ...]], shared: Iterable[tuple[int, int]]
) -> list[tuple[NodeOrigin, ...]]:
    """Return a node's origins with those of everyone else who proposed it."""
    for node, place in shared:
        if (known := origins[node]) != every[place]:
            origins[node] = known + tuple(origin for origin in every[place] if origin not in known)
    return origins


def prune(tree: DraftTree, budget: int) -> DraftTree:
    """Return the `budget` best nodes, the root included; a node is never kept without its
    parent."""
    return merge([tree], budget)


def depths(tree: DraftTree) -> list[int]:
    """Return distance of every node from the root."""
    depths_so_far = [0]
    for parent in tree.parents[1:]:
        depths_so_far.append(depths_so_far[parent] + 1)
    return depths_so_far


def places_in(part: DraftTree, whole: DraftTree) -> dict[int, int]:
    """Find the nodes of a cut tree in the tree that it was cut from: by node of `part`, that of
    `whole`."""
    edges = {edge: node for node, edge in enumerate(zip(whole.parents, whole.token_ids, strict=True))}
    places = {0: 0}
    for node in range(1, len(part)):
        places[node] = edges[(places[part.parents[node]], part.token_ids[node])]
    return places


def follow(tree: DraftTree, answer: Seq[int]) -> list[int]:
    """Return the nodes that a target saying `answer` accepts, root first; the last token of the
    answer is always the target's own."""
    children = {edge: node for node, edge in enumerate(zip(tree.parents, tree.token_ids, strict=True))}
    path = [0]
    for token in answer[:-1]:
        node = children.get((path[-1], token))
        if node is None:
            break
        path.append(node)
    return path


def ancestor_mask(tree: DraftTree, size: int | None = None) -> NDArray[np.bool_]:
    """Return bool [size, size]: node i sees node j, itself included. Rows beyond the tree see
    themselves only."""
    size = size or len(tree)
    width = (size + 7) // 8
    bits = [1]
    for node in range(1, size):
        bits.append((1 << node) | (bits[tree.parents[node]] if node < len(tree) else 0))
    rows = np.frombuffer(b"".join(b.to_bytes(width, "little") for b in bits), dtype=np.uint8).reshape(size, width)
    return np.unpackbits(rows, axis=1, count=size, bitorder="little").astype(np.bool_)


@dataclass(frozen=True, slots=True)
class PackedTrees:
    """A padded batch of trees, R rows of N nodes. Padding repeats the root and is seen by
    nobody."""

    token_ids: NDArray[np.int64]  # [R, N]
    positions: NDArray[np.int64]  # [R, N]
    parents: NDArray[np.int64]  # [R, N]; -1 at roots and padding
    counts: tuple[int, ...]  # [R]
    mask: NDArray[np.bool_] | None  # [R, N, N]; None when every row is a chain


def pack(trees: Seq[DraftTree], lengths: Seq[int]) -> PackedTrees:
    """Pad and pack. `lengths[r]`: verified tokens of row r before its root, which is therefore at
    that position."""
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
    if not all(parent == node - 1 for tree in trees for node, parent in enumerate(tree.parents)):
        mask = np.stack([ancestor_mask(tree, size) for tree in trees])
    return PackedTrees(token_ids, positions, parents, counts, mask)


def arrange(
    token_ids: list[int],
    parents: list[int],
    scores: list[float],
    origins: list[tuple[NodeOrigin, ...]],
    budget: int | None = None,
) -> DraftTree:
    """Keep the best nodes, ties going to the earlier one, and put the likeliest branch first;
    everything else keeps its order.

    No child scores above its parent or stands before it, so in falling order of scores a node's
    best child comes after it.
    """
    ranked = sorted(range(1, len(scores)), key=scores.__getitem__, reverse=True)  # stable: ties keep their order
    if budget is not None and len(scores) > budget:
        del ranked[max(budget - 1, 0) :]
    branch = [0]
    for node in ranked:
        if parents[node] == branch[-1]:
            branch.append(node)
    if len(ranked) == len(scores) - 1 and branch == list(range(len(branch))):
        return DraftTree(tuple(token_ids), tuple(parents), tuple(scores), tuple(origins))
    if not ranked:
        return DraftTree((token_ids[0],), (-1,), (scores[0],), (origins[0],))
    order = branch + sorted(set(ranked).difference(branch))
    place = [-1] * (len(scores) + 1)  # the last stands for the root's parent, -1
    for new, node in enumerate(order):
        place[node] = new
    pick = itemgetter(*order)
    return DraftTree(pick(token_ids), tuple(map(place.__getitem__, pick(parents))), pick(scores), pick(origins))
