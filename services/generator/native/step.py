"""A model's layers as kernels.c sees them, and a step computed by it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from services.generator.native import kernels
from services.generator.native.flat import fields
from services.generator.native.matrix import MatrixStruct, PackedMatrix

# of all rows together: more are bound by computing, which torch's packed matrices do faster where
# weights are bf16
NODES = 64
MOST_RANK = 64  # of an adapter's deltas
PORTION = 96  # nodes of a prompt that are computed at a time: what they need stays near the processor


@dataclass(frozen=True, slots=True)
class DecoderSize:
    hidden: int
    inner: int
    heads: int
    kv_heads: int
    head_dim: int
    eps: float


@dataclass(frozen=True, slots=True)
class StepRows:
    """The rows of a step, and who sees whom. Row r's nodes are written behind the starts[r]
    positions that slot slots[r] holds."""

    slots: tuple[int, ...]
    starts: tuple[int, ...]
    counts: tuple[int, ...]  # nodes
    mask: torch.Tensor | None  # bool [rows, width, width]; None: chains
    width: int


def portions(*steps: StepRows) -> Iterator[StepRows]:
    """Cut the rows of steps that are computed as one, in their order, into steps of up to PORTION
    nodes; a tree stays whole. No node's result depends on the cuts."""
    taken: list[tuple[StepRows, int, int, int, int]] = []  # of which step, row, slot, start, count
    room = PORTION
    for rows in steps:
        for row, (slot, start, count) in enumerate(zip(rows.slots, rows.starts, rows.counts, strict=True)):
            first = 0
            while first < count:
                some = min(count - first, room) if rows.mask is None else count
                if not some or (taken and some > room):
                    yield _portion(taken)
                    taken, room = [], PORTION
                    continue
                taken.append((rows, row, slot, start + first, some))
                first, room = first + some, max(0, room - some)
    if taken:
        yield _portion(taken)


def _portion(taken: list[tuple[StepRows, int, int, int, int]]) -> StepRows:
    """Chains among trees are trees that do not branch."""
    steps, rows, slots, starts, counts = zip(*taken, strict=True)
    width, mask = max(counts), None
    if any(step.mask is not None for step in steps):
        width = max(width, *(step.width for step in steps if step.mask is not None))
        mask = torch.ones(len(taken), width, width, dtype=torch.bool).tril_()
        for place, (step, row) in enumerate(zip(steps, rows, strict=True)):
            if step.mask is not None:
                mask[place, : step.width, : step.width] = step.mask[row]
    return StepRows(slots, starts, counts, mask, width)


@dataclass(frozen=True, slots=True)
class NativeLayer:
    """One decoder layer; norms' weights are fp32."""

    attention_norm: torch.Tensor
    mlp_norm: torch.Tensor
    q_norm: torch.Tensor | None
    k_norm: torch.Tensor | None
    qkv: PackedMatrix
    output: PackedMatrix
    gate_up: PackedMatrix
    down: PackedMatrix


class LayerStruct(ctypes.Structure):
    _fields_ = (
        *fields(ctypes.c_void_p, "attention_norm mlp_norm q_norm k_norm"),
        *fields(MatrixStruct, "qkv output gate_up down"),
    )


class ModelStruct(ctypes.Structure):
    _fields_ = (
        *fields(ctypes.c_void_p, "layers norm rotations"),
        *fields(ctypes.c_int32, "count hidden inner heads kv_heads head_dim"),
        ("eps", ctypes.c_float),
        *fields(ctypes.c_int32, "kv_bf16 halves"),
    )


class DeltaStruct(ctypes.Structure):
    """What an adapter adds to one matrix; rank 0: nothing."""

    _fields_ = (
        *fields(ctypes.c_void_p, "down up"),
        *fields(ctypes.c_int32, "rank first outputs padding"),
    )


# an adapter's [layers, 7], the first node that it works on, the one behind the last
Working = tuple[ctypes.Array[DeltaStruct], int, int]


