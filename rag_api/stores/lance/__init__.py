"""LanceDB in process: the embedded default. One folder, one table, its own BM25 index over our
terms.

A document's chunks change in one commit, so a killed process leaves the old ones or the new ones.
New rows are searched at once: Lance scores what its indexes do not hold yet by scanning, with the
statistics of the whole table.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rag_api.domain import Chunk, Contents, Filters, Hit
from rag_api.errors import BedsideError, StoreUnavailable
from rag_api.stores.lance.indexes import begin
from rag_api.stores.lance.query import Query, any_of, one_of, quoted, search, where
from rag_api.stores.lance.snapshots import Snapshots
from rag_api.stores.lance.table import check, chunks_in, schema, table_of
from rag_api.stores.lance.tidying import TABLE, tidied, tidied_apart
from rag_api.stores.ranking.bm25 import Scorer, Statistics, range_of
from rag_api.stores.ranking.fuse import CANDIDATES, Fusion
from rag_api.stores.ranking.term_counts import BATCH, COLUMNS, TermCounts, TermRow
from rag_api.text import bm25_analyzer as terms

WRITES_PER_TIDYING = 64  # commits between two rounds of compaction and indexing,
CHUNKS_PER_TIDYING = 5_000  # or as many new chunks,
TIDYING_SHARE = 0.05  # but not more of the time than this
# chunks; from here on a process of its own tidies: Lance takes memory by the size of the index, and
# keeps most of it
APART_FROM = 5_000
TRIES = 5  # of a commit that another process overtook
# bytes that a writer's connection keeps of each: indexes, and versions, of which every commit makes
# another
KEPT = 8 << 20


class LanceStore:
    """Raises StoreUnavailable when the folder cannot be read or written or its table cannot be
    brought up to date, EmbedderMismatch when another embedder made it."""

    def __init__(self, folder: Path, embedder_name: str, dim: int) -> None:
        self.folder, self.dim = folder, dim
        self._writing = threading.Lock()
        self._writes = self._added = 0
        self._next_tidying = 0.0  # time.monotonic()
        self._schema = schema(embedder_name, dim)
        self._pool = ThreadPoolExecutor(8, "lance")  # the two lists of a search are fetched at once
        with _translated(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._session = lancedb.Session(KEPT, KEPT)
            # Interval 0: every read sees what other processes have committed.
            self._db = lancedb.connect(folder, read_consistency_interval=timedelta(0), session=self._session)
            self._table = self._open_table()
            renewed = check(self._table, self._schema, folder)
            begin(self._table)
            self._terms = TermCounts(folder)
            self._terms.bring_up_to_date(self._table.count_rows, self._all_counted, anew=renewed)
            self.snapshots = Snapshots(folder, TABLE)

    def replace_document(self, document_id: str, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
        assert vectors.shape == (len(chunks), self.dim), (vectors.shape, len(chunks), self.dim)
        if not chunks:
            return self.delete_documents([document_id])
        batch = table_of(chunks, vectors, self._schema)
        self._write([document_id], lambda: self._put(document_id, batch), batch)

    def replace_documents(self, documents: Sequence[Contents]) -> None:
        """Those that are new in one commit; any that is there already is replaced by itself."""
        there = self._present([document_id for document_id, *_ in documents])
        for document in documents:
            if document[0] in there:
                self.replace_document(*document)
        batches = [
            table_of(chunks, vectors, self._schema)
            for identity, chunks, vectors in documents
            if identity not in there and chunks
        ]
        if batches:
            new = pa.concat_tables(batches)
            self._write([], lambda: self._table.add(new), new)

    def chunks_of(self, document_id: str) -> tuple[list[Chunk], NDArray[np.float32]]:
        with _translated(self.folder):
            found = (
                self._table.search()
                .where(f"document_id = {quoted(document_id)}")
                .select(["id", "packed", "vector"])
                .to_arrow()
            )
        rows = found.to_pylist()
        both = sorted(zip(chunks_in(rows), rows, strict=True), key=lambda one: one[0].start)
        vectors = np.array([row["vector"] for _, row in both], np.float32).reshape(len(rows), self.dim)
        return [chunk for chunk, _ in both], vectors

    def _present(self, document_ids: Sequence[str]) -> set[str]:
        with _translated(self.folder):
            found = self._table.search().where(one_of("document_id", document_ids)).select(["document_id"]).to_arrow()
        return set(found["document_id"].unique().to_pylist())

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        if document_ids:
            self._write(document_ids, lambda: self._table.delete(one_of("document_id", document_ids)))

    def document_ids(self) -> set[str]:
        with _translated(self.folder):
            column = self._table.search().select(["document_id"]).to_arrow()["document_id"]
        return set(column.unique().to_pylist())

    def count(self) -> int:
        with _translated(self.folder):
            return int(self._table.count_rows())

    def search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        filters: Filters,
        alpha: float,
        fusion: Fusion = "information",
        others: Sequence[str] = (),
    ) -> list[Hit]:
        asked = terms.question_terms(text)
        with _translated(self.folder):
            counted = [*asked, *terms.further_terms(text, others)]
            own, everything = self._statistics(counted, filters)
            looked_up = own.worth_looking_up(counted)
            scorer, bounds = Scorer.of(own, looked_up), range_of(own, everything, looked_up)
            query = Query(
                scorer, bounds, len(asked), vector, where(filters), max(limit, CANDIDATES), limit, alpha, fusion
            )
            with self.snapshots.one() as table:
                return search(table, query, self._pool)

    def _statistics(self, asked: Sequence[str], filters: Filters) -> tuple[Statistics, Statistics]:
        """Of what the asker may read, and of all."""
        hidden: Iterable[TermRow] = ()
        if filters.hidden_document_ids:
            still = f"{one_of('document_id', filters.hidden_document_ids)} AND {any_of('groups', filters.groups)}"
            hidden = _counted(self._table.search().where(still).select(COLUMNS).to_arrow())
        return self._terms.statistics(filters.groups, asked, hidden)

    def _all_counted(self) -> Iterator[TermRow]:
        for batch in self._table.search().select(COLUMNS).to_batches(batch_size=BATCH):
            yield from _counted(pa.Table.from_batches([batch]))

    def tidy(self) -> None:
        with self._writing:
            self._tidy()

    def forget_older_versions(self) -> None:
        """Now, not in ten minutes: only where nobody else is reading."""
        with self._writing, _translated(self.folder):
            self._table.optimize(cleanup_older_than=timedelta(milliseconds=1))

    @property
    def kept_bytes(self) -> int:
        """What its connection holds in memory of indexes and versions."""
        return int(self._session.size_bytes)

    def close(self) -> None:
        with self._writing:
            if self._writes:
                self._tidy()
        self._pool.shutdown()
        self.snapshots.close()
        self._terms.close()

    def _put(self, document_id: str, batch: pa.Table) -> None:
        """A new document is merely added: finding what it replaces takes a second among a million
        chunks."""
        own, seen = f"document_id = {quoted(document_id)}", self._table.version
        if not self._table.count_rows(own):
            if self._table.add(batch).version == seen + 1:
                return
            if self._table.count_rows(own) == len(batch):  # another process wrote something meanwhile,
                return
            self._table.delete(own)  # and it was this document
        insert = self._table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        insert.when_not_matched_by_source_delete(own).execute(batch)

    def _open_table(self) -> Any:
        try:
            return self._db.open_table(TABLE)
        except ValueError:  # there is none yet; another process may be making it just now
            return self._db.create_table(TABLE, schema=self._schema, exist_ok=True)

    def _write(self, document_ids: Sequence[str], commit: Callable[[], Any], new: pa.Table | None = None) -> None:
        """The documents' chunks become `new`, in the table and in what is counted of them."""
        with self._writing, _translated(self.folder):
            with self._terms.changing() as change:
                if document_ids:
                    change.less(
                        _counted(
                            self._table.search().where(one_of("document_id", document_ids)).select(COLUMNS).to_arrow()
                        )
                    )
                self._commit(commit)
                if new is not None:
                    change.more(_counted(new))
            self._writes, self._added = self._writes + 1, self._added + (0 if new is None else len(new))
            enough = self._writes >= WRITES_PER_TIDYING or self._added >= CHUNKS_PER_TIDYING
            if enough and time.monotonic() >= self._next_tidying:
                self._tidy()

    def _commit(self, commit: Callable[[], Any]) -> None:
        for attempt in range(TRIES):
            try:
                commit()
                return
            except Exception as error:
                if attempt == TRIES - 1 or "conflict" not in str(error).lower():
                    raise

    def _tidy(self) -> None:
        """Waits longer for the next time when this one took long: a great index is loaded in hours,
        not days."""
        began = time.monotonic()
        self._writes = self._added = 0
        with _translated(self.folder):
            if self._table.count_rows() < APART_FROM:
                tidied(self._table)
            else:
                tidied_apart(self.folder)
        now = time.monotonic()
        self._next_tidying = now + (now - began) * (1 / TIDYING_SHARE - 1)


def _counted(rows: pa.Table) -> Iterator[TermRow]:
    yield from zip(rows["groups"].to_pylist(), rows["terms"].to_pylist(), strict=True)


@contextmanager
def _translated(folder: Path) -> Iterator[None]:
    """Lance raises RuntimeError, ValueError and OSError alike; what is meant is that the index did
    not work."""
    try:
        yield
    except (BedsideError, AssertionError):
        raise
    except Exception as error:
        raise StoreUnavailable(f"the index in {folder} does not answer: {error}") from error
