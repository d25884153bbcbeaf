"""Acceptance of a tree's nodes, given the target's own token at each.

`Exact` emits the target's own tokens and nothing else, so what is written is what plain decoding
writes. Another rule may accept more; it says that it is not lossless, the response says so too
(StatsOut.lossless), and so does what is stored of the answer.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from typing import Protocol

from torch import Tensor

from services.generator.types import Accepted, DraftTree


class Acceptance(Protocol):
    @property
    def lossless(self) -> bool:
        """Whether what is emitted is always what the target alone would have said."""

    def accept(self, tree: DraftTree, chosen: Seq[int], logits: Tensor) -> Accepted:
        """Choose a path from the root and the tokens that are emitted: those of its nodes, root
        left out, and a bonus token.

        chosen[n] is the target's own token after node n, `logits` fp32 [nodes, V] what it was drawn
        from.
        """


class Exact:
    """Descend from the root while the target's token is a child; the token that is not one is the
    bonus token."""

    lossless = True

    def accept(self, tree: DraftTree, chosen: Seq[int], logits: Tensor) -> Accepted:
        """Choose the path along the target's own tokens."""
        children = {edge: node for node, edge in enumerate(zip(tree.parents, tree.token_ids, strict=True))}
        path = [0]
        while (node := children.get((path[-1], chosen[path[-1]]))) is not None:
            path.append(node)
        return Accepted(tuple(path), tuple(chosen[node] for node in path))


EXACT = Exact()
