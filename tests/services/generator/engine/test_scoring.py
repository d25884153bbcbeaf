"""Scores of given continuations are the model's own log-probabilities, whatever is batched or
cached."""

from __future__ import annotations

import pytest
import torch

from services.generator.engine.engine import Engine, EngineOptions
from services.generator.engine.scoring import AT_ONCE, Scoring, portions, score
from services.generator.errors import BadRequest
from services.generator.models import StepInput
from tests.services.generator.engines import tiny_target

PROMPT = tuple(range(10, 150))
OTHER = (*PROMPT[:70], *range(200, 230))
CONTINUATIONS = ((5,), (5, 6), (7, 8, 9), (5, 6, 11))


def engine(**options: int) -> Engine:
    return Engine(tiny_target(), {}, EngineOptions(context=512, rows=2, **options))


def by_hand(tokens: tuple[int, ...], after: tuple[int, ...]) -> float:
    """One plain pass over prompt and continuation; the logits' softmax at each place."""
    target, whole = tiny_target(), torch.tensor([[*tokens, *after]])
    step = StepInput(whole, torch.arange(whole.shape[1])[None], (0,), (0,), (whole.shape[1],), None)
    logits = target.forward(step, target.new_cache(1, whole.shape[1])).logits[0]
    return sum(float(logits[len(tokens) - 1 + n].log_softmax(-1)[token]) for n, token in enumerate(after))


def test_each_score_is_the_sum_of_the_log_softmax_of_the_logits() -> None:
    asked = [Scoring(PROMPT, CONTINUATIONS), Scoring(OTHER, CONTINUATIONS[:2]), Scoring((3,), ((4,),))]
    found = score(engine(), asked)
    for one, own in zip(asked, found, strict=True):
        assert own == pytest.approx([by_hand(one.prompt, after) for after in one.continuations], abs=1e-4)


def test_a_prompt_in_parts_and_one_from_the_prefix_cache_score_the_same() -> None:
    slow, fast = engine(prefill_chunk=16), engine(prefix_bytes=1 << 24)
    asked = [Scoring(PROMPT, CONTINUATIONS)]
    first = score(fast, asked)
    assert fast.prefixes.bytes > 0
    assert score(fast, [Scoring(OTHER, CONTINUATIONS)])[0] == pytest.approx(
        [by_hand(OTHER, c) for c in CONTINUATIONS], abs=1e-4
    )
    assert score(fast, asked)[0] == pytest.approx(first[0], abs=1e-4)
    assert score(slow, asked)[0] == pytest.approx(first[0], abs=1e-4)


def test_what_does_not_fit_or_is_empty_is_refused() -> None:
    for wrong in (Scoring(tuple(range(600)), ((1,),)), Scoring((), ((1,),)), Scoring((1,), ((),))):
        with pytest.raises(BadRequest):
            score(engine(), [wrong])


def test_many_prompts_are_cut_into_batches() -> None:
    parts = portions([Scoring((n,), ((1,),)) for n in range(2 * AT_ONCE + 1)])
    assert [len(part) for part in parts] == [AT_ONCE, AT_ONCE, 1]
