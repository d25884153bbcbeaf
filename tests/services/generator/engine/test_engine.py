"""The engine: lossless whatever drafts, whoever else runs, whatever was cached; fair, bounded,
cancellable."""

from __future__ import annotations

from collections.abc import Sequence as Seq

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.generator.drafters import StepState
from services.generator.drafters.copies.prompt_lookup import PromptLookupDrafter
from services.generator.errors import BadRequest, QueueFull
from services.generator.models import FeatureKind, StepInput
from services.generator.types import DraftTree, FinishReason, NodeOrigin, SamplingParams, Sequence, SequenceStatus
from tests.services.generator.engines import (
    OracleDrafter,
    RandomDrafter,
    check_same,
    drain,
    engine,
    generate,
    request,
    tiny_codec,
    tiny_target,
)

FAMILIES = ("llama", "qwen3")
WORDS = "Wash your hands. De dosis is 5 mg per kg. Remove the catheter. "


def text(value: str) -> list[int]:
    return tiny_codec().encode(value)[0]


def reference(target: object, prompt: list[int], count: int) -> list[int]:
    """Greedy decoding by forwards over the whole text: no cache, no tree, no engine."""
    tokens = list(prompt)
    for _ in range(count):
        step = StepInput(
            torch.tensor([tokens]),
            torch.arange(len(tokens))[None],
            slots=(0,),
            lengths=(0,),
            counts=(len(tokens),),
            tree_mask=None,
        )
        logits = target.forward(step, target.new_cache(1, 256)).logits  # type: ignore[attr-defined]
        tokens.append(int(logits[0, -1].argmax()))
        if tokens[-1] in target.config.eos_token_ids:  # type: ignore[attr-defined]
            break
    return tokens[len(prompt) :]


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


@pytest.mark.parametrize("family", FAMILIES)
def test_plain_decoding_is_greedy_decoding_without_a_cache(family: str) -> None:
    target = tiny_target(family)
    for prompt in (text(WORDS), text("De"), text(WORDS * 3)):
        assert generate(engine(target), [request(prompt)])[0] == reference(target, prompt, 24)


class Slope:
    """Nodes cost something, so that the planner cuts trees and pauses drafters."""

    def verify(self, nodes: int, context: int) -> float:
        return 0.01 + 0.001 * nodes


