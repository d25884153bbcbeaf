"""Processes of our own: started one at a time, on a free port, and again when they die."""

from __future__ import annotations

import fcntl
import logging
import random
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

log = logging.getLogger(__name__)
SLOWEST = 60.0  # seconds between looks at one that dies again and again
CONNECTIONS = Path("/proc/sys/net/ipv4/ip_local_port_range")
PROCESSES = Path("/proc")
DYNAMIC = (49152, 65535)  # by the IANA, for kernels that do not say
FIRST = 20000  # below it are the ports of well-known servers, and up to 19999 those that Ray gives its workers


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """One process at a time; freed by the kernel when the process dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def quiet_ports() -> range:
    """Those of which the kernel gives none to a connection: one that is free now is free when a
    process gets to it."""
    first, last = DYNAMIC
    with suppress(OSError, ValueError):
        first, last = map(int, CONNECTIONS.read_text().split())
    return max(range(FIRST, first), range(last + 1, 65536), key=len) or range(FIRST, 65536)


def free_ports(count: int) -> list[int]:
    """Different ports on which nobody listens. Raises OSError where there are not so many."""
    found: list[int] = []
    ports = quiet_ports()
    start = random.SystemRandom().randrange(len(ports))
    with ExitStack() as held:
        for port in (*ports[start:], *ports[:start]):
            if len(found) == count:
                return found
            with suppress(OSError):
                held.enter_context(socket.socket()).bind(("127.0.0.1", port))
                found.append(port)
    raise OSError(f"there are no {count} free ports from {ports.start} to {ports.stop - 1}")


def free_port() -> int:
    return free_ports(1)[0]


def process_name(pid: int) -> str:
    """Empty when there is no such process. Of Linux itself: a slim image has no `ps`."""
    if PROCESSES.is_dir():
        with suppress(OSError):
            return (PROCESSES / str(pid) / "comm").read_text().strip()
        return ""
    listed = subprocess.run(["ps", "-o", "comm=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return Path(listed.stdout.strip()).name


class Watcher:
    """Starts a process again when it dies; ever more slowly when it dies again soon. `again` may
    raise whatever it meets: it is logged."""

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
