"""Weights as the tiles that the C kernels multiply by: native/kernels.c describes them."""

from __future__ import annotations

import torch

from services.generator.models.linear import GROUP, Blocks, Weight
from services.generator.native import kernels
from services.generator.native.matrix import LANES, Matrix


def fits(weight: Weight) -> bool:
    """Say whether there are kernels on this machine that take a matrix of this shape."""
    outputs, inputs = weight.shape
    return kernels() is not None and outputs % (2 * LANES) == 0 and inputs % GROUP == 0


def pack(weight: Weight, bias: torch.Tensor | None = None) -> Matrix:
    """Lay out the values that the other kernels of a Linear multiply by: quantised ones as they are, others in bf16."""
    outputs, inputs = weight.shape
    bias = None if bias is None else bias.float().contiguous()
    if not isinstance(weight, Blocks):
        pairs = weight.bfloat16().view(outputs // LANES, LANES, inputs // 2, 2).transpose(1, 2)
        return Matrix(pairs.contiguous(), bias, inputs, outputs, 16)
    codes = weight.codes.view(outputs // LANES, LANES, inputs // GROUP, GROUP // 2, 2).permute(0, 2, 3, 1, 4)  # tile, group, pair, lane, 2
    scale = weight.scale.float()
    if weight.minimum is None:
        return Matrix(_joined(codes.to(torch.int8), _by_group(scale.bfloat16().float())), bias, inputs, outputs, 8)
    nibbles = codes[..., 0] | (codes[..., 1] << 4)
    zero = weight.minimum.float() + 8 * scale
    return Matrix(_joined(nibbles, _by_group(scale.bfloat16()), _by_group(zero.bfloat16())), bias, inputs, outputs, 4)


def _by_group(values: torch.Tensor) -> torch.Tensor:
    """Turn [out, groups] into [tiles, groups, 16]."""
    return values.view(-1, LANES, values.shape[1]).transpose(1, 2)


def _joined(*parts: torch.Tensor) -> torch.Tensor:
    """Return bytes of the parts, each [tiles, groups, ...], side by side for every tile and group."""
    return torch.cat([part.contiguous().view(torch.uint8).flatten(2) for part in parts], 2).contiguous()
