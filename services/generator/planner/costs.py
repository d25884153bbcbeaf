"""Costs of a step on this machine, measured at start: seconds by nodes and context.

Kept in a file per machine, torch, threads and model, so that the second start measures nothing.
Minima are kept, not means: a machine that was busy while measuring must not look slower than it is.
One that is so busy that the time allowed does not suffice goes on with what was measured and
measures again at the next start.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path

import torch

from services.generator.models import StepInput
from services.generator.models.llama import LlamaTarget
from services.generator.models.machine import least_seconds, machine, read_cached, write_cached

FORMAT = 3

NODES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128)
CONTEXTS = (256, 2048)

STEP_SECONDS = 4.0  # allowed for measuring
# over all sizes, so that a busy moment falls on several; sizes that are run so many times more in
# each
ROUNDS, SMALL, FEW = 3, 8, 2


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of a forward of one row by nodes and context: what was measured, and between it,
    interpolated."""

    nodes: tuple[int, ...]
    contexts: tuple[int, ...]
    seconds: tuple[tuple[float, ...], ...]  # [contexts][nodes]

    def verify(self, nodes: int, context: int = 512) -> float:
        """Return T_verify in seconds; beyond what was measured the last slope goes on."""
        by_context = [_interpolate(self.nodes, row, nodes) for row in self.seconds]
        return _interpolate(self.contexts, by_context, context)


def _interpolate(xs: tuple[int, ...], ys: tuple[float, ...] | list[float], x: float) -> float:
    if len(xs) == 1:
        return ys[0]
    i = next((i for i in range(1, len(xs) - 1) if x <= xs[i]), len(xs) - 1)
    return max(ys[i - 1] + (ys[i] - ys[i - 1]) * (x - xs[i - 1]) / (xs[i] - xs[i - 1]), min(ys))


def step_costs(target: LlamaTarget, cache: Path) -> Costs:
    """Return what is measured now, or read from a file in `cache` when this machine has measured
    this model before."""
    file = cache / f"steps-{target_key(target)}.json"
    known = read_cached(file)
    if known is not None:
        return Costs(tuple(known["nodes"]), tuple(known["contexts"]), tuple(tuple(row) for row in known["seconds"]))
    costs = measure(target)
    if costs.nodes == NODES:
        write_cached(file, {"nodes": costs.nodes, "contexts": costs.contexts, "seconds": costs.seconds})
    return costs


def measure(
    target: LlamaTarget,
    nodes: tuple[int, ...] = NODES,
    contexts: tuple[int, ...] = CONTEXTS,
    allowed: float = STEP_SECONDS,
) -> Costs:
    """Measure at least two of `nodes`, and as many as the allowed seconds suffice for."""
    limit = target.config.max_positions
    contexts = tuple(c for c in contexts if c + max(nodes) <= limit) or (1,)
    nodes = tuple(n for n in nodes if n + contexts[-1] <= limit)
    kv = target.new_cache(1, contexts[-1] + nodes[-1])
    until = time.perf_counter() + allowed
    least: dict[int, tuple[float, ...]] = {}
    for _ in range(ROUNDS):
        for count in nodes:
            if len(least) > 1 and time.perf_counter() > until:
                break
            steps = [partial(target.forward, chain(count, context, target.device), kv) for context in contexts]
            found = tuple(least_seconds(step, FEW if count <= SMALL else 0, target.device, until) for step in steps)
            least[count] = tuple(map(min, found, least.get(count, found)))
    table = zip(*least.values(), strict=True)
    return Costs(tuple(least), contexts, tuple(map(rising, table)))


def rising(seconds: Seq[float]) -> tuple[float, ...]:
    """Return them without what only a busy moment explains: fewer nodes that took longer than more
    of them."""
    return tuple(accumulate(reversed(seconds), min))[::-1]


def chain(count: int, context: int, device: torch.device, logits_from: int = 0) -> StepInput:
    """Return a step of `count` nodes behind `context` cached positions, for measuring: its tokens
    do not matter."""
    tokens = torch.arange(3, 3 + count, device=device).unsqueeze(0)
    return StepInput(tokens, tokens + (context - 3), (0,), (context,), (count,), None, logits_from)


def target_key(target: LlamaTarget, *beside: object) -> str:
    """Hash what measurements of this model on this machine depend on."""
    parts: list[object] = [
        *beside,
        FORMAT,
        machine(),
        torch.__version__,
        torch.get_num_threads(),
        target.config,
        target.dtype,
        target.kv_dtype,
    ]
    parts.append(sorted({" ".join(linear.kernels) for linear in target.linears()}))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]
