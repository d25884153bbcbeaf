"""Weights in the tiles that kernels.c multiplies by."""

from __future__ import annotations

import ctypes

import torch

from services.generator.models.linear import GROUP, Blocks, Weight
from services.generator.native import kernels

LANES = 16


class MatrixStruct(ctypes.Structure):
    """`Matrix` of kernels.c."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("bias", ctypes.c_void_p),
        ("inputs", ctypes.c_int32),
        ("outputs", ctypes.c_int32),
        ("kind", ctypes.c_int32),
        ("padding", ctypes.c_int32),
    )


class Matrix:
    """Called like any other kernel of a Linear: x [..., in] -> [..., out] of x's type; a row's result is the same in any company."""

    def __init__(self, data: torch.Tensor, bias: torch.Tensor | None, inputs: int, outputs: int, kind: int) -> None:
        library = kernels()
        assert library is not None, "there are no native kernels on this machine"
        self._multiply = library.bedside_multiply
        self._held = (data, bias)
        self.inputs, self.outputs, self.kind = inputs, outputs, kind
        self.struct = MatrixStruct(data.data_ptr(), None if bias is None else bias.data_ptr(), inputs, outputs, kind, 0)
        self._address = ctypes.addressof(self.struct)

    @property
    def weight_bytes(self) -> int:
        return self._held[0].nbytes

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        rows = x.reshape(-1, self.inputs).float().contiguous()
        y = torch.empty(len(rows), self.outputs)
        if self._multiply(self._address, rows.data_ptr(), y.data_ptr(), len(rows), torch.get_num_threads()):
            raise MemoryError
        return y.to(x.dtype).view(*x.shape[:-1], self.outputs)


def fits(weight: Weight) -> bool:
    """Whether kernels.c takes a matrix of this shape on this machine."""
    outputs, inputs = weight.shape
    return kernels() is not None and outputs % (2 * LANES) == 0 and inputs % GROUP == 0


def pack(weight: Weight, bias: torch.Tensor | None = None) -> Matrix:
    """The values that the other kernels of a Linear multiply by: quantised ones as they are, others in bf16."""
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
    """[out, groups] -> [tiles, groups, 16]"""
    return values.view(-1, LANES, values.shape[1]).transpose(1, 2)


def _joined(*parts: torch.Tensor) -> torch.Tensor:
    """Bytes of the parts, each [tiles, groups, ...], side by side for every tile and group."""
    return torch.cat([part.contiguous().view(torch.uint8).flatten(2) for part in parts], 2).contiguous()
