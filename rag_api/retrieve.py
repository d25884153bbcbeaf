"""question -> hits, and whether they hold an answer at all. Knows neither HTTP nor the language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from rag_api.config import Settings
from rag_api.embed import Embedder
from rag_api.stores import Store
from rag_api.stores.fuse import INFORMATION
from rag_api.terms import question_terms
from rag_api.types import Filters, Hit, User


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was measured to suit an embedder, on the validate half of the handbook's judged questions (docs/evaluation.md)."""

    alpha: float  # of the fusion by information
    threshold: float  # of `confidence`: so that about 4 in 100 questions with an answer are refused
    measured: str


CALIBRATIONS = {
    "multilingual-e5-small-q4+neutral": Calibration(alpha=0.65, threshold=0.441, measured="2026-11-21"),
    "all-MiniLM-L6-v2": Calibration(alpha=0.2, threshold=0.18, measured="2026-11-21"),
}
# An embedder that nobody has measured here: the thesis's alpha, and nothing is refused.
UNKNOWN = Calibration(alpha=0.7, threshold=0.0, measured="never")


@dataclass(frozen=True, slots=True)
class Retrieval:
    hits: tuple[Hit, ...]  # best first; empty: nothing that this user may read
    confidence: float  # that an answer is among them, in [0, 1]; comparable for one embedder only
    answerable: bool
    alpha: float = 0.7  # as used


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
    measured = CALIBRATIONS.get(embedder.name, UNKNOWN)
    alpha = measured.alpha if settings.alpha is None else settings.alpha
    limit = max(settings.sources, settings.passages)
    hits = store.search(query, embedder.query(query), limit, allowed, alpha, settings.fusion)
    confidence = confidence_of(query, hits)
    threshold = measured.threshold if settings.not_found_threshold is None else settings.not_found_threshold
    return Retrieval(tuple(hits), confidence, bool(hits) and confidence >= threshold, alpha)


def confidence_of(query: str, hits: Sequence[Hit]) -> float:
    """How well the best hit matches, by meaning and by words alike, whatever the fusion was.

    Of a dozen signals tried (cosine, gaps, words covered, sentences), none tells a question that the documents nearly answer from one
    that they do: docs/evaluation.md has the figures.
    """
    whole = INFORMATION * max(1, len(question_terms(query)))
    return max(((hit.dense_score + min(1.0, hit.bm25_score / whole)) / 2 for hit in hits), default=0.0)
