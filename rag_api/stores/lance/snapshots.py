"""The table as one search reads it, and what of its indexes is in memory.

A list of BM25's that is not in memory costs a third of a millisecond, and a question asks for 60.
So a process that goes on searching reads all of them once, in the background, where they fit: they
take some six times their size on disk.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lancedb

log = logging.getLogger(__name__)

WARM_AFTER = 10  # searches: a command that asks once does without
# bytes of versions and of files' ends that are kept: every commit that a search sees makes another
# version
VERSIONS = 64 << 20
# bytes of BM25's index on disk, about 140,000 chunks; a greater one is read list by list, and its
# latest are kept
MOST = 300 * 2**20


class Snapshots:
    def __init__(self, folder: Path, table: str) -> None:
        self._folder, self._table = folder, table
        self._db = _connected(folder)  # its tables stay at their version until told otherwise
        self._idle: deque[tuple[Any, Any]] = deque()
        self._searches = 0
        self._seen = -1  # the version whose indexes were looked at
        self._warm = ""  # BM25's index that is in memory
        self._warming = ThreadPoolExecutor(1, "lance warming")

    @contextmanager
    def one(self) -> Iterator[Any]:
        """The table as it is now, for one search alone: a commit, or another's compaction, moves
        none of its rows. Looking for a newer version is done here once, not at each read."""
        try:
            db, table = self._idle.pop()
        except IndexError:
            db = self._db
            table = db.open_table(self._table)
        table.checkout_latest()
        try:
            yield table
        finally:
            if db is self._db:
                self._idle.append((db, table))
        self._searches += 1
        if self._searches >= WARM_AFTER and table.version != self._seen:
            self._seen = table.version
            self._warming.submit(self._read_indexes)

    def read_ahead(self) -> str:
        """Return the BM25 index in memory, "" for none, as soon as nothing is being read."""
        return self._warming.submit(lambda: self._warm).result()

    def close(self) -> None:
        self._warming.shutdown(cancel_futures=True)

    def _read_indexes(self) -> None:
        """Into a connection of their own: what the one before held goes with it."""
        try:
            db = _connected(self._folder)
            table = db.open_table(self._table)
            indexes = {column: index for index in table.list_indices() for column in index.columns}
            bm25 = indexes["terms"]
            if bm25.index_uuid == self._warm or bm25.size_bytes > MOST:
                return
            for column in ("terms", "vector"):
                if column in indexes:
                    table.prewarm_index(indexes[column].name)
            self._db, self._warm = db, bm25.index_uuid
            self._idle.clear()
        except Exception as error:  # a matter of speed only
            log.warning("the indexes in %s were not read ahead: %s", self._folder, error)


def _connected(folder: Path) -> Any:
    return lancedb.connect(folder, session=lancedb.Session(None, VERSIONS))
