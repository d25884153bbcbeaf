"""The number of threads that torch computes with on a CPU: all cores while they are free, one while
others use them.

torch's threads meet at a barrier after every operation and wait there by spinning. On a host whose
cores are busy a step then waits, at every barrier, for a thread that has no core: on two cores with
ten busy processes a step took 618 ms with two threads and 48 ms with one. Which is the faster is
therefore measured, at start and now and then.
"""

from __future__ import annotations

import time

import torch
import torch.nn.functional as F

PROBES = 12  # operations, each ended by a barrier: a few milliseconds on free cores


class Threads:
    """`most` threads, or one. `settle` is cheap to call: it measures when `interval` seconds have
    passed since it last did."""

    def __init__(self, most: int, interval: float = 10.0) -> None:
        self.most, self.interval = most, interval
        self._next = 0.0
        self._x, self._weight = torch.ones(16, 512), torch.ones(2048, 512)

    def settle(self) -> int:
        """Return the number of threads that torch uses from now on."""
        now = time.perf_counter()
        if self.most > 1 and now >= self._next:
            self._next = now + self.interval
            alone = self._seconds(1)
            if self._seconds(self.most, allowed=alone) >= alone:
                torch.set_num_threads(1)
        return torch.get_num_threads()

    def _seconds(self, threads: int, allowed: float = float("inf")) -> float:
        """Measure the sum, not the least: what is looked for are the stalls. Stop when the allowed
        time is over."""
        torch.set_num_threads(threads)
        F.linear(self._x, self._weight)  # starts the threads
        began = time.perf_counter()
        for _ in range(PROBES):
            F.linear(self._x, self._weight)
            if time.perf_counter() - began > allowed:
                break
        return time.perf_counter() - began
