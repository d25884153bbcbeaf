"""replay: recorded answers through drafters. No target: the record is what it would have said.

A greedy target that says exactly the recorded answer accepts, of every tree, the path along that
answer, and adds its own next token. So tau here is what the drafter would reach on these texts, the
same on every machine; only the microseconds are this machine's.

A method is a drafter by the registry's or the thesis's name, several joined by "+", chosen among by
a policy ("sam:automaton+suffix"), or another's by its name (RASD). `sources` tells by drafter how
many tokens of a step it gave; one that two proposed stands under both their names.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Seq
from dataclasses import asdict, dataclass
from pathlib import Path

from services.generator.bench.common.recorded import (
    BadRecords,
    Record,
    Where,
    read_records,
    read_tokenizer,
    with_said,
)
from services.generator.bench.engines.ours import PAPERS, way_of
from services.generator.drafters import Drafter, DrafterContext
from services.generator.drafters.copies.blend import BlendOptions
from services.generator.drafters.registry import available, open_drafters
from services.generator.engine import stats
from services.generator.engine.drafting import Drafting
from services.generator.engine.replay import Recorded, replay
from services.generator.errors import BadRequest, ModelError
from services.generator.models.loading import load_target
from services.generator.planner.policies import policy_of
from services.generator.text.kinds import token_kinds
from services.generator.types import Accepted, SequenceStats

NAMES = {"casd": "copy", "casd-prompt-only": "copy-prompt", "planner": "blend"}
"""The thesis's names, and what is planned over all copies, beside the registry's."""


def training_free() -> dict[str, str]:
    """Return the registry's drafters that need neither model nor head, by their names and the
    thesis's."""
    known = {name: name for name in available(DrafterContext())}
    return known | {alias: name for alias, name in NAMES.items() if name in known}


@dataclass(frozen=True, slots=True)
class Replay:
    """tau counts the bonus token; nodes_per_step leaves the root out; oracle is `longest_runs` on
    the same records."""

    drafter: str
    tau: float
    nodes_per_step: float
    microseconds_per_draft: float
    oracle: float
    answers: int
    tokens: int
    sources: dict[str, float]  # accepted tokens a step, by who drafted them; they add up to tau
    lengths: dict[str, float]  # accepted from the root on, a step that it drafted for, by drafter


def measure(
    label: str, drafters: Mapping[str, Drafter], records: Iterable[Record], nodes: int, policy: str = "merge"
) -> Replay:
    """Send every answer of `records` through these drafters, trees of at most `nodes` nodes, the
    root included."""
    drafting = Drafting(drafters, nodes, policy=policy_of(policy))
    answers = fewest = 0
    seconds, said = 0.0, SequenceStats()
    for number, record in enumerate(records):
        recorded = Recorded(f"{number}", record.source, record.answer, beside=record.beside)
        for step in replay(drafting, recorded):
            seconds += step.seconds
            stats.count(said, step.tree, Accepted(step.path, ()), len(step.path))
        answers += 1
        fewest += longest_runs(record.source, record.answer)
    steps = said.steps
    return Replay(
        label,
        said.tokens / steps,
        said.drafted / steps,
        1e6 * seconds / steps,
        said.tokens / fewest,
        answers,
        said.tokens,
        {name: count / steps for name, count in sorted(said.accepted_by_source.items())},
        {name: _mean(counts) for name, counts in sorted(said.accepted_lengths.items())},
    )


def _mean(counts: Mapping[int, int]) -> float:
    return sum(length * steps for length, steps in counts.items()) / sum(counts.values())


def longest_runs(source: tuple[int, ...], answer: tuple[int, ...]) -> int:
    """Count the steps of a drafter that always finds the longest run that the answer goes on with,
    anywhere in what precedes it.

    READER, section 3.2, with a bonus token: each step emits that run and one token more, so
    len(answer) / steps compares with tau. Runs are copied from what is already there.
    """
    text, steps, at = source + answer, 0, len(source)
    starts: dict[int, list[int]] = {}
    for place, token in enumerate(source):
        starts.setdefault(token, []).append(place)
    while at < len(text):
        longest = max((_run(text, place, at) for place in starts.get(text[at], ())), default=0)
        for place in range(at, min(at + longest + 1, len(text))):
            starts.setdefault(text[place], []).append(place)
        at += longest + 1
        steps += 1
    return steps


def _run(text: tuple[int, ...], place: int, at: int) -> int:
    """Count how far text[at:] agrees with text[place:at]."""
    length = 0
    while at + length < len(text) and place + length < at and text[place + length] == text[at + length]:
        length += 1
    return length


