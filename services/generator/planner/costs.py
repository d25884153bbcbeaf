"""What a step costs on this machine, measured at start: which kernel each layer uses by rows, and seconds by nodes and context.

Kept in a file per machine, torch, threads and model, so that the second start measures nothing. Minima are kept, not means: a
machine that was busy while measuring must not look slower than it is. One that is so busy that the time allowed does not suffice
goes on with what was measured, or the usual choice, and measures again at the next start.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from services.generator.models import StepInput
from services.generator.models.linear import Kernel, Linear, dense_kernel, packed_kernel, packs_bf16
from services.generator.models.llama import LlamaTarget
from services.generator.native.step import NODES as NATIVE_NODES

FORMAT = 1

KERNEL_ROWS = (1, 2, 4, 8, 16, 32)
NODES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128)
CONTEXTS = (256, 2048)

KERNEL_SECONDS, STEP_SECONDS = 2.0, 4.0  # allowed for measuring
USUAL_LIMIT = 4  # rows for the first of two kernels when there was no time to measure


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of a forward of one row by nodes and context: what was measured, and between it, interpolated."""

    nodes: tuple[int, ...]
    contexts: tuple[int, ...]
    seconds: tuple[tuple[float, ...], ...]  # [contexts][nodes]

    def verify(self, nodes: int, context: int = 512) -> float:
        """T_verify in seconds; beyond what was measured the last slope goes on."""
        by_context = [_interpolate(self.nodes, row, nodes) for row in self.seconds]
        return _interpolate(self.contexts, by_context, context)


def _interpolate(xs: tuple[int, ...], ys: tuple[float, ...] | list[float], x: float) -> float:
    if len(xs) == 1:
        return ys[0]
    i = next((i for i in range(1, len(xs) - 1) if x <= xs[i]), len(xs) - 1)
    return max(ys[i - 1] + (ys[i] - ys[i - 1]) * (x - xs[i - 1]) / (xs[i] - xs[i - 1]), min(ys))


def step_costs(target: LlamaTarget, cache: Path) -> Costs:
    """Measured now, or read from a file in `cache` when this machine has measured this model before."""
    file = cache / f"steps-{target_key(target)}.json"
    known = read_cached(file)
    if known is not None:
        return Costs(tuple(known["nodes"]), tuple(known["contexts"]), tuple(tuple(row) for row in known["seconds"]))
    costs = measure(target)
    if costs.nodes == NODES:
        write_cached(file, {"nodes": costs.nodes, "contexts": costs.contexts, "seconds": costs.seconds})
    return costs


def measure(
    target: LlamaTarget, nodes: tuple[int, ...] = NODES, contexts: tuple[int, ...] = CONTEXTS, allowed: float = STEP_SECONDS
) -> Costs:
    """At least two of `nodes` are measured, and as many as the allowed seconds suffice for."""
    limit = target.config.max_positions
    contexts = tuple(c for c in contexts if c + max(nodes) <= limit) or (1,)
    nodes = tuple(n for n in nodes if n + contexts[-1] <= limit)
    kv = target.new_cache(1, contexts[-1] + nodes[-1])
    until = time.perf_counter() + allowed
    measured: list[tuple[float, ...]] = []  # [nodes][contexts]
    for count in nodes:
        steps = [chain(count, context, target.device) for context in contexts]
        measured.append(tuple(least_seconds(partial(target.forward, step, kv), 3, target.device, until) for step in steps))
        if len(measured) > 1 and time.perf_counter() > until:
            break
    return Costs(nodes[: len(measured)], contexts, tuple(zip(*measured, strict=True)))


def chain(count: int, context: int, device: torch.device, logits_from: int = 0) -> StepInput:
    """A step of `count` nodes behind `context` cached positions, for measuring: its tokens do not matter."""
    tokens = torch.arange(3, 3 + count, device=device).unsqueeze(0)
    return StepInput(tokens, tokens + (context - 3), (0,), (context,), (count,), None, logits_from)


