"""Gates that tell whether a drafter pays, from what its drafts take and what they give: per
request, and over requests.

With s seconds a step without a drafter's own nodes, n tokens from it and g of them due to that
drafter (rates.credit), leaving it out would give n - g tokens in s seconds; it pays as long as
drafting, and verifying its nodes, take less than g s / (n - g). A single step says little of that,
and so does a short answer: both are believed by how many there were. Knows nothing of trees, models
or text.
"""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass, field, fields

PRIOR = 96  # steps that what other requests have shown counts for: with fewer, chance closes a gate that pays
REQUESTS = 16  # of the latest, by and large, that an average is of
# requests before a drafter is left out: of a few short answers, chance alone often leaves one out
# that pays
TRIALS = 32
FIRST_SKIP, LAST_SKIP = 16, 256  # requests: a trial costs about an eighth of an answer's time, so one in 16 is below 1%
FIRST_PAUSE, LAST_PAUSE = 8, 64  # steps
PROBE = 3  # steps that it is tried again for
STRENGTHS = (0.25, 0.75, 1.5, 3.0)  # tokens that look-ups are expected to give: steps between two of these are alike
REMEMBERED, RETRY = 400, 24  # steps


@dataclass(slots=True)
class DrafterYield:
    """Of one drafter, averages of its steps. To begin with what a head usually gives, as long as
    nobody knows better."""

    gain: float = 0.5  # tokens per step that are due to this drafter
    tokens: float = 1.5  # per step
    extra: float = 0.0  # seconds that its own nodes add to a step
    seconds: float = 0.0  # of a draft; 0: not known

    def lean(self, other: DrafterYield, weight: float) -> None:
        for each in fields(self):
            mine = getattr(self, each.name)
            setattr(self, each.name, mine + weight * (getattr(other, each.name) - mine))


@dataclass(slots=True)
class GainBeside:
    """What a drafter gave beyond the tokens that look-ups were expected to give, by how many those
    were; over all requests."""

    gains: list[float] = field(default_factory=lambda: [0.0] * (len(STRENGTHS) + 1))  # tokens per step
    steps: list[int] = field(default_factory=lambda: [0] * (len(STRENGTHS) + 1))
    refused: list[int] = field(default_factory=lambda: [0] * (len(STRENGTHS) + 1))

    def expected(self, looked_up: float, usual: float) -> float:
        """Return the gain to expect; with few such steps, nearly the `usual` one."""
        at = bisect(STRENGTHS, looked_up)
        return (self.gains[at] * self.steps[at] + usual * PRIOR) / (self.steps[at] + PRIOR)

    def gave(self, looked_up: float, gain: float) -> None:
        """Take in one step."""
        at = bisect(STRENGTHS, looked_up)
        self.steps[at] = min(self.steps[at] + 1, REMEMBERED)
        self.gains[at] += (gain - self.gains[at]) / self.steps[at]

    def tries_anyway(self, looked_up: float) -> bool:
        """Say, where it should not pay, whether it is its turn to show otherwise."""
        at = bisect(STRENGTHS, looked_up)
        self.refused[at] += 1
        return self.refused[at] % RETRY == 0


@dataclass(slots=True)
class Gate:
    """Of one drafter in one request. Closed, it is tried again after a while, then after twice
    that."""

    known: DrafterYield = field(default_factory=DrafterYield)  # the request's own steps lean on what came before
    shown: DrafterYield = field(default_factory=DrafterYield)  # by this request alone
    balance: float = 0.0  # seconds saved less seconds drafted, all steps together
    steps: int = 0
    pause: int = 0  # steps to go without it
    _next_pause: int = FIRST_PAUSE
    _probe: int = 0  # steps left of a trial

    @property
    def seconds(self) -> float:
        return self.known.seconds

    def open(self) -> bool:
        if self.pause:
            self.pause -= 1
        return not self.pause

    def took(self, seconds: float, usual: bool = True) -> None:
        """Take in what a draft took. Not `usual`: it says nothing of the next draft (at first a
        head reads the whole prompt)."""
        if usual:
            before = self.known.seconds or seconds
            seconds = min(max(seconds, before / 2), before * 2)  # an interruption is no cost of the draft
            self.known.seconds = before + 0.2 * (seconds - before)
        self.balance -= seconds

    def gave(self, gain: float, tokens: int, seconds: float, extra: float = 0.0) -> None:
        """Take in a step of `seconds`, without its drafts, that gave `tokens`; `gain` of them are
        this drafter's, and `extra` seconds."""
        self.steps += 1
        step = DrafterYield(gain, tokens, extra, self.seconds)
        self.shown.lean(step, 1 / self.steps)
        self.known.lean(step, 1 / (PRIOR + self.steps))
        worth = (seconds - self.known.extra) / max(1.0, self.known.tokens - self.known.gain)  # of a token that it gives
        self.balance += gain * worth - extra
        if self.known.gain * worth >= self.known.seconds + self.known.extra:
            self._next_pause = FIRST_PAUSE
        elif self._probe:
            self._probe -= 1
        else:
            self.pause, self._next_pause = self._next_pause, min(LAST_PAUSE, 2 * self._next_pause)
            self._probe = PROBE - 1


@dataclass(slots=True)
class DrafterHistory:
    """Of one drafter over requests. One that costs more than it saves is left out of whole
    requests, ever more of them.

    Left out of a whole request it costs nothing at all: a head need not even read the prompt.
    """

    usual: DrafterYield = field(default_factory=DrafterYield)  # what the next request begins from
    beside: GainBeside = field(default_factory=GainBeside)
    balance: float = 0.0  # of a request
    skip: int = 0  # requests to go without it
    _requests: int = 0
    _steps: int = 0
    _next_skip: int = FIRST_SKIP

    def admit(self) -> bool:
        if self.skip:
            self.skip -= 1
            return False
        return True

    def begin(self, expected: float) -> Gate:
        """Begin a request. `expected`: seconds of a draft as measured at start, 0: not measured."""
        gate = Gate()
        gate.known.lean(self.usual, 1.0)
        gate.known.seconds = self.usual.seconds or expected
        return gate

    def ended(self, gate: Gate) -> None:
        self._requests += 1
        weight = 1 / min(self._requests, REQUESTS)
        self.balance += weight * (gate.balance - self.balance)
        if gate.steps:
            self._learn(gate)
        if self.balance >= 0 or self._requests < TRIALS:
            self._next_skip = FIRST_SKIP
            return
        self.skip, self._next_skip = self._next_skip, min(LAST_SKIP, 4 * self._next_skip)

    def _learn(self, gate: Gate) -> None:
        """By how many steps it had: the first answer's few do not take the place of what is
        assumed, but for what it costs, which nobody assumes."""
        if not self._steps:
            self.usual.seconds, self.usual.extra = gate.shown.seconds, gate.shown.extra
        self.usual.lean(gate.shown, gate.steps / (PRIOR + self._steps + gate.steps))
        self._steps = min(REMEMBERED, self._steps + gate.steps)
