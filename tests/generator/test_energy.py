"""Energy: NVML's counter read through the driver's library, shared by tokens, and a reason where there is none."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest
import torch

from services.generator.engine.energy import NvmlCounter, counter_of, share
from services.generator.types import SamplingParams
from tests.generator.engines import drain, engine, request, tiny_target

pytestmark = pytest.mark.quick


class Library:
    """What the driver's library answers, in its own types."""

    def __init__(self, code: int = 0) -> None:
        self.millijoules, self.code, self.asked = 5_000, code, b""

    def nvmlInit_v2(self) -> int:
        return 0

    def nvmlDeviceGetHandleByUUID(self, uuid: bytes, handle: Any) -> int:
        self.asked = uuid
        return 0

    def nvmlDeviceGetTotalEnergyConsumption(self, handle: Any, value: Any) -> int:
        self.millijoules += 2_000
        ctypes.cast(value, ctypes.POINTER(ctypes.c_ulonglong))[0] = self.millijoules
        return self.code


def test_the_counter_is_read_in_joules_of_the_gpu_named() -> None:
    library = Library()
    counter = NvmlCounter("abc", library)
    first = counter.read()
    assert library.asked == b"GPU-abc"
    assert counter.read() - first == 2.0
    assert counter.reason is None


def test_a_gpu_without_a_counter_is_said() -> None:
    with pytest.raises(OSError, match="nvmlDeviceGetTotalEnergyConsumption failed with NVML's code 3"):
        NvmlCounter("abc", Library(code=3))


def test_on_a_cpu_there_is_none_and_a_reason() -> None:
    counter = counter_of(torch.device("cpu"))
    assert counter.read() is None
    assert counter.reason == "energy is measured on NVIDIA GPUs only, and the model runs on cpu"


def test_a_steps_energy_is_shared_by_tokens() -> None:
    assert share(12.0, [1, 3, 2]) == [2.0, 6.0, 4.0]
    assert share(1.0, []) == []


def test_requests_add_up_to_what_their_steps_used() -> None:
    one = engine(tiny_target(), rows=2)
    one.energy = NvmlCounter("abc", Library())
    jobs = [request([5, 6, 7] * n, SamplingParams(max_tokens=4)) for n in (1, 6)]
    for job in jobs:
        one.add(job)
    steps = 0
    while one.busy:
        one.step()
        steps += 1
    joules = [job.sequence.stats.joules or 0.0 for job in jobs]
    assert sum(joules) == pytest.approx(2.0 * steps)
    assert joules[1] > joules[0] > 0


def test_without_a_counter_requests_have_no_joules() -> None:
    one = engine(tiny_target())
    job = request([5, 6])
    one.add(job)
    drain(one)
    assert job.sequence.stats.joules is None
