"""The answer's characters as tokens arrive: whole characters only, stop strings held back, spans
marked.

Knows nothing of the engine's steps; tokens come one by one, each with the places it was copied
from.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass
from typing import TYPE_CHECKING

from services.generator.text.provenance import Provenance
from services.generator.text.stop_strings import StopStrings
from services.generator.types import CopySpan, Origin

if TYPE_CHECKING:
    from services.generator.text.codec import Codec


@dataclass(frozen=True, slots=True)
class Delta:
    """What the reader gets next. `spans` lie in text that was sent by now."""

    text: str
    spans: tuple[CopySpan, ...]


class AnswerText:
    """Text of one answer. `text` is all of it, of which the first `sent` characters were handed out
    by `take`."""

    def __init__(self, codec: Codec, stop: Seq[str], provenance: Provenance) -> None:
        self.text = ""
        self.sent = 0
        self._codec = codec
        self._stream = codec.stream()
        self._stop = StopStrings(stop)
        self._provenance = provenance

    def add(self, token: int, origins: Seq[Origin]) -> bool:
        """Return whether a stop string is complete; the text then ends before it."""
        chunk = self._stream.step(self._codec.full, token)
        if not chunk:
            return False  # a control token, or part of a character
        start = len(self.text)
        self.text += chunk
        self._provenance.feed(chunk)
        for origin in origins:  # a token at a passage's border may begin before or end after it: try both ends
            self._provenance.place(start, origin.passage, origin.start - start)
            self._provenance.place(len(self.text) - 1, origin.passage, origin.end - len(self.text))
        return self._cut_at_stop(chunk)

    def take(self) -> Delta:
        """Return what can be sent now: nothing that may become part of a stop string."""
        upto = len(self.text) - self._held()
        text, self.sent = self.text[self.sent : upto], max(upto, self.sent)
        return Delta(text, tuple(self._provenance.closed(self.sent)))

    def finish(self) -> Delta:
        """Return the rest. An unfinished character (the answer was cut inside it) is left out."""
        text, self.sent = self.text[self.sent :], len(self.text)
        return Delta(text, tuple(self._provenance.finish(self.sent)))

    def _cut_at_stop(self, chunk: str) -> bool:
        at = self._stop.feed(chunk)
        if at is not None:
            self.text = self.text[:at]
        return at is not None

    def _held(self) -> int:
        """Return characters at the end that may become part of a stop string."""
        return self._stop.held
