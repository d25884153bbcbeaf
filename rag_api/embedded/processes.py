"""What processes of our own need: started one at a time, on a free port, and again when they die."""

from __future__ import annotations

import fcntl
import logging
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

log = logging.getLogger(__name__)
SLOWEST = 60.0  # seconds between looks at one that dies again and again


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """One process at a time; freed by the kernel when the process dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def process_name(pid: int) -> str:
    """Empty when there is no such process."""
    listed = subprocess.run(["ps", "-o", "comm=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return Path(listed.stdout.strip()).name


class Watcher:
    """Starts a process again when it dies; ever more slowly when it dies again soon. `again` may raise whatever it meets: it is logged."""

    def __init__(self, name: str, alive: Callable[[], bool], again: Callable[[], object]) -> None:
        self.restarts = 0
        self.stopping = threading.Event()
        self._name, self._alive, self._again = name, alive, again
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Watch from now on; once is enough."""
        if self._thread is None:
            self.stopping.clear()
            self._thread = threading.Thread(target=self._watch, name=f"{self._name} watcher", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Return when it watches no more."""
        self.stopping.set()
        if self._thread is not None:
            self._thread.join()
        self._thread = None

    def _watch(self) -> None:
        pause = 1.0
        while not self.stopping.wait(pause):
            if self._alive():
                pause = 1.0
                continue
            log.warning("%s is gone; starting it again", self._name)
            self.restarts += 1
            try:
                self._again()
            except Exception as error:  # whatever is made of half a process; it is tried again
                log.error("%s", error)
                pause = min(SLOWEST, pause * 2)
