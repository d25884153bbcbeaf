"""An ingestion waits for a part that is away: a service that is started again must not cost the
hours of a long run.

What a part was doing when it went is done again, which harms nothing: chunks and rows have ids of
their own.
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from rag_api.errors import Unavailable

log = logging.getLogger(__name__)

PART = TypeVar("PART")
RESULT = TypeVar("RESULT")
AWAY = 60.0  # seconds that a part may be away
LONG_AWAY = 300.0  # of many machines
FIRST, LONGEST = 0.5, 5.0  # seconds between two tries


class _Retried:
    """Each method of `part` as it is, tried again while it raises Unavailable; what is no method is
    passed through."""

    def __init__(self, part: object, seconds: float) -> None:
        self._part, self._seconds = part, seconds

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        return functools.partial(_retried, self._seconds, found) if callable(found) else found


def with_retries(part: PART, seconds: float) -> PART:
    """Return the same part, waited for up to `seconds` in each of its calls. Raises Unavailable, as
    it does, after that."""
    return cast(PART, _Retried(part, seconds)) if seconds > 0 else part


def retried(act: Callable[[], RESULT], seconds: float = LONG_AWAY) -> RESULT:
    """Return what it returns. act: may be repeated. Raises Unavailable after `seconds` of it."""
    return cast(RESULT, _retried(seconds, act))


def _retried(seconds: float, act: Callable[..., Any], *given: Any, **named: Any) -> Any:
    end, pause = time.monotonic() + seconds, FIRST
    while True:
        try:
            return act(*given, **named)
        except Unavailable as error:
            if time.monotonic() + pause > end:
                raise
            log.warning("waiting, for up to %.0f s: %s", end - time.monotonic(), error.message)
        time.sleep(pause)
        pause = min(LONGEST, 2 * pause)
