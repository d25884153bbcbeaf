"""Rows of `bedside bench cluster` -> a plot against documents: how many a minute; memory of driver
and object stores, on the way too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rag_api.errors import ConfigurationError


def draw(rows: Sequence[dict[str, Any]], svg: Path) -> None:
    """Raises ConfigurationError without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigurationError(f"a plot needs the extra `report`: pip install 'bedside[report]' ({error})") from None
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    speed, memory = figure.subplots(1, 2)
    for workers in sorted({row["workers"] for row in rows}):
        own = sorted((row for row in rows if row["workers"] == workers), key=lambda row: int(row["documents"]))
        documents, name = [row["documents"] for row in own], f"Ray, {workers}" if workers else "local"
        speed.plot(documents, [row["documents_per_minute"] for row in own], marker="o", label=name)
        (line,) = memory.plot(documents, [row["driver_peak_mb"] for row in own], marker="o", label=f"{name}: driver")
        if workers:
            stored = [row["object_store_peak_mb"] for row in own]
            memory.plot(
                documents, stored, marker="s", linestyle="--", color=line.get_color(), label=f"{name}: object stores"
            )
        for row in own:
            passed = sorted((int(done), at) for done, at in row.get("on_the_way", {}).items())
            for kept, style in (("driver_mb", "-"), ("object_store_mb", "--")):
                if workers or kept == "driver_mb":
                    at_each = [at[kept] for _, at in passed]
                    memory.plot(
                        [done for done, _ in passed], at_each, marker=".", linestyle=style, color=line.get_color()
                    )
    for axes, of in ((speed, "documents a minute"), (memory, "MB at most")):
        axes.set(xscale="log", xlabel="documents", ylabel=of)
        axes.set_ylim(bottom=0)
        axes.legend(fontsize="small")
    figure.savefig(svg, metadata={"Date": None})
