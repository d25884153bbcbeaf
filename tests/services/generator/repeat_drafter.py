"""A drafter that lives in the tests alone: one file, and a line in DRAFTERS, are all that the
generator needs of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from services.generator.drafters import DrafterSpec, LookupDrafter, StepState
from services.generator.speculation.tree import TreeBuilder
from services.generator.types import DraftTree, NodeOrigin


@dataclass(frozen=True, slots=True)
class RepeatOptions:
    period: int = 1  # tokens ago


@dataclass(slots=True)
class RepeatDrafter(LookupDrafter):
    """What was said `period` tokens ago is said again, and again."""

    options: RepeatOptions = field(default_factory=RepeatOptions)
    name: str = "repeat"

    def draft(self, state: StepState, nodes: int) -> DraftTree:
        builder, first = TreeBuilder(int(state.context[-1])), len(state.context) - self.options.period
        if first < 0 or nodes < 2:
            return builder.build()
        copied = [first + place % self.options.period for place in range(min(4, nodes - 1))]
        tokens = [int(state.context[place]) for place in copied]
        scores = [0.5**depth for depth in range(1, len(copied) + 1)]
        builder.add_chain(0, tokens, scores, [NodeOrigin(self.name, place) for place in copied])
        return builder.build(nodes)


SPEC = DrafterSpec(
    "repeat", "the last tokens over again", RepeatOptions, lambda _, options: RepeatDrafter(options or RepeatOptions())
)
