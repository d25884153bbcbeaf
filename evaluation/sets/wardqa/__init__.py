"""WardQA: questions of hospital staff on passages of made hospital documents, in Dutch and English,
with near misses. README.md says how it was made and what it is licensed under (CC BY 4.0). Reads
only; measure.py asks them.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal, get_args

from rag_api.errors import InvalidInput

Split = Literal["train", "validate", "test", "test_trades", "test_later"]
SPLITS: tuple[Split, ...] = get_args(Split)


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A question that alters one condition of one that is answered, so that its document does not
    answer it."""

    question: str
    changed: str  # drug, device, group, moment, ...


@dataclass(frozen=True, slots=True)
class WardQuestion:
    """passage.lines[line - 1] holds `answer`; a colleague would read out the lines `block` (first
    and last, from 1). `alone`: it can be understood by somebody who does not see the passage, so
    that it can be searched for."""

    question: str
    answer: str
    line: int
    block: tuple[int, int]
    near_misses: tuple[NearMiss, ...]
    alone: bool = True


@dataclass(frozen=True, slots=True)
class WardPassage:
    """A part of a document: its lines are sentences, list items, or rows of a table with cells
    parted by " | "."""

    id: str
    document: str  # the same for neighbours
    split: Split
    language: str
    trade: str
    kind: str
    title: str
    heading: str
    lines: tuple[str, ...]
    questions: tuple[WardQuestion, ...]


def read_wardqa(splits: Iterable[str] = SPLITS) -> list[WardPassage]:
    """Return the passages of these splits, neighbours side by side. Raises InvalidInput for a split
    that there is not."""
    wanted = set(splits)
    if unknown := wanted - set(SPLITS):
        raise InvalidInput(f"there is no split {', '.join(sorted(unknown))}: {', '.join(SPLITS)}")
    packed = files(__package__).joinpath("wardqa.jsonl.gz").read_bytes()
    rows = map(json.loads, gzip.decompress(packed).decode("utf-8").splitlines())
    return [_passage(row) for row in rows if row["split"] in wanted]


def document_text(parts: Sequence[WardPassage]) -> tuple[str, dict[str, list[tuple[int, int]]]]:
    """Return the document as reading a file gives it, headings and lines of their own, cells parted
    by tabs; and by a passage's id where its lines stand."""
    text, lines = "", dict[str, list[tuple[int, int]]]()
    for passage in parts:
        text += f"{passage.heading}\n\n"
        lines[passage.id] = []
        for line in passage.lines:
            start = len(text)
            text += line.replace(" | ", "\t") + "\n"
            lines[passage.id].append((start, len(text)))
        text += "\n"
    return text, lines


def _passage(row: dict[str, Any]) -> WardPassage:
    named = ("id", "document", "split", "language", "trade", "kind", "title", "heading")
    return WardPassage(
        **{name: row[name] for name in named},
        lines=tuple(row["lines"]),
        questions=tuple(_question(asked) for asked in row["questions"]),
    )


def _question(row: dict[str, Any]) -> WardQuestion:
    first, last = row["block"]
    near = tuple(NearMiss(miss["question"], miss["changed"]) for miss in row["near_misses"])
    return WardQuestion(row["question"], row["answer"], row["line"], (first, last), near, row["alone"])
