"""A server's own thread that looks for work: again after an error, and ended when asked to."""

from __future__ import annotations

import logging
import threading

import pytest

from rag_api.errors import DatabaseUnavailable
from rag_api.own_processes.background import Background, Pauses
from tests.support.waiting import until

pytestmark = pytest.mark.quick
SOON = Pauses(0.0, 0.0, 0.0)


def test_it_looks_again_whatever_was_raised_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    raised = [DatabaseUnavailable("the database is away"), ValueError("a fault")]
    looked = threading.Semaphore(0)

    def look() -> None:
        if raised:
            raise raised.pop(0)
        looked.release()

    thread = Background("work", look, SOON, "no work is done now")
    with caplog.at_level(logging.WARNING):
        thread.start()
        assert looked.acquire(timeout=300)
        assert looked.acquire(timeout=300)
        thread.stop()
    assert [(one.levelname, one.getMessage()) for one in caplog.records] == [
        ("WARNING", "no work is done now: the database is away"),
        ("ERROR", "no work is done now"),
    ]
    assert "a fault" in caplog.text


def test_stopping_ends_its_pause_and_waits_for_what_it_does() -> None:
    begun, ended = threading.Event(), threading.Event()

    def look() -> None:
        begun.set()
        thread.stopping.wait()
        ended.set()

    thread = Background("work", look, SOON, "no work is done now")
    thread.start()
    until(begun.is_set)
    thread.stop()
    assert ended.is_set()
    pausing = Background("work", ended.clear, Pauses(1e6, 1e6, 1e6), "no work is done now")
    pausing.start()
    pausing.stop()
    assert ended.is_set()


def test_one_that_was_never_started_is_stopped() -> None:
    Background("work", lambda: None, SOON, "no work is done now").stop()
