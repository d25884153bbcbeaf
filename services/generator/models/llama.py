"""The decoder of the Llama family (Llama, Mistral, Qwen2, Qwen3): RMSNorm, rotary embedding, grouped queries, SwiGLU.

Checked against transformers' logits; knows nothing of files (loading.py), quantisation (linear.py), trees' origins or text.
The nodes of all rows are computed as one list [T, h], T the sum of the real nodes: padding costs nothing but in the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from services.generator.errors import BadRequest
from services.generator.kv_cache import KVCache
from services.generator.models import StepInput, StepOutput, TargetConfig
from services.generator.models.architecture import Architecture
from services.generator.models.attention import CHAIN_CHUNK, attend, attend_chain, tree_bias
from services.generator.models.linear import Linear


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


@dataclass(frozen=True, slots=True)
class Weights:
    embedding: torch.Tensor  # [V, h]
    layers: tuple[Layer, ...]
    norm: torch.Tensor
    head: Linear
    rotations: torch.Tensor  # complex64 [max_positions, head_dim / 2]


@dataclass(frozen=True, slots=True)
class Row:
    """Where one row's nodes are in the list of all nodes, and in the cache."""

    first: int
    last: int
    slot: int
    length: int  # verified positions before the step
    bias: torch.Tensor | None  # [N, N]; None: a single node, or a chain of more than CHAIN_CHUNK


