"""An EAGLE-3 head as kernels.c sees it, and whole drafts computed by it."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import torch
from torch import Tensor

from services.generator.native import kernels
from services.generator.native.flat import fields
from services.generator.native.matrix import MatrixStruct, PackedMatrix
from services.generator.native.step import DecoderSize, LayerStruct, ModelStruct, NativeLayer, layer_struct


@dataclass(frozen=True, slots=True)
class HeadWeights:
    """Norms are fp32. The layer's qkv reads a token's embedding and a feature side by side; its
    attention_norm is not used."""

    layer: NativeLayer
    fuse: PackedMatrix
    logits: PackedMatrix
    token_norm: Tensor
    feature_norm: Tensor
    norm: Tensor
    embeddings: Tensor  # bf16 [V, h]
    target_ids: Tensor  # int64 [D]
    rotations: Tensor  # fp32 [positions, head_dim / 2, 2]: cosines and sines
    residual_normed: bool
    output_normed: bool


class HeadStruct(ctypes.Structure):
    _fields_ = (
        ("model", ModelStruct),
        *fields(MatrixStruct, "fuse logits"),
        *fields(ctypes.c_void_p, "token_norm feature_norm embeddings target_ids"),
        *fields(ctypes.c_int32, "residual_normed output_normed"),
    )


class DraftStruct(ctypes.Structure):
    _fields_ = (
        ("kv", ctypes.c_void_p),
        *fields(ctypes.c_int64, "slots length"),
        *fields(ctypes.c_void_p, "features tokens drafted parents scores"),
        ("least", ctypes.c_float),
        *fields(ctypes.c_int32, "slot start origin fresh top_k depth threads found"),
    )


@dataclass(frozen=True, slots=True)
class Candidates:
    """A draft's candidates, parents first."""

    tokens: list[int]
    parents: list[int]  # places in these lists; -1: the root
    scores: list[float]  # log-probabilities of their paths


class NativeHead:
    """Holds the memory that its structs point into."""

    def __init__(self, size: DecoderSize, weights: HeadWeights) -> None:
        library = kernels()
        assert library is not None, "there are no native kernels on this machine"
        self._draft = library.bedside_draft
        self._held = weights
        self._layer = (LayerStruct * 1)(layer_struct(weights.layer))
        model = ModelStruct(
            ctypes.addressof(self._layer), weights.norm.data_ptr(), weights.rotations.data_ptr(),
            1, size.hidden, size.inner, size.heads, size.kv_heads, size.head_dim, size.eps, 1, 1,
        )  # fmt: skip
        self._head = HeadStruct(
            model, weights.fuse.struct, weights.logits.struct, weights.token_norm.data_ptr(), weights.feature_norm.data_ptr(),
            weights.embeddings.data_ptr(), weights.target_ids.data_ptr(), weights.residual_normed,
            weights.output_normed,
        )  # fmt: skip

    def draft(
        self,
        kv: Tensor,
        row: int,
        start: int,
        origin: int,
        features: Tensor,
        tokens: Tensor,
        *,
        top_k: int,
        depth: int,
        least: float,
    ) -> Candidates:
        """Read `features` [n, 3h], normed where the head wants that, each with its next token,
        int64 [n], behind the `start` that row `row` has; then draft.

        `kv` is bf16 [2, rows, kv_heads, capacity, d] with room for n + top_k * depth more, `origin`
        the position of its first key. Paths with a log-probability below `least` are not followed.
        """
        features = features.float().contiguous()
        most = top_k + depth * top_k**2
        drafted, parents, scores = (ctypes.c_int64 * most)(), (ctypes.c_int32 * most)(), (ctypes.c_float * most)()
        struct = DraftStruct(
            kv.data_ptr(), kv.shape[1], kv.shape[3], features.data_ptr(), tokens.data_ptr(),
            ctypes.addressof(drafted), ctypes.addressof(parents), ctypes.addressof(scores), least,
            row, start, origin, len(tokens), top_k, depth, torch.get_num_threads(), 0,
        )  # fmt: skip
        if self._draft(ctypes.addressof(self._head), ctypes.addressof(struct)):
            raise MemoryError
        return Candidates(drafted[: struct.found], parents[: struct.found], scores[: struct.found])
