"""An analysed question -> hits, best first. Knows neither HTTP nor the language model; whether they
hold an answer is decided later."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from rag_api.config import Settings
from rag_api.domain import Filters, Hit, User
from rag_api.embed import Embedder
from rag_api.query.analysis import Analysis
from rag_api.retrieval.decision.calibration import calibration
from rag_api.retrieval.search.reranker import READS, Reranker, reranked
from rag_api.stores import Store


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits in an order. `only_for_others`: what fits best is for other patients than the
    question's, and the next best is about something else."""

    hits: tuple[Hit, ...]  # best first; empty: nothing that this user may read
    alpha: float = 0.7  # as used
    only_for_others: bool = False


def retrieve(
    question: Analysis,
    user: User,
    filters: Filters,
    *,
    embedder: Embedder,
    store: Store,
    settings: Settings,
    reranker: Reranker | None = None,
    today: date | None = None,
) -> Ranking:
    """Return the best `settings.sources` chunks that the user may read and that are valid on
    `filters.valid_on`, else today. Superseded ones are named by `filters.excluded_document_ids`."""
    allowed = replace(filters, groups=user.groups, valid_on=filters.valid_on or today or date.today())
    measured = calibration(embedder.name, settings.data_dir)
    alpha = measured.alpha if settings.alpha is None else settings.alpha
    limit = max(settings.sources, settings.passages)
    fetch = limit if reranker is None else max(limit, READS)
    vector = embedder.query(question.meant)
    hits = store.search(question.text, vector, fetch, allowed, alpha, settings.fusion, question.expansions)
    if reranker is not None:
        hits = reranked(question.text, hits, reranker)[:limit]
    return Ranking(tuple(hits), alpha)
