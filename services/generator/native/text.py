"""Texts that drafts are copied from, as text.h sees them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.generator.native import kernels
from services.generator.native.flat import fields

ORDERS = 8  # tokens that agree before a place, at most
COMMON = 64
NEAR = 16  # tokens behind the last copied one
OTHER, SMALL, CAPITAL, INSIDE, CLOSING, BLANK, FORMS = range(7)  # of tokens, as text.h says; and how many there are


@dataclass(frozen=True, slots=True)
class TokenKinds:
    """Which tokens of a vocabulary are taken for one another where places are looked for (" The"
    and "the"), and their forms."""

    kind: NDArray[np.int32]  # [vocabulary]: the least token of its kind
    form: NDArray[np.int8]  # [vocabulary]: whether it begins a word, goes on with one, closes, ...

    def __post_init__(self) -> None:
        assert self.kind.dtype == np.int32
        assert self.form.dtype == np.int8
        assert self.kind.shape == self.form.shape
        assert ((self.form >= 0) & (self.form < FORMS)).all()
        assert (self.kind <= np.arange(len(self.kind))).all()
        assert (self.kind >= 0).all()


class TextStruct(ctypes.Structure):
    _fields_ = (
        *fields(ctypes.c_void_p, "tokens kinds same pair latest counts keys places common order kind form"),
        ("total", ctypes.c_int64),
        *fields(ctypes.c_int32, "length prompt room vocabulary slots commons known"),
    )


class NativeText:
    """Tokens that grow, and where each of them and each pair stands, by their kinds if there are
    any. Grows its memory by itself."""

    def __init__(self, room: int = 1024, vocabulary: int = 1024, kinds: TokenKinds | None = None) -> None:
        self.struct = TextStruct(total=0, length=0, prompt=0, commons=0)
        if kinds is not None:
            self._held = kinds
            self.struct.kind, self.struct.form, self.struct.known = (
                kinds.kind.ctypes.data,
                kinds.form.ctypes.data,
                len(kinds.kind),
            )
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
        self._know(tokens)
        if len(self) + len(tokens) > self.struct.room:
            self._reserve(2 * (len(self) + len(tokens)))
        if library().bedside_text_extend(ctypes.addressof(self.struct), tokens.ctypes.data, len(tokens), weight):
            raise ValueError("a token below 0")

    def reserve(self, whole: NDArray[np.int32]) -> None:
        """Make room for a text that begins with this one."""
        if len(whole) > len(self):
            self._know(whole[len(self) :])
        if len(whole) > self.struct.room:
            self._reserve(2 * len(whole))

    def end_prompt(self) -> None:
        """What follows is not the prompt's."""
        self.struct.prompt = len(self)

    def _know(self, tokens: NDArray[np.int32]) -> None:
        """Make the vocabulary as large as these tokens need."""
        if (top := int(tokens.max())) >= len(self._latest):
            more = max(top + 1, 2 * len(self._latest)) - len(self._latest)
            self._latest = np.append(self._latest, np.full(more, -1, np.int32))
            self._counts = np.append(self._counts, np.zeros(more, np.int32))
            self._point()

    def _reserve(self, room: int) -> None:
        """Make room; the index of pairs is built again."""
        old, prompt = getattr(self, "_tokens", np.empty(0, np.int32))[: len(self)].copy(), self.struct.prompt
        counts = self._counts.copy()
        self._tokens, self._kinds, self._same, self._pair = (np.empty(room, np.int32) for _ in range(4))
        slots = 1 << max(4, (2 * room - 1).bit_length())
        self._keys, self._places = np.full(slots, -1, np.int64), np.empty(slots, np.int32)
        self._latest.fill(-1)
        self.struct.room, self.struct.slots, self.struct.length = room, slots, 0
        self._point()
        if len(old):
            total = self.struct.total
            library().bedside_text_extend(ctypes.addressof(self.struct), old.ctypes.data, len(old), 0)
            self.struct.total, self.struct.prompt = total, prompt
            self._counts[:] = counts

    def _point(self) -> None:
        struct = self.struct
        struct.tokens, struct.kinds = self._tokens.ctypes.data, self._kinds.ctypes.data
        struct.same, struct.pair = self._same.ctypes.data, self._pair.ctypes.data
        struct.latest, struct.counts = self._latest.ctypes.data, self._counts.ctypes.data
        struct.keys, struct.places, struct.common = (
            self._keys.ctypes.data,
            self._places.ctypes.data,
            self._common.ctypes.data,
        )
        struct.vocabulary = len(self._latest)


class SortedText:
    """Tokens that do not grow, and their places in the order of what ends there, read backwards.
    Both may be memory-mapped."""

    def __init__(self, tokens: NDArray[np.int32], order: NDArray[np.int32]) -> None:
        assert tokens.shape == order.shape
        assert tokens.dtype == order.dtype == np.int32
        self._held = tokens, order
        self.struct = TextStruct(tokens=tokens.ctypes.data, order=order.ctypes.data, length=len(tokens), prompt=0)

    def __len__(self) -> int:
        return int(self.struct.length)


def library() -> ctypes.CDLL:
    library = kernels()
    assert library is not None, "there are no native kernels on this machine"
    return library
