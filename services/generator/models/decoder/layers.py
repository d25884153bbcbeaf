"""The decoder's layers: their weights, and the queries, keys and values that llama.py's steps and
graphs.py's make of them alike.

Knows nothing of rows, caches, trees or files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
import torch.nn.functional as F

from services.generator.models.decoder.linear import Linear
from services.generator.models.decoder.residual import Residual
from services.generator.models.files.architecture import Architecture
from services.generator.models.files.blocks import Blocks, Weight
from services.generator.native.step import NativeDecoder


@dataclass(frozen=True, slots=True)
class Layer:
    """One decoder layer's weights; q, k and v, and gate and up, are one matrix each."""

    attention_norm: torch.Tensor
    qkv: Linear
    q_norm: torch.Tensor | None  # [head_dim], Qwen3
    k_norm: torch.Tensor | None
    output: Linear
    mlp_norm: torch.Tensor
    gate_up: Linear
    down: Linear


class Embedding:
    """Turns tokens [...] into [..., h] of `dtype`; a quantised table stays as it is until all of it
    is asked for."""

    def __init__(self, weight: Weight, dtype: torch.dtype, device: torch.device) -> None:
        self.weight, self.dtype, self.device = weight, dtype, device

    def __call__(self, token_ids: torch.Tensor) -> torch.Tensor:
        if isinstance(self.weight, Blocks) and "dense" not in self.__dict__:
            return self.weight.rows(token_ids.flatten()).dense(self.dtype).view(*token_ids.shape, -1)
        return F.embedding(token_ids, self.dense)

    @cached_property
    def dense(self) -> torch.Tensor:
        """[V, h]"""
        return self.weight.dense(self.dtype) if isinstance(self.weight, Blocks) else self.weight.to(self.dtype)


@dataclass(frozen=True, slots=True)
class Weights:
    residual: type[Residual]  # whose `prepared` made the norms' weights
    embedding: Embedding
    layers: tuple[Layer, ...]
    norm: torch.Tensor
    head: Linear
    rotations: torch.Tensor  # complex64 [max_positions, head_dim / 2]
    native: NativeDecoder | None = None  # all of it but embedding and head, for small steps on a CPU
    exact: bool = False  # the native decoder computes steps of every size: a node's bits are the same in any company


@dataclass(frozen=True, slots=True)
class QkvViews:
    """Queries, keys and values of one layer at a time, and the views of them that every layer of a
    step uses again."""

    flat: torch.Tensor  # fp32 [T, (heads + 2 kv_heads) * d]
    by_head: torch.Tensor  # [T, heads + 2 kv_heads, d]
    turned: torch.Tensor  # complex [T, heads + kv_heads, d / 2]: queries and keys are rotated, values are not
    rotations: torch.Tensor  # the same shape; the attention's scale is in those of the queries


class Decoder:
    """What a checkpoint becomes. `dtype` is that of the activations; keys and values are kept in
    `kv_dtype`."""

    def __init__(self, architecture: Architecture, weights: Weights, kv_dtype: torch.dtype) -> None:
        self.architecture, self.weights = architecture, weights
        self.device, self.dtype, self.kv_dtype = weights.embedding.device, weights.embedding.dtype, kv_dtype
        self.stream_layers = (2, architecture.layers // 2, architecture.layers - 3)

    def qkv_views(self, positions: torch.Tensor) -> QkvViews:
        """Make room for a step's queries, keys and values, int64 positions [T]."""
        a, nodes = self.architecture, positions.shape[0]
        flat = torch.empty(nodes, a.q_size + 2 * a.kv_size, dtype=torch.float32, device=self.device)
        by_head = flat.view(nodes, -1, a.head_dim)
        turned = torch.view_as_complex(by_head.unflatten(2, (-1, 2)))[:, : a.heads + a.kv_heads]
        rotations = self.weights.rotations[positions].unsqueeze(1)  # [T, 1, d / 2]
        rotations = torch.cat(
            ((rotations * a.head_dim**-0.5).expand(-1, a.heads, -1), rotations.expand(-1, a.kv_heads, -1)), 1
        )
        return QkvViews(flat, by_head, turned, rotations)

    def project(
        self, x: torch.Tensor, layer: Layer, qkv: QkvViews, adapt: Callable[[torch.Tensor], object] | None = None
    ) -> None:
        """Turn x [T, h], normed, into the queries, keys and values in `qkv`, adapted in place,
        normed and rotated."""
        qkv.flat.copy_(layer.qkv(x))
        if adapt is not None:
            adapt(qkv.flat)
        if layer.q_norm is not None and layer.k_norm is not None:
            a = self.architecture
            _norm_heads(qkv.by_head[:, : a.heads], layer.q_norm, a.norm_eps)
            _norm_heads(qkv.by_head[:, a.heads : a.heads + a.kv_heads], layer.k_norm, a.norm_eps)
        qkv.turned.mul_(qkv.rotations)


def _norm_heads(heads: torch.Tensor, weight: torch.Tensor, eps: float) -> None:
    """Norm [T, heads, d] in place."""
    heads.copy_(F.rms_norm(heads, weight.shape, weight, eps))
