"""Weights as the tiles that the C kernels multiply by: native/c/kernels.c describes them."""

from __future__ import annotations

from torch import Tensor

from services.generator.models.files.blocks import GROUP, BlockFormat, Blocks, Weight
from services.generator.native import kernels
from services.generator.native.matrix import HALVES, LANES, MINIMUM, SHARED, PackedMatrix


def fits(weight: Weight) -> bool:
    """Say whether there are kernels on this machine that take a matrix of this shape."""
    outputs, inputs = weight.shape
    return kernels() is not None and outputs % (2 * LANES) == 0 and inputs % GROUP == 0


def pack(weight: Weight, bias: Tensor | None = None, following: PackedMatrix | None = None) -> PackedMatrix:
    """Lay out quantised values as they are, others in bf16. `following`: whose outputs come behind
    these, both quantised."""
    outputs, inputs = weight.shape
    bias = None if bias is None else bias.float().contiguous()
    if isinstance(weight, Blocks):
        return PackedMatrix.of_blocks(weight.raw, bias, inputs, outputs, code_of(weight.kind), following)
    pairs = weight.bfloat16().view(outputs // LANES, LANES, inputs // 2, 2).transpose(1, 2)
    return PackedMatrix(pairs.contiguous(), bias, inputs, outputs, 0)


def pack_all(weights: list[Weight], bias: Tensor | None = None) -> PackedMatrix:
    """Lay out matrices of the same inputs as one."""
    biases = [None] * len(weights) if bias is None else bias.split([weight.shape[0] for weight in weights])
    matrix = None
    for weight, own in reversed(list(zip(weights, biases, strict=True))):
        matrix = pack(weight, own, matrix)
    assert matrix is not None
    return matrix


def code_of(kind: BlockFormat) -> int:
    return kind.bits | MINIMUM * kind.minimum | SHARED * kind.shared | HALVES * kind.halves
