"""replay: recorded answers through a training-free drafter. No model: the record is what the target
would have said.

A greedy target that says exactly the recorded answer accepts, of every tree, the path along that
answer, and adds its own next token. So tau here is what the drafter would reach on these texts, the
same on every machine; only the microseconds are this machine's.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from services.generator.bench.common.recorded import BadRecords, Record, Where, read_records, read_tokenizer
from services.generator.drafters import Drafter, DrafterContext
from services.generator.drafters.copies.blend import BlendOptions
from services.generator.drafters.registry import available, names_of, open_drafters
from services.generator.engine.drafting import Drafting
from services.generator.engine.replay import Recorded, replay
from services.generator.text.kinds import token_kinds

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


def measure(label: str, drafters: Mapping[str, Drafter], records: Iterable[Record], nodes: int) -> Replay:
    """Send every answer of `records` through these drafters, trees of at most `nodes` nodes, the
    root included."""
    drafting = Drafting(drafters, nodes)
    answers = tokens = steps = drafted = fewest = 0
    seconds = 0.0
    for number, record in enumerate(records):
        for step in replay(drafting, Recorded(f"{number}", record.source, record.answer)):
            steps, drafted, seconds = steps + 1, drafted + len(step.tree) - 1, seconds + step.seconds
        answers, tokens = answers + 1, tokens + len(record.answer)
        fewest += longest_runs(record.source, record.answer)
    return Replay(label, tokens / steps, drafted / steps, 1e6 * seconds / steps, tokens / fewest, answers, tokens)


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
    parser.add_argument("--data", type=Path, required=True, help="jsonl of {source | prompt, answer, ...}")
    parser.add_argument(
        "--tokenizer", type=Path, required=True, help="tokenizer.json, plain or .gz, or a folder that holds it"
    )
    named = parser.add_argument(
        "--drafter", choices=["all", *sorted(known)], type=lambda name: name.replace("_", "-"), nargs="+", required=True
    )
    named.help = "several are compared"
    parser.add_argument("--by", metavar="FIELD", help="one row for each value of this field, for example model")
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
        records = read_records(options.data, tokenizer, conditions, options.limit)
    except BadRecords as error:
        print(error, file=sys.stderr)
        return 2
    context = DrafterContext(kinds=token_kinds(tokenizer))
    planned = {"blend": BlendOptions(mean=options.mean)}
    labels = sorted(set(known.values())) if "all" in options.drafter else options.drafter
    results = [
        (group, measure(label, open_drafters(names_of(known[label]), context, planned), own, options.nodes))
        for group, own in _grouped(records, options.by).items()
        for label in labels
    ]
    if options.json:
        objects = [asdict(result) | ({options.by: group} if options.by else {}) for group, result in results]
        print(json.dumps(objects[0] if len(objects) == 1 else {"results": objects}))
    else:
        print("\n".join(_table(result) for _, result in results) if len(results) == 1 else _rows(results))
    return 0


def _grouped(records: list[Record], field: str | None) -> dict[str, list[Record]]:
    """By the field's values, in their order; under "" when none is named."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record.fields.get(field, "") if field else "", []).append(record)
    return groups


def _rows(results: list[tuple[str, Replay]]) -> str:
    lines = [f"{'':28}{'drafter':18}{'tau':>7}{'nodes':>7}{'us':>6}{'oracle':>8}{'answers':>9}"]
    lines += [
        f"{group[:27]:28}{each.drafter:18}{each.tau:>7.3f}{each.nodes_per_step:>7.1f}{each.microseconds_per_draft:>6.0f}"
        f"{each.oracle:>8.3f}{each.answers:>9}"
        for group, each in results
    ]
    return "\n".join(lines)


def _table(result: Replay) -> str:
    return (
        f"{result.drafter}: tau {result.tau:.3f} (bonus token counted) at {result.nodes_per_step:.1f} nodes a step,"
        f" {result.microseconds_per_draft:.0f} us a draft\n"
        f"oracle {result.oracle:.3f}; {result.answers} answers, {result.tokens} tokens"
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
