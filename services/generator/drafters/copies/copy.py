"""Copy drafts: what followed the last time these words were said (CASD, thesis section 5.2).

The last tokens are looked up anywhere in prompt + output; the tokens after the longest matches are
the draft. Needs no model. Knows nothing of passages: a node's origin is a position in the context,
and provenance makes text of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat

from services.generator.drafters import DrafterSpec, LookupDrafter, StepState
from services.generator.speculation.matches import MatchIndex, chances
from services.generator.speculation.tree import TreeBuilder
from services.generator.types import DraftTree, NodeOrigin, Sequence


@dataclass(frozen=True, slots=True)
class CopyConfig:
    """The thesis's values. `prompt_only` is its ablation CASDprompt: the output is not copied
    from."""

    matches: int = 2  # how many of the longest matches are copied from
    max_match: int = 10  # a longer match counts as this long
    max_copy: int = 10  # tokens copied per match
    prompt_only: bool = False
    max_scan: int = 2048  # candidates looked at per draft, the latest first: bounds the time on degenerate text


class CopyDrafter(LookupDrafter):
    """Proposes the continuations of the longest matches, as one tree."""

    def __init__(self, config: CopyConfig | None = None) -> None:
        self.config = config or CopyConfig()
        self.name = "copy-prompt" if self.config.prompt_only else "copy"
        self.indexes: dict[str, MatchIndex] = {}  # by the sequences that are being written

    def start(self, sequence: Sequence) -> None:
        index = MatchIndex(self.config.max_match, self.config.max_scan)
        index.extend(sequence.prompt.token_ids)
        self.indexes[sequence.id] = index

    def finish(self, sequence: Sequence) -> None:
        self.indexes.pop(sequence.id, None)

    def draft(self, state: StepState, nodes: int) -> DraftTree:
        config, index = self.config, self.indexes[state.sequence.id]
        if not config.prompt_only:
            index.extend(state.context[len(index.tokens) :].tolist())
        tail = state.context[-config.max_match :].tolist()
        builder = TreeBuilder(tail[-1])
        matches = index.longest(tail, config.matches)
        for match in matches:
            first = match.end + 1
            copied = index.tokens[first : first + config.max_copy]
            places = map(_copied, zip(repeat(self.name), range(first, first + len(copied)), strict=False))
            builder.add_chain(0, copied, chances(match.length, len(copied)), places)
        return replace(builder.build(nodes), match=max((match.length for match in matches), default=0))


_copied = partial(tuple.__new__, NodeOrigin)  # (drafter, position) -> NodeOrigin, a third of the time of calling it


SPEC = DrafterSpec(
    "copy",
    "what followed the two longest matches of the last tokens, in prompt and output (CASD)",
    CopyConfig,
    lambda _, options: CopyDrafter(options),
)
PROMPT_SPEC = DrafterSpec(
    "copy-prompt",
    "the same in the prompt alone (the thesis's ablation CASDprompt)",
    CopyConfig,
    lambda _, options: CopyDrafter(replace(options or CopyConfig(), prompt_only=True)),
)
