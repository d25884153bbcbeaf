"""A model with an adapter has PEFT's logits, and what an activated adapter has not reached is the
base model's for everybody."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from services.contract import wire
from services.generator.engine.engine import Engine, EngineOptions, Request
from services.generator.engine.scoring import Scoring
from services.generator.errors import BadRequest, ModelError, UnknownAdapter
from services.generator.models import StepInput
from services.generator.models.decoder.adapters import Active, Adapter, read_adapters
from services.generator.models.llama import LlamaTarget
from services.generator.models.loading import load_target
from services.generator.server.openai_chat import Defaults, build_request, scoring_of
from services.generator.types import SamplingParams
from tests.services.generator.engines import OracleDrafter, check_same, generate, request, score, tiny_codec
from tests.services.generator.tiny import tiny_checkpoint, tiny_model

# PEFT asks transformers for what is deprecated there, and warns of adapters that are called
# nowhere.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")

ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
CALL = [60, 61, 62]
TOKENS = [*range(70, 110), *CALL, *range(120, 170), *CALL, 200, 201, 202]
KINDS: dict[str, dict[str, Any]] = {
    "plain": {"target_modules": ALL},
    "upper": {
        "target_modules": ["q_proj", "v_proj", "down_proj"],
        "layers_to_transform": [2, 3, 4],
        "use_rslora": True,
    },
    "activated": {"target_modules": ALL, "alora_invocation_tokens": CALL},
}


def adapter_of(folder: Path, family: str, name: str) -> Any:
    """PEFT's model with a random adapter, which is saved into the folder."""
    from peft import LoraConfig, get_peft_model

    model = get_peft_model(
        tiny_model(family, 5), LoraConfig(r=4, lora_alpha=6, task_type="CAUSAL_LM", **KINDS[name])
    ).eval()
    generator = torch.Generator().manual_seed(len(name))
    for key, weight in model.named_parameters():
        if "lora_" in key:
            weight.data = 0.3 * torch.randn(weight.shape, generator=generator)
    model.save_pretrained(folder / name)
    return model


@pytest.fixture(params=["llama", "qwen2"])
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def models(tmp_path: Path, family: str) -> dict[str, Any]:
    return {name: adapter_of(tmp_path / "adapters", family, name) for name in KINDS}


@pytest.fixture
def target(tmp_path: Path, family: str) -> LlamaTarget:
    return load_target(str(tiny_checkpoint(tmp_path, family, seed=5)), dtype="fp32", device="cpu")


@pytest.fixture
def adapters(tmp_path: Path, models: dict[str, Any], target: LlamaTarget) -> dict[str, Adapter]:
    return read_adapters(str(tmp_path / "adapters"), target.architecture, target.device)


def step(tokens: list[list[int]], active: tuple[Active | None, ...], start: int = 0) -> StepInput:
    rows, width = len(tokens), len(tokens[0])
    positions = torch.arange(start, start + width).expand(rows, -1)
    return StepInput(
        torch.tensor(tokens), positions, tuple(range(rows)), (start,) * rows, (width,) * rows, None, adapters=active
    )


def by_peft(model: Any, tokens: list[int]) -> torch.Tensor:
    with torch.no_grad():
        logits: torch.Tensor = model(input_ids=torch.tensor([tokens])).logits[0]
    return logits


def test_rows_of_one_batch_have_the_logits_of_peft_each_with_its_own_adapter(
    target: LlamaTarget, adapters: dict[str, Adapter], models: dict[str, Any]
) -> None:
    assert set(adapters) == set(KINDS)
    active = [Active(adapters[name], adapters[name].start(TOKENS)) for name in KINDS]
    assert [one.start for one in active] == [0, 0, TOKENS.index(120) + 50]
    logits = target.forward(step([TOKENS] * 4, (*active, None)), target.new_cache(4, 128)).logits
    for row, name in enumerate(KINDS):
        torch.testing.assert_close(logits[row], by_peft(models[name], TOKENS), atol=2e-4, rtol=1e-4)
    plain = target.forward(step([TOKENS], ()), target.new_cache(1, 128)).logits[0]
    torch.testing.assert_close(logits[3], plain, atol=1e-4, rtol=1e-4)
    assert (logits[0] - plain).abs().max() > 0.1
    torch.testing.assert_close(logits[2, : active[2].start], plain[: active[2].start], atol=1e-4, rtol=1e-4)
    assert (logits[2, active[2].start :] - plain[active[2].start :]).abs().max() > 0.1


