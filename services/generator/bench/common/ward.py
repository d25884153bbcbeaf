"""Ward questions to decode: what is asked, asked again in other words, and leaned on by a next
question, each with the passage that answers. From WardQA's training part, in Dutch and English.

A question is asked again where another one's answer is the same words of the same line. A follow-up
comes as the product asks it, standing alone. Knows no model and no drafter.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from services.contract.templates import guess_language
from services.generator.bench.common.prompts import ROOT, PromptJob
from services.generator.bench.common.recorded import BadRecords
from services.generator.types import Passage

WARDQA = ROOT / "evaluation" / "sets" / "wardqa" / "wardqa.jsonl.gz"  # in a checkout only
Row = dict[str, Any]


class AskedTwice(NamedTuple):
    kind: str
    first: str
    second: str


def ward(file: Path = WARDQA, seed: int = 0) -> list[PromptJob]:
    """Return pairs, the second about the same as the first: of every kind and language in turn, in
    random order. Raises BadRecords."""
    by_kind: dict[tuple[str, str], list[tuple[PromptJob, PromptJob]]] = {}
    for row in _rows(file):
        if row["split"] == "train":
            for pair in _pairs(row):
                jobs = (_job(row, pair, "asked", pair.first), _job(row, pair, pair.kind, pair.second))
                by_kind.setdefault((pair.kind, jobs[1].fields["language"]), []).append(jobs)
    choose = random.Random(seed)  # noqa: S311
    for _, pairs in sorted(by_kind.items()):
        choose.shuffle(pairs)
    longest = max(map(len, by_kind.values()), default=0)
    turns = (pairs[turn] for turn in range(longest) for _, pairs in sorted(by_kind.items()) if turn < len(pairs))
    return [job for pair in turns for job in pair]


def _rows(file: Path) -> Iterator[Row]:
    try:
        yield from map(json.loads, gzip.decompress(file.read_bytes()).decode("utf-8").splitlines())
    except (OSError, ValueError) as error:
        raise BadRecords(f"{file}: no ward questions that can be read ({error})") from None


def _pairs(row: Row) -> Iterator[AskedTwice]:
    """Yield one pair of a kind for each passage."""
    answered: dict[tuple[int, str], str] = {}
    for asked in row["questions"]:
        if asked["alone"]:
            before = answered.setdefault((asked["line"], asked["answer"]), asked["question"])
            if before != asked["question"]:
                yield AskedTwice("asked again", before, asked["question"])
                break
    for follow_up in row.get("follow_ups", ())[:1]:
        yield AskedTwice("follow-up", follow_up["before"], follow_up["means"])


def _job(row: Row, pair: AskedTwice, kind: str, question: str) -> PromptJob:
    text = "\n".join([row["heading"], *(line.replace(" | ", " ") for line in row["lines"])])
    name = f"{row['id']}: {'before ' if kind == 'asked' else ''}{pair.kind}"
    fields = {"language": guess_language(question), "kind": kind}
    return PromptJob(name, question, (Passage(f"{row['document']}:{row['id']}", row["title"], text),), fields)
