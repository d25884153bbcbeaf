"""One measured answer, and what many of them say. Knows no engine.

Repeats are rounds over all prompts and all methods; a method's figure is the median over the rounds
of its sum over the prompts. What one is to another is told by their runs in turn: on the same
prompt, in the same round.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

PEERS = ("transformers", "llama.cpp")  # other engines: a way of theirs is "transformers" or "transformers, <how>"
OURS = ("plain", "planner")  # that all are compared with: one token a step, and what the engine does by itself


@dataclass(frozen=True, slots=True)
class TimedRun:
    """`opening`: tokens that came at once, `first` seconds after the question. Peers say nothing of
    what they draft: 0.

    `processor`, `processor_first`: seconds of the processor that all threads took together, of the
    process that computed; 0: not counted. `decoding`: in place of an opening, the seconds from the
    prompt's end for all tokens: where an answer may come in a single step.
    """

    tokens: tuple[int, ...]
    opening: int
    first: float
    seconds: float
    steps: int = 0
    drafted: int = 0
    by_source: dict[str, int] = field(default_factory=dict)
    lengths: dict[str, dict[int, int]] = field(default_factory=dict)
    decoding: float = 0.0
    cached: int = 0  # tokens of the prompt that were kept from before
    processor: float = 0.0
    processor_first: float = 0.0


class Stopwatch:
    """Times one answer of this process, by a clock and by the processor's."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._opening, self._first, self._processor_first = clock, 0, 0.0, 0.0
        self._began, self._processor_began = clock(), time.process_time()

    def came(self, tokens: int) -> None:
        """Say that so many tokens are there; the first time counts."""
        if not self._opening:
            self._first, self._processor_first = (
                self._clock() - self._began,
                time.process_time() - self._processor_began,
            )
            self._opening = tokens

    def run(self, tokens: tuple[int, ...], steps: int) -> TimedRun:
        seconds, processor = self._clock() - self._began, time.process_time() - self._processor_began
        return TimedRun(
            tokens,
            self._opening,
            self._first,
            seconds,
            steps,
            processor=processor,
            processor_first=self._processor_first,
        )


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    method: str
    job: str
    repeat: int
    run: TimedRun


