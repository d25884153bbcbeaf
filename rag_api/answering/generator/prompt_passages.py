"""hits + a question -> what the generator may quote, and where a span of what it was told stands.
Knows no database and no HTTP."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from rag_api.answering.generator import client as gen
from rag_api.domain import Candidate, Hit
from rag_api.retrieval.decision.calibration import VerbatimWeights
from rag_api.text.language import Language
from services.contract import wire

log = logging.getLogger(__name__)

CANDIDATES = 8  # sentences that the generator weighs
LONGEST = 20_000  # characters of a part of a document that it is shown with several of them


@dataclass(frozen=True, slots=True)
class PromptPassage:
    """A passage as the generator got it: `text == document_text[start:start + len(text)]`, but for
    what was read in doubt, which is blank (text/quotable/uncertain.py)."""

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
    writing: VerbatimWeights,
    texts: Mapping[str, str],
    max_tokens: int,
) -> tuple[gen.GeneratorRequest, tuple[PromptPassage, ...]]:
    """A request for the likeliest of these exact sentences (best first) of the hits' documents. All
    sentences of an answer come from one part of one document: two may be about different patients,
    and what one says first the other may take back."""
    homes = ((c, _home(c, hits, texts)) for c in sentences)
    apart: list[tuple[PromptPassage, list[Candidate]]] = []
    numbered: list[tuple[Candidate, int]] = []
    for candidate, home in islice(((c, home) for c, home in homes if home is not None), CANDIDATES):
        number = next((n for n, (at, own) in enumerate(apart) if at == home and _near([*own, candidate])), len(apart))
        if number == len(apart):
            apart.append((home, []))
        apart[number][1].append(candidate)
        numbered.append((candidate, number))
    passages = tuple(_around(own, home) if home.document_id in texts else home for home, own in apart)
    titles = {hit.chunk.document_id: hit.chunk.title for hit in hits}
    request = gen.GeneratorRequest(
        query,
        language,
        gen.passages_of([(titles[passage.document_id], passage.text) for passage in passages]),
        "verbatim",
        tuple(_candidate_in(c, passages[number], number) for c, number in numbered) or None,
        max_tokens,
        {
            "likelihood_weight": writing.likelihood_weight,
            "margin": writing.margin,
            "max_sentences": writing.sentences,
            "one_document": True,
        },
    )
    return request, passages


def _home(candidate: Candidate, hits: Sequence[Hit], texts: Mapping[str, str]) -> PromptPassage | None:
    """The text that the candidate is a part of: its document's, or where that is not at hand the
    chunk that holds it. None where no hit holds it, or where other words stand in its places, which
    are never quoted."""
    chunks = [hit.chunk for hit in hits if hit.chunk.document_id == candidate.document_id]
    homes = [PromptPassage(chunk.document_id, chunk.start, chunk.text) for chunk in chunks]
    if homes and candidate.document_id in texts:
        homes = [PromptPassage(candidate.document_id, 0, texts[candidate.document_id])]
    places = [*candidate.lead, (candidate.start, candidate.end)]
    inside = [home for home in homes if all(home.start <= a < b <= home.start + len(home.text) for a, b in places)]
    same = (
        home
        for home in inside
        if "".join(home.text[a - home.start : b - home.start] for a, b in places) == candidate.text
    )
    found = next(same, None)
    if inside and found is None:
        log.error("a sentence of document %s is not quoted: other words stand at %s", candidate.document_id, places)
    return found


def _near(chosen: Sequence[Candidate]) -> bool:
    start, end = _range(chosen)
    return end - start <= LONGEST


def _range(chosen: Sequence[Candidate]) -> tuple[int, int]:
    places = [place for c in chosen for place in (*c.lead, (c.start, c.end))]
    return min(a for a, _ in places), max(b for _, b in places)


def _around(chosen: Sequence[Candidate], home: PromptPassage) -> PromptPassage:
    """The part of the document that holds these candidates, with a character on either side: white
    space that parts them."""
    start, end = _range(chosen)
    start, end = max(0, start - 1), min(len(home.text), end + 1)
    return PromptPassage(home.document_id, start, home.text[start:end])


def _candidate_in(c: Candidate, passage: PromptPassage, number: int) -> wire.CandidateIn:
    lead = [wire.SpanIn(start=a - passage.start, end=b - passage.start) for a, b in c.lead]
    return wire.CandidateIn(
        document=str(number), start=c.start - passage.start, end=c.end - passage.start, lead=lead, score=c.score
    )
