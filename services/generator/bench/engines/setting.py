"""The common setting of measurements that decode: their options, the model that they load, and the
prompts."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from services.generator.bench.common import prompts
from services.generator.bench.common.prompts import PromptJob
from services.generator.bench.common.recorded import BadRecords
from services.generator.bench.common.ward import WARDQA, ward
from services.generator.bench.engines.ours import Bench
from services.generator.bench.engines.peers import CLOCKS
from services.generator.datastore.store import fingerprint
from services.generator.datastore.store import read as read_datastore
from services.generator.engine.prefix_cache import PrefixCache
from services.generator.models.loading import CACHE, DEMO_HEAD, load_target, load_tokenizer
from services.generator.planner.costs import Costs, step_costs
from services.generator.text.codec import Codec

UNTIMED = Costs((1, 64), (256,), ((1.0, 8.0),))  # of no importance: where counts are measured alone


def parser_of(name: str, description: str) -> argparse.ArgumentParser:
    """Make a parser of the options that they share."""
    parser = argparse.ArgumentParser(
        prog=name, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--set",
        choices=["handbook", "handbook-nl", "ward", "squad", "control", "exported"],
        help="default: squad with --data, else handbook",
    )
    parser.add_argument(
        "--data",
        type=Path,
        help="SQuAD's format; with --set control a jsonl of {source | prompt}; with --set exported one of `bedside "
        "quality export-prompts`",
    )
    parser.add_argument("--limit", type=int, default=8, help="prompts (default 8)")
    parser.add_argument(
        "--skip", type=int, default=0, help="prompts to leave out first, so that sessions can share the work"
    )
    parser.add_argument("--max-tokens", type=int, default=64)
    parser.add_argument("--context", type=int, default=2048, help="longer prompts are left out")
    parser.add_argument(
        "--model", default="demo", help="demo, a folder, a GGUF file or a name on the hub (default demo)"
    )
    parser.add_argument("--head", type=Path, help="EAGLE head (default: the shipped EAGLE-3 head of the demo model)")
    parser.add_argument("--small", help="a smaller model with the same tokenizer, that drafts")
    parser.add_argument("--template")
    parser.add_argument(
        "--keep-prompts",
        action="store_true",
        help="compute each prompt once: measures the tokens after the first, sooner",
    )
    parser.add_argument("--datastore", type=Path, help="for the drafters that copy from one")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="auto", choices=["auto", "bf16", "fp32"])
    parser.add_argument("--threads", type=int)
    parser.add_argument(
        "--clock", choices=sorted(CLOCKS), default="wall", help="cpu: processor time, for one thread of a busy machine"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def rounds_in(parser: argparse.ArgumentParser, repeats: int) -> None:
    """Add the options of measurements that run all methods in rounds."""
    parser.add_argument("--repeats", type=int, default=repeats)
    parser.add_argument(
        "--warm-up", type=int, metavar="N", help="only the first N prompts are run before any is counted (default all)"
    )
    parser.add_argument("--no-warm-up", action="store_true", help="count from the first repeat on: for processor time")
    parser.add_argument("--minutes", type=float, default=60, help="no further repeat is begun after these")


def bench_of(options: argparse.Namespace, *, timed: bool = True) -> Bench:
    """Load what the options name; the costs of steps are measured where steps are `timed`. Raises
    ModelError and BadRecords."""
    target = load_target(options.model, device=options.device, dtype=options.dtype, threads=options.threads)
    head = options.head or (DEMO_HEAD if options.model == "demo" else None)
    codec = Codec(load_tokenizer(options.model))
    return Bench(
        target=target,
        codec=codec,
        costs=step_costs(target, CACHE / "costs") if timed else UNTIMED,
        head=head,
        template=options.template or ("demo" if options.model == "demo" else "thesis"),
        max_tokens=options.max_tokens,
        context=min(options.context, target.config.max_positions),
        clock=CLOCKS[options.clock],
        prefixes=PrefixCache(2 << 30) if options.keep_prompts else None,
        small=load_target(options.small, device=options.device, threads=options.threads) if options.small else None,
        datastore=read_datastore(options.datastore, fingerprint(codec.hf.get_vocab())) if options.datastore else None,
    )


def jobs_of(options: argparse.Namespace, bench: Bench) -> list[PromptJob]:
    """Read the prompts that fit. Raises BadRecords when none is left."""
    fitting = (job for job in _jobs(options) if len(bench.prompt(job).token_ids) + options.max_tokens <= bench.context)
    jobs = list(islice(fitting, options.skip, options.skip + options.limit))
    if not jobs:
        raise BadRecords("no prompts are left to measure")
    return jobs


def _jobs(options: argparse.Namespace) -> Iterable[PromptJob]:
    if options.set == "control":
        return prompts.control(options.data or prompts.CONTROL)
    if options.set == "exported":
        return prompts.exported(options.data)
    if options.set == "ward":
        return ward(options.data or WARDQA)
    if options.set == "handbook-nl":
        return prompts.handbook("nl")
    return (
        prompts.squad(options.data or prompts.SQUAD) if options.data or options.set == "squad" else prompts.handbook()
    )
