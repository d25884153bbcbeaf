"""Engine and EAGLE heads together: lossless with any head, at any temperature, alone and in a
batch; a head that is right is believed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.generator.drafters import StepState
from services.generator.drafters.eagle import EagleDrafter
from services.generator.models.heads.eagle import EagleHead
from services.generator.speculation.eagle_tree import TreeShape
from services.generator.train.answers import AnswerOptions, TokenQuestion, collect
from services.generator.train.fit import Fit, FitOptions, new_head, output_rows
from services.generator.types import Prompt, SamplingParams, Sequence
from tests.services.generator.engines import check_same, engine, generate, request, tiny_codec, tiny_target

WORDS = "Wash your hands. De dosis is 5 mg per kg. Remove the catheter. "
SHAPES = (TreeShape(4, 16, 3), TreeShape(2, 5, 6))

prompts = st.lists(st.integers(3, 399), min_size=1, max_size=40).flatmap(
    lambda part: st.integers(1, 3).map(lambda times: part * times)
)
samplings = st.builds(
    SamplingParams,
    temperature=st.sampled_from([0.0, 0.7, 1.0]),
    top_p=st.sampled_from([1.0, 0.9]),
    max_tokens=st.integers(1, 30),
    seed=st.integers(0, 2**40),
)


def text(value: str) -> list[int]:
    return tiny_codec().encode(value)[0]


@cache
def random_head(version: int, family: str, seed: int, normed: bool = False) -> EagleHead:
    target = tiny_target(family, seed)
    ids = torch.arange(0, target.config.vocab_size, 2 if version == 3 else 1)
    options = FitOptions(version=version, seed=seed, normed=normed)
    return new_head(target, options, ids, output_rows(target, ids)).eval()


@given(
    st.sampled_from([(1, False), (3, False), (3, True)]),
    st.sampled_from(["llama", "qwen3"]),
    st.lists(st.tuples(prompts, samplings), min_size=1, max_size=8),
    st.sampled_from(SHAPES),
    st.integers(2, 32),
)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_a_head_changes_no_token(
    kind: tuple[int, bool], family: str, jobs: list[tuple[list[int], SamplingParams]], shape: TreeShape, nodes: int
) -> None:
    target = tiny_target(family)
    plain = [generate(engine(target), [request(prompt, sampling)])[0] for prompt, sampling in jobs]
    for drafters in (("eagle",), ("copy", "eagle")):
        drafter = EagleDrafter(random_head(kind[0], family, 0, kind[1]), shape, capacity=8)
        speculative = engine(target, drafter, nodes=nodes, prefill_chunk=16)
        check_same(
            target,
            jobs,
            plain,
            generate(speculative, [request(prompt, sampling, drafters) for prompt, sampling in jobs]),
        )
        assert not drafter.rows  # every row was given back


@cache
def trained_head(version: int) -> Any:
    """A head that has learnt, by heart, what the small target says to a few prompts."""
    target = tiny_target()
    encode = tiny_codec().encode
    questions = [TokenQuestion(f"{number}", tuple(encode(f"{WORDS}{number % 4}")[0])) for number in range(24)]
    with TemporaryDirectory() as folder:
        corpus = collect(
            target, questions, Path(folder) / "a", AnswerOptions(rows=4, max_tokens=24, max_length=200, temperature=0.0)
        )
        options = FitOptions(version, 400, steps=3, epochs=40, positions=128, learning_rate=5e-3, warm_up=5, bf16=False)
        return Fit(target, corpus, Path(folder) / "w", options).run()


@pytest.mark.parametrize("version", [1, 3])
def test_a_trained_head_is_believed_so_that_the_test_above_is_not_about_rejected_trees(version: int) -> None:
    target = tiny_target()
    drafter = EagleDrafter(trained_head(version), SHAPES[0])
    job, plain = request(text(f"{WORDS}1"), drafters=("eagle",)), request(text(f"{WORDS}1"))
    assert generate(engine(target, drafter), [job]) == generate(engine(target), [plain])
    stats = job.sequence.stats
    assert stats.tokens / stats.steps > 1.5
    assert stats.accepted_by_source["eagle"] > 5


def test_a_prompt_of_one_token_brings_no_features_and_gets_no_draft_at_first() -> None:
    target = tiny_target()
    drafter = EagleDrafter(random_head(3, "llama", 0), SHAPES[0])
    sequence = Sequence("a", Prompt((7,), (None,), (), "t"), SamplingParams())
    drafter.start(sequence)
    context = torch.tensor([7], dtype=torch.int32).numpy()
    assert drafter.propose([StepState(sequence, context)], 16)[0].token_ids == (7,)
    job, plain = request([7], drafters=("eagle",)), request([7])
    assert generate(engine(target, drafter), [job]) == generate(engine(target), [plain])
    assert job.sequence.stats.drafted > 0


def test_a_cached_prefix_brings_its_features_and_the_tree_is_the_same() -> None:
    target = tiny_target()
    one = engine(target, EagleDrafter(trained_head(3), SHAPES[0]))
    prompt = text(WORDS * 4 + "1")
    jobs = [request(prompt, drafters=("eagle",)) for _ in range(2)]
    first, second = (generate(one, [job])[0] for job in jobs)
    assert first == second
    assert jobs[1].sequence.stats.cached_tokens > 0
    assert jobs[1].sequence.stats.steps == jobs[0].sequence.stats.steps