class LlamaTarget:
    """A `Target`. `dtype` is that of the activations; keys and values are kept in `kv_dtype`."""

    def __init__(self, architecture: Architecture, weights: Weights, *, name: str, kv_dtype: torch.dtype) -> None:
        a = architecture
        self.architecture, self.weights = a, weights
        self.config = TargetConfig(
            a.vocab_size, a.hidden_size, a.layers, a.heads, a.kv_heads, a.head_dim, a.max_positions, a.eos_token_ids, name
        )
        self.device, self.dtype, self.kv_dtype = weights.embedding.device, weights.embedding.dtype, kv_dtype
        self._scale = a.head_dim**-0.5
        self._stream_layers = (2, a.layers // 2, a.layers - 3)
        self._causal = tree_bias(torch.ones(CHAIN_CHUNK, CHAIN_CHUNK, dtype=torch.bool, device=self.device).tril_())

    def new_cache(self, rows: int, length: int) -> KVCache:
        a = self.architecture
        return KVCache(a.layers, rows, a.kv_heads, a.head_dim, length, dtype=self.kv_dtype, device=self.device)

    @torch.inference_mode()
    def forward(self, step: StepInput, cache: KVCache) -> StepOutput:
        self._check(step, cache)
        rows = self._rows(step)
        tokens, positions = _flat(step.token_ids, step), _flat(step.positions, step)
        x = F.embedding(tokens, self.weights.embedding)  # [T, h]
        rotations = self.weights.rotations[positions].unsqueeze(1)  # [T, 1, d / 2]
        streams = []
        for index, layer in enumerate(self.weights.layers):
            if step.features and index in self._stream_layers:
                streams.append((index, x.clone()))
            x = self._attention(x, layer, cache.kv[index], rows, rotations)
            x = self._mlp(x, layer)
        return self._output(x, streams, step)

    def embed(self, token_ids: torch.Tensor) -> torch.Tensor:
        return F.embedding(token_ids, self.weights.embedding)

    def lm_head(self, hidden: torch.Tensor) -> torch.Tensor:
        flat = hidden.reshape(-1, hidden.shape[-1]).to(self.dtype)
        return self.weights.head(flat).float().unflatten(0, hidden.shape[:-1])

    def _check(self, step: StepInput, cache: KVCache) -> None:
        end = max(length + count for length, count in zip(step.lengths, step.counts, strict=True))
        if end > min(self.config.max_positions, cache.limit):
            raise BadRequest(f"{end} tokens asked of a context of {min(self.config.max_positions, cache.limit)}")
        cache.reserve(end)

    def _rows(self, step: StepInput) -> list[Row]:
        rows, first = [], 0
        for r, count in enumerate(step.counts):
            bias = None
            if step.tree_mask is not None and count > 1:
                bias = tree_bias(step.tree_mask[r, :count, :count])
            elif 1 < count <= CHAIN_CHUNK:
                bias = self._causal[:count, :count]
            rows.append(Row(first, first + count, step.slots[r], step.lengths[r], bias))
            first += count
        return rows

    def _attention(self, x: torch.Tensor, layer: Layer, kv: torch.Tensor, rows: list[Row], rotations: torch.Tensor) -> torch.Tensor:
        """kv [2, rows, kv_heads, length, d] of this layer; the step's keys and values are written into it."""
        a = self.architecture
        normed = F.rms_norm(x, (a.hidden_size,), layer.attention_norm, a.norm_eps)
        qkv = layer.qkv(normed).float().unflatten(1, (a.heads + 2 * a.kv_heads, a.head_dim))  # [T, H + 2 kv, d]
        q, k = qkv[:, : a.heads], qkv[:, a.heads : a.heads + a.kv_heads]
        if layer.q_norm is not None:
            q.copy_(F.rms_norm(q, (a.head_dim,), layer.q_norm, a.norm_eps))
            k.copy_(F.rms_norm(k, (a.head_dim,), layer.k_norm, a.norm_eps))
        torch.view_as_complex(qkv[:, : a.heads + a.kv_heads].unflatten(2, (-1, 2))).mul_(rotations)
        new = qkv[:, a.heads :].unflatten(1, (2, a.kv_heads)).permute(1, 2, 0, 3)  # [2, kv, T, d]
        mixed = [self._attend_row(q, new, kv, row) for row in rows]
        out = layer.output((mixed[0] if len(mixed) == 1 else torch.cat(mixed)).to(x.dtype))
        return out.add_(x)

    def _attend_row(self, q: torch.Tensor, new: torch.Tensor, kv: torch.Tensor, row: Row) -> torch.Tensor:
        end = row.length + row.last - row.first
        kv[:, row.slot, :, row.length : end].copy_(new[:, :, row.first : row.last])
        k, v = kv[0, row.slot, :, :end], kv[1, row.slot, :, :end]
        own = q[row.first : row.last].to(kv.dtype)
        if row.bias is None and row.last - row.first > 1:
            return attend_chain(own, k, v, self._scale)
        return attend(own, k, v, row.bias, self._scale)

    def _mlp(self, x: torch.Tensor, layer: Layer) -> torch.Tensor:
        a = self.architecture
        gate, up = layer.gate_up(F.rms_norm(x, (a.hidden_size,), layer.mlp_norm, a.norm_eps)).chunk(2, -1)
        return layer.down(F.silu(gate).mul_(up)).add_(x)

    def _output(self, x: torch.Tensor, streams: list[tuple[int, torch.Tensor]], step: StepInput) -> StepOutput:
        a, counts = self.architecture, step.counts
        nodes = step.token_ids.shape[1]
        starts = [n + step.logits_from if step.logits_from < 0 else step.logits_from for n in counts]
        if step.features:
            x = F.rms_norm(x, (a.hidden_size,), self.weights.norm, a.norm_eps)
        spans, first = [], 0
        for start, count in zip(starts, counts, strict=True):
            spans.append((first + min(max(start, 0), count), first + count))
            first += count
        picked = x[spans[0][0] :] if len(spans) == 1 else torch.cat([x[b:e] for b, e in spans])
        if not step.features:
            picked = F.rms_norm(picked, (a.hidden_size,), self.weights.norm, a.norm_eps)
        width = -step.logits_from if step.logits_from < 0 else nodes - step.logits_from
        logits = _padded(self.weights.head(picked).float(), [e - b for b, e in spans], width)
        if not step.features:
            return StepOutput(logits, None, None)
        by_layer = dict(streams)
        joined = torch.cat([by_layer[i] for i in self._stream_layers], -1) if set(self._stream_layers) <= set(by_layer) else None
        return StepOutput(logits, _padded(x, counts, nodes), None if joined is None else _padded(joined, counts, nodes))


def _flat(values: torch.Tensor, step: StepInput) -> torch.Tensor:
    """[R, N] -> [T], the padding left out."""
    if len(step.counts) == 1:
        return values[0, : step.counts[0]]
    return torch.cat([values[r, :count] for r, count in enumerate(step.counts)])


def _padded(flat: torch.Tensor, counts: tuple[int, ...] | list[int], width: int) -> torch.Tensor:
    """[T, ...] -> [R, width, ...]; what is beyond a row's count is zero."""
    if len(counts) == 1 and counts[0] == width:
        return flat.unsqueeze(0)
    padded = flat.new_zeros(len(counts), width, flat.shape[1])
    first = 0
    for r, count in enumerate(counts):
        padded[r, :count] = flat[first : first + count]
        first += count
    return padded
