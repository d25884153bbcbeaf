"""The scheduler of running and waiting requests. First come, first served; a bounded queue; a row
of the KV cache per running request.

Knows nothing of models, drafts or text.
"""

from __future__ import annotations

import time
from collections import deque

from services.generator.errors import QueueFull
from services.generator.types import Sequence, SequenceStatus


class Scheduler:
    """`rows` run at a time, `queue` more may wait."""

    def __init__(self, rows: int, queue: int) -> None:
        self.waiting: deque[Sequence] = deque()
        self.running: dict[str, Sequence] = {}
        self._queue = queue
        self._rows = rows
        self._free = list(range(rows - 1, -1, -1))
        self._arrived: dict[str, float] = {}
        self._seconds_per_request = 1.0  # smoothed; what Retry-After is estimated from

    def add(self, sequence: Sequence) -> None:
        """Raises QueueFull with the seconds after which a place should be free."""
        if len(self.waiting) >= self._queue + len(self._free):
            raise QueueFull(f"{len(self.waiting)} requests are waiting already; try again later", self.retry_after)
        self._arrived[sequence.id] = time.monotonic()
        self.waiting.append(sequence)

    def admit(self) -> list[Sequence]:
        """Give free rows to those who wait longest."""
        admitted = []
        while self._free and self.waiting:
            sequence = self.waiting.popleft()
            sequence.slot = self._free.pop()
            sequence.status = SequenceStatus.RUNNING
            sequence.stats.queue_seconds = time.monotonic() - self._arrived[sequence.id]
            self.running[sequence.id] = sequence
            admitted.append(sequence)
        return admitted

    def remove(self, sequence: Sequence) -> None:
        """Forget a request that ended, however: its row or its place in the queue is free at
        once."""
        seconds = time.monotonic() - self._arrived.pop(sequence.id)
        if self.running.pop(sequence.id, None) is not None:
            self._free.append(sequence.slot)
            sequence.slot = -1
            self._seconds_per_request += 0.2 * (seconds - sequence.stats.queue_seconds - self._seconds_per_request)
        else:
            self.waiting.remove(sequence)
        sequence.status = SequenceStatus.FINISHED

    @property
    def retry_after(self) -> float:
        """Seconds until the queue should have room."""
        return max(1.0, self._seconds_per_request * len(self.waiting) / self._rows)
