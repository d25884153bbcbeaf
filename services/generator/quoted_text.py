"""The text and the provenance of a verbatim answer: both follow from the sentences that were chosen."""

from __future__ import annotations

from collections.abc import Sequence as Seq

from services.generator.answer_text import AnswerText, Delta
from services.generator.codec import Codec
from services.generator.types import CopySpan, Passage
from services.generator.verbatim import VerbatimPreparation, Written


class QuoteSpans:
    """Provenance of a verbatim answer: known from what was chosen, checked character by character."""

    def __init__(self, preparation: VerbatimPreparation, passages: Seq[Passage]) -> None:
        self._preparation = preparation
        self._passages = passages
        self._text = ""
        self._reported = 0  # sentences
        self._covered = 0  # characters

    def feed(self, text: str) -> None:
        self._text += text

    def place(self, point: int, passage: int, shift: int) -> None:
        """The constraint knows better."""

    def closed(self, upto: int) -> list[CopySpan]:
        spans = []
        for sentence in self._written()[self._reported :]:
            quote = self._preparation.quotes[sentence.quote]
            end = self._covered + quote.end - quote.start + sentence.lead
            if end > upto:
                break
            spans.append(self._span(sentence, end))
            self._reported += 1
        return spans

    def finish(self, length: int) -> list[CopySpan]:
        """The last sentence loses its white space, and an answer that was cut ends inside a sentence."""
        spans = self.closed(length)
        constraint = self._preparation.constraint
        if self._covered < length and constraint is not None:
            rest, state = self._written()[self._reported :], constraint.state
            spans.append(self._span(rest[0] if rest else constraint.begun(state), length))
        return spans

    def _written(self) -> tuple[Written, ...]:
        constraint = self._preparation.constraint
        return constraint.state.written if constraint is not None else ()

    def _span(self, sentence: Written, end: int) -> CopySpan:
        quote = self._preparation.quotes[sentence.quote]
        passage, start = self._passages[quote.passage], quote.start - sentence.lead
        span = CopySpan(self._covered, end, passage.id, start, start + end - self._covered)
        assert self._text[self._covered : end] == passage.text[span.start : span.end], "a quotation equals its source"
        self._covered = end
        return span


class VerbatimText(AnswerText):
    """White space after the last sentence is not part of the answer, so it waits for the next one."""

    def __init__(self, codec: Codec, stop: Seq[str], preparation: VerbatimPreparation, passages: Seq[Passage]) -> None:
        super().__init__(codec, stop, QuoteSpans(preparation, passages))

    def finish(self) -> Delta:
        self.text = self.text.rstrip()
        return super().finish()

    def _held(self) -> int:
        return max(super()._held(), len(self.text) - len(self.text.rstrip()))
