"""Verbatim answers without a model: the sentences that retrieval weighed, chosen as `trie.py` has a
model's engine choose them.

Where no model's likelihood counts, the engine's choice follows from the sentences' weights alone;
this makes the same choice, character by character instead of token by token. Knows no HTTP, and
needs no torch.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass

from services.contract import wire
from services.generator.errors import BadRequest
from services.generator.types import CopySpan, Passage
from services.generator.verbatim.text import QuoteSpans
from services.generator.verbatim.trie import Verbatim, VerbatimPreparation, prepare

END = 0x110000  # no character
LONGEST = 1 << 20  # characters of an answer


class Characters:
    """Codec whose tokens are characters."""

    def encode_exactly(self, text: str, inside: bool = False) -> list[int]:
        return [ord(character) for character in text]


@dataclass(frozen=True, slots=True)
class Quoted:
    """spans: cover `text` without a gap, in order."""

    text: str
    spans: tuple[CopySpan, ...]
    weighed: Verbatim


def quoted(ask: wire.ChatRequest) -> Quoted:
    """Raises BadRequest for what needs a model, and where nothing can be quoted."""
    options = ask.bedside
    if options.mode != "verbatim":
        raise BadRequest("this service has no model: it quotes (bedside.mode verbatim) and writes nothing")
    if options.likelihood_weight or options.candidates is None:
        raise BadRequest(
            "this service has no model: sentences must be weighed already (candidates, and a likelihood_weight of 0)"
        )
    passages = tuple(Passage(document.id, document.title, document.text) for document in ask.documents)
    preparation = prepare(ask, Characters(), passages)
    weighed = preparation.weighed(None, END)
    _write(weighed)
    return Quoted(*_read(preparation, weighed, passages), weighed)


def _write(weighed: Verbatim) -> None:
    """All of the heaviest continuation, as at temperature 0."""
    for character in weighed.draft(END, LONGEST).token_ids[1:]:
        weighed.advance(character)


def _read(
    preparation: VerbatimPreparation, weighed: Verbatim, passages: Seq[Passage]
) -> tuple[str, tuple[CopySpan, ...]]:
    """What was written, without the white space behind it, and where each part stands."""
    written = [
        (passages[weighed.quotes[one.quote].passage].text, place)
        for one in weighed.state.written
        for place in one.places
    ]
    text = "".join(source[start:end] for source, (start, end) in written)
    spans = QuoteSpans(preparation, passages)
    spans.feed(text)
    shown = text.rstrip()
    return shown, tuple(spans.finish(len(shown)))
