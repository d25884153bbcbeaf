"""Rows of a table follow each other as on the page, in whatever order its cells are drawn."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.ingest.common.boxed_text import Marked, no_boxes
from rag_api.ingest.layout.lines import Line, PageItem, Row
from rag_api.ingest.layout.tables.row_order import rows_down
from rag_api.ingest.readers.read import PDF, read
from tests.rag_api.made_files.pdfs import both, lines, pdf, write

pytestmark = pytest.mark.quick

_ROWS = (
    ("Middel", "Dosis", "Tijd"),
    ("Paracetamol", "15 mg/kg", "om de 6 uur"),
    ("Ibuprofen", "7 mg/kg", "om de 8 uur"),
    ("Morfine", "0,1 mg/kg", "om de 4 uur"),
    ("Ketamine", "1 mg/kg", "eenmalig"),
)
_EDGES, _HIGH = (60, 180, 320, 480), 24
Place = tuple[int, int]  # row, column
_CELLS: list[Place] = [(row, column) for row in range(len(_ROWS)) for column in range(3)]


def _text(folder: Path, order: Sequence[Place]) -> str:
    def table(canvas: Canvas) -> None:
        canvas.grid(_EDGES, [680 - _HIGH * n for n in range(len(_ROWS) + 1)])
        for row, column in order:
            canvas.setFont("Helvetica" if row else "Helvetica-Bold", 10)
            canvas.drawString(_EDGES[column] + 6, 680 - _HIGH * (row + 1) + 8, _ROWS[row][column])

    above, below = lines("Pijn bij kinderen", size=16, y=780), lines("Bel bij twijfel de arts van wacht.", y=500)
    path = write(folder, "page.pdf", pdf(both(above, table, below)))
    return read(path, path.name, PDF, max_pages=1).text


@pytest.mark.parametrize(
    "order",
    [
        lambda cell: (cell[1], cell[0]),
        lambda cell: (-cell[0], cell[1]),
        lambda cell: (-cell[0], -cell[1]),
        lambda cell: (cell[1], -cell[0]),
        lambda cell: (cell[0] % 2, cell),
    ],
    ids=["column by column", "bottom-up", "backwards", "columns bottom-up", "every other row"],
)
def test_rows_stand_as_on_the_page_however_cells_are_drawn(order: Callable[[Place], object], tmp_path: Path) -> None:
    assert _text(tmp_path, sorted(_CELLS, key=order)) == _text(tmp_path, _CELLS)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(8))
def test_rows_stand_as_on_the_page_where_cells_are_drawn_by_chance(seed: int, tmp_path: Path) -> None:
    assert _text(tmp_path, random.Random(seed).sample(_CELLS, len(_CELLS))) == _text(tmp_path, _CELLS)


def _line(words: str, x: float, y: float) -> Line:
    return Line(Marked(words, no_boxes(len(words))), x, y, x + 50, y + 10, 10, 20, False, False, False)


def _row(y: float) -> Row:
    return Row(((_line("Morfine", 50, y),), (_line("5 mg", 150, y),)))


_ABOVE, _BELOW, _NEXT = _line("Doses", 50, 100), _line("Nota: per dag.", 50, 240), _line("Bij pijn.", 50, 252)
_TABLE = [_row(120 + 20 * n) for n in range(6)]


@pytest.mark.parametrize(
    "drawn",
    [
        [_ABOVE, *_TABLE[:2], _BELOW, _NEXT, *_TABLE[2:]],
        [_ABOVE, _TABLE[0], _TABLE[5], _BELOW, _NEXT, *_TABLE[1:5]],
        [*_TABLE[:3], _ABOVE, *_TABLE[3:], _BELOW, _NEXT],
        [*_TABLE, _BELOW, _NEXT, _ABOVE],
        [_BELOW, _NEXT, _ABOVE, *_TABLE],
        [_ABOVE, _NEXT, _BELOW, *_TABLE],
    ],
    ids=[
        "notes amid rows",
        "notes and last row too soon",
        "title amid rows",
        "title last",
        "notes first",
        "notes before rows",
    ],
)
def test_what_stands_above_or_below_rows_is_read_before_or_behind_them(drawn: list[PageItem]) -> None:
    assert rows_down(drawn) == [_ABOVE, *_TABLE, _BELOW, _NEXT]


def test_a_line_between_rows_stays_between_them() -> None:
    between = _line("Kinderen", 50, 172)
    rows: list[PageItem] = [_row(120), _row(145), between, _row(190), _row(210)]
    assert rows_down(rows) == rows


def test_a_running_line_of_cells_is_not_moved_to_the_rows_above_it() -> None:
    drawn: list[PageItem] = [_line("Afdeling 3\t1", 50, 400), *_TABLE]
    assert rows_down(drawn) == drawn


def test_what_stands_over_columns_is_read_before_them_though_more_is_drawn_behind_it() -> None:
    """A float that stands over one of them alone keeps its place."""
    left, right = ([_line("Woorden.", x, y + 20 * n) for n in range(5)] for x, y in ((50, 300), (150, 260)))
    float_: list[PageItem] = [_line("Figuur 3", 50, 270), _line("Bron", 50, 282)]
    drawn: list[PageItem] = [*left, *right, _ABOVE, *_TABLE, *float_]
    assert rows_down(drawn) == [_ABOVE, *_TABLE, *left, *right, *float_]


def test_a_column_that_begins_higher_than_the_one_before_it_stays_behind_that() -> None:
    left, right = ([_line("Woorden.", x, y + 20 * n) for n in range(5)] for x, y in ((50, 300), (150, 200)))
    across: list[PageItem] = [_line("Voetnoot", 50, 420)]
    drawn: list[PageItem] = [*left, *right, *across]
    assert rows_down(drawn) == drawn
