"""Counts of the chunks in which each term stands, by who may read them, in a file of SQLite: of an
index that tells only what all its chunks hold.

Chunks of the same groups are counted together: what somebody may read is a sum over few such
classes, and each search takes its sum anew. A writer counts what it changes; one that was killed
between the index and the counts has left its mark, and all is counted again. The mark says of which
documents, where the writer told: the index itself may have more to mend of them.
"""

from __future__ import annotations

import fcntl
import json
import logging
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from rag_api.errors import StoreUnavailable
from rag_api.stores.ranking.bm25 import Statistics
from rag_api.text import bm25_analyzer as analyzer

log = logging.getLogger(__name__)

COLUMNS = ["groups", "terms"]  # of a chunk, that are counted
TermRow = tuple[Sequence[str], str]  # their values
BATCH = 10_000  # chunks that are counted at once when all are
_WAIT = 60.0  # seconds, for another process's write
_TABLES = """
    create table if not exists classes (
      id integer primary key, groups text unique not null, chunks integer not null, terms integer not null);
    create table if not exists holding (term text, class integer, chunks integer not null, primary key (term, class)) without rowid;
    create table if not exists state (name text primary key, value text) without rowid;
"""


@dataclass(slots=True)
class _Counted:
    """Chunks of one class: how many, of how many terms, and how many hold each."""

    chunks: int = 0
    terms: int = 0
    holding: Counter[str] = field(default_factory=Counter)

    def add(self, terms: str, sign: int) -> None:
        listed = terms.split()
        self.chunks += sign
        self.terms += sign * len(listed)
        for term in set(listed):
            self.holding[term] += sign


class TermChange:
    """What a write takes away and puts in."""

    def __init__(self) -> None:
        self._classes: dict[str, _Counted] = {}

    def less(self, rows: Iterable[TermRow]) -> None:
        self._add(rows, -1)

    def more(self, rows: Iterable[TermRow]) -> None:
        self._add(rows, 1)

    def write(self, db: sqlite3.Connection) -> None:
        for groups, counted in self._classes.items():
            row = db.execute(
                """insert into classes (groups, chunks, terms) values (?, ?, ?)
                on conflict (groups) do update set chunks = chunks + excluded.chunks, terms = terms + excluded.terms returning id""",
                (groups, counted.chunks, counted.terms),
            ).fetchone()
            changed = sorted((term, row[0], by) for term, by in counted.holding.items() if by)
            db.executemany(
                """insert into holding (term, class, chunks) values (?, ?, ?)
                on conflict (term, class) do update set chunks = chunks + excluded.chunks""",
                changed,
            )
            gone = [(term, kind) for term, kind, by in changed if by < 0]
            db.executemany("delete from holding where term = ? and class = ? and chunks <= 0", gone)

    def _add(self, rows: Iterable[TermRow], sign: int) -> None:
        for groups, terms in rows:
            self._classes.setdefault(json.dumps(sorted(groups), ensure_ascii=False), _Counted()).add(terms, sign)


