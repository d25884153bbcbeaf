"""decode: how fast answers come, by every way of drafting that there is, against transformers and llama.cpp. Greedy, one at a time.

Sets of prompts: the sample handbook's judged English questions (the default), --data FILE in SQuAD's format, --set control (instructions
without a context). In every repeat every prompt is answered by every method in turn, so that what else the machine does falls on all alike.
`auto` is what the engine does by itself: EAGLE and copies cut to what pays by measured costs. The methods with a published size (prompt
lookup 10 tokens, CASD 2 x 10, EAGLE 60 nodes) are verified whole. --raw keeps every single run; several sessions may add to one file.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch

from services.generator.bench import prompts, timing
from services.generator.bench.ours import Bench, answer_methods, verbatim_methods
from services.generator.bench.peers import CLOCKS, Limits, NoPeer, llama_peer, transformers_peer
from services.generator.bench.projection import tokens_per_second
from services.generator.bench.prompts import Job
from services.generator.bench.recorded import BadRecords
from services.generator.bench.timing import Figures, Measured, Run
from services.generator.datastore.store import fingerprint
from services.generator.datastore.store import read as read_datastore
from services.generator.engine.prefix_cache import PrefixCache
from services.generator.errors import BadRequest, ModelError
from services.generator.models.loading import CACHE, DEMO_HEAD, load_target, load_tokenizer
from services.generator.planner.costs import step_costs
from services.generator.text.codec import Codec

Method = Callable[[Job], Run]


def main(argv: list[str]) -> int:
    options = _options(argv)
    try:
        measured = timing.read(options.report) if options.report else _measure(options)
    except (BadRecords, BadRequest, ModelError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    figures = timing.figures(measured)
    # Sessions that shared the work may have run some methods more often.
    repeats = min((own.repeats for own in figures.values()), default=0)
    if options.json:
        print(json.dumps(_as_json(figures, measured, repeats, options)))
    else:
        print(_table(figures, measured, repeats, options.threads or torch.get_num_threads()))
    return 0


def _measure(options: argparse.Namespace) -> list[Measured]:
    """Run all methods in rounds; round 0 warms up and is not counted."""
    bench = _bench(options)
    jobs = [job for job in _jobs(options) if len(bench.prompt(job).token_ids) + options.max_tokens <= bench.context]
    jobs = jobs[options.skip : options.skip + options.limit]
    if not jobs:
        raise BadRecords("no prompts are left to measure")
    measured = []
    number = max((run.repeat for run in timing.read(options.raw)), default=0) if options.raw and options.raw.exists() else 0
    with contextlib.ExitStack() as stack:
        methods = {name: run for name, run in _methods(bench, options, stack) if not options.method or name in options.method}
        until = time.monotonic() + 60 * options.minutes
        for repeat in range(options.no_warm_up, options.repeats + 1):
            whole = [
                Measured(name, job.id, number + repeat, methods[name](job))
                for turn, job in enumerate(jobs)
                for name in random.Random(f"{repeat} {turn}").sample(list(methods), len(methods))  # noqa: S311
            ]
            measured += whole if repeat else []
            for run in whole if repeat and options.raw else []:
                timing.append(run, options.raw)
            if repeat and time.monotonic() > until:
                break
    return timing.read(options.raw) if options.raw else measured


def _bench(options: argparse.Namespace) -> Bench:
    target = load_target(options.model, device=options.device, dtype=options.dtype, threads=options.threads)
    head = options.head or (DEMO_HEAD if options.model == "demo" else None)
    codec = Codec(load_tokenizer(options.model))
    return Bench(
        target=target,
        codec=codec,
        costs=step_costs(target, CACHE / "costs"),
        head=head,
        template=options.template or ("demo" if options.model == "demo" else "thesis"),
        max_tokens=options.max_tokens,
        context=min(options.context, target.config.max_positions),
        clock=CLOCKS[options.clock],
        prefixes=PrefixCache(2 << 30) if options.keep_prompts else None,
        datastore=read_datastore(options.datastore, fingerprint(codec.hf.get_vocab())) if options.datastore else None,
    )


def _jobs(options: argparse.Namespace) -> list[Job]:
    if options.set == "control":
        return prompts.control(options.data or prompts.CONTROL)
    if options.set == "exported":
        return prompts.exported(options.data)
    return prompts.squad(options.data or prompts.SQUAD) if options.data or options.set == "squad" else prompts.handbook()


def _methods(bench: Bench, options: argparse.Namespace, stack: contextlib.ExitStack) -> Iterator[tuple[str, Method]]:
    if options.mode == "verbatim":
        yield from verbatim_methods(bench)
        return
    asked = options.method or []
    if ours := [name for name in asked if not _is_peer(name)]:
        yield from answer_methods(bench, ours)
    elif not asked:
        yield from answer_methods(bench)
    if asked and len(ours) == len(asked):
        return
    limits = Limits(options.max_tokens, bench.context, torch.get_num_threads(), bench.target.config.eos_token_ids, options.clock)
    with _or_a_word():
        for name, generate in transformers_peer(options.model, bench.target.device, bench.target.dtype, limits):
            yield name, partial(_peer, bench, generate)
    with _or_a_word():
        for name, generate in stack.enter_context(llama_peer(options.model, options.peer_python, limits)):
            yield name, partial(_peer, bench, generate)


@contextlib.contextmanager
def _or_a_word() -> Iterator[None]:
    try:
        yield
    except NoPeer as missing:
        print(f"left out: {missing}", file=sys.stderr)


def _peer(bench: Bench, generate: Callable[[tuple[int, ...]], Run], job: Job) -> Run:
    return generate(bench.prompt(job).token_ids)


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="decode", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=["handbook", "squad", "control", "exported"], help="default: squad with --data, else handbook")
    parser.add_argument(
        "--data",
        type=Path,
        help="SQuAD's format; with --set control a jsonl of {source | prompt}; with --set exported one of `bedside export-prompts`",
    )
    parser.add_argument("--mode", choices=["answer", "verbatim"], default="answer")
    parser.add_argument("--limit", type=int, default=8, help="prompts (default 8)")
    parser.add_argument("--skip", type=int, default=0, help="prompts to leave out first, so that sessions can share the work")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--no-warm-up", action="store_true", help="count from the first repeat on: for processor time")
    parser.add_argument("--minutes", type=float, default=60, help="no further repeat is begun after these")
    parser.add_argument("--max-tokens", type=int, default=64)
    parser.add_argument("--context", type=int, default=2048, help="longer prompts are left out")
    parser.add_argument(
        "--method",
        action="append",
        help="only this one; repeatable. Beside the names of the table, drafters by the registry's: blend+eagle, plan:blend+eagle",
    )
    parser.add_argument("--raw", type=Path, help="jsonl to add every run to; the figures are then those of the whole file")
    parser.add_argument("--report", type=Path, help="measure nothing: the figures of such a file")
    parser.add_argument("--model", default="demo", help="demo, a folder, a GGUF file or a name on the hub (default demo)")
    parser.add_argument("--head", type=Path, help="EAGLE head (default: the shipped EAGLE-3 head of the demo model)")
    parser.add_argument("--template")
    parser.add_argument("--peer-python", help="a Python that has llama-cpp-python, where this one has not")
    parser.add_argument("--keep-prompts", action="store_true", help="compute each prompt once: measures the tokens after the first, sooner")
    parser.add_argument("--datastore", type=Path, help="for the drafters that copy from one")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="auto", choices=["auto", "bf16", "fp32"])
    parser.add_argument("--threads", type=int)
    parser.add_argument("--clock", choices=sorted(CLOCKS), default="wall", help="cpu: processor time, for one thread of a busy machine")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args(argv)


def _as_json(figures: dict[str, Figures], measured: list[Measured], repeats: int, options: argparse.Namespace) -> dict[str, Any]:
    same, asked = timing.same_answers(measured, [name for name in figures if not _is_peer(name)])
    return {
        "methods": {name: asdict(own) | {"computed_8b_gpu": _computed(name, own)} for name, own in figures.items()},
        "repeats": repeats,
        "prompts": asked,
        "same_answers": same,
        "threads": options.threads or torch.get_num_threads(),
        "clock": options.clock,
        "accepted_lengths": {name: timing.lengths(run for run in measured if run.method == name) for name in figures},
        "tokens_by_source": {name: timing.sources(run for run in measured if run.method == name) for name in figures},
    }


def _computed(name: str, own: Figures) -> float | None:
    return None if own.tau is None or own.nodes_per_step is None else tokens_per_second(name, own.tau, own.nodes_per_step)


def _is_peer(name: str) -> bool:
    return name.startswith(("transformers", "llama.cpp"))


def _table(figures: dict[str, Figures], measured: list[Measured], repeats: int, threads: int) -> str:
    same, asked = timing.same_answers(measured, [name for name in figures if not _is_peer(name)])
    lines = [
        f"{'':28}{'tokens/s':>10}{'spread':>8}{'answer, s':>11}{'first, s':>10}{'tau':>6}{'nodes':>7}{'x plain':>9}"
        f"{'x transf.':>10}{'x llama':>9}{'8B GPU*':>9}"
    ]
    for name, own in figures.items():
        optional = [
            _cell(own.tau, 6, 2),
            _cell(own.nodes_per_step, 7, 1),
            _cell(own.vs_plain, 9, 2),
            _cell(own.vs_transformers, 10, 2),
            _cell(own.vs_llama_cpp, 9, 2),
            _cell(_computed(name, own), 9, 0),
        ]
        lines.append(
            f"{name:28}{own.tokens_per_second:>10.1f}{f'{100 * own.spread:.0f}%':>8}{own.seconds_to_answer:>11.3f}"
            f"{own.seconds_to_first_token:>10.3f}{''.join(optional)}"
        )
    lines.append(f"{asked} prompts, median of {repeats} repeats or more, {threads} threads; our ways agree on {same} of the answers")
    lines.append("* computed, not measured: tokens/s that this tau would give with an 8B model's step costs on one H100 (projection.py)")
    return "\n".join(lines)


def _cell(value: float | None, width: int, digits: int) -> str:
    return f"{'-' if value is None else f'{value:.{digits}f}':>{width}}"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
