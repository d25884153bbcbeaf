"""Trees grown over what several texts say together, by blend.h."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence as Seq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.generator.native.flat import fields, fp32, int32
from services.generator.native.text import FORMS, NEAR, ORDERS, NativeText, SortedText, library

MOST = 512  # nodes of a tree, the root included
ROW = 4 * MOST  # bytes of an output: four of integers, one of chances
ZONES, SEEN = 9, 6


class EvidenceStruct(ctypes.Structure):
    _fields_ = (
        ("order", ctypes.c_float * ORDERS),
        ("zone", ctypes.c_float * ZONES * 2),
        ("seen", ctypes.c_float * SEEN * 2),
        ("shorter", ctypes.c_float * 2),
        ("form", ctypes.c_float * FORMS * FORMS),
        ("common", ctypes.c_float * (ORDERS + 1)),
        ("near", ctypes.c_float * NEAR),
        ("near_of", ctypes.c_float * (ORDERS + 1)),
    )


class BlendStruct(ctypes.Structure):
    _fields_ = (
        *fields(ctypes.c_void_p, "texts evidence doubt said tokens parents origins sources chances"),
        *fields(ctypes.c_int32, "length weight sources_count nodes depth scan pointer"),
        *fields(ctypes.c_float, "least rate fade"),
        ("found", ctypes.c_int32),
    )


@dataclass(frozen=True, slots=True)
class Blended:
    """A draft: the root and the nodes behind it, the likeliest branch first. An origin of -1: from
    nowhere."""

    tokens: tuple[int, ...]
    parents: tuple[int, ...]
    chances: tuple[float, ...]
    origins: tuple[int, ...]
    sources: tuple[int, ...]


class Blender:
    """Drafts for one context, the last of `texts`; each of them uses the same memory."""

    def __init__(
        self,
        texts: Seq[NativeText | SortedText],
        doubts: Seq[float],
        evidence: EvidenceStruct,
        *,
        depth: int,
        scan: int,
        weight: int = 1,
        rate: float = 0.0,
        fade: float = 1.0,
    ) -> None:
        """`doubts`: of what a text says, the share that counts; `weight`: of what joins the context
        among the commonest tokens.

        `fade`: share of a chance that counts, for what is a node, at each token of a path.
        """
        assert len(texts) == len(doubts)
        context = texts[-1]
        assert isinstance(context, NativeText)
        self.context, self._sources = context, len(texts)
        self._addresses = (ctypes.c_void_p * len(texts))(*(ctypes.addressof(text.struct) for text in texts))
        self._doubts = (ctypes.c_float * len(texts))(*doubts)
        # the first of each is the root's
        self._integers, self._chances = array("i", [-1]) * (4 * MOST), array("f", [1.0]) * MOST
        self._held = texts, evidence
        at, chances = self._integers.buffer_info()[0] + 4, self._chances.buffer_info()[0] + 4
        self._struct = BlendStruct(
            ctypes.addressof(self._addresses), ctypes.addressof(evidence), ctypes.addressof(self._doubts), 0,
            at, at + ROW, at + 2 * ROW, at + 3 * ROW, chances, 0, weight, len(texts), 0, depth, scan, -1, 0.0, rate, fade, 0,
        )  # fmt: skip
        self._address = ctypes.addressof(self._struct)
        self._blend = library().bedside_blend

    @property
    def copied(self) -> int:
        """Where in the prompt the last token stands that was copied from there; -1: nowhere."""
        return int(self._struct.pointer)

    def draft(self, said: NDArray[np.int32], nodes: int, least: float = 0.0) -> Blended:
        """Append what `said`, prompt and output, has more than the context; return its likeliest
        continuations.

        They are `nodes` at most, the root included, and none is below the chance of `least`.
        """
        said = np.ascontiguousarray(said, np.int32)
        blend = self._struct
        blend.said, blend.length, blend.nodes, blend.least = said.ctypes.data, len(said), nodes, least
        failed = self._blend(self._address)
        if failed == 2:
            self.context.reserve(said)
            failed = self._blend(self._address)
        if failed:
            raise ValueError("no context, a token below 0, or more nodes than there is room for")
        self._integers[0] = int(said[-1])
        integers, out = int32(1 + blend.found).unpack_from, self._integers
        chances = fp32(1 + blend.found).unpack_from(self._chances)
        return Blended(integers(out), integers(out, ROW), chances, integers(out, 2 * ROW), integers(out, 3 * ROW))
