"""LanceDB in process: the embedded default. One folder, one table, its own BM25 index over our terms.

A document's chunks change in one commit, so a killed process leaves the old ones or the new ones. New rows are searched at
once: Lance scores what its indexes do not hold yet by scanning, with the statistics of the whole table.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rag_api import terms
from rag_api.errors import BedsideError, EmbedderMismatch, StoreUnavailable
from rag_api.stores.fuse import CANDIDATES, Fusion
from rag_api.stores.lance_index import FrequentTerms, begin, bring_up_to_date
from rag_api.stores.lance_query import Moved, Query, one_of, quoted, search, where
from rag_api.stores.rows import COLUMNS, STORED, terms_of, to_chunk, to_row
from rag_api.types import Chunk, Filters, Hit

log = logging.getLogger(__name__)

TABLE = "chunks"
WRITES_PER_TIDYING = 64  # commits between two rounds of compaction and indexing,
CHUNKS_PER_TIDYING = 5_000  # or as many new chunks,
TIDYING_SHARE = 0.05  # but not more of the time than this
TRIES = 5  # of a commit that another process overtook, of a search whose rows were moved
_TYPES = {"text": pa.string(), "terms": pa.string(), "int": pa.int32(), "ints": pa.list_(pa.int32()), "texts": pa.list_(pa.string())}


class LanceStore:
    """Raises StoreUnavailable when the folder cannot be read or written, EmbedderMismatch when another embedder made it."""

    def __init__(self, folder: Path, embedder_name: str, dim: int) -> None:
        self.folder, self.dim = folder, dim
        self._writing = threading.Lock()
        self._writes = self._added = 0
        self._next_tidying = 0.0  # time.monotonic()
        self._frequent = FrequentTerms(folder)
        self._schema = _schema(embedder_name, dim)
        self._pool = ThreadPoolExecutor(8, "lance")  # the two lists of a search are fetched at once
        with _translated(folder):
            folder.mkdir(parents=True, exist_ok=True)
            # Interval 0: every read sees what other processes have committed.
            self._db = lancedb.connect(folder, read_consistency_interval=timedelta(0))
            self._table = self._open_table()
            self._check(embedder_name)
            begin(self._table)
            # Looking for a newer version costs 4 ms: a search does it once, not at each of its four reads.
            self._read = lancedb.connect(folder).open_table(TABLE)

    def replace_document(self, document_id: str, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
        assert vectors.shape == (len(chunks), self.dim), (vectors.shape, len(chunks), self.dim)
        if not chunks:
            return self.delete_documents([document_id])
        rows = [{"id": chunk.id, **to_row(chunk), "vector": vector} for chunk, vector in zip(chunks, vectors, strict=True)]
        batch = pa.Table.from_pylist(rows, schema=self._schema)
        self._write(lambda: self._put(document_id, batch), len(chunks))

    def chunks_of(self, document_id: str) -> tuple[list[Chunk], NDArray[np.float32]]:
        with _translated(self.folder):
            found = self._table.search().where(f"document_id = {quoted(document_id)}").select(["id", *STORED, "vector"]).to_arrow()
        rows = sorted(found.to_pylist(), key=lambda row: row["start"])
        vectors = np.array([row["vector"] for row in rows], np.float32).reshape(len(rows), self.dim)
        return [to_chunk(row["id"], row) for row in rows], vectors

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        if document_ids:
            self._write(lambda: self._table.delete(one_of("document_id", document_ids)))

    def document_ids(self) -> set[str]:
        with _translated(self.folder):
            column = self._table.search().select(["document_id"]).to_arrow()["document_id"]
        return set(column.unique().to_pylist())

    def count(self) -> int:
        with _translated(self.folder):
            return self._table.count_rows()

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
            looked_up = self._frequent.without([*asked, *terms.further_terms(text, others)])
            query = Query(looked_up, len(asked), vector, where(filters), max(limit, CANDIDATES), limit, alpha, fusion)
            for attempt in range(TRIES):
                self._read.checkout_latest()
                try:
                    return search(self._read, query, self._pool)
                except Moved:
                    if attempt == TRIES - 1:
                        raise
        raise AssertionError("not reached")

    def tidy(self) -> None:
        with self._writing:
            self._tidy()

    def close(self) -> None:
        with self._writing:
            if self._writes:
                self._tidy()
        self._pool.shutdown()

    def _put(self, document_id: str, batch: pa.Table) -> None:
        """A new document is merely added: finding what it replaces takes a second among a million chunks."""
        own = f"document_id = {quoted(document_id)}"
        if not self._table.count_rows(own):
            self._table.add(batch)
            if self._table.count_rows(own) == len(batch):
                return
            self._table.delete(own)  # another process added it at the same moment
        insert = self._table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        insert.when_not_matched_by_source_delete(own).execute(batch)

    def _open_table(self) -> Any:
        try:
            return self._db.open_table(TABLE)
        except ValueError:  # there is none yet; another process may be making it just now
            return self._db.create_table(TABLE, schema=self._schema, exist_ok=True)

    def _check(self, embedder_name: str) -> None:
        recorded = {k.decode(): v.decode() for k, v in (self._table.schema.metadata or {}).items()}
        made_by = recorded.get("embedder", "unknown")
        if made_by != embedder_name or recorded.get("dim") != str(self.dim):
            raise EmbedderMismatch(
                f"the index in {self.folder} was made by the embedder {made_by!r}, the configured one is {embedder_name!r}. "
                f"Set BEDSIDE_EMBEDDER back, or remove {self.folder} and run `bedside ingest` again: it indexes what is missing."
            )
        known = self._table.schema.field("terms").metadata or {}
        if known.get(b"version", b"1").decode() != str(terms.VERSION):  # it was not recorded before version 2
            self._analyse_anew()

    def _analyse_anew(self) -> None:
        """Other terms come of the same text now: they are made anew, neither documents nor embedder are needed. Interrupted, it is
        begun again at the next start."""
        log.warning("the words of %d chunks in %s are analysed anew", self._table.count_rows(), self.folder)
        columns = ["id", "title", "text", "language"]
        for batch in self._table.search().select(columns).to_batches(batch_size=2_000):
            ids, *texts = (batch.column(name).to_pylist() for name in columns)
            renewed = pa.table({"id": ids, "terms": [terms_of(*given) for given in zip(*texts, strict=True)]})
            self._table.merge_insert("id").when_matched_update_all().execute(renewed)
        self._table.update_field_metadata({"path": "terms", "metadata": {"version": str(terms.VERSION)}})
        bring_up_to_date(self._table)

    def _write(self, commit: Callable[[], Any], added: int = 0) -> None:
        with self._writing, _translated(self.folder):
            for attempt in range(TRIES):
                try:
                    commit()
                    break
                except Exception as error:
                    if attempt == TRIES - 1 or "conflict" not in str(error).lower():
                        raise
            self._writes, self._added = self._writes + 1, self._added + added
            enough = self._writes >= WRITES_PER_TIDYING or self._added >= CHUNKS_PER_TIDYING
            if enough and time.monotonic() >= self._next_tidying:
                self._tidy()

    def _tidy(self) -> None:
        """Waits longer for the next time when this one took long: a great index is loaded in hours, not days."""
        began = time.monotonic()
        self._writes = self._added = 0
        with _translated(self.folder):
            bring_up_to_date(self._table)
            self._frequent.count(self._table)
        now = time.monotonic()
        self._next_tidying = now + (now - began) * (1 / TIDYING_SHARE - 1)


def _schema(embedder_name: str, dim: int) -> pa.Schema:
    version = {"terms": {"version": str(terms.VERSION)}}
    fields = [pa.field("id", pa.string()), *(pa.field(name, _TYPES[kind], metadata=version.get(name)) for name, kind in COLUMNS.items())]
    fields.append(pa.field("vector", pa.list_(pa.float32(), dim)))
    return pa.schema(fields, metadata={"embedder": embedder_name, "dim": str(dim)})


@contextmanager
def _translated(folder: Path) -> Iterator[None]:
    """Lance raises RuntimeError, ValueError and OSError alike; what is meant is that the index did not work."""
    try:
        yield
    except (BedsideError, AssertionError):
        raise
    except Exception as error:
        raise StoreUnavailable(f"the index in {folder} does not answer: {error}") from error
