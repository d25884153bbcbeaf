"""Questions that a search brings to passages which do not answer them.

In the product a reader meets what was found for a question, and all but one of it is near and
wrong: in the words of the question, about something else. Questions of other passages drawn by
chance are too easy to say no to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from rag_api.stores.ranking.bm25 import K1, B, Statistics
from rag_api.text.bm25_analyzer import document_terms, question_terms
from services.reader.questions import AskedPassage

FOUND = 10  # a question whose own passage is not among so many does not say what it is about
BEHIND = 12  # passages for each question


def retrieved_questions(passages: Sequence[AskedPassage]) -> dict[str, list[tuple[str, str]]]:
    """Return by passage id the questions for which BM25 ranks it next behind the passage that
    answers, each with that passage's id. Another document's passage under the same title is left
    out: it may be another edition, and answer."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    ranking = _Ranking(passages)
    for own in passages:
        for question in own.alone:
            ranked = ranking.of(question)
            place = next((n for n, one in enumerate(ranked) if one.id == own.id), FOUND)
            if place >= FOUND:
                continue
            behind = (one for one in ranked[place + 1 :] if one.title != own.title or one.document == own.document)
            for one, _ in zip(behind, range(BEHIND), strict=False):
                found[one.id].append((question, own.id))
    return dict(found)


class _Ranking:
    """All passages in BM25's order, as the stores score them, term by term over all at once."""

    def __init__(self, passages: Sequence[AskedPassage]) -> None:
        self._passages = passages
        counts = [
            Counter(document_terms("\n".join((one.title, one.heading, *one.lines)), one.language)) for one in passages
        ]
        lengths = np.array([own.total() for own in counts], np.float64)
        self._norm = K1 * (1 - B + B * lengths / lengths.mean())
        held: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, own in enumerate(counts):
            for term, count in own.items():
                held[term].append((number, count))
        self._held = {term: np.array(own).T for term, own in held.items()}
        holding = {term: len(own) for term, own in held.items()}
        self._statistics = Statistics(len(passages), int(lengths.sum()), holding)

    def of(self, question: str) -> list[AskedPassage]:
        scores = np.zeros(len(self._passages))
        for term in question_terms(question):
            if term in self._held:
                which, counts = self._held[term]
                scores[which] += self._statistics.told_by(term) * counts * (K1 + 1) / (counts + self._norm[which])
        best = np.argsort(-scores, kind="stable")[: FOUND + 2 * BEHIND]
        return [self._passages[n] for n in best if scores[n] > 0]
