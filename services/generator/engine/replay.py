"""Recorded answers decoded again without a model: what a target that says exactly this would accept
of every tree.

The record is what the target would have said greedily, so walking it counts what greedy decoding
would, up to near ties. Drafters are asked, weighed and told what became of their trees as the
engine does it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from services.generator.engine.drafting import Drafting
from services.generator.engine.features import Features
from services.generator.models import FeatureKind
from services.generator.planner.planner import Plan
from services.generator.speculation.tree import follow
from services.generator.types import Accepted, DraftTree, Prompt, SamplingParams, Sequence


@dataclass(frozen=True, slots=True)
class Recorded:
    """`given`: how many tokens of the answer are known before the first draft; `features` of all
    tokens but the last, by kind; `entropies` of the distributions that the answer's tokens were
    taken from, where they are known; `beside`: texts that may be drafted from, too."""

    name: str
    prompt: tuple[int, ...]
    answer: tuple[int, ...]
    given: int = 0
    features: Mapping[FeatureKind, Tensor] = field(default_factory=dict)
    entropies: tuple[float, ...] = ()
    beside: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ReplayStep:
    tree: DraftTree  # that was verified
    path: tuple[int, ...]  # its accepted nodes, root first
    seconds: float  # that the drafters took


@dataclass(slots=True)
class ReplayRow:
    """A drafting.Row."""

    sequence: Sequence
    drafters: tuple[str, ...]
    features: Features
    plan: Plan
    tokens: NDArray[np.int32]  # prompt and answer
    length: int

    @property
    def decided(self) -> NDArray[np.int32]:
        return self.tokens[: self.length + 1]


def replay(drafting: Drafting, recorded: Recorded) -> Iterator[ReplayStep]:
    """Decode one answer with all of the drafters."""
    tokens = np.array(recorded.prompt + recorded.answer, dtype=np.int32)
    sequence = Sequence(
        recorded.name,
        Prompt(recorded.prompt, (None,) * len(recorded.prompt), (), "replay", beside=recorded.beside),
        SamplingParams(max_tokens=len(recorded.answer)),
    )
    sequence.token_ids.extend(recorded.answer[: recorded.given])
    plan, features = drafting.start(sequence, tuple(drafting.drafters))
    row = ReplayRow(sequence, tuple(plan.gates), features, plan, tokens, len(recorded.prompt) + recorded.given - 1)
    read = 0
    while row.length < len(tokens) - 1:
        for kind in features.kinds:
            features.add(kind, recorded.features[kind][read : row.length])
        read = row.length
        yield _step(drafting, row, recorded)
    drafting.finish(row)


def _step(drafting: Drafting, row: ReplayRow, recorded: Recorded) -> ReplayStep:
    """Draft once, and accept what the answer goes on with."""
    before, said = drafting.spent, len(row.sequence.token_ids)
    left = recorded.answer[said:]
    (tree,) = drafting.cut([row], drafting.propose([row], [drafting.nodes]))
    assert len(tree) <= drafting.nodes, "a drafter exceeded its budget"
    path = tuple(follow(tree, left))
    accepted = Accepted(path, left[: len(path)], entropies=recorded.entropies[said : said + len(path)])
    drafting.feedback(row, tree, accepted)
    drafting.learn_replayed(row, tree, accepted)
    row.sequence.token_ids.extend(accepted.token_ids)
    row.sequence.stats.steps += 1
    row.length += len(path)
    return ReplayStep(tree, path, drafting.spent - before)
