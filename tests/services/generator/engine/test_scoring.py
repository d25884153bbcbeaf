"""Scores of given continuations are the model's own log-probabilities, whatever is batched, cached
or written beside them; and who reads does not wait for who writes."""

from __future__ import annotations

from concurrent.futures import Future

import pytest
import torch

from services.generator.drafters.copies.copy import CopyDrafter
from services.generator.engine.engine import Engine, EngineOptions
from services.generator.engine.scoring import Scoring
from services.generator.errors import BadRequest
from services.generator.models import StepInput
from services.generator.types import SamplingParams
from tests.services.generator.engines import check_same, drain, generate, request, score, tiny_target

PROMPT = tuple(range(10, 150))
OTHER = (*PROMPT[:70], *range(200, 230))
CONTINUATIONS = ((5,), (5, 6), (7, 8, 9), (5, 6, 11))


def engine(**options: int) -> Engine:
    return Engine(tiny_target(), {"copy": CopyDrafter()}, EngineOptions(**{"context": 512, "rows": 2} | options))


def read(of: Engine, scoring: Scoring) -> Future[list[float]]:
    of.read(scoring, told := Future[list[float]]())
    return told


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


@pytest.mark.parametrize("rows", [1, 8])
def test_readings_beside_answers_change_neither(rows: int) -> None:
    """Readings join at every step of answers that are drafted for, at three temperatures."""
    jobs = [
        (PROMPT[: 20 + 9 * n], SamplingParams(max_tokens=30, temperature=(0.0, 0.7, 1.0)[n % 3], seed=n))
        for n in range(rows)
    ]
    plain = [generate(engine(), [request(*job)])[0] for job in jobs]
    asked = [Scoring(prompt, CONTINUATIONS[:n]) for prompt in (PROMPT, OTHER, PROMPT[:50]) for n in (1, 4)]
    alone = [score(engine(), [one])[0] for one in asked]
    both, told = engine(rows=rows, prefill_chunk=40), list[Future[list[float]]]()
    answers = [request(*job, drafters=("copy",)) for job in jobs]
    for answer in answers:
        both.add(answer)
    while both.busy:
        if len(told) < 2 * len(asked):
            told.append(read(both, asked[len(told) % len(asked)]))
        both.step()
    check_same(tiny_target(), jobs, plain, [answer.sequence.token_ids for answer in answers])
    for place, one in enumerate(told):
        assert one.result(0) == pytest.approx(alone[place % len(asked)], abs=1e-4)


def writing(of: Engine, tokens: int = 400) -> None:
    """Have every row write, with no end in sight."""
    of.stop_tokens = frozenset()
    for n in range(of.options.rows + 1):
        of.add(request([5, 6 + n], SamplingParams(max_tokens=tokens)))
    of.step()


def test_a_reading_and_all_who_write_share_a_step() -> None:
    busy = engine()
    writing(busy)
    told = read(busy, Scoring(PROMPT, CONTINUATIONS[:1]))
    assert len(busy.step()) == busy.options.rows
    assert told.done()


def test_a_reading_passes_a_long_prompt_and_what_is_short_a_longer_reading() -> None:
    busy = engine(prefill_chunk=32, readings=1)
    busy.add(request(range(10, 410)))
    busy.step()
    long, short = Scoring(PROMPT, ((5,),)), Scoring(PROMPT[:20], ((5,),))
    told = [read(busy, one) for one in (long, short, long)]
    order = list[int]()
    while len(order) < 3:
        busy.step()
        order += [place for place, one in enumerate(told) if one.done() and place not in order]
    assert order == [1, 0, 2]
    assert busy.busy  # the long prompt is not even computed


def test_what_prompts_part_at_is_kept_to_the_token() -> None:
    """The next question on a passage costs itself, and its next piece no more than that."""
    keeping, passage = engine(), PROMPT[:90]
    costs = []
    for prompt in ((*passage, *range(200, 220)), (*passage, *range(230, 250)), (*passage, *range(230, 250), 7, 8)):
        before = keeping.computed
        asked = Scoring(prompt, CONTINUATIONS[:1], ends=(len(passage), min(len(prompt), 110)))
        (found,) = score(keeping, [asked])
        assert found == pytest.approx([by_hand(prompt, CONTINUATIONS[0])], abs=1e-4)
        costs.append(keeping.computed - before)
    assert costs == [110, 20, 2]


def test_who_leaves_is_not_read_to() -> None:
    one = engine(readings=1, prefill_chunk=16)
    told = [read(one, Scoring(PROMPT, CONTINUATIONS)) for _ in range(3)]
    one.step()
    assert told[0].cancel()
    assert told[2].cancel()
    drain(one)
    assert told[1].result(0) == pytest.approx([by_hand(PROMPT, c) for c in CONTINUATIONS], abs=1e-4)


def test_a_step_that_raises_fails_the_readings_of_it_and_not_those_that_wait() -> None:
    one, target = engine(readings=1), tiny_target()
    told, forward = [read(one, Scoring(PROMPT, CONTINUATIONS)) for _ in range(2)], target.forward
    try:
        target.forward = None
        with pytest.raises(TypeError) as error:
            one.step()
    finally:
        target.forward = forward
    assert one.fail(error.value) == []
    assert told[0].exception(0) is error.value
    drain(one)
    assert told[1].result(0) == pytest.approx([by_hand(PROMPT, c) for c in CONTINUATIONS], abs=1e-4)
