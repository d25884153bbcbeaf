"""The beginning of an answer, held back until it says something: words once shown are read, so an
echo of the question never is."""

from __future__ import annotations

from dataclasses import dataclass, field

from rag_api.answering.composing.usefulness import Usefulness
from rag_api.domain import Cited, Token


@dataclass(slots=True)
class Held:
    """`useful` None: nothing is held back."""

    useful: Usefulness | None
    waiting: list[Token | Cited] = field(default_factory=list)
    released: bool = False

    def add(self, event: Token | Cited, text: str) -> list[Token | Cited]:
        """Return what may be shown by now. `text`: of the answer so far, the event's own
        included."""
        self.waiting.append(event)
        self.released = self.released or self.useful is None or self.useful.says_something_so_far(text)
        return self._let_go() if self.released else []

    def end(self, text: str) -> list[Token | Cited]:
        """Return what is still held of an answer that is whole; nothing when it says nothing."""
        self.released = self.released or self.useful is None or self.useful.says_something(text)
        return self._let_go() if self.released else []

    def forget(self) -> None:
        """Nobody has seen it: it is written anew."""
        self.waiting = []

    def _let_go(self) -> list[Token | Cited]:
        events, self.waiting = self.waiting, []
        return events
