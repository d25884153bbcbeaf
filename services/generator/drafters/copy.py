"""Copy drafts: what followed the last time these words were said (CASD, thesis section 5.2).

The last tokens are looked up anywhere in prompt + output; the tokens after the longest matches are the draft. Needs no
model. Knows nothing of passages: a node's origin is a position in the context, and provenance makes text of it.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import repeat
from typing import NamedTuple

from services.generator.drafters import DrafterContext, DrafterSpec, Stage, StepState
from services.generator.models import FeatureKind
from services.generator.speculation.tree import TreeBuilder
from services.generator.types import Accepted, DraftTree, NodeOrigin, Sequence

# (chance that the first copied token is accepted, factor per further token) by match length 1, 2, ... 10: smoothed from 150
# summaries by Llama-3.1-8B and -70B in FaithBench (thesis, figure 5.6a: longer matches are better). Measured there by length
# 1, 2, 3 and 10: first token .19 .39 .48 .87; rare lengths between are interpolated.
ACCEPTANCE = (
    (0.19, 0.57), (0.38, 0.60), (0.48, 0.65), (0.52, 0.66), (0.56, 0.68),
    (0.62, 0.70), (0.68, 0.72), (0.74, 0.74), (0.80, 0.76), (0.86, 0.80),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CopyConfig:
    """The thesis's values. `prompt_only` is its ablation CASDprompt: the output is not copied from."""

    matches: int = 2  # how many of the longest matches are copied from
    max_match: int = 10  # a longer match counts as this long
    max_copy: int = 10  # tokens copied per match
    prompt_only: bool = False
    max_scan: int = 2048  # candidates looked at per draft, the latest first: bounds the time on degenerate text


class Match(NamedTuple):
    """`length` tokens ending at index `end` equal the last `length` tokens of the context."""

    end: int
    length: int


class MatchIndex:
    """Finds the longest earlier occurrences of the last tokens. Grows with the context; a query costs microseconds.

    Occurrences are indexed by their last token and by their last two: candidates of the pair are extended
    backwards, and single tokens are only asked for when pairs give too few.
    """

    def __init__(self, max_match: int = 10, max_scan: int = 2048) -> None:
        self.tokens: list[int] = []
        self._max_match = max_match
        self._max_scan = max_scan
        self._by_token: dict[int, list[int]] = {}
        self._by_pair: dict[tuple[int, int], list[int]] = {}

    def extend(self, tokens: Seq[int]) -> None:
        known, by_token, by_pair = self.tokens, self._by_token, self._by_pair
        for index, token in enumerate(tokens, start=len(known)):
            by_token.setdefault(token, []).append(index)
            if index:
                by_pair.setdefault((known[-1], token), []).append(index)
            known.append(token)

    def longest(self, tail: Seq[int], count: int) -> list[Match]:
        """Return the `count` longest matches of the end of `tail` that something follows; among equals the latest first."""
        if not tail:
            return []
        last = len(self.tokens) - 1  # nothing follows a match that ends here
        matches: list[Match] = []
        if len(tail) > 1:
            matches = self._extended(self._by_pair.get((tail[-2], tail[-1]), ()), tail, count, last)
        if len(matches) < count:
            matches += self._single(tail, count - len(matches), last)
        return matches

    def _extended(self, ends: Seq[int], tail: Seq[int], count: int, last: int) -> list[Match]:
        """Return matches of two tokens and more; stop looking when `count` of them cannot be bettered."""
        tokens, limit, full = self.tokens, min(self._max_match, len(tail)), 0
        best: list[tuple[int, int]] = []  # (-length, -end): the longest first, among equals the latest
        for end in reversed(ends[-self._max_scan :]):
            if end == last:
                continue
            length = 2
            while length < limit and length <= end and tokens[end - length] == tail[-1 - length]:
                length += 1
            best.append((-length, -end))
            full += length == limit
            if full == count:
                break
        best.sort()
        return [Match(-end, -length) for length, end in best[:count]]

    def _single(self, tail: Seq[int], count: int, last: int) -> list[Match]:
        """Return matches of exactly one token."""
        tokens = self.tokens
        matches: list[Match] = []
        before = tail[-2] if len(tail) > 1 else None
        for end in reversed(self._by_token.get(tail[-1], ())):
            if end == last or (end and tokens[end - 1] == before):
                continue
            matches.append(Match(end, 1))
            if len(matches) == count:
                break
        return matches


class CopyDrafter:
    """Proposes the continuations of the longest matches, as one tree."""

    stage = Stage.LOOKUP
    wants_features: FeatureKind | None = None

    def __init__(self, config: CopyConfig | None = None) -> None:
        self.config = config or CopyConfig()
        self.name = "copy-prompt" if self.config.prompt_only else "copy"
        self._indexes: dict[str, MatchIndex] = {}

    def start(self, sequence: Sequence) -> None:
        index = MatchIndex(self.config.max_match, self.config.max_scan)
        index.extend(sequence.prompt.token_ids)
        self._indexes[sequence.id] = index

    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        return [self._draft(state, nodes) for state in states]

    def feedback(self, state: StepState, tree: DraftTree, accepted: Accepted) -> None:
        """Learn nothing from it."""

    def finish(self, sequence: Sequence) -> None:
        self._indexes.pop(sequence.id, None)

    def _draft(self, state: StepState, nodes: int) -> DraftTree:
        config, index = self.config, self._indexes[state.sequence.id]
        if not config.prompt_only:
            index.extend(state.context[len(index.tokens) :].tolist())
        tail = state.context[-config.max_match :].tolist()
        builder = TreeBuilder(tail[-1])
        for match in index.longest(tail, config.matches):
            first = match.end + 1
            copied = index.tokens[first : first + config.max_copy]
            places = map(_copied, zip(repeat(self.name), range(first, first + len(copied)), strict=False))
            builder.add_chain(0, copied, _scores(match.length, len(copied)), places)
        return builder.build(nodes)


_copied = partial(tuple.__new__, NodeOrigin)  # (drafter, position) -> NodeOrigin, a third of the time of calling it


@cache
def _scores(length: int, copied: int) -> tuple[float, ...]:
    """Score the tokens that follow a match of this length."""
    rate, decay = ACCEPTANCE[min(length, len(ACCEPTANCE)) - 1]
    return tuple(rate * decay**place for place in range(copied))


def _open(_: DrafterContext, options: CopyConfig | None) -> CopyDrafter:
    return CopyDrafter(options)


def _open_prompt_only(_: DrafterContext, options: CopyConfig | None) -> CopyDrafter:
    return CopyDrafter(replace(options or CopyConfig(), prompt_only=True))


SPEC = DrafterSpec("copy", "what followed the two longest matches of the last tokens, in prompt and output (CASD)", CopyConfig, _open)
PROMPT_SPEC = DrafterSpec("copy-prompt", "the same in the prompt alone (the thesis's ablation CASDprompt)", CopyConfig, _open_prompt_only)
