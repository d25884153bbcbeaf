"""Picture of the architecture, drawn from the imports: a box for each room, a line for each use
that no other line implies.

Rooms are those of tests/project/test_architecture.py: the folders and files right below a package.
The same source gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from graphlib import TopologicalSorter
from html import escape

from tests.project.test_architecture import imports, modules, name_of, room

WIDTH, BOX, GAP, HEIGHT, STEP, TOP = 1180, 92, 44, 30, 66, 64
PANELS = (("rag_api", "rag_api: the service", 720), ("services.generator", "services/generator: the LLM service", 420))
BESIDE = ("services.contract", "services/contract: what they say to each other")
Graph = dict[str, frozenset[str]]


@cache
def graph(package: str) -> Graph:
    """Return for each room those that it imports."""
    found: dict[str, set[str]] = {}
    for path in modules(package):
        if own := room(name_of(path), package):
            found.setdefault(own, set()).update(
                {other for name in imports(path) if (other := room(name, package))} - {own}
            )
    return {name: frozenset(found[name]) for name in sorted(found)}


def below(uses: Graph) -> Graph:
    """Return for each room all that it stands on, by way of others too."""
    found: Graph = {}
    for name in TopologicalSorter(uses).static_order():
        found[name] = frozenset().union(*(found[other] | {other} for other in uses[name]))
    return found


def needed(uses: Graph) -> list[tuple[str, str]]:
    """Return the uses that do not follow from others."""
    under = below(uses)
    return [
        (name, other)
        for name in uses
        for other in sorted(uses[name])
        if not any(other in under[between] for between in uses[name] - {other})
    ]


def floors(uses: Graph) -> list[list[str]]:
    """Return the rooms by how many stand below them at most, the lowest first."""
    height: dict[str, int] = {}
    for name in TopologicalSorter(uses).static_order():
        height[name] = 1 + max((height[other] for other in uses[name]), default=-1)
    return [sorted(name for name in uses if height[name] == level) for level in range(max(height.values()) + 1)]


def places(uses: Graph, left: float, width: float, roof: int) -> dict[str, tuple[float, float]]:
    """Return the middle of each room's box: under and over those that it has to do with, as far as
    there is room."""
    found: dict[str, tuple[float, float]] = {}
    for level, names in enumerate(floors(uses)):
        y = TOP + (roof - level) * STEP
        slot = min(BOX + GAP, width / len(names))

        def wish(name: str) -> float:
            under = [found[other][0] for other in uses[name] if other in found]
            return sum(under) / len(under) if under else left + width / 2

        start = left + (width - slot * len(names)) / 2 + slot / 2
        for index, name in enumerate(sorted(names, key=lambda name: (round(wish(name), 3), name))):
            found[name] = (start + index * slot, y)
    return found


def boxes(at: Mapping[str, tuple[float, float]]) -> list[str]:
    return [
        f'<rect x="{x - BOX / 2:.1f}" y="{y - HEIGHT / 2:.1f}" width="{BOX}" height="{HEIGHT}" rx="5" class="room"/>'
        f'<text x="{x:.1f}" y="{y + 4:.1f}" class="name">{escape(name)}</text>'
        for name, (x, y) in at.items()
    ]


def draw() -> str:
    roofs = {package: len(floors(graph(package))) - 1 for package, _, _ in PANELS}
    roof = max(roofs.values())
    bottom = TOP + roof * STEP + 34
    lines, left = [], 20.0
    for package, title, width in PANELS:
        uses = graph(package)
        at = places(uses, left, width - 10, roof)
        lines.append(
            f'<rect x="{left - 8:.1f}" y="28" width="{width:.1f}" height="{bottom - 20}" rx="8" class="panel"/>'
        )
        lines.append(f'<text x="{left + 4:.1f}" y="22" class="title">{escape(title)}</text>')
        for name, other in needed(uses):
            (x1, y1), (x2, y2) = at[name], at[other]
            lines.append(f'<path d="M{x1:.1f} {y1 + HEIGHT / 2:.1f}L{x2:.1f} {y2 - HEIGHT / 2:.1f}" class="use"/>')
        lines += boxes(at)
        left += width + 12
    lines.append(f'<rect x="12" y="{bottom + 22}" width="{WIDTH - 28}" height="{HEIGHT}" rx="5" class="room"/>')
    lines.append(f'<text x="{WIDTH / 2:.0f}" y="{bottom + 41}" class="name">{escape(BESIDE[1])}</text>')
    style = (
        "svg{background:#fff}text{font:12px "
        "sans-serif;fill:#1b2a33}.title{font-weight:bold}.name{text-anchor:middle;font-size:11px}"
        ".panel{fill:#f4f7f8;stroke:#c5d2d8}.room{fill:#fff;stroke:#1f6f8b}.use{stroke:#8aa3ae;fill:none}"
    )
    size = f'viewBox="0 0 {WIDTH} {bottom + 62}" width="{WIDTH}" height="{bottom + 62}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>Rooms and what they '
        f"use</title><style>{style}</style>"
    )
    return "\n".join([head, *lines, "</svg>", ""])
