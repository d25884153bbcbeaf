"""The decoder of the Llama family (Llama, Mistral, Qwen2, Qwen3): RMSNorm, rotary embedding,
grouped queries, SwiGLU.

Checked against transformers' logits; knows nothing of files (loading.py), quantisation (linear.py),
trees' origins or text. The nodes of all rows are computed as one list [T, h], T the sum of the real
nodes: padding costs nothing but in the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from services.generator.errors import BadRequest
from services.generator.models import StepInput, StepOutput, TargetConfig
from services.generator.models.decoder.adapters import Deltas
from services.generator.models.decoder.attention import (
    BLOCK,
    FEW,
    attend_chain,
    attend_few,
    attend_many,
    seen,
    tree_bias,
)
from services.generator.models.decoder.layers import Decoder, Layer, QkvViews, Weights
from services.generator.models.decoder.linear import Linear
from services.generator.models.files.architecture import Architecture
from services.generator.models.graphs import Graphs
from services.generator.models.kv_cache import KVCache
from services.generator.models.threads import Threads
from services.generator.native.step import NODES, NativeDecoder, StepRows, Working, portions, within

CHAIN = 32  # a longer chain is a prefill: bound by computing, not by reading


@dataclass(frozen=True, slots=True)
class StepRow:
    """One row's part of a step: its views into QkvViews and into the cache."""

    q: torch.Tensor  # [kv_heads, N, g, d]
    fresh: torch.Tensor  # [2, kv_heads, N, d]: the step's keys and values
    kept: tuple[torch.Tensor, ...]  # per layer [2, kv_heads, N, d]: where they go
    keys: tuple[torch.Tensor, ...]  # per layer [1, kv_heads, length + N, d]
    values: tuple[torch.Tensor, ...]
    bias: torch.Tensor | None  # [N, N]; None: a single node, or a chain of more than CHAIN
    mask: torch.Tensor | None  # for attend_few


