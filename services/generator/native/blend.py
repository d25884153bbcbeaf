"""Trees grown over what several texts say together, by blend.h."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence as Seq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.generator.native.text import NativeText, SortedText, library


class BlendStruct(ctypes.Structure):
    _fields_ = (
        ("texts", ctypes.c_void_p),
        ("strength", ctypes.c_void_p),
        ("tokens", ctypes.c_void_p),
        ("parents", ctypes.c_void_p),
        ("origins", ctypes.c_void_p),
        ("sources", ctypes.c_void_p),
        ("chances", ctypes.c_void_p),
        ("sources_count", ctypes.c_int32),
        ("nodes", ctypes.c_int32),
        ("depth", ctypes.c_int32),
        ("scan", ctypes.c_int32),
        ("pointer", ctypes.c_int32),
        ("near_weight", ctypes.c_float),
        ("near_share", ctypes.c_float),
        ("least", ctypes.c_float),
        ("found", ctypes.c_int32),
    )


@dataclass(frozen=True, slots=True)
class Blended:
    """A draft: the nodes behind the root, which is 0 among the parents; the likeliest branch first. An origin of -1: from nowhere."""

    tokens: list[int]
    parents: list[int]
    chances: list[float]
    origins: list[int]
    sources: list[int]


def blend(
    texts: Seq[NativeText | SortedText], strength: NDArray[np.float32], nodes: int, *, depth: int, scan: int, pointer: int,
    near_weight: float, near_share: float, least: float,
) -> Blended:  # fmt: skip
    """Return the likeliest continuations of the last of `texts` by all of them, at most `nodes` with the root."""
    integers = np.empty((5, nodes), np.int32)
    held = (ctypes.c_void_p * len(texts))(*(ctypes.addressof(text.struct) for text in texts))
    row = integers.strides[0]
    at = integers.ctypes.data
    struct = BlendStruct(
        ctypes.addressof(held), strength.ctypes.data, at, at + row, at + 2 * row, at + 3 * row, at + 4 * row,
        len(texts), nodes, depth, scan, pointer, near_weight, near_share, least, 0,
    )  # fmt: skip
    if library().bedside_blend(ctypes.addressof(struct)):
        raise ValueError("no context, or more nodes than there is room for")
    n = struct.found
    tokens, parents, origins, sources = integers[:4, :n].tolist()
    return Blended(tokens, parents, integers[4, :n].view(np.float32).tolist(), origins, sources)
