"""Ranking quality of retrieval on public sets of questions: both lists alone, and fused with every
alpha, from one search a question."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.quality.metrics import hit_at, mrr
from evaluation.retrieval.public_sets import QuestionSet
from evaluation.retrieval.search import own_store
from evaluation.retrieval.vectors import DiskVectorCache
from rag_api.config import Settings
from rag_api.domain import Filters, Hit
from rag_api.embed import Embedder
from rag_api.ingest.common.chunk import embedding_text
from rag_api.retrieval.decision.calibration import calibration
from rag_api.stores import Store
from rag_api.stores.ranking.fuse import CANDIDATES, ScoreLists, fuse
from rag_api.text.bm25_analyzer import question_terms

ALPHAS = (0.35, 0.5, 0.65, 0.75)  # besides the embedder's own
Tell = Callable[[int], object]


def measure(
    settings: Settings, embedder: Embedder, asked: QuestionSet, tell: Tell = lambda done: None
) -> dict[str, Any]:
    """JSON-ready. MRR@10 and Hit@k by document: of BM25 alone, of vectors alone, and of their
    fusions."""
    kept = DiskVectorCache(embedder)
    texts = [embedding_text(chunk) for chunk in asked.chunks]
    vectors = kept.passages(texts, tell)
    questions = [question for question, _ in asked.questions]
    query_vectors = kept.queries(questions, lambda done: tell(len(texts) + done))
    own = calibration(embedder.name, settings.data_dir).alpha if settings.alpha is None else settings.alpha
    alphas = sorted({0.0, 1.0, own, *ALPHAS})
    ranks: dict[float, list[int | None]] = {alpha: [] for alpha in alphas}
    place = tempfile.TemporaryDirectory(prefix="bedside-bench-")
    with place as folder, own_store(settings, Path(folder), embedder.name, embedder.dim) as store:
        _fill(store, asked, vectors)
        for number, ((question, right), vector) in enumerate(zip(asked.questions, query_vectors, strict=True), 1):
            hits = store.search(question, vector, 2 * CANDIDATES, Filters(), own)
            for alpha in alphas:
                ranks[alpha].append(rank_of(right, hits, question, alpha))
            tell(len(texts) + len(questions) + number)
    return {
        "set": asked.name,
        "store": settings.store,
        "embedder": embedder.name,
        "chunks": len(asked.chunks),
        "documents": len({chunk.document_id for chunk in asked.chunks}),
        "questions": len(questions),
        "alpha": own,
        "bm25": _figures(ranks[0.0]),
        "dense": _figures(ranks[1.0]),
        "hybrid": _figures(ranks[own]),
        "by_alpha": {f"{alpha:g}": _figures(ranks[alpha])["mrr@10"] for alpha in alphas},
    }


def rank_of(right: str, hits: Sequence[Hit], question: str, alpha: float) -> int | None:
    """Among documents, by their best chunk: as if the search had been asked with this alpha. None:
    beyond the tenth."""
    cosines = {hit.chunk.id: hit.dense_score for hit in hits}
    bm25 = {hit.chunk.id: hit.bm25_score for hit in hits if hit.bm25_score > 0}
    document = {hit.chunk.id: hit.chunk.document_id for hit in hits}
    if alpha == 0.0:
        cosines = {key: cosines[key] for key in bm25}  # what words alone find
    fused = fuse(ScoreLists(cosines, bm25, cosines, len(question_terms(question))), alpha, "information")
    first = list(dict.fromkeys(document[key] for key, _ in fused))[:10]
    return first.index(right) + 1 if right in first else None


def _fill(store: Store, asked: QuestionSet, vectors: NDArray[np.float32]) -> None:
    by_document: dict[str, list[int]] = {}
    for index, chunk in enumerate(asked.chunks):
        by_document.setdefault(chunk.document_id, []).append(index)
    for document, own in by_document.items():
        store.replace_document(document, [asked.chunks[index] for index in own], vectors[own])
    store.tidy()


def _figures(ranks: Sequence[int | None]) -> dict[str, float]:
    return {"mrr@10": round(mrr(ranks), 4), "hit@1": round(hit_at(ranks, 1), 4), "hit@3": round(hit_at(ranks, 3), 4)}
