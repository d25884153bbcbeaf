"""Weights by name become the decoder's layers: each taken once, its shape checked, joined,
reordered and packed for the device.

Knows nothing of files. q, k and v become one matrix, gate and up another; q's and k's rows go into
the paired order of rope.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol, cast

import torch

from services.generator.errors import ModelError
from services.generator.models.decoder import tiles
from services.generator.models.decoder.layers import Embedding, Layer, Weights
from services.generator.models.decoder.linear import (
    FEW_ROWS,
    Kernel,
    Linear,
    dense_kernel,
    int4_kernel,
    packed_kernel,
    packs_bf16,
    planes,
)
from services.generator.models.decoder.residual import MirroredResidual, Residual
from services.generator.models.decoder.rope import paired, paired_rows, rotations
from services.generator.models.files.architecture import Architecture
from services.generator.models.files.blocks import Blocks, Weight, stack, stacks, take_rows
from services.generator.native.matrix import PackedMatrix
from services.generator.native.step import NODES, DecoderSize, NativeDecoder, NativeLayer


class WeightSource(Protocol):
    """Where weights come from, by their Hugging Face names (checkpoint.Checkpoint; random ones for
    measuring)."""

    name: str

    def __contains__(self, name: str) -> bool: ...

    def take(self, name: str, *shape: int) -> Weight:
        """Raises ModelError when there is none of that shape."""

    @property
    def rest(self) -> set[str]:
        """Names that were not taken."""


class Packing:
    """`blocks`: quantised weights may be multiplied as they are; otherwise everything is `dtype`,
    exact in fp32."""

    def __init__(
        self, source: WeightSource, architecture: Architecture, device: torch.device, dtype: torch.dtype, blocks: bool
    ) -> None:
        self.source, self.a, self.device, self.dtype, self.blocks = source, architecture, device, dtype, blocks
        self.residual = MirroredResidual if device.type == "cpu" else Residual

    def weights(self) -> Weights:
        a = self.a
        table = self.source.take("model.embed_tokens.weight", a.vocab_size, a.hidden_size)
        tied = a.tied or "lm_head.weight" not in self.source
        embedding = Embedding(table if self.blocks else self._dense(table), self.dtype, self.device)
        head = self.source.take("lm_head.weight", a.vocab_size, a.hidden_size) if not tied else embedding.weight
        weights = Weights(
            residual=self.residual,
            embedding=embedding,
            layers=tuple(self._layer(index) for index in range(a.layers)),
            norm=self._norm("model.norm.weight"),
            head=self._linear([head], None),
            rotations=rotations(a).to(self.device),
        )
        rest = {
            name for name in self.source.rest if "rotary_emb" not in name and not (tied and name == "lm_head.weight")
        }
        if rest:
            raise ModelError(
                f"{self.source.name}: weights that a {a.name} has no place for: {', '.join(sorted(rest)[:5])}"
            )
        return self._with_native(weights)

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
        matrices = [
            self.source.take(f"{prefix}{part}_proj.weight", a.intermediate_size, a.hidden_size)
            for part in ("gate", "up")
        ]
        biases = [
            self._vector(f"{prefix}{part}_proj.bias", a.intermediate_size) for part in ("gate", "up") if a.mlp_bias
        ]
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
        """Take quantised weights as they are, for however many rows; others also in the layout that
        is the faster for many."""
        parts = stacks(matrices)
        outputs, inputs = sum(part.shape[0] for part in parts), parts[0].shape[1]
        kernels: dict[str, Kernel] = {}
        if self.blocks and all(
            tiles.fits(part) and (isinstance(part, Blocks) or self.dtype == torch.bfloat16) for part in parts
        ):
            matrix = tiles.pack_all(parts, bias)
            kernels["native"] = matrix
            if isinstance(parts[0], Blocks):
                return Linear(kernels, inputs, outputs, matrix.weight_bytes)
        bits, limit = 8 * self.dtype.itemsize, NODES if "native" in kernels else FEW_ROWS
        whole = stack(parts)
        if self.blocks and isinstance(whole, Blocks) and (codes := planes(whole)):
            # a scale and a zero for each 32 weights
            kernels["blocks"], bits = int4_kernel(codes, bias, self.dtype), 5 * len(codes)
            whole = torch.stack([plane.values() for plane in codes]).sum(0)
        weight = self._dense(whole)
        if self.device.type == "cpu" and self.dtype == torch.bfloat16 and packs_bf16():
            kernels["packed"] = packed_kernel(weight, bias)
        else:
            kernels["dense"] = dense_kernel(weight, bias)
        return Linear(kernels, inputs, outputs, inputs * outputs * bits // 8, limit)

    def _with_native(self, weights: Weights) -> Weights:
        """Add all layers at once, where every matrix of them has the kernel."""
        linears = [each for layer in weights.layers for each in (layer.qkv, layer.output, layer.gate_up, layer.down)]
        if (
            self.a.head_dim % 32
            or self.a.head_dim > 128
            or not all("native" in each.kernels for each in [*linears, weights.head])
        ):
            return weights
        layers = [self._native_layer(layer) for layer in weights.layers]
        rotations = torch.view_as_real(weights.rotations).contiguous()
        a = self.a
        size = DecoderSize(a.hidden_size, a.intermediate_size, a.heads, a.kv_heads, a.head_dim, a.norm_eps)
        decoder = NativeDecoder(size, layers, self._plain(weights.norm), rotations)
        return replace(
            weights, native=decoder, exact=all(list(each.kernels) == ["native"] for each in [*linears, weights.head])
        )

    def _native_layer(self, layer: Layer) -> NativeLayer:
        matrices = [
            cast(PackedMatrix, each.kernels["native"]) for each in (layer.qkv, layer.output, layer.gate_up, layer.down)
        ]
        return NativeLayer(
            self._plain(layer.attention_norm), self._plain(layer.mlp_norm), layer.q_norm, layer.k_norm, *matrices
        )

    def _plain(self, prepared: torch.Tensor) -> torch.Tensor:
        return prepared[: self.a.hidden_size].float().contiguous()
