"""Does rewriting a follow-up question help, and does it leave other questions alone? Measured on
pairs of a question and its follow-up."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluation.quality import RetrievalOutcome, report, rows_of
from evaluation.quality.compare import compare
from rag_api.errors import InvalidInput
from rag_api.evaluate.judged import HANDBOOK, Judged, Split, read_judged
from rag_api.query.followup import leans, standalone

FOLLOW_UPS = HANDBOOK.parent / "followups.csv"
SHOWN = ("hit@1", "hit@3", "mrr", "wrong_group_first", "n", "intervals")


@dataclass(frozen=True, slots=True)
class FollowUpPair:
    judged: Judged  # the follow-up, with where its answer stands
    previous: str  # the question before it

    @property
    def rewritten(self) -> Judged:
        return replace(self.judged, question=standalone(self.judged.question, self.previous))


def read_pairs(path: Path = FOLLOW_UPS, split: Split = "all") -> list[FollowUpPair]:
    """A judged set with one more column, `previous`. Raises InvalidInput."""
    questions = {judged.id: judged for judged in read_judged(path, split)}
    with open(path, encoding="utf-8-sig", newline="") as file:
        previous = {row["id"]: (row.get("previous") or "").strip() for row in csv.DictReader(file)}
    if not all(previous[i] for i in questions):
        raise InvalidInput(f"{path}: each follow-up question needs the question before it, in the column previous")
    return [FollowUpPair(judged, previous[judged.id]) for judged in questions.values()]


def measure_pairs(
    pairs: Sequence[FollowUpPair],
    others: Sequence[Judged],
    measure: Callable[[Sequence[Judged]], Sequence[RetrievalOutcome]],
) -> dict[str, Any]:
    """Literal against rewritten, question by question; others: questions that stand alone, none of
    which should be rewritten."""
    literal, rewritten = measure([pair.judged for pair in pairs]), measure([pair.rewritten for pair in pairs])
    changed = sum(pair.rewritten.question != pair.judged.question for pair in pairs)
    same_ids = [{**row, "question": pair.judged.question} for row, pair in zip(rows_of(rewritten), pairs, strict=True)]
    wrong = [judged for judged in others if leans(judged.question)]
    return {
        "literal": _shown(report(literal)),
        "rewritten": _shown(report(rewritten)),
        "languages": {
            name: {"literal": _shown(report(_of(literal, name))), "rewritten": _shown(report(_of(rewritten, name)))}
            for name in ("nl", "en")
        },
        "rewritten_share": changed / max(1, len(pairs)),
        "comparison": compare(rows_of(literal), same_ids),
        "queries": [
            {"previous": p.previous, "question": p.judged.question, "query": p.rewritten.question} for p in pairs
        ],
        "false_rewrites": {
            "n": len(others),
            "rewritten": len(wrong),
            "questions": [judged.question for judged in wrong],
        },
    }


def _of(outcomes: Sequence[RetrievalOutcome], language: str) -> list[RetrievalOutcome]:
    return [outcome for outcome in outcomes if outcome.judged.language == language]


def _shown(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {name: figures[name] for name in SHOWN}
