"""Does retrieval find the right document, and know when there is none? Measured on questions that
people have judged.

The figures: hit@k and MRR by document over the answerable questions (the rank is that of the first
hit of a judged document), the same by page and by the judged words, precision and recall of "not
found" over all; for all questions, each language and each department, with the middle 95% of 1,000
bootstrap resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.quality.answers import holds, plain
from evaluation.quality.metrics import Interval, bootstrap_ratio, hit_at, mrr, reciprocal
from evaluation.quality.refusals import DecidedQuestion, refusals
from rag_api.domain import Hit, Metadata
from rag_api.evaluate.judged import Judged, Place
from rag_api.retrieval.find import Retrieval

__all__ = ["RetrievalOutcome", "askers", "evaluate", "report", "rows_of"]

Search = Callable[[Judged], Retrieval]
KS = (1, 3, 7)  # 3: what a reader looks at and the prompt holds; 7: what the page shows


@dataclass(frozen=True, slots=True)
class RetrievalOutcome:
    """What retrieval did for one judged question. Ranks are None when the document (its page, its
    words) is not among the hits."""

    judged: Judged
    rank: int | None
    page_rank: int | None
    found: bool  # it said that the hits hold an answer
    confidence: float
    first: str  # the document of the first hit
    span_rank: int | None = None  # of the first hit that holds the judged words
    right: tuple[str, ...] = ()  # the judged documents among the hits, each once
    department: str = ""  # of who asked, else of the judged document
    wrong_group: bool = False  # the first hit is for other patients than the question is about
    may_answer: bool = True  # no rule ruled an answer out
    right_first: bool = False  # the sentence that would be quoted first holds the judged words
    crossed: str = ""  # "en on nl": the question's language, when none of its documents is in that, and theirs


def evaluate(
    questions: Sequence[Judged],
    search: Search,
    sources: Mapping[str, str],
    tell: Callable[[int], Any] | None = None,
    about: Mapping[str, Metadata] | None = None,
) -> list[RetrievalOutcome]:
    """Ask every question. sources: document id -> the name it was ingested under. about: that name
    -> what is said of it. tell: called with how many are done."""
    outcomes = []
    for question in questions:
        outcomes.append(_outcome(question, search(question), sources, about or {}))
        if tell:
            tell(len(outcomes))
    return outcomes


def _outcome(
    judged: Judged, retrieval: Retrieval, sources: Mapping[str, str], about: Mapping[str, Metadata]
) -> RetrievalOutcome:
    hits = retrieval.hits
    names = [sources.get(hit.chunk.document_id, "") for hit in hits]
    right = {place.document for place in judged.places}
    ranked = list(enumerate(zip(names, hits, strict=True), 1))
    return RetrievalOutcome(
        judged,
        rank=_first(rank for rank, (name, _) in ranked if name in right),
        page_rank=_first(rank for rank, at in ranked if any(_on_page(place, *at) for place in judged.places)),
        found=retrieval.answerable,
        confidence=retrieval.confidence,
        first=names[0] if names else "",
        span_rank=_first(rank for rank, at in ranked if any(_holds(place, *at) for place in judged.places)),
        right=tuple(dict.fromkeys(name for name in names if name in right)),
        department=judged.department or (about[judged.document].department if judged.document in about else ""),
        may_answer=retrieval.may_answer,
        right_first=_right_first(judged, retrieval, sources),
        wrong_group=bool(hits) and _for_others(hits[0], judged.group),
        crossed=_crossed(judged, {about[name].language for name in right & about.keys()} - {""}),
    )


def _right_first(judged: Judged, retrieval: Retrieval, sources: Mapping[str, str]) -> bool:
    first = retrieval.sentences[0] if retrieval.sentences else None
    return first is not None and any(
        place.document == sources.get(first.document_id) and holds(first.text, place.span) for place in judged.places
    )


def _first(ranks: Iterable[int]) -> int | None:
    return next(iter(ranks), None)


def _on_page(place: Place, name: str, hit: Hit) -> bool:
    return name == place.document and place.page in hit.chunk.pages


def _holds(place: Place, name: str, hit: Hit) -> bool:
    return name == place.document and bool(place.span) and plain(place.span) in plain(hit.chunk.text)


def _for_others(hit: Hit, group: str) -> bool:
    groups = [target.value for target in hit.chunk.metadata.target_groups]
    return bool(group and groups) and group not in groups


def _crossed(judged: Judged, languages: set[str]) -> str:
    return (
        f"{judged.language} on {min(languages)}"
        if judged.language and languages and judged.language not in languages
        else ""
    )


def report(outcomes: Sequence[RetrievalOutcome]) -> dict[str, Any]:
    """The figures of all questions, by language, across languages and by department, JSON-ready."""
    return {
        **_figures(outcomes),
        "languages": _parts(outcomes, [o.judged.language for o in outcomes]),
        "crossed": _parts(outcomes, [o.crossed for o in outcomes]),
        "departments": _parts(outcomes, [o.department for o in outcomes]),
    }


def askers(outcomes: Sequence[RetrievalOutcome], without: Sequence[RetrievalOutcome]) -> dict[str, Any]:
    """What knowing the asker's function changes. without: the outcomes of those questions that name
    one, asked as if they did not."""
    unknown = {o.judged.id: o for o in without}
    names = ("hit@1", "hit@3", "mrr", "wrong_group_first")
    with_, none = (_figures(some) for some in (outcomes, [unknown.get(o.judged.id, o) for o in outcomes]))
    return {
        "n": len(without),
        "with": {name: with_[name] for name in names},
        "without": {name: none[name] for name in names},
    }


def _parts(outcomes: Sequence[RetrievalOutcome], of: Sequence[str]) -> dict[str, Any]:
    """The figures of each named part; questions of none are in the whole only."""
    names = sorted({name for name in of if name})
    return {name: _figures([o for o, own in zip(outcomes, of, strict=True) if own == name]) for name in names}


def rows_of(outcomes: Sequence[RetrievalOutcome]) -> list[dict[str, Any]]:
    """Question by question, for comparing two runs and for looking at what went wrong."""
    return [
        {
            "id": o.judged.id,
            "question": o.judged.question,
            "language": o.judged.language,
            "department": o.department,
            "split": o.judged.split,
            "conversation": o.judged.conversation,
            "answerable": o.judged.answerable,
            "rank": o.rank,
            "page_rank": o.page_rank,
            "found": o.found,
            "confidence": round(o.confidence, 6),
            "first": o.first,
            "right": list(o.right),
            "verdict": o.judged.found,
        }
        for o in outcomes
    ]


def _figures(outcomes: Sequence[RetrievalOutcome]) -> dict[str, Any]:
    answerable = [o for o in outcomes if o.judged.answerable]
    ranks = [o.rank for o in answerable]
    paged = [o.page_rank for o in answerable if any(place.page for place in o.judged.places)]
    worded = [o.span_rank for o in answerable if any(place.span for place in o.judged.places)]
    return {
        **{f"hit@{k}": hit_at(ranks, k) for k in KS},
        "mrr": mrr(ranks),
        "page": {"hit@1": hit_at(paged, 1), "hit@3": hit_at(paged, 3), "mrr": mrr(paged), "n": len(paged)},
        "passage": {"hit@1": hit_at(worded, 1), "hit@3": hit_at(worded, 3), "mrr": mrr(worded), "n": len(worded)},
        "not_found": refusals([_asked(o) for o in outcomes]),
        "wrong_group_first": sum(o.wrong_group for o in outcomes),  # answerable or not
        "n": len(outcomes),
        "intervals": _intervals(outcomes, ranks),
    }


def _asked(o: RetrievalOutcome) -> DecidedQuestion:
    """What no rule lets be answered has no confidence."""
    confidence = o.confidence if o.may_answer else -1.0
    near = not o.judged.answerable and is_near_miss(o.judged)
    return DecidedQuestion(
        confidence, o.judged.answerable, not o.found, o.rank is not None and o.rank <= 3, o.right_first, near
    )


def is_near_miss(judged: Judged) -> bool:
    """Its note says so: a document is about this, and does not say it."""
    return "near-miss" in judged.note or "near miss" in judged.note


def _intervals(outcomes: Sequence[RetrievalOutcome], ranks: Sequence[int | None]) -> dict[str, Interval]:
    ones = [1.0] * len(ranks)
    said = [float(not o.found) for o in outcomes]
    true = [float(not o.judged.answerable) for o in outcomes]
    both = [s * t for s, t in zip(said, true, strict=True)]
    return {
        **{f"hit@{k}": bootstrap_ratio([float(rank is not None and rank <= k) for rank in ranks], ones) for k in KS},
        "mrr": bootstrap_ratio([reciprocal(rank) for rank in ranks], ones),
        "not_found_precision": bootstrap_ratio(both, said),
        "not_found_recall": bootstrap_ratio(both, true),
    }
