"""Whether somebody waits for an answer just now: what can wait does not work then."""

from __future__ import annotations

import threading
import time
from types import TracebackType


class InFlight:
    """`with in_flight:` around each answer, from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers = 0
        self._ended = float("-inf")

    def __enter__(self) -> None:
        with self._lock:
            self._answers += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with self._lock:
            self._answers -= 1
            self._ended = time.monotonic()

    def quiet(self, seconds: float) -> bool:
        """Nobody has waited for so long."""
        with self._lock:
            return self._answers == 0 and time.monotonic() - self._ended >= seconds