class TermCounts:
    """Safe from several threads and processes of one machine: one writes at a time. Raises
    StoreUnavailable."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._reading = threading.Lock()
        self._all_rows: Callable[[], Iterable[TermRow]] | None = None
        with _translated(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._db, self._readers_db = _connected(folder), _connected(folder)
        with self._alone(), _translated(folder):
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = normal")
            self._db.executescript(_TABLES)

    def bring_up_to_date(self, count: Callable[[], int], rows: Callable[[], Iterable[TermRow]], anew: bool) -> None:
        """Count all of the index's chunks where they were not, where a writer was killed, or where
        they are `anew`."""
        self._all_rows = rows
        with self._alone(), _translated(self._folder):
            if anew or self._state() != "counted" or self._counted() != count():
                self._count_all(rows())

    @contextmanager
    def changing(self, document_ids: Sequence[str] = ()) -> Iterator[TermChange]:
        """One write to the index, which is made inside: no other process makes one meanwhile. What
        is counted is in force at its end. document_ids: they are told by `cut_short` should it be
        cut short, whatever becomes of this machine."""
        with self._alone():
            change = TermChange()
            with _translated(self._folder):
                if self._all_rows is not None and self._state() != "counted":  # an earlier write failed half-way
                    self._count_all(self._all_rows())
                before = self._cut_short()
                self._mark_durably(sorted({*before, *document_ids}))
            yield change
            with _translated(self._folder), _transaction(self._db):
                change.write(self._db)
                self._mark("counted", before)

    @contextmanager
    def cut_short(self) -> Iterator[list[str]]:
        """The documents that writers were changing when they were killed or failed: forgotten at
        the end. Nobody writes meanwhile."""
        with self._alone():
            with _translated(self._folder):
                documents = self._cut_short()
            yield documents
            if documents:
                with _translated(self._folder):
                    self._say("documents", "[]")

    def statistics(
        self, groups: Sequence[str], terms: Sequence[str], hidden: Iterable[TermRow] = ()
    ) -> tuple[Statistics, Statistics]:
        """Of what is read by members of these groups, and of all chunks. hidden: rows that do not
        count for them all the same."""
        with self._reading, _translated(self._folder), _transaction(self._readers_db) as db:
            classes = db.execute("select id, groups, chunks, terms from classes").fetchall()
            marks = ", ".join("?" * len(terms))
            found = db.execute(
                f"select term, class, chunks from holding where term in ({marks})",  # noqa: S608
                list(terms),
            ).fetchall()
        own = {kind for kind, name, *_ in classes if set(json.loads(name)) & set(groups)}
        everything = _sum(classes, found, {kind for kind, *_ in classes})
        return _without(_sum(classes, found, own), hidden), everything

    def close(self) -> None:
        self._db.close()
        with self._reading:
            self._readers_db.close()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Freed when the process dies."""
        with _translated(self._folder):
            lock = (self._folder / "writing.lock").open("w")
            fcntl.flock(lock, fcntl.LOCK_EX)
        with lock:
            yield

    def _state(self) -> str:
        state = dict(self._db.execute("select name, value from state").fetchall())
        return str(state.get("state", "")) if state.get("terms") == str(analyzer.VERSION) else ""

    def _cut_short(self) -> list[str]:
        row = self._db.execute("select value from state where name = 'documents'").fetchone()
        return list(json.loads(row[0])) if row else []

    def _mark_durably(self, documents: Sequence[str]) -> None:
        """Where documents are named, on the disk itself before anything is written: the index may
        be another machine's, which lives on."""
        if documents:
            self._db.execute("pragma synchronous = full")
        with _transaction(self._db):
            self._mark("changing", documents)
        self._db.execute("pragma synchronous = normal")

    def _mark(self, state: str, documents: Sequence[str] | None = None) -> None:
        self._say("state", state)
        self._say("terms", str(analyzer.VERSION))
        if documents is not None:
            self._say("documents", json.dumps(list(documents)))

    def _say(self, name: str, value: str) -> None:
        said = "insert into state (name, value) values (?, ?) on conflict (name) do update set value = excluded.value"
        self._db.execute(said, (name, value))

    def _counted(self) -> int:
        return int(self._db.execute("select coalesce(sum(chunks), 0) from classes").fetchone()[0])

    def _count_all(self, rows: Iterable[TermRow]) -> None:
        left = iter(rows)
        with _transaction(self._db):
            self._db.execute("delete from holding")
            self._db.execute("delete from classes")
            while batch := list(islice(left, BATCH)):
                log.warning("the words of %d chunks are counted in %s", len(batch), self._folder)
                change = TermChange()
                change.more(batch)
                change.write(self._db)
            self._mark("counted")


def _connected(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / "terms.sqlite", timeout=_WAIT, check_same_thread=False, isolation_level=None)


@contextmanager
def _translated(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise StoreUnavailable(
            f"what is counted of the index's words in {folder} cannot be read or written: {error}"
        ) from error


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    db.execute("begin")
    try:
        yield db
    except BaseException:
        db.execute("rollback")
        raise
    db.execute("commit")


def _sum(
    classes: Sequence[tuple[int, str, int, int]], found: Sequence[tuple[str, int, int]], wanted: set[int]
) -> Statistics:
    holding: Counter[str] = Counter()
    for term, kind, chunks in found:
        if kind in wanted:
            holding[term] += chunks
    own = [(chunks, terms) for kind, _, chunks, terms in classes if kind in wanted]
    return Statistics(sum(chunks for chunks, _ in own), sum(terms for _, terms in own), holding)


def _without(counted: Statistics, rows: Iterable[TermRow]) -> Statistics:
    left = _Counted(counted.chunks, counted.terms, Counter(counted.holding))
    for _, terms in rows:
        left.add(terms, -1)
    return Statistics(left.chunks, left.terms, left.holding)
