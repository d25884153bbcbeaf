"""methods: every drafter that is registered, every policy and the planner, side by side: with a
model, and on recorded answers.

With a model every prompt is answered by every method in turn, greedily, and a method's speed is
compared with plain decoding's, EAGLE's and CASD's on the same prompt: medians of these ratios. A
registered drafter is verified whole (`copy`) and cut to what pays by measured costs (`plan:copy`),
with EAGLE beside it too. The datastores of REST and DReSD are made of the model's own answers to
further questions of the set. --priced has the model answer each prompt once and reckons the rest
(priced.py). --recorded replays answers by the drafters that need no training, at several budgets of
nodes. --raw keeps every single run, a file for each set; several sessions may add to them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from collections.abc import Sequence as Seq
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import torch

from services.generator.bench.common import timing
from services.generator.bench.common.prompts import PromptJob
from services.generator.bench.common.recorded import BadRecords, Where, read_records, read_tokenizer
from services.generator.bench.common.timing import MeasuredRun, TimedRun
from services.generator.bench.decoding.decode import Method, in_rounds
from services.generator.bench.decoding.dense import own_answers
from services.generator.bench.decoding.priced import priced, read_costs
from services.generator.bench.engines.arctic import arctic_drafters
from services.generator.bench.engines.ours import PAPERS, WAYS, Bench, answer_methods, keep_prompts, way_of
from services.generator.bench.engines.peers import NoPeer, PeerLimits, transformers_peer
from services.generator.bench.engines.setting import bench_of, jobs_of, parser_of, rounds_in
from services.generator.bench.replayed.replay import measure, training_free
from services.generator.datastore import dense
from services.generator.datastore.build import build
from services.generator.drafters import DrafterContext
from services.generator.drafters.registry import DRAFTERS, available, open_drafters
from services.generator.errors import BadRequest, ModelError
from services.generator.text.kinds import token_kinds

AGAINST = {"plain": "plain", "EAGLE": "EAGLE", "CASD": "CASD"}
# searches behind others' drafts; or reads or needs what a set's prompts do not bring
ALONE_ONLY = {"reader", "rag", "small-model"}


@dataclass(frozen=True, slots=True)
class Compared:
    """One method on one set. `against`: its tokens per second over another's on the same prompt,
    median; tau counts the bonus token."""

    method: str
    tau: float | None
    nodes_per_step: float | None
    tokens_per_second: float
    against: dict[str, float]
    same_answers: int  # as plain decoding's
    prompts: int
    lossless: bool
    accepted_lengths: dict[str, dict[int, int]]


def every_method(bench: Bench) -> list[str]:
    """Name the methods of the table that this model has what they need for."""
    known = [name for name in available(bench.context_of_drafters) if name not in ALONE_ONLY]
    looking = [name for name in known if name != "eagle"]
    head = "eagle" in known
    named = [
        name for name, way in (WAYS | PAPERS).items() if set(way.drafters) <= {*known, *(["reader"] if head else [])}
    ]
    shown = {(way_of(name).drafters, way_of(name).planned, way_of(name).policy) for name in named}
    made = [*looking, *(f"plan:{name}" for name in looking), *(f"plan:{name}+eagle" for name in looking if head)]
    return [
        *named,
        *(name for name in made if (way_of(name).drafters, way_of(name).planned, way_of(name).policy) not in shown),
    ]


def compared(measured: Seq[MeasuredRun]) -> list[Compared]:
    """Compare every method with those of AGAINST on the same prompts."""
    figures = timing.figures(measured)
    speeds = {(each.method, each.job, each.repeat): _speed(each.run) for each in measured}
    plain = {each.job: each.run.tokens for each in measured if each.method == "plain"}
    rows = []
    for name, own in figures.items():
        runs = [each for each in measured if each.method == name]
        against = {}
        for title, other in AGAINST.items():
            pairs = [(_speed(each.run), speeds.get((other, each.job, each.repeat), 0.0)) for each in runs]
            if ratios := [ours / theirs for ours, theirs in pairs if theirs and ours]:
                against[title] = median(ratios)
        answers = {each.job: each.run.tokens for each in runs}
        same = sum(plain.get(job) == tokens for job, tokens in answers.items())
        lossless = name not in (WAYS | PAPERS) or way_of(name).acceptance.lossless
        lengths = timing.lengths(runs)
        rows.append(
            Compared(
                name, own.tau, own.nodes_per_step, own.tokens_per_second, against, same, len(answers), lossless, lengths
            )
        )
    return rows


def _speed(run: TimedRun) -> float:
    seconds = run.seconds - run.first
    return (len(run.tokens) - run.opening) / seconds if seconds > 0 else 0.0


def _measure(options: argparse.Namespace, bench: Bench, jobs: Seq[PromptJob], raw: Path | None) -> list[MeasuredRun]:
    methods = dict(answer_methods(bench, options.method or every_method(bench)))
    if options.peers:
        methods |= dict(_peers(options, bench))
    keep_prompts(bench, jobs)
    return in_rounds(jobs, methods, options, raw)


def _priced(options: argparse.Namespace, bench: Bench, jobs: Seq[PromptJob], raw: Path | None) -> list[MeasuredRun]:
    bench = bench if options.costs is None else replace(bench, costs=read_costs(options.costs))
    measured = priced(bench, jobs, options.method or every_method(bench))
    if raw is None:
        return measured
    for each in measured:
        timing.append(each, raw)
    return timing.read(raw)


def _peers(options: argparse.Namespace, bench: Bench) -> Iterator[tuple[str, Method]]:
    limits = PeerLimits(
        options.max_tokens, bench.context, torch.get_num_threads(), bench.target.config.eos_token_ids, options.clock
    )
    try:
        for name, generate in transformers_peer(options.model, bench.target.device, bench.target.dtype, limits):
            yield name, partial(_answer, bench, generate)
    except NoPeer as missing:
        print(f"left out: {missing}", file=sys.stderr)


def _answer(bench: Bench, generate: Any, job: PromptJob) -> TimedRun:
    run: TimedRun = generate(bench.prompt(job).token_ids)
    return run


def _with_own_answers(bench: Bench, jobs: Seq[PromptJob]) -> Bench:
    """Return it with the datastores of what the model says to these."""
    if not jobs:
        return bench
    said = list(own_answers(bench, jobs))
    states = dense.build(bench.target, [((*prompt, *answer), len(prompt)) for prompt, answer in said])
    return replace(bench, datastore=build([answer for _, answer in said], "bench"), dense=states)


def _replayed(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Replay recorded answers by every drafter that looks up and needs no training, and by a peer's
    where it is installed."""
    tokenizer = read_tokenizer(options.tokenizer)
    context = DrafterContext(kinds=token_kinds(tokenizer))
    for file in options.recorded:
        records = read_records(file, tokenizer, [Where.parse(text) for text in options.where], options.answers)
        for nodes in options.nodes:
            for name in sorted(set(training_free().values())):
                if DRAFTERS[name].lacks(context) is None:
                    figures = measure(name, open_drafters((name,), context), records, nodes)
                    yield {"set": file.stem, "nodes": nodes} | asdict(figures)
            for name, drafter in arctic_drafters():
                yield {"set": file.stem, "nodes": nodes} | asdict(
                    measure(name, {drafter.name: drafter}, records, nodes)
                )


