"""A part that is away for a while is waited for; only one that stays away ends the run."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from rag_api.errors import Unavailable

PATIENCE = 300.0  # seconds
PAUSES = (0.5, 1.0, 2.0, 4.0)  # seconds; then the last again and again
log = logging.getLogger(__name__)
T = TypeVar("T")


def patiently(act: Callable[[], T], patience: float = PATIENCE, sleep: Callable[[float], object] = time.sleep) -> T:
    """Return what it returns. act: may be repeated. Raises Unavailable."""
    began, tries = time.monotonic(), 0
    while True:
        try:
            return act()
        except Unavailable as error:
            if time.monotonic() - began > patience:
                raise
            log.warning("%s; it is tried again", error.message)
        sleep(PAUSES[min(tries, len(PAUSES) - 1)])
        tries += 1
