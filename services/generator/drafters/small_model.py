"""Vanilla speculative decoding: a small model with the target's tokenizer writes ahead (Leviathan
and others, 2023).

Its likeliest tokens are proposed as one chain, with the probability it gives them; deterministic
drafts are verified as all others, by the target's own samples, so the text is the target's at any
temperature.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from itertools import accumulate
from operator import mul

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from services.generator.drafters import Drafter, DrafterContext, DrafterSpec, DraftStage, StepState
from services.generator.models import FeatureKind, Target
from services.generator.models.ahead import Ahead, WriteAhead, likeliest
from services.generator.speculation.augmented import DrawnChain, draw
from services.generator.speculation.tree import TreeBuilder
from services.generator.types import Accepted, DraftTree, NodeOrigin, Sequence


@dataclass(frozen=True, slots=True)
class SmallModelOptions:
    tokens: int = 5  # written ahead per step (gamma; the paper's figure 1 and its tables have 3 to 10)
    firsts: int = 1  # tokens that are proposed for the next place: the others stand beside the chain


@dataclass(frozen=True, slots=True)
class RagOptions(SmallModelOptions):
    tokens: int = 10  # RAPID's gamma (section 3.1)


class SmallModelDrafter(Drafter):
    name = "small-model"
    stage = DraftStage.MODEL
    wants_features: FeatureKind | None = None
    usual = SmallModelOptions()

    def __init__(self, model: Target, options: SmallModelOptions | None = None) -> None:
        self.options = options or self.usual
        self.writer = WriteAhead(model)

    def start(self, sequence: Sequence) -> None:
        self.writer.start(sequence.id)

    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        contexts = [(state.sequence.id, self.context(state)) for state in states]
        others: dict[int, list[tuple[int, float]]] = {}

        def choose(logits: Tensor, places: Seq[int], step: int) -> tuple[Tensor, Tensor]:
            if step == 0 and self.options.firsts > 1:
                chances, tokens = logits.softmax(-1).topk(self.options.firsts)
                for place, *own in zip(places, tokens.tolist(), chances.tolist(), strict=True):
                    others[place] = list(zip(*own, strict=True))
            return likeliest(logits, places, step)

        written = self.writer.write(contexts, min(self.options.tokens, nodes - 1), choose)
        chains = [
            _chain(int(state.context[-1]), ahead, self.name) for state, ahead in zip(states, written, strict=True)
        ]
        return [_with_others(each, others.get(place, ()), nodes, self.name) for place, each in enumerate(chains)]

    def finish(self, sequence: Sequence) -> None:
        self.writer.finish(sequence.id)

    def context(self, state: StepState) -> NDArray[np.int32]:
        """Return what the small model continues."""
        return state.context


def _chain(root: int, ahead: Ahead, name: str) -> DraftTree:
    count = len(ahead.token_ids)
    return DraftTree(
        token_ids=(root, *ahead.token_ids),
        parents=tuple(range(-1, count)),
        scores=tuple(accumulate((1.0, *ahead.probabilities), mul)),
        origins=((), *(((NodeOrigin(name),),) * count)),
    )


def _with_others(chain: DraftTree, others: Iterable[tuple[int, float]], nodes: int, name: str) -> DraftTree:
    """Add what else may come next, beside the chain's first token."""
    builder = TreeBuilder.of(chain)
    for token, chance in others:
        if len(builder.token_ids) < nodes:
            builder.add(0, token, chance, (NodeOrigin(name),))
    return builder.build(nodes)


class RagDrafter(SmallModelDrafter):
    """RAPID's drafter: writes ahead behind the retrieved parts alone, while the target reads the
    whole documents (section 2.3).

    It proposes for requests whose prompt names its retrieved parts (Prompt.retrieved), and nothing
    for others. What is to be accepted by its chances (speculation/augmented.py) is drawn from them,
    and `drawn` tells them.
    """

    name = "rag"
    usual = RagOptions()

    def __init__(self, model: Target, options: SmallModelOptions | None = None) -> None:
        super().__init__(model, options)
        self._drawn: dict[str, DrawnChain] = {}

    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        asked = [state for state in states if state.sequence.prompt.retrieved]
        drafted: dict[str, DraftTree] = {}
        for drawing in (False, True):
            own = [
                state
                for state in asked
                if (state.sequence.sampling.draw_drafts and state.sequence.sampling.temperature > 0) == drawing
            ]
            if own:
                trees = self._draw(own, nodes) if drawing else super().propose(own, nodes)
                drafted |= zip((state.sequence.id for state in own), trees, strict=True)
        return [
            drafted.get(state.sequence.id) or _chain(int(state.context[-1]), Ahead((), ()), self.name)
            for state in states
        ]

    def drawn(self, sequence: Sequence) -> DrawnChain | None:
        """Return what was drawn for the step that is verified now."""
        return self._drawn.get(sequence.id)

    def feedback(self, state: StepState, tree: DraftTree, accepted: Accepted) -> None:
        """Forget what was drawn: the next step, too, may be drafted by others alone."""
        self._drawn.pop(state.sequence.id, None)

    def finish(self, sequence: Sequence) -> None:
        super().finish(sequence)
        self._drawn.pop(sequence.id, None)

    def _draw(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        given: list[list[Tensor]] = [[] for _ in states]

        def choose(logits: Tensor, places: Seq[int], step: int) -> tuple[Tensor, Tensor]:
            samplings = [states[place].sequence.sampling for place in places]
            tokens, chances = draw(logits, samplings, [len(states[place].context) + step for place in places])
            for place, own in zip(places, chances, strict=True):
                given[place].append(own)
            return tokens, chances.gather(-1, tokens[:, None])[:, 0]

        contexts = [(state.sequence.id, self.context(state)) for state in states]
        written = self.writer.write(contexts, min(self.options.tokens, nodes - 1), choose)
        for state, ahead, own in zip(states, written, given, strict=True):
            if own:
                self._drawn[state.sequence.id] = DrawnChain(ahead.token_ids, torch.stack(own), len(state.context))
        return [_chain(int(state.context[-1]), ahead, self.name) for state, ahead in zip(states, written, strict=True)]

    def context(self, state: StepState) -> NDArray[np.int32]:
        prompt = state.sequence.prompt
        return np.concatenate([np.array(prompt.retrieved, np.int32), state.context[len(prompt.token_ids) :]])


def _open(context: DrafterContext, options: SmallModelOptions | None) -> SmallModelDrafter:
    assert context.small is not None
    return SmallModelDrafter(context.small, options)


def _open_rag(context: DrafterContext, options: RagOptions | None) -> RagDrafter:
    """Open it with the small model where there is one, else with the target itself (the paper's
    self-speculation)."""
    model = context.small or context.target
    assert model is not None
    return RagDrafter(model, options)


def _measured_by(drafter: SmallModelDrafter) -> tuple[object, ...]:
    return drafter.name, drafter.options, drafter.writer.model.config


SPEC = DrafterSpec(
    "small-model",
    "what a small model with the same tokenizer writes ahead (speculative decoding)",
    SmallModelOptions,
    _open,
    lambda context: "a small model with the target's tokenizer" if context.small is None else None,
    _measured_by,
)
RAG_SPEC = DrafterSpec(
    "rag",
    "what a model that reads only the retrieved parts writes ahead, for long documents (RAPID)",
    RagOptions,
    _open_rag,
    lambda context: "a model" if context.target is None and context.small is None else None,
    _measured_by,
)
