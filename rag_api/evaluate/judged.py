"""Judged questions: what staff ask, and where the answer stands. Read from and written to CSV; knows nothing of retrieval."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal

from rag_api.errors import InvalidInput

HANDBOOK = Path(__file__).parent.parent / "handbook" / "judged.csv"
Split = Literal["validate", "test", "all"]


@dataclass(frozen=True, slots=True)
class Judged:
    """`document` is the name it was ingested under; empty: the documents hold no answer."""

    id: str
    question: str
    language: str = ""
    document: str = ""
    page: int | None = None
    span: str = ""  # the words that answer, as they stand in the document
    split: str = "test"
    group: str = ""  # the patients it is about
    note: str = ""

    @property
    def answerable(self) -> bool:
        return bool(self.document)


def read_judged(path: Path, split: Split = "all") -> list[Judged]:
    """Raises InvalidInput with the line that cannot be read."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = {"id", "question", "document"} - set(reader.fieldnames or ())
            if missing:
                raise InvalidInput(f"{path}: the judged set has no column {', '.join(sorted(missing))}")
            questions = [_judged(path, number, row) for number, row in enumerate(reader, 2)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"{path}: cannot be read as CSV: {error}") from error
    twice = {q.id for q in questions if sum(q.id == other.id for other in questions) > 1}
    if twice:
        raise InvalidInput(f"{path}: ids must be unique, these are not: {', '.join(sorted(twice))}")
    return [q for q in questions if split in ("all", q.split)]


def _judged(path: Path, number: int, row: dict[str, str | None]) -> Judged:
    values = {f.name: (row.get(f.name) or "").strip() for f in fields(Judged)}
    page = values.pop("page")
    if not values["id"] or not values["question"]:
        raise InvalidInput(f"{path}, line {number}: id and question must not be empty")
    if (values["split"] or "test") not in ("validate", "test"):
        raise InvalidInput(f"{path}, line {number}: split is {values['split']!r}, not validate or test")
    if page and not page.isdigit():
        raise InvalidInput(f"{path}, line {number}: page is {page!r}, not a number")
    return Judged(**{**values, "split": values["split"] or "test"}, page=int(page) if page else None)


def write_judged(path: Path, questions: Iterable[Judged]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Judged)], lineterminator="\n")
        writer.writeheader()
        for question in questions:
            row = asdict(question)
            writer.writerow({**row, "page": "" if question.page is None else question.page})


def by_language(questions: Sequence[Judged]) -> dict[str, list[Judged]]:
    return {language: [q for q in questions if q.language == language] for language in sorted({q.language for q in questions})}
