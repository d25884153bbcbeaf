"""Usefulness of what a model writes: whether it says anything yet. A small model repeats the
question, or talks about something else; then the sources alone are the better answer. Knows no
model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rag_api.text.bm25_analyzer import STOP_WORDS, words

_EMPTY = STOP_WORDS["nl"] | STOP_WORDS["en"] | {"answer", "question", "antwoord", "vraag"}


@dataclass(frozen=True, slots=True)
class Usefulness:
    """`asked`: the question's words. `known`: those of the passages; None: they are in another
    language than the answer, so that any word will do."""

    asked: frozenset[str]
    known: frozenset[str] | None

    def says_something(self, text: str) -> bool:
        """Whether a word of the text is not the question's own, and stands in a passage."""
        new = content(text) - self.asked
        return bool(new if self.known is None else new & self.known)

    def says_something_so_far(self, text: str) -> bool:
        """The same of a text that is still growing: its last word may be the beginning of
        another."""
        return self.says_something(text[: max(text.rfind(" "), text.rfind("\n")) + 1])


def usefulness(question: str, passages: Iterable[str], *, one_language: bool) -> Usefulness:
    return Usefulness(content(question), content("\n".join(passages)) if one_language else None)


def content(text: str) -> frozenset[str]:
    return frozenset(words(text)) - _EMPTY
