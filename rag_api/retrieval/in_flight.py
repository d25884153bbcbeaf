"""Questions in flight: while somebody waits for an answer, what can wait does not work then.

Processes of one machine share its processors, so each says in the data directory that it answers:
by a lock, which goes with a process that is killed, and by the time when it let go.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from pathlib import Path
from types import TracebackType


class InFlight:
    """`with in_flight:` around each answer, from several threads. `shared`: a file of the processes
    that are to know of each other."""

    def __init__(self, shared: Path | None = None) -> None:
        self._lock = threading.Lock()
        self._answers = 0
        self._ended = float("-inf")
        self._shared = shared
        self._file = -1

    def __enter__(self) -> None:
        with self._lock:
            self._answers += 1
            if self._answers == 1:
                self._say(fcntl.LOCK_SH)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._answers -= 1
            self._ended = time.monotonic()
            if self._answers == 0:
                self._say(fcntl.LOCK_UN)

    def quiet(self, seconds: float) -> bool:
        """Nobody has waited for so long, in any of the processes."""
        with self._lock:
            if self._answers or time.monotonic() - self._ended < seconds:
                return False
            return self._others_are_quiet(seconds)

    def _say(self, what: int) -> None:
        """A matter of speed only: a folder that cannot be written keeps nobody from answering."""
        if self._shared is None:
            return
        try:
            os.utime(self._opened())  # first: should another process be looking just now, it sees this at least
            fcntl.flock(self._opened(), what | fcntl.LOCK_NB)
        except OSError:
            return

    def _others_are_quiet(self, seconds: float) -> bool:
        if self._shared is None:
            return True
        try:
            fcntl.flock(self._opened(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
        fcntl.flock(self._file, fcntl.LOCK_UN)
        return abs(time.time() - os.fstat(self._file).st_mtime) >= seconds

    def _opened(self) -> int:
        if self._file < 0:
            assert self._shared is not None
            self._shared.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._shared, os.O_RDWR | os.O_CREAT, 0o600)
        return self._file
