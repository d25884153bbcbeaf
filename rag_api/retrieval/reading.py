"""Hits and their sentences -> what a reader is told of them, and back."""

from __future__ import annotations

from collections.abc import Sequence

from rag_api.domain import Candidate, Hit
from rag_api.retrieval.reader import Passage


def passages_of(hits: Sequence[Hit], sentences: Sequence[Candidate]) -> list[tuple[Passage, tuple[int, ...]]]:
    """Return for each hit its passage and which of the sentences are its spans, in the order of the spans."""
    own: dict[int, list[int]] = {hit.rank: [] for hit in hits}
    for number, sentence in enumerate(sentences):
        own[sentence.rank].append(number)
    return [(_passage(hit, [sentences[number] for number in own[hit.rank]]), tuple(own[hit.rank])) for hit in hits]


def _passage(hit: Hit, sentences: Sequence[Candidate]) -> Passage:
    chunk = hit.chunk
    # A sentence may stick out of its passage; what a reader cannot see, it cannot judge.
    spans = tuple((max(s.start, chunk.start) - chunk.start, min(s.end, chunk.end) - chunk.start) for s in sentences)
    return Passage(chunk.title, _heading(hit, sentences), chunk.text, spans)


def _heading(hit: Hit, sentences: Sequence[Candidate]) -> str:
    """What the first sentence must not be read without and the passage does not hold: the text of its lead, as far as it stands before."""
    first = min(sentences, key=lambda s: s.start, default=None)
    if first is None:
        return ""
    outside = [part for part in _lead_parts(first) if part not in hit.chunk.text]
    return "\n".join(outside)


def _lead_parts(sentence: Candidate) -> list[str]:
    """The words of its lead; `text` begins with them."""
    parts, at = [], 0
    for start, end in sentence.lead:
        parts.append(sentence.text[at : at + end - start].strip())
        at += end - start
    return parts
