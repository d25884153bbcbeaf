"""Hits and their sentences -> what a reader is told of them, and back."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag_api.domain import Candidate, Hit
from rag_api.errors import Unavailable
from rag_api.retrieval.reader_model.reader import PassageJudgement, PassageReader, ReaderPassage
from rag_api.retrieval.sentence_scorer import Scored

log = logging.getLogger(__name__)
UNREAD = -12.0  # log-odds of a sentence that the reader did not see


@dataclass(frozen=True, slots=True)
class ReaderScores:
    """What a reader makes of a question's hits. `spans`: log-odds for each sentence, in their
    order, that it is what answers."""

    answers: float  # of the best passage
    spans: tuple[float, ...]

    def signals(self, first: int) -> dict[str, float]:
        """Return what they say for the decision; first: which sentence would be quoted first."""
        return {"reader": self.answers, "reader_span": self.spans[first]}


def read(
    question: str, hits: Sequence[Hit], sentences: Sequence[Candidate], reader: PassageReader
) -> ReaderScores | None:
    """None when there is nothing to read, or nobody who reads: then what holds without a reader
    holds."""
    pairs = passages_of(hits, sentences)
    if not sentences:
        return None
    try:
        judged = reader.judge(question, [passage for passage, _ in pairs])
    except Unavailable as error:
        log.warning("the passages are not read: %s", error.message)
        return None
    return joined([members for _, members in pairs], judged, len(sentences))


def joined(members: Sequence[Sequence[int]], judged: Sequence[PassageJudgement], count: int) -> ReaderScores:
    """members: for each passage, which of the `count` sentences are its spans."""
    spans = [UNREAD] * count
    for own, judgement in zip(members, judged, strict=True):
        for number, odds in zip(own, judgement.span_log_odds(), strict=True):
            spans[number] = max(UNREAD, odds)
    return ReaderScores(max((judgement.answers for judgement in judged), default=UNREAD), tuple(spans))


def rescored(scored: Sequence[Scored], read: ReaderScores, weight: float) -> tuple[list[Scored], ReaderScores]:
    """Return the sentences by their score and the reader's, best first, and what was read in that
    order."""
    scores = [one.candidate.score + weight * odds for one, odds in zip(scored, read.spans, strict=True)]
    order = sorted(range(len(scored)), key=lambda number: -scores[number])
    found = [
        replace(scored[number], candidate=replace(scored[number].candidate, score=scores[number])) for number in order
    ]
    return found, replace(read, spans=tuple(read.spans[number] for number in order))


def passages_of(hits: Sequence[Hit], sentences: Sequence[Candidate]) -> list[tuple[ReaderPassage, tuple[int, ...]]]:
    """Return for each hit its passage and which of the sentences are its spans, in the order of the
    spans. A list of the hit's document that was not found itself stands in none."""
    own: dict[int, list[int]] = {hit.rank: [] for hit in hits}
    chunks = {hit.rank: hit.chunk for hit in hits}
    for number, sentence in enumerate(sentences):
        if sentence.start < chunks[sentence.rank].end and sentence.end > chunks[sentence.rank].start:
            own[sentence.rank].append(number)
    return [(_passage(hit, [sentences[number] for number in own[hit.rank]]), tuple(own[hit.rank])) for hit in hits]


def _passage(hit: Hit, sentences: Sequence[Candidate]) -> ReaderPassage:
    chunk = hit.chunk
    # A sentence may stick out of its passage; what a reader cannot see, it cannot judge.
    spans = tuple((max(s.start, chunk.start) - chunk.start, min(s.end, chunk.end) - chunk.start) for s in sentences)
    return ReaderPassage(chunk.title, _heading(hit, sentences), chunk.text, spans)


def _heading(hit: Hit, sentences: Sequence[Candidate]) -> str:
    """What the first sentence must not be read without and the passage does not hold: the text of
    its lead, as far as it stands before."""
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
