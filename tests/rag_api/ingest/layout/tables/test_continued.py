"""A table goes on over a page that shows one row, or one tall cell, of it: it has the same
columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Table

from rag_api.domain import BlockKind, ReadDocument
from rag_api.ingest.readers.read import read

pytestmark = pytest.mark.quick

Cells = Sequence[str | Paragraph]
WIDTHS = [60, 90, 120, 110]
HEADER = ["Nummer", "Middel", "Wijze", "Uitleg"]
FIRST = [
    HEADER,
    ["A1", "heparine", "intraveneus", "na overleg"],
    ["A2", "nadroparine", "subcutaan", "niet bij bloeding"],
]
LAST = [["A3", "dalteparine", "subcutaan", "één keer per dag"], ["A4", "fondaparinux", "subcutaan", "let op de nieren"]]
STYLE = ParagraphStyle("cell", fontSize=8, leading=10)
LONG = "Deze uitleg is zo lang dat de cel een hele bladzijde vult, want alles wordt hier uitgelegd. " * 12
TALL = Paragraph(LONG, STYLE)  # of more than fifteen lines, in whatever column


def _read(folder: Path, *pages: tuple[Sequence[Cells], Sequence[float], float]) -> ReadDocument:
    """pages: each page's rows, the widths of their columns, and where they begin from the left."""
    path = folder / "table.pdf"
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    for rows, widths, left in pages:
        bold = [("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")] if rows[0] is HEADER else []
        table = Table([[*row] for row in rows], widths, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.grey), *bold])
        _, height = table.wrapOn(canvas, *A4)
        table.drawOn(canvas, left, A4[1] - 60 - height)
        canvas.showPage()
    canvas.save()
    return read(path, path.name, "application/pdf", max_pages=9)


def _rows(document: ReadDocument) -> list[tuple[int, list[tuple[int, str]]]]:
    """Of each row the table that it is in, and its cells with their columns."""
    found = {
        n: (block.parent, list[tuple[int, str]]())
        for n, block in enumerate(document.blocks)
        if block.kind == BlockKind.ROW
    }
    for block in document.blocks:
        if words := document.text[block.start : block.end].strip() if block.kind == BlockKind.CELL else "":
            found[block.parent][1].append((block.column, words))
    return list(found.values())


@pytest.mark.parametrize("left", [80, 100])  # the margins of pages printed on both sides
def test_rows_behind_a_page_of_one_tall_cell_are_of_the_same_table(tmp_path: Path, left: float) -> None:
    rows = _rows(_read(tmp_path, (FIRST, WIDTHS, 80), ([["", "", "", TALL]], WIDTHS, left), (LAST, WIDTHS, 80)))
    assert len({table for table, _ in rows}) == 1
    assert [[words for _, words in cells] for _, cells in rows] == [*FIRST, [LONG.strip()], *LAST]
    assert rows[3][1][0][0] == 3  # below "Uitleg"


def test_what_goes_on_in_the_second_of_two_columns_stands_there(tmp_path: Path) -> None:
    first, last = ([row[2:] for row in rows] for rows in (FIRST, LAST))
    pages = ([HEADER[2:], *first[1:]], WIDTHS[2:], 80), ([["", TALL]], WIDTHS[2:], 80), (last, WIDTHS[2:], 80)
    assert _rows(_read(tmp_path, *pages))[3][1] == [(1, LONG.strip())]


def test_a_page_of_one_row_with_tall_cells_goes_on_too(tmp_path: Path) -> None:
    page = [["", "", TALL, TALL]]
    rows = _rows(_read(tmp_path, (FIRST, WIDTHS, 80), (page, WIDTHS, 80), (LAST, WIDTHS, 80)))
    assert len({table for table, _ in rows}) == 1
    assert rows[3][1] == [(2, LONG.strip()), (3, LONG.strip())]


def test_a_list_in_the_one_cell_is_of_the_row(tmp_path: Path) -> None:
    steps = Paragraph("1. eerst bloed prikken<br/>2. dan de pomp starten<br/>3. daarna rapporteren", STYLE)
    rows = _rows(_read(tmp_path, (FIRST, WIDTHS, 80), ([["", "", "", steps]], WIDTHS, 80), (LAST, WIDTHS, 80)))
    assert rows[3][1] == [(3, "1. eerst bloed prikken 2. dan de pomp starten 3. daarna rapporteren")]
    assert len({table for table, _ in rows}) == 1


def test_tall_cells_in_other_columns_are_text(tmp_path: Path) -> None:
    page = ([["", TALL]], [120, 160], 80)
    rows = _rows(_read(tmp_path, (FIRST, WIDTHS, 80), page, (LAST, WIDTHS, 80)))
    assert [[words for _, words in cells] for _, cells in rows] == [*FIRST, *LAST]


def test_columns_of_text_in_frames_are_no_table_that_goes_on(tmp_path: Path) -> None:
    page = ([[TALL, TALL]], [150, 150], 80)
    assert not _rows(_read(tmp_path, page, page))
