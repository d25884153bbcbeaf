"""Two runs over the same questions, question by question: which won where, and whether that is more
than chance. Pure.

Works on what `bedside quality evaluate --json` prints (`questions`), so runs of different days,
indexes and embedders can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import comb
from typing import Any

from evaluation.quality.metrics import bootstrap_ratio, reciprocal
from rag_api.errors import InvalidInput

ResultRow = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Difference:
    """Of one figure: b minus a. `p` is the two-sided sign test's over the questions that differ."""

    a: float
    b: float
    difference: float
    interval: tuple[float, float]  # middle 95% of 1,000 paired bootstrap resamples
    better: int  # questions on which b is better
    worse: int
    p: float


def compare(a: Sequence[ResultRow], b: Sequence[ResultRow]) -> dict[str, Any]:
    """Raises InvalidInput when the runs are not of the same judged questions."""
    first, second = {row["id"]: row for row in a}, {row["id"]: row for row in b}
    if not first or first.keys() != second.keys():
        only = len(first.keys() ^ second.keys())
        raise InvalidInput(f"the two runs are not of the same questions: {only} are in one of them only")
    changed = [
        i
        for i in first
        if (first[i]["question"], first[i]["answerable"]) != (second[i]["question"], second[i]["answerable"])
    ]
    if changed:
        raise InvalidInput(
            f"the two runs are not of the same questions: {', '.join(changed[:5])} were judged anew in between"
        )
    pairs = [(first[i], second[i]) for i in first]
    ranked = [(x, y) for x, y in pairs if x["answerable"]]
    return {
        "n": len(pairs),
        "figures": {
            "hit@1": asdict(_difference(ranked, lambda row: _within(row, 1))),
            "hit@3": asdict(_difference(ranked, lambda row: _within(row, 3))),
            "mrr": asdict(_difference(ranked, lambda row: reciprocal(row["rank"]))),
            "decision": asdict(_difference(pairs, lambda row: float(row["found"] == row["answerable"]))),
        },
        "questions": [_told(x, y) for x, y in pairs if (x["rank"], x["found"]) != (y["rank"], y["found"])],
    }


def _within(row: ResultRow, k: int) -> float:
    return float(row["rank"] is not None and row["rank"] <= k)


def _difference(pairs: Sequence[tuple[ResultRow, ResultRow]], value: Callable[[ResultRow], float]) -> Difference:
    a, b = [value(x) for x, _ in pairs], [value(y) for _, y in pairs]
    apart = [y - x for x, y in zip(a, b, strict=True)]
    better, worse = sum(d > 0 for d in apart), sum(d < 0 for d in apart)
    count = max(1, len(pairs))
    interval = bootstrap_ratio(apart, [1.0] * len(apart))
    return Difference(
        sum(a) / count, sum(b) / count, sum(apart) / count, interval, better, worse, sign_test(better, worse)
    )


def sign_test(better: int, worse: int) -> float:
    """The chance of a split at least this uneven when either side is as likely; 1.0 when nothing
    differs."""
    n, fewer = better + worse, min(better, worse)
    return min(1.0, 2 * sum(comb(n, k) for k in range(fewer + 1)) / float(2**n))


def _told(a: ResultRow, b: ResultRow) -> dict[str, Any]:
    names = ("id", "question", "language", "department", "answerable")
    return {**{name: a[name] for name in names}, "rank": [a["rank"], b["rank"]], "found": [a["found"], b["found"]]}