def test_a_prompt_in_two_steps_has_the_logits_of_one(target: LlamaTarget, adapters: dict[str, Adapter]) -> None:
    one = adapters["activated"]
    active = (Active(one, one.start(TOKENS)),)
    whole = target.forward(step([TOKENS], active), target.new_cache(1, 128)).logits[0]
    cache, cut = target.new_cache(1, 128), active[0].start + 2
    target.forward(step([TOKENS[:cut]], active), cache)
    rest = target.forward(step([TOKENS[cut:]], active, cut), cache).logits[0]
    torch.testing.assert_close(rest, whole[cut:], atol=1e-4, rtol=1e-4)


def test_kept_prefixes_are_shared_until_an_adapter_works_and_kept_apart_from_then_on(
    target: LlamaTarget, adapters: dict[str, Adapter]
) -> None:
    """Each score is that of an engine that keeps nothing, whatever was asked before; the first
    block is computed once for all."""
    after = ((5,), (7, 8))
    tokens = tuple(TOKENS + list(range(210, 280)))
    asked = [Scoring(tokens, after)] + [Scoring(tokens, after, Active(a, a.start(tokens))) for a in adapters.values()]
    fresh = [score(Engine(target, {}, EngineOptions(context=512, rows=1, prefix_bytes=0)), [one])[0] for one in asked]
    assert len({round(own[0], 3) for own in fresh}) == len(asked)
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]):
        keeping = Engine(target, {}, EngineOptions(context=512, rows=1, prefix_bytes=1 << 24))
        for _ in range(2):
            for place in order:
                assert score(keeping, [asked[place]])[0] == pytest.approx(fresh[place], abs=1e-3)
        # two blocks each; the activated one shares its first with the base
        assert len(keeping.prefixes.blocks) == 4 * 2 - 1
    together = Engine(target, {}, EngineOptions(context=512, rows=1, prefix_bytes=1 << 24))
    for own, expected in zip(score(together, asked), fresh, strict=True):
        assert own == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("rows", [1, 8])
def test_readings_with_adapters_beside_answers_change_neither(
    target: LlamaTarget, adapters: dict[str, Adapter], rows: int
) -> None:
    tokens, after = tuple(TOKENS), ((5,), (7, 8), (9,))
    asked = [Scoring(tokens, own) for own in (after, after[:1])]
    asked += [Scoring(tokens, own, Active(a, a.start(tokens))) for a in adapters.values() for own in (after, after[:1])]
    options = EngineOptions(context=512, rows=rows, prefix_bytes=0, prefill_chunk=60)
    alone = [score(Engine(target, {}, options), [one])[0] for one in asked]
    jobs = [(tokens[n:], SamplingParams(max_tokens=20)) for n in range(rows)]
    plain = [generate(Engine(target, {}, options), [request(*job)])[0] for job in jobs]
    both, answers = Engine(target, {}, options), [request(*job) for job in jobs]
    for answer in answers:
        both.add(answer)
    both.step()
    assert [pytest.approx(own, abs=1e-4) for own in alone] == score(both, asked)
    check_same(target, jobs, plain, [answer.sequence.token_ids for answer in answers])


def test_an_answer_with_an_adapter_is_that_of_peft(
    target: LlamaTarget, adapters: dict[str, Adapter], models: dict[str, Any]
) -> None:
    sampling = SamplingParams(max_tokens=12)
    for name, adapter in adapters.items():
        job = request(TOKENS, sampling)
        job.active = Active(adapter, adapter.start(TOKENS))
        said = generate(Engine(target, {}, EngineOptions(context=512, rows=1, prefill_chunk=40)), [job])[0]
        assert len(set(said)) > 2
        for place, token in enumerate(said):
            logits = by_peft(models[name], [*TOKENS, *said[:place]])[-1]
            assert logits.max() - logits[token] < 1e-3, (name, place)


