"""question + hits -> the sentences that may stand in a verbatim answer. Knows no language model: its share comes later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rag_api.embed import Embedder
from rag_api.sentences import Kind, sentences
from rag_api.types import Candidate, Hit

# In nats; the generator adds its share of log p(question | sentence). Chosen on the validate half of the handbook's questions
# (docs/evaluation.md), for scores fused by information, whose spread among the hits is small.
SENTENCE_WEIGHT = 30.0  # times the cosine of question and "title: sentence"
PASSAGE_WEIGHT = 40.0  # times the hit's fused score


def candidates(
    question: str, hits: Sequence[Hit], embedder: Embedder, limit: int = 8, texts: Mapping[str, str] | None = None
) -> list[Candidate]:
    """The `limit` likeliest sentences of the hits, best first.

    Headings are left out (they answer nothing); text that two overlapping chunks share counts once, in the better hit.
    `texts` (document id -> document text) tells where sentences begin that a chunk's border cuts; without it a sentence
    cut by a border is taken only when nothing else is there.
    """
    found = _sentences(hits, texts or {})
    if not found:
        return []
    lines = [f"{hits[c.passage].chunk.title}: {c.text.strip()}" for c in found]
    cosines = embedder.passages(lines) @ embedder.query(question)
    scores = SENTENCE_WEIGHT * cosines + PASSAGE_WEIGHT * np.array([hits[c.passage].score for c in found])
    best = np.argsort(-scores, kind="stable")[:limit]
    return [Candidate(c.passage, c.start, c.end, c.text, float(scores[i])) for i in best for c in [found[i]]]


def _sentences(hits: Sequence[Hit], texts: Mapping[str, str]) -> list[Candidate]:
    """Every answerable sentence once, whole ones if there are any; scores not yet known."""
    whole: list[Candidate] = []
    cut: list[Candidate] = []
    taken: set[tuple[str, int, int]] = set()
    for passage, hit in enumerate(hits):
        chunk = hit.chunk
        text = texts.get(chunk.document_id)
        base = 0 if text is not None else chunk.start
        for span in sentences(chunk.text if text is None else text):
            start, end = span.start + base - chunk.start, span.end + base - chunk.start
            inside = start >= 0 and end <= len(chunk.text)
            key = (chunk.document_id, span.start + base, span.end + base)
            if not inside or span.kind == Kind.HEADING or key in taken or not chunk.text[start:end].strip():
                continue
            taken.add(key)
            fragment = text is None and _may_be_cut(chunk.text, start, end, chunk.start)
            (cut if fragment else whole).append(Candidate(passage, start, end, chunk.text[start:end], 0.0))
    return whole or cut


def _may_be_cut(text: str, start: int, end: int, chunk_start: int) -> bool:
    """The border of the chunk may run through this sentence."""
    begins_late = start == 0 and chunk_start > 0 and text[:1].isalnum() and not text[:1].isupper()
    ends_early = end == len(text) and not text.rstrip().endswith((".", "!", "?", "…", ":", ";")) and not text.endswith("\n")
    return begins_late or ends_early
