"""Draft trees merged by merge.h. Knows no drafter: what stands at a place of the input is its caller's."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from services.generator.native import kernels

MOST = 1024  # nodes of all trees together, as in merge.h


@dataclass(frozen=True, slots=True)
class Merged:
    """`order`: places in the input of the nodes that are kept; `shared`: (node, place) of every other place that is the same node."""

    order: list[int]
    parents: list[int]
    scores: list[float]
    shared: list[tuple[int, int]]


def merged(tokens: Seq[int], parents: Seq[int], scores: Seq[float], sizes: Seq[int], budget: int | None) -> Merged | None:
    """Return the union of trees that stand one behind the other, each with its root; None where there are no kernels, or too many nodes."""
    call, count = _function(), len(tokens)
    if call is None or count > MOST:
        return None
    integers, ends, numbers = array("i", (*tokens, *parents)), array("i", accumulate(sizes)), array("d", scores)
    out, told = array("i", bytes(4 * (4 * count + 1))), array("d", bytes(8 * count))
    given, at = integers.buffer_info()[0], out.buffer_info()[0]
    kept = call(
        given, given + 4 * count, numbers.buffer_info()[0], ends.buffer_info()[0], len(sizes), -1 if budget is None else max(1, budget),
        at, at + 4 * count, told.buffer_info()[0], at + 8 * count, at + 16 * count,
    )  # fmt: skip
    pairs = out[2 * count : 2 * count + 2 * out[-1]].tolist()
    return Merged(
        out[:kept].tolist(), out[count : count + kept].tolist(), told[:kept].tolist(), list(zip(pairs[::2], pairs[1::2], strict=True))
    )


@cache
def _function() -> ctypes._NamedFuncPointer | None:
    library = kernels()
    return None if library is None else library.bedside_merge
