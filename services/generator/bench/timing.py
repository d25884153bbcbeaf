"""One measured answer, and what many of them say. Knows no engine.

Repeats are rounds over all prompts and all methods; a method's figure is the median over the rounds of its sum over the prompts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Run:
    """`opening`: tokens that came at once, `first` seconds after the question. Peers say nothing of steps: 0.

    `decoding`: in place of an opening, the seconds from the prompt's end for all tokens: where an answer may come in a single step.
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


@dataclass(frozen=True, slots=True)
class Measured:
    method: str
    job: str
    repeat: int
    run: Run


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one method. tokens_per_second: those after the opening, per second after it (in verbatim mode all, from the prompt's end)."""

    tokens_per_second: float
    seconds_to_answer: float  # per prompt, the prompt's own computing included
    seconds_to_first_token: float
    tau: float | None  # the bonus token counted
    nodes_per_step: float | None
    vs_plain: float | None = None
    vs_transformers: float | None = None
    vs_llama_cpp: float | None = None  # against the better of its two
    repeats: int = 0
    spread: float = 0.0  # of tokens_per_second over the repeats: (highest - lowest) / median


def figures(measured: Iterable[Measured]) -> dict[str, Figures]:
    by_method: dict[str, list[Measured]] = {}
    for each in measured:
        by_method.setdefault(each.method, []).append(each)
    alone = {method: _alone(runs) for method, runs in by_method.items()}
    return {method: _compared(own, alone) for method, own in alone.items()}


def _alone(measured: list[Measured]) -> Figures:
    rounds: dict[int, list[Run]] = {}
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
        nodes_per_step=sum(run.drafted for run in every) / steps if steps else None,
        repeats=len(rounds),
        spread=(max(speeds) - min(speeds)) / median(speeds) if median(speeds) else 0.0,
    )


def _speed(runs: list[Run]) -> float:
    seconds = sum(run.decoding or run.seconds - run.first for run in runs)
    return sum(len(run.tokens) - run.opening for run in runs) / seconds if seconds else 0.0


def _compared(own: Figures, alone: dict[str, Figures]) -> Figures:
    def against(*methods: str) -> float | None:
        best = max((alone[method].tokens_per_second for method in methods if method in alone), default=0.0)
        return own.tokens_per_second / best if best else None

    peers = [method for method in alone if method.startswith("llama.cpp")]
    ratios = {"vs_plain": against("plain"), "vs_transformers": against("transformers"), "vs_llama_cpp": against(*peers)}
    return Figures(**(asdict(own) | ratios))


def append(measured: Measured, file: Path) -> None:
    with file.open("a") as lines:
        lines.write(json.dumps(asdict(measured)) + "\n")


def read(file: Path) -> list[Measured]:
    """Return what `append` wrote; several sessions may have added to it."""
    measured = []
    for line in file.read_text().splitlines():
        row: dict[str, Any] = json.loads(line)
        run = row.pop("run")
        lengths = {source: {int(length): steps for length, steps in counts.items()} for source, counts in run.pop("lengths").items()}
        measured.append(Measured(**row, run=Run(**(run | {"tokens": tuple(run["tokens"]), "lengths": lengths}))))
    return measured


def same_answers(measured: Iterable[Measured], methods: Iterable[str]) -> tuple[int, int]:
    """Return (prompts on which all these methods wrote the same tokens, prompts)."""
    answers: dict[str, set[tuple[int, ...]]] = {}
    chosen = set(methods)
    for each in measured:
        if each.method in chosen:
            answers.setdefault(each.job, set()).add(each.run.tokens)
    return sum(len(texts) == 1 for texts in answers.values()), len(answers)


def lengths(measured: Iterable[Measured]) -> dict[str, dict[int, int]]:
    """Return per source: how many steps accepted how many of its tokens from the root on (thesis, figure 5.5)."""
    by_source: dict[str, Counter[int]] = {}
    for each in measured:
        for source, counts in each.run.lengths.items():
            by_source.setdefault(source, Counter()).update(counts)
    return {source: dict(sorted(counts.items())) for source, counts in by_source.items()}


def sources(measured: Iterable[Measured]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for each in measured:
        counted.update(each.run.by_source)
    return dict(counted)
