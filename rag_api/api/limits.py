"""Limits on how much one person or key may ask, and on how many questions are looked up and wait at
a time. What is over hears when to try again.

What one may ask is counted in the database, for all processes together; while that does not answer,
each process counts by itself. How many are looked up at a time is each process's own: it is about
its processors. Knows no route.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from rag_api.db import Database
from rag_api.db.people.rate_limits import forget_full, take
from rag_api.errors import BedsideError, TooBusy, TooManyRequests

log = logging.getLogger(__name__)

LONGEST_WAIT = 20.0  # seconds that anyone is told to wait
MOST_KEPT = 10_000  # buckets; those that are full again are forgotten first
PATIENCE = 1.0  # seconds for the database to count
AGAIN = 5.0  # seconds until it is asked to count again
SWEEP = 1_000  # takes between two looks for buckets that are full


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class Buckets:
    """A bucket of `per_minute` tokens for each name, filled evenly; 0: no limit. `shared` gives the
    database that counts for all processes; where there is none, this process counts alone. Safe
    from several threads."""

    def __init__(
        self,
        per_minute: int,
        what: str,
        clock: Callable[[], float] = time.monotonic,
        shared: Callable[[], Database | None] | None = None,
    ) -> None:
        self.per_minute, self.what, self._clock, self._shared = per_minute, what, clock, shared
        self._buckets: dict[str, _Bucket] = {}
        self._lock = threading.Lock()
        self._alone_until = float("-inf")
        self._taken = 0

    @property
    def kept(self) -> int:
        """How many this process has in memory."""
        return len(self._buckets)

    def take(self, name: str) -> None:
        """Raises TooManyRequests. Blocks where the database counts."""
        if not self.per_minute:
            return
        wait = self._take_of_all(name)
        if wait is None:
            wait = self._take_here(name)
        if wait:
            raise TooManyRequests(f"More than {self.per_minute} {self.what} in a minute.", wait, self.what)

    def _take_of_all(self, name: str) -> float | None:
        """Seconds to wait; None when the database does not count now."""
        if self._shared is None or self._clock() < self._alone_until:
            return None
        try:
            if (db := self._shared()) is None:
                return None
            self._taken += 1
            if self._taken % SWEEP == 0:
                forget_full(db)
            return take(
                db.with_timeout(PATIENCE), hashlib.sha256(f"{self.what} {name}".encode()).digest(), self.per_minute
            )
        except BedsideError as error:
            self._alone_until = self._clock() + AGAIN
            log.warning("%s are counted in this process alone: %s", self.what, error.message)
            return None

    def _take_here(self, name: str) -> float:
        with self._lock:
            now, a_second = self._clock(), self.per_minute / 60
            bucket = self._buckets.setdefault(name, _Bucket(self.per_minute, now))
            bucket.tokens = min(self.per_minute, bucket.tokens + (now - bucket.at) * a_second)
            bucket.at = now
            if bucket.tokens < 1:
                return (1 - bucket.tokens) / a_second
            bucket.tokens -= 1
            if len(self._buckets) > MOST_KEPT:
                self._forget(now - 60)
            return 0.0

    def _forget(self, before: float) -> None:
        """Those that were last used a minute ago are full; when all were used since, the oldest
        half goes."""
        kept = {name: bucket for name, bucket in self._buckets.items() if bucket.at > before}
        oldest_first = sorted(kept, key=lambda name: kept[name].at)
        self._buckets = {name: kept[name] for name in oldest_first[max(0, len(kept) - MOST_KEPT // 2) :]}


class AdmittedPlace:
    """Of one question among those that are looked up. Left once: by `leave`, or when nobody holds
    it any more."""

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
    """At most `at_once` questions are looked up, `waiting` more wait, and only who will probably
    not wait longer than `patience` seconds, by what questions take lately; who did wait so long
    hears the same. `seconds`: what one takes, until some were seen. For one event loop."""

    def __init__(
        self,
        at_once: int,
        waiting: int,
        patience: float,
        clock: Callable[[], float] = time.monotonic,
        seconds: float = 0.2,
    ) -> None:
        self.at_once, self.waiting, self.patience, self._clock = at_once, waiting, patience, clock
        self._free = at_once
        self._queue: deque[asyncio.Future[None]] = deque()
        self._seconds = seconds  # that a question takes, lately
        self._promised = 0.0  # when the last of those who were told to come back should be done

    @property
    def queued(self) -> int:
        """Of the questions that wait now."""
        return len(self._queue)

    async def enter(self) -> AdmittedPlace:
        """Raises TooBusy."""
        if self._free > 0:
            self._free -= 1
            return AdmittedPlace(self)
        if len(self._queue) >= self.waiting or (len(self._queue) + 1) * self._pace > self.patience:
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
        return AdmittedPlace(self)

    @property
    def _pace(self) -> float:
        """Seconds until a place becomes free, when all are taken."""
        return self._seconds / self.at_once

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
        """Each who is sent away is told a time of their own, one after another: coming back
        together they would be sent away again."""
        now = self._clock()
        self._promised = min(max(self._promised, now + len(self._queue) * self._pace) + self._pace, now + LONGEST_WAIT)
        return TooBusy("Other questions are answered first.", max(1.0, math.ceil(self._promised - now)))


@dataclass(frozen=True, slots=True)
class Limits:
    requests: Buckets
    questions: Buckets
    admission: Admission
