"""A linear layer with one set of weight values and several kernels for it; the number of rows chooses the kernel.

On a CPU the kernels of native/ are the fastest for quantised weights, and for few rows of others; bf16 packed for the matrix units
computes fastest (many rows), fp32 is the reference: y = x W^T + b.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F

Kernel = Callable[[torch.Tensor], torch.Tensor]  # [M, in] -> [M, out]


class Linear:
    """Up to `limit` rows go through the first of its kernels, more through the last."""

    __slots__ = ("few", "inputs", "kernels", "limit", "many", "outputs", "weight_bytes")

    def __init__(self, kernels: dict[str, Kernel], inputs: int, outputs: int, weight_bytes: int = 0, limit: int = 0) -> None:
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
