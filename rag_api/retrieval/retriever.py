"""question -> hits. Knows neither HTTP nor the language model; whether they hold an answer is decided later (decide.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from rag_api.config import Settings
from rag_api.domain import Candidate, Filters, Hit, User
from rag_api.embed import Embedder
from rag_api.query.synonyms import expander_of
from rag_api.retrieval.calibration import calibration
from rag_api.retrieval.reranker import READS, reranked, reranker_of
from rag_api.stores import Store
from rag_api.stores.fuse import INFORMATION
from rag_api.text.bm25_analyzer import question_terms


@dataclass(frozen=True, slots=True)
class Retrieval:
    hits: tuple[Hit, ...]  # best first; empty: nothing that this user may read
    confidence: float  # that an answer is among them, in [0, 1]; comparable for one embedder only
    answerable: bool  # here: there are hits; decide.py decides
    alpha: float = 0.7  # as used
    sentences: tuple[Candidate, ...] = ()  # of the hits that may answer, best first; once decided (decide.py)
    signals: Mapping[str, float] = field(default_factory=dict)  # what the decision was made from
    texts: Mapping[str, str] = field(default_factory=dict)  # of the documents that may answer, by id; very long ones are left out


def retrieve(
    query: str,
    user: User,
    filters: Filters,
    *,
    embedder: Embedder,
    store: Store,
    settings: Settings,
    today: date | None = None,
    any_date: bool = False,
) -> Retrieval:
    """The best `settings.sources` chunks that the user may read and that are valid on `filters.valid_on`, else today.

    `any_date` keeps documents that are not (yet, any more) valid. Superseded ones are named by `filters.excluded_document_ids`.
    """
    valid_on = None if any_date else filters.valid_on or today or date.today()
    allowed = replace(filters, owner_groups=user.groups, valid_on=valid_on)
    measured = calibration(embedder.name, settings.data_dir)
    alpha = measured.alpha if settings.alpha is None else settings.alpha
    limit = max(settings.sources, settings.passages)
    others, reranker = expander_of(settings).expand(query), reranker_of(settings)
    fetch = limit if reranker is None else max(limit, READS)
    hits = store.search(query, embedder.query(query), fetch, allowed, alpha, settings.fusion, others)
    if reranker is not None:
        hits = reranked(query, hits, reranker)[:limit]
    return Retrieval(tuple(hits), confidence_of(query, hits), bool(hits), alpha)


def confidence_of(query: str, hits: Sequence[Hit]) -> float:
    """How well the best hit matches, by meaning and by words alike, whatever the fusion was."""
    return max(((hit.dense_score + information(query, [hit])) / 2 for hit in hits), default=0.0)


def information(query: str, hits: Sequence[Hit]) -> float:
    """How much of what the question's words could tell the best hit matches, in [0, 1]."""
    whole = INFORMATION * max(1, len(question_terms(query)))
    return max((min(1.0, hit.bm25_score / whole) for hit in hits), default=0.0)
