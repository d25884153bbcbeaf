"""Starts the processes that open files: as children of this one, or by the service of
reading_service.py, where READING_SOCKET names its socket. That runs in a container with neither
network nor secrets, and has the programs; files lie in a folder beside the socket."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rag_api.errors import ReadingUnavailable
from rag_api.ingest.ocr import second

SOCKET = "READING_SOCKET"
MODULES = {"reader": "rag_api.ingest.sandbox.reader_process", "office": "rag_api.ingest.sandbox.office_process"}
_CONNECTED_WITHIN = 4.0  # seconds: an upload hears at once that the service is away
_MOST = 1 << 16


def shared() -> Path | None:
    """Return the folder that the service sees too; None where processes are children."""
    return Path(named).parent if (named := os.environ.get(SOCKET)) else None


def programs() -> dict[str, Any]:
    """Ask the service what it has: the command of LibreOffice, the second reader of images. Raises
    ReadingUnavailable."""
    with contextlib.closing(Elsewhere("programs", ())) as asked:
        return asked.said()


def second_reader() -> tuple[str, str] | None:
    """Return what reads images a second time where files are opened. Raises ReadingUnavailable."""
    if shared() is None:
        return second.second_reader()
    found = programs()["second"]
    return (found[0], found[1]) if found else None


class Elsewhere:
    """A process that the service started, in the shape of subprocess.Popen. Raises
    ReadingUnavailable when the service is away or ends."""

    def __init__(self, what: str, arguments: Sequence[str]) -> None:
        self.returncode: int | None = None
        self.peak = 0  # bytes of memory, where that can be told
        self._said = b""
        given, stdin = os.pipe()
        stdout, made = os.pipe()
        self.stdin, self.stdout = os.fdopen(stdin, "wb", buffering=0), os.fdopen(stdout, "rb", buffering=0)
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.settimeout(_CONNECTED_WITHIN)
            self._socket.connect(os.environ[SOCKET])
            asked = json.dumps({"what": what, "arguments": list(arguments)}).encode() + b"\n"
            socket.send_fds(self._socket, [asked], [given, made])
        except OSError as error:
            self.close()
            raise _away(str(error)) from error
        finally:
            os.close(given)
            os.close(made)

    def poll(self) -> int | None:
        """An end of the service is an end of the process."""
        if self.returncode is None and select.select([self._socket], [], [], 0)[0]:
            with contextlib.suppress(ReadingUnavailable):
                self.wait()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Raises ReadingUnavailable, subprocess.TimeoutExpired."""
        if self.returncode is None:
            try:
                said = self.said(timeout)
            except ReadingUnavailable:
                self.returncode = -signal.SIGHUP
                raise
            except TimeoutError as error:
                raise subprocess.TimeoutExpired("reading", timeout or 0) from error
            self.returncode, self.peak = int(said["code"]), int(said["peak"])
        return self.returncode

    def said(self, timeout: float | None = None) -> dict[str, Any]:
        self._socket.settimeout(timeout)
        try:
            while not self._said.endswith(b"\n"):
                part = self._socket.recv(_MOST)
                if not part:
                    raise _away("it ended")
                self._said += part
        except ConnectionError as error:
            raise _away(str(error)) from error
        found: dict[str, Any] = json.loads(self._said)
        return found

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        for one in (self.stdin, self.stdout, self._socket):
            one.close()


Process = subprocess.Popen[bytes] | Elsewhere


def command(what: str, arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", MODULES[what], *arguments]


def reaped(process: subprocess.Popen[bytes]) -> int:
    """Wait for a child; its peak memory in bytes, 0 where that cannot be told from this process's
    own."""
    if process.returncode is not None:
        return 0
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except ChildProcessError:  # closed by another thread at the same moment
        return 0
    process.returncode = os.waitstatus_to_exitcode(status)
    # Linux counts what this process held at the time of the fork as the child's: only a peak above
    # it is the child's own.
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) if usage.ru_maxrss > own else 0


def _away(why: str) -> ReadingUnavailable:
    return ReadingUnavailable(
        f"what opens files does not answer at {os.environ.get(SOCKET)}: {why}. Start the service `reading`."
    )
