"""question + hits -> the sentences that may stand in a verbatim answer. Knows no language model:
its share comes later.

A sentence is weighed by what it means (the embedder's cosine), by how well its passage was found,
by whether its ranges hold for the question's numbers, and by how many of the question's words it
holds that its title does not. The weights were fitted on the validate half of judged questions
(calibration.py has them, by embedder).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import Candidate, Hit
from rag_api.embed import Embedder
from rag_api.embed.vector_cache import halved
from rag_api.query.analysis import Analysis
from rag_api.query.question_parts import Wanted, wanted
from rag_api.retrieval.decision.calibration import SentenceWeights
from rag_api.text.blocks import names_in
from rag_api.text.quotable.prompt_injection import speaks_to_a_machine
from rag_api.text.quotable.quotable_spans import Quotable, quotable_of
from rag_api.text.quotable.uncertain import Places, is_certain
from rag_api.text.ranges import fits, fits_age
from rag_api.text.sentence_splitter import LineKind
from rag_api.text.word_match import coverage

MOSTLY = 0.5  # share of a sentence that must stand in the passage: its border may cut the rest


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate and what its score is made of, in the order of FEATURES."""

    candidate: Candidate
    features: tuple[float, ...]
    title: str  # of its document


def scored_sentences(
    question: Analysis,
    hits: Sequence[Hit],
    embedder: Embedder,
    weights: SentenceWeights,
    texts: Mapping[str, str] | None = None,
    uncertain: Mapping[str, Places] | None = None,
    structures: Mapping[str, str] | None = None,
) -> list[Scored]:
    """Return all sentences of the hits, best first. `texts`: document id -> its text; without it a
    chunk is all there is of its document, and a sentence that its border cuts is taken only when
    there is nothing else. `uncertain`: document id -> what of its text was read in doubt, which is
    never quoted. `structures`: document id -> its blocks, packed."""
    actions = wanted(question.text) == Wanted.ACTIONS
    found = _sentences(hits, texts or {}, uncertain or {}, structures or {}, actions=actions)
    if not found:
        return []
    best = {hit.rank: hit for hit in hits}
    lines = [_line(best[c.rank].chunk.title, c.text) for c in found]
    cosines = halved(embedder.passages(lines)) @ _meant(question, embedder)
    scored = []
    for one, cosine in zip(found, cosines.tolist(), strict=True):
        hit = best[one.rank]
        features = (cosine, hit.score, float(fit_of(question, one)), _covers(question, hit.chunk.title, one.text))
        scored.append(Scored(replace(one, score=weights.score(features)), features, hit.chunk.title))
    return sorted(scored, key=lambda s: -s.candidate.score)


def _meant(question: Analysis, embedder: Embedder) -> NDArray[np.float32]:
    """The question's vector; of a follow-up between what it means and what it says: its new words
    weigh more than what they lean on."""
    vector = embedder.query(question.meant)
    if not question.said:
        return vector
    between = vector + embedder.query(question.said)
    return np.asarray(between / max(float(np.linalg.norm(between)), 1e-9), np.float32)


def fit_of(question: Analysis, one: Candidate) -> int:
    """Whether its ranges hold for the question's numbers; of a row that says nothing of them,
    whether whom it is for are of that age."""
    return fits(question.numbers, one.text) or (fits_age(question.numbers, one.case) if one.is_row else 0)


def _covers(question: Analysis, title: str, text: str) -> float:
    """The share of the question's words that the text holds; of a follow-up, half of it that of its
    new words."""
    whole = coverage(question.sought, title, text)
    return (whole + coverage(question.fresh, "", text)) / 2 if question.fresh else whole


def lines_of(title: str, text: str, structure: str = "") -> list[str]:
    """What is embedded of all that may be quoted of a text: what `scored_sentences` will ask the
    embedder for."""
    return list(dict.fromkeys(_line(title, _words(text, quote)) for quote in quotable_of(text, structure)))


def _line(title: str, words_of: str) -> str:
    return f"{title}: {words_of.strip()}"


def _words(text: str, quote: Quotable) -> str:
    return "".join(text[a:b] for a, b in (*quote.lead, (quote.start, quote.end)))


def _sentences(
    hits: Sequence[Hit],
    texts: Mapping[str, str],
    uncertain: Mapping[str, Places],
    structures: Mapping[str, str],
    *,
    actions: bool,
) -> list[Candidate]:
    """Every sentence once, in the best hit that holds it; scores not yet known. `actions`: where a
    question asks what to do, the lists of the best document are among them wherever they stand:
    they need not speak of what happened."""
    whole: list[Candidate] = []
    cut: list[Candidate] = []
    taken: set[tuple[str, int, int]] = set()
    for hit in hits:
        chunk = hit.chunk
        text = texts.get(chunk.document_id)
        base = 0 if text is not None else chunk.start
        source = chunk.text if text is None else text
        structure = structures.get(chunk.document_id, "") if text is not None else ""
        doubt = uncertain.get(chunk.document_id, ())
        names = names_in(source, structure) if doubt and text is not None else ()
        for quote in quotable_of(source, structure):
            start, end = quote.start + base, quote.end + base
            inside = min(end, chunk.end) - max(start, chunk.start)
            key = (chunk.document_id, start, end)
            named = actions and chunk.document_id == hits[0].chunk.document_id and quote.kind == LineKind.ITEM
            if (inside < MOSTLY * (end - start) and not named) or key in taken:
                continue
            words_of = _words(source, quote)
            if words_of.strip().casefold() == chunk.title.strip().casefold():
                continue
            if not is_certain(quote, doubt, base, names) or speaks_to_a_machine(source, quote):
                continue
            taken.add(key)
            lead = tuple((a + base, b + base) for a, b in quote.lead)
            fragment = text is None and _may_be_cut(source, quote, chunk.start)
            (cut if fragment else whole).append(Candidate(chunk.document_id, start, end, lead, words_of, 0.0, hit.rank))
    return whole or cut


def _may_be_cut(text: str, quote: Quotable, chunk_start: int) -> bool:
    """The border of the chunk may run through this sentence."""
    begins_late = quote.start == 0 and chunk_start > 0 and text[:1].isalnum() and not text[:1].isupper()
    ends_early = (
        quote.end == len(text)
        and not text.rstrip().endswith((".", "!", "?", "…", ":", ";"))
        and not text.endswith("\n")
    )
    return begins_late or ends_early
