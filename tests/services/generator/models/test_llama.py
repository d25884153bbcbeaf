"""Our decoder against transformers', on small random models in fp32: whatever the family, the
scaling or the shape of the step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from services.generator.errors import BadRequest
from services.generator.models import StepInput, StepOutput
from services.generator.models.decoder.rope import rotations
from services.generator.models.files.architecture import Architecture
from services.generator.models.kv_cache import KVCache
from services.generator.models.llama import LlamaTarget
from services.generator.models.loading import load_target
from tests.services.generator.tiny import FAMILIES, tiny_checkpoint

ROPES: dict[str, dict[str, Any]] = {
    "linear": {"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0},
    "dynamic": {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0},
    "llama3": {
        "rope_type": "llama3",
        "rope_theta": 500000.0,
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    },
    "yarn": {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 128},
}


def oracle(folder: Path) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()


def prompt(count: int, seed: int = 0) -> list[int]:
    return torch.randint(3, 400, (count,), generator=torch.Generator().manual_seed(seed)).tolist()


def chain(tokens: list[int], slot: int = 0, length: int = 0, **options: Any) -> StepInput:
    ids = torch.tensor([tokens])
    return StepInput(
        ids,
        torch.arange(length, length + len(tokens)).unsqueeze(0),
        (slot,),
        (length,),
        (len(tokens),),
        None,
        **options,
    )


def forward(target: LlamaTarget, cache: KVCache, tokens: list[int], **options: Any) -> StepOutput:
    return target.forward(chain(tokens, **options), cache)


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_and_hidden_states_are_those_of_transformers(tmp_path: Path, family: str) -> None:
    folder = tiny_checkpoint(tmp_path, family, seed=1)
    tokens = prompt(70)
    with torch.no_grad():
        expected = oracle(folder)(torch.tensor([tokens]), output_hidden_states=True)
    target = load_target(str(folder), dtype="fp32")
    output = forward(target, target.new_cache(1, 512), tokens, features=True)
    torch.testing.assert_close(output.logits, expected.logits, atol=1e-4, rtol=0)
    assert output.hidden is not None
    assert output.streams is not None
    torch.testing.assert_close(output.hidden, expected.hidden_states[-1], atol=1e-4, rtol=0)
    before = [expected.hidden_states[i] for i in (2, 5 // 2, 5 - 3)]
    torch.testing.assert_close(output.streams, torch.cat(before, -1), atol=1e-4, rtol=0)
    torch.testing.assert_close(target.lm_head(output.hidden), output.logits, atol=1e-5, rtol=0)


@pytest.mark.parametrize("scaling", ROPES)
def test_rope_scalings_are_those_of_transformers(tmp_path: Path, scaling: str) -> None:
    folder = tiny_checkpoint(tmp_path, "llama", seed=2, rope_parameters=ROPES[scaling], head_dim=16)
    tokens = prompt(200)
    with torch.no_grad():
        expected = oracle(folder)(torch.tensor([tokens])).logits
    target = load_target(str(folder), dtype="fp32")
    torch.testing.assert_close(forward(target, target.new_cache(1, 512), tokens).logits, expected, atol=1e-4, rtol=0)


@pytest.mark.parametrize(
    "shape",
    [{"attention_bias": True}, {"mlp_bias": True}, {"tie_word_embeddings": True}, {"num_key_value_heads": 4}],
    ids=str,
)
def test_variants_of_llama_are_those_of_transformers(tmp_path: Path, shape: dict[str, Any]) -> None:
    folder = tiny_checkpoint(tmp_path, "llama", seed=3, **shape)
    tokens = prompt(20)
    with torch.no_grad():
        expected = oracle(folder)(torch.tensor([tokens])).logits
    target = load_target(str(folder), dtype="fp32")
    torch.testing.assert_close(forward(target, target.new_cache(1, 64), tokens).logits, expected, atol=1e-4, rtol=0)


@pytest.mark.parametrize("parts", [[1] * 9, [5, 4], [40, 1, 33, 2], [33, 40]], ids=str)
def test_a_prompt_in_parts_has_the_logits_of_the_whole(target: LlamaTarget, parts: list[int]) -> None:
    tokens = prompt(sum(parts))
    whole = forward(target, target.new_cache(1, 512), tokens).logits
    cache, done, logits = target.new_cache(1, 512), 0, []
    for part in parts:
        logits.append(forward(target, cache, tokens[done : done + part], length=done).logits)
        done += part
    torch.testing.assert_close(torch.cat(logits, 1), whole, atol=1e-4, rtol=0)


TREE = (-1, 0, 0, 1, 1, 2, 3)  # parents


def tree_step(tokens: list[int], parents: tuple[int, ...], length: int, slot: int = 0) -> StepInput:
    depth, seen = [0] * len(parents), torch.eye(len(parents), dtype=torch.bool)
    for node, parent in enumerate(parents[1:], 1):
        depth[node] = depth[parent] + 1
        seen[node] |= seen[parent]
    positions = torch.tensor([[length + d for d in depth]])
    return StepInput(torch.tensor([tokens]), positions, (slot,), (length,), (len(parents),), seen.unsqueeze(0))


def path_to(node: int) -> list[int]:
    return [*(path_to(TREE[node]) if TREE[node] >= 0 else []), node]


def test_every_branch_of_a_tree_has_the_logits_of_its_own_text(target: LlamaTarget) -> None:
    before, nodes = prompt(12), prompt(len(TREE), seed=5)
    cache = target.new_cache(1, 512)
    forward(target, cache, before)
    logits = target.forward(tree_step(nodes, TREE, 12), cache).logits
    for node in range(len(TREE)):
        text = before + [nodes[i] for i in path_to(node)]
        alone = forward(target, target.new_cache(1, 512), text).logits[0, -1]
        torch.testing.assert_close(logits[0, node], alone, atol=1e-4, rtol=0)


def test_decoding_goes_on_from_an_accepted_branch(target: LlamaTarget) -> None:
    before, nodes = prompt(12), prompt(len(TREE), seed=5)
    cache = target.new_cache(1, 512)
    forward(target, cache, before)
    target.forward(tree_step(nodes, TREE, 12), cache)
    path = path_to(6)  # 0, 1, 3, 6: not contiguous
    cache.keep(0, 12, path)
    text = before + [nodes[i] for i in path]
    expected = forward(target, target.new_cache(1, 512), [*text, 7]).logits[0, -1]
    torch.testing.assert_close(forward(target, cache, [7], length=len(text)).logits[0, 0], expected, atol=1e-4, rtol=0)


def test_rows_of_different_lengths_do_not_see_each_other(target: LlamaTarget) -> None:
    texts = [prompt(9, 1), prompt(40, 2), prompt(3, 3)]
    counts = (2, 4, 1)
    alone = [
        forward(target, target.new_cache(1, 512), text).logits[0, -count:]
        for text, count in zip(texts, counts, strict=True)
    ]
    cache, slots = target.new_cache(4, 512), (2, 0, 3)
    for text, count, slot in zip(texts, counts, slots, strict=True):
        forward(target, cache, text[:-count], slot=slot)
    ids, positions = torch.zeros(3, 4, dtype=torch.long), torch.zeros(3, 4, dtype=torch.long)
    lengths = tuple(len(text) - count for text, count in zip(texts, counts, strict=True))
    for row, (text, count) in enumerate(zip(texts, counts, strict=True)):
        ids[row, :count] = torch.tensor(text[-count:])
        positions[row, :count] = torch.arange(lengths[row], len(text))
    output = target.forward(StepInput(ids, positions, slots, lengths, counts, None, features=True), cache)
    for row, count in enumerate(counts):
        torch.testing.assert_close(output.logits[row, :count], alone[row], atol=1e-4, rtol=0)
    last = target.forward(StepInput(ids, positions, slots, lengths, counts, None, logits_from=-1), cache)
    assert last.logits.shape == (3, 1, 400)
    for row in range(3):
        torch.testing.assert_close(last.logits[row, 0], alone[row][-1], atol=1e-4, rtol=0)


def test_logits_are_computed_only_where_asked(target: LlamaTarget) -> None:
    tokens = prompt(10)
    whole = forward(target, target.new_cache(1, 64), tokens).logits
    for start, expected in ((-1, whole[:, -1:]), (-3, whole[:, -3:]), (4, whole[:, 4:]), (10, whole[:, 10:])):
        torch.testing.assert_close(
            forward(target, target.new_cache(1, 64), tokens, logits_from=start).logits, expected, atol=1e-5, rtol=0
        )


def test_a_longer_context_than_the_model_has_is_refused(target: LlamaTarget) -> None:
    with pytest.raises(BadRequest, match="513 tokens asked of a context of 512"):
        forward(target, target.new_cache(1, 600), prompt(513))


def test_factors_of_a_gguf_file_turn_as_the_scaling_they_were_made_of() -> None:
    published = {
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": 8,
        "hidden_size": 64,
        "intermediate_size": 8,
        "num_hidden_layers": 1,
    }
    published |= {"num_attention_heads": 4, "max_position_embeddings": 128, "rope_parameters": ROPES["llama3"]}
    scaled = rotations(Architecture.from_config(published))
    plain = 1.0 / 500000.0 ** (torch.arange(0, 16, 2) / 16)
    factors = (plain / scaled[1].angle()).tolist()
    assert max(factors) > 7  # the longest waves are stretched by 8
    stored = {"rope_type": "factors", "rope_theta": 500000.0, "factors": factors}
    torch.testing.assert_close(
        rotations(Architecture.from_config(published | {"rope_parameters": stored})), scaled, atol=1e-4, rtol=0
    )


def test_a_sliding_window_bounds_the_context(tmp_path: Path) -> None:
    folder = tiny_checkpoint(tmp_path, "mistral", seed=4, sliding_window=32)
    target = load_target(str(folder), dtype="fp32")
    assert target.config.max_positions == 32
    tokens = prompt(32)
    with torch.no_grad():
        expected = oracle(folder)(torch.tensor([tokens])).logits
    torch.testing.assert_close(forward(target, target.new_cache(1, 512), tokens).logits, expected, atol=1e-4, rtol=0)


@pytest.fixture
def target(tmp_path: Path) -> LlamaTarget:
    return load_target(str(tiny_checkpoint(tmp_path, "llama", seed=7)), dtype="fp32")
