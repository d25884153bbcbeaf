"""Provenance of an answer's characters: which were copied from which passage. A span is about
equality, so it is exact by construction.

Places are known in two ways: a token that was accepted from a copy draft names the position it was
copied from, and text that was not drafted is looked up once enough of it has been written. From a
known place a span grows backwards and forwards over every equal character, whoever wrote it. Knows
nothing of models and tokens' ids.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass
from typing import Protocol

from services.generator.types import CopySpan, Passage

MIN_WORDS = 3
MIN_CHARACTERS = 12
"""A span is reported from three words or twelve characters on: shorter equalities ("of the") say
nothing."""


class Provenance(Protocol):
    """Follows an answer as it is written; spans never overlap and come in order."""

    def feed(self, text: str) -> None:
        """Take in that the answer grew by `text`."""

    def place(self, point: int, passage: int, shift: int) -> None:
        """Hint that character `point` of the answer was copied from character point + shift of the
        passage (it is checked)."""

    def closed(self, upto: int) -> list[CopySpan]:
        """Return spans that closed since the last call and end at or before `upto` (what the reader
        has seen)."""

    def finish(self, length: int) -> list[CopySpan]:
        """Return the rest, once the answer is known to end at `length`."""


@dataclass(slots=True)
class _Alignment:
    """answer[start:end] == passages[passage].text[start + shift : end + shift]."""

    passage: int
    shift: int
    start: int
    end: int


class SpanTracker:
    """Provenance of an answer that the model writes. Spans begin and end at words' borders, in
    answer and source."""

    def __init__(self, passages: Seq[Passage]) -> None:
        self.text = ""
        self._passages = passages
        self._alive: list[_Alignment] = []
        self._covered = 0  # end of the last closed span
        self._ready: list[CopySpan] = []

    def feed(self, text: str) -> None:
        self.text += text
        for alignment in self._alive:
            self._grow(alignment)
        self._look_up()
        self._close(final=False)

    def place(self, point: int, passage: int, shift: int) -> None:
        if any(a.passage == passage and a.shift == shift and a.start <= point < a.end for a in self._alive):
            return
        source = self._passages[passage].text
        if not (self._covered <= point < len(self.text) and 0 <= point + shift < len(source)):
            return
        if self.text[point] != source[point + shift]:
            return
        start = point
        while start > self._covered and start + shift > 0 and self.text[start - 1] == source[start + shift - 1]:
            start -= 1
        alignment = _Alignment(passage, shift, start, point + 1)
        self._grow(alignment)
        self._alive.append(alignment)

    def closed(self, upto: int) -> list[CopySpan]:
        count = next((n for n, span in enumerate(self._ready) if span.answer_end > upto), len(self._ready))
        out, self._ready = self._ready[:count], self._ready[count:]
        return out

    def finish(self, length: int) -> list[CopySpan]:
        self.text = self.text[:length]
        late = [span for span in self._ready if span.answer_end > length]  # ends in what a stop string took away
        self._ready = [span for span in self._ready if span.answer_end <= length]
        for alignment in self._alive:
            alignment.end = min(alignment.end, length)
        ids = [passage.id for passage in self._passages]
        self._alive += [
            _Alignment(ids.index(s.passage_id), s.start - s.answer_start, s.answer_start, length) for s in late
        ]
        self._alive = [a for a in self._alive if a.start < a.end]
        self._close(final=True)
        return self.closed(length)

    def _grow(self, alignment: _Alignment) -> None:
        source, shift, end = self._passages[alignment.passage].text, alignment.shift, alignment.end
        limit = min(len(self.text), len(source) - shift)
        while end < limit and self.text[end] == source[end + shift]:
            end += 1
        alignment.end = end

    def _look_up(self) -> None:
        """Search for text that follows no known place, by its last MIN_CHARACTERS characters."""
        if any(a.end == len(self.text) and a.end - a.start >= MIN_CHARACTERS for a in self._alive):
            return
        start = len(self.text) - MIN_CHARACTERS
        if start < self._covered:
            return
        recent = self.text[start:]
        for passage, source in enumerate(self._passages):
            at = source.text.find(recent)
            while at >= 0:
                self.place(start, passage, at - start)
                at = source.text.find(recent, at + 1)

    def _close(self, final: bool) -> None:
        """Turn alignments that ended into spans, the earliest and longest first; what they cover is
        taken from the others."""
        while self._alive:
            self._alive.sort(key=lambda a: (a.start, -a.end))
            first = self._alive[0]
            if first.end == len(self.text) and not final:
                self._alive = [a for a in self._alive if a.end == len(self.text)]
                return
            self._alive.pop(0)
            span = self._trimmed(first)
            if span is None:
                continue
            self._ready.append(span)
            self._covered = span.answer_end
            self._alive = [a for a in self._alive if a.end > self._covered]
            for other in self._alive:
                other.start = max(other.start, self._covered)

    def _trimmed(self, alignment: _Alignment) -> CopySpan | None:
        """Return the span from word border to word border, or None when what is left is too short
        to say anything."""
        passage = self._passages[alignment.passage]
        start, end, shift = alignment.start, alignment.end, alignment.shift
        while start < end and (
            self.text[start].isspace() or _inside_word(self.text, start) or _inside_word(passage.text, start + shift)
        ):
            start += 1
        while end > start and (
            self.text[end - 1].isspace() or _inside_word(self.text, end) or _inside_word(passage.text, end + shift)
        ):
            end -= 1
        copied = self.text[start:end]
        if len(copied) < MIN_CHARACTERS and len(copied.split()) < MIN_WORDS:
            return None
        assert copied == passage.text[start + shift : end + shift], (
            "a span is marked only where the characters are equal"
        )
        return CopySpan(start, end, passage.id, start + shift, end + shift)


def _inside_word(text: str, at: int) -> bool:
    """Say whether a cut before character `at` would part a word or a number ("1.5", "3x/d",
    "p.o.")."""
    if not 0 < at < len(text):
        return False
    left, right = at - 1, at
    while left >= 0 and not text[left].isspace() and not text[left].isalnum():
        left -= 1
    while right < len(text) and not text[right].isspace() and not text[right].isalnum():
        right += 1
    return left >= 0 and right < len(text) and not text[left].isspace() and not text[right].isspace()
