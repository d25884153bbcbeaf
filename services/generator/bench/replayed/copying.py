"""copying: microseconds that a draft without a model and its merging with an EAGLE tree take, by
context, on one core. No model.

The text is made: words as frequent as in language, a third of it repeated from earlier on, as
answers repeat their passages. Three tokens join the context between two drafts. `start` is what
indexing the prompt takes, once per request.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from statistics import mean, median
from typing import TypeVar

import numpy as np

from services.generator.drafters import DrafterContext, StepState
from services.generator.drafters.registry import available, open_drafter
from services.generator.native.text import FORMS, TokenKinds
from services.generator.speculation.tree import TreeBuilder, merge
from services.generator.types import DraftTree, NodeOrigin, Prompt, SamplingParams, Sequence

VOCABULARY, NODES, STEP = 20_000, 60, 3
Value = TypeVar("Value")
EAGLE = (NodeOrigin("eagle"),)


@dataclass(frozen=True, slots=True)
class Copying:
    """Microseconds per step: medians, and the mean of draft and merge together."""

    context: int
    draft: float
    merge: float  # with an EAGLE tree of 60 nodes
    both: float
    both_mean: float
    start_milliseconds: float
    nodes: float  # that were copied, per step


def text(length: int, seed: int = 0) -> list[int]:
    random = np.random.default_rng(seed)
    chances = 1 / np.arange(1, VOCABULARY + 1)
    chances /= chances.sum()
    tokens: list[int] = []
    while len(tokens) < length:
        if tokens and random.random() < 0.3:
            start = int(random.integers(0, len(tokens)))
            tokens += tokens[start : start + int(random.integers(4, 40))]
        else:
            tokens += random.choice(VOCABULARY, size=20, p=chances).tolist()
    return tokens[:length]


def kinds() -> TokenKinds:
    """Every third token is another spelling of the one before it; forms are as they come."""
    tokens = np.arange(VOCABULARY, dtype=np.int32)
    return TokenKinds(tokens - (tokens % 3 == 2).astype(np.int32), (tokens % FORMS).astype(np.int8))


def eagle_tree(root: int, random: np.random.Generator) -> DraftTree:
    builder = TreeBuilder(root)
    while len(builder.token_ids) < NODES:
        parent = int(random.integers(0, len(builder.token_ids)))
        builder.add(parent, int(random.integers(0, VOCABULARY)), builder.scores[parent] * float(random.random()), EAGLE)
    return builder.build()


def measure(name: str, context: int, steps: int) -> Copying:
    tokens = np.array(text(context + STEP * (steps + 1)), np.int32)
    prompt = tuple(tokens[:context].tolist())
    sequence = Sequence(
        "bench", Prompt(prompt, (None,) * context, (), "bench"), SamplingParams(max_tokens=STEP * (steps + 1))
    )
    drafter = open_drafter(name, DrafterContext(kinds=kinds()))
    start, _ = _timed(partial(drafter.start, sequence))
    random, drafts, merges, nodes = np.random.default_rng(1), [], [], 0
    for step in range(1, steps + 1):
        state = StepState(sequence, tokens[: context + STEP * step])
        eagle = eagle_tree(int(state.context[-1]), random)
        seconds, (copied,) = _timed(partial(drafter.propose, [state], NODES))
        drafts.append(1e6 * seconds)
        merges.append(1e6 * _timed(partial(merge, [copied, eagle], NODES))[0])
        nodes += len(copied) - 1
    both = [draft + merged for draft, merged in zip(drafts, merges, strict=True)]
    return Copying(context, median(drafts), median(merges), median(both), mean(both), 1e3 * start, nodes / steps)


def _timed(run: Callable[[], Value]) -> tuple[float, Value]:
    began = time.perf_counter()
    value = run()
    return time.perf_counter() - began, value


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="copying", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--context", type=int, nargs="+", default=[1024, 4096, 16384, 131072])
    parser.add_argument("--drafter", choices=available(DrafterContext()), default="copy")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    measured = [measure(options.drafter, context, options.steps) for context in options.context]
    print(
        json.dumps(
            {"drafter": options.drafter, "contexts": [asdict(each) for each in measured], "steps": options.steps}
        )
        if options.json
        else _table(measured)
    )
    return 0


def _table(measured: list[Copying]) -> str:
    lines = [f"{'context':>9}{'draft, us':>11}{'merge':>8}{'both':>8}{'mean':>8}{'nodes':>8}{'start, ms':>11}"]
    lines += [
        f"{each.context:>9}{each.draft:>11.1f}{each.merge:>8.1f}{each.both:>8.1f}{each.both_mean:>8.1f}"
        f"{each.nodes:>8.1f}{each.start_milliseconds:>11.1f}"
        for each in measured
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
