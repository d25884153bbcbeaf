"""A model that writes ahead: the target's own text whatever it proposes, read once, for as many
requests as there are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.contract import wire
from services.generator.drafters import Drafter, DrafterContext, StepState
from services.generator.drafters.copies.copy import CopyDrafter
from services.generator.drafters.registry import available, open_drafter
from services.generator.drafters.small_model import RagDrafter, SmallModelDrafter, SmallModelOptions
from services.generator.engine.engine import Request
from services.generator.errors import BadRequest, ContextTooLong
from services.generator.models.ahead import WriteAhead
from services.generator.server import openai_chat as chat
from services.generator.types import Prompt, SamplingParams
from tests.services.generator.engine.test_engine import WORDS, prompts, reference, samplings, text
from tests.services.generator.engines import check_same, engine, generate, request, tiny_codec, tiny_target


def ints(tokens: list[int]) -> np.ndarray:
    return np.array(tokens, np.int32)


def test_it_writes_what_greedy_decoding_would() -> None:
    model, prompt = tiny_target(seed=1), text(WORDS)
    writer = WriteAhead(model)
    writer.start("a")
    (ahead,) = writer.write([("a", ints(prompt))], 6)
    assert list(ahead.token_ids) == reference(model, prompt, 6)
    assert all(0 < chance <= 1 for chance in ahead.probabilities)


def test_what_was_rejected_is_read_again_and_rows_do_not_mix() -> None:
    """Four contexts grow at different rates, each by what it wrote itself or by something else;
    more rows than there were at first."""
    model = tiny_target(seed=1)
    writer, contexts = WriteAhead(model, rows=1), {f"{n}": text(WORDS)[n : 20 + 3 * n] for n in range(4)}
    for name in contexts:
        writer.start(name)
    random = np.random.default_rng(0)
    for _ in range(5):
        asked = [name for name in contexts if random.random() < 0.7]
        written = writer.write([(name, ints(contexts[name])) for name in asked], 4)
        for name, ahead in zip(asked, written, strict=True):
            expected = reference(model, contexts[name], 4)
            assert list(ahead.token_ids)[: len(expected)] == expected
            taken = list(ahead.token_ids[: random.integers(0, 5)])
            contexts[name] += [*taken, int(random.integers(3, 399))]


def test_a_context_that_is_too_long_is_not_continued() -> None:
    writer = WriteAhead(tiny_target(), context=16)
    for name in ("short", "long"):
        writer.start(name)
    short, long = writer.write([("short", ints(text(WORDS)[:10])), ("long", ints(text(WORDS)[:14]))], 4)
    assert (len(short.token_ids), len(long.token_ids)) == (4, 0)


@given(st.lists(st.tuples(prompts, samplings), min_size=1, max_size=8), st.integers(0, 1), st.integers(1, 9))
@settings(max_examples=8, deadline=None)
def test_the_text_is_the_targets_own(jobs: list[tuple[list[int], SamplingParams]], seed: int, tokens: int) -> None:
    """With another model, and with the target itself, behind its prompt or behind a part of it."""
    target, small = tiny_target(), tiny_target(seed=seed)
    plain = [generate(engine(target), [request(prompt, sampling)])[0] for prompt, sampling in jobs]
    options = SmallModelOptions(tokens)
    for drafter in (SmallModelDrafter(small, options), RagDrafter(small, options)):
        batch = [
            _retrieved(request(prompt, sampling, (drafter.name,)), prompt[len(prompt) // 2 :])
            for prompt, sampling in jobs
        ]
        check_same(target, jobs, plain, generate(engine(target, drafter, prefill_chunk=16), batch))


def _retrieved(job: Request, tokens: list[int]) -> Request:
    job.sequence.prompt = replace(job.sequence.prompt, retrieved=tuple(tokens))
    return job


def test_the_target_itself_is_always_right_and_its_chain_is_taken_whole() -> None:
    target, prompt = tiny_target(), text(WORDS)
    job = _retrieved(request(prompt, SamplingParams(max_tokens=22), ("rag",)), prompt)
    generate(engine(target, RagDrafter(target, SmallModelOptions(10))), [job])
    assert job.sequence.stats.steps == 2
    assert job.sequence.stats.accepted_by_source["rag"] == 20


def test_a_prompt_without_retrieved_parts_gets_no_such_draft() -> None:
    target, prompt = tiny_target(), text(WORDS)
    drafter = RagDrafter(target)
    jobs = [request(prompt), _retrieved(request(prompt), prompt[4:])]
    for job in jobs:
        drafter.start(job.sequence)
    trees = drafter.propose([StepState(job.sequence, ints(prompt)) for job in jobs], 16)
    assert [len(tree) for tree in trees] == [1, 11]


def test_what_each_lacks_is_said() -> None:
    target = tiny_target()
    assert "rag" in available(DrafterContext(target))
    assert "small-model" not in available(DrafterContext(target))
    assert isinstance(open_drafter("small-model", DrafterContext(target, small=tiny_target(seed=1))), SmallModelDrafter)
    with pytest.raises(BadRequest, match="needs a small model with the target's tokenizer"):
        open_drafter("small-model", DrafterContext(target))


def test_a_prompt_over_the_context_is_refused_by_a_code_of_its_own() -> None:
    with pytest.raises(ContextTooLong, match="the context is 256"):
        engine(tiny_target()).add(request(range(3, 303)))
    assert ContextTooLong.code == wire.TOO_LONG


def test_who_names_no_drafter_gets_the_one_of_long_documents_where_their_parts_are_named() -> None:
    drafters: dict[str, Drafter] = {"copy": CopyDrafter(), "rag": RagDrafter(tiny_target())}
    said = {
        "model": "tiny",
        "messages": [{"role": "user", "content": "Hoeveel?"}],
        "documents": [{"id": "a", "text": "Was uw handen."}],
    }
    part = {"document": "a", "start": 0, "end": 3}

    def names(usual: str, **bedside: object) -> tuple[str, ...]:
        ask = wire.ChatRequest.model_validate(said | {"bedside": bedside})
        return chat.build_request(ask, tiny_codec(), drafters, chat.Defaults("demo", usual, 8)).drafters

    assert names("copy", retrieved=[part]) == ("copy", "rag")
    assert names("copy") == ("copy",)
    assert names("copy", retrieved=[part], drafter="copy") == ("copy",)
    assert names("none", retrieved=[part]) == ()


def test_the_parts_that_retrieval_found_are_a_prompt_of_their_own() -> None:
    """The same question around the parts alone; what is said of a place that is in no document."""
    long = "De dosis is 5 mg per kg. " * 20 + "Was uw handen."
    asked = {
        "model": "tiny",
        "messages": [{"role": "user", "content": "Hoeveel?"}],
        "documents": [{"id": "a", "text": long}],
    }
    place = {"document": "a", "start": 0, "end": 24}

    def prompt(**bedside: object) -> Prompt:
        ask = wire.ChatRequest.model_validate(asked | {"bedside": bedside})
        return chat.build_request(ask, tiny_codec(), {}, chat.Defaults("demo", "none", 8)).sequence.prompt

    assert prompt().retrieved == ()
    whole = prompt(retrieved=[place])
    assert len(whole.retrieved) < len(whole.token_ids) / 2
    assert whole.retrieved[-5:] == whole.token_ids[-5:]
    assert "De dosis is 5 mg per kg." in tiny_codec().full.decode(whole.retrieved)
    assert "Was uw handen." not in tiny_codec().full.decode(whole.retrieved)
    for wrong in ({"document": "b"}, {"start": 30}, {"end": 10_000}):
        with pytest.raises(BadRequest, match="in no document"):
            prompt(retrieved=[place | wrong])
