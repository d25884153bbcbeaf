"""question -> hits, and whether they hold an answer at all. Knows neither HTTP nor the language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from rag_api.config import Settings
from rag_api.embed import Embedder
from rag_api.stores import Store
from rag_api.types import Filters, Hit, User

# Cosine of the best hit below which there is no answer, by embedder.
THRESHOLDS = {"multilingual-e5-small-q4": 0.82, "all-MiniLM-L6-v2": 0.35, "bge-m3": 0.5}


@dataclass(frozen=True, slots=True)
class Retrieval:
    hits: tuple[Hit, ...]  # best first; empty: nothing that this user may read
    confidence: float  # that an answer is among them, in [0, 1]
    answerable: bool


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
    vector = embedder.query(query)
    hits = store.search(query, vector, max(settings.sources, settings.passages), allowed, settings.alpha)
    confidence = confidence_of(query, hits)
    threshold = settings.not_found_threshold
    if threshold is None:
        threshold = THRESHOLDS.get(embedder.name, 0.0)
    return Retrieval(tuple(hits), confidence, bool(hits) and confidence >= threshold)


def confidence_of(query: str, hits: Sequence[Hit]) -> float:
    return max((hit.dense_score for hit in hits), default=0.0)
