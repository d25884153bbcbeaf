"""long: answers from long documents, by a drafter that reads the retrieved parts alone (RAPID), by
copies, and plainly.

Every question comes with its three passages inside a document that is filled up with other
procedures to the wanted length, the passages at random places; the target reads all of it. Drafter
and target are one model (the paper's self-speculation). Greedy, one at a time, verified whole; each
prompt is answered by every way in turn.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from collections.abc import Sequence as Seq
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from services.contract.templates import render
from services.generator.bench.common import prompts
from services.generator.bench.common.prompts import PromptJob
from services.generator.bench.common.recorded import BadRecords
from services.generator.bench.engines.ours import Bench, timed
from services.generator.bench.engines.peers import CLOCKS
from services.generator.engine.engine import Request
from services.generator.engine.prefix_cache import PrefixCache
from services.generator.errors import ModelError
from services.generator.models.loading import load_target, load_tokenizer
from services.generator.planner.costs import Costs
from services.generator.text.answer_text import AnswerText
from services.generator.text.codec import Codec
from services.generator.text.prompt import Turn, build_prompt
from services.generator.text.provenance import SpanTracker
from services.generator.types import Passage, Prompt, Sequence

WAYS = {"plain": (), "copy": ("copy",), "rag": ("rag",), "copy+rag": ("copy", "rag")}


@dataclass(slots=True)
class LongFigures:
    """Of one way at one length, all answers together. `accepted`: tokens that the RAG drafter gave,
    per one that it proposed."""

    context: int
    way: str
    tau: float
    tokens_per_second: float
    accepted: float | None


def main(argv: list[str]) -> int:
    options = _options(argv)
    try:
        target = load_target(options.model, device=options.device, threads=options.threads)
        longest = min(max(options.context), target.config.max_positions)
        codec = Codec(load_tokenizer(options.model))
        costs = Costs((1, 64), (256,), ((1.0, 8.0),))  # of no importance: drafts are verified whole
        clock = CLOCKS[options.clock]
        template = "demo" if options.model == "demo" else "thesis"
        kept = PrefixCache(4 << 30)  # each prompt is computed once: what is measured comes after the first token
        bench = Bench(target, codec, costs, None, template, options.max_tokens, longest, clock=clock, prefixes=kept)
        jobs = prompts.squad(options.data) if options.data else prompts.handbook()
        figures = [
            each
            for context in options.context
            if context <= longest
            for each in _measure(bench, jobs, context, options.limit)
        ]
    except (BadRecords, ModelError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps([asdict(each) for each in figures]) if options.json else _table(figures))
    return 0


def _measure(bench: Bench, jobs: Seq[PromptJob], context: int, limit: int) -> Iterator[LongFigures]:
    engines = {name: bench.engine(bench.drafters(*drafters), None) for name, drafters in WAYS.items()}
    # tokens, steps, seconds, tokens of the drafter, and proposed by it
    sums = {name: [0, 0, 0.0, 0, 0] for name in WAYS}
    for number, prompt in enumerate(_prompts(bench, jobs, context, limit)):
        for name, engine in engines.items():
            sequence = Sequence(f"long-{context}-{number}-{name}", prompt, bench.sampling())
            text = AnswerText(bench.codec, (), SpanTracker(prompt.passages))
            run = timed(engine, Request(sequence, text, drafters=WAYS[name]), bench.clock)
            own = sums[name]
            own[0] += len(run.tokens)
            own[1] += run.steps
            own[2] += run.seconds - run.first
            own[3] += run.by_source.get("rag", 0)
            own[4] += run.drafted if name == "rag" else 0
    for name, (tokens, steps, seconds, taken, proposed) in sums.items():
        yield LongFigures(
            context, name, tokens / max(1, steps), tokens / max(1e-9, seconds), taken / proposed if proposed else None
        )


def _prompts(bench: Bench, jobs: Seq[PromptJob], context: int, limit: int) -> Iterator[Prompt]:
    """Yield prompts of about `context` tokens, the answer included."""
    room = context - bench.max_tokens - 200  # for the template and what the question takes
    for number, job in enumerate(jobs[:limit]):
        choose = random.Random(number)  # noqa: S311
        others = [passage for other in choose.sample(list(jobs), len(jobs)) for passage in other.passages]
        parts, size = list(job.passages), sum(len(bench.codec.encode(passage.text)[0]) for passage in job.passages)
        for passage in others:
            tokens = len(bench.codec.encode(passage.text)[0])
            if size + tokens > room:
                break
            if passage.text not in {part.text for part in parts}:
                parts.insert(choose.randint(0, len(parts)), passage)
                size += tokens
        whole = Passage("whole", job.passages[0].title, "\n".join(part.text for part in parts))
        yield replace(_prompt(bench, job, (whole,)), retrieved=_prompt(bench, job, job.passages).token_ids)


def _prompt(bench: Bench, job: PromptJob, passages: tuple[Passage, ...]) -> Prompt:
    rendered = render(bench.template, job.question, passages)
    return build_prompt(bench.codec, [Turn("user", rendered.pieces)], passages, rendered.version)


def _table(figures: Seq[LongFigures]) -> str:
    lines = [f"{'context':>8}  {'':10}{'tau':>6}{'tokens/s':>10}{'x plain':>9}{'accepted':>10}"]
    plain = {each.context: each.tokens_per_second for each in figures if each.way == "plain"}
    for each in figures:
        accepted = "-" if each.accepted is None else f"{each.accepted:.2f}"
        ratio = each.tokens_per_second / plain[each.context]
        lines.append(
            f"{each.context:>8}  "
            f"{each.way:10}{each.tau:>6.2f}{each.tokens_per_second:>10.1f}{ratio:>9.2f}{accepted:>10}"
        )
    return "\n".join(lines)


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="long", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--context", type=int, nargs="+", default=[1024, 4096, 8192], help="tokens of prompt and answer together"
    )
    parser.add_argument("--data", type=Path, help="SQuAD's format; else the handbook")
    parser.add_argument("--limit", type=int, default=3, help="prompts (default 3)")
    parser.add_argument("--max-tokens", type=int, default=48)
    parser.add_argument("--model", default="demo")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--clock", choices=sorted(CLOCKS), default="wall")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
