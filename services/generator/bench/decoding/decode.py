"""decode: how fast answers come, by every way of drafting that there is, against transformers and
llama.cpp. Greedy, one at a time.

Sets of prompts: the sample handbook's judged English questions (the default), --data FILE in
SQuAD's format, --set control (instructions without a context). In every repeat every prompt is
answered by every method in turn, so that what else the machine does falls on all alike. `planner`
is what the engine does by itself: EAGLE and all that is looked up, cut to what pays by measured
costs; `auto` the same of CASD's copies. The methods with a published size (prompt lookup 10 tokens,
CASD 2 x 10, EAGLE 60 nodes) are verified whole. Every run is timed by the clock and by the
processor's time of the process that computed it, all its threads together (spinning while waiting
is counted). --raw keeps every single run; several sessions may add to one file.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Seq
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch

from services.generator.bench.common import timing
from services.generator.bench.common.prompts import PromptJob
from services.generator.bench.common.recorded import BadRecords
from services.generator.bench.common.timing import Figures, MeasuredRun, TimedRun, is_peer
from services.generator.bench.engines.ours import Bench, answer_methods, verbatim_methods
from services.generator.bench.engines.peers import NoPeer, PeerLimits, llama_peer, transformers_peer
from services.generator.bench.engines.setting import bench_of, jobs_of, parser_of, rounds_in
from services.generator.bench.report.projection import tokens_per_second
from services.generator.errors import BadRequest, ModelError

Method = Callable[[PromptJob], TimedRun]
AGAINST = {"plain": 9, "planner": 11, "transformers": 10, "llama.cpp": 9}  # columns and their widths


def main(argv: list[str]) -> int:
    options = options_of(argv)
    try:
        measured = _reported(options) if options.report else _measure(options)
    except (BadRecords, BadRequest, ModelError, NoPeer, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    figures = timing.figures(measured)
    # Sessions that shared the work may have run some methods more often.
    repeats = min((own.repeats for own in figures.values()), default=0)
    if options.json:
        print(json.dumps(_as_json(figures, measured, repeats, options)))
    else:
        print(_table(figures, measured, repeats, options.threads or torch.get_num_threads()))
        by_processor = timing.figures(timing.by_processor(measured))
        if by_processor and options.clock == "wall":
            print("\nThe same runs by the processor's time, all threads together:")
            print(_table(by_processor, measured, repeats, options.threads or torch.get_num_threads()))
    return 0


def _reported(options: argparse.Namespace) -> list[MeasuredRun]:
    measured = timing.read(options.report)
    return timing.by_processor(measured) if options.clock == "cpu" else measured


def _measure(options: argparse.Namespace) -> list[MeasuredRun]:
    bench = bench_of(options)
    jobs = jobs_of(options, bench)
    with contextlib.ExitStack() as stack:
        methods = {
            name: run for name, run in _methods(bench, options, stack) if not options.method or name in options.method
        }
        return in_rounds(jobs, methods, options, options.raw)


def in_rounds(
    jobs: Seq[PromptJob], methods: Mapping[str, Method], options: argparse.Namespace, raw: Path | None
) -> list[MeasuredRun]:
    """Run all methods in rounds; round 0 warms up and is not counted. Add to `raw` and return all
    that it holds, where there is one."""
    measured: list[MeasuredRun] = []
    number = max((run.repeat for run in timing.read(raw)), default=0) if raw and raw.exists() else 0
    until = time.monotonic() + 60 * options.minutes
    for repeat in range(options.no_warm_up, options.repeats + 1):
        for turn, job in enumerate(jobs if repeat else jobs[: options.warm_up]):
            for name in random.Random(f"{repeat} {turn}").sample(list(methods), len(methods)):  # noqa: S311
                each = MeasuredRun(name, job.id, number + repeat, methods[name](job))
                if repeat:
                    measured.append(each)
                if repeat and raw:
                    timing.append(each, raw)
        if repeat and time.monotonic() > until:
            break
    return timing.read(raw) if raw else measured


def _methods(bench: Bench, options: argparse.Namespace, stack: contextlib.ExitStack) -> Iterator[tuple[str, Method]]:
    if options.mode == "verbatim":
        yield from verbatim_methods(bench)
        return
    asked = options.method or []
    if ours := [name for name in asked if not is_peer(name)]:
        yield from answer_methods(bench, ours)
    elif not asked:
        yield from answer_methods(bench)
    if asked and len(ours) == len(asked):
        return
    limits = PeerLimits(
        options.max_tokens, bench.context, torch.get_num_threads(), bench.target.config.eos_token_ids, options.clock
    )
    with _or_a_word():
        device, dtype = bench.target.device, bench.target.dtype
        for name, generate in transformers_peer(options.model, device, dtype, limits, options.small):
            yield name, partial(_peer, bench, generate)
    with _or_a_word():
        for name, generate in stack.enter_context(
            llama_peer(options.model, options.peer_python, limits, options.small)
        ):
            yield name, partial(_peer, bench, generate)


@contextlib.contextmanager
def _or_a_word() -> Iterator[None]:
    try:
        yield
    except NoPeer as missing:
        print(f"left out: {missing}", file=sys.stderr)


def _peer(bench: Bench, generate: Callable[[tuple[int, ...]], TimedRun], job: PromptJob) -> TimedRun:
    return generate(bench.prompt(job).token_ids)


def options_of(argv: list[str]) -> argparse.Namespace:
    """Read the command's arguments."""
    parser = parser_of("decode", __doc__ or "")
    parser.add_argument("--mode", choices=["answer", "verbatim"], default="answer")
    rounds_in(parser, 5)
    parser.add_argument(
        "--method",
        action="append",
        help="only this one; repeatable. Beside the names of the table, drafters by the registry's: blend+eagle, "
        "plan:blend+eagle, "
        "sam:automaton+eagle",
    )
    parser.add_argument(
        "--raw", type=Path, help="jsonl to add every run to; the figures are then those of the whole file"
    )
    parser.add_argument("--report", type=Path, help="measure nothing: the figures of such a file, by --clock")
    parser.add_argument("--peer-python", help="a Python that has llama-cpp-python, where this one has not")
    return parser.parse_args(argv)