class LlamaTarget(Decoder):
    """A `Target`: a decoder with its cache, its steps and what it lends to heads."""

    def __init__(
        self,
        architecture: Architecture,
        weights: Weights,
        *,
        name: str,
        kv_dtype: torch.dtype,
        threads: Threads | None = None,
    ) -> None:
        super().__init__(architecture, weights, kv_dtype)
        self.threads = threads
        a = architecture
        self.config = TargetConfig(
            a.vocab_size,
            a.hidden_size,
            a.layers,
            a.heads,
            a.kv_heads,
            a.head_dim,
            a.max_positions,
            a.eos_token_ids,
            name,
        )
        self.graphs: Graphs | None = Graphs(self) if self.device.type == "cuda" else None
        self._causal = tree_bias(torch.ones(BLOCK, BLOCK, dtype=torch.bool, device=self.device).tril_())

    def new_cache(self, rows: int, length: int) -> KVCache:
        a = self.architecture
        return KVCache(a.layers, rows, a.kv_heads, a.head_dim, length, dtype=self.kv_dtype, device=self.device)

    def forward(self, step: StepInput, cache: KVCache) -> StepOutput:
        return self.forward_all([step], cache)[0]

    @torch.inference_mode()
    def forward_all(self, steps: Sequence[StepInput], cache: KVCache) -> list[StepOutput]:
        for step in steps:
            self._check(step, cache)
        deltas = _deltas(steps)
        if self.graphs is not None and len(steps) == 1 and not deltas:
            replayed = self.graphs.run(steps[0], cache)
            if replayed is not None:
                return [replayed]
        working = deltas.native if deltas else []
        nodes, native = sum(sum(step.counts) for step in steps), None
        if working is not None and (self.weights.exact or nodes <= NODES):
            native = self.weights.native
        alike = self.weights.exact or nodes <= NODES if native is not None else self.dtype == torch.float32
        if len(steps) > 1 and (not alike or self.graphs is not None):
            return [self.forward_all([step], cache)[0] for step in steps]
        if self.threads is not None and max(max(step.counts) for step in steps) > CHAIN:
            self.threads.settle()  # a prompt takes long enough to ask
        tokens, positions = (
            torch.cat([_flat(getattr(step, name), step).to(self.device) for step in steps])
            for name in ("token_ids", "positions")
        )
        if native is not None:
            return self._native(native, tokens, positions, steps, cache, working or [])
        x = self.weights.residual(self.weights.embedding(tokens), self.architecture.norm_eps)  # [T, h]
        qkv = self.qkv_views(positions)
        rows = self._rows(steps, cache, qkv)
        streams = {}
        for index, layer in enumerate(self.weights.layers):
            if index in self.stream_layers and any(step.features for step in steps):
                streams[index] = x.value.clone()
            x.add(self._attention(x.norm(layer.attention_norm), layer, index, qkv, rows, deltas))
            normed = x.norm(layer.mlp_norm)
            both = layer.gate_up(normed)
            gate, up = (deltas.add(index, "gate_up", normed, both) if deltas else both).chunk(2, -1)
            inner = F.silu(gate).mul_(up)
            y = layer.down(inner)
            x.add(deltas.add(index, "down", inner, y) if deltas else y)
        return self._outputs(x.norm(self.weights.norm), streams, steps)

    def _native(
        self,
        decoder: NativeDecoder,
        tokens: torch.Tensor,
        positions: torch.Tensor,
        steps: Sequence[StepInput],
        cache: KVCache,
        working: Sequence[Working],
    ) -> list[StepOutput]:
        x = self.weights.embedding(tokens).float()
        wanted = any(step.features for step in steps) and min(self.stream_layers) >= 0
        taken: list[torch.Tensor | None] = []
        first = 0
        for rows in portions(
            *(
                StepRows(step.slots, step.lengths, step.counts, step.tree_mask, step.token_ids.shape[1])
                for step in steps
            )
        ):
            here = slice(first, first := first + sum(rows.counts))
            layers = self.stream_layers if wanted else None
            taken.append(decoder(x[here], positions[here], rows, cache.kv, layers, within(working, here)))
        entered = [each for each in taken if each is not None]
        streams = dict(zip(self.stream_layers, torch.cat(entered, 1), strict=True)) if entered else {}
        return self._outputs(x, streams, steps)

    @property
    def embedding(self) -> torch.Tensor:
        return self.weights.embedding.dense

    def embed(self, token_ids: torch.Tensor) -> torch.Tensor:
        return self.weights.embedding(token_ids)

    def lm_head(self, hidden: torch.Tensor) -> torch.Tensor:
        flat = hidden.reshape(-1, hidden.shape[-1]).to(self.dtype)
        logits: torch.Tensor = self.weights.head(flat).float().unflatten(0, hidden.shape[:-1])
        return logits

    def linears(self) -> Iterator[Linear]:
        """Return every matrix a forward multiplies by."""
        for layer in self.weights.layers:
            yield from (layer.qkv, layer.output, layer.gate_up, layer.down)
        yield self.weights.head

    def _check(self, step: StepInput, cache: KVCache) -> None:
        end = max(length + count for length, count in zip(step.lengths, step.counts, strict=True))
        if end > min(self.config.max_positions, cache.limit):
            raise BadRequest(f"{end} tokens asked of a context of {min(self.config.max_positions, cache.limit)}")
        cache.reserve(end)

    def _rows(self, steps: Sequence[StepInput], cache: KVCache, qkv: QkvViews) -> list[StepRow]:
        a, rows, first = self.architecture, [], 0
        q = qkv.by_head[:, : a.heads].unflatten(1, (a.kv_heads, -1)).transpose(0, 1)  # [kv_heads, T, g, d]
        fresh = qkv.by_head[:, a.heads :].unflatten(1, (2, a.kv_heads)).permute(1, 2, 0, 3)  # [2, kv_heads, T, d]
        for step, r in [(each, r) for each in steps for r in range(len(each.counts))]:
            slot, start, count = step.slots[r], step.lengths[r], step.counts[r]
            kv = cache.kv[:, :, slot, :, : start + count]  # [layers, 2, kv_heads, length + N, d]
            bias = self._bias(
                None if step.tree_mask is None else step.tree_mask[r, :count, :count].to(self.device), count
            )
            few = bias is not None and (count <= FEW or bias.is_cuda)
            row = StepRow(
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

    def _attention(
        self, x: torch.Tensor, layer: Layer, index: int, qkv: QkvViews, rows: list[StepRow], deltas: Deltas | None
    ) -> torch.Tensor:
        """Attend: x [T, h], normed -> [T, h]; the step's keys and values are written into the
        cache."""
        self.project(x, layer, qkv, (lambda y: deltas.add(index, "qkv", x, y)) if deltas else None)
        mixed = [self._attend_row(row, index) for row in rows]
        joined = (mixed[0] if len(mixed) == 1 else torch.cat(mixed)).to(self.dtype)
        y = layer.output(joined)
        return deltas.add(index, "output", joined, y) if deltas else y

    def _attend_row(self, row: StepRow, index: int) -> torch.Tensor:
        """Return [N, heads * d]."""
        row.kept[index].copy_(row.fresh)
        q, k, v = row.q.to(self.kv_dtype), row.keys[index], row.values[index]
        if q.shape[1] == 1 or row.mask is not None:
            return attend_few(q, k, v, row.mask)
        return attend_chain(q, k, v, self._causal) if row.bias is None else attend_many(q, k, v, row.bias)

    def _outputs(
        self, hidden: torch.Tensor, streams: dict[int, torch.Tensor], steps: Sequence[StepInput]
    ) -> list[StepOutput]:
        """Pack hidden [T, h], after the last norm; `streams`: what the features are, by layer. The
        last matrix is read once for all."""
        joined = torch.cat([streams[i] for i in self.stream_layers], -1) if streams else None
        parts, first, wanted = hidden.split([n for step in steps for n in step.counts]), 0, list[list[int]]()
        for step in steps:
            from_end = [step.logits_from + n if step.logits_from < 0 else step.logits_from for n in step.counts]
            wanted.append([max(0, min(n, start)) for n, start in zip(step.counts, from_end, strict=True)])
        starts = [start for own in wanted for start in own]
        picked = torch.cat([part[start:] for part, start in zip(parts, starts, strict=True)]) if any(starts) else hidden
        head = self.weights.head(picked) if picked.shape[0] else picked.new_empty(0, self.config.vocab_size)
        outputs, scored = [], 0
        for step, own in zip(steps, wanted, strict=True):
            left, nodes = [n - start for n, start in zip(step.counts, own, strict=True)], step.token_ids.shape[1]
            width = -step.logits_from if step.logits_from < 0 else nodes - step.logits_from
            logits = _padded(head[scored : scored + sum(left)].float(), left, width)
            here, scored = slice(first, first := first + sum(step.counts)), scored + sum(left)
            outputs.append(
                StepOutput(
                    logits,
                    _padded(hidden[here], step.counts, nodes) if step.features else None,
                    None if joined is None or not step.features else _padded(joined[here], step.counts, nodes),
                )
            )
        return outputs


def _deltas(steps: Sequence[StepInput]) -> Deltas | None:
    if not any(step.adapters for step in steps):
        return None
    active = [one for step in steps for one in step.adapters or (None,) * len(step.counts)]
    return Deltas(active, [n for step in steps for n in step.lengths], [n for step in steps for n in step.counts])


def _flat(values: torch.Tensor, step: StepInput) -> torch.Tensor:
    """Turn [R, N] into [T], the padding left out."""
    if len(step.counts) == 1:
        return values[0, : step.counts[0]]
    return torch.cat([values[r, :count] for r, count in enumerate(step.counts)])


def _padded(flat: torch.Tensor, counts: tuple[int, ...] | list[int], width: int) -> torch.Tensor:
    """Turn [T, ...] into [R, width, ...]; what is beyond a row's count is zero."""
    if len(counts) == 1 and counts[0] == width:
        return flat.unsqueeze(0)
    padded = flat.new_zeros(len(counts), width, flat.shape[1])
    first = 0
    for r, count in enumerate(counts):
        padded[r, :count] = flat[first : first + count]
        first += count
    return padded
