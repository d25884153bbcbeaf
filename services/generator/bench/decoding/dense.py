"""dense: a dense datastore (DReSD) against one searched by exact suffix (REST), built from the same
answers of the model itself.

The model answers some questions greedily; from the first of the answers both datastores are built,
the others are replayed with each. The nearest states are found exactly among those that the next
token stands behind (drafters/datastores/dresd.py); --usearch also times an approximate index over
all of them, filtered afterwards as in the paper, and counts how often it finds the same.
"""

# Who compares installs what it compares with:
# pyright: reportMissingImports=false
from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from collections.abc import Sequence as Seq
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from services.generator.bench.common import prompts
from services.generator.bench.common.prompts import PromptJob
from services.generator.bench.common.recorded import BadRecords
from services.generator.bench.engines.ours import Answering, Bench
from services.generator.datastore import dense
from services.generator.datastore.build import build
from services.generator.datastore.dense import DenseDatastore
from services.generator.drafters import Drafter
from services.generator.drafters.datastores.dresd import DresdDrafter
from services.generator.drafters.datastores.rest import RestDrafter
from services.generator.engine.drafting import Drafting
from services.generator.engine.replay import Recorded, replay
from services.generator.errors import ModelError
from services.generator.models.loading import DEMO_HEAD, load_target, load_tokenizer
from services.generator.planner.costs import Costs
from services.generator.speculation.tree import depths
from services.generator.text.codec import Codec

NODES = 61  # of a tree, the root included: three drafts of 20


@dataclass(frozen=True, slots=True)
class DenseFigures:
    """Of one drafter over all the replayed answers."""

    tau: float  # tokens per step, the bonus token included
    nodes: float  # drafted per step
    acceptance: float  # tokens accepted over the length of the longest draft, mean over the steps that had one
    drafted: float  # share of the steps that had a draft
    microseconds: float  # of a draft


