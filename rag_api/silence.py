"""Calls to a service, given up as soon as it does not even say that it is there. Knows no service.

A stopped process keeps its connections open and is waited for as long as any timeout allows; a busy one may rightly take long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, TimeoutError
from contextvars import copy_context
from math import inf
from typing import TypeVar

T = TypeVar("T")

QUIET = 1.0  # seconds without an answer, after which it is asked whether it lives, and again
ALIVE = 3.0  # seconds that this answer may take


def while_alive(act: Callable[[], T], alive: Callable[[], object], quiet: float = QUIET, most: float = inf) -> T:
    """Return what `act` does, however long it takes, up to `most` seconds (TimeoutError); raise what `alive` raises as soon as it does.
    `act` is then left to itself: it must do no harm when it comes through later."""
    call: Future[T] = Future()
    context = copy_context()

    def run() -> None:
        try:
            call.set_result(context.run(act))
        except BaseException as error:
            call.set_exception(error)

    threading.Thread(target=run, name="service call", daemon=True).start()
    end = time.monotonic() + most
    while True:
        try:
            return call.result(max(0.0, min(quiet, end - time.monotonic())))
        except TimeoutError:
            if call.done():
                return call.result()
            if time.monotonic() >= end:
                raise TimeoutError(f"no answer in {most:g} s") from None
            alive()
