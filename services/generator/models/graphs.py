"""Steps of one row with shapes that never change, so that a GPU replays them as a graph: no kernel
is started by Python.

A graph is made for each (row of the cache, nodes, cached positions), both sizes rounded up to a
few. Everything that differs between two steps goes up in one copy: tokens, positions, who sees whom
as bits, and where the row's verified tokens end. Keys and values are written where that says, and a
mask made of it once per step hides what lies beyond. The arithmetic is the decoder's own.
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from services.generator.models import StepInput, StepOutput
from services.generator.models.decoder.attention import attend_few
from services.generator.models.decoder.layers import Decoder
from services.generator.models.kv_cache import KVCache

NODES = (1, 2, 4, 8, 16, 32, 64)  # 64: one word of bits per node
LENGTHS = (256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072)  # positions, the step's own among them


def rounded(value: int, sizes: tuple[int, ...], limit: int) -> int | None:
    """Return the smallest of `sizes` that holds `value`, at most `limit`; None when there is
    none."""
    return next((min(size, limit) for size in sizes if min(size, limit) >= value), None)


def ancestor_bits(mask: NDArray[np.bool_] | None, count: int, nodes: int) -> NDArray[np.int64]:
    """Return int64 [nodes]: bit j of word i is set when node i sees node j. Padding sees itself.
    `mask` [count, count]; None: a chain."""
    seen = np.eye(nodes, dtype=np.bool_)
    seen[:count, :count] = np.tri(count, dtype=np.bool_) if mask is None else mask
    words = np.zeros((nodes, 8), np.uint8)
    packed = np.packbits(seen, axis=1, bitorder="little")
    words[:, : packed.shape[1]] = packed
    return words.view("<i8")[:, 0]


class StaticStep:
    """`run` computes what `load` put in; on a GPU, `capture` turns `run` into a graph that `replay`
    starts."""

    def __init__(self, target: Decoder, cache: KVCache, slot: int, nodes: int, length: int) -> None:
        self.target, self.nodes, self.length = target, nodes, length
        self.kv = cache.kv[:, :, slot, :, :length]  # [layers, 2, kv_heads, length, d]
        device = target.device
        self._host = torch.zeros(3 * nodes + 1, dtype=torch.int64, pin_memory=device.type == "cuda")
        self.inputs = torch.zeros(3 * nodes + 1, dtype=torch.int64, device=device)
        self.columns = torch.arange(length, device=device)
        self.places = torch.arange(nodes, device=device)
        self._graph: torch.cuda.CUDAGraph | None = None
        self._output: tuple[torch.Tensor, torch.Tensor, torch.Tensor | None] | None = None

    def load(self, step: StepInput) -> None:
        """Upload once. `step` has one row, of at most `nodes` nodes."""
        count, start, nodes = step.counts[0], step.lengths[0], self.nodes
        host = self._host.numpy()
        host[:nodes], host[nodes : 2 * nodes] = 0, start
        host[:count], host[nodes : nodes + count] = step.token_ids[0, :count].cpu(), step.positions[0, :count].cpu()
        mask = None if step.tree_mask is None else step.tree_mask[0, :count, :count].cpu().numpy()
        host[2 * nodes : 3 * nodes] = ancestor_bits(mask, count, nodes)
        host[-1] = start
        self.inputs.copy_(self._host, non_blocking=True)

    def run(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Return logits fp32 [nodes, V], last hidden states, residual streams."""
        target, a = self.target, self.target.architecture
        tokens, positions, bits, start = self.inputs.split((self.nodes, self.nodes, self.nodes, 1))
        mask, where = self._mask(bits, start), start + self.places
        x = target.weights.residual(target.weights.embedding(tokens), a.norm_eps)
        qkv = target.qkv_views(positions)
        q = qkv.by_head[:, : a.heads].unflatten(1, (a.kv_heads, -1)).transpose(0, 1)  # [kv_heads, N, g, d]
        fresh = qkv.by_head[:, a.heads :].unflatten(1, (2, a.kv_heads)).permute(1, 2, 0, 3)  # [2, kv_heads, N, d]
        streams = {}
        for index, layer in enumerate(target.weights.layers):
            if index in target.stream_layers:
                streams[index] = x.value.clone()
            target.project(x.norm(layer.attention_norm), layer, qkv)
            kv = self.kv[index]
            kv.index_copy_(2, where, fresh.to(kv.dtype))
            mixed = attend_few(q.to(kv.dtype), kv[:1], kv[1:], mask)
            x.add(layer.output(mixed.to(target.dtype)))
            gate, up = layer.gate_up(x.norm(layer.mlp_norm)).chunk(2, -1)
            x.add(layer.down(F.silu(gate).mul_(up)))
        hidden = x.norm(target.weights.norm)
        joined = (
            torch.cat([streams[index] for index in target.stream_layers], -1)
            if min(target.stream_layers) >= 0
            else None
        )
        return target.weights.head(hidden).float(), hidden, joined

    def _mask(self, bits: torch.Tensor, start: torch.Tensor) -> torch.Tensor:
        """Return what is added to the scores, [N * g, length]: every position before `start` is
        seen, then the node's own ancestors."""
        a, behind = self.target.architecture, self.columns - start  # negative: verified
        own = (bits[:, None] >> behind.clamp(0, self.nodes - 1)) & 1
        seen = (behind < 0) | ((behind < self.nodes) & own.bool())
        mask = torch.zeros(seen.shape, dtype=self.target.kv_dtype, device=seen.device).masked_fill_(
            ~seen, float("-inf")
        )
        return mask.repeat_interleave(a.heads // a.kv_heads, 0)

    def capture(self) -> None:
        """Make the graph; needs a GPU, and the first inputs loaded: what it computes while warming
        up is what `replay` computes again."""
        side = torch.cuda.Stream(self.target.device)
        side.wait_stream(torch.cuda.current_stream(self.target.device))
        with torch.cuda.stream(side):
            for _ in range(2):
                self.run()
        torch.cuda.current_stream(self.target.device).wait_stream(side)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._output = self.run()

    def replay(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        if self._graph is None or self._output is None:
            return self.run()
        self._graph.replay()
        return self._output


class Graphs:
    """The steps that were captured. Those of a cache that has grown since are dropped: its tensor
    is another one."""

    def __init__(self, target: Decoder, capture: bool = True) -> None:
        self._target, self._capture = target, capture
        self._kv: torch.Tensor | None = None
        self.steps: dict[tuple[int, int, int], StaticStep] = {}  # by slot, nodes and length

    def run(self, step: StepInput, cache: KVCache) -> StepOutput | None:
        """Run a step. None: not one for a graph (several rows, a prompt, a part of the logits)."""
        if len(step.counts) != 1 or step.logits_from != 0:
            return None
        nodes = rounded(step.counts[0], NODES, NODES[-1])
        length = None if nodes is None else rounded(step.lengths[0] + nodes, LENGTHS, cache.length)
        if nodes is None or length is None:
            return None
        if self._kv is not cache.kv:
            self._kv, self.steps = cache.kv, {}
        static = self.steps.get((step.slots[0], nodes, length))
        if static is None:
            static = self.steps[(step.slots[0], nodes, length)] = StaticStep(
                self._target, cache, step.slots[0], nodes, length
            )
            static.load(step)
            if self._capture:
                static.capture()
        static.load(step)
        logits, hidden, streams = static.replay()
        count = step.counts[0]
        joined = None if streams is None or not step.features else streams[None, :count]
        return StepOutput(logits[None, :count], hidden[None, :count] if step.features else None, joined)
