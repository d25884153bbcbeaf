"""Is an answer whole: does it hold everything that a colleague needs, and nothing that misleads?
Compares text only.

A question may follow another one (`after`); what is needed and what misleads are words of
documents, several parted by "||".
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.quality.answers import plain
from rag_api.errors import InvalidInput
from rag_api.evaluate.judged import HANDBOOK

HANDBOOK_WHOLE = HANDBOOK.parent / "questions" / "whole.csv"
_COLUMNS = {"id", "question", "needs"}


@dataclass(frozen=True, slots=True)
class WholeQuestion:
    id: str
    question: str
    kind: str  # "list", "row", "followup", "two", "hurried"
    needs: tuple[str, ...]
    misleads: tuple[str, ...] = ()
    after: str = ""
    language: str = ""
    document: str = ""  # the file that answers it
    half: str = ""  # of its set: who writes code may have read one


@dataclass(frozen=True, slots=True)
class WholeOutcome:
    question: WholeQuestion
    answered: bool
    lacks: tuple[str, ...]  # of what is needed
    misleads: tuple[str, ...]  # of what it should not hold

    @property
    def whole(self) -> bool:
        return self.answered and not self.lacks

    @property
    def right(self) -> bool:
        return self.whole and not self.misleads


def read_whole(path: Path) -> list[WholeQuestion]:
    """Raises InvalidInput."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}") from error
    if rows and not rows[0].keys() >= _COLUMNS:
        raise InvalidInput(f"{path}: lacks the columns {', '.join(sorted(_COLUMNS - rows[0].keys()))}")
    return [
        WholeQuestion(
            row["id"],
            row["question"],
            row.get("kind") or "",
            _parts(row["needs"]),
            _parts(row.get("misleads") or ""),
            (row.get("after") or "").strip(),
            row.get("language") or "",
            row.get("document") or "",
            row.get("half") or "",
        )
        for row in rows
    ]


def _parts(written: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in written.split("||") if part.strip())


def outcome(question: WholeQuestion, answered: bool, answer: str) -> WholeOutcome:
    """What an answer lacks and what is too much in it, both by its plain words: cells and line ends
    count as spaces."""
    said = _plain(answer)
    # A part that was copied up to the end of a line may end in the middle of a word.
    lacks = tuple(part for part in question.needs if _plain(part) not in said)
    return WholeOutcome(
        question, answered, lacks, tuple(part for part in question.misleads if answered and _plain(part) in said)
    )


def _plain(text: str) -> str:
    return plain(text.replace(" | ", " ")).removesuffix("-")


def whole_report(outcomes: Sequence[WholeOutcome]) -> dict[str, Any]:
    """How many answers are whole, and whole with nothing misleading, by kind of question;
    JSON-ready."""
    kinds = sorted({one.question.kind for one in outcomes})
    return {
        **_counts(outcomes),
        "kinds": {kind: _counts([one for one in outcomes if one.question.kind == kind]) for kind in kinds},
        "questions": [
            {
                "id": one.question.id,
                "kind": one.question.kind,
                "answered": one.answered,
                "right": one.right,
                "lacks": list(one.lacks),
                "misleads": list(one.misleads),
            }
            for one in outcomes
        ],
    }


def _counts(outcomes: Sequence[WholeOutcome]) -> dict[str, int]:
    return {
        "n": len(outcomes),
        "answered": sum(one.answered for one in outcomes),
        "whole": sum(one.whole for one in outcomes),
        "misleading": sum(bool(one.misleads) for one in outcomes),
        "right": sum(one.right for one in outcomes),
    }
