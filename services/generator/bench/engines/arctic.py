"""SuffixDecoding as its authors ship it (arctic-inference, the code behind vLLM's option), as a
drafter to replay recorded answers with.

The package's suffix tree alone is used; where it is not installed there is none. Its cache of other
requests' answers is left empty, as our drafters share nothing between requests either.
"""

# Who compares installs what it compares with:
# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from importlib.util import find_spec
from operator import add
from typing import Any

from services.generator.drafters import LookupDrafter, StepState
from services.generator.types import DraftTree, NodeOrigin, Sequence


@dataclass(frozen=True, slots=True)
class ArcticOptions:
    """By default vLLM's: a chain, a token for each that matches, tokens seen in a tenth of the
    cases at least."""

    name: str = "arctic-inference"
    tree: bool = False
    factor: float = 1.0
    offset: float = 0.0
    least: float = 0.1
    depth: int = 64


class ArcticDrafter(LookupDrafter):
    def __init__(self, options: ArcticOptions) -> None:
        from arctic_inference.suffix_decoding import SuffixDecodingCache

        self.options, self.name = options, options.name
        self._cache: Any = SuffixDecodingCache(options.depth, max_cached_requests=0)
        self._told: dict[str, int] = {}

    def start(self, sequence: Sequence) -> None:
        self._cache.start_request(sequence.id, list(sequence.prompt.token_ids))
        self._told[sequence.id] = len(sequence.prompt.token_ids)

    def finish(self, sequence: Sequence) -> None:
        self._cache.stop_request(sequence.id)
        del self._told[sequence.id]

    def draft(self, state: StepState, nodes: int) -> DraftTree:
        name, options = state.sequence.id, self.options
        if new := state.context[self._told[name] :].tolist():
            self._cache.add_active_response(name, new)
            self._told[name] = len(state.context)
        drafted = self._cache.speculate(
            name,
            state.context[-options.depth :].tolist(),
            nodes - 1,
            options.factor,
            options.offset,
            options.least,
            options.tree,
        )
        count = len(drafted.token_ids)
        parents = (-1, *map(add, drafted.parents, [1] * count))  # theirs say -1 for the root
        return DraftTree(
            (int(state.context[-1]), *drafted.token_ids),
            parents,
            _falling(parents, drafted.probs),
            ((), *(((NodeOrigin(self.name),),) * count)),
        )


def _falling(parents: Seq[int], chances: Seq[float]) -> tuple[float, ...]:
    """Return scores of which none is above its parent's."""
    scores = [1.0]
    for parent, chance in zip(parents[1:], chances, strict=True):
        scores.append(min(float(chance), scores[parent]))
    return tuple(scores)


def arctic_drafters() -> Iterator[tuple[str, ArcticDrafter]]:
    """Yield it with vLLM's settings, and as a tree with those of our `suffix`; nothing where it is
    not installed."""
    if find_spec("arctic_inference") is None:
        return
    for options in (ArcticOptions(), ArcticOptions("arctic-inference, tree", True, 4.0, 8.0, 0.0)):
        yield options.name, ArcticDrafter(options)