def _as_json(
    figures: dict[str, Figures], measured: list[MeasuredRun], repeats: int, options: argparse.Namespace
) -> dict[str, Any]:
    same, asked = timing.same_answers(measured, [name for name in figures if not is_peer(name)])
    return {
        "methods": {name: asdict(own) | {"computed_8b_gpu": _computed(name, own)} for name, own in figures.items()},
        "by_processor": {name: asdict(own) for name, own in timing.figures(timing.by_processor(measured)).items()},
        "repeats": repeats,
        "prompts": asked,
        "same_answers": same,
        "threads": options.threads or torch.get_num_threads(),
        "clock": options.clock,
        "accepted_lengths": {name: timing.lengths(run for run in measured if run.method == name) for name in figures},
        "tokens_by_source": {name: timing.sources(run for run in measured if run.method == name) for name in figures},
    }


def _computed(name: str, own: Figures) -> float | None:
    return (
        None if own.tau is None or own.nodes_per_step is None else tokens_per_second(name, own.tau, own.nodes_per_step)
    )


def _table(figures: dict[str, Figures], measured: list[MeasuredRun], repeats: int, threads: int) -> str:
    same, asked = timing.same_answers(measured, [name for name in figures if not is_peer(name)])
    lines = [
        f"{'':28}{'tokens/s':>10}{'spread':>8}{'answer, s':>11}{'first, s':>10}{'tau':>6}{'nodes':>7}{'x plain':>9}{'x planner':>11}"
        f"{'x transf.':>10}{'x llama':>9}{'8B GPU*':>9}{'same':>7}"
    ]
    for name, own in figures.items():
        optional = [
            _cell(own.tau, 6, 2),
            _cell(own.nodes_per_step, 7, 1),
            *(
                _cell(own.against[name].speed if name in own.against else None, width, 2)
                for name, width in AGAINST.items()
            ),
            _cell(_computed(name, own), 9, 0),
            f"{_same(own):>7}",
        ]
        lines.append(
            f"{name:28}{own.tokens_per_second:>10.1f}{f'{100 * own.spread:.0f}%':>8}{own.seconds_to_answer:>11.3f}"
            f"{own.seconds_to_first_token:>10.3f}{''.join(optional)}"
        )
    lines.append(
        "x: medians of runs in turn, against plain, planner and each peer's fastest way; same: prompts on which it "
        "wrote plain's tokens"
    )
    lines.append(
        f"{asked} prompts, median of {repeats} repeats or more, {threads} threads; our ways agree on {same} "
        f"of the answers"
    )
    lines.append(
        "* computed, not measured: tokens/s that this tau would give with an 8B model's step costs on one "
        "H100 (projection.py)"
    )
    return "\n".join(lines)


def _same(own: Figures) -> str:
    plain = own.against.get("plain")
    return f"{plain.same}/{plain.prompts}" if plain else "-"


def _cell(value: float | None, width: int, digits: int) -> str:
    return f"{'-' if value is None else f'{value:.{digits}f}':>{width}}"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
