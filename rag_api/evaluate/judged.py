"""Judged questions: what staff ask, and where the answer stands. Read from and written to CSV;
knows nothing of retrieval.

One row is one place that answers. A question that several places answer has several rows with its
id; what is said of the question itself stands in the first and may be left empty in the others.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Literal, TextIO

from rag_api.domain import Judged, Place, TargetGroup
from rag_api.errors import InvalidInput, Wrong
from rag_api.text.csv_cells import harmless, read_cell

__all__ = [
    "HANDBOOK",
    "Judged",
    "Place",
    "Split",
    "half_of",
    "judged_csv",
    "parse_judged",
    "read_judged",
    "write_judged",
]

HANDBOOK = Path(__file__).parent.parent / "handbook" / "judged.csv"
Split = Literal["validate", "test", "all"]
COLUMNS = (
    "id", "question", "language", "document", "page", "span", "split", "group", "note", "function", "department", "conversation", "found",
)  # fmt: skip
VERDICTS = ("yes", "partly", "no", "")
LONGEST = {column: 4000 if column in ("question", "span") else 2000 if column == "note" else 300 for column in COLUMNS}


def half_of(question: str) -> str:
    """The half that a new question belongs to: by its words alone, so that one asked twice never
    stands in both."""
    plain = " ".join(question.casefold().split())
    return "validate" if sha256(plain.encode()).digest()[0] % 2 else "test"


def read_judged(path: Path, split: Split = "all") -> list[Judged]:
    """Raises InvalidInput, whose rows name every line that cannot be read."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            questions = _read(file, str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise _no_csv(str(path), error) from error
    return [q for q in questions if split in ("all", q.split)]


def parse_judged(text: str) -> list[Judged]:
    """As read_judged, of a CSV's text."""
    return _read(io.StringIO(text.removeprefix("\ufeff"), newline=""), "the file")


def _read(file: TextIO, name: str) -> list[Judged]:
    """All of it or nothing, so that a bad row is not found out about by its absence."""
    questions: dict[str, Judged] = {}
    wrong: list[Wrong] = []
    try:
        reader = _rows_of(file)
        if missing := {"id", "question", "document"} - set(reader.fieldnames or ()):
            columns = ", ".join(sorted(missing))
            what = f"the file has no column {columns}"
            raise InvalidInput(f"{name}: {what}", [Wrong("", what, "no_column", {"columns": columns})])
        end = reader.line_num
        for row in reader:
            begin, end = end + 1, reader.line_num  # words with line breaks take several lines
            try:
                _add(questions, row)
            except _BadRow as error:
                wrong.append(Wrong(f"line {begin}", str(error), error.code, error.values))
    except csv.Error as error:
        raise _no_csv(name, error) from error
    if wrong:
        first, more = f"{wrong[0].where}: {wrong[0].what}", f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise InvalidInput(f"{name}, {first}{more}", wrong)
    return list(questions.values())


class _BadRow(Exception):
    """A row that cannot be meant. Its code has words of its own in the page's languages
    (web/src/i18n), for these values."""

    def __init__(self, code: str, what: str, **values: object) -> None:
        super().__init__(what)
        self.code, self.values = code, {name: str(value) for name, value in values.items()}


def _no_csv(name: str, error: Exception) -> InvalidInput:
    what = f"cannot be read as CSV: {error}"
    return InvalidInput(f"{name}: {what}", [Wrong("", what, "no_csv")])


def _rows_of(file: TextIO) -> csv.DictReader[str]:
    """Parted by commas, or by semicolons as Dutch spreadsheets write it."""
    header = file.readline()
    file.seek(0)
    return csv.DictReader(file, delimiter=";" if header.count(";") > header.count(",") else ",")


def _add(questions: dict[str, Judged], row: dict[str, str | None]) -> None:
    """Raises _BadRow."""
    if None in row:
        raise _BadRow("more_fields", "there are more fields than columns: words with a comma must stand between quotes")
    values = {column: read_cell(row.get(column) or "").strip() for column in COLUMNS}
    first = questions.get(values["id"])
    if not values["id"] or not (values["question"] or first):
        raise _BadRow("empty", "id and question must not be empty")
    for column, most in LONGEST.items():
        if len(values[column]) > most:
            raise _BadRow("too_long", f"{column} is longer than {most} characters", column=column, most=most)
        if "\0" in values[column]:
            raise _BadRow("no_character", f"{column} holds a character that is none", column=column)
    if first is None:
        questions[values["id"]] = _judged(values)
        return
    if values["question"] not in ("", first.question):
        raise _BadRow("id_taken", f"ids must be unique, {first.id} is of another question", id=first.id)
    if not (values["document"] and first.answerable):
        raise _BadRow(
            "no_place",
            f"question {first.id} is there already; a further row of it names a further document",
            id=first.id,
        )
    place = Place(values["document"], _page(values["page"]), values["span"])
    questions[first.id] = replace(first, more=(*first.more, place))


def _judged(values: dict[str, str]) -> Judged:
    if (values["split"] or "test") not in ("validate", "test"):
        raise _not_one("split", values["split"], "validate or test")
    if values["found"] not in VERDICTS:
        raise _not_one("found", values["found"], "yes, partly or no")
    if values["group"] not in ("", *TargetGroup):
        raise _not_one("group", values["group"], ", ".join(TargetGroup))
    return Judged(**{**values, "split": values["split"] or "test", "page": _page(values["page"])})  # type: ignore[arg-type]


def _not_one(column: str, value: str, known: str) -> _BadRow:
    return _BadRow(f"bad_{column}", f"{column} is {value!r}, not {known}", value=value)


def _page(text: str) -> int | None:
    if text and not (text.isascii() and text.isdigit() and 0 < int(text) <= 100_000):
        raise _BadRow("bad_page", f"page is {text!r}, not a number from 1", value=text)
    return int(text) if text else None


def write_judged(path: Path, questions: Iterable[Judged]) -> None:
    path.write_text(judged_csv(questions), encoding="utf-8", newline="")


def judged_csv(questions: Iterable[Judged]) -> str:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for question in questions:
        about = {column: getattr(question, column) for column in COLUMNS} | {"page": _cell_of(question.page)}
        writer.writerow({column: harmless(cell) for column, cell in about.items()})
        for place in question.more:
            further = {"id": question.id, "question": question.question, "document": place.document, "span": place.span}
            writer.writerow(
                {column: harmless(cell) for column, cell in {**further, "page": _cell_of(place.page)}.items()}
            )
    return out.getvalue()


def _cell_of(page: int | None) -> str:
    return "" if page is None else str(page)
