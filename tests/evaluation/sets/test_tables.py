"""The rows of tables that others drew, as an answer would quote them; and that the measure tells
right from wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.sets.tables.heads import HeadOutcome, TableHead, heads
from evaluation.sets.tables.measure import HERE, MarkedRow, RowOutcome, measure, outcomes, quoted_with, rows
from rag_api.domain import Block, BlockKind
from rag_api.ingest.readers.read import PDF, read

HEADER = ("Gewicht", "Middel", "Dosis")
CELLS = (("10 tot 19 kg", "paracetamol", "150 mg"), ("20 tot 29 kg", "paracetamol", "300 mg"))
ROWS = [MarkedRow("made", "a.pdf", 1, "one", cells) for cells in CELLS]


def _table(*lines: tuple[str, ...]) -> tuple[str, list[Block]]:
    """A text of one table, whose first line is its header, and its blocks."""
    text = "".join("\t".join(line) + "\n" for line in lines)
    blocks, at = [Block(BlockKind.TABLE, 0, len(text))], 0
    for n, line in enumerate(lines):
        blocks.append(Block(BlockKind.ROW, at, at + len("\t".join(line)) + 1, 0, header=n == 0))
        row = len(blocks) - 1
        for column, cell in enumerate(line, start=len(HEADER) - len(line)):
            blocks.append(Block(BlockKind.CELL, at, at + len(cell) + 1, row, header=n == 0, column=column))
            at += len(cell) + 1
    return text, blocks


@pytest.mark.quick
@pytest.mark.parametrize(
    ("second", "outcome"),
    [
        (ROWS[1].cells, RowOutcome.RIGHT),
        (("paracetamol", "300 mg"), RowOutcome.WRONG),  # the name of the row above is carried down
        (("25 kg", "paracetamol", "300 mg"), RowOutcome.LACKS),
        (("20 tot 29 kg", "paracetamol"), RowOutcome.NONE),
        (("10 tot 19 kg", "paracetamol", "300 mg"), RowOutcome.WRONG),
    ],
)
def test_a_row_is_right_only_whole_and_with_its_own_name(second: tuple[str, ...], outcome: RowOutcome) -> None:
    found = outcomes(ROWS, *_table(HEADER, ROWS[0].cells, second))
    assert (found[ROWS[0]], found[ROWS[1]]) == (RowOutcome.RIGHT, outcome)


OWN = TableHead(("tabel2.pijn",), (("gewicht",), ("middel",), ("dosis",)))
OTHER = TableHead(("tabel1.koorts",), (("leeftijd",), ("middel",), ("maximum",)))


@pytest.mark.quick
@pytest.mark.parametrize(
    ("heading", "header", "found"),
    [
        ("Tabel 2. Pijn", HEADER, {"caption": "right", "header": "right", "column": "right"}),
        ("Tabel 1. Koorts", HEADER, {"caption": "another", "header": "right", "column": "right"}),
        ("Pijnstilling", HEADER, {"caption": "lacks", "header": "right", "column": "right"}),
        (
            "Tabel 2. Pijn",
            ("Leeftijd", "Middel", "Dosis"),
            {"caption": "right", "header": "another", "column": "lacks"},
        ),
        ("Tabel 2. Pijn", ("Gewicht", "Dosis", "Middel"), {"caption": "right", "header": "right", "column": "another"}),
        ("Tabel 2. Pijn", ("", "Middel", "Dosis"), {"caption": "right", "header": "lacks", "column": "lacks"}),
    ],
)
def test_what_is_quoted_with_a_row_is_its_own_anothers_or_not_there(
    heading: str, header: tuple[str, ...], found: dict[str, str]
) -> None:
    text, blocks = _table(header, ROWS[0].cells)
    at = len(heading) + 1
    moved = [Block(BlockKind.HEADING, 0, at)]
    moved += [
        replace(block, start=block.start + at, end=block.end + at, parent=block.parent + 1 if block.parent >= 0 else 0)
        for block in blocks
    ]
    parts = quoted_with(ROWS[:1], {("one", 1): OWN, ("two", 1): OTHER}, f"{heading}\n{text}", moved)
    assert parts[ROWS[0]] == {part: HeadOutcome(outcome) for part, outcome in found.items()}


@pytest.mark.quick
def test_every_marked_table_says_what_stands_over_it() -> None:
    marked = {(row.document, row.table) for row in rows()}
    assert {(document, table) for document, tables in heads().items() for table, _ in tables} == marked


def test_a_fonts_own_raised_figure_is_no_digit_of_a_number() -> None:
    """Its code and its box are a plain figure's: "0,60¹" was read as 0,601."""
    name = "instelling-beademing-highflow.pdf"
    text = read(HERE / "pdf" / name, name, PDF, max_pages=5).text
    assert "0,60¹" in text
    assert "0,601" not in text


def test_most_rows_of_tables_drawn_by_others_are_quoted_whole_and_few_for_the_wrong_group() -> None:
    found = measure()
    assert found["rows"] == sum(found[outcome] for outcome in RowOutcome)
    assert found["right"] >= 0.93 * found["rows"]
    assert found["wrong"] <= 0.015 * found["rows"]
    with_them = found["with right rows"]
    assert [with_them[part][HeadOutcome.ANOTHER] for part in ("caption", "header")] == [0, 0]
