"""Joules that a GPU used, by NVML's own counter; elsewhere none, and why.

The counter counts the whole GPU since the driver was loaded: a difference of two readings is a
step's energy, whoever used it.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from typing import Any, Protocol

import torch


class EnergyCounter(Protocol):
    reason: str | None  # why there is nothing to read; None when there is

    def read(self) -> float | None:
        """Return joules since some moment."""


class NoCounter:
    def __init__(self, reason: str) -> None:
        self.reason: str | None = reason

    def read(self) -> float | None:
        return None


class NvmlCounter:
    """Raises pynvml.NVMLError when the library or the counter is not there (GPUs before Volta have
    none)."""

    reason: str | None = None

    def __init__(self, nvml: Any, uuid: str) -> None:
        """Open the counter. `nvml` is the module pynvml; `uuid` as torch prints it, without
        "GPU-"."""
        nvml.nvmlInit()
        self._nvml, self._handle = nvml, nvml.nvmlDeviceGetHandleByUUID(f"GPU-{uuid}")
        self.read()

    def read(self) -> float:
        return float(self._nvml.nvmlDeviceGetTotalEnergyConsumption(self._handle)) / 1000  # it counts millijoules


def counter_of(device: torch.device) -> EnergyCounter:
    if device.type != "cuda":
        return NoCounter(f"energy is measured on NVIDIA GPUs only, and the model runs on {device.type}")
    try:
        import pynvml
    except ImportError:
        return NoCounter("the GPU's energy counter cannot be read: the package nvidia-ml-py is not installed")
    try:
        return NvmlCounter(pynvml, str(torch.cuda.get_device_properties(device).uuid))
    except (pynvml.NVMLError, AttributeError, RuntimeError) as error:
        return NoCounter(f"the GPU's energy counter cannot be read: {error}")


def share(joules: float, tokens: Seq[int]) -> list[float]:
    """Return a step's joules by the tokens it computed for each request."""
    total = sum(tokens)
    return [joules * count / total if total else 0.0 for count in tokens]