def least_seconds(run: Callable[[], object], repeats: int, device: torch.device, until: float = float("inf")) -> float:
    """The shortest of `repeats` runs after one for warming up; fewer when the clock passes `until`."""

    def once() -> float:
        start = time.perf_counter()
        run()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        return time.perf_counter() - start

    best = once()
    for _ in range(repeats):
        if time.perf_counter() > until:
            break
        best = min(best, once())
    return best


def bf16_pays() -> bool:
    """Whether this CPU computes packed bf16 faster than fp32; those without bf16 instructions emulate it."""
    if not packs_bf16():
        return False
    x, weight = torch.ones(16, 1024), torch.ones(1024, 1024)
    packed, dense = packed_kernel(weight.bfloat16(), None), dense_kernel(weight, None)
    until = time.perf_counter() + 0.5
    return _pass_seconds([packed], x.bfloat16(), until) < _pass_seconds([dense], x, until)


def choose_kernels(target: LlamaTarget, cache: Path) -> None:
    """Give every layer that has several kernels the number of rows up to which the first of them is used."""
    if target.weights.native is not None:  # not measured: a step is all native, or what it gives would depend on its size
        for linear in target.linears():
            linear.choose("native", next(name for name in linear.kernels if name != "native"), NATIVE_NODES)
        return
    groups = _groups(target)
    if not groups:
        return
    file = cache / f"kernels-{target_key(target)}.json"
    known = read_cached(file)
    until = time.perf_counter() + KERNEL_SECONDS
    limits = known or {name: _limit(layers, target.dtype, until) for name, layers in groups.items()}
    for name, layers in groups.items():
        few, many = layers[0].kernels
        for layer in layers:
            layer.choose(few, many, int(limits[name]))
    if known is None and time.perf_counter() < until:
        write_cached(file, limits)


def _groups(target: LlamaTarget) -> dict[str, list[Linear]]:
    """Layers of one shape and the same kernels, by name. They are measured in turn, so that none sits in a cache."""
    groups: dict[str, list[Linear]] = {}
    for linear in target.linears():
        if len(linear.kernels) == 2:
            groups.setdefault(f"{linear.inputs}x{linear.outputs} {' '.join(linear.kernels)}", []).append(linear)
    return groups


def _limit(layers: list[Linear], dtype: torch.dtype, until: float) -> int:
    """The rows up to which the first kernel is the faster one; 0 when it never is."""
    first, second = ([layer.kernels[name] for layer in layers] for name in layers[0].kernels)
    limit = 0
    for rows in KERNEL_ROWS:
        x = torch.ones(rows, layers[0].inputs, dtype=dtype)
        faster = _pass_seconds(first, x, until) <= _pass_seconds(second, x, until)
        if time.perf_counter() > until:
            return USUAL_LIMIT
        if not faster:
            break
        limit = rows
    return limit


@torch.inference_mode()
def _pass_seconds(kernels: Iterable[Kernel], x: torch.Tensor, until: float) -> float:
    def run() -> None:
        for kernel in kernels:
            kernel(x)

    return least_seconds(run, 5, x.device, until)


def target_key(target: LlamaTarget, *beside: object) -> str:
    """What measurements of this model on this machine are kept under."""
    parts: list[object] = [
        *beside,
        FORMAT,
        _machine(),
        torch.__version__,
        torch.get_num_threads(),
        target.config,
        target.dtype,
        target.kv_dtype,
    ]
    parts.append(sorted({" ".join(linear.kernels) for linear in target.linears()}))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def _machine() -> str:
    if torch.cuda.is_available():
        return torch.cuda.get_device_name()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    model = next((line for line in lines if line.startswith("model name")), platform.processor())
    return f"{platform.machine()} {model} {torch.backends.cpu.get_cpu_capability()} {os.cpu_count()}"


def read_cached(file: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(file.read_text())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def write_cached(file: Path, value: dict[str, Any]) -> None:
    """Atomically; a cache that cannot be written only costs the next start its measurement."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as stream:
            json.dump(value, stream)
        os.replace(stream.name, file)
    except OSError:
        return
