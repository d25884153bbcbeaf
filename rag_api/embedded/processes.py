"""What starting processes of our own needs: one at a time, on a free port, and whether one is still there."""

from __future__ import annotations

import fcntl
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
