"""Weights by name become the decoder's layers: each taken once, its shape checked, joined, reordered and packed for the device.

Knows nothing of files. q, k and v become one matrix, gate and up another; q's and k's rows go into the paired order of rope.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol, cast

import torch

from services.generator.errors import ModelError
from services.generator.models import tiles
from services.generator.models.architecture import Architecture
from services.generator.models.layers import Layer, Weights
from services.generator.models.linear import (
    FEW_ROWS,
    Blocks,
    Kernel,
    Linear,
    Weight,
    dense_kernel,
    int4_kernel,
    int8_kernel,
    packed_kernel,
    packs_bf16,
    rounded_like_kernel,
    stack,
    take_rows,
)
from services.generator.models.residual import MirroredResidual, Residual
from services.generator.models.rope import paired, paired_rows, rotations
from services.generator.native.matrix import Matrix
from services.generator.native.step import NODES, DecoderSize, NativeDecoder, NativeLayer


class Source(Protocol):
    """Where weights come from, by their Hugging Face names (checkpoint.Checkpoint; random ones for measuring)."""

    name: str

    def __contains__(self, name: str) -> bool: ...

    def take(self, name: str, *shape: int) -> Weight:
        """Raises ModelError when there is none of that shape."""

    @property
    def rest(self) -> set[str]:
        """Names that were not taken."""


class Packing:
    """`blocks`: quantised weights may be multiplied as they are; otherwise everything is `dtype`, exact in fp32."""

    def __init__(self, source: Source, architecture: Architecture, device: torch.device, dtype: torch.dtype, blocks: bool) -> None:
        self.source, self.a, self.device, self.dtype, self.blocks = source, architecture, device, dtype, blocks
        self.residual = MirroredResidual if device.type == "cpu" else Residual

    def weights(self) -> Weights:
        a = self.a
        embedding = self.source.take("model.embed_tokens.weight", a.vocab_size, a.hidden_size)
        tied = a.tied or "lm_head.weight" not in self.source
        table = self._dense(embedding)
        head = self.source.take("lm_head.weight", a.vocab_size, a.hidden_size) if not tied else embedding if self.blocks else table
        weights = Weights(
            residual=self.residual,
            embedding=table,
            layers=tuple(self._layer(index) for index in range(a.layers)),
            norm=self._norm("model.norm.weight"),
            head=self._linear([head], None),
            rotations=rotations(a).to(self.device),
        )
        rest = {name for name in self.source.rest if "rotary_emb" not in name and not (tied and name == "lm_head.weight")}
        if rest:
            raise ModelError(f"{self.source.name}: weights that a {a.name} has no place for: {', '.join(sorted(rest)[:5])}")
        return replace(weights, native=self._native(weights))

    def _layer(self, index: int) -> Layer:
        a, prefix = self.a, f"model.layers.{index}."
        return Layer(
            attention_norm=self._norm(f"{prefix}input_layernorm.weight"),
            qkv=self._qkv(f"{prefix}self_attn."),
            q_norm=self._head_norm(f"{prefix}self_attn.q_norm.weight"),
            k_norm=self._head_norm(f"{prefix}self_attn.k_norm.weight"),
            output=self._projection(f"{prefix}self_attn.o_proj", a.hidden_size, a.q_size, a.output_bias),
            mlp_norm=self._norm(f"{prefix}post_attention_layernorm.weight"),
            gate_up=self._gate_up(f"{prefix}mlp."),
            down=self._projection(f"{prefix}mlp.down_proj", a.hidden_size, a.intermediate_size, a.mlp_bias),
        )

    def _qkv(self, prefix: str) -> Linear:
        """Join q's and k's rows in the paired order of rope.py, v's as they are."""
        a, matrices, biases = self.a, [], []
        for part, size in (("q", a.q_size), ("k", a.kv_size), ("v", a.kv_size)):
            rows = torch.arange(size) if part == "v" else paired_rows(size, a.head_dim)
            matrices.append(take_rows(self.source.take(f"{prefix}{part}_proj.weight", size, a.hidden_size), rows))
            if a.qkv_bias:
                biases.append(self._vector(f"{prefix}{part}_proj.bias", size, rows))
        return self._linear(matrices, torch.cat(biases) if biases else None)

    def _gate_up(self, prefix: str) -> Linear:
        a = self.a
        matrices = [self.source.take(f"{prefix}{part}_proj.weight", a.intermediate_size, a.hidden_size) for part in ("gate", "up")]
        biases = [self._vector(f"{prefix}{part}_proj.bias", a.intermediate_size) for part in ("gate", "up") if a.mlp_bias]
        return self._linear(matrices, torch.cat(biases) if biases else None)

    def _projection(self, name: str, outputs: int, inputs: int, bias: bool) -> Linear:
        weight = self.source.take(f"{name}.weight", outputs, inputs)
        return self._linear([weight], self._vector(f"{name}.bias", outputs) if bias else None)

    def _vector(self, name: str, size: int, order: torch.Tensor | None = None) -> torch.Tensor:
        vector = self.source.take(name, size)
        assert isinstance(vector, torch.Tensor)
        return (vector if order is None else vector[order]).to(self.device, self.dtype)

    def _head_norm(self, name: str) -> torch.Tensor | None:
        """Return it in fp32, as the heads are when they are normed."""
        return self._vector(name, self.a.head_dim, paired(self.a.head_dim)).float() if self.a.qk_norm else None

    def _norm(self, name: str) -> torch.Tensor:
        return self.residual.prepared(self._vector(name, self.a.hidden_size))

    def _dense(self, weight: Weight) -> torch.Tensor:
        dense = weight.dense(self.dtype) if isinstance(weight, Blocks) else weight.to(self.dtype)
        return dense.to(self.device)

    def _linear(self, matrices: list[Weight], bias: torch.Tensor | None) -> Linear:
        weight = stack(matrices)
        outputs, inputs = weight.shape
        kernels: dict[str, Kernel] = {}
        bits, limit = 8 * self.dtype.itemsize, FEW_ROWS
        if self.blocks and (isinstance(weight, Blocks) or self.dtype == torch.bfloat16) and tiles.fits(weight):
            matrix = tiles.pack(weight, bias)
            limit = NODES  # however few rows: or what a step gives would depend on its size
            kernels["native"], bits = matrix, 8 * matrix.weight_bytes // (inputs * outputs)
            weight = rounded_like_kernel(weight) if isinstance(weight, Blocks) else weight
        elif self.blocks and isinstance(weight, Blocks) and (weight.minimum is not None or bias is None):
            kernels["blocks"] = int8_kernel(weight, self.dtype) if weight.minimum is None else int4_kernel(weight, bias, self.dtype)
            bits = 10 if weight.minimum is None else 5  # a scale and a zero in bf16 per plane and 32 weights
            weight = rounded_like_kernel(weight)
        if self.device.type == "cpu" and self.dtype == torch.bfloat16 and packs_bf16():
            kernels["packed"] = packed_kernel(self._dense(weight), bias)
        else:
            kernels["dense"] = dense_kernel(self._dense(weight), bias)
        return Linear(kernels, inputs, outputs, inputs * outputs * bits // 8, limit)

    def _native(self, weights: Weights) -> NativeDecoder | None:
        """Return all layers at once, where every matrix of them has the kernel."""
        linears = [each for layer in weights.layers for each in (layer.qkv, layer.output, layer.gate_up, layer.down)]
        if self.a.head_dim % 32 or self.a.head_dim > 128 or not all("native" in each.kernels for each in [*linears, weights.head]):
            return None
        layers = [self._native_layer(layer) for layer in weights.layers]
        rotations = torch.view_as_real(weights.rotations).contiguous()
        a = self.a
        size = DecoderSize(a.hidden_size, a.intermediate_size, a.heads, a.kv_heads, a.head_dim, a.norm_eps)
        return NativeDecoder(size, layers, self._plain(weights.norm), rotations)

    def _native_layer(self, layer: Layer) -> NativeLayer:
        matrices = [cast(Matrix, each.kernels["native"]) for each in (layer.qkv, layer.output, layer.gate_up, layer.down)]
        return NativeLayer(self._plain(layer.attention_norm), self._plain(layer.mlp_norm), layer.q_norm, layer.k_norm, *matrices)

    def _plain(self, prepared: torch.Tensor) -> torch.Tensor:
        return prepared[: self.a.hidden_size].float().contiguous()
