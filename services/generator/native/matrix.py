"""A matrix in the tiles that kernels.c multiplies by (models/decoder/tiles.py makes them)."""

from __future__ import annotations

import ctypes

import torch

from services.generator.native import kernels
from services.generator.native.flat import fields

LANES = 16  # outputs of a tile
MINIMUM, SHARED, HALVES = 16, 32, 64  # what a quantised matrix's kind has beside the bits of its codes


class MatrixStruct(ctypes.Structure):
    """`PackedMatrix` of kernels.c."""

    _fields_ = (
        *fields(ctypes.c_void_p, "data bias next"),
        *fields(ctypes.c_int32, "inputs outputs kind padding"),
    )


class PackedMatrix:
    """Called like any other kernel of a Linear: x [..., in] -> [..., out] of x's type; a row's
    result is the same in any company.

    `kind` is 0 for bf16. Outputs of `following` come behind its own.
    """

    def __init__(
        self,
        data: torch.Tensor,
        bias: torch.Tensor | None,
        inputs: int,
        outputs: int,
        kind: int,
        following: PackedMatrix | None = None,
    ) -> None:
        library = kernels()
        assert library is not None, "there are no native kernels on this machine"
        self._multiply = library.bedside_multiply
        self._data, self._bias, self._following = data, bias, following
        self.inputs, self.kind = inputs, kind
        self.outputs: int = outputs + (following.outputs if following else 0)
        behind = following._address if following else None
        self.struct = MatrixStruct(
            data.data_ptr(), None if bias is None else bias.data_ptr(), behind, inputs, outputs, kind, 0
        )
        self._address: int = ctypes.addressof(self.struct)

    @classmethod
    def of_blocks(
        cls,
        raw: torch.Tensor,
        bias: torch.Tensor | None,
        inputs: int,
        outputs: int,
        kind: int,
        following: PackedMatrix | None = None,
    ) -> PackedMatrix:
        """Lay out the blocks of a GGUF file, bytes [outputs, ...]: copied once, as large as they
        are but for scales of 6 bits."""
        library, raw = kernels(), raw.contiguous()
        assert library is not None, "there are no native kernels on this machine"
        shape = ctypes.addressof(struct := MatrixStruct(None, None, None, inputs, outputs, kind, 0))
        data = torch.empty(library.bedside_tile_bytes(shape), dtype=torch.uint8)
        library.bedside_pack(shape, raw.data_ptr(), data.data_ptr(), torch.get_num_threads())
        del struct
        return cls(data, bias, inputs, outputs, kind, following)

    @property
    def weight_bytes(self) -> int:
        return self._data.nbytes + (self._following.weight_bytes if self._following else 0)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        rows = x.reshape(-1, self.inputs).float().contiguous()
        y = torch.empty(len(rows), self.outputs)
        if self._multiply(self._address, rows.data_ptr(), y.data_ptr(), len(rows), torch.get_num_threads()):
            raise MemoryError
        return y.to(x.dtype).view(*x.shape[:-1], self.outputs)
