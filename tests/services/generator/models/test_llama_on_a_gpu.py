"""The decoder with tensors of a GPU: real ones where there is one, and fake ones, which have a
device and a shape but no values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.attention import bias

from services.generator.bench.steps.step import RandomWeights
from services.generator.models import StepInput
from services.generator.models.decoder.packing import Packing
from services.generator.models.files.architecture import Architecture, Rope
from services.generator.models.llama import LlamaTarget
from services.generator.models.loading import load_target
from tests.services.generator.models.test_llama import chain, prompt, tree_step
from tests.services.generator.tiny import FAMILIES, tiny_checkpoint

ARCHITECTURE = Architecture(
    name="Qwen3ForCausalLM",
    vocab_size=400,
    hidden_size=64,
    intermediate_size=128,
    layers=6,
    heads=4,
    kv_heads=2,
    head_dim=16,
    max_positions=1024,
    norm_eps=1e-5,
    rope=Rope(),
    qkv_bias=True,
    qk_norm=True,
)


@pytest.mark.parametrize(("rows", "nodes", "tree"), [(1, 1, False), (1, 300, False), (2, 5, True), (3, 20, True)])
def test_a_step_stays_on_the_device(monkeypatch: pytest.MonkeyPatch, rows: int, nodes: int, tree: bool) -> None:
    """Fake tensors refuse to mix devices and shapes, so that what is forgotten on the host is found
    without a GPU."""
    device = torch.device("cuda", 0)
    with FakeTensorMode():
        monkeypatch.setattr(
            bias,
            "causal_lower_right",
            lambda n, length: torch.zeros(n, length, dtype=torch.bfloat16, device=device),
        )
        weights = Packing(
            RandomWeights(device, torch.bfloat16), ARCHITECTURE, device, torch.bfloat16, blocks=False
        ).weights()
        target = LlamaTarget(ARCHITECTURE, weights, name="fake", kv_dtype=torch.bfloat16)
        target.graphs = None  # fake tensors cannot be captured
        cache = target.new_cache(4, 512)
        ids = torch.zeros(rows, nodes, dtype=torch.long, device=device)
        mask = torch.ones(rows, nodes, nodes, dtype=torch.bool, device=device) if tree else None
        output = target.forward(
            StepInput(ids, ids, tuple(range(rows)), (7,) * rows, (nodes,) * rows, mask, features=True), cache
        )
        cache.keep(0, 7, (0, 2, 3))
        assert output.hidden is not None
        assert output.streams is not None
        assert [t.device for t in (output.logits, output.hidden, output.streams, cache.kv)] == [device] * 4
        assert output.logits.shape == (rows, nodes, 400)
        assert output.logits.dtype == torch.float32
        assert output.streams.shape == (rows, nodes, 192)
        assert target.lm_head(output.hidden).shape == (rows, nodes, 400)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no GPU")
@pytest.mark.parametrize("family", FAMILIES)
def test_a_gpu_gives_the_logits_of_the_cpu(tmp_path: Path, family: str) -> None:
    folder = str(tiny_checkpoint(tmp_path, family, seed=1))
    host, device = load_target(folder, device="cpu", dtype="fp32"), load_target(folder, device="cuda", dtype="fp32")
    tokens, nodes = prompt(300), prompt(4, seed=5)
    outputs: list[list[torch.Tensor]] = []
    for target in (host, device):
        cache = target.new_cache(1, 512)
        steps = (chain(tokens), tree_step(nodes, (-1, 0, 0, 1), 300))
        outputs.append([target.forward(on(step, target.device), cache).logits.cpu() for step in steps])
    for ours, theirs in zip(*outputs, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-3, rtol=0)


def on(step: StepInput, device: torch.device) -> StepInput:
    mask = None if step.tree_mask is None else step.tree_mask.to(device)
    return replace(step, token_ids=step.token_ids.to(device), positions=step.positions.to(device), tree_mask=mask)
