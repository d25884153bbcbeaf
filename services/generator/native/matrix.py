"""A matrix in the tiles that kernels.c multiplies by (models/tiles.py makes them)."""

from __future__ import annotations

import ctypes

import torch

from services.generator.native import kernels

LANES = 16  # outputs of a tile


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
