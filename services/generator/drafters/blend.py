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

from services.generator.datastore.store import Datastore
from services.generator.drafters import DrafterContext, DrafterSpec, Stage, StepState
from services.generator.models import FeatureKind
from services.generator.native import kernels
from services.generator.native.blend import Blended, blend
from services.generator.native.text import ORDERS, NativeText, SortedText
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
    doubt: float = 1.0  # factor of `strength` for texts beside the prompt, and once more for the datastore

    def __post_init__(self) -> None:
        assert len(self.strength) == ORDERS
        assert all(strength > 0 for strength in self.strength)
        assert self.doubt > 0


@dataclass(slots=True)
class _Said:
    """A sequence's tokens, what else may be copied from, and where in its prompt the last copied token stands (-1: nowhere)."""

    text: NativeText
    texts: list[NativeText | SortedText]  # the weakest first; `text` is the last
    names: tuple[str, ...]  # of their nodes' origins
    strength: NDArray[np.float32]  # [texts, ORDERS]
    copied: int = -1


class BlendDrafter:
    name = "blend"
    stage = Stage.LOOKUP
    wants_features: FeatureKind | None = None

    def __init__(self, options: BlendOptions | None = None, datastore: Datastore | None = None) -> None:
        self.options = options or BlendOptions()
        self._store = None if datastore is None else SortedText(datastore.tokens, datastore.order)
        self._said: dict[str, _Said] = {}

    def start(self, sequence: Sequence) -> None:
        text = _text(sequence.prompt.token_ids, sequence.sampling.max_tokens + 1)
        text.end_prompt()
        beside = [_text(tokens) for tokens in sequence.prompt.beside if tokens]
        stores = [self._store] if self._store is not None else []
        names = [f"{self.name}:store"] * len(stores) + [f"{self.name}:beside"] * len(beside) + [self.name]
        doubts = [self.options.doubt**2] * len(stores) + [self.options.doubt] * len(beside) + [1.0]
        strength = np.outer(doubts, self.options.strength).astype(np.float32)
        self._said[sequence.id] = _Said(text, [*stores, *beside, text], tuple(names), strength)

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
            said.texts, said.strength, nodes, depth=options.depth, scan=options.scan, pointer=said.copied,
            near_weight=options.near_weight, near_share=options.near_share, least=max(options.least, state.least),
        )  # fmt: skip
        return _tree(int(state.context[-1]), found, said.names)


def _text(tokens: tuple[int, ...], room: int = 0) -> NativeText:
    text = NativeText(len(tokens) + room)
    text.extend(np.array(tokens, np.int32))
    return text


def _tree(root: int, found: Blended, names: tuple[str, ...]) -> DraftTree:
    """Make nodes of what was found; only the context's places are places of the prompt and the output."""
    own = len(names) - 1
    if not own:
        copied = map(_copied, zip(repeat(names[0]), found.origins, strict=False))
    else:
        copied = map(_copied, ((names[s], at if s == own else -1) for s, at in zip(found.sources, found.origins, strict=True)))
    return DraftTree((root, *found.tokens), (-1, *found.parents), (1.0, *found.chances), ((), *zip(copied)))


_copied = partial(tuple.__new__, NodeOrigin)  # (drafter, position) -> NodeOrigin, a third of the time of calling it


def _lacks(_: DrafterContext) -> str | None:
    return None if kernels() is not None else "a C compiler (cc, or the package ziglang) on Linux"


def _open(context: DrafterContext, options: BlendOptions | None) -> BlendDrafter:
    return BlendDrafter(options, context.datastore)


SPEC = DrafterSpec(
    "blend",
    "the likeliest of what followed any earlier occurrence of the last words, as one tree",
    BlendOptions,
    _open,
    _lacks,
    reads_beside=True,
)
