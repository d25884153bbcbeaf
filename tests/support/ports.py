"""Ports for the servers of tests: no port twice, in this process or in one beside it, and none that
the kernel gives to a connection.

A port is drawn before the server that listens on it starts. What the kernel draws (`bind` to port
0) is free again at once: until the server starts, another draw or any connection of this machine
may have it.
"""

from __future__ import annotations

import fcntl
import os
import random
import socket
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import IO

from rag_api.own_processes.processes import quiet_ports

# one file: its byte N is locked by whose port N is
LOCKS = Path(tempfile.gettempdir()) / f"bedside-ports-{os.getuid()}"

_drawn = random.SystemRandom()  # not the seeded one: two runs with one seed would go the same way
given: set[int] = set()
_one_at_a_time = threading.Lock()


def free_port() -> int:
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on and that nobody else is given before this process ends."""
    return _in_a_row(1, count)


def free_pair() -> list[int]:
    """Two such ports in a row."""
    return _in_a_row(2, 1)


def _in_a_row(length: int, times: int) -> list[int]:
    found: list[int] = []
    firsts = quiet_ports()[: 1 - length or None]
    start = _drawn.randrange(len(firsts))
    with _one_at_a_time:
        for first in (*firsts[start:], *firsts[:start]):
            row = range(first, first + length)
            if all(map(_unused, row)) and all(map(_ours, row)):
                found += row
                given.update(row)
            if len(found) == length * times:
                return found
    raise OSError("this machine has no free ports left")


def _unused(port: int) -> bool:
    """Whether nobody listens on it, on whatever address; some servers want it for TCP and for
    UDP."""
    try:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            with socket.socket(type=kind) as probe:
                probe.bind(("", port))
    except OSError:
        return False
    return True


def _ours(port: int) -> bool:
    """Whether it was given to nobody, and is now kept for this process. A lock on bytes ends with
    its process, however that ends."""
    if port in given:
        return False
    try:
        fcntl.lockf(locks(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    return True


@cache
def locks() -> IO[bytes]:
    """Open until the process ends: to close it would let all its locks go."""
    return LOCKS.open("ab")