def main(argv: list[str]) -> int:
    options = _options(argv)
    try:
        by_set = {name: compared(_set(name, options)) for name in options.sets}
        replayed = list(_replayed(options)) if options.recorded else []
    except (BadRecords, BadRequest, ModelError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(
            json.dumps(
                {"sets": {name: [asdict(each) for each in own] for name, own in by_set.items()}, "replayed": replayed}
            )
        )
    else:
        print(
            "\n\n".join(
                [*(_table(name, own) for name, own in by_set.items()), *([_curves(replayed)] if replayed else [])]
            )
        )
    return 0


def _set(name: str, options: argparse.Namespace) -> list[MeasuredRun]:
    raw = options.raw / f"{name}.jsonl" if options.raw else None
    if options.report:
        assert raw is not None
        return timing.read(raw)
    if raw:
        raw.parent.mkdir(parents=True, exist_ok=True)
    own = argparse.Namespace(
        **(vars(options) | {"set": name, "limit": options.skip + options.limit + options.own_answers, "skip": 0})
    )
    bench = bench_of(own)
    jobs = jobs_of(own, bench)
    if options.priced:
        return _priced(options, bench, jobs[options.skip : options.skip + options.limit], raw)
    chosen, further = jobs[options.skip : options.skip + options.limit], jobs[options.skip + options.limit :]
    return _measure(own, _with_own_answers(bench, further[: options.own_answers]), chosen, raw)


def _table(name: str, rows: Seq[Compared]) -> str:
    lines = [
        f"{name:28}{'tau':>6}{'nodes':>7}{'tokens/s':>10}"
        + "".join(f"{'x ' + title:>10}" for title in AGAINST)
        + f"{'same':>7}"
    ]
    for own in rows:
        ratios = "".join(f"{own.against[title]:>10.2f}" if title in own.against else f"{'-':>10}" for title in AGAINST)
        tau, nodes = (f"{value:.2f}" if value is not None else "-" for value in (own.tau, own.nodes_per_step))
        mark = "" if own.lossless else "  not lossless"
        lines.append(
            f"{own.method:28}{tau:>6}{nodes:>7}{own.tokens_per_second:>10.1f}{ratios}{own.same_answers:>4}/{own.prompts:<2}{mark}"
        )
    return "\n".join(lines)


def _curves(replayed: Seq[dict[str, Any]]) -> str:
    lines = [f"{'replayed':28}{'drafter':28}{'at most':>8}{'tau':>7}{'nodes':>7}{'us':>6}"]
    lines += [
        f"{own['set'][:27]:28}{own['drafter']:28}{own['nodes']:>8}{own['tau']:>7.3f}{own['nodes_per_step']:>7.1f}"
        f"{own['microseconds_per_draft']:>6.0f}"
        for own in replayed
    ]
    return "\n".join(lines)


def _options(argv: list[str]) -> argparse.Namespace:
    parser = parser_of("methods", __doc__ or "")
    parser.add_argument(
        "--sets", nargs="*", choices=["handbook", "squad", "control"], default=["handbook", "squad", "control"]
    )
    parser.add_argument("--method", action="append", help="only this one; repeatable; names as for `decode`")
    parser.add_argument(
        "--priced",
        action="store_true",
        help="on the model's answers, steps priced by measured costs: no step is computed again",
    )
    parser.add_argument(
        "--costs",
        type=Path,
        help="of --priced: a table measured elsewhere, {nodes, contexts, seconds} (default this machine's)",
    )
    parser.add_argument("--peers", action="store_true", help="transformers too: plain, prompt lookup and early exit")
    parser.add_argument(
        "--own-answers", type=int, default=16, help="that the datastores of REST and DReSD are made of; 0: none"
    )
    rounds_in(parser, 1)
    parser.add_argument(
        "--raw", type=Path, help="folder of jsonl files, one a set, to add every run to; the figures are of whole files"
    )
    parser.add_argument("--report", action="store_true", help="measure nothing with a model: the figures of --raw")
    parser.add_argument("--recorded", type=Path, nargs="*", default=[], help="jsonl of recorded answers to replay")
    parser.add_argument("--tokenizer", type=Path, help="of the recorded answers")
    parser.add_argument("--answers", type=int, help="of each recorded file (default all)")
    parser.add_argument(
        "--where", action="append", default=[], metavar="FIELD=SUBSTRING", help="of these, as for `replay`; repeatable"
    )
    parser.add_argument("--nodes", type=int, nargs="+", default=[60], help="budgets of nodes for recorded answers")
    options = parser.parse_args(argv)
    if options.recorded and options.tokenizer is None:
        parser.error("--recorded wants --tokenizer")
    if options.report and options.raw is None:
        parser.error("--report wants --raw")
    return options


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
