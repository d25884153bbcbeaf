"""Every method, alone and together, by every policy, changes no token: alone and in a batch, at any
temperature."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.generator.bench.engines.ours import way_of
from services.generator.datastore import dense
from services.generator.datastore.build import build
from services.generator.datastore.store import Datastore
from services.generator.drafters import Drafter, DrafterContext, StepState
from services.generator.drafters.eagle import EagleDrafter
from services.generator.drafters.registry import DRAFTERS, available, open_drafters
from services.generator.drafters.small_model import SmallModelDrafter, SmallModelOptions
from services.generator.engine.engine import Engine, EngineOptions, Request
from services.generator.errors import BadRequest
from services.generator.native import kernels
from services.generator.planner.planner import CostModel
from services.generator.planner.policies import POLICIES, Agreed, InOrder, LongMatch, policy_of
from services.generator.speculation.eagle_tree import TreeShape
from services.generator.speculation.tree import root_only
from services.generator.types import DraftTree, NodeOrigin, SamplingParams
from tests.services.generator.engine.test_eagle_engine import random_head
from tests.services.generator.engine.test_engine import Slope
from tests.services.generator.engines import check_same, generate, request, tiny_codec, tiny_target
from tests.services.generator.tiny import tiny_checkpoint

pytestmark = pytest.mark.skipif(kernels() is None, reason="no C compiler on this machine: blend and rest cannot draft")

prompts = st.lists(st.integers(3, 399), min_size=1, max_size=40).flatmap(
    lambda part: st.integers(1, 3).map(lambda times: part * times)
)
samplings = st.builds(
    SamplingParams,
    temperature=st.sampled_from([0.0, 0.7, 1.0]),
    top_p=st.sampled_from([1.0, 0.9]),
    max_tokens=st.integers(1, 24),
    seed=st.integers(0, 2**40),
)
sizes = st.sampled_from([1, 8])


@cache
def datastore() -> Datastore:
    """Of what the small target itself says, so that some of it is accepted."""
    target = tiny_target()
    said = [generate(make(()), [request(list(range(first, first + 9)))])[0] for first in range(3, 60, 3)]
    assert target.config.vocab_size > 399
    return build(said, "tiny")


@cache
def everything() -> DrafterContext:
    """All that a drafter may need but a head."""
    target = tiny_target()
    said = dense.build(target, [(list(range(first, first + 9)), 1) for first in range(3, 60, 3)])
    return DrafterContext(target, None, tiny_target(seed=1), datastore=datastore(), dense=said)


def make(names: tuple[str, ...], policy: str = "merge", costs: CostModel | None = None, nodes: int = 40) -> Engine:
    context = everything() if {"rest", "reader", "small-model", "rag", "dresd"} & set(names) else DrafterContext()
    drafters: dict[str, Drafter] = open_drafters([name for name in names if name != "eagle"], context)
    if "eagle" in names:
        drafters["eagle"] = EagleDrafter(random_head(3, "llama", 0), TreeShape(4, 16, 3), capacity=8)
    options = EngineOptions(context=256, rows=8, nodes=nodes, prefix_bytes=1 << 24, prefill_chunk=16)
    return Engine(tiny_target(), drafters, options, costs, policy=policy_of(policy))


METHODS: list[tuple[str, ...]] = [(name,) for name in DRAFTERS if name not in ("eagle", "reader")]
METHODS += [
    ("suffix", "automaton"),
    ("suffix", "small-model"),
    ("eagle",),
    ("eagle", "reader"),
    ("copy", "eagle"),
    ("blend", "eagle"),
    ("blend", "eagle", "reader", "rest"),
]


@pytest.mark.parametrize("names", METHODS, ids="+".join)
@given(data=st.data())
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_no_method_changes_a_token(names: tuple[str, ...], data: st.DataObject) -> None:
    assert set(names) <= {*available(everything()), "eagle"}, "a method that cannot be opened here"
    size = data.draw(sizes)
    jobs = data.draw(st.lists(st.tuples(prompts, samplings), min_size=size, max_size=size))
    plain = [generate(make(()), [request(prompt, sampling)])[0] for prompt, sampling in jobs]
    costs, nodes = data.draw(st.sampled_from([None, Slope()])), data.draw(st.integers(2, 40))
    batch = [request(prompt, sampling, names) for prompt, sampling in jobs]
    check_same(tiny_target(), jobs, plain, generate(make(names, costs=costs, nodes=nodes), batch))
    assert all(job.sequence.stats.lossless for job in batch)


@pytest.mark.parametrize("policy", POLICIES)
@given(data=st.data())
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_no_policy_changes_a_token(policy: str, data: st.DataObject) -> None:
    size = data.draw(sizes)
    names = data.draw(st.sampled_from([("automaton", "prompt-lookup", "eagle", "reader"), ("suffix", "small-model")]))
    jobs = data.draw(st.lists(st.tuples(prompts, samplings), min_size=size, max_size=size))
    plain = [generate(make(()), [request(prompt, sampling)])[0] for prompt, sampling in jobs]
    check_same(
        tiny_target(),
        jobs,
        plain,
        generate(make(names, policy), [request(prompt, sampling, names) for prompt, sampling in jobs]),
    )


def beside(job: Request, *texts: list[int]) -> Request:
    job.sequence.prompt = replace(job.sequence.prompt, beside=tuple(tuple(text) for text in texts))
    return job


@pytest.mark.parametrize("name", ["blend", "suffix", "automaton"])
def test_texts_beside_the_prompt_change_no_token_and_save_steps(name: str) -> None:
    """What the target will say stands in a text that it is not shown."""
    prompt, names = list(range(5, 25)), (name,)
    alone = request(prompt, drafters=names)
    plain = generate(make(()), [request(prompt)])[0]
    assert generate(make(names), [alone])[0] == plain
    helped = beside(request(prompt, drafters=names), [9, 8, 7], [*prompt[-2:], *plain])
    assert generate(make(names), [helped])[0] == plain
    assert helped.sequence.stats.steps < alone.sequence.stats.steps
    assert set(helped.sequence.stats.accepted_by_source) - {"target"} == {f"{name}:beside"}
    assert helped.sequence.copied_from == [-1] * len(plain)  # of no passage, so of no place that could be cited


def test_a_datastore_of_what_the_target_says_saves_steps() -> None:
    prompt = list(range(3, 12))
    steps = {}
    for names in (("rest",), ("prompt-lookup",)):
        job = request(prompt, drafters=names)
        generate(make(names), [job])
        steps[names] = job.sequence.stats.steps
    assert steps[("rest",)] < steps[("prompt-lookup",)]


def chain(length: int, match: int) -> DraftTree:
    return DraftTree(tuple(range(length)), tuple(range(-1, length - 1)), (0.5,) * length, ((),) * length, match)


def test_a_long_match_is_the_whole_draft_and_a_short_one_none() -> None:
    short, long = chain(3, 3), chain(4, 4)
    assert LongMatch(4).choose([short, long]) == ([long], False)
    assert LongMatch(5).choose([short, long]) == ([], True)
    assert InOrder().choose([root_only(1), short, long]) == ([short], False)
    assert InOrder().choose([root_only(1)]) == ([], True)
    with pytest.raises(BadRequest, match="no policy 'best'"):
        policy_of("best")


def test_where_a_model_drafts_too_what_was_looked_up_is_kept_as_far_as_both_begin_alike() -> None:
    origin = (NodeOrigin("suffix"),)
    looked_up = DraftTree((1, 2, 3, 4, 5), (-1, 0, 0, 1, 2), (1.0, 0.9, 0.8, 0.7, 0.6), ((), *(origin,) * 4))
    written = DraftTree((1, 3, 9), (-1, 0, 1), (1.0, 0.5, 0.4), ((),) * 3)
    assert Agreed().beside(looked_up, [written]).token_ids == (1, 3, 5)
    assert Agreed().beside(looked_up, [written]).parents == (-1, 0, 1)
    assert Agreed().beside(looked_up, [written]).origins == ((), origin, origin)
    assert Agreed().beside(looked_up, []) is looked_up
    assert InOrder().beside(looked_up, [written]) is looked_up


def test_a_small_model_proposes_its_first_choices_beside_its_chain() -> None:
    model, job = tiny_target(seed=1), request(range(5, 12))
    drafter = SmallModelDrafter(model, SmallModelOptions(tokens=3, firsts=4))
    drafter.start(job.sequence)
    (tree,) = drafter.propose([StepState(job.sequence, np.arange(5, 12, dtype=np.int32))], 40)
    assert len(tree) == 1 + 3 + 3  # the chain, and what else may come next
    assert sum(parent == 0 for parent in tree.parents) == 4
    first = max((node for node in range(1, len(tree)) if tree.parents[node] == 0), key=tree.scores.__getitem__)
    assert first in tree.parents  # the likeliest is the one that the chain goes on from


def test_by_the_override_a_head_is_asked_after_short_matches_only() -> None:
    """The prompt ends in five tokens that stand in it before, then nothing is known."""
    names, part = ("automaton", "eagle"), [11, 12, 13, 14, 15]
    job = request([*part, 30, 31, *part], SamplingParams(max_tokens=2), names)
    engine = make(names, "override")
    engine.add(job)
    engine.step()
    assert set(job.sequence.stats.accepted_lengths) == {"automaton"}
    other = request([40, 41, 42], SamplingParams(max_tokens=2), names)
    engine.add(other)
    engine.step()
    assert set(other.sequence.stats.accepted_lengths) == {"eagle"}


def test_a_way_of_the_bench_names_drafters_and_how_they_are_chosen_among() -> None:
    assert (way_of("plan:blend+eagle").planned, way_of("blend+eagle").planned) == (True, False)
    assert way_of("sam:automaton+eagle").policy == "sam"
    with pytest.raises(BadRequest, match="no policy 'best'"):
        way_of("best:copy")
    with pytest.raises(BadRequest, match="no drafter 'magic'"):
        way_of("plan:magic")


def test_match_lengths_are_what_agrees() -> None:
    text = [5, 6, 7, 8, 9, 5, 6, 7]
    for name, length in (("automaton", 3), ("prompt-lookup", 3), ("copy", 3)):
        drafter = open_drafters([name], DrafterContext())[name]
        job = request(text)
        drafter.start(job.sequence)
        assert drafter.propose([StepState(job.sequence, np.array(text, np.int32))], 9)[0].match == length, name


def test_texts_beside_a_request_are_read_where_something_drafts_from_them() -> None:
    from services.contract import wire
    from services.generator.server.openai_chat import Defaults, build_request

    asked = {
        "model": "m",
        "messages": [{"role": "user", "content": "Why?"}],
        "bedside": {"beside": ["Wash your hands.", "De dosis."]},
    }
    ask, drafters = wire.ChatRequest.model_validate(asked), make(("blend", "copy")).drafters
    read = build_request(ask, tiny_codec(), drafters, Defaults("thesis", "blend", 9)).sequence.prompt
    assert [tiny_codec().decode(list(text)) for text in read.beside] == ["Wash your hands.", "De dosis."]
    unread = build_request(ask, tiny_codec(), drafters, Defaults("thesis", "copy", 9)).sequence.prompt
    assert (unread.beside, unread.token_ids) == ((), read.token_ids)


def test_the_service_reads_a_datastore(tmp_path: Path) -> None:
    from services.generator.datastore.__main__ import main as datastore_command
    from services.generator.server.config import GeneratorSettings
    from services.generator.server.service import load

    model, folder = str(tiny_checkpoint(tmp_path, "llama", seed=2)), tmp_path / "store"
    (tmp_path / "a.txt").write_text("Wash your hands.")
    assert datastore_command(["build", str(folder), str(tmp_path / "a.txt"), "--model", model]) == 0
    loaded = load(GeneratorSettings(model=model, drafter="rest+copy", datastore=folder, dtype="fp32", threads=1))
    assert {"rest", "copy", "reader"} <= set(loaded.engine.drafters)
