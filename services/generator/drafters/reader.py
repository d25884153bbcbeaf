"""READER's additions to a drafted tree: a long branch found by search, and what follows the tree's
best branch (sections 4.1 to 4.4).

Asked after the others, so that "eagle+reader" is the paper's method: EAGLE's tree, the statistical
branch appended to it (4.3), and its best branch deepened by searching "end of the text + branch"
(4.4). Both searches look for the longest end that was there before, first 16 tokens, then fewer
(4.1), in prompt and output and, where there is one, in a datastore; the longer match wins. One
branch each, with the commonest continuation at every token: more slow verification down, the paper
found. It names no lengths ("much deeper" than the draft); here 20.

Two things differ. Branches are joined to the tree by trie union, so that no node stands in it
twice; the paper keeps duplicates for a fixed shape. RASD (ACL Findings 2025) merges a retrieval
tree into a drafted one as we do; beyond it every merged node keeps who proposed it and the place
that it was copied from, nodes are cut by what they cost on this machine, and verification is
lossless token for token at any temperature. And rows of a batch have trees and lengths of their
own, so that the paper's rearranging of keys and values (4.5) has nothing to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from services.generator.datastore.store import Datastore
from services.generator.drafters import DrafterContext, DrafterSpec, DraftStage, LookupDrafter, StepState
from services.generator.native import kernels
from services.generator.native.frequent import frequent
from services.generator.native.text import SortedText
from services.generator.speculation.matches import MatchIndex, chances
from services.generator.speculation.tree import TreeBuilder, root_only
from services.generator.types import DraftTree, NodeOrigin, Sequence


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    longest: int = 16  # end of the text that is searched for
    shortest: int = 2  # in the datastore
    branch: int = 20  # tokens of the statistical branch; 0: none
    deepen: int = 20  # tokens behind the best branch; 0: none
    matches: int = 16  # of the longest, among which the commonest continuation is chosen
    places: int = 5000  # looked at in the datastore


class Branch(NamedTuple):
    tokens: list[int]
    places: list[int]  # in prompt and output; -1: of the datastore
    matched: int


NOTHING = Branch([], [], 0)


class ReaderDrafter(LookupDrafter):
    name = "reader"
    stage = DraftStage.SEARCH

    def __init__(self, options: ReaderOptions | None = None, datastore: Datastore | None = None) -> None:
        self.options = options or ReaderOptions()
        self._store = None if datastore is None or kernels() is None else SortedText(datastore.tokens, datastore.order)
        self._indexes: dict[str, MatchIndex] = {}

    def start(self, sequence: Sequence) -> None:
        index = self._indexes[sequence.id] = MatchIndex(self.options.longest)
        index.extend(sequence.prompt.token_ids)

    def finish(self, sequence: Sequence) -> None:
        self._indexes.pop(sequence.id, None)

    def draft(self, state: StepState, nodes: int) -> DraftTree:
        index, options = self._indexes[state.sequence.id], self.options
        index.extend(state.context[len(index.tokens) :].tolist())
        drafted = state.drafted or root_only(int(state.context[-1]))
        builder = TreeBuilder(drafted.token_ids[0])
        tail = state.context[-options.longest :].tolist()
        self._hang(builder, 0, self._search(index, tail, options.branch))
        if best := best_branch(drafted):
            said = [drafted.token_ids[node] for node in best]
            found = self._search(index, (tail + said)[-options.longest :], options.deepen)
            if found.tokens:
                leaf = 0
                for token, node in zip(said, best, strict=True):  # the branch is its drafter's
                    leaf = builder.add(leaf, token, drafted.scores[node], ())
                self._hang(builder, leaf, found)
        return builder.build(nodes)

    def _hang(self, builder: TreeBuilder, node: int, branch: Branch) -> None:
        """Add a branch below a node."""
        if branch.tokens:
            scores = [builder.scores[node] * chance for chance in chances(branch.matched, len(branch.tokens))]
            builder.add_chain(node, branch.tokens, scores, [NodeOrigin(self.name, place) for place in branch.places])

    def _search(self, index: MatchIndex, tail: list[int], most: int) -> Branch:
        """Return one branch of up to `most` tokens that followed the longest end of `tail` (section
        4.1)."""
        if not most:
            return NOTHING
        found = commonest(index.tokens, index.longest(tail, self.options.matches), most)
        if self._store is None or found.matched >= len(tail):
            return found
        stored = self._stored(tail, most)
        return stored if stored.matched > found.matched else found

    def _stored(self, tail: list[int], most: int) -> Branch:
        assert self._store is not None
        options = self.options
        found = frequent(
            self._store,
            np.array(tail, np.int32),
            1 + 2 * most,
            shortest=options.shortest,
            most=options.places,
            depth=most,
        )
        best: dict[int, int] = {}  # by parent the first, that is the commonest, child
        for node, parent in enumerate(found.parents, start=1):
            best.setdefault(parent, node)
        tokens, node = list[int](), 0
        while (node := best.get(node, 0)) > 0:
            tokens.append(found.tokens[node - 1])
        return Branch(tokens, [-1] * len(tokens), found.matched if tokens else 0)


def commonest(tokens: Seq[int], matches: Seq[tuple[int, int]], most: int) -> Branch:
    """Follow the longest of these (end, length) matches, at every token as most of those do that
    still agree; the latest among equals."""
    if not matches:
        return NOTHING
    longest = max(length for _, length in matches)
    ends = [end for end, length in matches if length == longest]
    branch = Branch([], [], longest)
    for _ in range(most):
        ends = [end + 1 for end in ends if end + 1 < len(tokens)]
        if not ends:
            break
        token = Counter(tokens[end] for end in ends).most_common(1)[0][0]
        ends = [end for end in ends if tokens[end] == token]
        branch.tokens.append(token)
        branch.places.append(ends[0])
    return branch


def best_branch(tree: DraftTree) -> list[int]:
    """Return the nodes of the likeliest branch, without the root: at every node on to its likeliest
    child."""
    best: dict[int, int] = {}
    for node in range(1, len(tree)):
        parent = tree.parents[node]
        if parent not in best or tree.scores[node] > tree.scores[best[parent]]:
            best[parent] = node
    branch, node = list[int](), 0
    while (node := best.get(node, -1)) >= 0:
        branch.append(node)
    return branch


def _open(context: DrafterContext, options: ReaderOptions | None) -> ReaderDrafter:
    return ReaderDrafter(options, context.datastore)


SPEC = DrafterSpec(
    "reader",
    "a long branch found by search beside the drafted tree, and one behind its best branch (READER)",
    ReaderOptions,
    _open,
)
