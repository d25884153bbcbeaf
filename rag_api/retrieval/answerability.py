"""Whether what was found answers the question: decided here and nowhere else, from retrieval and the sentences found, never by a
language model.

Two rules come first: there must be hits that may answer, and what fits best must not be for other patients only. Then five things tell,
none of them well (docs/evaluation.md): what the best passage means, and how much of what the question's words could tell it matches; how
far the best sentence stands above the next ones, as one that answers does and one among many that are about the same thing does not;
whether the question's longest words, mostly the name of what it is about, stand in the best document at all; and the rarest of its words
that the best sentence and its title do not name. With a reader (reader.py) there is also what that makes of the passages. A logistic
regression over them, fitted on judged questions of several collections, gives the chance that the answer is right.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag_api.domain import Candidate, Hit
from rag_api.guard.drugs import is_drug
from rag_api.guard.words import folded
from rag_api.query.analysis import Analysis
from rag_api.query.unnamed import rarity
from rag_api.retrieval.calibration import NotFound
from rag_api.stores.fuse import INFORMATION
from rag_api.text.word_match import Called, held

NEXT = 5  # sentences that the best one is compared with
NAMES = 2  # of the question's words, the longest
WHOLE = 6  # letters of a word that tells as much as a name; a shorter one may stand there by chance


@dataclass(frozen=True, slots=True)
class Decision:
    """`answerable` follows from the rules and from `confidence`, that there is an answer, in [0, 1]; comparable for one embedder only."""

    answerable: bool
    confidence: float
    signals: Mapping[str, float]  # what the confidence was made from, by name


def decide(
    question: Analysis,
    hits: Sequence[Hit],
    sentences: Sequence[Candidate],
    fitted: NotFound | None,
    *,
    only_for_others: bool = False,
    threshold: float | None = None,
    read: Mapping[str, float] | None = None,
) -> Decision:
    """hits: those that may answer (not for other patients, nor of other drugs), best first, and their sentences, best first. `threshold`
    replaces the fitted one; without either nothing is refused but what the rules refuse. `read`: a reader's signals."""
    values = {**signals(question, hits, sentences), **(read or {})}
    limit = threshold if threshold is not None else fitted.threshold if fitted else 0.0
    confidence = probability(values, fitted) if fitted else match(question, hits)
    return Decision(bool(hits) and not only_for_others and confidence >= limit, confidence, values)


def signals(question: Analysis, hits: Sequence[Hit], sentences: Sequence[Candidate]) -> dict[str, float]:
    """Return what speaks for an answer, by name."""
    return {
        "cosine": max((hit.dense_score for hit in hits), default=0.0),
        "information": information(question, hits),
        "lead": _lead(sentences),
        "names": _names(question, hits),
        "unnamed": _unnamed(question, hits, sentences),
        "crossed": float(_crossed(question, hits)),
    }


def probability(values: Mapping[str, float], fitted: NotFound) -> float:
    """Return the chance that there is an answer."""
    logit = fitted.coefficients["intercept"] + sum(fitted.coefficients.get(name, 0.0) * value for name, value in values.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def match(question: Analysis, hits: Sequence[Hit]) -> float:
    """Return how well the best hit matches, by meaning and by words alike, whatever the fusion was: a confidence before any is fitted."""
    return max(((hit.dense_score + information(question, [hit])) / 2 for hit in hits), default=0.0)


def information(question: Analysis, hits: Sequence[Hit]) -> float:
    """Return how much of what the question's words could tell the best hit matches, in [0, 1]."""
    whole = INFORMATION * max(1, len(question.terms))
    return max((min(1.0, hit.bm25_score / whole) for hit in hits), default=0.0)


def _lead(sentences: Sequence[Candidate]) -> float:
    """In nats, over the mean of itself and the next ones."""
    best = [s.score for s in sentences[: NEXT + 1]]
    return best[0] - sum(best) / len(best) if best else 0.0


def _names(question: Analysis, hits: Sequence[Hit]) -> float:
    if not hits:
        return 0.0
    best = hits[0].chunk.document_id
    text = "\n".join(f"{hit.chunk.title}\n{hit.chunk.text}" for hit in hits if hit.chunk.document_id == best)
    longest = sorted(question.sought, key=lambda called: len(called[0][0]))[-NAMES:]
    return sum(_named(called, text) for called in longest) / len(longest) if longest else 0.0


def _unnamed(question: Analysis, hits: Sequence[Hit], sentences: Sequence[Candidate]) -> float:
    """How rare the rarest word is that the best sentence and its title do not name, on Zipf's scale below RARE."""
    best = sentences[0] if sentences else None
    titles = {hit.chunk.title for hit in hits if best is not None and hit.chunk.document_id == best.document_id}
    return rarity(question.text, question.sought, "\n".join((*titles, best.text)) if best is not None else "")


def _crossed(question: Analysis, hits: Sequence[Hit]) -> bool:
    """The best hit says that it is in another language than the question."""
    spoken = hits[0].chunk.metadata.language if hits else ""
    return bool(spoken) and question.language is not None and spoken != question.language


def _named(called: Called, text: str) -> float:
    """How surely the text has the word; a drug stands in the document of every hit that may answer."""
    word = called[0][0]
    return 1.0 if is_drug(folded(word)) else held(called, text) * min(1.0, len(word) / WHOLE)
