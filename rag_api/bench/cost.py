"""What sizes that were not measured would cost, computed from figures of `bedside bench retrieval --json`: a model, not a measurement.

From a store's two greatest sizes: times grow by the power of the size by which they grew between these, disk and building as the chunks
do. What happens only beyond them (an index that no longer fits memory, a disk that is slower when full) is not in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rag_api.errors import InvalidInput

TIMES = ("p50_ms", "p95_ms")


def project(figures: Sequence[dict[str, Any]], store: str, chunks: int) -> dict[str, Any]:
    """Raises InvalidInput where two sizes of this store are not among them."""
    own = sorted((figure for figure in figures if figure["store"] == store), key=lambda figure: int(figure["chunks"]))
    if len({figure["chunks"] for figure in own}) < 2:
        raise InvalidInput(f"a computed cost needs figures of two sizes of {store}")
    smaller, greater = own[-2:]
    times = chunks / greater["chunks"]
    found: dict[str, Any] = {"chunks": chunks, "store": store, "computed": True}
    for name in TIMES:
        power = math.log(greater[name] / smaller[name]) / math.log(greater["chunks"] / smaller["chunks"])
        found[name] = round(greater[name] * times**power)
    found["disk_gb"] = round(greater["bytes"] * times / 1e9)
    found["building_processor_hours"] = round(greater["index_cpu_seconds"] * times / 3600, 1)
    return found
