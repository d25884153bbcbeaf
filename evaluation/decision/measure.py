"""Kept cases -> the fitted decision, and what it does to each collection's test part. Seconds,
whatever was kept; no index is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.calibration.cases import DecisionCase, Extract, QuestionKind, Sentence, read_extract, write_extract
from evaluation.calibration.decision import DecisionRow, confidences_of, fit_decision
from evaluation.calibration.rows import shipped_rows
from evaluation.calibration.weighing import span_weight_of, weigh
from evaluation.decision.collections import COLLECTIONS, read_collections
from evaluation.decision.extract import Tell, extract
from evaluation.quality.refusals import DecidedQuestion, refusals, share
from rag_api.config import Settings
from rag_api.errors import InvalidInput
from rag_api.retrieval.decision.calibration import (
    READ,
    RISKS,
    SIGNALS,
    Calibration,
    NotFoundModel,
    SentenceWeights,
    WithReader,
    shipped,
)
from rag_api.retrieval.reader_model.reader import PassageReader, ReaderPassage
from rag_api.retrieval.reader_model.reader_scores import ReaderScores, joined

CACHE = Path.home() / ".cache" / "bedside" / "decision"
SILENT: Tell = lambda done: None  # noqa: E731


@dataclass(frozen=True, slots=True)
class Case:
    """A kept case with what a reader made of it, if one read it."""

    case: DecisionCase
    read: ReaderScores | None = None


def kept_cases(
    settings: Settings, folder: Path, names: Sequence[str], *, fresh: bool, tell: Tell = SILENT
) -> list[Extract]:
    """What was kept, and what is extracted now because it was not; `fresh`: all anew."""
    missing = [name for name in names if fresh or not (folder / f"{name}.json.gz").exists()]
    for collection in read_collections(missing) if missing else ():
        write_extract(folder / f"{collection.name}.json.gz", extract(settings, collection, tell))
    return [read_extract(folder / f"{name}.json.gz") for name in names if (folder / f"{name}.json.gz").exists()]


def read_by(reader: PassageReader, extracts: Sequence[Extract], tell: Tell = SILENT) -> list[Case]:
    """Every case's passages by this reader."""
    found = []
    for extracted in extracts:
        for case in extracted.cases:
            members = [[n for n, s in enumerate(case.sentences) if s.hit == hit] for hit in range(len(case.hits))]
            passages = [
                _told(extracted, key, [case.sentences[n] for n in own])
                for key, own in zip(case.hits, members, strict=True)
            ]
            judged = reader.judge(case.question, passages) if case.sentences else []
            found.append(Case(case, joined(members, judged, len(case.sentences)) if case.sentences else None))
            tell(len(found))
    return found


def _told(extracted: Extract, key: str, sentences: Sequence[Sentence]) -> ReaderPassage:
    passage = extracted.passages[key]
    return ReaderPassage(passage.title, passage.heading, passage.text, tuple((s.start, s.end) for s in sentences))


def row_of(one: Case, weights: SentenceWeights, span_weight: float = 0.0) -> DecisionRow:
    """Weigh its sentences anew, and say what follows for the decision."""
    case = one.case
    found = weigh([sentence.features for sentence in case.sentences], one.read, weights, span_weight)
    right = bool(found.order) and case.sentences[found.order[0]].right
    return DecisionRow(
        case.collection, case.split, case.kind, case.unit, case.open, right, {**case.signals, **found.signals}
    )


def fit_without(cases: Sequence[Case], weights: SentenceWeights) -> tuple[NotFoundModel, list[DecisionRow]]:
    rows = [row_of(replace(one, read=None), weights) for one in cases]
    return fit_decision([row for row in rows if row.split == "fit"], SIGNALS), rows


def fit_with(cases: Sequence[Case], weights: SentenceWeights) -> tuple[WithReader, list[DecisionRow]]:
    known = [one for one in cases if one.case.split == "fit" and one.case.has_answer]
    weight = span_weight_of(lambda weight: [row_of(one, weights, weight) for one in known])
    rows = [row_of(one, weights, weight) for one in cases]
    return WithReader(fit_decision([row for row in rows if row.split == "fit"], (*SIGNALS, *READ)), weight), rows


