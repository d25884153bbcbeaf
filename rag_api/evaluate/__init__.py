"""Does retrieval find the right document, and know when there is none? Measured on questions that people have judged.

The figures: hit@k and MRR by document over the answerable questions (the rank is that of the first hit of the judged document),
the same by page, precision and recall of "not found" over all, each with the middle 95% of 1,000 bootstrap resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rag_api.evaluate.judged import HANDBOOK, Judged, by_language, read_judged, write_judged
from rag_api.evaluate.metrics import bootstrap, hit_at, mrr, precision_recall
from rag_api.retrieve import Retrieval

__all__ = ["HANDBOOK", "Judged", "Outcome", "evaluate", "read_judged", "report", "write_judged"]

Search = Callable[[Judged], Retrieval]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What retrieval did for one judged question. Ranks are None when the document (its page) is not among the hits."""

    judged: Judged
    rank: int | None
    page_rank: int | None
    found: bool  # it said that the hits hold an answer
    confidence: float
    first: str  # the document of the first hit


def evaluate(
    questions: Sequence[Judged], search: Search, sources: Mapping[str, str], tell: Callable[[int], Any] | None = None
) -> list[Outcome]:
    """Ask every question. sources: document id -> the name it was ingested under. tell: called with how many are done."""
    outcomes = []
    for question in questions:
        outcomes.append(_outcome(question, search(question), sources))
        if tell:
            tell(len(outcomes))
    return outcomes


def _outcome(judged: Judged, retrieval: Retrieval, sources: Mapping[str, str]) -> Outcome:
    names = [sources.get(hit.chunk.document_id, "") for hit in retrieval.hits]
    ranks = [rank for rank, name in enumerate(names, 1) if judged.answerable and name == judged.document]
    paged = [rank for rank in ranks if judged.page in retrieval.hits[rank - 1].chunk.pages]
    return Outcome(
        judged,
        rank=ranks[0] if ranks else None,
        page_rank=paged[0] if paged else None,
        found=retrieval.answerable,
        confidence=retrieval.confidence,
        first=names[0] if names else "",
    )


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The figures of all questions and by language, JSON-ready."""
    languages = by_language([o.judged for o in outcomes])
    parts = {language: _figures([o for o in outcomes if o.judged.language == language]) for language in languages if language}
    return {**_figures(outcomes), "intervals": _intervals(outcomes), "languages": parts}


def _figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    answerable = [o for o in outcomes if o.judged.answerable]
    ranks, pages = [o.rank for o in answerable], [o.page_rank for o in answerable]
    precision, recall = _not_found(outcomes)
    return {
        "hit@1": hit_at(ranks, 1),
        "hit@3": hit_at(ranks, 3),
        "hit@7": hit_at(ranks, 7),
        "mrr": mrr(ranks),
        "page": {"hit@1": hit_at(pages, 1), "hit@3": hit_at(pages, 3), "mrr": mrr(pages)},
        "not_found": {"precision": precision, "recall": recall, "n": len(outcomes) - len(answerable)},
        "n": len(outcomes),
    }


def _not_found(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    return precision_recall([not o.found for o in outcomes], [not o.judged.answerable for o in outcomes])


def _intervals(outcomes: Sequence[Outcome]) -> dict[str, tuple[float, float]]:
    ranks = [o.rank for o in outcomes if o.judged.answerable]
    n, m = len(ranks), len(outcomes)

    def over(figure: Callable[[list[int | None]], float]) -> tuple[float, float]:
        return bootstrap(n, lambda drawn: figure([ranks[i] for i in drawn]))

    def decided(part: int) -> tuple[float, float]:
        return bootstrap(m, lambda drawn: _not_found([outcomes[i] for i in np.asarray(drawn)])[part])

    return {
        "hit@1": over(lambda r: hit_at(r, 1)),
        "hit@3": over(lambda r: hit_at(r, 3)),
        "mrr": over(mrr),
        "not_found_precision": decided(0),
        "not_found_recall": decided(1),
    }
