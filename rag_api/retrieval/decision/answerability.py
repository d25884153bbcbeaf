"""Answerability of the question by what was found: from retrieval and the sentences found, never by
a language model. Where a reader must agree, that can only refuse more
(answering/agreement_decision.py).

Rules come first: there must be hits that may answer, and what fits best must not be for other
patients only, nor say "with" where the question says "without" and the document nowhere does, nor
be about a drug in another disease, or to prevent what is to be treated. Then seven things tell,
none of them well (docs/evaluation.md): what the best passage means, and how much of what the
question's words could tell it matches; how far the best sentence stands above the next ones, as one
that answers does and one among many that are about the same thing does not; whether the question's
longest words, mostly the name of what it is about, stand in the best document at all; the rarest of
its words that the best sentence and its title do not name; and whether it names a device, disease,
ward or the like that the document does not (guard/concepts.py). With a reader (reader.py) there is
also what that makes of the passages. A logistic regression over them, fitted on judged questions of
several collections, gives the chance that the answer is right; a question for a whole list is given
a little, for it is the list that answers it, not its best line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rag_api.domain import Candidate, Hit
from rag_api.guard.concepts import concepts_in, names_another
from rag_api.guard.drugs import drugs_in, is_drug, substance_of
from rag_api.guard.exclusions import excluded, is_turned, says_without
from rag_api.guard.indication import is_for_another_illness, is_of_the_other_intent
from rag_api.guard.words import folded
from rag_api.query.analysis import Analysis
from rag_api.query.question_parts import Wanted, wanted
from rag_api.query.unnamed import rarity
from rag_api.retrieval.decision.calibration import NotFoundModel
from rag_api.stores.ranking.fuse import INFORMATION
from rag_api.text.word_match import Called, held

NEXT = 5  # sentences that the best one is compared with
NAMES = 2  # of the question's words, the longest
ASKS_WHOLE = 0.5  # nats for a question for a whole list, which repeats fewer of the text's words than one for a fact
WHOLE = 6  # letters of a word that tells as much as a name; a shorter one may stand there by chance


class Rule(StrEnum):
    """What is against an answer, however sure it is."""

    NONE = ""
    # nothing was found, or all of it is about other patients, drugs, levels or complications
    NOTHING_FITS = "nothing_fits"
    OTHER_PATIENTS = "other_patients"  # what fits best is for others
    WITHOUT = "without"  # the best sentence says "with" of what the question is without
    OTHER_ILLNESS = "other_illness"  # the drug is asked about in an illness that its document never names
    OTHER_INTENT = "other_intent"  # to treat what the sentence prevents, or the other way round


@dataclass(frozen=True, slots=True)
class Decision:
    """`answerable` follows from the rules and from `confidence`, that there is an answer, in [0,
    1]; comparable for one embedder only."""

    answerable: bool
    confidence: float
    signals: Mapping[str, float]  # what the confidence was made from, by name
    needed: float = 0.0  # the confidence from which there is an answer, where no rule is against it
    forbidden: Rule = Rule.NONE


def decide(
    question: Analysis,
    hits: Sequence[Hit],
    sentences: Sequence[Candidate],
    fitted: NotFoundModel | None,
    *,
    only_for_others: bool = False,
    threshold: float | None = None,
    read: Mapping[str, float] | None = None,
    texts: Mapping[str, str] | None = None,
) -> Decision:
    """hits: those that may answer (not for other patients, nor of other drugs), best first, and
    their sentences, best first. `threshold` replaces the fitted one; without either nothing is
    refused but what the rules refuse. `read`: a reader's signals. `texts`: the hits' documents by
    id; of one that is not there its hits are all that is known."""
    values = {**signals(question, hits, sentences, texts), **(read or {})}
    limit = threshold if threshold is not None else fitted.threshold if fitted else 0.0
    confidence = probability(values, fitted) if fitted else match(question, hits)
    forbidden = _against(question, hits, sentences, texts or {}, only_for_others=only_for_others)
    return Decision(not forbidden and confidence >= limit, confidence, values, limit, forbidden)


def _against(
    question: Analysis,
    hits: Sequence[Hit],
    sentences: Sequence[Candidate],
    texts: Mapping[str, str],
    *,
    only_for_others: bool,
) -> Rule:
    if only_for_others:
        return Rule.OTHER_PATIENTS
    if not hits:
        return Rule.NOTHING_FITS
    if not sentences:
        return Rule.NONE
    best = sentences[0]
    if is_turned_for_good(question, best, texts):
        return Rule.WITHOUT
    if is_of_another_indication(question, hits, best, texts):
        return Rule.OTHER_ILLNESS
    return Rule.OTHER_INTENT if is_of_the_other_intent(question.text, best.text) else Rule.NONE


def is_of_another_indication(
    question: Analysis, hits: Sequence[Hit], best: Candidate, texts: Mapping[str, str]
) -> bool:
    """Whether a drug is asked about in a disease that the best sentence's whole document never
    names; False where that is not there. What is titled after the drug holds whatever else the
    patient has."""
    if not question.drugs or best.document_id not in texts:
        return False
    titles = {hit.chunk.title for hit in hits if hit.chunk.document_id == best.document_id}
    asked = {substance_of(drug) or drug for drug in question.drugs}
    if any(not asked.isdisjoint(substance_of(drug) or drug for drug in drugs_in(title)) for title in titles):
        return False
    return is_for_another_illness(question.text, *sorted(titles), texts[best.document_id])


def is_turned_for_good(question: Analysis, best: Candidate, texts: Mapping[str, str]) -> bool:
    """Whether the best sentence says "with" of what the question is without, and nothing in its
    document says "without"."""
    text = texts.get(best.document_id, best.text)
    return is_turned(question.text, best.text) and any(
        not says_without(text, thing) for thing in excluded(question.text)
    )


def signals(
    question: Analysis, hits: Sequence[Hit], sentences: Sequence[Candidate], texts: Mapping[str, str] | None = None
) -> dict[str, float]:
    """Return what speaks for an answer, by name."""
    return {
        "cosine": max((hit.dense_score for hit in hits), default=0.0),
        "information": information(question, hits),
        "lead": lead([sentence.score for sentence in sentences]),
        "names": _names(question, hits),
        "unnamed": _unnamed(question, hits, sentences),
        "absent": _absent(question, hits, sentences, texts or {}),
        "crossed": float(_crossed(question, hits)),
        "whole": float(wanted(question.text) in (Wanted.ACTIONS, Wanted.ALL)),
    }


def given(values: Mapping[str, float]) -> float:
    """Return the nats that are not fitted."""
    return ASKS_WHOLE * values.get("whole", 0.0)


def probability(values: Mapping[str, float], fitted: NotFoundModel) -> float:
    """Return the chance that there is an answer."""
    logit = (
        fitted.coefficients["intercept"]
        + sum(fitted.coefficients.get(name, 0.0) * value for name, value in values.items())
        + given(values)
    )
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def match(question: Analysis, hits: Sequence[Hit]) -> float:
    """Return how well the best hit matches, by meaning and by words alike, whatever the fusion was:
    a confidence before any is fitted."""
    return max(((hit.dense_score + information(question, [hit])) / 2 for hit in hits), default=0.0)


def information(question: Analysis, hits: Sequence[Hit]) -> float:
    """Return how much of what the question's words could tell the best hit matches, in [0, 1]."""
    whole = INFORMATION * max(1, len(question.terms))
    return max((min(1.0, hit.bm25_score / whole) for hit in hits), default=0.0)


