"""Calls to a service, given up as soon as it does not even say that it is there. Knows no service.

A stopped process keeps its connections open and is waited for as long as any timeout allows; a busy
one may rightly take long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, TimeoutError, wait
from contextvars import copy_context
from math import inf
from typing import TypeVar

T = TypeVar("T")

QUIET = 1.0  # seconds without an answer, after which it is asked whether it lives, and again
ALIVE = 3.0  # seconds that this answer may take


def while_alive(act: Callable[[], T], alive: Callable[[], object], quiet: float = QUIET, most: float = inf) -> T:
    """Return what `act` does, however long it takes, up to `most` seconds (TimeoutError); raise
    what `alive` raises as soon as it does. `act` is then left to itself: it must do no harm when it
    comes through later."""
    call = _begun(act)
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


def begun_again(act: Callable[[], T], after: float) -> T:
    """Return what the first of several calls gives. Begun again beside the one that does not
    answer, after so many seconds, twice as many after that, and so on: a call that reached its
    service at a bad moment may stay stuck there while another one gets through. Raises once all
    that were begun have failed. `act` must do no harm when it comes through twice, or later."""
    calls = {_begun(act)}
    while True:
        done, calls = wait(calls, after, FIRST_COMPLETED)
        if answered := [call for call in done if call.exception() is None] or ([] if calls else [*done]):
            return answered[0].result()
        if not done:
            calls.add(_begun(act))
            after *= 2


def _begun(act: Callable[[], T]) -> Future[T]:
    """Run in a thread of its own, which nothing waits for at the end."""
    call: Future[T] = Future()
    context = copy_context()

    def run() -> None:
        try:
            call.set_result(context.run(act))
        except BaseException as error:
            call.set_exception(error)

    threading.Thread(target=run, name="service call", daemon=True).start()
    return call
