"""A store in memory: for tests and for small trials. Scores every chunk exactly, so it is the
reference the others are held to."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import Chunk, Contents, Filters, Hit
from rag_api.stores.filters import admits, may_read
from rag_api.stores.ranking.bm25 import Scorer, Statistics, cosines
from rag_api.stores.ranking.fuse import CANDIDATES, Fusion, ScoreLists, fuse
from rag_api.text.bm25_analyzer import document_terms, further_terms, question_terms


@dataclass(frozen=True, slots=True)
class _StoredChunk:
    chunk: Chunk
    vector: NDArray[np.float32]
    counts: Counter[str]
    length: int


class MemoryStore:
    def __init__(self, dim: int) -> None:
        self.dim = dim
        self._rows: dict[str, _StoredChunk] = {}  # by chunk id
        self._of: dict[str, list[str]] = {}  # the chunk ids of each document
        self._lock = threading.RLock()

    def replace_document(self, document_id: str, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
        assert vectors.shape == (len(chunks), self.dim), (vectors.shape, len(chunks), self.dim)
        rows = []
        for chunk, vector in zip(chunks, vectors, strict=True):
            terms = document_terms(f"{chunk.title}\n{chunk.text}", chunk.metadata.language)
            rows.append(_StoredChunk(chunk, np.array(vector, np.float32), Counter(terms), len(terms)))
        with self._lock:
            self.delete_documents([document_id])
            self._of[document_id] = [row.chunk.id for row in rows]
            self._rows |= {row.chunk.id: row for row in rows}

    def replace_documents(self, documents: Sequence[Contents]) -> None:
        for document in documents:
            self.replace_document(*document)

    def chunks_of(self, document_id: str) -> tuple[list[Chunk], NDArray[np.float32]]:
        with self._lock:
            rows = sorted((self._rows[key] for key in self._of.get(document_id, ())), key=lambda row: row.chunk.start)
        return [row.chunk for row in rows], np.array([row.vector for row in rows], np.float32).reshape(
            len(rows), self.dim
        )

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        with self._lock:
            for key in [key for document_id in document_ids for key in self._of.pop(document_id, ())]:
                del self._rows[key]

    def document_ids(self) -> set[str]:
        with self._lock:
            return {document_id for document_id, keys in self._of.items() if keys}

    def count(self) -> int:
        return len(self._rows)

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
        terms = question_terms(text)
        looked_up = [*terms, *further_terms(text, others)]
        with self._lock:
            readable = [row for row in self._rows.values() if may_read(filters, row.chunk)]
        rows = {row.chunk.id: row for row in readable if admits(filters, row.chunk)}
        if not rows:
            return []
        dense = dict(zip(rows, cosines(np.stack([row.vector for row in rows.values()]), vector).tolist(), strict=True))
        scorer = Scorer.of(_statistics(readable, looked_up), looked_up)
        bm25 = {key: score for key, row in rows.items() if (score := scorer.score(row.counts, row.length)) > 0}
        fused = fuse(ScoreLists(dense, bm25, dense, len(terms)), alpha, fusion, max(limit, CANDIDATES))[:limit]
        return [
            Hit(rows[key].chunk, score, dense[key], bm25.get(key, 0.0), rank)
            for rank, (key, score) in enumerate(fused, 1)
        ]

    def tidy(self) -> None:
        return None

    def close(self) -> None:
        return None


def _statistics(rows: Sequence[_StoredChunk], terms: Sequence[str]) -> Statistics:
    holding = Counter(term for row in rows for term in terms if term in row.counts)
    return Statistics(len(rows), sum(row.length for row in rows), holding)