def lead(scores: Sequence[float]) -> float:
    """Return how far the best sentence stands above the mean of itself and the next ones, in nats.
    scores: best first."""
    best = scores[: NEXT + 1]
    return best[0] - sum(best) / len(best) if best else 0.0


def _names(question: Analysis, hits: Sequence[Hit]) -> float:
    if not hits:
        return 0.0
    best = hits[0].chunk.document_id
    text = "\n".join(f"{hit.chunk.title}\n{hit.chunk.text}" for hit in hits if hit.chunk.document_id == best)
    longest = sorted(question.sought, key=lambda called: len(called[0][0]))[-NAMES:]
    return sum(_named(called, text) for called in longest) / len(longest) if longest else 0.0


def _unnamed(question: Analysis, hits: Sequence[Hit], sentences: Sequence[Candidate]) -> float:
    """How rare the rarest word is that the best sentence and its title do not name, on Zipf's scale
    below RARE."""
    best = sentences[0] if sentences else None
    titles = {hit.chunk.title for hit in hits if best is not None and hit.chunk.document_id == best.document_id}
    return rarity(question.text, question.sought, "\n".join((*titles, best.text)) if best is not None else "")


def _absent(question: Analysis, hits: Sequence[Hit], sentences: Sequence[Candidate], texts: Mapping[str, str]) -> float:
    """Whether the question names a device, disease, place or the like that the best sentence's
    whole document does not; or asks about being without something, which the document nowhere
    is."""
    if not sentences:
        return 0.0
    own = [hit.chunk for hit in hits if hit.chunk.document_id == sentences[0].document_id]
    read = [texts[sentences[0].document_id]] if sentences[0].document_id in texts else [chunk.text for chunk in own]
    there = frozenset[int]().union(*(concepts_in(text) for text in {*read, *(chunk.title for chunk in own)}))
    unsaid = any(not any(says_without(text, thing) for text in read) for thing in excluded(question.text))
    return float(unsaid or names_another(question.text, there))


def _crossed(question: Analysis, hits: Sequence[Hit]) -> bool:
    """The best hit says that it is in another language than the question."""
    spoken = hits[0].chunk.metadata.language if hits else ""
    return bool(spoken) and question.language is not None and spoken != question.language


def _named(called: Called, text: str) -> float:
    """How surely the text has the word; a drug stands in the document of every hit that may
    answer."""
    word = called[0][0]
    return 1.0 if is_drug(folded(word)) else held(called, text) * min(1.0, len(word) / WHOLE)
