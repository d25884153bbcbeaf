"""One thread or all of them, whichever is measured to be the faster."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import torch

from services.generator.models import threads as module
from services.generator.models.threads import PROBES, Threads


class Probes:
    """Products that take the seconds they are given for each number of threads; `made` counts
    them."""

    def __init__(self, alone: float, together: float) -> None:
        self.takes = {1: alone, 2: together}
        self.made = {1: 0, 2: 0}
        self.now = 1.0

    def linear(self, *_: torch.Tensor) -> None:
        self.made[torch.get_num_threads()] += 1
        self.now += self.takes[torch.get_num_threads()]


@pytest.fixture(autouse=True)
def _same_threads_afterwards() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def probing(monkeypatch: pytest.MonkeyPatch, alone: float, together: float) -> Probes:
    probes = Probes(alone, together)
    monkeypatch.setattr(module, "F", SimpleNamespace(linear=probes.linear))
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: probes.now))
    return probes


@pytest.mark.parametrize(("alone", "together", "chosen"), [(0.02, 0.01, 2), (0.01, 0.02, 1)])
def test_the_faster_number_of_threads_is_used(
    monkeypatch: pytest.MonkeyPatch, alone: float, together: float, chosen: int
) -> None:
    probing(monkeypatch, alone, together)
    assert Threads(2).settle() == chosen
    assert torch.get_num_threads() == chosen


def test_threads_are_not_measured_again_before_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    probes = probing(monkeypatch, 0.02, 0.01)
    threads = Threads(2, interval=1000.0)
    threads.settle()
    made = dict(probes.made)
    threads.settle()
    assert probes.made == made
    probes.now += 1000.0
    threads.settle()
    assert probes.made == {count: 2 * number for count, number in made.items()}


def test_one_core_has_nothing_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    probes = probing(monkeypatch, 0.02, 0.01)
    assert Threads(1).settle() == torch.get_num_threads()
    assert probes.made == {1: 0, 2: 0}


def test_a_probe_stops_when_one_thread_would_have_been_done(monkeypatch: pytest.MonkeyPatch) -> None:
    probes = probing(monkeypatch, 0.01, 0.1)
    assert Threads(2).settle() == 1
    assert probes.made[1] == PROBES + 1
    assert probes.made[2] <= PROBES / 10 + 2
