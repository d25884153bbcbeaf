"""Every form of attention against the plain formula."""

from __future__ import annotations

import pytest
import torch

from services.generator.models.decoder.attention import (
    attend_chain,
    attend_chain_fused,
    attend_few,
    attend_many,
    seen,
    tree_bias,
)

pytestmark = pytest.mark.quick

GROUPS, SHARED, DIM = 2, 3, 16


def inputs(nodes: int, length: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(nodes + length)
    q = torch.randn(GROUPS, nodes, SHARED, DIM, generator=generator)
    k, v = torch.randn(2, GROUPS, length + nodes, DIM, generator=generator)
    return q, k, v


def formula(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """mask bool [N, N] of the nodes among themselves -> [N, heads * d], head by head."""
    nodes, rows = q.shape[1], []
    seen = torch.cat((torch.ones(nodes, k.shape[1] - nodes, dtype=torch.bool), mask), 1)
    for head in range(GROUPS * SHARED):
        group, shared = divmod(head, SHARED)
        scores = (q[group, :, shared] @ k[group].t()).masked_fill(~seen, float("-inf"))
        rows.append(scores.softmax(-1) @ v[group])
    return torch.cat(rows, 1)


@pytest.mark.parametrize("length", [0, 5])
def test_a_tree_sees_what_is_cached_and_its_own_ancestors(length: int) -> None:
    mask = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 1]]).bool()
    q, k, v = inputs(4, length)
    expected, bias = formula(q, k, v, mask), tree_bias(mask)
    torch.testing.assert_close(attend_few(q, k[None], v[None], seen(bias, length, SHARED, torch.float32)), expected)
    torch.testing.assert_close(attend_many(q, k[None], v[None], bias), expected)


def test_a_single_node_sees_everything() -> None:
    q, k, v = inputs(1, 9)
    torch.testing.assert_close(attend_few(q, k[None], v[None], None), formula(q, k, v, torch.ones(1, 1).bool()))


@pytest.mark.parametrize(("nodes", "length"), [(20, 0), (20, 7), (8, 3), (16, 0)])
def test_a_chain_by_blocks_or_fused_is_causal(nodes: int, length: int) -> None:
    q, k, v = inputs(nodes, length)
    expected = formula(q, k, v, torch.ones(nodes, nodes).bool().tril())
    causal = tree_bias(torch.ones(8, 8).bool().tril())
    torch.testing.assert_close(attend_chain(q, k[None], v[None], causal), expected)
    torch.testing.assert_close(attend_chain_fused(q, k[None], v[None]), expected)
