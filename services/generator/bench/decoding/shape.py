"""shape: the fixed EAGLE tree that is fastest on this machine, by READER's search (supplement A.1).

Acceptance is counted on prompts, time is measured. The tree that it begins with is verified whole
on every prompt of the set; the tree that it ends with is written as JSON (--out), for `decode
--tree`. What the planner does from step to step with dynamic trees, this does once.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence as Seq
from itertools import pairwise
from pathlib import Path

from services.generator.bench.common.prompts import PromptJob
from services.generator.bench.common.recorded import BadRecords
from services.generator.bench.decoding.setting import bench_of, jobs_of, parser_of
from services.generator.bench.engines.ours import Answering, Bench
from services.generator.drafters import StepState
from services.generator.drafters.eagle import EagleDrafter
from services.generator.drafters.registry import open_drafter
from services.generator.errors import BadRequest, ModelError
from services.generator.planner import tree_search
from services.generator.planner.draft_costs import draft_seconds
from services.generator.speculation.eagle_tree import TreeShape
from services.generator.types import Accepted, DraftTree

WIDTH, DEPTH = 6, 5


class Counting(EagleDrafter):
    """Counts how often each path of ranks was accepted."""

    def __post_init__(self) -> None:
        EagleDrafter.__post_init__(self)
        self.steps, self.accepted = 0, Counter[tuple[int, ...]]()

    def feedback(self, state: StepState, tree: DraftTree, accepted: Accepted) -> None:
        if len(tree) > 1:
            self.steps += 1
            self.accepted.update(ranks(tree, accepted.path))


def ranks(tree: DraftTree, path: Seq[int]) -> list[tuple[int, ...]]:
    """Return, for each accepted node, the ranks on the way to it: siblings in falling order of
    their scores."""
    found: list[tuple[int, ...]] = []
    own: tuple[int, ...] = ()
    for before, node in pairwise(path):
        siblings = [other for other in range(1, len(tree)) if tree.parents[other] == before]
        own = (*own, sorted(siblings, key=lambda other: -tree.scores[other]).index(node))
        found.append(own)
    return found


def measure(
    bench: Bench, jobs: Seq[PromptJob], context: int = 512
) -> tuple[dict[tuple[int, ...], float], tuple[tuple[int, ...], ...]]:
    """Return the rate of every path of the largest tree, and the best tree."""
    paths = tree_search.largest(WIDTH, DEPTH)
    shape = TreeShape(top_k=tree_search.width_of(paths), fixed=paths)
    opened = open_drafter("eagle", bench.context_of_drafters, shape)
    assert isinstance(opened, EagleDrafter)
    drafter = Counting(opened.head, shape)
    engine = bench.engine({"eagle": drafter}, None)
    for job in jobs:
        Answering(bench, engine).run(job)
    rates = {path: drafter.accepted[path] / max(1, drafter.steps) for path in shape.fixed}
    level = draft_seconds(EagleDrafter(opened.head, shape), bench.target, 256, 5) / DEPTH
    return rates, tree_search.search(rates, lambda nodes: bench.costs.verify(nodes, context), level)


def main(argv: list[str]) -> int:
    parser = parser_of("shape", __doc__ or "")
    parser.add_argument("--out", type=Path, help="file for the tree")
    options = parser.parse_args(argv)
    try:
        bench = bench_of(options)
        rates, best = measure(bench, jobs_of(options, bench))
    except (BadRecords, BadRequest, ModelError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    tau = 1 + sum(rates[path] for path in best)
    said = {"fixed": best, "expected_tau": tau, "tau_of_all": 1 + sum(rates.values()), "nodes": len(rates)}
    if options.out:
        options.out.write_text(json.dumps(said) + "\n")
    print(json.dumps(said) if options.json else _table(rates, best))
    return 0


def _table(rates: dict[tuple[int, ...], float], best: tuple[tuple[int, ...], ...]) -> str:
    lines = [
        f"{len(best)} of {len(rates)} nodes: tau {1 + sum(rates[path] for path in best):.2f} of "
        f"{1 + sum(rates.values()):.2f}"
    ]
    return "\n".join([*lines, *(f"{rates[path]:>7.3f}  {'.'.join(map(str, path))}" for path in best)])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
