"""Questions on passages, with what answers them: read from WardQA's form, and paired with passages
that do not answer them.

Knows no tokenizer and no model. The form is evaluation/sets/wardqa/README.md's: one passage a line,
plain or gzip.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from services.contract.reading_prompt import LABELS, REASONS


@dataclass(frozen=True, slots=True)
class TrainingQuestion:
    """A question and its answer in one passage: lines first to last, from 0; None: it is not there,
    and `reason` says what does not fit. heart: the line of the range that matters most; answer: the
    words of it that answer."""

    question: str
    first: int | None = None
    last: int | None = None
    heart: int | None = None
    reason: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class AskedPassage:
    """A passage with the questions of its writer: what it answers and its near misses."""

    id: str
    document: str
    split: str
    trade: str
    title: str
    heading: str
    lines: tuple[str, ...]
    asked: tuple[TrainingQuestion, ...]
    alone: tuple[str, ...]  # its answered questions that say what they are about: they can be asked of other passages
    language: str = "nl"


def read_passages(files: Iterable[Path], splits: Sequence[str] = ("train",)) -> list[AskedPassage]:
    """Return the passages of these splits; a file without splits is all training. Raises ValueError
    naming the file and line."""
    found = []
    for file in files:
        raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for number, line in enumerate(raw.decode("utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                passage = _passage(json.loads(line), file.name)
            except (ValueError, KeyError, TypeError, IndexError) as error:
                raise ValueError(f"{file.name}, line {number}: no passage with questions: {error!r}") from error
            if passage.split in splits and len(passage.lines) <= len(LABELS):
                found.append(passage)
    return found


def _passage(row: dict[str, Any], file: str) -> AskedPassage:
    asked: list[TrainingQuestion] = []
    alone: list[str] = []
    for one in row["questions"]:
        first, last = one["block"]
        if not 1 <= first <= one["line"] <= last <= len(row["lines"]):
            raise ValueError(f"lines {first} to {last} of {one['question']!r}")
        range_ = _without_header(row["lines"], first - 1, last - 1, one["line"] - 1)
        asked.append(TrainingQuestion(one["question"], *range_, answer=one.get("answer", "")))
        if one.get("alone", True):
            alone.append(one["question"])
        asked += [
            TrainingQuestion(miss["question"], reason=_reason(miss["changed"])) for miss in one.get("near_misses", ())
        ]
    text = f"{row['title']}|{row['heading']}|{row['lines']}"
    return AskedPassage(
        row.get("id") or sha256(text.encode()).hexdigest()[:12],
        f"{file}:{row['document']}",
        row.get("split", "train"),
        row.get("cluster") or row["trade"],
        row["title"],
        row["heading"],
        tuple(row["lines"]),
        tuple(asked),
        tuple(alone),
        row.get("language", "nl"),
    )


def _without_header(lines: Sequence[str], first: int, last: int, heart: int) -> tuple[int, int, int]:
    """A row that a set gives with its table's header and all between is the row alone: the service
    shows the header with it."""
    header = next((n for n, line in enumerate(lines) if " | " in line), len(lines))
    return (heart, last, heart) if first <= header < heart == last and " | " in lines[heart] else (first, last, heart)


def _reason(changed: str) -> str:
    if changed not in REASONS:
        raise ValueError(f"what does not fit is one of {', '.join(REASONS)}, not {changed!r}")
    return changed


class Foreign:
    """Questions that a passage does not answer because they were asked of another one: of its
    document, of its trade, of any. retrieved: by the id of a passage, questions for which a search
    finds it, and the id of the passage that answers each.

    Half of reading is to say so: retrieval brings passages that are near and wrong."""

    def __init__(
        self, passages: Sequence[AskedPassage], retrieved: Mapping[str, Sequence[tuple[str, str]]] | None = None
    ) -> None:
        self._passages = passages
        self._retrieved = retrieved or {}
        self._of_document: dict[str, list[AskedPassage]] = {}
        self._of_trade: dict[str, list[AskedPassage]] = {}
        for passage in passages:
            self._of_document.setdefault(passage.document, []).append(passage)
            self._of_trade.setdefault(passage.trade, []).append(passage)

    def of(
        self, passage: AskedPassage, count: int, draw: random.Random, within: frozenset[str] = frozenset()
    ) -> list[TrainingQuestion]:
        """Return `count` questions for this passage, half from its own document where that has
        other passages. within: ids of those whose lines it holds too."""
        siblings = [
            one
            for one in self._of_document[passage.document]
            if one.id != passage.id and one.id not in within and one.alone
        ]
        trade = [one for one in self._of_trade[passage.trade] if one.document != passage.document and one.alone]
        found = []
        for n in range(count):
            pool = (
                siblings
                if n % 2 == 0 and siblings
                else trade or [one for one in self._passages if one.document != passage.document]
            )
            other = draw.choice(pool)
            if other.alone:
                found.append(TrainingQuestion(draw.choice(other.alone), reason="other"))
        return found

    def retrieved(
        self, passage: AskedPassage, count: int, draw: random.Random, within: frozenset[str] = frozenset()
    ) -> list[TrainingQuestion]:
        """Return at most `count` questions for which a search finds this passage, or one of those
        `within` it, behind the one that answers."""
        inside = sorted({passage.id} | within)
        pool = [asked for one in inside for asked, own in self._retrieved.get(one, ()) if own not in inside]
        return [TrainingQuestion(asked, reason="other") for asked in draw.sample(pool, min(count, len(pool)))]
