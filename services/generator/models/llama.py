"""The decoder of the Llama family (Llama, Mistral, Qwen2, Qwen3): RMSNorm, rotary embedding, grouped queries, SwiGLU.

Checked against transformers' logits; knows nothing of files (loading.py), quantisation (linear.py), trees' origins or text.
The nodes of all rows are computed as one list [T, h], T the sum of the real nodes: padding costs nothing but in the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from services.generator.errors import BadRequest
from services.generator.models import StepInput, StepOutput, TargetConfig
from services.generator.models.architecture import Architecture
from services.generator.models.attention import BLOCK, FEW, attend_chain, attend_few, attend_many, seen, tree_bias
from services.generator.models.graphs import Graphs
from services.generator.models.kv_cache import KVCache
from services.generator.models.linear import Linear
from services.generator.models.residual import Residual
from services.generator.models.threads import Threads
from services.generator.native.step import NODES, NativeDecoder

CHAIN = 32  # a longer chain is a prefill: bound by computing, not by reading


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
    residual: type[Residual]  # whose `prepared` made the norms' weights
    embedding: torch.Tensor  # [V, h]
    layers: tuple[Layer, ...]
    norm: torch.Tensor
    head: Linear
    rotations: torch.Tensor  # complex64 [max_positions, head_dim / 2]
    native: NativeDecoder | None = None  # all of it but embedding and head, for small steps on a CPU


@dataclass(frozen=True, slots=True)
class Heads:
    """Queries, keys and values of one layer at a time, and the views of them that every layer of a step uses again."""

    flat: torch.Tensor  # fp32 [T, (heads + 2 kv_heads) * d]
    by_head: torch.Tensor  # [T, heads + 2 kv_heads, d]
    turned: torch.Tensor  # complex [T, heads + kv_heads, d / 2]: queries and keys are rotated, values are not
    rotations: torch.Tensor  # the same shape; the attention's scale is in those of the queries


@dataclass(frozen=True, slots=True)
class Row:
    """One row's part of a step: its views into Heads and into the cache."""

    q: torch.Tensor  # [kv_heads, N, g, d]
    fresh: torch.Tensor  # [2, kv_heads, N, d]: the step's keys and values
    kept: tuple[torch.Tensor, ...]  # per layer [2, kv_heads, N, d]: where they go
    keys: tuple[torch.Tensor, ...]  # per layer [1, kv_heads, length + N, d]
    values: tuple[torch.Tensor, ...]
    bias: torch.Tensor | None  # [N, N]; None: a single node, or a chain of more than CHAIN
    mask: torch.Tensor | None  # for attend_few


