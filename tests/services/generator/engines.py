"""Engines around small random models, for tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from collections.abc import Sequence as Seq
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from services.generator.drafters import Drafter, DraftStage, StepState
from services.generator.drafters.copies.copy import CopyDrafter
from services.generator.engine.engine import Engine, EngineOptions, Output, Request
from services.generator.engine.scoring import Scoring
from services.generator.models import FeatureKind, StepInput
from services.generator.models.loading import load_target
from services.generator.planner.planner import CostModel
from services.generator.speculation.sampling import gumbel, nucleus
from services.generator.speculation.tree import TreeBuilder
from services.generator.text.answer_text import AnswerText
from services.generator.text.codec import Codec
from services.generator.text.provenance import SpanTracker
from services.generator.types import DraftTree, NodeOrigin, Passage, Prompt, SamplingParams, Sequence
from tests.services.generator.tiny import tiny_checkpoint, tiny_tokenizer

_ids = itertools.count()
NEAR_TIE = 1e-5  # some units in the last place of what is compared: logits and noise of at most some tens, in fp32


@cache
def tiny_target(family: str = "llama", seed: int = 0, **shape: Any) -> Any:
    with TemporaryDirectory() as folder:
        return load_target(
            str(tiny_checkpoint(Path(folder), family, seed, **shape)), device="cpu", dtype="fp32", threads=1
        )


@cache
def tiny_codec() -> Codec:
    return Codec(tiny_tokenizer())


class RandomDrafter(Drafter):
    """Proposes nonsense of any shape: nothing it does may change the output."""

    name = "random"
    stage = DraftStage.LOOKUP
    wants_features: FeatureKind | None = None

    def __init__(self, vocabulary: int, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)
        self.vocabulary = vocabulary

    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        return [self._draft(int(state.context[-1]), nodes) for state in states]

    def _draft(self, root: int, nodes: int) -> DraftTree:
        builder = TreeBuilder(root)
        for _ in range(self.random.integers(0, nodes)):
            parent = int(self.random.integers(0, len(builder.token_ids)))
            token = int(self.random.integers(0, self.vocabulary))
            builder.add(parent, token, float(self.random.random()), (NodeOrigin(self.name, 0),))
        return builder.build(nodes)


class OracleDrafter(RandomDrafter):
    """Proposes what plain decoding gave, among nonsense: long paths are accepted through odd places
    of the tree."""

    name = "oracle"

    def __init__(self, vocabulary: int, answers: dict[tuple[int, ...], list[int]], seed: int = 0) -> None:
        super().__init__(vocabulary, seed)
        self.answers = answers  # prompt -> tokens

    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        return [self._true(state, nodes) for state in states]

    def _true(self, state: StepState, nodes: int) -> DraftTree:
        builder = TreeBuilder(int(state.context[-1]))
        done = len(state.sequence.token_ids)
        answer = self.answers[state.sequence.prompt.token_ids][done : done + int(self.random.integers(0, nodes))]
        node = 0
        for token in answer:
            if self.random.random() < 0.5:
                builder.add(node, int(self.random.integers(0, self.vocabulary)), 1.0, (NodeOrigin(self.name, 0),))
            node = builder.add(node, token, float(self.random.random()), (NodeOrigin(self.name, 0),))
        return builder.build(nodes)


def engine(target: Any, *extra: Drafter, costs: CostModel | None = None, **options: Any) -> Engine:
    drafters: dict[str, Drafter] = {"copy": CopyDrafter()} | {drafter.name: drafter for drafter in extra}
    return Engine(
        target,
        drafters,
        EngineOptions(**{"context": 256, "rows": 8, "nodes": 24, "prefix_bytes": 1 << 24} | options),
        costs,
    )


def request(
    tokens: Iterable[int],
    sampling: SamplingParams | None = None,
    drafters: tuple[str, ...] = (),
    passages: Seq[Passage] = (),
) -> Request:
    tokens = tuple(tokens)
    prompt = Prompt(tokens, (None,) * len(tokens), tuple(passages), "test")
    sampling = sampling or SamplingParams(max_tokens=24)
    return Request(
        Sequence(f"r{next(_ids)}", prompt, sampling),
        AnswerText(tiny_codec(), sampling.stop, SpanTracker(passages)),
        drafters=drafters,
    )


def drain(of: Engine) -> list[Output]:
    return list(of.run())


def generate(of: Engine, requests: Seq[Request]) -> list[list[int]]:
    for each in requests:
        of.add(each)
    drain(of)
    return [each.sequence.token_ids for each in requests]


def score(of: Engine, asked: Seq[Scoring]) -> list[list[float]]:
    """Return what an engine that nobody else uses tells of each."""
    told = [Future[list[float]]() for _ in asked]
    for scoring, one in zip(asked, told, strict=True):
        of.read(scoring, one)
    drain(of)
    return [one.result(0) for one in told]


def check_same(
    target: Any, jobs: Seq[tuple[Seq[int], SamplingParams]], plain: Seq[Seq[int]], drafted: Seq[Seq[int]]
) -> None:
    """Fail where an answer that was drafted for is not the plain one."""
    found = [parted(target, *job, one, other) for job, one, other in zip(jobs, plain, drafted, strict=True)]
    assert not any(found), found


def parted(target: Any, prompt: Seq[int], sampling: SamplingParams, one: Seq[int], other: Seq[int]) -> str:
    """Say where two answers to a prompt part, other than at a near tie, whose places rounding may
    change in fp32 too; "": nowhere."""
    at = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    if at == max(len(one), len(other)):
        return ""
    if at == min(len(one), len(other)):
        return f"one ends after {at} tokens"
    tokens = [*prompt, *one[:at]]
    step = StepInput(torch.tensor([tokens]), torch.arange(len(tokens))[None], (0,), (0,), (len(tokens),), None)
    values = target.forward(step, target.new_cache(1, len(tokens))).logits[0, -1:]
    if sampling.temperature > 0:
        noise = gumbel(sampling.seed, [len(tokens)], values.shape[-1], values.device)
        values = nucleus(values / sampling.temperature, sampling.top_p) + noise
    gap = abs(float(values[0, one[at]] - values[0, other[at]]))
    return "" if gap < NEAR_TIE else f"{one[at]} for {other[at]} after {at} tokens, {gap} apart"
