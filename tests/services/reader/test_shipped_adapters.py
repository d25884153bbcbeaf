"""The adapters that ship: for the prompt of today, of a size that can be shipped, in PEFT's form,
and whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from safetensors import safe_open

import services.reader
from rag_api.config import Settings
from rag_api.qa_readers.opening import open_agreeing
from rag_api.retrieval.decision.calibration import shipped
from services.contract.reading_prompt import VERSION
from services.generator.models.files.carried import CARRIED

WIDTHS = {"qwen2.5-coder-0.5b": 896, "qwen2.5-coder-1.5b": 1_536}
ADAPTERS = Path(services.reader.__file__).parent / "adapters"
SHIPPED = sorted(ADAPTERS.glob("*/*/adapter_config.json"))


def test_there_is_one_for_each_model_that_packages_carry() -> None:
    assert [file.parent.relative_to(ADAPTERS).as_posix() for file in SHIPPED] == [f"{name}/reading" for name in CARRIED]


@pytest.mark.parametrize("config", SHIPPED, ids=lambda file: file.parent.parent.name)
def test_what_it_says_is_weighed_as_it_was_measured_under_the_name_that_the_service_gives_it(config: Path) -> None:
    model, adapter = config.parts[-3:-1]
    reader = open_agreeing(
        Settings(generator_model=model, reader=f"agreeing:{adapter}"), lambda: "http://127.0.0.1:1/v1"
    )
    assert reader is not None
    assert reader.name in shipped()["multilingual-e5-small-int8+neutral"].agreeing


@pytest.mark.parametrize("config", SHIPPED, ids=lambda file: file.parent.parent.name)
def test_each_is_whole_and_reads_the_prompt_of_today(config: Path) -> None:
    told, card = json.loads(config.read_text()), json.loads((config.parent / "card.json").read_text())
    assert card["prompt"] == VERSION, "an adapter of another prompt reads something else: train it anew"
    assert card["data"]
    weights = config.parent / "adapter_model.safetensors"
    assert weights.stat().st_size <= 30_000_000
    with safe_open(weights, "pt") as opened:
        names = set(opened.keys())
        first = f"base_model.model.model.layers.{told['layers_to_transform'][0]}.self_attn.q_proj.lora_A.weight"
        assert opened.get_slice(first).get_shape() == [told["r"], WIDTHS[config.parent.parent.name]]
    ranked = {name.split(".layers.")[1].split(".")[0] for name in names}
    assert ranked == {str(layer) for layer in told["layers_to_transform"]}
    assert len(names) == len(told["layers_to_transform"]) * len(told["target_modules"]) * 2