def as_shipped(cases: Sequence[Case], embedder: str) -> tuple[NotFoundModel, list[DecisionRow]]:
    """Return the decision as it ships, without a reader, and what it sees. Collections that it was
    not fitted to are test parts as a whole. Raises InvalidInput where none ships."""
    before = shipped().get(embedder, Calibration())
    if before.not_found is None:
        raise InvalidInput(f"No decision ships for {embedder}: leave out --shipped, and one is fitted.")
    known = {row.collection for row in shipped_rows(embedder)}
    rows = [row_of(replace(one, read=None), before.weights) for one in cases]
    return before.not_found, [row if row.collection in known else replace(row, split="test") for row in rows]


def figures(rows: Sequence[DecisionRow], fitted: NotFoundModel) -> dict[str, Any]:
    """JSON-ready: of each collection's test part, what each named risk does, and the curve."""
    pairs = list(zip(rows, confidences_of(rows, fitted), strict=True))
    found = {}
    for name in [name for name in COLLECTIONS if any(row.collection == name for row in rows)]:
        own = [
            (row, c)
            for row, c in pairs
            if row.collection == name and row.split == "test" and row.kind != QuestionKind.LEFT_OUT
        ]
        asked = [_asked(row, c, fitted.threshold) for row, c in own]
        at = {risk: at_threshold(own, fitted.at(risk)) for risk in RISKS}
        found[name] = {
            "risks": at,
            "auc": _auc(own),
            **{k: v for k, v in refusals(asked).items() if k in ("at_refused", "curve")},
        }
    return found


def _asked(row: DecisionRow, confidence: float, threshold: float) -> DecidedQuestion:
    near = row.kind == QuestionKind.NEAR_MISS
    return DecidedQuestion(
        confidence, row.answerable, confidence < threshold, right=row.right, near_miss=near, unit=row.unit
    )


def at_threshold(judged: Sequence[tuple[DecisionRow, float]], threshold: float) -> dict[str, Any]:
    """What is refused and what is answered rightly, with the middle 95% over documents."""
    asked = [_asked(row, c, threshold) for row, c in judged]
    across = [a for a, (row, _) in zip(asked, judged, strict=True) if row.answerable and row.signals.get("crossed")]
    same = [a for a, (row, _) in zip(asked, judged, strict=True) if row.answerable and not row.signals.get("crossed")]
    return {
        "refused": share([a for a in asked if a.answerable], lambda a: a.refused),
        "refused_other_language": share(across, lambda a: a.refused),
        "other_language_more": difference(across, same),
        "near_misses": share([a for a in asked if a.near_miss], lambda a: a.refused),
        "off_topic": share([a for a in asked if not a.answerable and not a.near_miss], lambda a: a.refused),
        "answered_right": share([a for a in asked if a.answerable], lambda a: a.right and not a.refused),
        "risk": share([a for a in asked if not a.refused], lambda a: not a.right),
    }


def difference(
    one: Sequence[DecidedQuestion], other: Sequence[DecidedQuestion], resamples: int = 1000
) -> dict[str, Any]:
    """Of the shares refused, with the middle 95% of resampled questions."""
    if not one or not other:
        return {"difference": None, "interval": None}
    a, b = np.array([x.refused for x in one], float), np.array([x.refused for x in other], float)
    rng = np.random.default_rng(0)
    drawn = [float(rng.choice(a, len(a)).mean() - rng.choice(b, len(b)).mean()) for _ in range(resamples)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return {
        "difference": round(float(a.mean() - b.mean()), 4),
        "interval": [round(float(low), 3), round(float(high), 3)],
    }


def _auc(judged: Sequence[tuple[DecisionRow, float]]) -> dict[str, float | None]:
    """How surely what can be answered is told from each kind that cannot."""
    above = np.array([c for row, c in judged if row.answerable])
    found: dict[str, float | None] = {}
    for kind in (QuestionKind.NEAR_MISS, QuestionKind.OFF_TOPIC):
        below = np.array([c for row, c in judged if row.kind == kind])
        both = len(above) and len(below)
        found[kind.value] = (
            round(float(((above[:, None] > below) + 0.5 * (above[:, None] == below)).mean()), 3) if both else None
        )
    return found


def with_decision(
    before: Calibration, fitted: NotFoundModel, read: tuple[str, WithReader] | None, measured: str
) -> Calibration:
    readers: Mapping[str, WithReader] = {**before.readers, **({read[0]: read[1]} if read else {})}
    return replace(before, not_found=fitted, readers=readers, measured=measured)
