"""Weights of agreement: how much the adapter has to say in choosing, and how sure the choice and
the adapter must be together (rag_api/answering/choosing/agreement.py).

The product answers every question with the adapter, at each of WEIGHTS, refusing by its rules
alone; the weight is kept at which right answers outnumber wrong ones most. Collections weigh alike,
and in each what can be answered as much as what cannot (evaluation/calibration/decision.py).
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from html import escape
from itertools import chain, groupby, repeat
from pathlib import Path

from evaluation.calibration.cases import QuestionKind
from evaluation.calibration.decision import DecisionRow, confidences_of, fit_decision
from rag_api.retrieval.decision.calibration import AGREED, AGREEING_RISKS, NotFoundModel, WithReader
from services.reader.gate import Agreeing, Captured, InProcess, capture, judged
from services.reader.questions import AskedPassage, read_passages

WEIGHTS = (0.0, 0.25, 0.5, 1.0)
ALWAYS = NotFoundModel({"intercept": 0.0, "crossed": 0.0} | dict.fromkeys(AGREED, 0.0), threshold=0.0)


def collected(
    name: str,
    documents: Path,
    questions: Path,
    near_misses: Path,
    reader: InProcess,
    on_progress: Callable[[int], None],
) -> dict[float, list[DecisionRow]]:
    """One collection's questions by weight, asked of an installation of its own that refuses by its
    rules alone."""
    ways = [Agreeing(reader, partial(_refusing_by_rules, weight)) for weight in WEIGHTS]
    captured = capture(documents, [questions, near_misses], on_progress, ways)
    return {
        weight: [*rows_of(name, asked, QuestionKind.ANSWERABLE), *rows_of(name, missed, QuestionKind.NEAR_MISS)]
        for weight, (asked, missed) in zip(WEIGHTS, captured, strict=True)
    }


def _refusing_by_rules(weight: float, _embedder: str) -> WithReader:
    return WithReader(ALWAYS, weight)


def written_out(data: Sequence[Path], folder: Path, most: int, split: str = "validate") -> tuple[Path, Path, Path]:
    """Questions on passages as documents, questions and near misses in `folder`; the same `most` of
    each at every call. Documents are HTML: a heading a passage, its rows a table."""
    passages = read_passages(data, (split,))
    documents = folder / "documents"
    documents.mkdir(parents=True)
    for name, own in groupby(sorted(passages, key=_file), key=_file):
        (documents / name).write_text(_page(list(own)), encoding="utf-8")
    asked, missed = [], []
    for passage in passages:
        for number, one in enumerate(passage.asked):
            row = [f"{passage.id}-{number}", one.question]
            if one.heart is None:
                missed.append(row)
            else:
                answer = one.answer or passage.lines[one.heart]
                asked.append([*row, "row" if CELL in answer else "line", _file(passage), answer])
    questions, near_misses = folder / "questions.csv", folder / "near_misses.csv"
    _write(questions, ["id", "question", "kind", "document", "answer"], _drawn(asked, most))
    _write(near_misses, ["id", "question"], _drawn(missed, most))
    return documents, questions, near_misses


CELL = " | "


def _file(passage: AskedPassage) -> str:
    return f"{passage.document.replace(':', '-')}.html"


def _page(passages: Sequence[AskedPassage]) -> str:
    title, language = escape(passages[0].title), passages[0].language
    body = [f"<h1>{title}</h1>"]
    for passage in passages:
        body += [f"<h2>{escape(passage.heading)}</h2>"] if passage.heading else []
        for is_table, group in groupby(passage.lines, key=lambda line: CELL in line):
            lines = list(group)
            body += [_table(lines)] if is_table else [f"<p>{escape(line)}</p>" for line in lines]
    head = f'<meta charset="utf-8"><title>{title}</title>'
    return f'<!doctype html><html lang="{language}"><head>{head}</head><body>{"".join(body)}</body></html>'


def _table(rows: Sequence[str]) -> str:
    """Its first row is the header."""
    made = [
        [f"<{name}>{escape(cell)}</{name}>" for cell in row.split(CELL)]
        for row, name in zip(rows, chain(["th"], repeat("td")), strict=False)
    ]
    return "<table>" + "".join(f"<tr>{''.join(cells)}</tr>" for cells in made) + "</table>"


def _drawn(rows: list[list[str]], most: int) -> list[list[str]]:
    random.Random(17).shuffle(rows)  # noqa: S311 - the same draw each time is what is wanted
    return rows[:most] if most else rows


def _write(file: Path, names: list[str], rows: Sequence[list[str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([names, *rows])


def rows_of(name: str, asked: Sequence[Captured], kind: QuestionKind) -> Iterable[DecisionRow]:
    for one in asked:
        right = kind == QuestionKind.ANSWERABLE and judged(one.row, one.answered, one.said, one.cited) == "right"
        signals = one.agreement.signals(one.found.confidence)
        yield DecisionRow(name, "fit", kind, one.row["id"].partition("-")[0], one.answered, right, signals)


def fitted(by_weight: Mapping[float, Sequence[DecisionRow]]) -> WithReader:
    """The weight at which right answers outnumber wrong ones most, refusing as much as the balanced
    risk does; of equals the least. Raises InvalidInput where there is nothing to tell apart."""
    made = [WithReader(fit_decision(rows, AGREED, risks=AGREEING_RISKS), weight) for weight, rows in by_weight.items()]
    return max(made, key=lambda one: (gain(one, by_weight[one.span_weight]), -one.span_weight))


def gain(one: WithReader, rows: Sequence[DecisionRow]) -> int:
    """Return how many more are quoted rightly than wrongly at the balanced risk."""
    sure = confidences_of(rows, one.not_found)
    said = [
        row.right
        for row, confidence in zip(rows, sure, strict=True)
        if row.open and confidence >= one.not_found.threshold
    ]
    return 2 * sum(said) - len(said)


def collections_of(file: Path) -> list[tuple[str, Path, Path, Path]]:
    """Read a CSV of collection, documents, questions, near_misses: names of folders and files, from
    where the CSV is. Raises ValueError."""
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    lacking = {"collection", "documents", "questions", "near_misses"} - set(rows[0] if rows else ())
    if lacking:
        raise ValueError(f"{file} lacks the columns {', '.join(sorted(lacking))}, or has no row.")
    folder = file.parent
    return [
        (row["collection"], folder / row["documents"], folder / row["questions"], folder / row["near_misses"])
        for row in rows
    ]
