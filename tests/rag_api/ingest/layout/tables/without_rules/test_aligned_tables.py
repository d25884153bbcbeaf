"""Tables without rules: a row is one row, whatever lines its cells take, and no two rows are
one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rag_api.domain import BlockKind, ReadDocument
from rag_api.ingest.readers.read import read
from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.tables.wrapped_cells import (
    HEADER,
    ROWS,
    below_a_rule,
    by_cells,
    by_cells_in_the_middle,
    by_lines,
    cards,
    groups,
    two_headers,
)

pytestmark = pytest.mark.quick


def _read(made: Made, folder: Path) -> ReadDocument:
    path = folder / made.name
    path.write_bytes(made.data)
    return read(path, made.name, "application/pdf", max_pages=10)


def _rows(document: ReadDocument) -> list[tuple[bool, list[str]]]:
    """(is it a header, its cells) of each row."""
    text, blocks = document.text, document.blocks
    rows = {n: (block.header, list[str]()) for n, block in enumerate(blocks) if block.kind == BlockKind.ROW}
    for block in blocks:
        if block.kind == BlockKind.CELL:
            rows[block.parent][1].append(text[block.start : block.end].strip())
    return list(rows.values())


@pytest.mark.parametrize("make", [by_cells, by_cells_in_the_middle, by_lines], ids=lambda make: make.__name__)
def test_a_row_whose_cells_wrap_is_one_row_of_its_cells(make: Callable[[], Made], tmp_path: Path) -> None:
    assert _rows(_read(make(), tmp_path)) == [(True, [*HEADER]), *((False, [*row]) for row in ROWS)]


def test_a_heading_below_a_rule_is_none_of_the_header_and_shaded_rows_part_no_table(tmp_path: Path) -> None:
    document = _read(below_a_rule(), tmp_path)
    assert "Instellingen van de pomp\nWonde\tDruk\tSchuim\nChirurgische\t" in document.text
    assert [header for header, _ in _rows(document)] == [True, *[False] * len(ROWS)]
    assert sum(block.kind == BlockKind.TABLE for block in document.blocks) == 1


def test_a_name_as_high_as_two_header_rows_stands_in_the_first_and_one_in_the_middle_over_its_columns(
    tmp_path: Path,
) -> None:
    document = _read(two_headers(), tmp_path)
    rows = _rows(document)
    assert rows[:2] == [
        (True, ["Vaccin", "Te warm", "Bevroren"]),
        (True, ["8 tot 15 °C", "15 tot 25 °C", "onder 0 °C"]),
    ]
    assert [header for header, _ in rows[2:]] == [False, False]
    cells = [(block.column, block.columns) for block in document.blocks if block.kind == BlockKind.CELL]
    assert cells[:6] == [(0, 1), (1, 2), (3, 1), (1, 1), (2, 1), (3, 1)]


def test_rows_below_one_cell_that_stands_for_both_stay_two(tmp_path: Path) -> None:
    lines = _read(groups(), tmp_path).text.splitlines()
    assert not [line for line in lines if line.count("paracetamol") + line.count("ibuprofen") > 1]


def test_cards_beside_each_other_are_no_table(tmp_path: Path) -> None:
    assert _rows(_read(cards(), tmp_path)) == []
