"""Draft trees merged by merge.h. Knows no drafter: what stands at a place of the input is its
caller's."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from collections.abc import Sequence as Seq
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from services.generator.native import kernels
from services.generator.native.flat import fp64, int32

MOST = 1024  # nodes of all trees together, as in merge.h


class Merged(NamedTuple):
    """`order`: places in the input of the nodes that are kept; `shared`: (node, place) of every
    other place that is the same node."""

    order: tuple[int, ...]
    parents: tuple[int, ...]
    scores: tuple[float, ...]
    shared: list[tuple[int, int]]


def merged(
    tokens: Seq[int], parents: Seq[int], scores: Seq[float], sizes: Seq[int], budget: int | None
) -> Merged | None:
    """Return the union of trees that stand one behind the other, each with its root; None where
    there are no kernels, or too many nodes."""
    call, count = _function(), len(tokens)
    if call is None or count > MOST:
        return None
    pack = int32(count).pack
    out, values = array("i", bytes(4 * (4 * count + 1))), array("d", bytes(8 * count))
    at, ends = out.buffer_info()[0], int32(len(sizes)).pack(*accumulate(sizes))
    kept = call(
        pack(*tokens), pack(*parents), fp64(count).pack(*scores), ends, len(sizes), -1 if budget is None else max(1, budget),
        at, at + 4 * count, values.buffer_info()[0], at + 8 * count, at + 16 * count,
    )  # fmt: skip
    pairs, numbers = out[2 * count : 2 * count + 2 * out[-1]].tolist(), int32(kept).unpack_from
    shared = list(zip(pairs[::2], pairs[1::2], strict=True))
    return Merged(numbers(out), numbers(out, 4 * count), fp64(kept).unpack_from(values), shared)


@cache
def _function() -> Callable[..., int] | None:
    library = kernels()
    return None if library is None else library.bedside_merge