@given(
    st.sampled_from(FAMILIES),
    st.integers(0, 2),
    st.lists(st.tuples(prompts, samplings), min_size=1, max_size=8),
    st.integers(2, 32),
    st.data(),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_speculation_changes_no_token(
    family: str, seed: int, jobs: list[tuple[list[int], SamplingParams]], nodes: int, data: st.DataObject
) -> None:
    target = tiny_target(family, seed)
    plain = [generate(engine(target), [request(prompt, sampling)])[0] for prompt, sampling in jobs]
    answers = {tuple(prompt): tokens for (prompt, _), tokens in zip(jobs, plain, strict=True)}
    vocabulary = target.config.vocab_size
    for drafters in (("copy",), ("random",), ("oracle",), ("copy", "oracle", "random")):
        extra = RandomDrafter(vocabulary), OracleDrafter(vocabulary, answers)
        speculative = engine(
            target, *extra, costs=data.draw(st.sampled_from([None, Slope()])), nodes=nodes, prefill_chunk=16
        )
        batch = [request(prompt, sampling, drafters) for prompt, sampling in jobs]
        check_same(target, jobs, plain, generate(speculative, batch))


def test_an_oracle_is_believed_so_that_the_test_above_accepts_long_paths() -> None:
    target = tiny_target()
    prompt = text(WORDS)
    plain = generate(engine(target), [request(prompt)])[0]
    oracle = OracleDrafter(target.config.vocab_size, {tuple(prompt): plain})
    job = request(prompt, drafters=("oracle",))
    generate(engine(target, oracle), [job])
    assert job.sequence.stats.tokens / job.sequence.stats.steps > 3


def test_requests_join_and_leave_between_steps() -> None:
    target = tiny_target()
    lengths = (5, 30, 9, 17, 2, 22)
    plain = [
        generate(engine(target), [request(text(WORDS * n), SamplingParams(max_tokens=m))])[0]
        for n, m in enumerate(lengths, 1)
    ]
    late = engine(target, rows=3)
    jobs = [request(text(WORDS * n), SamplingParams(max_tokens=m), ("copy",)) for n, m in enumerate(lengths, 1)]
    for job in jobs:
        late.add(job)
        late.step()
    drain(late)
    assert [job.sequence.token_ids for job in jobs] == plain


def test_a_cached_prefix_is_not_computed_again_and_changes_nothing() -> None:
    target = tiny_target()
    one = engine(target)
    prompt = text(WORDS * 4)
    first, second = request(prompt), request(prompt + text("Wat nu?"))
    plain = generate(engine(target), [request(prompt + text("Wat nu?"))])[0]
    generate(one, [first])
    assert first.sequence.stats.cached_tokens == 0
    assert generate(one, [second])[0] == plain
    assert second.sequence.stats.cached_tokens == len(prompt) // 64 * 64 > 0


def test_a_cached_prefix_serves_its_own_scope_only() -> None:
    one, prompt = engine(tiny_target()), text(WORDS * 4)
    jobs = [request(prompt) for _ in range(4)]
    for job, scope in zip(jobs, ["surgery", "pharmacy", "", "surgery"], strict=True):
        job.scope = scope
        generate(one, [job])
    cached = [job.sequence.stats.cached_tokens for job in jobs]
    assert cached[:3] == [0, 0, 0]
    assert cached[3] > 0


def test_the_prefix_cache_keeps_to_its_limit() -> None:
    one = engine(tiny_target(), prefix_bytes=400_000)
    for n in range(6):
        generate(one, [request(text(f"{n} " + WORDS * 3))])
    assert 0 < one.prefixes.bytes <= 400_000


def test_a_prompt_longer_than_the_context_is_refused_with_the_numbers() -> None:
    with pytest.raises(BadRequest, match="300 tokens; the context is 256"):
        engine(tiny_target()).add(request([5] * 300))


def test_an_answer_ends_where_the_context_does() -> None:
    job = request([5, 6, 7] * 80, SamplingParams(max_tokens=500, temperature=1.0, seed=4), ("copy",))
    one = engine(tiny_target())
    one.stop_tokens = frozenset()
    generate(one, [job])
    assert len(job.sequence.token_ids) == 16
    assert job.sequence.finish_reason is FinishReason.LENGTH


def test_a_full_queue_is_refused_and_says_when_to_come_back() -> None:
    one = engine(tiny_target(), rows=1, queue=2)
    for _ in range(3):
        one.add(request([5, 6]))
    with pytest.raises(QueueFull) as refused:
        one.add(request([5, 6]))
    assert refused.value.retry_after >= 1
    drain(one)
    one.add(request([5, 6]))


def test_a_cancelled_request_frees_its_slot_at_once() -> None:
    one = engine(tiny_target(), rows=1)
    first, second = request([5, 6], SamplingParams(max_tokens=100)), request([7, 8], SamplingParams(max_tokens=3))
    one.add(first)
    one.add(second)
    one.step()
    one.cancel(first.sequence.id)
    assert (first.sequence.status, first.sequence.finish_reason) == (SequenceStatus.FINISHED, FinishReason.CANCELLED)
    outputs = one.step()
    assert {output.sequence.id for output in outputs} == {second.sequence.id}
    drain(one)
    assert len(second.sequence.token_ids) <= 3


def test_a_waiting_request_can_be_cancelled() -> None:
    one = engine(tiny_target(), rows=1)
    first, second = request([5, 6]), request([7, 8])
    one.add(first)
    one.add(second)
    one.cancel(second.sequence.id)
    assert {output.sequence.id for output in drain(one)} == {first.sequence.id}


def test_a_long_prompt_does_not_stop_those_who_decode() -> None:
    one = engine(tiny_target(), prefill_chunk=16)
    one.stop_tokens = frozenset()
    short = request([5, 6], SamplingParams(max_tokens=50))
    one.add(short)
    one.step()
    one.add(request([7] * 200))
    before = len(short.sequence.token_ids)
    one.step()
    assert len(short.sequence.token_ids) > before


def test_a_step_that_raises_fails_its_requests_and_not_the_engine() -> None:
    target = tiny_target()
    one = engine(target)
    job, forward = request([5, 6]), target.forward
    one.add(job)
    try:
        target.forward = None
        with pytest.raises(TypeError) as error:
            one.step()
    finally:
        target.forward = forward
    (output,) = one.fail(error.value)
    assert output.error is error.value
    assert job.sequence.finish_reason is FinishReason.ERROR
    assert generate(one, [request([5, 6])])[0] == generate(engine(target), [request([5, 6])])[0]


def test_tokens_are_accounted_to_those_who_proposed_them() -> None:
    job = request(text(WORDS * 3), SamplingParams(max_tokens=40), ("copy",))
    one = engine(tiny_target())
    generate(one, [job])
    stats = job.sequence.stats
    assert stats.tokens == len(job.sequence.token_ids)
    assert sum(stats.accepted_by_source.values()) == stats.tokens
    assert stats.steps - 1 <= stats.accepted_by_source["target"] <= stats.steps  # the last step may have been cut
    assert sum(stats.accepted_lengths.get("copy", {}).values()) <= stats.steps


def test_two_drafters_that_copy_are_told_apart_in_what_is_counted() -> None:
    tokens = text(WORDS * 3)
    plain = generate(engine(tiny_target()), [request(tokens)])[0]
    counted = []
    for drafters in (("copy",), ("prompt-lookup",), ("copy", "prompt-lookup")):
        job = request(tokens, drafters=drafters)
        assert generate(engine(tiny_target(), PromptLookupDrafter()), [job])[0] == plain
        counted.append(set(job.sequence.stats.accepted_by_source))
    assert counted[:2] == [{"copy", "target"}, {"prompt-lookup", "target"}]
    assert "copy+prompt-lookup" in counted[2]


def test_what_was_copied_is_known_by_its_position_whoever_copied_it() -> None:
    origins = (
        (),
        (NodeOrigin("copy", 3), NodeOrigin("eagle")),
        (NodeOrigin("another", 1),),
        (NodeOrigin("eagle"),),
        (NodeOrigin("x", 6),),
    )
    draft, one = DraftTree((9, 1, 2, 3, 4), (-1, 0, 1, 2, 3), (1.0,) * 5, origins), engine(tiny_target())
    job = request([5, 6, 7, 8, 9])
    job.sequence.copied_from = [-1, 2]  # the second generated token was a copy itself
    assert [one.copied_positions(job, draft, node) for node in (1, 2, 3, 4, None)] == [[3], [1], [], [2], []]


def test_log_probabilities_are_those_of_plain_decoding() -> None:
    target = tiny_target()
    prompt, sampling = text(WORDS * 2), SamplingParams(max_tokens=12, logprobs=2)
    values = []
    for drafters in ((), ("copy",)):
        one = engine(target)
        one.add(request(prompt, sampling, drafters))
        outputs = drain(one)
        values.append([value for output in outputs for value in output.logprobs])
        assert all(len(output.tokens) == len(output.logprobs) == len(output.alternatives) for output in outputs)
    assert values[0] == pytest.approx(values[1], abs=1e-4)


class Witness(RandomDrafter):
    """Remembers the features it was shown, by position."""

    name = "witness"

    def __init__(self, vocabulary: int, wants: FeatureKind, name: str = "witness") -> None:
        super().__init__(vocabulary)
        self.wants_features, self.name = wants, name
        self.seen: dict[str, list[torch.Tensor]] = {}

    def start(self, sequence: Sequence) -> None:
        self.seen[sequence.id] = []

    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        for state in states:
            assert state.features is not None
            self.seen[state.sequence.id].append(state.features)
            assert sum(map(len, self.seen[state.sequence.id])) == len(state.context) - 1
        return super().propose(states, nodes)


@pytest.mark.parametrize("wants", ["hidden", "streams"])
def test_drafters_see_the_features_of_every_verified_token_also_of_cached_ones(wants: FeatureKind) -> None:
    target = tiny_target()
    witness = Witness(target.config.vocab_size, wants)
    one = engine(target, witness, prefill_chunk=32)
    prompt = text(WORDS * 4)
    jobs = [
        request(prompt + text(tail), SamplingParams(max_tokens=10), ("witness", "copy"))
        for tail in ("Wat nu?", "En dan?", "Hoe?")
    ]
    generate(one, jobs[:1])
    generate(one, jobs[1:])
    assert jobs[1].sequence.stats.cached_tokens > 0
    for job in jobs:
        tokens = [*job.sequence.prompt.token_ids, *job.sequence.token_ids]
        step = StepInput(
            torch.tensor([tokens]),
            torch.arange(len(tokens))[None],
            (0,),
            (0,),
            (len(tokens),),
            None,
            logits_from=-1,
            features=True,
        )
        output = target.forward(step, target.new_cache(1, 256))
        expected = output.hidden if wants == "hidden" else output.streams
        seen = torch.cat(witness.seen[job.sequence.id])
        assert torch.allclose(seen, expected[0, : len(seen)], atol=1e-4)
