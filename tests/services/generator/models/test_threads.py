"""One thread or all of them, whichever is measured to be the faster."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from services.generator.models.threads import PROBES, Threads


@pytest.fixture(autouse=True)
def _same_threads_afterwards() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def seconds(by_threads: dict[int, float]) -> object:
    def measured(self: Threads, threads: int, allowed: float = 0.0) -> float:
        torch.set_num_threads(threads)
        return by_threads[threads]

    return measured


@pytest.mark.parametrize(("alone", "together", "chosen"), [(2.0, 1.0, 2), (1.0, 2.0, 1)])
def test_the_faster_number_of_threads_is_used(
    monkeypatch: pytest.MonkeyPatch, alone: float, together: float, chosen: int
) -> None:
    monkeypatch.setattr(Threads, "_seconds", seconds({1: alone, 2: together}))
    assert Threads(2).settle() == chosen
    assert torch.get_num_threads() == chosen


def test_threads_are_not_measured_again_before_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = Threads(2, interval=1000.0)
    threads.settle()
    monkeypatch.setattr(Threads, "_seconds", lambda *_: pytest.fail("measured again"))
    threads.settle()


def test_one_core_has_nothing_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Threads, "_seconds", lambda *_: pytest.fail("measured"))
    assert Threads(1).settle() == torch.get_num_threads()


def test_a_probe_stops_when_its_time_is_over() -> None:
    threads = Threads(2)
    threads._x = torch.ones(4096, 512)  # milliseconds per operation
    assert threads._seconds(1, allowed=0.0) < threads._seconds(1) / (PROBES / 4)