@dataclass(frozen=True, slots=True)
class Against:
    """One method against `method`, in turn: for each prompt the median over the rounds; of these
    the median, the lowest and the highest.

    `answer`: seconds to whole answers, the other's over its own. `same`: prompts on which both
    wrote the same tokens.
    """

    method: str
    speed: float
    lowest: float
    highest: float
    answer: float
    prompts: int
    same: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one method. tokens_per_second: those after the opening, per second after it (in verbatim
    mode all, from the prompt's end)."""

    tokens_per_second: float
    seconds_to_answer: float  # per prompt, the prompt's own computing included
    seconds_to_first_token: float
    tau: float | None  # the bonus token counted
    nodes_per_step: float | None
    against: dict[str, Against] = field(default_factory=dict)  # OURS, and the fastest way of each of PEERS
    repeats: int = 0
    spread: float = 0.0  # of tokens_per_second over the repeats: (highest - lowest) / median


def figures(measured: Iterable[MeasuredRun]) -> dict[str, Figures]:
    by_method: dict[str, list[MeasuredRun]] = {}
    for each in measured:
        by_method.setdefault(each.method, []).append(each)
    alone = {method: _alone(runs, is_peer(method)) for method, runs in by_method.items()}
    others = {name: other for name in (*OURS, *PEERS) if (other := _fastest(name, alone))}
    return {
        method: replace(
            own, against={name: found for name, other in others.items() if (found := in_turn(by_method, method, other))}
        )
        for method, own in alone.items()
    }


def is_peer(method: str) -> bool:
    """Whether another engine answers by it; "llama.cpp's order" is ours."""
    return method.partition(",")[0] in PEERS


def by_processor(measured: Iterable[MeasuredRun]) -> list[MeasuredRun]:
    """Return the same runs with the processor's seconds in place of those of the clock, where they
    were counted."""
    counted = (each for each in measured if each.run.processor and not each.run.decoding)
    return [
        replace(each, run=replace(each.run, first=each.run.processor_first, seconds=each.run.processor))
        for each in counted
    ]


def _alone(measured: list[MeasuredRun], peer: bool) -> Figures:
    rounds: dict[int, list[TimedRun]] = {}
    for each in measured:
        rounds.setdefault(each.repeat, []).append(each.run)
    speeds: list[float] = [_speed(runs) for runs in rounds.values()]
    every = [each.run for each in measured]
    steps = sum(run.steps for run in every)
    return Figures(
        tokens_per_second=median(speeds),
        seconds_to_answer=median(sum(run.seconds for run in runs) / len(runs) for runs in rounds.values()),
        seconds_to_first_token=median(sum(run.first for run in runs) / len(runs) for runs in rounds.values()),
        tau=sum(len(run.tokens) for run in every) / steps if steps else None,
        nodes_per_step=sum(run.drafted for run in every) / steps if steps and not peer else None,
        repeats=len(rounds),
        spread=(max(speeds) - min(speeds)) / median(speeds) if median(speeds) else 0.0,
    )


def _speed(runs: list[TimedRun]) -> float:
    seconds = sum(run.decoding or run.seconds - run.first for run in runs)
    return sum(len(run.tokens) - run.opening for run in runs) / seconds if seconds else 0.0


def _fastest(name: str, alone: dict[str, Figures]) -> str | None:
    """Return `name`, or of a peer's ways the one of most tokens per second."""
    ways = [method for method in alone if method.partition(",")[0] == name]
    return max(ways, key=lambda method: alone[method].tokens_per_second, default=None)


def in_turn(by_method: Mapping[str, Iterable[MeasuredRun]], method: str, other: str) -> Against | None:
    """Compare two methods on the prompts and rounds that both have; None where no answer of both is
    longer than its opening."""
    theirs = {(each.job, each.repeat): each.run for each in by_method[other]}
    pairs: dict[str, list[tuple[TimedRun, TimedRun]]] = {}
    for each in by_method[method]:
        run = theirs.get((each.job, each.repeat))
        if run is not None and _speed([run]) and _speed([each.run]):
            pairs.setdefault(each.job, []).append((each.run, run))
    if not pairs:
        return None
    speeds: list[float] = [median(_speed([own]) / _speed([run]) for own, run in turns) for turns in pairs.values()]
    answer: float = median(median(run.seconds / own.seconds for own, run in turns) for turns in pairs.values())
    same = sum(all(own.tokens == run.tokens for own, run in turns) for turns in pairs.values())
    return Against(other, median(speeds), min(speeds), max(speeds), answer, len(pairs), same)


def append(measured: MeasuredRun, file: Path) -> None:
    with file.open("a") as lines:
        lines.write(json.dumps(asdict(measured)) + "\n")


def read(file: Path) -> list[MeasuredRun]:
    """Return what `append` wrote; several sessions may have added to it."""
    measured = []
    for line in file.read_text().splitlines():
        row: dict[str, Any] = json.loads(line)
        run = row.pop("run")
        lengths = {
            source: {int(length): steps for length, steps in counts.items()}
            for source, counts in run.pop("lengths").items()
        }
        measured.append(
            MeasuredRun(**row, run=TimedRun(**(run | {"tokens": tuple(run["tokens"]), "lengths": lengths})))
        )
    return measured


def same_answers(measured: Iterable[MeasuredRun], methods: Iterable[str]) -> tuple[int, int]:
    """Return (prompts on which all these methods wrote the same tokens, prompts)."""
    answers: dict[str, set[tuple[int, ...]]] = {}
    chosen = set(methods)
    for each in measured:
        if each.method in chosen:
            answers.setdefault(each.job, set()).add(each.run.tokens)
    return sum(len(texts) == 1 for texts in answers.values()), len(answers)


def lengths(measured: Iterable[MeasuredRun]) -> dict[str, dict[int, int]]:
    """Return per source: how many steps accepted how many of its tokens from the root on (thesis,
    figure 5.5)."""
    by_source: dict[str, Counter[int]] = {}
    for each in measured:
        for source, counts in each.run.lengths.items():
            by_source.setdefault(source, Counter()).update(counts)
    return {source: dict(sorted(counts.items())) for source, counts in by_source.items()}


def sources(measured: Iterable[MeasuredRun]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for each in measured:
        counted.update(each.run.by_source)
    return dict(counted)
