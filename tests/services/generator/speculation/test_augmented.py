"""RAPID's shifted target distribution: what is sampled follows the paper's formulas, and says that
it is not lossless."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from services.contract import wire
from services.generator.drafters import Drafter
from services.generator.drafters.copies.copy import CopyDrafter
from services.generator.drafters.small_model import RagDrafter, SmallModelOptions
from services.generator.errors import BadRequest
from services.generator.server import openai_chat as chat
from services.generator.speculation.augmented import Augmented, DrawnChain, augmented, chances, draw, rest
from services.generator.speculation.tree import TreeBuilder
from services.generator.types import DraftTree, NodeOrigin, SamplingParams
from tests.services.generator.engine.test_engine import WORDS, text
from tests.services.generator.engines import engine, generate, request, tiny_codec, tiny_target

TARGET = torch.tensor([[2.0, 1.0, 0.0, -1.0, 0.5], [0.0, 1.5, 1.0, -2.0, 0.0], [1.0, 0.0, 0.0, 0.0, 2.0]])
DRAFTER = torch.tensor([[0.0, 1.0, 2.0, 0.5, -1.0], [1.0, 1.0, 0.0, 0.0, 1.5]])
ETA = 2.0


def softmax(logits: list[float]) -> list[float]:
    powers = [math.exp(each - max(logits)) for each in logits]
    return [each / sum(powers) for each in powers]


def law_of(z: list[float], q: list[float], temperature: float, eta: float) -> list[float]:
    """The paper's, term by term: eq. 6, 9, 5 and 10."""
    p = softmax([each / temperature for each in z])
    moved = softmax([each / temperature + eta * (b - a) for each, a, b in zip(z, p, q, strict=True)])
    moved = [a if each < 0.1 * max(moved) else each for a, each in zip(p, moved, strict=True)]
    kept = [min(a, b) for a, b in zip(q, moved, strict=True)]
    left = [max(a - b, a - c, 0.0) for a, b, c in zip(p, moved, q, strict=True)]
    return [
        k + (1 - sum(kept)) * (each / sum(left) if sum(left) > 0 else a)
        for k, each, a in zip(kept, left, p, strict=True)
    ]


logits = st.lists(st.floats(-4, 4), min_size=2, max_size=6)


@given(logits.flatmap(lambda z: st.tuples(st.just(z), st.lists(st.floats(-4, 4), min_size=len(z), max_size=len(z)))),
       st.sampled_from([0.5, 1.0]), st.sampled_from([0.0, 1.0, 10.0]))  # fmt: skip
def test_drawing_accepting_and_drawing_from_what_is_left_give_the_papers_distribution(
    rows: tuple[list[float], list[float]], temperature: float, eta: float
) -> None:
    z, other = rows
    q = torch.tensor(softmax(other), dtype=torch.float64)
    p = chances(torch.tensor(z, dtype=torch.float64), SamplingParams(temperature=temperature))
    moved = augmented(p, q, eta)
    accepted = (moved / q).clamp(max=1)
    given_up = float((q * (1 - accepted)).sum())  # summed over every token that could have been drafted
    law = q * accepted + given_up * rest(p, moved, q)
    assert law.tolist() == pytest.approx(law_of(z, q.tolist(), temperature, eta), abs=1e-9)
    assert float(law.sum()) == pytest.approx(1)
    if eta == 0:
        assert law.tolist() == pytest.approx(p.tolist(), abs=1e-9), (
            "without transfer it is speculative sampling, which is lossless"
        )


def chain(drawn: DrawnChain) -> DraftTree:
    builder = TreeBuilder(9)
    builder.add_chain(0, list(drawn.token_ids), [0.5, 0.25], [NodeOrigin("rag")] * 2)
    return builder.build()