class LlamaTarget:
    """A `Target`. `dtype` is that of the activations; keys and values are kept in `kv_dtype`."""

    def __init__(
        self, architecture: Architecture, weights: Weights, *, name: str, kv_dtype: torch.dtype, threads: Threads | None = None
    ) -> None:
        a = architecture
        self.architecture, self.weights, self.threads = a, weights, threads
        self.config = TargetConfig(
            a.vocab_size, a.hidden_size, a.layers, a.heads, a.kv_heads, a.head_dim, a.max_positions, a.eos_token_ids, name
        )
        self.device, self.dtype, self.kv_dtype = weights.embedding.device, weights.embedding.dtype, kv_dtype
        self.graphs: Graphs | None = Graphs(self) if self.device.type == "cuda" else None
        self.stream_layers = (2, a.layers // 2, a.layers - 3)
        self._causal = tree_bias(torch.ones(BLOCK, BLOCK, dtype=torch.bool, device=self.device).tril_())

    def new_cache(self, rows: int, length: int) -> KVCache:
        a = self.architecture
        return KVCache(a.layers, rows, a.kv_heads, a.head_dim, length, dtype=self.kv_dtype, device=self.device)

    @torch.inference_mode()
    def forward(self, step: StepInput, cache: KVCache) -> StepOutput:
        self._check(step, cache)
        if self.graphs is not None and (found := self.graphs.run(step, cache)) is not None:
            return found
        if self.threads is not None and max(step.counts) > CHAIN:
            self.threads.settle()  # a prompt takes long enough to ask
        tokens, positions = _flat(step.token_ids, step).to(self.device), _flat(step.positions, step).to(self.device)
        if self.weights.native is not None and len(tokens) <= NODES:
            return self._native(self.weights.native, tokens, positions, step, cache)
        x = self.weights.residual(F.embedding(tokens, self.weights.embedding), self.architecture.norm_eps)  # [T, h]
        heads = self.heads(positions)
        rows = self._rows(step, cache, heads)
        streams = {}
        for index, layer in enumerate(self.weights.layers):
            if step.features and index in self.stream_layers:
                streams[index] = x.value.clone()
            x.add(self._attention(x.norm(layer.attention_norm), layer, index, heads, rows))
            gate, up = layer.gate_up(x.norm(layer.mlp_norm)).chunk(2, -1)
            x.add(layer.down(F.silu(gate).mul_(up)))
        return self._output(x.norm(self.weights.norm), streams, step)

    def _native(self, decoder: NativeDecoder, tokens: torch.Tensor, positions: torch.Tensor, step: StepInput, cache: KVCache) -> StepOutput:
        x = F.embedding(tokens, self.weights.embedding).float()
        wanted = self.stream_layers if step.features and min(self.stream_layers) >= 0 else None
        taken = decoder(x, positions, step, cache, wanted)
        streams = {} if taken is None else dict(zip(self.stream_layers, taken, strict=True))
        return self._output(x, streams, step)

    @property
    def embedding(self) -> torch.Tensor:
        return self.weights.embedding

    def embed(self, token_ids: torch.Tensor) -> torch.Tensor:
        return F.embedding(token_ids, self.weights.embedding)

    def lm_head(self, hidden: torch.Tensor) -> torch.Tensor:
        flat = hidden.reshape(-1, hidden.shape[-1]).to(self.dtype)
        logits: torch.Tensor = self.weights.head(flat).float().unflatten(0, hidden.shape[:-1])
        return logits

    def linears(self) -> Iterator[Linear]:
        """Every matrix a forward multiplies by."""
        for layer in self.weights.layers:
            yield from (layer.qkv, layer.output, layer.gate_up, layer.down)
        yield self.weights.head

    def _check(self, step: StepInput, cache: KVCache) -> None:
        end = max(length + count for length, count in zip(step.lengths, step.counts, strict=True))
        if end > min(self.config.max_positions, cache.limit):
            raise BadRequest(f"{end} tokens asked of a context of {min(self.config.max_positions, cache.limit)}")
        cache.reserve(end)

    def heads(self, positions: torch.Tensor) -> Heads:
        a, nodes = self.architecture, positions.shape[0]
        flat = torch.empty(nodes, a.q_size + 2 * a.kv_size, dtype=torch.float32, device=self.device)
        by_head = flat.view(nodes, -1, a.head_dim)
        turned = torch.view_as_complex(by_head.unflatten(2, (-1, 2)))[:, : a.heads + a.kv_heads]
        rotations = self.weights.rotations[positions].unsqueeze(1)  # [T, 1, d / 2]
        rotations = torch.cat(((rotations * a.head_dim**-0.5).expand(-1, a.heads, -1), rotations.expand(-1, a.kv_heads, -1)), 1)
        return Heads(flat, by_head, turned, rotations)

    def _rows(self, step: StepInput, cache: KVCache, heads: Heads) -> list[Row]:
        a, rows, first = self.architecture, [], 0
        q = heads.by_head[:, : a.heads].unflatten(1, (a.kv_heads, -1)).transpose(0, 1)  # [kv_heads, T, g, d]
        fresh = heads.by_head[:, a.heads :].unflatten(1, (2, a.kv_heads)).permute(1, 2, 0, 3)  # [2, kv_heads, T, d]
        for r, (slot, start, count) in enumerate(zip(step.slots, step.lengths, step.counts, strict=True)):
            kv = cache.kv[:, :, slot, :, : start + count]  # [layers, 2, kv_heads, length + N, d]
            bias = self._bias(None if step.tree_mask is None else step.tree_mask[r, :count, :count].to(self.device), count)
            few = bias is not None and (count <= FEW or bias.is_cuda)
            row = Row(
                q=q[:, first : first + count],
                fresh=fresh[:, :, first : first + count],
                kept=kv[:, :, :, start:].unbind(0),
                keys=kv[:, :1].unbind(0),
                values=kv[:, 1:].unbind(0),
                bias=bias,
                mask=seen(bias, start, a.heads // a.kv_heads, self.kv_dtype) if few and bias is not None else None,
            )
            rows.append(row)
            first += count
        return rows

    def _bias(self, mask: torch.Tensor | None, count: int) -> torch.Tensor | None:
        if count == 1:
            return None
        if mask is not None:
            return tree_bias(mask)
        return self._causal[:count, :count] if count <= CHAIN else None

    def _attention(self, x: torch.Tensor, layer: Layer, index: int, heads: Heads, rows: list[Row]) -> torch.Tensor:
        """x [T, h], normed -> [T, h]; the step's keys and values are written into the cache."""
        self.project(x, layer, heads)
        mixed = [self._attend_row(row, index) for row in rows]
        return layer.output((mixed[0] if len(mixed) == 1 else torch.cat(mixed)).to(self.dtype))

    def project(self, x: torch.Tensor, layer: Layer, heads: Heads) -> None:
        """x [T, h], normed, becomes the queries, keys and values in `heads`, normed and rotated."""
        heads.flat.copy_(layer.qkv(x))
        if layer.q_norm is not None and layer.k_norm is not None:
            a = self.architecture
            _norm_heads(heads.by_head[:, : a.heads], layer.q_norm, a.norm_eps)
            _norm_heads(heads.by_head[:, a.heads : a.heads + a.kv_heads], layer.k_norm, a.norm_eps)
        heads.turned.mul_(heads.rotations)

    def _attend_row(self, row: Row, index: int) -> torch.Tensor:
        """-> [N, heads * d]"""
        row.kept[index].copy_(row.fresh)
        q, k, v = row.q.to(self.kv_dtype), row.keys[index], row.values[index]
        if q.shape[1] == 1 or row.mask is not None:
            return attend_few(q, k, v, row.mask)
        return attend_chain(q, k, v, self._causal) if row.bias is None else attend_many(q, k, v, row.bias)

    def _output(self, hidden: torch.Tensor, streams: dict[int, torch.Tensor], step: StepInput) -> StepOutput:
        """hidden [T, h]: after the last norm; `streams`: what the features are, by layer."""
        counts, nodes = step.counts, step.token_ids.shape[1]
        starts = [max(0, n + step.logits_from) if step.logits_from < 0 else min(n, step.logits_from) for n in counts]
        width = -step.logits_from if step.logits_from < 0 else nodes - step.logits_from
        picked = torch.cat([part[start:] for part, start in zip(hidden.split(counts), starts, strict=True)]) if any(starts) else hidden
        head = self.weights.head(picked) if picked.shape[0] else picked.new_empty(0, self.config.vocab_size)
        logits = _padded(head.float(), [n - start for n, start in zip(counts, starts, strict=True)], width)
        if not step.features:
            return StepOutput(logits, None, None)
        joined = torch.cat([streams[i] for i in self.stream_layers], -1) if min(self.stream_layers) >= 0 else None
        return StepOutput(logits, _padded(hidden, counts, nodes), None if joined is None else _padded(joined, counts, nodes))


def _norm_heads(heads: torch.Tensor, weight: torch.Tensor, eps: float) -> None:
    """[T, heads, d], in place."""
    heads.copy_(F.rms_norm(heads, weight.shape, weight, eps))


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