def main(argv: list[str]) -> int:
    options = _options(argv)
    try:
        bench, jobs = _bench(options), _jobs(options)
        answers = list(own_answers(bench, jobs[: options.answers + options.test]))
    except (BadRecords, ModelError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    known, fresh = answers[: options.answers], answers[options.answers :]
    stores = dense.build(bench.target, [((*prompt, *answer), len(prompt)) for prompt, answer in known])
    rest = RestDrafter(build([answer for _, answer in known], "bench"))
    records = [_recorded(bench, number, *each) for number, each in enumerate(fresh)]
    figures = {name: _told(drafter, records) for name, drafter in (("rest", rest), ("dresd", DresdDrafter(stores)))}
    found: dict[str, Any] = {"tokens": int((stores.tokens >= 0).sum()), "answers": len(known), "replayed": len(fresh)}
    found |= {"methods": {name: asdict(each) for name, each in figures.items()}}
    if options.usearch:
        found["usearch"] = _approximately(stores, records)
    print(json.dumps(found) if options.json else _table(found, figures))
    return 0


def own_answers(bench: Bench, jobs: Seq[PromptJob]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the tokens of each prompt and of what the model says to it."""
    way = Answering(bench, bench.engine(bench.drafters("copy"), bench.costs))
    for number, job in enumerate(jobs, start=1):
        yield bench.prompt(job).token_ids, way.run(job).tokens
        if number % 20 == 0:
            print(f"{number} of {len(jobs)} questions answered", file=sys.stderr)


def _recorded(bench: Bench, number: int, prompt: tuple[int, ...], answer: tuple[int, ...]) -> Recorded:
    import torch

    states = dense.hidden_states(bench.target, (*prompt, *answer))
    return Recorded(f"{number}", prompt, answer, features={"hidden": torch.from_numpy(states)})


def _told(drafter: Drafter, records: Seq[Recorded]) -> DenseFigures:
    drafting, tokens, steps, nodes, seconds = Drafting({drafter.name: drafter}, NODES), 0, 0, 0, 0.0
    rates = []
    for record in records:
        for step in replay(drafting, record):
            tokens, steps, nodes, seconds = (
                tokens + len(step.path),
                steps + 1,
                nodes + len(step.tree) - 1,
                seconds + step.seconds,
            )
            if len(step.tree) > 1:
                rates.append((len(step.path) - 1) / max(depths(step.tree)))
    return DenseFigures(
        tokens / steps,
        nodes / steps,
        float(np.mean(rates)) if rates else 0.0,
        len(rates) / steps,
        1e6 * seconds / steps,
    )


def _approximately(store: DenseDatastore, records: Seq[Recorded], count: int = 3, wide: int = 100) -> dict[str, float]:
    """Time both searches over the replayed answers' states: the slice of the next token, and an
    index filtered afterwards."""
    from usearch.index import Index

    index = Index(ndim=store.keys.shape[1], metric="ip")
    index.add(np.arange(len(store.keys)), np.array(store.keys))
    exact = approximate = 0.0
    same = asked = 0
    for record in records:
        tokens, states = (*record.prompt, *record.answer), record.features["hidden"].numpy()
        for place in range(len(record.prompt), len(tokens)):
            began = time.perf_counter()
            nearest = {entry for entry, _ in store.nearest(tokens[place], states[place - 1], count)}
            between = time.perf_counter()
            entries = index.search(store.projection.keys(states[place - 1][None])[0], wide).keys.astype(np.int64)
            filtered = [entry for entry in store.places[entries].tolist() if store.tokens[entry] == tokens[place]][
                :count
            ]
            exact, approximate = exact + between - began, approximate + time.perf_counter() - between
            same, asked = same + len(nearest & set(filtered)), asked + len(nearest)
    steps = sum(len(record.answer) for record in records)
    return {
        "exact_us": 1e6 * exact / steps,
        "usearch_us": 1e6 * approximate / steps,
        "found_of_exact": same / max(1, asked),
    }


def _table(found: dict[str, Any], figures: dict[str, DenseFigures]) -> str:
    lines = [f"{'':8}{'tau':>7}{'nodes':>8}{'accepted':>10}{'drafted':>9}{'us':>8}"]
    for name, own in figures.items():
        lines.append(
            f"{name:8}{own.tau:>7.3f}{own.nodes:>8.1f}{own.acceptance:>10.3f}{own.drafted:>9.3f}{own.microseconds:>8.0f}"
        )
    lines.append(
        f"datastores of {found['tokens']} tokens of {found['answers']} answers; {found['replayed']} others replayed"
    )
    if "usearch" in found:
        lines.append(
            "nearest: {exact_us:.0f} us exactly, {usearch_us:.0f} by usearch, which finds {found_of_exact:.2f} of "
            "them".format(**found["usearch"])
        )
    return "\n".join(lines)


def _bench(options: argparse.Namespace) -> Bench:
    target = load_target(options.model, device=options.device, threads=options.threads)
    return Bench(
        target=target,
        codec=Codec(load_tokenizer(options.model)),
        costs=Costs((1, 64), (256,), ((1.0, 8.0),)),  # of no importance: the text is the same
        head=DEMO_HEAD if options.model == "demo" else None,
        template=options.template or ("demo" if options.model == "demo" else "thesis"),
        max_tokens=options.max_tokens,
        context=min(options.context, target.config.max_positions),
    )


def _jobs(options: argparse.Namespace) -> list[PromptJob]:
    if options.set == "control":
        return prompts.control(options.data or prompts.CONTROL)
    return prompts.handbook() if options.set == "handbook" else prompts.squad(options.data or prompts.SQUAD)


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="dense", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", choices=["squad", "handbook", "control"], default="squad")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--answers", type=int, default=160, help="that the datastores are built from (default 160)")
    parser.add_argument("--test", type=int, default=40, help="further ones that are replayed (default 40)")
    parser.add_argument("--max-tokens", type=int, default=64)
    parser.add_argument("--context", type=int, default=2048)
    parser.add_argument("--model", default="demo")
    parser.add_argument("--template")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int)
    parser.add_argument(
        "--usearch", action="store_true", help="time an approximate index too; needs the package usearch"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
