"""Texts that drafts are copied from, as blend.h sees them, and trees grown over what they say together."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence as Seq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.generator.native import kernels

ORDERS = 8  # tokens that agree before a place, at most
COMMON = 64


class TextStruct(ctypes.Structure):
    _fields_ = (
        ("tokens", ctypes.c_void_p),
        ("same", ctypes.c_void_p),
        ("pair", ctypes.c_void_p),
        ("latest", ctypes.c_void_p),
        ("counts", ctypes.c_void_p),
        ("keys", ctypes.c_void_p),
        ("places", ctypes.c_void_p),
        ("common", ctypes.c_void_p),
        ("total", ctypes.c_int64),
        ("length", ctypes.c_int32),
        ("prompt", ctypes.c_int32),
        ("room", ctypes.c_int32),
        ("vocabulary", ctypes.c_int32),
        ("slots", ctypes.c_int32),
        ("commons", ctypes.c_int32),
    )


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


class NativeText:
    """Tokens that grow, and where each of them and each pair stands. Grows its memory by itself."""

    def __init__(self, room: int = 1024, vocabulary: int = 1024) -> None:
        self.struct = TextStruct(total=0, length=0, prompt=0, commons=0)
        self._common = np.zeros(COMMON, np.int32)
        self._latest, self._counts = np.full(vocabulary, -1, np.int32), np.zeros(vocabulary, np.int32)
        self._reserve(room)

    def __len__(self) -> int:
        return int(self.struct.length)

    @property
    def tokens(self) -> NDArray[np.int32]:
        return self._tokens[: len(self)]

    def extend(self, tokens: NDArray[np.int32], weight: int = 1) -> None:
        """Append tokens, each of which counts `weight` times among the commonest."""
        if not len(tokens):
            return
        tokens = np.ascontiguousarray(tokens, np.int32)
        if (top := int(tokens.max())) >= len(self._latest):
            more = max(top + 1, 2 * len(self._latest)) - len(self._latest)
            self._latest = np.append(self._latest, np.full(more, -1, np.int32))
            self._counts = np.append(self._counts, np.zeros(more, np.int32))
            self._point()
        if len(self) + len(tokens) > self.struct.room:
            self._reserve(2 * (len(self) + len(tokens)))
        if _library().bedside_text_extend(ctypes.addressof(self.struct), tokens.ctypes.data, len(tokens), weight):
            raise ValueError("a token below 0")

    def end_prompt(self) -> None:
        """What follows is not the prompt's."""
        self.struct.prompt = len(self)

    def _reserve(self, room: int) -> None:
        """Make room; the index of pairs is built again."""
        old, prompt = getattr(self, "_tokens", np.empty(0, np.int32))[: len(self)].copy(), self.struct.prompt
        counts = self._counts.copy()
        self._tokens, self._same, self._pair = (np.empty(room, np.int32) for _ in range(3))
        slots = 1 << max(4, (2 * room - 1).bit_length())
        self._keys, self._places = np.full(slots, -1, np.int64), np.empty(slots, np.int32)
        self._latest.fill(-1)
        self.struct.room, self.struct.slots, self.struct.length = room, slots, 0
        self._point()
        if len(old):
            total = self.struct.total
            _library().bedside_text_extend(ctypes.addressof(self.struct), old.ctypes.data, len(old), 0)
            self.struct.total, self.struct.prompt = total, prompt
            self._counts[:] = counts

    def _point(self) -> None:
        struct = self.struct
        struct.tokens, struct.same, struct.pair = (each.ctypes.data for each in (self._tokens, self._same, self._pair))
        struct.latest, struct.counts = self._latest.ctypes.data, self._counts.ctypes.data
        struct.keys, struct.places, struct.common = self._keys.ctypes.data, self._places.ctypes.data, self._common.ctypes.data
        struct.vocabulary = len(self._latest)


@dataclass(frozen=True, slots=True)
class Blended:
    """A draft, parents first; parents and origins are -1 for the root and for what was copied from nowhere."""

    tokens: list[int]
    parents: list[int]
    chances: list[float]
    origins: list[int]
    sources: list[int]


def blend(
    texts: Seq[NativeText], strength: NDArray[np.float32], nodes: int, *, depth: int, scan: int, pointer: int,
    near_weight: float, near_share: float, least: float,
) -> Blended:  # fmt: skip
    """Return the likeliest continuations of the last of `texts` by all of them, at most `nodes` with the root."""
    integers = np.empty((4, nodes), np.int32)
    chances = np.empty(nodes, np.float32)
    held = (ctypes.c_void_p * len(texts))(*(ctypes.addressof(text.struct) for text in texts))
    row = integers.strides[0]
    at = integers.ctypes.data
    struct = BlendStruct(
        ctypes.addressof(held), strength.ctypes.data, at, at + row, at + 2 * row, at + 3 * row, chances.ctypes.data,
        len(texts), nodes, depth, scan, pointer, near_weight, near_share, least, 0,
    )  # fmt: skip
    if _library().bedside_blend(ctypes.addressof(struct)):
        raise ValueError("no context, or more nodes than there is room for")
    n = struct.found
    return Blended(
        integers[0, :n].tolist(), integers[1, :n].tolist(), chances[:n].tolist(), integers[2, :n].tolist(), integers[3, :n].tolist()
    )


def _library() -> ctypes.CDLL:
    library = kernels()
    assert library is not None, "there are no native kernels on this machine"
    return library