def within(working: Sequence[Working], nodes: slice) -> list[Working]:
    """Return what of them falls among these nodes, counted from the first of these."""
    cut = (
        (deltas, max(first, nodes.start) - nodes.start, min(end, nodes.stop) - nodes.start)
        for deltas, first, end in working
    )
    return [(deltas, first, end) for deltas, first, end in cut if first < end]


class WorkingStruct(ctypes.Structure):
    """An adapter and the nodes that it works on; `deltas`: [layers, 7], those of q, k, v, output,
    gate, up, down."""

    _fields_ = (("deltas", ctypes.c_void_p), ("first", ctypes.c_int32), ("end", ctypes.c_int32))


class StepStruct(ctypes.Structure):
    _fields_ = (
        ("kv", ctypes.c_void_p),
        *fields(ctypes.c_int64, "slots length"),
        *fields(ctypes.c_void_p, "positions slot start nodes mask x streams working"),
        ("stream", ctypes.c_int32 * 3),
        *fields(ctypes.c_int32, "rows width total threads drafted workings"),
    )


class NativeDecoder:
    """All layers and the last norm. Holds the memory that its structs point into."""

    def __init__(
        self, size: DecoderSize, layers: list[NativeLayer], norm: torch.Tensor, rotations: torch.Tensor
    ) -> None:
        library = kernels()
        assert library is not None, "there are no native kernels on this machine"
        self._step = library.bedside_step
        self._held = (layers, norm, rotations)
        self._layers = (LayerStruct * len(layers))(*(layer_struct(layer) for layer in layers))
        self._model = ModelStruct(
            ctypes.addressof(self._layers), norm.data_ptr(), rotations.data_ptr(),
            len(layers), size.hidden, size.inner, size.heads, size.kv_heads, size.head_dim, size.eps, 0, 0,
        )  # fmt: skip

    def __call__(
        self,
        x: torch.Tensor,
        positions: torch.Tensor,
        rows: StepRows,
        kv: torch.Tensor,
        streams: tuple[int, int, int] | None,
        working: Sequence[Working] = (),
    ) -> torch.Tensor | None:
        """Turn x fp32 [T, h], embeddings, into the normed output in place; int64 positions [T].
        `working`: adapters' deltas, and the first node that they work on and the one behind the
        last.

        Returns fp32 [3, T, h], what enters the layers `streams`. The step's keys and values are
        written into `kv`, [layers, 2, slots, kv_heads, length, head_dim].
        """
        taken = None if streams is None else x.new_empty(3, *x.shape)
        ints = torch.tensor([rows.slots, rows.starts, rows.counts], dtype=torch.int32)
        mask = None if rows.mask is None else rows.mask.contiguous()
        works = (WorkingStruct * len(working))(
            *(WorkingStruct(ctypes.addressof(deltas), first, end) for deltas, first, end in working)
        )
        self._model.kv_bf16 = kv.dtype == torch.bfloat16
        struct = StepStruct(
            kv.data_ptr(), kv.shape[2], kv.shape[4], positions.data_ptr(), *(row.data_ptr() for row in ints),
            None if mask is None else mask.data_ptr(), x.data_ptr(), None if taken is None else taken.data_ptr(),
            ctypes.addressof(works), (ctypes.c_int32 * 3)(*(streams or (-1, -1, -1))),
            len(rows.counts), rows.width, x.shape[0], torch.get_num_threads(), 0, len(works),
        )  # fmt: skip
        if self._step(ctypes.addressof(self._model), ctypes.addressof(struct)):
            raise MemoryError
        return taken


def layer_struct(layer: NativeLayer) -> LayerStruct:
    norms = (layer.attention_norm, layer.mlp_norm, layer.q_norm, layer.k_norm)
    return LayerStruct(
        *(None if norm is None else norm.data_ptr() for norm in norms),
        layer.qkv.struct, layer.output.struct, layer.gate_up.struct, layer.down.struct,
    )  # fmt: skip
