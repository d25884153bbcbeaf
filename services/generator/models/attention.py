"""Attention of a step's nodes to a row's cached positions and to each other. Knows nothing of layers, weights or text.

Grouped queries are packed into the query length, so keys and values are read once per key/value head and never repeated.
All positions before the step are visible; only the step's own N x N part is masked.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F

CHAIN_CHUNK = 32  # a longer chain is a prefill: compute bound, and worth a fused kernel


def tree_bias(mask: torch.Tensor) -> torch.Tensor:
    """bool [N, N] -> fp32 [N, N], what is added to the scores of the step's own nodes."""
    return torch.zeros(mask.shape, dtype=torch.float32, device=mask.device).masked_fill_(~mask, float("-inf"))


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, bias: torch.Tensor | None, scale: float) -> torch.Tensor:
    """q [N, heads, d]; k [kv_heads, d, L + N] and v [kv_heads, L + N, d], own nodes last -> [N, heads * d].

    bias [N, N] masks the nodes from each other; None when N is 1.
    """
    nodes, heads, dim = q.shape
    groups, shared = k.shape[0], heads // k.shape[0]
    if nodes == 1:
        q = q.view(groups, shared, dim)
    else:
        q = q.view(nodes, groups, shared, dim).transpose(0, 1).reshape(groups, nodes * shared, dim)
    scores = torch.baddbmm(q.new_empty(()), q, k, beta=0, alpha=scale)  # [kv_heads, N * g, L + N]
    if bias is not None:
        own = scores.view(groups, nodes, shared, -1).narrow(3, scores.shape[2] - nodes, nodes)
        own.add_(bias.unsqueeze(1))  # [N, 1, N]
    mixed = torch.bmm(torch.softmax(scores, -1), v)
    if nodes == 1:
        return mixed.view(1, heads * dim)
    return mixed.view(groups, nodes, shared, dim).transpose(0, 1).reshape(nodes, heads * dim)


def attend_chain(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float) -> torch.Tensor:
    """A long causal chain behind L cached positions; shapes as in `attend`."""
    nodes, heads, dim = q.shape
    groups, length = k.shape[0], k.shape[2]
    q = q.view(nodes, groups, heads // groups, dim).permute(1, 2, 0, 3)  # [kv_heads, g, N, d]: groups are the batch
    shape = (groups, heads // groups, length, dim)
    k, v = k.transpose(1, 2).unsqueeze(1).expand(shape), v.unsqueeze(1).expand(shape)  # views with stride 0, no copies
    mask = None
    if length > nodes:
        mask = torch.full((nodes, length), float("-inf"), dtype=q.dtype, device=q.device).triu_(length - nodes + 1)
    mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None, scale=scale)
    return mixed.permute(2, 0, 1, 3).reshape(nodes, heads * dim)
