"""Attention of a step's nodes to a row's cached positions and to each other. Knows nothing of layers, weights or text.

Grouped queries are packed into the query length, so keys and values are read once per key/value head and never repeated.
All positions before the step are visible; only the step's own N x N part is masked.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.nn.attention.bias import causal_lower_right

BLOCK = 128  # nodes of a prefill that are computed at a time


def tree_bias(mask: torch.Tensor) -> torch.Tensor:
    """bool [N, N] -> fp32 [N, N], what is added to the scores of the step's own nodes."""
    return torch.zeros(mask.shape, dtype=torch.float32, device=mask.device).masked_fill_(~mask, float("-inf"))


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    """q [kv_heads, N, g, d], scaled; k [kv_heads, d, L + N] and v [kv_heads, L + N, d], own nodes last -> [N, kv_heads * g * d].

    bias [N, N] masks the nodes from each other; None when N is 1. Computed in q's number format.
    """
    groups, nodes, shared, dim = q.shape
    k, v = k.to(q.dtype), v.to(q.dtype)
    scores = torch.bmm(q.reshape(groups, nodes * shared, dim), k)  # [kv_heads, N * g, L + N]
    if bias is not None:
        own = scores.view(groups, nodes, shared, -1).narrow(3, scores.shape[2] - nodes, nodes)
        own.add_(bias.unsqueeze(1))  # [N, 1, N]
    mixed = torch.bmm(torch.softmax(scores, -1), v)
    if nodes == 1:
        return mixed.view(1, groups * shared * dim)
    return mixed.view(groups, nodes, shared, dim).transpose(0, 1).reshape(nodes, groups * shared * dim)


def attend_chain(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: torch.Tensor) -> torch.Tensor:
    """A long causal chain, block by block: later keys are not looked at. Shapes as in `attend`.

    `causal` is the bias of one block [B, B]. On a CPU a block of 128 in bf16 takes a third of the time of torch's fused
    attention, which computes what it masks.
    """
    if q.is_cuda:
        return attend_chain_fused(q, k, v)
    nodes, length, block = q.shape[1], k.shape[2], causal.shape[0]
    k, v = k.to(q.dtype), v.to(q.dtype)
    mixed = []
    for first in range(0, nodes, block):
        last = min(first + block, nodes)
        end = length - nodes + last  # what the block's last node sees
        mixed.append(attend(q[:, first:last], k[:, :, :end], v[:, :end], causal[: last - first, : last - first]))
    return torch.cat(mixed)


def attend_chain_fused(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """The same by torch's fused attention, which on a GPU skips what is masked and knows grouped queries. q is scaled already."""
    groups, nodes, shared, dim = q.shape
    heads = q.transpose(1, 2).reshape(1, groups * shared, nodes, dim)
    keys, values = k.transpose(1, 2).unsqueeze(0).to(q.dtype), v.unsqueeze(0).to(q.dtype)  # [1, kv_heads, L + N, d]
    mask = causal_lower_right(nodes, k.shape[2])
    mixed = F.scaled_dot_product_attention(heads, keys, values, attn_mask=mask, scale=1.0, enable_gqa=True)
    return mixed.squeeze(0).transpose(0, 1).reshape(nodes, groups * shared * dim)
