"""Energy: NVML's counter, shared by tokens, and a reason where there is none."""

from __future__ import annotations

from types import SimpleNamespace

import pynvml
import pytest
import torch

from services.generator.engine.energy import NvmlCounter, counter_of, share
from services.generator.types import SamplingParams
from tests.services.generator.engines import drain, engine, request, tiny_target

pytestmark = pytest.mark.quick


class Nvml:
    """What pynvml answers about a GPU that uses two joules between any two readings."""

    def __init__(self) -> None:
        self.millijoules, self.asked = 5_000, ""

    def nvmlInit(self) -> None: ...

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> object:
        self.asked = uuid
        return self

    def nvmlDeviceGetTotalEnergyConsumption(self, handle: object) -> int:
        assert handle is self
        self.millijoules += 2_000
        return self.millijoules


def test_the_counter_is_read_in_joules_of_the_gpu_named() -> None:
    nvml = Nvml()
    counter = NvmlCounter(nvml, "abc")
    first = counter.read()
    assert nvml.asked == "GPU-abc"
    assert counter.read() - first == 2.0
    assert counter.reason is None


def test_pynvml_has_what_is_asked_of_it_and_without_a_driver_the_reason_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = [name for name in vars(Nvml) if name.startswith("nvml")]
    assert all(callable(getattr(pynvml, name)) for name in asked)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: SimpleNamespace(uuid="abc"))
    monkeypatch.setattr(pynvml, "nvmlInit", lambda: None)
    monkeypatch.setattr(pynvml, "nvmlDeviceGetHandleByUUID", lambda _: None)
    error = pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)

    def refuse(_: object) -> int:
        raise error

    monkeypatch.setattr(pynvml, "nvmlDeviceGetTotalEnergyConsumption", refuse)
    counter = counter_of(torch.device("cuda", 0))
    assert counter.read() is None
    assert counter.reason == "the GPU's energy counter cannot be read: Not Supported"


def test_on_a_cpu_there_is_none_and_a_reason() -> None:
    counter = counter_of(torch.device("cpu"))
    assert counter.read() is None
    assert counter.reason == "energy is measured on NVIDIA GPUs only, and the model runs on cpu"


def test_a_steps_energy_is_shared_by_tokens() -> None:
    assert share(12.0, [1, 3, 2]) == [2.0, 6.0, 4.0]
    assert share(1.0, []) == []


@pytest.mark.longer
def test_requests_add_up_to_what_their_steps_used() -> None:
    one = engine(tiny_target(), rows=2)
    one.energy = NvmlCounter(Nvml(), "abc")
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


@pytest.mark.longer
def test_without_a_counter_requests_have_no_joules() -> None:
    one = engine(tiny_target())
    job = request([5, 6])
    one.add(job)
    drain(one)
    assert job.sequence.stats.joules is None
