"""The first stop string in a text that arrives piece by piece, at a cost that follows from the text
alone.

Each string is matched by Knuth, Morris and Pratt's automaton: one character costs one transition on
average, however long the string; trying every beginning of it after every token let one request
with a stop of megabytes hold up all others.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq


class StopStrings:
    """Knows how much of each stop string the text so far ends with."""

    def __init__(self, strings: Seq[str]) -> None:
        self._matchers = [_Matcher(string) for string in strings if string]
        self._length = 0

    def feed(self, text: str) -> int | None:
        """Return where in the whole text the first stop string begins that `text` completes; after
        that, feed no more."""
        starts = [self._length + start for matcher in self._matchers if (start := matcher.feed(text)) is not None]
        self._length += len(text)
        return min(starts, default=None)

    @property
    def held(self) -> int:
        """Characters at the end of the text that may become part of a stop string."""
        return max((matcher.matched for matcher in self._matchers), default=0)


class _Matcher:
    def __init__(self, string: str) -> None:
        self._string = string
        self._fall_back = _borders(string)
        self.matched = 0

    def feed(self, text: str) -> int | None:
        """Return where the string begins, counted from this text's start (negative: in what came
        before)."""
        for at, character in enumerate(text):
            while self.matched and self._string[self.matched] != character:
                self.matched = self._fall_back[self.matched - 1]
            if self._string[self.matched] == character:
                self.matched += 1
            if self.matched == len(self._string):
                self.matched = 0
                return at + 1 - len(self._string)
        return None


def _borders(string: str) -> list[int]:
    """Return for each beginning of the string the length of its longest proper end that is a
    beginning too."""
    borders, length = [0] * len(string), 0
    for at in range(1, len(string)):
        while length and string[length] != string[at]:
            length = borders[length - 1]
        length += string[length] == string[at]
        borders[at] = length
    return borders
