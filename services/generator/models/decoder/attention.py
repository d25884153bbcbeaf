"""Attention of a step's nodes to a row's cached positions and to each other. Knows nothing of
layers, weights or text.

Grouped queries are packed into the query length, so keys and values are read once per key/value
head and never repeated. All positions before the step are visible; only the step's own N x N part
is masked. Which form is fastest depends on the number of nodes: measured in a running model, where
keys come from memory and not from a cache (docs/benchmarks.md).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F

FEW = 8  # nodes: up to here torch's fused attention is the faster on a CPU, whose scores are fp32 besides
BLOCK = 128  # nodes of a prefill that are computed at a time


def tree_bias(mask: torch.Tensor) -> torch.Tensor:
    """Turn bool [N, N] into fp32 [N, N], what is added to the scores of the step's own nodes."""
    return torch.zeros(mask.shape, dtype=torch.float32, device=mask.device).masked_fill_(~mask, float("-inf"))


def seen(bias: torch.Tensor, length: int, shared: int, dtype: torch.dtype) -> torch.Tensor:
    """Turn bias [N, N] into what `attend_few` adds to its scores, [N * g, length + N]: nothing to
    the `length` cached positions."""
    mask = torch.zeros(bias.shape[0] * shared, length + bias.shape[0], dtype=dtype, device=bias.device)
    mask[:, length:] = bias.repeat_interleave(shared, 0)
    return mask


def attend_few(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    """Attend: q [kv_heads, N, g, d], scaled; k and v [1, kv_heads, L + N, d], the step's own nodes
    last -> [N, kv_heads * g * d].

    `mask` is what `seen` made; None when N is 1.
    """
    groups, nodes, shared, dim = q.shape
    mixed = F.scaled_dot_product_attention(q.reshape(1, groups, nodes * shared, dim), k, v, mask, scale=1.0)
    if nodes == 1:
        return mixed.view(1, groups * shared * dim)
    return mixed.view(groups, nodes, shared, dim).transpose(0, 1).reshape(nodes, groups * shared * dim)


def attend_many(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Attend by two products, for more nodes on a CPU. bias [N, N] masks the nodes from each
    other."""
    groups, nodes, shared, dim = q.shape
    scores = torch.bmm(q.reshape(groups, nodes * shared, dim), k.squeeze(0).transpose(1, 2))  # [kv_heads, N * g, L + N]
    own = scores.view(groups, nodes, shared, -1).narrow(3, scores.shape[2] - nodes, nodes)
    own.add_(bias.unsqueeze(1))  # [N, 1, N]
    mixed = torch.bmm(torch.softmax(scores, -1), v.squeeze(0))
    return mixed.view(groups, nodes, shared, dim).transpose(0, 1).reshape(nodes, groups * shared * dim)


def attend_chain(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: torch.Tensor) -> torch.Tensor:
    """Attend along a causal chain, block by block: later keys are not looked at. Shapes as in
    `attend_few`.

    `causal` is the bias of one block [B, B]. On a CPU a block of 128 in bf16 takes a third of the
    time of torch's fused attention, which computes what it masks.
    """
    if q.is_cuda:
        return attend_chain_fused(q, k, v)
    nodes, length, block = q.shape[1], k.shape[2], causal.shape[0]
    mixed = []
    for first in range(0, nodes, block):
        last = min(first + block, nodes)
        end = length - nodes + last  # what the block's last node sees
        mixed.append(
            attend_many(q[:, first:last], k[:, :, :end], v[:, :, :end], causal[: last - first, : last - first])
        )
    return torch.cat(mixed)


def attend_chain_fused(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Attend by torch's fused attention, which on a GPU skips what is masked and knows grouped
    queries."""
    from torch.nn.attention.bias import causal_lower_right  # with torch's compiler: a hundred megabytes

    groups, nodes, shared, dim = q.shape
    heads = q.transpose(1, 2).reshape(1, groups * shared, nodes, dim)
    mask = causal_lower_right(nodes, k.shape[2])
    mixed = F.scaled_dot_product_attention(heads, k, v, attn_mask=mask, scale=1.0, enable_gqa=True)
    return mixed.squeeze(0).transpose(0, 1).reshape(nodes, groups * shared * dim)
