"""Weights as the tiles that the C kernels multiply by: native/kernels.c describes them."""

from __future__ import annotations

import torch
from torch import Tensor

from services.generator.models.blocks import GROUP, Blocks, Kind, Weight
from services.generator.native import kernels
from services.generator.native.matrix import HALVES, LANES, LONGEST, MINIMUM, SHARED, Matrix


def fits(weight: Weight) -> bool:
    """Say whether there are kernels on this machine that take a matrix of this shape."""
    outputs, inputs = weight.shape
    return kernels() is not None and outputs % (2 * LANES) == 0 and inputs % GROUP == 0 and inputs <= LONGEST


def pack(weight: Weight, bias: Tensor | None = None, following: Matrix | None = None) -> Matrix:
    """Lay out quantised values as they are, others in bf16. `following`: whose outputs come behind these, both quantised."""
    outputs, inputs = weight.shape
    bias = None if bias is None else bias.float().contiguous()
    if isinstance(weight, Blocks):
        return Matrix(_tiles(weight), bias, inputs, outputs, code_of(weight.kind), following)
    pairs = weight.bfloat16().view(outputs // LANES, LANES, inputs // 2, 2).transpose(1, 2)
    return Matrix(pairs.contiguous(), bias, inputs, outputs, 0)


def pack_all(weights: list[Weight], bias: Tensor | None = None) -> Matrix:
    """Lay out matrices of the same inputs as one."""
    biases = [None] * len(weights) if bias is None else bias.split([weight.shape[0] for weight in weights])
    matrix = None
    for weight, own in reversed(list(zip(weights, biases, strict=True))):
        matrix = pack(weight, own, matrix)
    assert matrix is not None
    return matrix


def code_of(kind: Kind) -> int:
    return kind.bits | MINIMUM * kind.minimum | SHARED * kind.shared | HALVES * kind.halves


def _tiles(weight: Blocks) -> Tensor:
    """Return bytes, tile by tile and in it group by group."""
    return torch.cat([_portion(weight.rows(torch.arange(at, min(at + 2048, len(weight.raw))))) for at in range(0, len(weight.raw), 2048)])


def _portion(weight: Blocks) -> Tensor:
    kind, parts = weight.kind, weight.parts()
    quads = parts.codes.view(-1, LANES, parts.codes.shape[1] // GROUP, 8, 4).permute(0, 2, 3, 1, 4).flatten(3)  # tile, group, quad, 64
    planes = [_planes(quads, kind)]
    if parts.scales is None:
        numbers = (parts.scale, parts.minimum)
        return torch.cat((*planes, *(_by_group(each) for each in numbers if each is not None)), 2).flatten(1)
    own = torch.cat((*planes, *(_by_group(each, 1 + kind.halves) for each in (parts.scales, parts.minima) if each is not None)), 2)
    whole = [_by_group(each) for each in (parts.scale, parts.minimum) if each is not None]
    return torch.cat((own.unflatten(1, (-1, 8)).flatten(2), *whole), 2).flatten(1)


def _planes(quads: Tensor, kind: Kind) -> Tensor:
    """Turn codes [tile, group, 8, 64] into bytes [tile, group, 64 * bits]."""
    if kind.bits == 8:
        return quads.contiguous().view(torch.uint8).flatten(2)
    codes = (quads + (0 if kind.minimum else 1 << (kind.bits - 1))).to(torch.uint8)
    found = [(codes[:, :, :4] & 15) | (codes[:, :, 4:] << 4)]
    high = codes >> 4
    if kind.bits == 5:
        found.append((high << torch.arange(8, dtype=torch.uint8).view(8, 1)).sum(2, keepdim=True, dtype=torch.uint8))
    elif kind.bits == 6:
        places = torch.arange(0, 8, 2, dtype=torch.uint8).view(4, 1)
        found.append((high.unflatten(2, (2, 4)) << places).sum(3, dtype=torch.uint8))
    return torch.cat(found, 2).flatten(2)


def _by_group(values: Tensor, halves: int = 1) -> Tensor:
    """Turn [out, groups] into bytes [tiles, groups, 16 numbers]; `halves` groups lie side by side."""
    tiles = values.view(-1, LANES, values.shape[1] // halves, halves).permute(0, 2, 3, 1)
    return tiles.contiguous().flatten(2).view(torch.uint8)