@pytest.mark.parametrize("rows", [1, 8])
@pytest.mark.parametrize("temperature", [0.0, 0.7, 1.0])
def test_drafts_and_others_adapters_in_the_batch_change_no_answer(
    target: LlamaTarget, adapters: dict[str, Adapter], temperature: float, rows: int
) -> None:
    """Adapters and the model alone in turn; an oracle drafts among nonsense, on kept prefixes
    too."""
    active = [None, *(Active(adapter, adapter.start(TOKENS)) for adapter in adapters.values())]
    tokens, options = [*TOKENS, *range(210, 240)], EngineOptions(context=512, rows=rows, prefix_bytes=1 << 24)
    prompts = [(*tokens, 300 + number) for number in range(8)]

    def asked(number: int, drafters: tuple[str, ...] = ()) -> Request:
        job = request(prompts[number], SamplingParams(temperature, seed=number, max_tokens=20), drafters)
        job.active = active[number % 4]
        return job

    plain = [generate(Engine(target, {}, replace(options, rows=1, prefix_bytes=0)), [asked(n)])[0] for n in range(8)]
    assert len({tuple(said) for said in plain}) > 4
    drafters = {"oracle": OracleDrafter(400, dict(zip(prompts, plain, strict=True)), seed=rows)}
    for _ in range(2):
        drafting = Engine(target, drafters, options)
        jobs = [asked(number, ("oracle",)) for number in range(8)]
        said = [generate(drafting, jobs[first : first + rows]) for first in range(0, 8, rows)]
        assert [answer for batch in said for answer in batch] == plain
        assert all(job.sequence.stats.accepted_by_source for job in jobs)


def test_a_chat_names_its_adapter(adapters: dict[str, Adapter]) -> None:
    plain = {"reads": replace(adapters["plain"], name="reads")}
    fields = {"model": "m", "messages": [{"role": "user", "content": "When?"}]}
    defaults = Defaults("thesis", "none", 9)

    def built(**bedside: Any) -> Request:
        ask = wire.ChatRequest.model_validate(fields | {"bedside": bedside})
        return build_request(ask, tiny_codec(), {}, defaults, plain)

    assert built().active is None
    assert built(adapter="reads").active == Active(plain["reads"], 0)
    with pytest.raises(UnknownAdapter, match="no adapter 'speaks'; there are: reads"):
        built(adapter="speaks")
    with pytest.raises(BadRequest, match="works on written answers"):
        built(adapter="reads", mode="verbatim")


def test_an_adapter_is_asked_for_by_name(adapters: dict[str, Adapter]) -> None:
    codec = tiny_codec()
    called = Adapter("reads", tuple(codec.encode("\nQuestion:")[0]), {})
    ask = wire.ScoreIn(prompt=["Wash your hands.", "\nQuestion:", " when?"], continuations=["A"], adapter="reads")
    found = scoring_of(ask, codec, {"reads": called})
    assert found.active is not None
    assert found.active.start == len(codec.encode("Wash your hands.")[0])
    assert codec.decode(found.prompt) == "Wash your hands.\nQuestion: when?"
    with pytest.raises(UnknownAdapter, match="no adapter 'reads'; there are: plain, upper"):
        scoring_of(ask, codec, {name: adapters[name] for name in ("plain", "upper")})
    with pytest.raises(BadRequest, match="the prompt does not hold them"):
        scoring_of(ask.model_copy(update={"prompt": ["Wash your hands."]}), codec, {"reads": called})
    with pytest.raises(BadRequest, match="either messages or prompt"):
        scoring_of(wire.ScoreIn(continuations=["A"]), codec)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"peft_type": "IA3"}, "only LoRA adapters are supported, this is IA3"),
        ({"use_dora": True}, "an adapter with use_dora is not supported"),
        ({"bias": "all"}, "an adapter with bias is not supported"),
        ({"modules_to_save": ["lm_head"]}, "an adapter with modules_to_save is not supported"),
    ],
)
def test_an_adapter_that_would_give_other_logits_is_refused(
    tmp_path: Path, adapters: dict[str, Adapter], target: LlamaTarget, fields: dict[str, Any], message: str
) -> None:
    path = tmp_path / "adapters" / "plain" / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))
    with pytest.raises(ModelError, match=message):
        read_adapters(f"reader={path.parent}", target.architecture, target.device)


def test_adapters_that_are_not_there_or_do_not_fit_are_named(tmp_path: Path, adapters: dict[str, Adapter]) -> None:
    wider = load_target(str(tiny_checkpoint(tmp_path, "llama", seed=5, hidden_size=64)), dtype="fp32", device="cpu")
    with pytest.raises(ModelError, match="no folder of adapters"):
        read_adapters(str(tmp_path / "nowhere"), wider.architecture, wider.device)
    with pytest.raises(ModelError, match="is no name=folder"):
        read_adapters("a=b,c", wider.architecture, wider.device)
    with pytest.raises(ModelError, match="does not fit"):
        read_adapters(f"plain={tmp_path / 'adapters' / 'plain'}", wider.architecture, wider.device)
