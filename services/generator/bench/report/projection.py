"""Projection of a measured tau to a GPU with an 8B model: computed, not measured.

The numbers are those of the design's cost model: Llama-3.1-8B in bf16 at batch 1 on one H100. A
public engine decodes 158 tokens a second; verifying 64 nodes costs up to 1.08 times one; a level of
an EAGLE-3 head 0.22 ms; copying and merging 0.06 ms.
"""

from __future__ import annotations

PLAIN = 1 / 158  # seconds of a step
TREE = 0.08  # of it for 64 more nodes
LEVEL = 0.22e-3
COPY = 0.06e-3
LEVELS = {
    "EAGLE": 6,
    "EAGLE + CASD": 6,
    "auto without CASD": 4,
    "auto": 4,
    "planner": 4,
}  # forwards of the head per step: TreeShape() and usual_shape(), the first level included
COPIES = {"prompt lookup", "CASD", "auto without EAGLE", "EAGLE + CASD", "auto", "planner"}


def tokens_per_second(method: str, tau: float, nodes: float) -> float:
    """Compute it with every step drafted for, as `auto` on such a GPU would nearly always
    choose."""
    step = PLAIN * (1 + TREE * min(nodes, 64) / 64) + LEVELS.get(method, 0) * LEVEL + (COPY if method in COPIES else 0)
    return tau / step