def main(argv: list[str]) -> int:
    known = training_free()
    parser = argparse.ArgumentParser(
        prog="replay", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="jsonl of {source | prompt, answer, ...}, or what `answers` wrote"
    )
    parser.add_argument(
        "--tokenizer", type=Path, required=True, help="tokenizer.json, plain or .gz, or a folder that holds it"
    )
    parser.add_argument(
        "--drafter",
        type=lambda name: name.replace("_", "-"),
        nargs="+",
        required=True,
        help=f"all, or methods to compare, made of {', '.join(sorted(known))}, or {', '.join(PAPERS)}",
    )
    parser.add_argument(
        "--by", metavar="FIELD", nargs="+", default=[], help="a row for each of their values, for example language kind"
    )
    parser.add_argument("--small", help="a smaller model with the same tokenizer, for small-model: a name or a folder")
    parser.add_argument(
        "--said",
        type=int,
        default=0,
        help="as many of the latest answers before, of one of the same documents, may be drafted from, too",
    )
    parser.add_argument("--threads", type=int, help="of the small model")
    parser.add_argument("--nodes", type=int, default=60, help="nodes per tree at most, the root included (default 60)")
    parser.add_argument(
        "--mean",
        type=float,
        default=0.0,
        help="nodes a step of the planner (blend) on average, trees of --nodes at most",
    )
    parser.add_argument("--limit", type=int, help="only the first LIMIT answers that --where keeps")
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="FIELD=SUBSTRING",
        help="for example model=Llama-3.1; repeatable",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    try:
        conditions = [Where.parse(text) for text in options.where]
        tokenizer = read_tokenizer(options.tokenizer)
        records = with_said(read_records(options.data, tokenizer, conditions, options.limit), options.said)
        small = load_target(options.small, threads=options.threads) if options.small else None
        context = DrafterContext(small=small, kinds=token_kinds(tokenizer))
        planned = {"blend": BlendOptions(mean=options.mean)}
        labels = sorted(set(known.values())) if "all" in options.drafter else options.drafter
        results = [
            (group, _measured(label, known, context, planned, own, options.nodes))
            for group, own in _grouped(records, options.by).items()
            for label in labels
        ]
    except (BadRecords, BadRequest, ModelError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        objects = [asdict(result) | dict(zip(options.by, group, strict=True)) for group, result in results]
        print(json.dumps(objects[0] if len(objects) == 1 else {"results": objects}))
    else:
        print("\n".join(_table(result) for _, result in results) if len(results) == 1 else _rows(results))
    return 0


def _measured(
    label: str,
    known: Mapping[str, str],
    context: DrafterContext,
    options: Mapping[str, object],
    records: Iterable[Record],
    nodes: int,
) -> Replay:
    """Open a method's drafters and measure it. Raises BadRequest."""
    way = way_of(known.get(label, label))
    if way.planned or not way.acceptance.lossless:
        raise BadRequest(f"{label}: a record has neither costs nor chances, so drafts are verified whole and exactly")
    drafters = open_drafters(way.drafters, context, {**options, **way.options})
    return measure(label, drafters, records, nodes, way.policy)


def _grouped(records: list[Record], fields: Seq[str]) -> dict[tuple[str, ...], list[Record]]:
    """By the fields' values, in their order."""
    groups: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        groups.setdefault(tuple(record.fields.get(field, "") for field in fields), []).append(record)
    return groups


def _rows(results: list[tuple[tuple[str, ...], Replay]]) -> str:
    lines = [
        f"{'':28}{'drafter':26}{'tau':>7}{'nodes':>7}{'us':>8}{'oracle':>8}{'answers':>9}  tokens a step, by source"
    ]
    lines += [
        f"{' '.join(group)[:27]:28}{each.drafter:26}{each.tau:>7.3f}{each.nodes_per_step:>7.1f}"
        f"{each.microseconds_per_draft:>8.0f}{each.oracle:>8.3f}{each.answers:>9}  {_sources(each)}"
        for group, each in results
    ]
    return "\n".join(lines)


def _table(result: Replay) -> str:
    return (
        f"{result.drafter}: tau {result.tau:.3f} (bonus token counted) at {result.nodes_per_step:.1f} nodes a step,"
        f" {result.microseconds_per_draft:.0f} us a draft\n"
        f"oracle {result.oracle:.3f}; {result.answers} answers, {result.tokens} tokens\n"
        f"tokens a step: {_sources(result)}"
    )


def _sources(result: Replay) -> str:
    return ", ".join(f"{name} {count:.3f}" for name, count in result.sources.items())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
