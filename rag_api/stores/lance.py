"""LanceDB in process: the embedded default. One folder, one table, its own BM25 index over our terms.

A document's chunks change in one commit, so a killed process leaves the old ones or the new ones. New rows are searched at
once: Lance scores what its indexes do not hold yet by scanning, with the statistics of the whole table. So indexing is only
a matter of speed, and is done every so many writes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import FTS, IvfFlat
from lancedb.query import MatchQuery
from numpy.typing import NDArray

from rag_api.errors import BedsideError, EmbedderMismatch, StoreUnavailable
from rag_api.stores.fuse import CANDIDATES, Fusion, Lists, fuse
from rag_api.stores.rows import ANY_GROUP, COLUMNS, STORED, to_chunk, to_row
from rag_api.terms import question_terms
from rag_api.types import Chunk, Filters, Hit

TABLE = "chunks"
WRITES_PER_TIDYING = 64  # commits between two rounds of compaction and indexing,
CHUNKS_PER_TIDYING = 5_000  # or as many new chunks: 40,000 that no index holds cost 700 ms a search, indexed ones 36
VECTOR_INDEX_FROM = 10_000  # chunks; below that a scan is as fast and exact. Built in 9 s for 100,000 on 2 busy cores
PROBES = 20  # of its partitions: on 100,000 vectors all of the true 100 nearest, 13 ms instead of 1.6 s
KEEP_VERSIONS = timedelta(minutes=10)  # readers of another process may still be at an older one
TRIES = 5  # of a commit that another process overtook
_TYPES = {"text": pa.string(), "terms": pa.string(), "int": pa.int32(), "ints": pa.list_(pa.int32()), "texts": pa.list_(pa.string())}
_TERMS_INDEX = FTS(
    base_tokenizer="whitespace", lower_case=False, stem=False, remove_stop_words=False, ascii_folding=False, max_token_length=None
)


class LanceStore:
    """Raises StoreUnavailable when the folder cannot be read or written, EmbedderMismatch when another embedder made it."""

    def __init__(self, folder: Path, embedder_name: str, dim: int) -> None:
        self.folder, self.dim = folder, dim
        self._writing = threading.Lock()
        self._writes = self._added = 0
        self._schema = _schema(embedder_name, dim)
        with _translated(folder):
            folder.mkdir(parents=True, exist_ok=True)
            # Interval 0: every read sees what other processes have committed.
            self._db = lancedb.connect(folder, read_consistency_interval=timedelta(0))
            self._table = self._open_table()
            self._check(embedder_name)
            if not self._table.list_indices():
                self._table.create_index("terms", config=_TERMS_INDEX)

    def replace_document(self, document_id: str, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
        assert vectors.shape == (len(chunks), self.dim), (vectors.shape, len(chunks), self.dim)
        if not chunks:
            return self.delete_documents([document_id])
        rows = [{"id": chunk.id, **to_row(chunk), "vector": vector} for chunk, vector in zip(chunks, vectors, strict=True)]
        batch = pa.Table.from_pylist(rows, schema=self._schema)
        stale = f"document_id = {_quoted(document_id)}"
        insert = self._table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        self._write(lambda: insert.when_not_matched_by_source_delete(stale).execute(batch), len(chunks))

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        if document_ids:
            self._write(lambda: self._table.delete(_one_of("document_id", document_ids)))

    def document_ids(self) -> set[str]:
        with _translated(self.folder):
            column = self._table.search().select(["document_id"]).to_arrow()["document_id"]
        return set(column.unique().to_pylist())

    def count(self) -> int:
        with _translated(self.folder):
            return self._table.count_rows()

    def search(
        self, text: str, vector: NDArray[np.float32], limit: int, filters: Filters, alpha: float, fusion: Fusion = "information"
    ) -> list[Hit]:
        where, fetch, terms = _where(filters), max(limit, CANDIDATES), question_terms(text)
        columns = ["id", *STORED, "vector"]
        with _translated(self.folder):
            nearest = self._table.search(vector).distance_type("cosine").nprobes(PROBES).where(where)
            near = nearest.limit(fetch).select([*columns, "_distance"]).to_arrow()
            found = near.slice(0, 0)
            if terms:
                query = self._table.search(MatchQuery(" ".join(terms), "terms"), query_type="fts")
                found = query.where(where).limit(fetch).select([*columns, "_score"]).to_arrow()
        dense = _scores(near, _cosines(near, vector))
        bm25 = _scores(found, found["_score"].to_pylist()) if terms else {}
        cosines = _scores(found, _cosines(found, vector)) | dense
        fused = fuse(Lists(dense, bm25, cosines, len(terms)), alpha, fusion)[:limit]
        rows = _rows(near, found, [key for key, _ in fused])
        return [Hit(to_chunk(key, rows[key]), score, cosines[key], bm25.get(key, 0.0), rank) for rank, (key, score) in enumerate(fused, 1)]

    def close(self) -> None:
        with self._writing:
            if self._writes:
                self._tidy()

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
            if self._writes >= WRITES_PER_TIDYING or self._added >= CHUNKS_PER_TIDYING:
                self._tidy()

    def _tidy(self) -> None:
        """Merge small files and bring the indexes up to date."""
        self._writes = self._added = 0
        with _translated(self.folder):
            self._table.optimize(cleanup_older_than=KEEP_VERSIONS)
            indexed = {column for index in self._table.list_indices() for column in index.columns}
            if "vector" not in indexed and self._table.count_rows() >= VECTOR_INDEX_FROM:
                self._table.create_index("vector", config=IvfFlat(distance_type="cosine"))


def _schema(embedder_name: str, dim: int) -> pa.Schema:
    fields = [pa.field("id", pa.string()), *(pa.field(name, _TYPES[kind]) for name, kind in COLUMNS.items())]
    fields.append(pa.field("vector", pa.list_(pa.float32(), dim)))
    return pa.schema(fields, metadata={"embedder": embedder_name, "dim": str(dim)})


def _scores(table: pa.Table, scores: Sequence[float]) -> dict[str, float]:
    return dict(zip(table["id"].to_pylist(), scores, strict=True))


def _cosines(table: pa.Table, vector: NDArray[np.float32]) -> list[float]:
    """Exact ones, whatever an index rounded."""
    rows = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(len(table), len(vector))
    return (rows @ vector).tolist()


def _rows(near: pa.Table, found: pa.Table, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
    wanted, rows = set(keys), {}
    for table in (near, found):
        for position, key in enumerate(table["id"].to_pylist()):
            if key in wanted and key not in rows:
                rows[key] = table.slice(position, 1).to_pylist()[0]
    return rows


def _where(filters: Filters) -> str:
    """As filters.admits() has it."""
    parts = [_one_of("owner_group", filters.owner_groups)]
    for column, values in [
        ("department", filters.departments),
        ("document_type", filters.document_types),
        ("language", filters.languages),
        ("document_id", filters.document_ids),
    ]:
        if values:
            parts.append(_one_of(column, values))
    if filters.target_groups:
        groups = ", ".join(_quoted(g) for g in [*(g.value for g in filters.target_groups), ANY_GROUP])
        parts.append(f"array_has_any(target_groups, make_array({groups}))")
    if filters.excluded_document_ids:
        parts.append(f"NOT {_one_of('document_id', filters.excluded_document_ids)}")
    if filters.valid_on is not None:
        day = filters.valid_on.toordinal()
        parts.append(f"valid_from <= {day} AND valid_until >= {day}")
    return " AND ".join(f"({part})" for part in parts)


def _one_of(column: str, values: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(map(_quoted, values))})" if values else "1 = 0"


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


@contextmanager
def _translated(folder: Path) -> Iterator[None]:
    """Lance raises RuntimeError, ValueError and OSError alike; what is meant is that the index did not work."""
    try:
        yield
    except (BedsideError, AssertionError):
        raise
    except Exception as error:
        raise StoreUnavailable(f"the index in {folder} does not answer: {error}") from error
