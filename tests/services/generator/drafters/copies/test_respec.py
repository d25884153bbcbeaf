"""ReSpec: copies where the target is sure, places learnt from, and a relaxed rule that says that it
is not lossless."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from services.contract import wire
from services.generator.drafters import StepState
from services.generator.drafters.copies.copy import CopyDrafter
from services.generator.drafters.copies.respec import RespecDrafter, RespecOptions
from services.generator.engine.engine import Request
from services.generator.errors import BadRequest
from services.generator.server import openai_chat as chat
from services.generator.speculation.acceptance import EXACT
from services.generator.speculation.relaxed import Relaxed
from services.generator.speculation.tree import root_only
from services.generator.types import Accepted, DraftTree, NodeOrigin, SamplingParams
from tests.services.generator.engine.test_engine import WORDS, prompts, samplings, text
from tests.services.generator.engines import check_same, engine, generate, request, tiny_codec, tiny_target
from tests.services.generator.server.test_app import DOCUMENTS

CONTEXT = (7, 1, 2, 3, 11, 12, 9, 1, 2, 3, 21, 22, 8, 1, 2, 3)


def begun(options: RespecOptions | None = None) -> tuple[RespecDrafter, Request]:
    drafter, job = RespecDrafter(options), request(CONTEXT)
    drafter.start(job.sequence)
    return drafter, job


def draft(drafter: RespecDrafter, job: Request, context: tuple[int, ...] = CONTEXT, nodes: int = 64) -> DraftTree:
    (tree,) = drafter.propose([StepState(job.sequence, np.array(context, np.int32))], nodes)
    return tree


def hears(drafter: RespecDrafter, job: Request, *emitted: int, entropies: tuple[float, ...] = ()) -> None:
    path = tuple(range(len(emitted)))
    drafter.feedback(
        StepState(job.sequence, np.array(CONTEXT, np.int32)), root_only(3), Accepted(path, emitted, entropies=entropies)
    )


def branches(tree: DraftTree) -> list[int]:
    return [tree.token_ids[node] for node, parent in enumerate(tree.parents) if parent == 0]


def test_every_place_of_the_key_is_tried_and_the_one_that_was_right_comes_first() -> None:
    drafter, job = begun()
    assert sorted(branches(draft(drafter, job))) == [11, 21]
    hears(drafter, job, 11, 12, 9, 40)  # what followed the first place was written
    assert branches(draft(drafter, job))[0] == 11


@pytest.mark.parametrize(("credit", "kept"), [("winner", {11}), ("prefix", {11, 21})])
def test_a_place_that_keeps_failing_is_asked_no_more(credit: str, kept: set[int]) -> None:
    """`prefix`: a place whose draft begins right is not blamed for another one that went
    further."""
    drafter, job = begun(RespecOptions(credit=credit, least_score=0.3, copied=1))  # type: ignore[arg-type]
    for _ in range(6):
        draft(drafter, job)
        known = drafter.known[job.sequence.id]
        known.drafted = {3: [11], 9: [11]} if credit == "prefix" else known.drafted  # two places that propose the same
        hears(drafter, job, 11, 40)
    assert set(branches(draft(drafter, job))) == kept


def test_there_is_no_draft_where_the_target_is_unsure() -> None:
    drafter, job = begun()
    hears(drafter, job, 1, 2, 3, entropies=(2.0, 2.5, 3.0))
    assert len(draft(drafter, job)) == 1
    hears(drafter, job, 1, 2, 3, entropies=(0.1, 0.1, 0.1))
    assert len(draft(drafter, job)) > 1


def test_the_key_is_as_long_as_the_target_was_sure() -> None:
    """Sure of the last token only: a key of one; the penalty for short keys decides where all are
    alike."""
    drafter, job = begun()
    for entropies, length in (((3.0, 3.0, 0.0), 1), ((0.2, 0.2, 0.2), 3)):
        hears(drafter, job, 1, 2, 3, entropies=entropies)
        assert drafter.key_length(drafter.known[job.sequence.id]) == length


def test_entropies_are_the_targets_own() -> None:
    target, heard = tiny_target(), []

    class Listening(RespecDrafter):
        def feedback(self, state: StepState, tree: DraftTree, accepted: Accepted) -> None:
            heard.append(accepted)
            super().feedback(state, tree, accepted)

    prompt = text(WORDS * 2)
    job = request(prompt, SamplingParams(max_tokens=6), ("respec",))
    written = generate(engine(target, Listening()), [job])[0]
    from services.generator.models import StepInput

    tokens = [*prompt, *written]
    step = StepInput(torch.tensor([tokens]), torch.arange(len(tokens))[None], (0,), (0,), (len(tokens),), None)
    log_p = target.forward(step, target.new_cache(1, 256)).logits[0].log_softmax(-1)
    expected = (-log_p.exp() * log_p).sum(-1)[len(prompt) - 1 :].tolist()
    told = [value for accepted in heard for value in accepted.entropies][: len(written)]
    assert told == pytest.approx(expected[: len(told)], abs=1e-4)
    assert all(len(accepted.entropies) == len(accepted.token_ids) for accepted in heard)


@given(st.lists(st.tuples(prompts, samplings), min_size=1, max_size=8), st.sampled_from(["winner", "prefix"]))
@settings(max_examples=8, deadline=None)
def test_the_text_is_the_targets_own(jobs: list[tuple[list[int], SamplingParams]], credit: str) -> None:
    target = tiny_target()
    plain = [generate(engine(target), [request(prompt, sampling)])[0] for prompt, sampling in jobs]
    drafter = RespecDrafter(RespecOptions(entropy=math.inf, credit=credit))  # type: ignore[arg-type]
    batch = [request(prompt, sampling, ("respec",)) for prompt, sampling in jobs]
    check_same(target, jobs, plain, generate(engine(target, drafter, prefill_chunk=16), batch))


# --- the relaxed rule

CHAIN = DraftTree(
    token_ids=(0, 1, 2, 3, 4, 5, 6),
    parents=(-1, 0, 1, 2, 3, 4, 5),
    scores=(1.0,) * 7,
    origins=((), *((NodeOrigin("copy", place),) for place in range(6))),
)


def logits(chosen: list[int], second: dict[int, float]) -> torch.Tensor:
    """The target's own token of each node stands at 10; at node n the drafted one at 10 -
    second[n]."""
    values = torch.zeros(len(chosen), 20)
    for node, token in enumerate(chosen):
        values[node, token] = 10.0
        if node in second:
            values[node, CHAIN.token_ids[node + 1]] = 10.0 - second[node]
    return values


RULE = Relaxed(frozenset({"copy"}))


@pytest.mark.parametrize(
    ("chosen", "second", "accepted"),
    [
        ([1, 2, 3, 4, 5, 6, 7], {}, 7),  # all its own
        ([1, 15, 3, 4, 5, 6, 7], {1: 1.0}, 7),  # one word of another, four of its own behind it
        ([1, 15, 3, 4, 5, 6, 7], {1: 4.0}, 2),  # too unlikely
        ([1, 15, 3, 4, 15, 6, 7], {1: 1.0}, 2),  # only two of its own behind it
        ([1, 2, 3, 15, 5, 6, 7], {3: 1.0}, 4),  # the draft ends before three are seen
        ([15, 2, 3, 4, 15, 6, 7], {0: 1.0, 4: 1.0}, 5),  # twice, and nothing behind the second
    ],
)
def test_a_retrieved_token_passes_when_it_is_nearly_as_likely_and_the_target_goes_along(
    chosen: list[int], second: dict[int, float], accepted: int
) -> None:
    taken = RULE.accept(CHAIN, chosen, logits(chosen, second))
    assert len(taken.path) == accepted
    assert taken.token_ids == (*CHAIN.token_ids[1:accepted], chosen[accepted - 1])


def test_what_a_model_drafted_is_verified_exactly() -> None:
    chosen = [1, 15, 3, 4, 5, 6, 7]
    strict = Relaxed(frozenset({"another"})).accept(CHAIN, chosen, logits(chosen, {1: 1.0}))
    assert strict == EXACT.accept(CHAIN, chosen, logits(chosen, {1: 1.0}))


def asked(**bedside: object) -> wire.ChatRequest:
    message = {"role": "user", "content": "Hoeveel?"}
    return wire.ChatRequest.model_validate(
        {"model": "tiny", "messages": [message], "documents": DOCUMENTS, "bedside": bedside}
    )


def test_it_is_asked_for_by_name_and_told_in_the_response() -> None:
    defaults, drafters = chat.Defaults("demo", "copy", 8), {"copy": CopyDrafter()}
    exact, relaxed = (
        chat.build_request(asked(acceptance=rule), tiny_codec(), drafters, defaults) for rule in ("exact", "relaxed")
    )
    assert exact.acceptance is EXACT
    assert relaxed.acceptance == Relaxed(frozenset({"copy"}))
    generate(engine(tiny_target(), context=512), [exact, relaxed])
    assert chat.stats_out(exact.sequence.stats, None).lossless
    assert not chat.stats_out(relaxed.sequence.stats, None).lossless


def test_verbatim_mode_refuses_it() -> None:
    with pytest.raises(BadRequest, match="verified exactly"):
        chat.build_request(
            asked(acceptance="relaxed", mode="verbatim"), tiny_codec(), {}, chat.Defaults("demo", "none", 8)
        )
