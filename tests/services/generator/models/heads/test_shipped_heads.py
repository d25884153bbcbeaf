"""The shipped heads: small, in the published format, made for the demo model, with what they were
trained on beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from torch import Tensor

from services.generator.models.heads.eagle_format import load_head
from services.generator.train.demo_prompts import first_round

HEADS = Path(__file__).parents[5] / "services" / "generator" / "heads"
SHIPPED = sorted(path.parent for path in HEADS.glob("*/config.json"))
VOCABULARY, HIDDEN = 49152, 576  # SmolLM2-135M's


class NoTarget:
    embedding = torch.zeros(0, HIDDEN)

    def embed(self, token_ids: Tensor) -> Tensor:
        return torch.zeros(*token_ids.shape, HIDDEN)

    def lm_head(self, hidden: Tensor) -> Tensor:
        return torch.zeros(*hidden.shape[:-1], VOCABULARY)


def test_there_is_a_head_of_each_kind_and_all_heads_together_are_small() -> None:
    assert {folder.name for folder in SHIPPED} == {"smollm2-135m-instruct-eagle1", "smollm2-135m-instruct-eagle3"}
    assert sum(file.stat().st_size for file in HEADS.rglob("*") if file.is_file()) < 30e6


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_a_shipped_head_loads_and_fits_the_demo_model(folder: Path) -> None:
    head = load_head(folder, NoTarget())
    assert (head.config.vocab_size, head.config.target_hidden_size) == (VOCABULARY, HIDDEN)
    assert f"eagle{head.config.version}" in folder.name
    assert all(bool(torch.isfinite(weight).all()) for weight in head.parameters())


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_a_shipped_head_says_what_it_was_trained_on_and_how_it_learnt(folder: Path) -> None:
    record = json.loads((folder / "training.json").read_text())
    held_out = [point["held_out_agreed"][0] for point in record["curve"] if "held_out_agreed" in point]
    assert held_out[-1] > held_out[0]
    assert record["answers"] > 800
    measured = record["measured"]
    for part in measured.values():
        assert part["trained"] > part.get("untrained", 1) >= 1
        assert part["copy_and_trained"] > max(part["trained"], part["copy"])


def test_the_training_prompts_are_not_the_handbooks_questions() -> None:
    judged = (Path(__file__).parents[5] / "rag_api" / "handbook" / "judged.csv").read_text(encoding="utf-8").lower()
    assert not [row["prompt"] for row in first_round() if row["prompt"].lower() in judged]
