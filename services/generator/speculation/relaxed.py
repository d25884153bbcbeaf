"""ReSpec's relaxed verification with look-ahead tolerance (section 3.4): retrieved tokens may
differ a little from the target's own.

A retrieved token that the target did not choose is let pass when it is among the target's likeliest
and not much less likely than the best, and only when the target then agrees with at least `matches`
tokens behind it. Not lossless: never the default, and said in the response.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass

from torch import Tensor

from services.generator.types import Accepted, DraftTree


@dataclass(frozen=True, slots=True)
class Relaxed:
    """An `Acceptance`. `sources`: drafters that retrieve; what others proposed is verified
    exactly."""

    sources: frozenset[str]
    top: int = 3  # a token must be among so many (k of eq. 6; Spec-Verification's 3, the paper names none)
    tolerance: float = 3.0  # nats below the best (tau of eq. 7; at most 3 is recommended)
    matches: int = 3  # tokens of the target's own behind it (m; at most 3 is recommended)
    attempts: int = 3  # a step (Phi; the paper names none)
    lossless: bool = False

    def accept(self, tree: DraftTree, chosen: Seq[int], logits: Tensor) -> Accepted:
        """Choose the path along the target's own tokens, and beyond it where a retrieved token is
        let pass."""
        children: dict[int, list[int]] = {}
        for node, parent in enumerate(tree.parents):
            children.setdefault(parent, []).append(node)
        last = tried = _own(tree, children, chosen, [0])
        for _ in range(self.attempts):
            tolerated = self._tolerated(tree, children.get(tried[-1], ()), logits[tried[-1]])
            if tolerated is None:
                break
            further = _own(tree, children, chosen, [*tried, tolerated])
            if len(further) - len(tried) - 1 >= self.matches:
                last = tried = further
            else:
                tried = [*tried, tolerated]
        return Accepted(tuple(last), (*(tree.token_ids[node] for node in last[1:]), chosen[last[-1]]))

    def _tolerated(self, tree: DraftTree, nodes: Seq[int], logits: Tensor) -> int | None:
        """Return the likeliest of the retrieved `nodes` that may pass; `logits` [V] after their
        parent."""
        retrieved = [node for node in nodes if any(origin.drafter in self.sources for origin in tree.origins[node])]
        if not retrieved:
            return None
        best = logits.topk(min(self.top, len(logits))).values.tolist()
        values = {node: float(logits[tree.token_ids[node]]) for node in retrieved}
        node = max(values, key=values.__getitem__)
        return node if values[node] >= max(best[-1], best[0] - self.tolerance) else None


def _own(tree: DraftTree, children: dict[int, list[int]], chosen: Seq[int], path: list[int]) -> list[int]:
    """Extend a path as long as the target's own token is a child."""
    path = list(path)
    while (below := [node for node in children.get(path[-1], ()) if tree.token_ids[node] == chosen[path[-1]]]) != []:
        path.append(below[0])
    return path
