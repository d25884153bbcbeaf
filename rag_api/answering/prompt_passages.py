"""hits + a question -> what the generator may quote, and where a span of what it was told stands. Knows no database and no HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag_api.answering import generator_client as gen
from rag_api.domain import Candidate, Hit
from rag_api.retrieval.calibration import Verbatim
from rag_api.text.language import Language
from services.contract import wire

CANDIDATES = 8  # sentences that the generator weighs


@dataclass(frozen=True, slots=True)
class PromptPassage:
    """A passage as the generator got it: `text == document_text[start:start + len(text)]`, but for what was read in doubt, which is blank
    (text/uncertain.py)."""

    document_id: str
    start: int
    text: str


def passages_of_hits(hits: Sequence[Hit]) -> tuple[PromptPassage, ...]:
    """The hits' chunks, as an answer in a model's own words is written from."""
    return tuple(PromptPassage(hit.chunk.document_id, hit.chunk.start, hit.chunk.text) for hit in hits)


def to_quote(
    query: str,
    language: Language,
    hits: Sequence[Hit],
    sentences: Sequence[Candidate],
    writing: Verbatim,
    texts: Mapping[str, str],
    max_tokens: int,
) -> tuple[gen.Request, tuple[PromptPassage, ...]]:
    """A request for the likeliest of these exact sentences (best first) of the hits' documents. All sentences of an answer come from one
    document: two documents may be about different patients, and what one says first the other may take back."""
    documents = {hit.chunk.document_id for hit in hits}
    chosen = [c for c in sentences if c.document_id in documents][:CANDIDATES]
    ranked = {hit.rank: hit for hit in hits}
    # A document whose text is not at hand is told by the chunk.
    homes = [(c.document_id, 0 if c.document_id in texts else c.rank) for c in chosen]
    number = {home: index for index, home in enumerate(dict.fromkeys(homes))}
    passages = tuple(
        _around([c for c, its in zip(chosen, homes, strict=True) if its == home], ranked, texts.get(home[0])) for home in number
    )
    titles = {hit.chunk.document_id: hit.chunk.title for hit in hits}
    request = gen.Request(
        query,
        language,
        gen.passages_of([(titles[passage.document_id], passage.text) for passage in passages]),
        "verbatim",
        tuple(_candidate_in(c, passages[number[home]], number[home]) for c, home in zip(chosen, homes, strict=True)) or None,
        max_tokens,
        {
            "likelihood_weight": writing.likelihood_weight,
            "margin": writing.margin,
            "max_sentences": writing.sentences,
            "one_document": True,
        },
    )
    return request, passages


def _around(chosen: Sequence[Candidate], ranked: Mapping[int, Hit], text: str | None) -> PromptPassage:
    """The part of the document that holds these candidates, with a character on either side: white space that parts them."""
    if text is None:
        chunk = ranked[chosen[0].rank].chunk
        return PromptPassage(chunk.document_id, chunk.start, chunk.text)
    places = [place for c in chosen for place in (*c.lead, (c.start, c.end))]
    start, end = max(0, min(a for a, _ in places) - 1), min(len(text), max(b for _, b in places) + 1)
    return PromptPassage(chosen[0].document_id, start, text[start:end])


def _candidate_in(c: Candidate, passage: PromptPassage, number: int) -> wire.CandidateIn:
    lead = [wire.SpanIn(start=a - passage.start, end=b - passage.start) for a, b in c.lead]
    return wire.CandidateIn(document=str(number), start=c.start - passage.start, end=c.end - passage.start, lead=lead, score=c.score)
