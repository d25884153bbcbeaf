"""Bedside's answers to WardQA: which sentence it would quote first, how much of what a colleague
needs, and what it refuses.

The documents of the chosen splits become an index of their own, through the product's chunking,
embedding, ranking and decision; no generator is asked, for the choice of a quote does not need one.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.quality.metrics import bootstrap_ratio
from evaluation.sets.wardqa import WardPassage, WardQuestion, document_text, read_wardqa
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.domain import LOCAL_USER, Candidate, Document, DocumentStatus, Filters, Indexed, Metadata, Page
from rag_api.ingest.common.chunk import chunk, embedding_text
from rag_api.query.analysis import analyse
from rag_api.retrieval.find import Retrieval, find

Tell = Callable[[int], object]
BUDGETS = (0.02, 0.05, 0.1, 0.2)  # shares of the answerable that a hospital may accept to see refused


@dataclass(frozen=True, slots=True)
class _Indexed:
    """A document of the set, and where each passage's lines stand in its text."""

    document: Document
    text: str
    lines: dict[str, list[tuple[int, int]]]  # by the passage's id


@dataclass(frozen=True, slots=True)
class WardOutcome:
    """How one question fared. `near_miss`: what it alters; empty: it can be answered."""

    passage: WardPassage
    question: str
    near_miss: str
    confidence: float
    answered: bool
    found: bool = False  # the right document is among the first three sources
    right: bool = False  # the first sentence holds the answer
    whole: bool | None = None  # it brings all lines that are needed; None: one is enough


def measure(
    settings: Settings, splits: Sequence[str], limit: int | None = None, tell: Tell = lambda done: None
) -> dict[str, Any]:
    """JSON-ready. limit: so many documents at most, for a quick look."""
    passages = read_wardqa(splits)
    documents = [list(own) for _, own in groupby(passages, key=lambda p: p.document)][:limit]
    with tempfile.TemporaryDirectory(prefix="bedside-wardqa-") as folder:
        own = settings.model_copy(
            update={"data_dir": Path(folder), "database_url": None, "store": "lance", "follow_ups": "off"}
        )
        with Container(own) as container:
            indexed = {}
            for done, parts in enumerate(documents, 1):
                indexed[parts[0].document] = _index(parts, container)
                tell(done)
            container.store.tidy()
            asked = [
                (passage, question)
                for parts in documents
                for passage in parts
                for question in passage.questions
                if question.alone
            ]
            outcomes: list[WardOutcome] = []
            for passage, question in asked:
                outcomes += _outcomes(passage, question, indexed[passage.document], container)
                tell(len(documents) + len(outcomes))
    return {"splits": list(splits), "documents": len(documents), **report(outcomes)}


def _index(parts: Sequence[WardPassage], container: Container) -> _Indexed:
    first = parts[0]
    about = Metadata(title=first.title, language=first.language, department=first.trade)
    text, lines = document_text(parts)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    page = Page(1, 595.0, 842.0, 0, 0, text, np.full((len(text), 4), np.nan, np.float32))
    document_id = sha256[:32]
    chunks = chunk(document_id, about, [page])
    document = Document(
        document_id,
        f"{first.document}.txt",
        sha256,
        "text/plain",
        DocumentStatus.INDEXED,
        "",
        about,
        1,
        len(chunks),
        len(text),
    )
    PgDocuments(container.db).save_indexed([Indexed(document, [page])])
    container.store.replace_document(
        document_id, chunks, container.embedder.passages([embedding_text(c) for c in chunks])
    )
    return _Indexed(document, text, lines)


def _outcomes(
    passage: WardPassage, question: WardQuestion, where: _Indexed, container: Container
) -> Iterable[WardOutcome]:
    retrieval = _find(question.question, container)
    lines = where.lines[passage.id]
    chosen = retrieval.sentences[0] if retrieval.sentences else None
    right = (
        chosen is not None and chosen.document_id == where.document.id and _overlaps(chosen, lines[question.line - 1])
    )
    first, last = question.block
    needed = lines[first - 1 : last]
    whole = None if first == last else right and chosen is not None and all(_brings(chosen, line) for line in needed)
    found = where.document.id in [hit.chunk.document_id for hit in retrieval.hits[:3]]
    yield WardOutcome(passage, question.question, "", retrieval.confidence, retrieval.answerable, found, right, whole)
    for miss in question.near_misses:
        missed = _find(miss.question, container)
        yield WardOutcome(passage, miss.question, miss.changed, missed.confidence, missed.answerable)


