"""SAM-Decoding's drafts: what followed the first occurrence of the longest end of the context that
was there before (Hu and others, 2024).

A suffix automaton over prompt and output finds it in constant time per token, however long it is; a
second one, of the texts beside the prompt, drafts where its match is longer (the paper's static
automaton).
Kept to compare with, and as ReSpec's baseline. Knows nothing of other drafters: who goes first is a
policy.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass, field

from services.generator.drafters import DrafterSpec, LookupDrafter, StepState
from services.generator.types import DraftTree, NodeOrigin, Sequence

BETWEEN = -1  # stands behind each text beside the prompt: no draft goes over it
ACCEPTANCE = 0.85  # of one more token of a match; a guide for merging only


@dataclass(frozen=True, slots=True)
class AutomatonOptions:
    """The paper's number of drafted tokens."""

    copied: int = 40


@dataclass(slots=True)
class SuffixAutomaton:
    """All that was said (section 3.1): states are sets of substrings that end at the same
    places."""

    tokens: list[int] = field(default_factory=list)
    _next: list[dict[int, int]] = field(default_factory=lambda: [{}])
    _link: list[int] = field(default_factory=lambda: [-1])
    _longest: list[int] = field(default_factory=lambda: [0])
    _first: list[int] = field(default_factory=lambda: [-1])  # the first place where they end
    _whole: int = 0
    _match: int = 0  # state of the longest end of the text that was there before
    _length: int = 0

    def extend(self, tokens: Seq[int]) -> None:
        for token in tokens:
            self.follow(token)
            self._append(token)

    def forget(self) -> None:
        """Begin another text: nothing of it was followed yet."""
        self._match = self._length = 0

    def match(self) -> tuple[int, int]:
        """Return how many of the last tokens were there before, and where they first ended; (0,
        -1): not even the last."""
        return (self._length, self._first[self._match]) if self._length else (0, -1)

    def follow(self, token: int) -> None:
        """Move the match along a token that is not in the automaton (section 3.2)."""
        while self._match and token not in self._next[self._match]:
            self._match = self._link[self._match]
            self._length = self._longest[self._match]
        if token in self._next[self._match]:
            self._match, self._length = self._next[self._match][token], self._length + 1

    def _append(self, token: int) -> None:
        place = len(self.tokens)
        self.tokens.append(token)
        whole = self._state({}, 0, self._longest[self._whole] + 1, place)
        at = self._whole
        while at >= 0 and token not in self._next[at]:
            self._next[at][token] = whole
            at = self._link[at]
        if at >= 0:
            self._link[whole] = self._split(at, token)
        self._whole = whole

    def _split(self, at: int, token: int) -> int:
        """Return the state that holds exactly what `at` holds and this token."""
        after = self._next[at][token]
        if self._longest[after] == self._longest[at] + 1:
            return after
        clone = self._state(dict(self._next[after]), self._link[after], self._longest[at] + 1, self._first[after])
        while at >= 0 and self._next[at].get(token) == after:
            self._next[at][token] = clone
            at = self._link[at]
        self._link[after] = clone
        if self._match == after and self._length <= self._longest[clone]:
            self._match = clone
        return clone

    def _state(self, following: dict[int, int], link: int, longest: int, first: int) -> int:
        self._next.append(following)
        self._link.append(link)
        self._longest.append(longest)
        self._first.append(first)
        return len(self._next) - 1


class AutomatonDrafter(LookupDrafter):
    name = "automaton"

    def __init__(self, options: AutomatonOptions | None = None) -> None:
        self.options = options or AutomatonOptions()
        self._automata: dict[str, tuple[SuffixAutomaton, SuffixAutomaton | None]] = {}

    def start(self, sequence: Sequence) -> None:
        own, beside = SuffixAutomaton(), None
        if sequence.prompt.beside:
            beside = SuffixAutomaton()
            beside.extend([token for text in sequence.prompt.beside for token in (*text, BETWEEN)])
            beside.forget()
        self._automata[sequence.id] = own, beside
        self._read(sequence.id, sequence.prompt.token_ids)

    def finish(self, sequence: Sequence) -> None:
        self._automata.pop(sequence.id, None)

    def draft(self, state: StepState, nodes: int) -> DraftTree:
        own, beside = self._automata[state.sequence.id]
        self._read(state.sequence.id, state.context[len(own.tokens) :].tolist())
        best = own if beside is None or own.match()[0] >= beside.match()[0] else beside
        length, end = best.match()
        copied = best.tokens[end + 1 : end + 1 + min(self.options.copied, nodes - 1)] if length else []
        copied = copied[: copied.index(BETWEEN)] if BETWEEN in copied else copied
        rate = ACCEPTANCE ** (1 / max(length, 1))
        origins = (
            NodeOrigin(self.name, end + 1 + depth) if best is own else NodeOrigin(f"{self.name}:beside")
            for depth in range(len(copied))
        )
        return DraftTree(
            (own.tokens[-1], *copied),
            tuple(range(-1, len(copied))),
            (1.0, *(rate ** (1 + depth) for depth in range(len(copied)))),
            ((), *((origin,) for origin in origins)),
            match=length,
        )

    def _read(self, name: str, tokens: Seq[int]) -> None:
        own, beside = self._automata[name]
        own.extend(tokens)
        if beside is not None:
            for token in tokens:
                beside.follow(token)


SPEC = DrafterSpec(
    "automaton",
    "what followed the first occurrence of the longest match (SAM-Decoding)",
    AutomatonOptions,
    lambda _, options: AutomatonDrafter(options),
    reads_beside=True,
)
