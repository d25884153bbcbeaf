"""How much one person or key may ask, and how many questions are looked up and wait at a time. What is over hears when to try again.

Kept in this process: with several, each grants the same again. Knows no route.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from rag_api.errors import TooBusy, TooManyRequests

MOST_KEPT = 10_000  # buckets; those that are full again are forgotten first


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class Buckets:
    """A bucket of `per_minute` tokens for each name, filled evenly; 0: no limit."""

    def __init__(self, per_minute: int, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_minute, self.what, self._clock = per_minute, what, clock
        self._buckets: dict[str, _Bucket] = {}

    def take(self, name: str) -> None:
        """Raises TooManyRequests."""
        if not self.per_minute:
            return
        now, a_second = self._clock(), self.per_minute / 60
        bucket = self._buckets.setdefault(name, _Bucket(self.per_minute, now))
        bucket.tokens = min(self.per_minute, bucket.tokens + (now - bucket.at) * a_second)
        bucket.at = now
        if bucket.tokens < 1:
            raise TooManyRequests(f"More than {self.per_minute} {self.what} in a minute.", (1 - bucket.tokens) / a_second, self.what)
        bucket.tokens -= 1
        if len(self._buckets) > MOST_KEPT:
            self._forget(now - 60)

    def _forget(self, before: float) -> None:
        """Those that were last used a minute ago are full; when all were used since, the oldest half goes."""
        kept = {name: bucket for name, bucket in self._buckets.items() if bucket.at > before}
        oldest_first = sorted(kept, key=lambda name: kept[name].at)
        self._buckets = {name: kept[name] for name in oldest_first[max(0, len(kept) - MOST_KEPT // 2) :]}


class Place:
    """Of one question among those that are looked up. Left once: by `leave`, or when nobody holds it any more."""

    def __init__(self, admission: Admission) -> None:
        self._admission: Admission | None = admission
        self._since = time.monotonic()

    def leave(self) -> None:
        if self._admission is not None:
            admission, self._admission = self._admission, None
            admission.left(time.monotonic() - self._since)

    def __del__(self) -> None:
        self.leave()  # a stream that its client never let begin


class Admission:
    """At most `at_once` questions are looked up, `waiting` more wait, none longer than `patience` seconds. For one event loop."""

    def __init__(self, at_once: int, waiting: int, patience: float) -> None:
        self.at_once, self.waiting, self.patience = at_once, waiting, patience
        self._free = at_once
        self._queue: deque[asyncio.Future[None]] = deque()
        self._seconds = 0.2  # that a question takes, lately

    @property
    def queued(self) -> int:
        """Of the questions that wait now."""
        return len(self._queue)

    async def enter(self) -> Place:
        """Raises TooBusy."""
        if self._free > 0:
            self._free -= 1
            return Place(self)
        if len(self._queue) >= self.waiting:
            raise self._busy()
        turn = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            await asyncio.wait({turn}, timeout=self.patience)
        except asyncio.CancelledError:
            self._give_up(turn)
            raise
        if not turn.done():
            self._give_up(turn)
            raise self._busy()
        return Place(self)

    def left(self, seconds: float) -> None:
        """A place is free: the one who has waited longest gets it."""
        self._seconds = 0.9 * self._seconds + 0.1 * seconds
        if self._queue:
            self._queue.popleft().set_result(None)
        else:
            self._free += 1

    def _give_up(self, turn: asyncio.Future[None]) -> None:
        if turn.done():
            self.left(0.0)
        else:
            self._queue.remove(turn)

    def _busy(self) -> TooBusy:
        ahead = len(self._queue) + self.at_once
        return TooBusy("Many people are asking at the moment.", max(1.0, math.ceil(ahead * self._seconds / self.at_once)))


@dataclass(frozen=True, slots=True)
class Limits:
    requests: Buckets
    questions: Buckets
    admission: Admission
