"""Heads and trees against what the reference implementation computed
(tests/fixtures/eagle-vectors)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor

from services.generator.drafters import StepState
from services.generator.drafters.eagle import EagleDrafter
from services.generator.models.heads.eagle import EagleHead
from services.generator.models.heads.eagle_cache import HeadCache
from services.generator.models.heads.eagle_format import load_head
from services.generator.models.heads.eagle_frozen import FrozenHead
from services.generator.speculation.eagle_tree import TreeShape
from services.generator.types import DraftTree, Prompt, SamplingParams, Sequence

VECTORS = Path(__file__).parents[4] / "fixtures" / "eagle-vectors"
CASES = sorted(folder.name for folder in VECTORS.iterdir() if folder.is_dir())


@dataclass(frozen=True)
class Vocabulary:
    """The part of the target that a head borrows."""

    embed_tokens: Tensor
    target_lm_head: Tensor

    @property
    def embedding(self) -> Tensor:
        return self.embed_tokens

    def embed(self, token_ids: Tensor) -> Tensor:
        return F.embedding(token_ids, self.embed_tokens)

    def lm_head(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.target_lm_head.to(hidden.dtype)).float()


@dataclass(frozen=True)
class Case:
    head: EagleHead
    vocabulary: Vocabulary  # the target's, which the head borrows
    io: dict[str, Tensor]
    expected: dict[str, Any]

    @property
    def drafts(self) -> list[tuple[int, int, Any]]:
        """(first new feature, end of the new features, expected draft)"""
        n, m = self.expected["n"], self.expected["m"]
        return [(0, n, self.expected["first"]), (n, n + m, self.expected["second"])]


def load_case(name: str, dtype: torch.dtype = torch.float32) -> Case:
    io = load_file(VECTORS / name / "io.safetensors")
    vocabulary = Vocabulary(io["embed_tokens"], io["target_lm_head"])
    expected = json.loads((VECTORS / name / "expected.json").read_text())
    return Case(load_head(VECTORS / name, vocabulary, dtype=dtype), vocabulary, io, expected)


def sequence(name: str = "a") -> Sequence:
    return Sequence(name, Prompt((), (), (), "test"), SamplingParams())


def state(case: Case, of: Sequence, start: int, end: int) -> StepState:
    context = case.io["input_ids"][0, : end + 1].numpy().astype(np.int32)
    return StepState(of, context, features=case.io["features"][0, start:end])


def shape(case: Case, **changes: Any) -> TreeShape:
    fields = {"top_k": case.expected["top_k"], "total": case.expected["total_tokens"], "depth": case.expected["depth"]}
    return TreeShape(**(fields | changes))


def paths(token_ids: Any, parents: Any) -> set[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    for token, parent in zip(token_ids, parents, strict=True):
        found.append(((*found[parent], token)) if parent >= 0 else (token,))
    assert len(set(found)) == len(found)
    return set(found)


def assert_equal(tree: DraftTree, draft: Any) -> None:
    assert paths(tree.token_ids, tree.parents) == paths(draft["tokens"], draft["parents"])


def test_the_fixtures_hold_five_heads() -> None:
    assert len(CASES) == 5


@pytest.mark.parametrize("name", CASES)
def test_hidden_states_and_logits_are_the_references(name: str) -> None:
    case = load_case(name)
    n = case.expected["n"]
    cache = HeadCache.empty(case.head, 1, 64)
    visible = torch.ones(n, n, dtype=torch.bool).tril()[None]
    fused = case.head.fuse(case.io["features"][:, :n])
    hidden = case.head(
        case.io["input_ids"][:, 1 : n + 1], fused, torch.arange(n)[None], cache.attend([0], [0], visible)
    )
    torch.testing.assert_close(hidden, case.io["hidden"], atol=1e-4, rtol=0)
    torch.testing.assert_close(case.head.logits(hidden), case.io["logits"], atol=1e-4, rtol=0)


@pytest.mark.parametrize("name", CASES)
def test_a_frozen_head_computes_the_same(name: str) -> None:
    case = load_case(name)
    n = case.expected["n"]
    frozen = FrozenHead(case.head)
    attend = HeadCache.empty(frozen, 1, 64).attend([0], [0], torch.ones(n, n, dtype=torch.bool).tril()[None])
    hidden = frozen(
        case.io["input_ids"][:, 1 : n + 1], frozen.fuse(case.io["features"][:, :n]), torch.arange(n)[None], attend
    )
    torch.testing.assert_close(hidden, case.io["hidden"], atol=1e-4, rtol=0)
    torch.testing.assert_close(frozen.logits(hidden), case.io["logits"], atol=1e-4, rtol=0)


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_two_successive_trees_are_the_references(name: str, frozen: bool) -> None:
    case = load_case(name)
    drafter, one = EagleDrafter(FrozenHead(case.head) if frozen else case.head, shape(case)), sequence()
    drafter.start(one)
    for start, end, draft in case.drafts:
        (tree,) = drafter.propose([state(case, one, start, end)], nodes=64)
        assert_equal(tree, draft)


@pytest.mark.parametrize("alone", [0, 8, 32])
@pytest.mark.parametrize("name", CASES)
def test_rows_of_different_lengths_draft_what_each_drafts_alone(
    name: str, alone: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row b is one draft ahead of row a; row c joins last, in the row that b left; the cache has to
    grow on the way."""
    monkeypatch.setattr("services.generator.drafters.eagle.ALONE", alone)
    case = load_case(name)
    drafter = EagleDrafter(case.head, shape(case), capacity=16)
    a, b, c = sequence("a"), sequence("b"), sequence("c")
    (first, second) = case.drafts
    drafter.start(b)
    drafter.start(a)
    (tree,) = drafter.propose([state(case, b, *first[:2])], nodes=64)
    assert_equal(tree, first[2])
    trees = drafter.propose([state(case, a, *first[:2]), state(case, b, *second[:2])], nodes=64)
    assert_equal(trees[0], first[2])
    assert_equal(trees[1], second[2])
    drafter.finish(b)
    drafter.start(c)
    trees = drafter.propose([state(case, a, *second[:2]), state(case, c, *first[:2])], nodes=64)
    assert_equal(trees[0], second[2])
    assert_equal(trees[1], first[2])


def test_a_head_whose_rope_base_is_ignored_drafts_otherwise() -> None:
    """The vectors would not notice a wrong base if this passed."""
    case = load_case("eagle3-rope-theta")
    config = case.head.config
    wrong = 10000.0 ** -(torch.arange(0, config.head_dim, 2, dtype=torch.float64) / config.head_dim)
    assert not torch.allclose(case.head.inverse_frequencies, wrong)
    case.head.inverse_frequencies = wrong
    drafter, one = EagleDrafter(case.head, shape(case)), sequence()
    drafter.start(one)
    trees = [drafter.propose([state(case, one, start, end)], nodes=64)[0] for start, end, _ in case.drafts]
    expected = [draft for _, _, draft in case.drafts]
    assert any(
        paths(tree.token_ids, tree.parents) != paths(draft["tokens"], draft["parents"])
        for tree, draft in zip(trees, expected, strict=True)
    )
