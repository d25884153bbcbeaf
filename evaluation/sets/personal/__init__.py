"""Recall of what identifies patients in questions, and how many questions without it are held up:
counts, for any such CSV.

questions.csv: 454 questions as a hurried nurse and a pharmacist type them, all names invented,
written and frozen before the rules were; `identity` holds kind=words, parted by " ; ". The half
called held_back was not looked at while the rules were made.
"""

from __future__ import annotations

import csv
import statistics
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rag_api.errors import InvalidInput
from rag_api.guard.personal import Also, Identifying, IdentityKind, identifying, warm

QUESTIONS = Path(__file__).parent / "questions.csv"
Half = Literal["development", "held_back", "all"]


@dataclass(frozen=True, slots=True)
class Labelled:
    question: str
    language: str
    identity: tuple[tuple[IdentityKind, str], ...]


def read_labelled(path: Path = QUESTIONS, half: Half = "held_back") -> list[Labelled]:
    """Raises InvalidInput, for a file without these columns, kinds and words."""
    found = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            try:
                marks = [mark.split("=", 1) for mark in row["identity"].split(" ; ") if mark]
                labelled = Labelled(
                    row["question"],
                    row.get("language", ""),
                    tuple((IdentityKind(kind), words) for kind, words in marks),
                )
                if half in ("all", row.get("half", half)):
                    found.append(labelled)
            except (KeyError, ValueError) as error:
                raise InvalidInput(f"{path}, row {number}: {error}") from error
            if missing := [words for _, words in labelled.identity if words not in labelled.question]:
                raise InvalidInput(f"{path}, row {number}: the question does not hold {missing[0]!r}")
    return found


def measure(questions: Iterable[Labelled], also: Also | None = None) -> dict[str, Any]:
    """Of each kind how many were found whole; of the questions with and without identity how many
    were stopped; and the time it took."""
    warm()
    identifying("mevr. De Smet en 5 mg morfine")  # what is compiled and read once
    of, hit, alarms = Counter[str](), Counter[str](), Counter[str]()
    stopped = {True: 0, False: 0}
    asked = {True: 0, False: 0}
    seconds = []
    for labelled in questions:
        began = time.perf_counter()
        found = identifying(labelled.question, also)
        seconds.append(time.perf_counter() - began)
        has = bool(labelled.identity)
        asked[has] += 1
        stopped[has] += bool(found)
        for kind, words in labelled.identity:
            of[kind.value] += 1
            hit[kind.value] += _covered(labelled.question, words, found)
        if not has:
            alarms.update({one.kind.value for one in found})
    return {
        "with_identity": {"questions": asked[True], "stopped": stopped[True]},
        "without": {"questions": asked[False], "stopped": stopped[False]},
        "kinds": {
            kind.value: {"of": of[kind.value], "found": hit[kind.value], "false_alarms": alarms[kind.value]}
            for kind in IdentityKind
        },
        "milliseconds": {"median": round(1000 * statistics.median(seconds), 3), "worst": round(1000 * max(seconds), 3)},
    }


def _covered(question: str, words: str, found: Iterable[Identifying]) -> bool:
    """Every letter and digit of the words lies in something that was found."""
    start = question.index(words)
    places = [place for place in range(start, start + len(words)) if question[place].isalnum()]
    spans = [(one.start, one.end) for one in found]
    return all(any(first <= place < last for first, last in spans) for place in places)
