"""Times that this machine takes for something, by measuring, and files that keep such figures; and
its memory. Knows no model."""

from __future__ import annotations

import json
import os
import platform
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from services.generator.models.decoder.linear import dense_kernel, packed_kernel, packs_bf16


def least_seconds(run: Callable[[], object], repeats: int, device: torch.device, until: float = float("inf")) -> float:
    """Return the shortest of `repeats` runs after one for warming up; of fewer when the clock
    passes `until`."""

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


@torch.inference_mode()
def bf16_pays() -> bool:
    """Say whether this CPU computes packed bf16 faster than fp32; those without bf16 instructions
    emulate it."""
    if not packs_bf16():
        return False
    x, weight = torch.ones(16, 1024), torch.ones(1024, 1024)
    packed, dense = packed_kernel(weight.bfloat16(), None), dense_kernel(weight, None)
    until = time.perf_counter() + 0.5
    return least_seconds(partial(packed, x.bfloat16()), 5, x.device, until) < least_seconds(
        partial(dense, x), 5, x.device, until
    )


def machine() -> str:
    """Name what times depend on: the GPU, or the CPU and how many of it."""
    if torch.cuda.is_available():
        return torch.cuda.get_device_name()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    model = next((line for line in lines if line.startswith("model name")), platform.processor())
    return f"{platform.machine()} {model} {torch.backends.cpu.get_cpu_capability()} {os.cpu_count()}"


def memory(device: torch.device, limits: Path = Path("/sys/fs/cgroup")) -> int:
    """Return the bytes that there are: the GPU's, or this computer's, at most what `limits` leaves
    a container of them."""
    if device.type == "cuda":
        return int(torch.cuda.get_device_properties(device).total_memory)
    known = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        try:
            said = (limits / name).read_text().strip()
        except OSError:
            continue
        known += [int(said)] if said.isdecimal() else []
    return min(known)


def read_cached(file: Path) -> dict[str, Any] | None:
    """Return what `write_cached` wrote, or None."""
    try:
        value = json.loads(file.read_text())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def write_cached(file: Path, value: dict[str, Any]) -> None:
    """Write atomically; a cache that cannot be written only costs the next start its
    measurement."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as stream:
            json.dump(value, stream)
        os.replace(stream.name, file)
    except OSError:
        return
