"""tau of a drafter on held-out answers, without decoding: the target has said what it says, and its features are there.

An answer that the target gave greedily is what it would accept of any tree, so walking the recorded answer counts exactly
what greedy decoding would, up to near ties.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence as Seq
from dataclasses import dataclass

import numpy as np

from services.generator.drafters import Drafter, StepState
from services.generator.speculation.tree import follow, merge
from services.generator.train.corpus import Answer
from services.generator.types import Accepted, DraftTree, Prompt, SamplingParams, Sequence


@dataclass(frozen=True, slots=True)
class Measured:
    """tau counts the bonus token; `accepted` says how many steps accepted how many drafted tokens."""

    tau: float
    nodes_per_step: float
    answers: int
    tokens: int
    accepted: dict[int, int]


class Merged:
    """Several drafters, their trees joined as the engine joins them."""

    def __init__(self, *drafters: Drafter) -> None:
        self.drafters = drafters
        self.name = "+".join(drafter.name for drafter in drafters)

    @property
    def wants_features(self) -> str | None:
        return next((drafter.wants_features for drafter in self.drafters if drafter.wants_features), None)

    def start(self, sequence: Sequence) -> None:
        for drafter in self.drafters:
            drafter.start(sequence)

    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        drafts = [drafter.propose(states, nodes) for drafter in self.drafters]
        return [merge(trees, nodes) for trees in zip(*drafts, strict=True)]

    def feedback(self, state: StepState, tree: DraftTree, accepted: Accepted) -> None:
        for drafter in self.drafters:
            drafter.feedback(state, tree, accepted)

    def finish(self, sequence: Sequence) -> None:
        for drafter in self.drafters:
            drafter.finish(sequence)


def measure(drafter: Drafter, answers: Iterable[Answer], nodes: int) -> Measured:
    """The first token of an answer comes from the prompt's own forward and is not counted."""
    lengths: Counter[int] = Counter()
    count = tokens = drafted = 0
    for number, answer in enumerate(answers):
        if len(answer.answer) < 2:
            continue
        count += 1
        for nodes_used, accepted in _steps(drafter, answer, f"{number}", nodes):
            lengths[accepted] += 1
            drafted += nodes_used
        tokens += len(answer.answer) - 1
    steps = sum(lengths.values())
    return Measured(tokens / max(steps, 1), drafted / max(steps, 1), count, tokens, dict(sorted(lengths.items())))


def _steps(drafter: Drafter, answer: Answer, name: str, nodes: int) -> Iterable[tuple[int, int]]:
    """(drafted nodes, accepted tokens) per step."""
    tokens = answer.tokens.numpy().astype(np.int32)
    prompt = tuple(answer.tokens[: answer.prompt_length].tolist())
    sequence = Sequence(name, Prompt(prompt, (None,) * len(prompt), (), "train"), SamplingParams())
    features = answer.streams if drafter.wants_features == "streams" else answer.hidden
    drafter.start(sequence)
    seen, root = 0, answer.prompt_length
    while root < len(tokens) - 1:
        state = StepState(sequence, tokens[: root + 1], features[seen:root])
        (tree,) = drafter.propose([state], nodes)
        path = follow(tree, tuple(tokens[root + 1 :].tolist()))
        emitted = tuple(tokens[root + 1 : root + 1 + len(path)].tolist())
        drafter.feedback(state, tree, Accepted(tuple(path), emitted))
        yield len(tree) - 1, len(path) - 1
        seen, root = root, root + len(path)
    drafter.finish(sequence)
