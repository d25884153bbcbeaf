"""Drafts that the CPU's own kernels compute: torch's trees up to rounding, whatever was read before
and however."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from services.generator import native
from services.generator.drafters import StepState
from services.generator.drafters.eagle import EagleDrafter
from services.generator.models.decoder.packing import Packing
from services.generator.models.files.blocks import four_bits
from services.generator.models.heads.eagle import EagleHead, HeadConfig
from services.generator.models.heads.eagle_frozen import FrozenHead
from services.generator.models.llama import LlamaTarget
from services.generator.speculation.eagle_tree import TreeShape
from services.generator.types import DraftTree, Prompt, SamplingParams, Sequence
from tests.services.generator.engines import engine, generate, request
from tests.services.generator.native.test_step import ARCHITECTURE, BlockWeights

pytestmark = pytest.mark.skipif(native.kernels() is None, reason="no C compiler on this machine")

CONFIG = HeadConfig(
    version=3, vocab_size=256, draft_vocab_size=96, hidden_size=96, target_hidden_size=96, intermediate_size=160, heads=6, kv_heads=2,
    head_dim=32,
)  # fmt: skip
WHOLE = TreeShape(top_k=4, total=24, depth=4)
LENGTH = 320


@dataclass(frozen=True)
class Vocabulary:
    embedding: Tensor

    def embed(self, token_ids: Tensor) -> Tensor:
        return F.embedding(token_ids, self.embedding)

    def lm_head(self, hidden: Tensor) -> Tensor:
        raise AssertionError("an EAGLE-3 head has its own")


def random_head(config: HeadConfig = CONFIG, seed: int = 0) -> FrozenHead:
    """With weights so large that it is sure of what it drafts: no ties that rounding could turn."""
    generator = torch.Generator().manual_seed(seed)
    table = torch.randn(config.vocab_size, config.hidden_size, generator=generator).bfloat16()
    head = EagleHead(config, Vocabulary(table))
    for name, weight in head.named_parameters():
        scale = 1 / math.sqrt(weight.shape[-1]) if weight.ndim == 2 else 0.1
        weight.data = torch.randn(weight.shape, generator=generator) * scale + ("norm" in name)
    head.lm_head.weight.data *= 4
    # values that are not rounded any more where 4 bits are multiplied, so that all kernels agree
    for layer in head.modules():
        if isinstance(layer, torch.nn.Linear):
            layer.weight.data = four_bits(layer.weight.data).dense()
    head.target_ids.copy_(
        torch.randperm(config.vocab_size, generator=generator)[: config.draft_vocab_size].sort().values
    )
    head.requires_grad_(False)
    return FrozenHead(head.to(torch.bfloat16), positions=LENGTH + 64)


def text(seed: int = 1) -> tuple[np.ndarray, Tensor]:
    """Tokens, and the features of all of them."""
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(0, 256, (LENGTH,), generator=generator).numpy().astype(np.int32)
    return tokens, torch.randn(LENGTH, 3 * CONFIG.hidden_size, generator=generator).bfloat16()


def a_sequence(name: str = "a") -> Sequence:
    return Sequence(name, Prompt((), (), (), "test"), SamplingParams())


def drafts(head: FrozenHead, ends: list[int], shape: TreeShape = WHOLE, first: int = 0) -> list[DraftTree]:
    """One after the other, each with the features of the tokens before `end` that came since the
    last."""
    tokens, features = text()
    drafter, one, trees = EagleDrafter(head, shape), a_sequence(), []
    drafter.start(one)
    for start, end in zip([first, *ends], ends, strict=False):
        trees += drafter.propose([StepState(one, tokens[: end + 1], features[start:end])], 64)
    return trees


def in_torch(head: FrozenHead) -> FrozenHead:
    head.native = None
    return head


def scores(tree: DraftTree) -> dict[tuple[int, ...], float]:
    found: list[tuple[int, ...]] = []
    for token, parent in zip(tree.token_ids, tree.parents, strict=True):
        found.append((*found[parent], token) if parent >= 0 else (token,))
    return dict(zip(found, tree.scores, strict=True))


def assert_alike(found: list[DraftTree], expected: list[DraftTree]) -> None:
    """Nearly all nodes the same, and as likely: what is rounded turns a few of the least likely."""
    pairs = [(scores(one), scores(other)) for one, other in zip(found, expected, strict=True)]
    assert sum(len(one.keys() & other.keys()) for one, other in pairs) >= 0.9 * sum(len(other) for _, other in pairs)
    apart = [abs(one[path] - other[path]) for one, other in pairs for path in one.keys() & other.keys()]
    # activations of 8 bits may turn at an edge: far apart at a few nodes, near on the whole
    assert max(apart) < 0.08
    assert sum(one < 0.03 for one in apart) >= 0.98 * len(apart)
    assert sum(apart) / len(apart) < 0.006


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"norm_before_residual": True, "own_embeddings": True},
        {"fc_bias": True, "qkv_bias": True},
        {"fc_norm": True, "norm_output": True},
        {"norm_before_fc": True, "norm_output": True},
    ],
)
def test_trees_are_those_that_torch_drafts(any_cpu: None, changes: dict[str, Any]) -> None:
    config = replace(CONFIG, **changes)
    # borders between which keys are summed; prompts and a few features
    ends = [1, 2, 5, 15, 16, 40, 250, 251, 257, 258, 300]
    head = random_head(config)
    assert head.native is not None
    assert_alike(drafts(head, ends), drafts(in_torch(random_head(config)), ends))


def test_a_head_that_came_late_drafts_as_torch_does(any_cpu: None) -> None:
    """Its first features are those of token 70: a cached prefix had brought none."""
    assert_alike(drafts(random_head(), [100, 103], first=70), drafts(in_torch(random_head()), [100, 103], first=70))


def test_unlikely_paths_are_not_followed() -> None:
    (whole,), (cut,) = (
        drafts(random_head(), [200]),
        drafts(random_head(), [200], TreeShape(top_k=4, total=24, depth=4, least=0.1)),
    )
    followed = {path[:-1] for path in scores(cut) if len(path) > 2}
    assert followed
    assert all(scores(cut)[path] >= 0.1 for path in followed)
    expected = {path for path, score in scores(whole).items() if len(path) <= 2 or score >= 0.1}
    assert expected <= scores(cut).keys()


def test_a_budget_of_one_node_reads_the_features_all_the_same() -> None:
    tokens, features = text()
    drafter, one = EagleDrafter(random_head(), WHOLE), a_sequence()
    drafter.start(one)
    (nothing,) = drafter.propose([StepState(one, tokens[:101], features[:100])], 1)
    assert len(nothing) == 1
    (tree,) = drafter.propose([StepState(one, tokens[:104], features[100:103])], 64)
    assert_alike([tree], drafts(random_head(), [100, 103])[1:])


def test_sequences_that_share_a_head_do_not_meet() -> None:
    tokens, features = text()
    drafter, one, other = EagleDrafter(random_head(), WHOLE, capacity=16), a_sequence(), a_sequence("b")
    drafter.start(other)
    drafter.start(one)
    drafter.propose([StepState(other, tokens[200:231], features[200:230])], 64)
    drafter.propose(
        [StepState(one, tokens[:41], features[:40]), StepState(other, tokens[200:233], features[230:232])], 64
    )
    trees = drafter.propose(
        [StepState(other, tokens[200:234], features[232:233]), StepState(one, tokens[:43], features[40:42])], 64
    )
    assert trees[1] == drafts(random_head(), [40, 42])[1]


def test_drafts_change_no_token_of_an_answer() -> None:
    weights = Packing(BlockWeights(), ARCHITECTURE, torch.device("cpu"), torch.bfloat16, blocks=True).weights()
    target = LlamaTarget(ARCHITECTURE, weights, name="blocks", kv_dtype=torch.bfloat16)
    prompts = [list(range(3, 3 + length)) for length in (1, 2, 20)]
    plain = generate(engine(target), [request(prompt) for prompt in prompts])
    drafter = EagleDrafter(random_head(), TreeShape(top_k=4, total=12, depth=3))
    assert drafter.head.native is not None
    drafted = generate(engine(target, drafter), [request(prompt, drafters=("eagle",)) for prompt in prompts])
    assert drafted == plain
