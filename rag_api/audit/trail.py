"""The trail as the rest of Bedside sees it: `write` returns when the entry is kept for good, or
raises. What happens where the database does not take it, the policy says (BEDSIDE_AUDIT): required,
buffered, off. docs/security.md says why.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import psycopg

from rag_api.audit.entry import Entry, Event, Result, Sealed, entry_of
from rag_api.audit.erasing import erase_old, forget_conversation
from rag_api.audit.journal import Journal
from rag_api.audit.verify import Verified, verify
from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.audit import Head, Writer, hash_at, head
from rag_api.errors import AuditUnavailable, BedsideError, Conflict

log = logging.getLogger(__name__)

PATIENCE = {"required": 2.0, "buffered": 0.75}  # seconds for the database to take an entry; a reader waits for it
AGAIN = 2.0  # seconds between two tries to chain in what waits
SET_ASIDE = 4 * 2**20  # bytes, for entries while the database takes none
DAY = timedelta(days=1)
START = 30.0  # seconds before what is done daily is done first: not beside the start
BY_ITSELF = {"user": "bedside", "name": "Bedside itself"}


class Trail:
    """Of one installation. `open_db` may raise; it is tried again. Safe from several threads, and
    beside other processes."""

    def __init__(self, settings: Settings, open_db: Callable[[], Database]) -> None:
        self.settings = settings
        self.policy = settings.audit
        self.anchors = settings.data_dir / "audit" / "anchors"
        self.journal = Journal(settings.data_dir / "audit", SET_ASIDE)
        self._open_db = open_db
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._verifying = threading.Lock()
        self._writer: Writer | None = None
        self._draining: threading.Thread | None = None
        self._keeping: threading.Thread | None = None

    def write(self, event: Event) -> None:
        """Keep it. Raises AuditUnavailable where it can be kept nowhere: what it speaks of must not
        be shown then. Blocks."""
        if self.policy == "off":
            return
        if self.policy == "buffered" and self.journal.waiting():
            return self._buffer(event)  # behind those that wait, and without waiting for the database again
        try:
            self._append(self._entry(event))
        except (BedsideError, psycopg.Error) as error:
            if self.policy == "required":
                raise AuditUnavailable(
                    f"The audit trail cannot be written: {_said(error)} Nothing is shown without it."
                ) from error
            log.warning("the audit trail's database takes nothing, entries are kept in a file: %s", _said(error))
            self._buffer(event)

    def start(self) -> None:
        """Set the journal's room aside, chain in what an earlier run left, and once a day say the
        head and erase what is too old."""
        if self.policy == "off":
            return
        self._closing.clear()
        if self.policy == "buffered" or self.journal.left_behind():
            with suppress(OSError):
                self.journal.open()
            self._drain_soon()
        self._keeping = threading.Thread(target=self._keep_daily, name="audit trail, daily", daemon=True)
        self._keeping.start()

    def take_over(self) -> None:
        """Chain in what processes have left that died; whoever of the others looks first does."""
        if self.policy != "off" and (self.policy == "buffered" or self.journal.left_behind()):
            with suppress(OSError):
                self.journal.take_over()
            self._drain_soon()

    def close(self) -> None:
        """What waits is tried once more."""
        self._closing.set()
        for thread in (self._draining, self._keeping):
            if thread is not None:
                thread.join()
        if self.journal.waiting():
            with suppress(BedsideError, psycopg.Error, OSError):
                self.journal.drain(self._chain_in)
        self.journal.close()
        if self._writer is not None:
            self._writer.close()

    def forget_conversation(self, conversation: str, said: Event) -> None:
        """Its questions leave the trail; where the database does not answer nobody could have
        deleted it. Raises AuditUnavailable."""
        if self.policy == "off":
            return
        try:
            forget_conversation(self._open_db(), conversation, said)
        except (BedsideError, psycopg.Error) as error:
            raise AuditUnavailable(
                f"The conversation is deleted; its questions are still in the audit trail: {_said(error)}"
            ) from error

    def say_head(self) -> Head | None:
        """In the log, and in a file of this machine: what is cut off the trail's end later is found
        by it. Raises DatabaseUnavailable."""
        db = self._open_db()
        found = head(db)
        if found is None or found in self.known_anchors()[-1:]:
            return found
        log.info("audit trail: %d:%s", found.sequence, found.hash.hex())
        self.anchors.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self.anchors.open("a", encoding="ascii") as file:
            file.write(f"{found.sequence}:{found.hash.hex()} {datetime.now(UTC).isoformat(timespec='seconds')}\n")
        return found

    def known_anchors(self) -> list[Head]:
        """Those said on this machine."""
        lines = self.anchors.read_text(encoding="ascii").splitlines() if self.anchors.is_file() else []
        words = [line.split(" ")[0].partition(":") for line in lines]
        return [Head(int(number), bytes.fromhex(digest)) for number, _, digest in words]

    def verify(self, anchors: Sequence[Head] = ()) -> Verified:
        """All of it, against these anchors and those of this machine; one at a time, since it takes
        a processor. Raises Conflict, DatabaseUnavailable."""
        if not self._verifying.acquire(blocking=False):
            raise Conflict("The trail is being verified already.")
        try:
            return verify(self._open_db().with_timeout(), [*anchors, *self.known_anchors()])
        finally:
            self._verifying.release()

    def is_behind(self) -> bool:
        """Whether the last anchor of this machine is not in the database any more. Raises
        DatabaseUnavailable."""
        known = self.known_anchors()
        return bool(known) and hash_at(self._open_db(), known[-1].sequence) != known[-1].hash

    def erase_old(self, said: Event) -> int:
        """By the settings. Raises DatabaseUnavailable."""
        return erase_old(
            self._open_db().with_timeout(), self.settings.audit_days, self.settings.audit_question_days, said
        )

    def _entry(self, event: Event, buffered: bool = False) -> Entry:
        return entry_of(event, with_text=self.settings.audit_question_days > 0, buffered=buffered)

    def _append(self, entry: Entry) -> None:
        self._opened_writer().append(entry.text, [(one.part, one.salt, one.body) for one in entry.sealed])

    def _opened_writer(self) -> Writer:
        db = self._open_db()
        with self._lock:
            if self._writer is None:
                self._writer = Writer(db, PATIENCE.get(self.policy, 2.0))
            return self._writer

    def _buffer(self, event: Event) -> None:
        try:
            self.journal.keep(_packed(self._entry(event, buffered=True)))
        except OSError as error:
            raise AuditUnavailable(
                f"The audit trail can be kept nowhere: {error.strerror or error}. Nothing is shown without it."
            ) from error
        self._drain_soon()

    def _drain_soon(self) -> None:
        with self._lock:
            if self._closing.is_set() or not self.journal.waiting():
                return
            if self._draining is None or not self._draining.is_alive():
                self._draining = threading.Thread(target=self._drain, name="audit trail, chaining in", daemon=True)
                self._draining.start()

    def _drain(self) -> None:
        while True:
            with suppress(BedsideError, psycopg.Error, OSError):
                if taken := self.journal.drain(self._chain_in):
                    log.info("chained %d entries into the audit trail that the database had not taken", taken)
            with self._lock:
                if not self.journal.waiting():
                    self._draining = None
                    return
            if self._closing.wait(AGAIN):
                return

    def _chain_in(self, record: bytes) -> None:
        self._append(_unpacked(record))

    def _keep_daily(self) -> None:
        said = Event("audit.erased", Result.SUCCESS, BY_ITSELF, origin="server")
        wait = START
        while not self._closing.wait(wait):
            wait = DAY.total_seconds()
            try:
                if self.is_behind():
                    log.error(
                        "the audit trail was cut off or made anew: it no longer holds the entry that this "
                        "machine wrote down last"
                    )
                self.erase_old(said)
                self.say_head()
            except (BedsideError, psycopg.Error, OSError) as error:
                log.warning("the audit trail's head cannot be said: %s", _said(error))
                wait = 60.0


def _packed(entry: Entry) -> bytes:
    return json.dumps([entry.text, [[one.part, one.salt.hex(), one.body] for one in entry.sealed]]).encode()


def _unpacked(record: bytes) -> Entry:
    text, sealed = json.loads(record)
    return Entry(text, tuple(Sealed(part, bytes.fromhex(salt), body) for part, salt, body in sealed))


def _said(error: Exception) -> str:
    return error.message if isinstance(error, BedsideError) else (str(error).splitlines() or [type(error).__name__])[0]
