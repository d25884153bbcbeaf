"""One tree from every earlier occurrence of the last words, grown best first: the planner over copies.

The thesis's CASD copies from the two longest matches, SuffixDecoding from one pattern's tree, SAM-Decoding from one place. Here each place
that agrees with the last token or more votes for what followed it; votes of one to eight agreeing tokens are blended as orders of a context
model (PPM), and where nothing was seen the commonest tokens, and those that stand just after the last copied one (a copy goes on behind a
changed word), stand in. So every node has one chance, whoever proposed it, and the tree holds the likeliest paths: they may go on from one
place to another. Grown in C (native/blend.h): microseconds, whatever the context's length.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass
from functools import partial
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from services.generator.drafters import DrafterContext, DrafterSpec, Stage, StepState
from services.generator.models import FeatureKind
from services.generator.native import kernels
from services.generator.native.blend import ORDERS, Blended, NativeText, blend
from services.generator.speculation.tree import arrange
from services.generator.types import Accepted, DraftTree, NodeOrigin, Sequence


@dataclass(frozen=True, slots=True)
class BlendOptions:
    """Chosen on GPT-4o's answers about every second source of FaithBench, but for what docs/benchmarks.md says of two of them."""

    strength: tuple[float, ...] = (8.0, 6.0, 4.0, 3.0, 2.0, 1.0, 1.0, 1.0)
    """Occurrences that the orders below count for, by how many tokens agree."""
    depth: int = 16  # of a path
    scan: int = 64  # places looked at per node, the latest first: bounds the time; 256 find .1% more
    said: int = 5  # a generated token counts for so many of the prompt's among the commonest
    near_weight: float = 2.0  # of a place just behind the last one copied from the prompt
    near_share: float = 0.03  # that what stands there has of what nothing else claims
    least: float = 0.0  # chance of a path that is worth a node

    def __post_init__(self) -> None:
        assert len(self.strength) == ORDERS
        assert all(strength > 0 for strength in self.strength)


@dataclass(slots=True)
class _Said:
    """A sequence's tokens, and where in its prompt the last copied one stands (-1: nowhere)."""

    text: NativeText
    copied: int = -1


class BlendDrafter:
    name = "blend"
    stage = Stage.LOOKUP
    wants_features: FeatureKind | None = None

    def __init__(self, options: BlendOptions | None = None) -> None:
        self.options = options or BlendOptions()
        self._strength: NDArray[np.float32] = np.array([self.options.strength], np.float32)
        self._said: dict[str, _Said] = {}

    def start(self, sequence: Sequence) -> None:
        prompt = np.array(sequence.prompt.token_ids, np.int32)
        text = NativeText(len(prompt) + sequence.sampling.max_tokens + 1)
        text.extend(prompt)
        text.end_prompt()
        self._said[sequence.id] = _Said(text)

    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        return [self._draft(state, nodes) for state in states]

    def feedback(self, state: StepState, tree: DraftTree, accepted: Accepted) -> None:
        """Remember where the last copy from the prompt ended, whoever drafted it."""
        said = self._said[state.sequence.id]
        prompt = len(state.sequence.prompt.token_ids)
        for node in reversed(accepted.path[1:]):
            places = [origin.position for origin in tree.origins[node] if 0 <= origin.position < prompt]
            if places:
                said.copied = places[0]
                return

    def finish(self, sequence: Sequence) -> None:
        self._said.pop(sequence.id, None)

    def _draft(self, state: StepState, nodes: int) -> DraftTree:
        said, options = self._said[state.sequence.id], self.options
        said.text.extend(state.context[len(said.text) :], options.said)
        found = blend(
            [said.text], self._strength, nodes, depth=options.depth, scan=options.scan, pointer=said.copied,
            near_weight=options.near_weight, near_share=options.near_share, least=options.least,
        )  # fmt: skip
        return _tree(int(state.context[-1]), found, self.name)


def _tree(root: int, found: Blended, name: str) -> DraftTree:
    copied = map(_copied, zip(repeat(name), found.origins, strict=False))
    return arrange([root, *found.tokens], [-1, *(parent + 1 for parent in found.parents)], [1.0, *found.chances], [(), *zip(copied)])


_copied = partial(tuple.__new__, NodeOrigin)  # (drafter, position) -> NodeOrigin, a third of the time of calling it


def _lacks(_: DrafterContext) -> str | None:
    return None if kernels() is not None else "a C compiler (cc, or the package ziglang) on Linux"


def _open(_: DrafterContext, options: BlendOptions | None) -> BlendDrafter:
    return BlendDrafter(options)


SPEC = DrafterSpec(
    "blend", "the likeliest of what followed any earlier occurrence of the last words, as one tree", BlendOptions, _open, _lacks
)
