"""prefix: what keeping prompts' prefixes saves: the time to the first token of a question, and of a
second one on the same passages.

Each pair of questions runs on an engine that keeps prefixes and, for its second question, on one
that does not, in turn.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median

from services.generator.bench.common import prompts
from services.generator.bench.common.prompts import PromptJob
from services.generator.bench.common.recorded import BadRecords
from services.generator.bench.engines.ours import Answering, Bench
from services.generator.engine.engine import Engine, EngineOptions
from services.generator.errors import ModelError
from services.generator.models.loading import load_target, load_tokenizer
from services.generator.planner.costs import Costs
from services.generator.text.codec import Codec


@dataclass(frozen=True, slots=True)
class Prefix:
    """Medians over the pairs, in seconds to the first token. The same answers are a check, not a
    hope."""

    pairs: int
    prompt_tokens: float
    cached_tokens: float  # of the second question's prompt
    first_question: float
    second_question: float
    second_without: float  # the second question, nothing kept
    same_answers: int


def pairs(jobs: list[PromptJob]) -> list[tuple[PromptJob, PromptJob]]:
    """Return each question, and its neighbour's question on its passages."""
    return [
        (job, replace(job, id=f"{job.id}+", question=other.question))
        for job, other in zip(jobs, jobs[1:] + jobs[:1], strict=True)
    ]


def measure(bench: Bench, jobs: list[PromptJob]) -> Prefix:
    keeping = Answering(bench, Engine(bench.target, {}, EngineOptions(rows=1, context=bench.context)))
    forgetting = Answering(
        bench, Engine(bench.target, {}, EngineOptions(rows=1, context=bench.context, prefix_bytes=0))
    )
    forgetting.run(jobs[-1])  # warms up
    firsts, seconds, without, cached, same = [], [], [], [], 0
    for first, other in pairs(jobs):
        firsts.append(keeping.run(first).first)
        kept = keeping.run(other)
        cached.append(kept.cached)
        fresh = forgetting.run(other)
        seconds.append(kept.first)
        without.append(fresh.first)
        same += kept.tokens == fresh.tokens
    size = median(len(bench.prompt(other).token_ids) for _, other in pairs(jobs))
    return Prefix(len(jobs), size, median(cached), median(firsts), median(seconds), median(without), same)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="prefix", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="SQuAD's format instead of the handbook")
    parser.add_argument("--limit", type=int, default=16)
    parser.add_argument("--model", default="demo")
    parser.add_argument("--dtype", default="auto", choices=["auto", "bf16", "fp32"])
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    try:
        jobs = (prompts.squad(options.data) if options.data else prompts.handbook())[: options.limit]
        target = load_target(options.model, device=options.device, dtype=options.dtype, threads=options.threads)
    except (BadRecords, ModelError) as error:
        print(error, file=sys.stderr)
        return 2
    codec = Codec(load_tokenizer(options.model))
    bench = Bench(target, codec, Costs((1, 2), (1,), ((1.0, 1.0),)), None, "demo", 16, target.config.max_positions)
    measured = measure(bench, jobs)
    print(json.dumps(asdict(measured)) if options.json else _text(measured))
    return 0


def _text(measured: Prefix) -> str:
    return (
        f"to the first token, median of {measured.pairs}: first question {measured.first_question:.3f} s, second on "
        f"the same passages"
        f" {measured.second_question:.3f} s ({measured.second_without:.3f} s when nothing is "
        f"kept);\n{measured.cached_tokens:.0f} of"
        f" {measured.prompt_tokens:.0f} prompt tokens were kept; {measured.same_answers} of {measured.pairs} answers "
        f"are the same"
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
