"""Entries that the database does not take now: kept in a file until it does, each on the disk
before anything is shown.

The file's room is set aside beforehand, so that a disk that is full takes entries still. A file is
one process's at a time; what a dead one left behind, the next takes over. What stands in it is in
no chain yet: who may write the file may alter it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_LENGTH, _SUM = 4, 16
_END = bytes(_LENGTH)
SUFFIX = ".journal"


class Journal:
    """Those of one folder: an own file, opened when it is first needed. Safe from several
    threads."""

    def __init__(self, folder: Path, reserve_bytes: int) -> None:
        self.folder = folder
        self.reserve_bytes = reserve_bytes
        self._lock = threading.RLock()
        self._file = -1
        self._read = self._written = 0  # where the next entry to take out begins, where the next to keep goes
        self._count = 0  # of those in between

    def open(self) -> None:
        """Set room aside, and take over what others left. Raises OSError."""
        with self._lock:
            if self._file >= 0:
                return
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = self._own()
            with suppress(OSError):  # no room, or a file system that cannot: entries go there as long as they fit
                os.posix_fallocate(self._file, 0, self.reserve_bytes)
            self._written, self._count = _end_of(self._file)
            self._take_over()

    def keep(self, record: bytes) -> None:
        """On the disk when this returns. Raises OSError."""
        with self._lock:
            self.open()
            self._put(record)

    def waiting(self) -> bool:
        with self._lock:
            return self._read < self._written

    def count(self) -> int:
        """Of the entries that this process holds and the database has not taken yet."""
        with self._lock:
            return self._count

    def left_behind(self) -> bool:
        """Whether anything lies in the folder that is not known to be taken out: this process's, or
        another's that is gone."""
        return self.waiting() or (self._file < 0 and self.folder.is_dir() and any(self.folder.glob(f"*{SUFFIX}")))

    def take_over(self) -> None:
        """What processes left behind that have died since this one began. Raises OSError."""
        with self._lock:
            self.open()
            self._take_over()

    def drain(self, take: Callable[[bytes], object]) -> int:
        """Give each record, oldest first, to `take`; one that raises stays, and so do those after
        it. How many were taken."""
        taken = 0
        while True:
            with self._lock:
                self.open()
                record = _record_at(self._file, self._read)
                if record is None:
                    self._start_anew()
                    return taken
            take(record)
            with self._lock:
                self._read += _LENGTH + _SUM + len(record)
                self._count -= 1
            taken += 1

    def close(self) -> None:
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
            self._file, self._read, self._written, self._count = -1, 0, 0, 0

    def _put(self, record: bytes) -> None:
        frame = len(record).to_bytes(_LENGTH, "big") + hashlib.sha256(record).digest()[:_SUM]
        written = frame + record + _END  # whatever stood behind it from before is not read
        if os.pwrite(self._file, written, self._written) != len(written):
            raise OSError("the journal's disk is full")
        os.fsync(self._file)
        self._written += len(written) - len(_END)
        self._count += 1

    def _start_anew(self) -> None:
        if self._written:
            os.pwrite(self._file, _END, 0)
            os.fsync(self._file)
        self._read = self._written = self._count = 0

    def _own(self) -> int:
        """A file that no living process has, or a new one."""
        for number in range(1_000):
            file = os.open(self.folder / f"{number:03d}{SUFFIX}", os.O_RDWR | os.O_CREAT, 0o600)
            if _locked(file):
                return file
            os.close(file)
        raise OSError("too many journals")

    def _take_over(self) -> None:
        """Put into the own file what others hold that nobody has any more. Twice is no harm: an
        entry is chained in once."""
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            with suppress(OSError):
                file = os.open(path, os.O_RDWR)
                try:
                    if not os.path.samestat(os.fstat(file), os.fstat(self._file)) and _locked(file):
                        self._move(file)
                finally:
                    os.close(file)

    def _move(self, file: int) -> None:
        at = 0
        while (record := _record_at(file, at)) is not None:
            self._put(record)
            at += _LENGTH + _SUM + len(record)
        if at:
            os.pwrite(file, _END, 0)
            os.fsync(file)


def _record_at(file: int, at: int) -> bytes | None:
    """None at the end, and where a record was cut short by a power failure: it was acknowledged to
    nobody."""
    head = os.pread(file, _LENGTH + _SUM, at)
    length = int.from_bytes(head[:_LENGTH], "big")
    if len(head) < _LENGTH + _SUM or not length:
        return None
    record = os.pread(file, length, at + _LENGTH + _SUM)
    return record if hashlib.sha256(record).digest()[:_SUM] == head[_LENGTH:] else None


def _end_of(file: int) -> tuple[int, int]:
    """Return where the entries end, and how many there are."""
    at = count = 0
    while (record := _record_at(file, at)) is not None:
        at += _LENGTH + _SUM + len(record)
        count += 1
    return at, count


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
