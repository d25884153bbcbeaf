"""A store in memory: for tests and for small trials. Scores every chunk exactly, so it is the reference the others are held to."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import Chunk, Contents, Filters, Hit
from rag_api.stores.filters import admits
from rag_api.stores.fuse import CANDIDATES, Fusion, Lists, fuse
from rag_api.text.bm25_analyzer import document_terms, further_terms, question_terms

K1, B = 1.2, 0.75  # BM25 as LanceDB and Weaviate have it


@dataclass(frozen=True, slots=True)
class _Row:
    chunk: Chunk
    vector: NDArray[np.float32]
    counts: Counter[str]
    length: int


class MemoryStore:
    def __init__(self, dim: int) -> None:
        self.dim = dim
        self._rows: dict[str, _Row] = {}  # by chunk id
        self._of: dict[str, list[str]] = {}  # the chunk ids of each document
        self._frequency: Counter[str] = Counter()  # term -> number of chunks
        self._lock = threading.RLock()

    def replace_document(self, document_id: str, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
        assert vectors.shape == (len(chunks), self.dim), (vectors.shape, len(chunks), self.dim)
        rows = []
        for chunk, vector in zip(chunks, vectors, strict=True):
            terms = document_terms(f"{chunk.title}\n{chunk.text}", chunk.metadata.language)
            rows.append(_Row(chunk, np.array(vector, np.float32), Counter(terms), len(terms)))
        with self._lock:
            self.delete_documents([document_id])
            self._of[document_id] = [row.chunk.id for row in rows]
            for row in rows:
                self._rows[row.chunk.id] = row
                self._frequency.update(row.counts.keys())

    def replace_documents(self, documents: Sequence[Contents]) -> None:
        for document in documents:
            self.replace_document(*document)

    def chunks_of(self, document_id: str) -> tuple[list[Chunk], NDArray[np.float32]]:
        with self._lock:
            rows = sorted((self._rows[key] for key in self._of.get(document_id, ())), key=lambda row: row.chunk.start)
        return [row.chunk for row in rows], np.array([row.vector for row in rows], np.float32).reshape(len(rows), self.dim)

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        with self._lock:
            for key in [key for document_id in document_ids for key in self._of.pop(document_id, ())]:
                self._frequency.subtract(self._rows.pop(key).counts.keys())

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
        with self._lock:
            rows = {key: row for key, row in self._rows.items() if admits(filters, row.chunk)}
            if not rows:
                return []
            cosines = np.stack([row.vector for row in rows.values()]) @ vector
            terms = question_terms(text)
            bm25 = self._bm25([*terms, *further_terms(text, others)], rows)
        dense = dict(zip(rows, map(float, cosines), strict=True))
        near, matched = _best(dense, limit), _best(bm25, limit)
        fused = fuse(Lists(near, matched, {key: dense[key] for key in near | matched}, len(terms)), alpha, fusion)[:limit]
        return [Hit(rows[key].chunk, score, dense[key], matched.get(key, 0.0), rank) for rank, (key, score) in enumerate(fused, 1)]

    def tidy(self) -> None:
        return None

    def close(self) -> None:
        return None

    def _bm25(self, terms: Sequence[str], rows: dict[str, _Row]) -> dict[str, float]:
        """Scores above zero of `rows`; the statistics are those of the whole index, as in a real one."""
        n = len(self._rows)
        average = sum(row.length for row in self._rows.values()) / n
        idf = {t: math.log(1 + (n - self._frequency[t] + 0.5) / (self._frequency[t] + 0.5)) for t in terms if self._frequency[t]}
        scores = {}
        for key, row in rows.items():
            norm = K1 * (1 - B + B * row.length / average) if average else K1
            score = sum(weight * row.counts[t] * (K1 + 1) / (row.counts[t] + norm) for t, weight in idf.items() if row.counts[t])
            if score > 0:
                scores[key] = score
        return scores


def _best(scores: dict[str, float], limit: int) -> dict[str, float]:
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[: max(limit, CANDIDATES)])
