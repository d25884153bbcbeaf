"""Sentences that a verbatim answer may quote: spans of the passages, with tokens that read as
exactly their characters."""

from __future__ import annotations

import re
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol

from services.contract.wire import CandidateIn
from services.generator.errors import BadRequest
from services.generator.types import Passage

_SENTENCE = re.compile(r"[^\n]+?(?:[.!?][\"')\]]*(?=\s+[\"'(\[]?[^\W_a-zß-ÿ])|(?=\n)|\Z)\s?")
_WORD = re.compile(r"\w+")
_TELLS_APART = re.compile(r"\d|(?:niet|geen|nooit|zonder|not|no|never|without)$")
NEARLY = 0.8  # share of common words from which two sentences with the same numbers say the same

Place = tuple[int, int]  # characters [start, end) of the passage


class ExactCodec(Protocol):
    """What makes tokens of a quote; a model's Codec is one."""

    def encode_exactly(self, text: str, inside: bool = False) -> list[int] | None: ...


class Form(NamedTuple):
    """One way to write a quote: what is written, in order, and its tokens."""

    places: tuple[Place, ...]
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence with what leads it in, white space after it included where there is any."""

    passage: int
    start: int  # of the sentence itself, without its lead
    end: int
    lead: tuple[Place, ...]
    prior: float
    text: str  # of the whole
    # by (with the white space before it in front, without its lead); what cannot be is absent
    forms: dict[tuple[bool, bool], Form]

    @property
    def closed(self) -> bool:
        """Whether another sentence can follow directly."""
        return self.text[-1].isspace()

    def form(self, led: bool, brief: bool) -> Form | None:
        """Return the form; None when nothing in the source would part it from the sentence
        before."""
        return self.forms.get((led, brief and bool(self.lead)))


def split_sentences(passages: Seq[Passage]) -> list[CandidateIn]:
    """Split into every line's sentences, by a plain rule. rag_api names better ones: its splitter
    knows clinical abbreviations."""
    sentences = []
    for passage in passages:
        for match in _SENTENCE.finditer(passage.text):
            if match[0].strip():
                sentences.append(CandidateIn(document=passage.id, start=match.start(), end=match.end(), score=0.0))
    return sentences


def to_quote(candidate: CandidateIn, codec: ExactCodec, passages: Seq[Passage]) -> Quote | None:
    """Make a quote.

    None when its tokens would not read as exactly its characters (no such vocabulary is known),
    when it is blank, and when nothing would part its lead from it."""
    number = next((n for n, passage in enumerate(passages) if passage.id == candidate.document), None)
    if number is None:
        raise BadRequest(f"a candidate names the document {candidate.document!r}, which is not among the documents")
    source = passages[number].text
    _check(candidate, source)
    body = _trimmed(source, candidate.start, candidate.end)
    lead = [_trimmed(source, span.start, span.end) for span in candidate.lead]
    places = [place for place in lead if place is not None]
    if body is None or any(not source[end - 1].isspace() for _, end in places):
        return None
    forms = {}
    for brief in (False, True) if places else (False,):
        written = _joined([body] if brief else [*places, body])
        for led in (False, True):
            form = _form(codec, source, written, led)
            if form is not None:
                forms[led, brief] = form
    if (False, False) not in forms:
        return None
    text = "".join(source[start:end] for start, end in forms[False, False].places)
    return Quote(number, *body, tuple(places), candidate.score, text, forms)


def _check(candidate: CandidateIn, source: str) -> None:
    spans = [*candidate.lead, candidate]
    if not all(span.start < span.end <= len(source) for span in spans):
        where = f"candidate {candidate.start}:{candidate.end}"
        raise BadRequest(
            f"{where} or its lead is no span of document {candidate.document!r}, which has {len(source)} characters"
        )
    if any(span.end > other.start for span, other in pairwise(spans)):
        raise BadRequest(
            f"the lead of candidate {candidate.start}:{candidate.end} does not come before it, in the document's order"
        )


def _trimmed(source: str, start: int, end: int) -> Place | None:
    """Take it without white space before it, with one character of it after it; None: blank."""
    while start < end and source[start].isspace():
        start += 1
    if start == end:
        return None
    if not source[end - 1].isspace() and end < len(source) and source[end].isspace():
        end += 1
    return start, end


def _joined(places: Seq[Place]) -> tuple[Place, ...]:
    """Join what follows each other in the source into one place; what white space was shared is not
    written twice."""
    joined: list[Place] = []
    for start, end in places:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


def _form(codec: ExactCodec, source: str, places: tuple[Place, ...], led: bool) -> Form | None:
    start = places[0][0]
    if led:
        if not start or not source[start - 1].isspace():
            return None
        places = ((start - 1, places[0][1]), *places[1:])
    ids = codec.encode_exactly("".join(source[a:b] for a, b in places), inside=led)
    return None if ids is None else Form(places, tuple(ids))


def overlap(quote: Quote, other: Quote) -> bool:
    """Say whether they have the same words or nearly so, or parts of one place. A lead that both
    have is no overlap: it is written once."""
    if quote.passage == other.passage:
        for a, b in ((quote, other), (other, quote)):
            if any(a.start < end and start < a.end for start, end in (*b.lead, (b.start, b.end))):
                return True
    return same_words(quote, other)


def same_words(quote: Quote, other: Quote) -> bool:
    """Compare, nearly: those that differ in a number or in a word that negates are different
    sentences."""
    first, second = _words(quote), _words(other)
    if first == second:
        return True
    if [w for w in first if _TELLS_APART.match(w)] != [w for w in second if _TELLS_APART.match(w)]:
        return False
    common, either = set(first) & set(second), set(first) | set(second)
    return len(common) >= NEARLY * len(either)


def _words(quote: Quote) -> list[str]:
    """List those of the sentence itself; its lead may be another's too."""
    body = quote.text[len(quote.text) - (quote.end - quote.start) :]
    return _WORD.findall(body.casefold()) or body.split()


def before(quote: Quote, other: Quote) -> bool:
    return quote.passage == other.passage and quote.start < other.start
