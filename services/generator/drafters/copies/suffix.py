"""SuffixDecoding's drafts: the likeliest of what followed the pattern that the context ends with,
as one tree (Oliaro and others, 2024).

For every length of the pattern the tree of its continuations is grown greedily by their
frequencies; the tree whose frequencies add up to most is the draft. Longer patterns may draft more.
Once over prompt and output, once over the texts beside the prompt (the paper's second tree, of
earlier outputs). Kept to compare with: the copy drafter that engines ship.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field
from itertools import count

from services.generator.drafters import DrafterSpec, LookupDrafter, StepState
from services.generator.speculation.tree import arrange
from services.generator.types import DraftTree, NodeOrigin, Sequence

BETWEEN = -1  # stands behind each text beside the prompt: no draft goes over it


@dataclass(frozen=True, slots=True)
class SuffixOptions:
    factor: float = 4.0  # nodes drafted per token of the pattern
    offset: float = 8.0  # and beside them
    longest: int = 64  # pattern
    floor: float = 0.0  # frequency of a path
    scan: int = 512  # places looked at, the latest first


@dataclass(slots=True)
class Places:
    """Where each token stands."""

    tokens: list[int] = field(default_factory=list)
    _by_token: dict[int, list[int]] = field(default_factory=dict)

    def extend(self, tokens: Seq[int]) -> None:
        for place, token in enumerate(tokens, start=len(self.tokens)):
            self._by_token.setdefault(token, []).append(place)
        self.tokens += tokens

    def patterns(self, said: Seq[int], longest: int, scan: int) -> Iterator[tuple[int, list[int]]]:
        """Yield, for each length of the last tokens of `said` that makes a difference, the places
        here after which they stood."""
        tokens, last, most = self.tokens, len(self.tokens) - 1, min(longest, len(said))
        found: list[tuple[int, int]] = []
        for end in self._by_token.get(said[-1], ())[-scan - 1 :]:
            length = 1
            while end != last and length < most and length <= end and tokens[end - length] == said[-1 - length]:
                length += 1
            if end != last:
                found.append((length, end + 1))
        for length in {length for length, _ in found}:
            yield length, [place for own, place in found if own >= length]


@dataclass(frozen=True, slots=True)
class Grown:
    """Nodes behind the root, parents first, in falling order of score."""

    tokens: list[int]
    parents: list[int]
    scores: list[float]
    places: list[int]


def grow(tokens: Seq[int], places: list[int], most: int, floor: float) -> Grown:
    """Return the `most` most frequent continuations of these places (the paper's section 4.2)."""
    grown, order = Grown([], [], [], []), count()
    heap = [(-1.0, next(order), -1, places)]  # what follows a node
    waiting: list[tuple[float, int, int, int, list[int]]] = []
    while heap or waiting:
        if heap:
            score, _, parent, after = heap.pop()
            followers: dict[int, list[int]] = {}
            for place in after:
                if place < len(tokens) and tokens[place] != BETWEEN:
                    followers.setdefault(tokens[place], []).append(place)
            total = sum(map(len, followers.values()))
            for token, own in followers.items():
                heapq.heappush(waiting, (score * len(own) / total, next(order), parent, token, own))
            continue
        score, _, parent, token, own = heapq.heappop(waiting)
        if len(grown.tokens) == most or -score < floor:
            break
        for values, value in (
            (grown.tokens, token),
            (grown.parents, parent),
            (grown.scores, -score),
            (grown.places, own[-1]),
        ):
            values.append(value)  # type: ignore[arg-type]
        heap.append((score, next(order), len(grown.tokens) - 1, [place + 1 for place in own]))
    return grown


class SuffixDrafter(LookupDrafter):
    name = "suffix"

    def __init__(self, options: SuffixOptions | None = None) -> None:
        self.options = options or SuffixOptions()
        self._places: dict[str, tuple[Places, Places]] = {}  # of prompt and output, and beside them

    def start(self, sequence: Sequence) -> None:
        own, beside = self._places[sequence.id] = Places(), Places()
        own.extend(sequence.prompt.token_ids)
        for text in sequence.prompt.beside:
            beside.extend((*text, BETWEEN))

    def finish(self, sequence: Sequence) -> None:
        self._places.pop(sequence.id, None)

    def draft(self, state: StepState, nodes: int) -> DraftTree:
        (own, beside), options = self._places[state.sequence.id], self.options
        own.extend(state.context[len(own.tokens) :].tolist())
        trees = [
            (
                grow(
                    known.tokens, places, min(nodes - 1, int(options.factor * length + options.offset)), options.floor
                ),
                known,
            )
            for known in (own, beside)
            for length, places in known.patterns(own.tokens, options.longest, options.scan)
        ]
        best, known = max(trees, key=lambda grown: sum(grown[0].scores), default=(Grown([], [], [], []), own))
        at = [(NodeOrigin(self.name, place),) for place in best.places]
        origins = at if known is own else [(NodeOrigin(f"{self.name}:beside"),)] * len(best.places)
        return arrange(
            [own.tokens[-1], *best.tokens], [-1, *(p + 1 for p in best.parents)], [1.0, *best.scores], [(), *origins]
        )


SPEC = DrafterSpec(
    "suffix",
    "the most frequent continuations of one pattern, as one tree (SuffixDecoding)",
    SuffixOptions,
    lambda _, options: SuffixDrafter(options),
    reads_beside=True,
)
