"""Figures of `bedside bench retrieval --json`, one a line -> a plot of how they grow (SVG, no
library)."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 560, 300, 60, 40, 20
COLOURS = {"p50_ms": "#1f6f8b", "p95_ms": "#c8553d"}


def read_figures(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def plot(figures: Sequence[dict[str, Any]]) -> str:
    """Milliseconds of a search against chunks, both axes logarithmic; a line for each store and
    percentile."""
    sizes = [figure["chunks"] for figure in figures]
    times = [figure[name] for figure in figures for name in COLOURS]
    x_axis = (math.floor(math.log10(min(sizes))), math.ceil(math.log10(max(sizes))))
    y_axis = (math.floor(math.log10(min(times))), math.ceil(math.log10(max(times))))

    def x(value: float) -> float:
        return LEFT + (math.log10(value) - x_axis[0]) / max(1, x_axis[1] - x_axis[0]) * (WIDTH - LEFT - 120)

    def y(value: float) -> float:
        return (
            HEIGHT - BOTTOM - (math.log10(value) - y_axis[0]) / max(1, y_axis[1] - y_axis[0]) * (HEIGHT - BOTTOM - TOP)
        )

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12">'
    ]
    parts.append(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    for power in range(x_axis[0], x_axis[1] + 1):
        at = x(10**power)
        parts.append(f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{10**power:,}</text>')
    for power in range(y_axis[0], y_axis[1] + 1):
        at = y(10**power)
        parts.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - 120}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{10**power:,} ms</text>')
    for store in sorted({figure["store"] for figure in figures}):
        own = sorted(
            (figure for figure in figures if figure["store"] == store), key=lambda figure: int(figure["chunks"])
        )
        for name, colour in COLOURS.items():
            points = [(x(figure["chunks"]), y(figure[name])) for figure in own]
            line = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
            dashed = ' stroke-dasharray="5 4"' if store == "weaviate" else ""
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>')
            label = f"{store} {name[:3].replace('p', '')}%"
            parts.append(
                f'<text x="{points[-1][0] + 6:.1f}" y="{points[-1][1] + 4:.1f}" fill="{colour}">{label}</text>'
            )
    parts.append(f'<text x="{(LEFT + WIDTH - 120) / 2}" y="{HEIGHT - 4}" text-anchor="middle">chunks</text></svg>')
    return "\n".join(parts) + "\n"
