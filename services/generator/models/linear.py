"""A linear layer with one set of weight values and several kernels for it; the number of rows chooses the kernel.

On a CPU no kernel wins everywhere: 4-bit weights are read fastest (one row), bf16 packed for the matrix units computes
fastest (many rows), fp32 is the reference. Whatever the kernel, the values are those of the coarsest one: y = x W^T + b.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F

GROUP = 32  # weights that share a scale, in GGUF's Q4_0, Q4_1 and Q8_0 and in the int4 kernel

FEW_ROWS = 4  # up to here torch's 4-bit kernel is the faster one for most shapes

Kernel = Callable[[torch.Tensor], torch.Tensor]  # [M, in] -> [M, out]


@dataclass(frozen=True, slots=True)
class Blocks:
    """Quantised weights, w = scale * code + minimum per group of 32 along the inputs."""

    codes: torch.Tensor  # [out, in]: uint8 of 4 bits, or int8 (then minimum is None)
    scale: torch.Tensor  # fp16 [out, in / 32]
    minimum: torch.Tensor | None  # fp16 [out, in / 32]

    @property
    def shape(self) -> torch.Size:
        return self.codes.shape

    def dense(self, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Return [out, in]; exact in fp32."""
        codes = self.codes.float().unflatten(1, (-1, GROUP))
        scale = self.scale.float().unsqueeze(-1)
        values = codes * scale if self.minimum is None else (codes * scale).add_(self.minimum.float().unsqueeze(-1))
        weights: torch.Tensor = values.flatten(1).to(dtype)
        return weights

    def rows(self, order: torch.Tensor) -> Blocks:
        return Blocks(self.codes[order], self.scale[order], None if self.minimum is None else self.minimum[order])


Weight = torch.Tensor | Blocks


def four_bits(weight: torch.Tensor) -> Blocks:
    """Return a matrix rounded to 4 bits, with a scale and a minimum per group."""
    groups = weight.float().unflatten(1, (-1, GROUP))
    low, high = groups.amin(-1), groups.amax(-1)
    scale = ((high - low) / 15).half()
    codes = ((groups - low.half().float().unsqueeze(-1)) / scale.float().clamp(min=1e-7).unsqueeze(-1)).round().clamp(0, 15)
    return Blocks(codes.to(torch.uint8).flatten(1), scale, low.half())


def take_rows(weight: Weight, order: torch.Tensor) -> Weight:
    return weight.rows(order) if isinstance(weight, Blocks) else weight[order]


def stack(weights: Sequence[Weight]) -> Weight:
    """Return one matrix out of several with the same inputs; quantised only when all of them are, and in the same way."""
    if len(weights) == 1:
        return weights[0]
    blocks = [w for w in weights if isinstance(w, Blocks)]
    if len(blocks) < len(weights) or len({w.minimum is None for w in blocks}) > 1:
        return torch.cat([w.dense() if isinstance(w, Blocks) else w for w in weights])
    minima = [w.minimum for w in blocks if w.minimum is not None]
    return Blocks(torch.cat([w.codes for w in blocks]), torch.cat([w.scale for w in blocks]), torch.cat(minima) if minima else None)


class Linear:
    """Up to `limit` rows go through the first of its kernels, more through the last."""

    __slots__ = ("few", "inputs", "kernels", "limit", "many", "outputs", "weight_bytes")

    def __init__(self, kernels: dict[str, Kernel], inputs: int, outputs: int, weight_bytes: int = 0, limit: int = FEW_ROWS) -> None:
        """Take kernels, few rows' first; `weight_bytes` are what the first kernel reads."""
        self.kernels = kernels
        self.inputs, self.outputs, self.weight_bytes, self.limit = inputs, outputs, weight_bytes, limit
        ordered = list(kernels.values())
        self.few, self.many = ordered[0], ordered[-1]

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return self.few(x) if x.shape[0] <= self.limit else self.many(x)


def dense_kernel(weight: torch.Tensor, bias: torch.Tensor | None) -> Kernel:
    return lambda x: F.linear(x, weight, bias)


def packs_bf16() -> bool:
    """Say whether this CPU can use `packed_kernel`."""
    return torch.backends.mkldnn.is_available() and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def packed_kernel(weight: torch.Tensor, bias: torch.Tensor | None) -> Kernel:
    """Multiply in bf16, in the layout of oneDNN's matrix kernels, reordered once instead of at every call."""
    packed = torch.ops.mkldnn._reorder_linear_weight(weight)
    run = torch.ops.mkldnn._linear_pointwise.default
    return lambda x: run(x, packed, bias, "none", [], "")


def int4_kernel(blocks: Blocks, bias: torch.Tensor | None, dtype: torch.dtype = torch.bfloat16) -> Kernel:
    """Multiply 4-bit weights as they are; x and y are `dtype`. The kernel's form is w = (code - 8) * scale + zero, in bf16."""
    assert blocks.minimum is not None
    packed = torch._convert_weight_to_int4pack_for_cpu(blocks.codes.int(), 1)
    zero = blocks.minimum.float() + 8 * blocks.scale.float()
    scales = torch.stack((blocks.scale.float().t(), zero.t()), -1).bfloat16().contiguous()  # [in / 32, out, 2]
    run = torch._weight_int4pack_mm_for_cpu
    if bias is not None:
        return lambda x: run(x.bfloat16(), packed, GROUP, scales).to(dtype).add_(bias)
    if dtype != torch.bfloat16:
        return lambda x: run(x.bfloat16(), packed, GROUP, scales).to(dtype)
    return lambda x: run(x, packed, GROUP, scales)


def int8_kernel(blocks: Blocks, dtype: torch.dtype = torch.bfloat16) -> Kernel:
    """Multiply 8-bit weights as two 4-bit planes, code = 16 * high + low.

    For one row a fifth faster than reading the same values as bf16.
    """
    assert blocks.minimum is None
    codes, nothing = blocks.codes.int(), torch.zeros_like(blocks.scale)
    low = int4_kernel(Blocks(codes & 15, blocks.scale, nothing), None, dtype)
    wide = blocks.scale.float() * 16
    high = int4_kernel(Blocks((codes >> 4) + 8, wide, -8 * wide), None, dtype)
    return lambda x: high(x).add_(low(x))


def rounded_like_kernel(blocks: Blocks) -> torch.Tensor:
    """Return the fp32 values that the integer kernels multiply by, scale and zero in bf16, for the kernels that share their layer."""
    codes = blocks.codes.float().unflatten(1, (-1, GROUP))
    scale = blocks.scale.bfloat16().float().unsqueeze(-1)
    if blocks.minimum is None:
        symmetric: torch.Tensor = (codes * scale).flatten(1)
        return symmetric
    zero = (blocks.minimum.float() + 8 * blocks.scale.float()).bfloat16().float().unsqueeze(-1)
    shifted: torch.Tensor = ((codes - 8) * scale + zero).flatten(1)
    return shifted
