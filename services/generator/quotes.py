"""Sentences that a verbatim answer may quote: spans of the passages, with tokens that read as exactly their characters."""

from __future__ import annotations

import re
from collections.abc import Sequence as Seq
from dataclasses import dataclass

from services.generator.codec import Codec
from services.generator.errors import BadRequest
from services.generator.types import Passage
from services.generator.wire import CandidateIn

_SENTENCE = re.compile(r"[^\n]+?(?:[.!?][\"')\]]*(?=\s+[\"'(\[]?[^\W_a-zß-ÿ])|(?=\n)|\Z)\s?")


@dataclass(frozen=True, slots=True)
class Quote:
    """passages[passage].text[start:end], white space after it included where there is any."""

    passage: int
    start: int
    end: int
    prior: float
    text: str
    ids: tuple[int, ...]
    lead: int  # characters of white space before it in the passage
    led_ids: tuple[int, ...]  # with that white space in front; empty when there is none

    @property
    def closed(self) -> bool:
        """Whether another sentence can follow directly."""
        return self.text[-1].isspace()


def split_sentences(passages: Seq[Passage]) -> list[CandidateIn]:
    """Every line's sentences, by a plain rule. rag_api names better ones: its splitter knows clinical abbreviations."""
    found = []
    for passage in passages:
        for match in _SENTENCE.finditer(passage.text):
            if match[0].strip():
                found.append(CandidateIn(document=passage.id, start=match.start(), end=match.end(), score=0.0))
    return found


def to_quote(candidate: CandidateIn, codec: Codec, passages: Seq[Passage]) -> Quote | None:
    """None when its tokens would not read as exactly its characters (no such vocabulary is known) or it is blank."""
    number = next((n for n, passage in enumerate(passages) if passage.id == candidate.document), None)
    if number is None:
        raise BadRequest(f"a candidate names the document {candidate.document!r}, which is not among the documents")
    source = passages[number].text
    start, end = candidate.start, candidate.end
    if not start < end <= len(source):
        raise BadRequest(f"candidate {start}:{end} is no span of document {candidate.document!r}, which has {len(source)} characters")
    while start < end and source[start].isspace():
        start += 1
    if start == end:
        return None
    if not source[end - 1].isspace() and end < len(source) and source[end].isspace():
        end += 1
    lead = 1 if start and source[start - 1].isspace() else 0
    ids = codec.encode_exactly(source[start:end])
    led = codec.encode_exactly(source[start - 1 : end], inside=True) if lead else None
    if ids is None:
        return None
    return Quote(number, start, end, candidate.score, source[start:end], tuple(ids), lead if led else 0, tuple(led or ()))


def overlap(one: Quote, other: Quote) -> bool:
    """The same words, or parts of the same place."""
    return one.text.split() == other.text.split() or (one.passage == other.passage and one.start < other.end and other.start < one.end)


def before(one: Quote, other: Quote) -> bool:
    return one.passage == other.passage and one.start < other.start
