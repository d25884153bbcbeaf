"""A service as what can be done to it: stopped, slowed, restarted, killed. Knows processes, nothing
of what they serve."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

HELD = 8.0  # seconds that a fault lasts: longer than a reader may be left without a word
PULSE, AWAKE = 0.4, 0.1  # seconds of standing still, seconds of work: a service five times as slow
AWAY = 2.0  # seconds until a killed service that is not Bedside's own is started again, as a container would be


@dataclass(frozen=True, slots=True)
class Service:
    """`root`: the pid of its first process now, 0 when there is none. `again`: start it; None where
    Bedside itself does."""

    name: str
    root: Callable[[], int]
    again: Callable[[], None] | None
    ready: Callable[[], bool]
    ends_by: signal.Signals = signal.SIGTERM
    patience: float = 90.0  # seconds that it may take to be ready again

    def tell(self, what: signal.Signals) -> None:
        for pid in family(self.root()):
            with suppress(ProcessLookupError):
                os.kill(pid, what)

    def wait(self, seconds: float | None = None) -> float:
        """Until it is ready; how long that took. Raises TimeoutError."""
        began, seconds = time.monotonic(), self.patience if seconds is None else seconds
        while not self.ready():
            if time.monotonic() - began > seconds:
                raise TimeoutError(f"{self.name} was not ready again after {seconds:.0f} s")
            time.sleep(0.1)
        return time.monotonic() - began


def family(root: int) -> list[int]:
    """A process and all that it started. Empty when there is no such process."""
    found: list[int] = []
    waiting = [root] if root else []
    while waiting:
        pid = waiting.pop()
        with suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
            found.append(pid)
    return found


@contextmanager
def none(service: Service) -> Iterator[None]:
    """What all others are compared with."""
    yield
    time.sleep(HELD)


@contextmanager
def stop(service: Service) -> Iterator[None]:
    """It keeps its sockets and says nothing."""
    service.tell(signal.SIGSTOP)
    try:
        yield
        time.sleep(HELD)
    finally:
        service.tell(signal.SIGCONT)


@contextmanager
def slow(service: Service) -> Iterator[None]:
    over = threading.Event()

    def pulse() -> None:
        while not over.is_set():
            service.tell(signal.SIGSTOP)
            over.wait(PULSE)
            service.tell(signal.SIGCONT)
            over.wait(AWAKE)

    thread = threading.Thread(target=pulse, daemon=True)
    thread.start()
    try:
        yield
        time.sleep(HELD)
    finally:
        over.set()
        thread.join()


@contextmanager
def restart(service: Service) -> Iterator[None]:
    """Asked to end, and started at once."""
    yield from _ended(service, service.ends_by, 0.0, root_only=True)


@contextmanager
def kill(service: Service) -> Iterator[None]:
    """SIGKILL, to all of its processes."""
    yield from _ended(service, signal.SIGKILL, AWAY, root_only=False)


def _ended(service: Service, by: signal.Signals, away: float, *, root_only: bool) -> Iterator[None]:
    before = service.root()
    if root_only:
        os.kill(before, by)
    else:
        service.tell(by)
    yield
    began = time.monotonic()
    while _lives(before) and time.monotonic() - began < 60:
        time.sleep(0.05)
    time.sleep(away)
    if service.again is not None:
        service.again()
    service.wait()
    time.sleep(max(0.0, HELD - (time.monotonic() - began)))


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


FAULTS = {"none": none, "stop": stop, "slow": slow, "restart": restart, "kill": kill}
