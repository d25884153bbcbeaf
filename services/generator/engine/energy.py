"""Joules that a GPU used, by NVML's own counter; elsewhere none, and why. Reads the driver's library itself: no package is needed.

The counter counts the whole GPU since the driver was loaded: a difference of two readings is a step's energy, whoever used it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence as Seq
from typing import Any, Protocol

import torch

LIBRARY = "libnvidia-ml.so.1"


class Counter(Protocol):
    reason: str | None  # why there is nothing to read; None when there is

    def read(self) -> float | None:
        """Joules since some moment."""


class NoCounter:
    def __init__(self, reason: str) -> None:
        self.reason: str | None = reason

    def read(self) -> float | None:
        return None


class NvmlCounter:
    """Raises OSError when the library or the counter is not there (GPUs before Volta have none)."""

    reason: str | None = None

    def __init__(self, uuid: str, library: Any = None) -> None:
        """`uuid` as torch prints it, without "GPU-"."""
        self._nvml = library or ctypes.CDLL(LIBRARY)
        self._handle = ctypes.c_void_p()
        self._check("nvmlInit_v2")
        self._check("nvmlDeviceGetHandleByUUID", f"GPU-{uuid}".encode(), ctypes.byref(self._handle))
        self._millijoules = ctypes.c_ulonglong()
        self.read()

    def read(self) -> float:
        self._check("nvmlDeviceGetTotalEnergyConsumption", self._handle, ctypes.byref(self._millijoules))
        return self._millijoules.value / 1000

    def _check(self, name: str, *arguments: object) -> None:
        code = getattr(self._nvml, name)(*arguments)
        if code:
            raise OSError(f"{name} failed with NVML's code {code}")


def counter_of(device: torch.device) -> Counter:
    if device.type != "cuda":
        return NoCounter(f"energy is measured on NVIDIA GPUs only, and the model runs on {device.type}")
    try:
        return NvmlCounter(str(torch.cuda.get_device_properties(device).uuid))
    except (OSError, AttributeError, RuntimeError) as error:
        return NoCounter(f"the GPU's energy counter cannot be read: {error}")


def share(joules: float, tokens: Seq[int]) -> list[float]:
    """A step's joules by the tokens it computed for each request."""
    total = sum(tokens)
    return [joules * count / total if total else 0.0 for count in tokens]