def _find(question: str, container: Container) -> Retrieval:
    return find(analyse(question, container.expander), LOCAL_USER, Filters(), container)


def _overlaps(chosen: Candidate, line: tuple[int, int]) -> bool:
    """Half of the shorter one lies in the other."""
    shared = min(chosen.end, line[1]) - max(chosen.start, line[0])
    return shared >= 0.5 * min(chosen.end - chosen.start, line[1] - line[0])


def _brings(chosen: Candidate, line: tuple[int, int]) -> bool:
    """The sentence or what it is read after holds the line."""
    places = [(chosen.start, chosen.end), *chosen.lead]
    return any(min(end, line[1]) - max(start, line[0]) >= 0.8 * (line[1] - line[0]) for start, end in places)


def report(outcomes: Sequence[WardOutcome]) -> dict[str, Any]:
    """Shares with their 95% intervals; `curve` says what other thresholds would do."""
    answerable, near = [o for o in outcomes if not o.near_miss], [o for o in outcomes if o.near_miss]
    return {
        "answerable": _shares(answerable),
        "languages": {name: _shares([o for o in answerable if o.passage.language == name]) for name in ("nl", "en")},
        "near_misses": {
            "refused": share(near, _refused),
            "by_change": {
                kind: share([o for o in near if o.near_miss == kind], _refused)
                for kind in sorted({o.near_miss for o in near})
            },
            "auc": auc([o.confidence for o in answerable], [o.confidence for o in near]),
        },
        "curve": [_at(budget, answerable, near) for budget in BUDGETS],
    }


def _shares(answerable: Sequence[WardOutcome]) -> dict[str, Any]:
    return {
        "found_in_three": share(answerable, lambda o: o.found),
        "first_sentence_right": share(answerable, lambda o: o.right),
        "answered_right": share(answerable, lambda o: o.right and o.answered),
        "refused": share(answerable, _refused),
        "whole": share([o for o in answerable if o.whole is not None], lambda o: bool(o.whole)),
    }


def share(outcomes: Sequence[WardOutcome], holds: Callable[[WardOutcome], bool]) -> dict[str, Any]:
    """Of how many it holds; the interval is over documents, since questions of one document fare
    alike."""
    by_document: dict[str, list[bool]] = {}
    for outcome in outcomes:
        by_document.setdefault(outcome.passage.document, []).append(holds(outcome))
    low, high = bootstrap_ratio([sum(own) for own in by_document.values()], [len(own) for own in by_document.values()])
    true = sum(holds(outcome) for outcome in outcomes)
    return {
        "share": round(true / len(outcomes), 4) if outcomes else None,
        "interval": [round(low, 3), round(high, 3)],
        "n": len(outcomes),
    }


def _refused(outcome: WardOutcome) -> bool:
    return not outcome.answered


def auc(right: Sequence[float], wrong: Sequence[float]) -> float | None:
    """Return the chance that an answerable question's confidence is above a near miss's, ties
    counted as half."""
    if not right or not wrong:
        return None
    above, below = np.asarray(right)[:, None], np.asarray(wrong)[None, :]
    return round(float(((above > below) + 0.5 * (above == below)).mean()), 4)


def _at(budget: float, answerable: Sequence[WardOutcome], near: Sequence[WardOutcome]) -> dict[str, Any]:
    """With the threshold that refuses this share of the answerable."""
    threshold = float(np.quantile([o.confidence for o in answerable], budget)) if answerable else 0.0
    return {
        "refused_answerable": budget,
        "near_misses_refused": share(near, lambda o: o.confidence < threshold),
        "answered_right": share(answerable, lambda o: o.right and o.confidence >= threshold),
        "right_of_answered": share([o for o in answerable if o.confidence >= threshold], lambda o: o.right),
    }
