"""Ends the process when its engine will not go on, so that whoever keeps it running (Docker,
systemd, `bedside serve`) starts a new one.

A step that hangs (a GPU that fell silent) cannot be taken back from within; and a generator that
says of itself that it is well and answers nothing would never be started again. A model that cannot
be loaded is no such case: it would not load the next time either.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable

from services.generator.server.service import Service

log = logging.getLogger("bedside.generator")

EVERY = 1.0  # seconds between two looks
STATUS = 70  # of the process: an error of its own


def watch(service: Service, end: Callable[[int], object] = os._exit, every: float = EVERY) -> threading.Event:
    """Watch from now on, in a thread; set the event to stop."""
    over = threading.Event()

    def run() -> None:
        found = 0
        while not over.wait(every):
            found = found + 1 if service.broken else 0
            if found > 1:  # not at the first look: after the whole process stood still its step may just be going on
                log.critical("%s; this process ends, to be started again", service.broken)
                end(STATUS)
                return

    threading.Thread(target=run, name="watchdog", daemon=True).start()
    return over
