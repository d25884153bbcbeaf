"""Whether a drafter pays, from what its drafts take and what they alone give: per request, and over requests.

With s seconds a step without a drafter's own nodes, n tokens from it and g of them due to that drafter alone, leaving it out would give
n - g tokens in s seconds; it pays as long as drafting, and verifying its nodes, take less than g s / (n - g). Knows nothing of trees,
models or text.
"""

from __future__ import annotations

from dataclasses import dataclass

SMOOTH = 0.15  # weight of the latest step
FIRST_SKIP, LAST_SKIP = 16, 256  # requests: a trial costs about an eighth of an answer's time, so one in 16 is below 1%


@dataclass(slots=True)
class Gate:
    """Of one drafter in one request. Closed, it is tried again after a while, then after twice that."""

    seconds: float = 0.0  # of a draft, smoothed
    gain: float = 1.0  # tokens per step that only this drafter gave, smoothed
    tokens: float = 2.0  # per step, smoothed
    extra: float = 0.0  # seconds that its own nodes add to a step, smoothed
    kind: str = ""  # what its nodes are known by, see planner._kind
    balance: float = 0.0  # seconds saved less seconds drafted, all steps together
    pause: int = 0  # steps to go without it
    _next_pause: int = 8

    def open(self) -> bool:
        if self.pause:
            self.pause -= 1
        return not self.pause

    def took(self, seconds: float, usual: bool = True) -> None:
        """Not `usual`: it says nothing of the next draft (at first a head reads the whole prompt)."""
        self.balance -= seconds
        if usual:
            self.seconds = seconds if not self.seconds else self.seconds + 0.2 * (seconds - self.seconds)

    def gave(self, alone: int, tokens: int, seconds: float, extra: float = 0.0) -> None:
        """A step of `seconds`, without its drafts, gave `tokens`; `alone` of them nobody else had drafted, `extra` seconds were theirs."""
        self.gain += SMOOTH * (alone - self.gain)
        self.tokens += SMOOTH * (tokens - self.tokens)
        self.extra += SMOOTH * (extra - self.extra)
        worth = (seconds - extra) / max(1.0, self.tokens - self.gain)  # of a token that it gives
        self.balance += alone * worth - extra
        if self.gain * worth >= self.seconds + self.extra:
            self._next_pause = 8
            return
        self.pause, self._next_pause = self._next_pause, min(64, 2 * self._next_pause)
        self.gain = (self.seconds + self.extra) / worth  # tried again, it has a few steps to show more


@dataclass(slots=True)
class Habit:
    """Of one drafter over requests. One that cost more than it saved is left out of whole requests, ever more of them.

    Left out of a whole request it costs nothing at all: a head need not even read the prompt.
    """

    last: Gate | None = None  # what the next request begins from
    skip: int = 0  # requests to go without it
    _next_skip: int = FIRST_SKIP

    def admit(self) -> bool:
        if self.skip:
            self.skip -= 1
            return False
        return True

    def begin(self, expected: float) -> Gate:
        """`expected`: seconds of a draft as measured at start, 0: not measured."""
        if self.last is None:
            return Gate(seconds=expected)
        return Gate(self.last.seconds, self.last.gain, self.last.tokens, self.last.extra, self.last.kind)

    def ended(self, gate: Gate) -> None:
        self.last = gate
        if gate.balance >= 0:
            self._next_skip = FIRST_SKIP
            return
        self.skip, self._next_skip = self._next_skip, min(LAST_SKIP, 4 * self._next_skip)
