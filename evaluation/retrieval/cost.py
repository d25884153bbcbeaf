"""Costs of sizes that were not measured, computed from figures of `bedside bench retrieval --json`:
a model, not a measurement.

From a store's two greatest sizes: times grow by the power of the size by which they grew between
these, disk and building as the chunks do. What happens only beyond them (an index that no longer
fits memory, a disk that is slower when full) is not in it. How far it is off is seen where a size
was measured: computed from the two below it, beside what was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rag_api.errors import InvalidInput

TIMES = ("p50_ms", "p95_ms")


def project(figures: Sequence[dict[str, Any]], store: str, chunks: int) -> dict[str, Any]:
    """Raises InvalidInput where two sizes of this store are not among them."""
    own = _of(figures, store)
    if len({figure["chunks"] for figure in own}) < 2:
        raise InvalidInput(f"a computed cost needs figures of two sizes of {store}")
    smaller, greater = own[-2:]
    times = chunks / greater["chunks"]
    found: dict[str, Any] = {"chunks": chunks, "store": store, "computed": True}
    for name in TIMES:
        power = math.log(greater[name] / smaller[name]) / math.log(greater["chunks"] / smaller["chunks"])
        found[name] = round(greater[name] * times**power)
    return found | _size_of(greater, times)


def check(figures: Sequence[dict[str, Any]], store: str) -> list[dict[str, Any]]:
    """The greatest size computed from the sizes below it, and as it was measured; nothing where
    there are fewer than three."""
    own = _of(figures, store)
    if len({figure["chunks"] for figure in own}) < 3:
        return []
    greatest = own[-1]
    below = [figure for figure in own if figure["chunks"] < greatest["chunks"]]
    measured = {"chunks": greatest["chunks"], "store": store, "computed": False} | {
        name: round(greatest[name]) for name in TIMES
    }
    return [project(below, store, greatest["chunks"]), measured | _size_of(greatest, 1)]


def _of(figures: Sequence[dict[str, Any]], store: str) -> list[dict[str, Any]]:
    return sorted((figure for figure in figures if figure["store"] == store), key=lambda figure: int(figure["chunks"]))


def _size_of(figure: dict[str, Any], times: float) -> dict[str, Any]:
    return {
        "disk_gb": round(figure["bytes"] * times / 1e9, 1),
        "building_processor_hours": round(figure["index_cpu_seconds"] * times / 3600, 2),
    }
