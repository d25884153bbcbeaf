"""A thread of the server's own that looks for work again and again, for as long as the server runs.
Knows no work."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from rag_api.errors import BedsideError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pauses:
    """Seconds until it looks: the first time, ever after, and after an error."""

    first: float
    every: float
    again: float


class Background:
    """Calls `look` until it is stopped; `look` asks `stopping` whether it should end. What it
    raises is logged behind `failing`."""

    def __init__(self, name: str, look: Callable[[], object], pauses: Pauses, failing: str) -> None:
        self.stopping = threading.Event()
        self._look, self._pauses, self._failing = look, pauses, failing
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Return when it has ended: what it works with may be closed then. One that was never
        started has."""
        self.stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        pause = self._pauses.first
        while not self.stopping.wait(pause):
            pause = self._pauses.every
            try:
                self._look()
            except BedsideError as error:
                pause = self._pauses.again
                log.warning("%s: %s", self._failing, error.message)
            except Exception:
                pause = self._pauses.again
                log.exception("%s", self._failing)
