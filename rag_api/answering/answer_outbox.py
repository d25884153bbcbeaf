"""Answers that their reader saw and the database did not take: kept as files until it does.

A file an answer, numbered, so that they are stored in the order they were given, whatever the clock
does meanwhile. Knows no question and no step of answering.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from rag_api.db import Database
from rag_api.db.questions.answers import save_answer
from rag_api.domain import Answer, User
from rag_api.errors import BedsideError, NotFound, Unavailable
from rag_api.own_processes.processes import file_lock

log = logging.getLogger(__name__)

AGAIN = 2.0  # seconds between two tries
MOST = 10_000  # answers that wait; more would fill the disk of a hospital whose database nobody repairs


@dataclass(frozen=True, slots=True)
class Unsaved:
    user: User
    answer: Answer
    new_conversation: bool


_FORM = TypeAdapter(Unsaved)


class UnsavedAnswers:
    """Those of one data directory. `open_db` may raise; it is tried again."""

    def __init__(self, folder: Path, open_db: Callable[[], Database]) -> None:
        self.folder = folder
        self._open_db = open_db
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._numbering = threading.Lock()

    def keep(self, user: User, answer: Answer, *, new_conversation: bool) -> bool:
        """Whether it will be stored later: not when the disk is full too."""
        part = self.folder / f"{answer.id}.part"
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if sum(1 for _ in self.folder.iterdir()) >= MOST:
                return False
            part.write_bytes(_FORM.dump_json(Unsaved(user, answer, new_conversation)))
            with self._numbering:
                number = max([time.time_ns(), *(_number(path) + 1 for path in self.waiting())])
                part.replace(self.folder / f"{number:020d}-{answer.id}.json")
        except OSError as error:
            log.error("an answer can be stored nowhere: %s", error)
            with suppress(OSError):
                part.unlink(missing_ok=True)
            return False
        self.store_soon()
        return True

    def store_soon(self) -> None:
        """Try in the background, until there is nothing left or this is closed."""
        with self._lock:
            if self._closing.is_set() or not self.waiting():
                return
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="store answers later", daemon=True)
                self._thread.start()

    def waiting(self) -> list[Path]:
        """The files, oldest first."""
        return sorted(self.folder.glob("*.json")) if self.folder.is_dir() else []

    def store(self) -> int:
        """Store what waits, also what another process left; how many were. Raises Unavailable when
        the database still does not answer."""
        stored = 0
        with file_lock(self.folder / "storing.lock"):
            for path in self.waiting():
                stored += self._store(path)
                path.unlink(missing_ok=True)
        return stored

    def close(self) -> None:
        self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def _store(self, path: Path) -> int:
        try:
            kept = _FORM.validate_json(path.read_bytes())
            return int(
                save_answer(self._open_db(), kept.user, kept.answer, new_conversation=kept.new_conversation, late=True)
            )
        except Unavailable:
            raise
        except NotFound:
            return 0  # its conversation was deleted meanwhile
        except (BedsideError, ValueError, OSError) as error:  # no such file, or none of ours
            log.error("the answer in %s cannot be stored: %s", path.name, error)
            return 0

    def _run(self) -> None:
        while not self._closing.is_set():
            with suppress(Unavailable):
                if stored := self.store():
                    log.info("stored %d answers that the database had not taken", stored)
            with self._lock:
                if not self.waiting():
                    self._thread = None
                    return
            self._closing.wait(AGAIN)


def _number(path: Path) -> int:
    number = path.name.partition("-")[0]
    return int(number) if number.isdecimal() else 0
