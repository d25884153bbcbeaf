"""question + hits -> the sentences that may stand in a verbatim answer. Knows no language model: its share comes later.

A sentence is weighed by what it means (the embedder's cosine), by how well its passage was found, by whether its ranges hold for the
question's numbers, and by how many of the question's words it holds that its title does not. The weights were fitted on the validate
half of judged questions (calibration.py has them, by embedder).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag_api.domain import Candidate, Hit
from rag_api.embed import Embedder
from rag_api.embed.kept import halved
from rag_api.query.analysis import Analysis
from rag_api.retrieval.calibration import FEATURES, Weights
from rag_api.text.quotable_spans import Quotable, quotable
from rag_api.text.ranges import fits
from rag_api.text.uncertain import Places, is_certain
from rag_api.text.word_match import coverage

VERSION = 1  # one more whenever `lines_of` gives other lines of the same quotes (tests/rag_api/test_rule_versions.py)
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
    weights: Weights,
    texts: Mapping[str, str] | None = None,
    uncertain: Mapping[str, Places] | None = None,
) -> list[Scored]:
    """Return all sentences of the hits, best first. `texts`: document id -> its text; without it a chunk is all there is of its document,
    and a sentence that its border cuts is taken only when there is nothing else. `uncertain`: document id -> what of its text was read in
    doubt, which is never quoted."""
    found = _sentences(hits, texts or {}, uncertain or {})
    if not found:
        return []
    best = {hit.rank: hit for hit in hits}
    lines = [_line(best[c.rank].chunk.title, c.text) for c in found]
    cosines = halved(embedder.passages(lines)) @ embedder.query(question.text)
    scored = []
    for one, cosine in zip(found, cosines.tolist(), strict=True):
        hit = best[one.rank]
        features = (cosine, hit.score, float(fits(question.numbers, one.text)), coverage(question.sought, hit.chunk.title, one.text))
        score = sum(weights.of(name) * value for name, value in zip(FEATURES, features, strict=True))
        scored.append(
            Scored(Candidate(one.document_id, one.start, one.end, one.lead, one.text, score, one.rank), features, hit.chunk.title)
        )
    return sorted(scored, key=lambda s: -s.candidate.score)


def lines_of(title: str, text: str) -> list[str]:
    """What is embedded of all that may be quoted of a text: what `scored_sentences` will ask the embedder for."""
    return list(dict.fromkeys(_line(title, _words(text, quote)) for quote in quotable(text)))


def _line(title: str, words_of: str) -> str:
    return f"{title}: {words_of.strip()}"


def _words(text: str, quote: Quotable) -> str:
    return "".join(text[a:b] for a, b in (*quote.lead, (quote.start, quote.end)))


def _sentences(hits: Sequence[Hit], texts: Mapping[str, str], uncertain: Mapping[str, Places]) -> list[Candidate]:
    """Every sentence once, in the best hit that holds it; scores not yet known."""
    whole: list[Candidate] = []
    cut: list[Candidate] = []
    taken: set[tuple[str, int, int]] = set()
    for hit in hits:
        chunk = hit.chunk
        text = texts.get(chunk.document_id)
        base = 0 if text is not None else chunk.start
        source = chunk.text if text is None else text
        for quote in _quotable(source):
            start, end = quote.start + base, quote.end + base
            inside = min(end, chunk.end) - max(start, chunk.start)
            key = (chunk.document_id, start, end)
            words_of = _words(source, quote)
            if inside < MOSTLY * (end - start) or key in taken or words_of.strip().casefold() == chunk.title.strip().casefold():
                continue
            if not is_certain(quote, uncertain.get(chunk.document_id, ()), base):
                continue
            taken.add(key)
            lead = tuple((a + base, b + base) for a, b in quote.lead)
            fragment = text is None and _may_be_cut(source, quote, chunk.start)
            (cut if fragment else whole).append(Candidate(chunk.document_id, start, end, lead, words_of, 0.0, hit.rank))
    return whole or cut


@lru_cache(maxsize=512)
def _quotable(text: str) -> tuple[Quotable, ...]:
    """A document is cut once, not at every question."""
    return tuple(quotable(text))


def _may_be_cut(text: str, quote: Quotable, chunk_start: int) -> bool:
    """The border of the chunk may run through this sentence."""
    begins_late = quote.start == 0 and chunk_start > 0 and text[:1].isalnum() and not text[:1].isupper()
    ends_early = quote.end == len(text) and not text.rstrip().endswith((".", "!", "?", "…", ":", ";")) and not text.endswith("\n")
    return begins_late or ends_early
