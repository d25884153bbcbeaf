"""A linear layer with one set of weight values and several kernels for it; the number of rows
chooses the kernel.

On a CPU the kernels of native/ are the fastest for quantised weights, and for few rows of others;
where there are none, torch's own of 4 bits are for few rows. bf16 packed for the matrix units
computes fastest (many rows), fp32 is the reference: y = x W^T + b.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from services.generator.models.files.blocks import GROUP, Blocks

FEW_ROWS = 4  # up to here torch's 4-bit kernel is the faster one for most shapes

Kernel = Callable[[torch.Tensor], torch.Tensor]  # [M, in] -> [M, out]


class Linear:
    """Up to `limit` rows go through the first of its kernels, more through the last."""

    __slots__ = ("few", "inputs", "kernels", "limit", "many", "outputs", "weight_bytes")

    def __init__(
        self, kernels: dict[str, Kernel], inputs: int, outputs: int, weight_bytes: int = 0, limit: int = 0
    ) -> None:
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
    """Multiply in bf16, in the layout of oneDNN's matrix kernels, reordered once instead of at
    every call."""
    packed = torch.ops.mkldnn._reorder_linear_weight(weight)
    run = torch.ops.mkldnn._linear_pointwise.default
    return lambda x: run(x, packed, bias, "none", [], "")


@dataclass(frozen=True, slots=True)
class Plane:
    """4 bits of weights as torch's kernel has them, w = (code - 8) * scale + zero."""

    codes: torch.Tensor  # int32 [out, in]
    scale: torch.Tensor  # bf16 [out, in / 32]
    zero: torch.Tensor

    def values(self) -> torch.Tensor:
        """Return [out, in], exact in fp32."""
        groups = (self.codes - 8).float().unflatten(1, (-1, GROUP))
        shifted: torch.Tensor = (groups * self.scale.float().unsqueeze(-1) + self.zero.float().unsqueeze(-1)).flatten(1)
        return shifted


def planes(blocks: Blocks) -> list[Plane]:
    """Return one, or two whose sum is 8 bits; none of types that do not come apart so."""
    if blocks.kind.shared or blocks.kind.bits not in (4, 8):
        return []
    parts = blocks.parts()
    codes, scale = parts.codes.int(), parts.scale.float()
    zero = torch.zeros_like(scale) if parts.minimum is None else parts.minimum.float() + 8 * scale
    if blocks.kind.bits == 4:
        return [Plane(codes if parts.minimum is not None else codes + 8, scale.bfloat16(), zero.bfloat16())]
    low = Plane(codes & 15, scale.bfloat16(), (8 * scale).bfloat16())
    return [Plane((codes >> 4) + 8, (16 * scale).bfloat16(), zero.bfloat16()), low]


def int4_kernel(parts: list[Plane], bias: torch.Tensor | None, dtype: torch.dtype = torch.bfloat16) -> Kernel:
    """Multiply planes as they are; x and y are `dtype`. For one row 8 bits are a fifth faster than
    the same values as bf16."""
    packed = [(torch._convert_weight_to_int4pack_for_cpu(each.codes, 1), _by_input(each)) for each in parts]

    def run(x: torch.Tensor) -> torch.Tensor:
        half = x.bfloat16()
        first, *others = (
            torch._weight_int4pack_mm_for_cpu(half, codes, GROUP, scales).to(dtype) for codes, scales in packed
        )
        for other in (*others, *([] if bias is None else [bias])):
            first.add_(other)
        return first

    return run


def _by_input(plane: Plane) -> torch.Tensor:
    """Return [in / 32, out, 2]."""
    return torch.stack((plane.scale.t(), plane.zero.t()), -1).contiguous()
