"""Whether what was found answers the question: decided from retrieval and from the sentences found, never by a language model.

Four things tell, none of them well (docs/evaluation.md): what the best passage means, and how much of what the question's words could
tell it matches; how far the best sentence stands above the next ones, as one that answers does and one among many that are about the
same thing does not; and whether the question's longest words, mostly the name of what it is about, stand in the best document at all. A
logistic regression over them, fitted on judged questions by `bedside calibrate`, gives the chance that there is an answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rag_api.domain import Candidate, Hit
from rag_api.embed import Embedder
from rag_api.guard.drugs import is_drug
from rag_api.guard.words import folded
from rag_api.retrieval.calibration import Calibration, NotFound
from rag_api.retrieval.retriever import Retrieval, information
from rag_api.retrieval.sentence_scorer import Called, Expand, held, scored_sentences, sought_words

NEXT = 5  # sentences that the best one is compared with
NAMES = 2  # of the question's words, the longest
WHOLE = 6  # letters of a word that tells as much as a name; a shorter one may stand there by chance


def decided(
    query: str,
    found: Retrieval,
    hits: Sequence[Hit],
    embedder: Embedder,
    measured: Calibration,
    texts: Mapping[str, str],
    expand: Expand,
    threshold: float | None = None,
) -> Retrieval:
    """`found` with its sentences, best first, and with the decision. `hits`: those of it that may answer (not for other patients, nor of
    other drugs). `threshold` replaces the calibrated one. What retrieval has ruled out stays so, and without hits there is no answer."""
    sentences = tuple(s.candidate for s in scored_sentences(query, hits, embedder, measured.weights, texts, expand))
    values = signals(query, hits, sentences, expand)
    limit = threshold if threshold is not None else measured.not_found.threshold if measured.not_found else 0.0
    chance = probability(values, measured.not_found) if measured.not_found else found.confidence
    return replace(
        found, sentences=sentences, signals=values, confidence=chance, answerable=found.answerable and bool(hits) and chance >= limit
    )


def signals(query: str, hits: Sequence[Hit], sentences: Sequence[Candidate], expand: Expand) -> dict[str, float]:
    """By name. `expand`: what else a word is called."""
    return {
        "cosine": max((hit.dense_score for hit in hits), default=0.0),
        "information": information(query, hits),
        "lead": _lead(sentences),
        "names": _names(query, hits, expand),
    }


def probability(values: Mapping[str, float], fitted: NotFound) -> float:
    """That there is an answer."""
    logit = fitted.coefficients["intercept"] + sum(fitted.coefficients.get(name, 0.0) * value for name, value in values.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def _lead(sentences: Sequence[Candidate]) -> float:
    """In nats, over the mean of itself and the next ones."""
    best = [s.score for s in sentences[: NEXT + 1]]
    return best[0] - sum(best) / len(best) if best else 0.0


def _names(query: str, hits: Sequence[Hit], expand: Expand) -> float:
    if not hits:
        return 0.0
    best = hits[0].chunk.document_id
    text = "\n".join(f"{hit.chunk.title}\n{hit.chunk.text}" for hit in hits if hit.chunk.document_id == best)
    longest = sorted(sought_words(query, expand), key=lambda called: len(called[0][0]))[-NAMES:]
    return sum(_named(called, text) for called in longest) / len(longest) if longest else 0.0


def _named(called: Called, text: str) -> float:
    """How surely the text has the word; a drug stands in the document of every hit that may answer."""
    word = called[0][0]
    return 1.0 if is_drug(folded(word)) else held(called, text) * min(1.0, len(word) / WHOLE)
