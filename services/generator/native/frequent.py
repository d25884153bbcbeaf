"""Trees of what most often follows the longest match in a sorted text, by frequent.h."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.generator.native.flat import fields
from services.generator.native.text import SortedText, library


class FrequentStruct(ctypes.Structure):
    _fields_ = (
        *fields(ctypes.c_void_p, "store tail tokens parents chances"),
        *fields(ctypes.c_int32, "tails shortest most nodes depth matched found"),
    )


@dataclass(frozen=True, slots=True)
class Continuations:
    """Nodes behind the root, which is 0 among the parents; parents and the commonest branch first.
    `matched`: tokens that agreed."""

    tokens: list[int]
    parents: list[int]
    chances: list[float]
    matched: int


def frequent(
    store: SortedText, tail: NDArray[np.int32], nodes: int, *, shortest: int, most: int, depth: int
) -> Continuations:
    """Return what follows the longest end of `tail` (of at most 16 tokens) that `store` holds; at
    most `nodes` with the root."""
    backwards = np.ascontiguousarray(tail[::-1], np.int32)
    integers, chances = np.empty((2, nodes), np.int32), np.empty(nodes, np.float32)
    row, at = integers.strides[0], integers.ctypes.data
    struct = FrequentStruct(
        ctypes.addressof(store.struct), backwards.ctypes.data, at, at + row, chances.ctypes.data,
        len(backwards), shortest, most, nodes, depth, 0, 0,
    )  # fmt: skip
    if library().bedside_frequent(ctypes.addressof(struct)):
        raise ValueError("a longer tail, or more nodes or places, than there is room for")
    n = struct.found
    return Continuations(integers[0, :n].tolist(), integers[1, :n].tolist(), chances[:n].tolist(), struct.matched)
