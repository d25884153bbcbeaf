"""question + hits -> the sentences that may stand in a verbatim answer. Knows no language model: its share comes later.

A sentence is weighed by what it means (the embedder's cosine), by how well its passage was found, by whether its ranges hold for the
question's numbers, and by how many of the question's words it holds that its title does not. The weights were fitted on the validate
half of judged questions (calibration.py has them, by embedder).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag_api.domain import Candidate, Hit
from rag_api.embed import Embedder
from rag_api.embed.kept import halved
from rag_api.retrieval.calibration import FEATURES, Weights
from rag_api.text.bm25_analyzer import STOP_WORDS, words
from rag_api.text.quotable_spans import Quotable, quotable
from rag_api.text.ranges import asked, fits

VERSION = 1  # one more whenever `lines_of` gives other lines of the same quotes (tests/rag_api/test_rule_versions.py)
MOSTLY = 0.5  # share of a sentence that must stand in the passage: its border may cut the rest
ALIKE = 0.6  # overlap of their runs of three characters from which two words are taken for one: "trombo's", "kathter"
_STOP = STOP_WORDS["nl"] | STOP_WORDS["en"]

Expand = Callable[[str], Sequence[str]]
Called = tuple[tuple[str, ...], ...]  # the names of a word, each of one or more words; the first is the word itself


def as_typed(word: str) -> Sequence[str]:
    """No other names."""
    return ()


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate and what its score is made of, in the order of FEATURES."""

    candidate: Candidate
    features: tuple[float, ...]
    title: str  # of its document


def scored_sentences(
    question: str,
    hits: Sequence[Hit],
    embedder: Embedder,
    weights: Weights,
    texts: Mapping[str, str] | None = None,
    expand: Expand = as_typed,
) -> list[Scored]:
    """All sentences of the hits, best first. `texts`: document id -> its text; without it a chunk is all there is of its document,
    and a sentence that its border cuts is taken only when there is nothing else. `expand`: what else a word is called."""
    found = _sentences(hits, texts or {})
    if not found:
        return []
    best = {hit.rank: hit for hit in hits}
    lines = [_line(best[c.rank].chunk.title, c.text) for c in found]
    cosines = halved(embedder.passages(lines)) @ embedder.query(question)
    numbers, sought = asked(question), sought_words(question, expand)
    scored = []
    for one, cosine in zip(found, cosines.tolist(), strict=True):
        hit = best[one.rank]
        features = (cosine, hit.score, float(fits(numbers, one.text)), coverage(sought, hit.chunk.title, one.text))
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


def _sentences(hits: Sequence[Hit], texts: Mapping[str, str]) -> list[Candidate]:
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


def content_words(question: str) -> list[str]:
    return [word for word in dict.fromkeys(words(question)) if word not in _STOP]


def sought_words(question: str, expand: Expand) -> list[Called]:
    """The question's content words, each with what else it is called."""
    return [((word,), *(tuple(other) for one in expand(word) if (other := content_words(one)))) for word in content_words(question)]


def coverage(sought: Sequence[Called], title: str, text: str) -> float:
    """How well the text holds the words that its title does not, in [0, 1]: all of a document's sentences share the title."""
    own = [called for called in sought if held(called, title) < ALIKE]
    return sum(held(called, text) for called in own) / len(own) if own else 0.0


def held(called: Called, text: str) -> float:
    """How surely the text has the word, by any of its names, in [0, 1]."""
    return max(sum(likeness(word, text) for word in name) / len(name) for name in called)


def likeness(word: str, text: str) -> float:
    """Of the text's word that is most like it, by common runs of three characters, in [0, 1]."""
    runs = _runs(word)
    return max((2 * len(runs & other) / (len(runs) + len(other)) for other in _all_runs(text)), default=0.0)


@lru_cache(maxsize=4096)
def _all_runs(text: str) -> tuple[frozenset[str], ...]:
    return tuple(_runs(word) for word in set(words(text)))


@lru_cache(maxsize=100_000)
def _runs(word: str) -> frozenset[str]:
    marked = f"^{word}$"
    return frozenset(marked[i : i + 3] for i in range(max(1, len(marked) - 2)))
