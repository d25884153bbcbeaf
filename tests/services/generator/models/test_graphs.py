"""Steps of fixed shapes compute what the decoder's own forward does; the capturing itself needs a
GPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode

from services.generator.bench.steps.step import RandomWeights
from services.generator.models.decoder.packing import Packing
from services.generator.models.graphs import LENGTHS, NODES, Graphs, StaticStep, ancestor_bits, rounded
from services.generator.models.llama import LlamaTarget
from services.generator.models.loading import load_target
from services.generator.speculation.tree import ancestor_mask
from services.generator.types import DraftTree, SamplingParams
from tests.services.generator.engines import engine, generate, request, tiny_codec, tiny_target
from tests.services.generator.models.test_llama import chain, prompt, tree_step
from tests.services.generator.models.test_llama_on_a_gpu import ARCHITECTURE
from tests.services.generator.tiny import FAMILIES, tiny_checkpoint


def draft(parents: tuple[int, ...]) -> DraftTree:
    return DraftTree(tuple(range(len(parents))), parents, (1.0,) * len(parents), ((),) * len(parents))


@given(st.lists(st.integers(0, 10**6), max_size=63))
def test_bits_say_what_the_mask_says(choices: list[int]) -> None:
    parents = (-1, *(choice % (node + 1) for node, choice in enumerate(choices)))
    mask = ancestor_mask(draft(parents))
    bits = ancestor_bits(mask, len(parents), 64)
    seen = (bits[:, None] >> np.arange(64)) & 1
    assert (seen[: len(parents), : len(parents)] == mask).all()
    assert (seen[len(parents) :] == np.eye(64)[len(parents) :]).all()


def test_a_chain_needs_no_mask_for_its_bits() -> None:
    assert ancestor_bits(None, 3, 4).tolist() == [1, 3, 7, 8]


def test_sizes_are_rounded_up_and_never_beyond_the_cache() -> None:
    assert [rounded(n, NODES, 64) for n in (1, 3, 33, 64, 65)] == [1, 4, 64, 64, None]
    assert rounded(300, LENGTHS, 400) == 400
    assert rounded(300, LENGTHS, 299) is None


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("parents", [(-1,), (-1, 0, 1), (-1, 0, 0, 1, 1, 2, 0), (-1, 0, 1, 1, 3, 0, 5, 6, 6, 8, 2)])
def test_a_step_of_fixed_shapes_is_the_forward_of_the_decoder(
    tmp_path: Path, family: str, parents: tuple[int, ...]
) -> None:
    target = load_target(str(tiny_checkpoint(tmp_path, family, seed=3)), device="cpu", dtype="fp32", threads=1)
    tokens, nodes = prompt(90), prompt(len(parents), seed=5)
    step = tree_step(nodes, parents, 90)
    outputs = []
    for graphs in (None, Graphs(target, capture=False)):
        cache = target.new_cache(1, 400)
        target.forward(chain(tokens), cache)
        target.graphs = graphs
        first = target.forward(step, cache)
        cache.keep(0, 90, (0,))
        outputs.append((first, target.forward(chain(prompt(1, seed=8), length=91), cache)))
        target.graphs = None
    for ours, theirs in zip(*outputs, strict=True):
        assert ours.logits.shape == theirs.logits.shape
        torch.testing.assert_close(ours.logits, theirs.logits, atol=1e-4, rtol=0)


def test_several_rows_and_prompts_are_no_steps_for_a_graph() -> None:
    target = tiny_target()
    graphs, cache = Graphs(target, capture=False), target.new_cache(2, 256)
    assert graphs.run(chain(prompt(100)), cache) is None
    assert graphs.run(chain(prompt(8)), cache) is not None


def test_decoding_with_them_gives_the_same_answers_and_features_in_a_cache_that_grows() -> None:
    target = tiny_target(seed=4)
    text = tiny_codec().encode("Wash your hands. De dosis is 5 mg per kg. " * 3)[0]
    plain = generate(engine(target), [request(text, SamplingParams(max_tokens=40))])
    try:
        target.graphs = Graphs(target, capture=False)
        assert generate(engine(target), [request(text, SamplingParams(max_tokens=40), ("copy",))]) == plain
        assert target.graphs.steps
    finally:
        target.graphs = None


def test_a_static_step_stays_on_the_device() -> None:
    device = torch.device("cuda", 0)
    with FakeTensorMode():
        weights = Packing(
            RandomWeights(device, torch.bfloat16), ARCHITECTURE, device, torch.bfloat16, blocks=False
        ).weights()
        target = LlamaTarget(ARCHITECTURE, weights, name="fake", kv_dtype=torch.bfloat16)
        assert target.graphs is not None
        static = StaticStep.__new__(StaticStep)  # a fake tensor cannot be pinned
        cache = target.new_cache(2, 512)
        static.target, static.nodes, static.length, static.kv = target, 8, 256, cache.kv[:, :, 1, :, :256]
        static.inputs = torch.zeros(25, dtype=torch.int64, device=device)
        static.columns, static.places = torch.arange(256, device=device), torch.arange(8, device=device)
        logits, hidden, streams = static.run()
        assert streams is not None
        assert {tensor.device for tensor in (logits, hidden, streams)} == {device}
        assert (logits.shape, streams.shape) == ((8, 400), (8, 192))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no GPU")
@pytest.mark.parametrize("family", FAMILIES)
def test_a_captured_step_gives_what_the_decoder_gives(tmp_path: Path, family: str) -> None:
    target = load_target(str(tiny_checkpoint(tmp_path, family, seed=3)), device="cuda", dtype="fp32")
    tokens, parents = prompt(90), (-1, 0, 0, 1, 1, 2, 0)
    outputs = []
    for graphs in (None, Graphs(target)):
        target.graphs = graphs
        cache = target.new_cache(1, 400)
        target.forward(chain(tokens), cache)
        steps = (tree_step(prompt(7, seed=seed), parents, 90) for seed in (5, 6))  # the second is a replay
        outputs.append([target.forward(step, cache).logits.cpu().clone() for step in steps])
    for ours, theirs in zip(*outputs, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-3, rtol=0)