def test_what_is_sampled_of_scripted_logits_has_that_distribution_at_each_position() -> None:
    first, second, size = np.zeros(5), np.zeros((5, 5)), 4000
    for seed in range(size):
        sampling = SamplingParams(temperature=1.0, seed=seed)
        tokens, given_chances = draw(DRAFTER, [sampling] * 2, [7, 8])
        drawn = DrawnChain(tuple(tokens.tolist()), given_chances, 7)
        own = TARGET.argmax(-1).tolist()  # what follows where nothing was drawn
        taken = Augmented(partial(DrawnChain, drawn.token_ids, drawn.chances, 7), sampling, ETA).accept(
            chain(drawn), own, TARGET
        )
        first[taken.token_ids[0]] += 1
        if len(taken.token_ids) > 1:
            second[taken.token_ids[0], taken.token_ids[1]] += 1
    law = [law_of(z, softmax(other), 1.0, ETA) for z, other in zip(TARGET[:2].tolist(), DRAFTER.tolist(), strict=True)]
    assert np.abs(first / size - law[0]).sum() / 2 < 0.03
    assert np.abs(second.sum(0) / second.sum() - law[1]).sum() / 2 < 0.03, (
        "behind an accepted token the next is drawn likewise"
    )
    assert np.abs(np.array(law[0]) - softmax(TARGET[0].tolist())).sum() / 2 > 0.08, (
        "it is another distribution than the target's"
    )


def asked(temperature: float, **bedside: object) -> wire.ChatRequest:
    document = {"id": "a", "text": "De dosis is 5 mg per kg. " * 8 + "Was uw handen."}
    part = {"document": "a", "start": 0, "end": 24}
    message = {"role": "user", "content": "Hoeveel?"}
    said = {
        "model": "tiny",
        "messages": [message],
        "documents": [document],
        "temperature": temperature,
        "seed": 3,
        "max_tokens": 16,
    }
    return wire.ChatRequest.model_validate(said | {"bedside": {"drafter": "rag", "retrieved": [part]} | bedside})


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_response_says_that_it_is_not_lossless_and_without_temperature_nothing_changes(temperature: float) -> None:
    target = tiny_target()
    drafter = RagDrafter(tiny_target(seed=1), SmallModelOptions(4))
    runs = engine(target, drafter, context=512)
    build = partial(
        chat.build_request, codec=tiny_codec(), drafters=runs.drafters, defaults=chat.Defaults("demo", "none", 16)
    )
    exact, freely = (build(asked(temperature, acceptance=rule)) for rule in ("exact", "augmented"))
    written = generate(runs, [exact, freely])
    assert [job.sequence.stats.lossless for job in (exact, freely)] == [True, False]
    assert (written[0] == written[1]) == (temperature == 0)
    assert drafter.drawn(freely.sequence) is None, "what was drawn is forgotten"


def test_a_drafter_that_is_the_target_itself_is_always_believed() -> None:
    """p is q, so p' is both, and nothing drawn is rejected."""
    target, prompt = tiny_target(), text(WORDS)
    sampling = SamplingParams(temperature=1.0, max_tokens=22, draw_drafts=True)
    drafter = RagDrafter(target, SmallModelOptions(10))
    job = request(prompt, sampling, ("rag",))
    job.sequence.prompt = replace(job.sequence.prompt, retrieved=tuple(prompt))
    job.acceptance = Augmented(partial(drafter.drawn, job.sequence), sampling)
    generate(engine(target, drafter), [job])
    assert job.sequence.stats.steps == 2
    assert job.sequence.stats.accepted_by_source["rag"] == 20


@pytest.mark.parametrize("bedside", [{"drafter": "copy"}, {"retrieved": []}])
def test_it_wants_the_drafter_that_it_goes_by_and_parts_for_it(bedside: dict[str, object]) -> None:
    drafters: dict[str, Drafter] = {"copy": CopyDrafter(), "rag": RagDrafter(tiny_target())}
    with pytest.raises(BadRequest, match="goes by what the drafter 'rag' says"):
        chat.build_request(
            asked(1.0, acceptance="augmented", **bedside), tiny_codec(), drafters, chat.Defaults("demo", "none", 8)
        )


def test_quotes_are_verified_exactly() -> None:
    with pytest.raises(BadRequest, match="verified exactly"):
        chat.build_request(
            asked(0, acceptance="augmented", mode="verbatim"), tiny_codec(), {}, chat.Defaults("demo", "none", 8)
        )
