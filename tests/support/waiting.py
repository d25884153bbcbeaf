"""Waiting for a condition instead of a time, so that a test holds on a busy machine as on an idle
one."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(reached: Callable[[], object], seconds: float = 300.0) -> None:
    """Return as soon as `reached` is true. Raises AssertionError after `seconds`, which no working
    machine needs."""
    deadline = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
