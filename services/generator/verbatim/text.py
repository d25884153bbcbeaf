"""The text and the provenance of a verbatim answer: both follow from the sentences that were
chosen."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from typing import TYPE_CHECKING

from services.generator.text.answer_text import AnswerText, Delta
from services.generator.types import CopySpan, Passage
from services.generator.verbatim.quotes import Place
from services.generator.verbatim.trie import VerbatimPreparation, WrittenSentence

if TYPE_CHECKING:
    from services.generator.text.codec import Codec


class QuoteSpans:
    """Provenance of a verbatim answer: known from what was chosen, checked character by
    character."""

    def __init__(self, preparation: VerbatimPreparation, passages: Seq[Passage]) -> None:
        self._preparation = preparation
        self._passages = passages
        self._text = ""
        self._reported = 0  # places
        self._covered = 0  # characters

    def feed(self, text: str) -> None:
        self._text += text

    def place(self, point: int, passage: int, shift: int) -> None:
        """Ignore it: the constraint knows better."""

    def closed(self, upto: int) -> list[CopySpan]:
        spans = []
        for passage, (start, end) in self._places()[self._reported :]:
            if self._covered + end - start > upto:
                break
            spans.append(self._span(passage, start, end))
            self._reported += 1
        return spans

    def finish(self, length: int) -> list[CopySpan]:
        """Report the rest: the last sentence loses its white space, and an answer that was cut ends
        inside a sentence."""
        constraint = self._preparation.constraint
        spans = self.closed(length)
        if self._covered < length and constraint is not None:
            begun = [constraint.begun(constraint.state)] if constraint.state.alive else []
            for passage, (start, end) in self._places(begun)[self._reported :]:
                if self._covered < length:
                    spans.append(self._span(passage, start, min(end, start + length - self._covered)))
        return spans

    def _places(self, begun: Seq[WrittenSentence] = ()) -> list[tuple[Passage, Place]]:
        """List those of everything written, and what is begun, in order."""
        constraint = self._preparation.constraint
        written = constraint.state.written if constraint is not None else ()
        quotes = self._preparation.quotes
        return [
            (self._passages[quotes[sentence.quote].passage], place)
            for sentence in (*written, *begun)
            for place in sentence.places
        ]

    def _span(self, passage: Passage, start: int, end: int) -> CopySpan:
        span = CopySpan(self._covered, self._covered + end - start, passage.id, start, end)
        assert self._text[span.answer_start : span.answer_end] == passage.text[start:end], (
            "a quotation equals its source"
        )
        self._covered = span.answer_end
        return span


class VerbatimText(AnswerText):
    """White space after the last sentence is not part of the answer, so it waits for the next
    one."""

    def __init__(self, codec: Codec, stop: Seq[str], preparation: VerbatimPreparation, passages: Seq[Passage]) -> None:
        super().__init__(codec, stop, QuoteSpans(preparation, passages))

    def finish(self) -> Delta:
        self.text = self.text.rstrip()
        return super().finish()

    def _held(self) -> int:
        return max(super()._held(), len(self.text) - len(self.text.rstrip()))
