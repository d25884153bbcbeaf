"""Tables side by side that are drawn line by line over both: no row holds a cell of the other
table, nor is read under its header."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen import canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table, TableStyle

from rag_api.domain import ReadDocument
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain

pytestmark = pytest.mark.quick

LEFT = [["Kalium", "Gift"], ["3,0 tot 3,5", "2 x 16 mmol"], ["2,5 tot 3,0", "20 mmol"], ["onder 2,5", "40 mmol"]]
RIGHT = [["Magnesium", "Dosis"], ["0,5 tot 0,7", "8 mmol"], ["onder 0,5", "10 mmol"], ["onder 0,3", "12 mmol"]]
BOTH = [[*left, "", *right] for left, right in zip(LEFT, RIGHT, strict=True)]
BOLD = ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")
GRID = [("GRID", (a, 0), (b, -1), 0.5, "black") for a, b in ((0, 1), (3, 4))]
OPEN = [(what, (a, 0), (b, 0), 0.5, "black") for a, b in ((0, 1), (3, 4)) for what in ("LINEABOVE", "LINEBELOW")]


def laid(folder: Path, rows: list[list[str]], style: Sequence[tuple[object, ...]], width: float = 80) -> ReadDocument:
    out, below = (
        io.BytesIO(),
        Paragraph("Meet na een uur opnieuw en noteer de uitslag in het dossier van de patiënt, met de tijd erbij."),
    )
    made = Table(rows, colWidths=[width] * len(rows[0]), style=TableStyle([BOLD, *style]))
    SimpleDocTemplate(out, invariant=1).build([made, below])
    path = folder / "tables.pdf"
    path.write_bytes(out.getvalue())
    return read(path, path.name, PDF, max_pages=5)


@pytest.mark.parametrize("style", [GRID, OPEN], ids=["grid", "rules at the header"])
@pytest.mark.parametrize("longer", [0, 1], ids=["as long", "the left one longer"])
def test_each_row_is_of_one_table_and_under_its_header(
    style: list[tuple[object, ...]], longer: int, tmp_path: Path
) -> None:
    more = [["onder 2,0", "60 mmol", "", "", ""]] * longer
    document = laid(tmp_path, [*BOTH, *more], style)
    text = document.text
    found = {
        text[q.start : q.end].strip(): "".join(text[a:b] for a, b in q.lead)
        for q in quotable(text, document.blocks)
        if is_certain(q, document.uncertain)
    }
    for rows in ([*LEFT, *(row[:2] for row in more)], RIGHT):
        for row in rows[1:]:
            assert found["\t".join(row)].strip() == "\t".join(rows[0])
    assert text.rstrip().endswith("met de tijd erbij.")


def test_one_table_with_a_blank_column_stays_one(tmp_path: Path) -> None:
    document = laid(tmp_path, BOTH, [("GRID", (0, 0), (-1, -1), 0.5, "black")])
    assert "3,0 tot 3,5\t2 x 16 mmol\t0,5 tot 0,7\t8 mmol" in document.text


def test_three_tables_side_by_side(tmp_path: Path) -> None:
    third = [["Calcium", "Snelheid"], ["0,9 tot 1,1", "1 g"], ["onder 0,9", "2 g"], ["onder 0,8", "3 g"]]
    rows = [[*both, "", *own] for both, own in zip(BOTH, third, strict=True)]
    style = [*GRID, ("GRID", (6, 0), (7, -1), 0.5, "black")]
    text = laid(tmp_path, rows, style, width=66).text
    places = [text.index("\t".join(row)) for rows in (LEFT, RIGHT, third) for row in rows]
    assert places == sorted(places)


def test_columns_of_text_keep_their_order(tmp_path: Path) -> None:
    """Tables of two columns of a page that happen to stand level are drawn one after the other, and
    read so."""
    out = io.BytesIO()
    page = canvas.Canvas(out, invariant=1)
    for at, rows in ((60, LEFT), (320, RIGHT)):
        page.drawString(at, 760, f"Over {rows[0][0].lower()}")
        made = Table(rows, colWidths=[100, 100], style=TableStyle([BOLD, ("GRID", (0, 0), (-1, -1), 0.5, "black")]))
        made.wrapOn(page, 200, 200)
        made.drawOn(page, at, 660)
    page.save()
    path = tmp_path / "columns.pdf"
    path.write_bytes(out.getvalue())
    text = read(path, path.name, PDF, max_pages=5).text
    words = ["Over kalium", *("\t".join(row) for row in LEFT), "Over magnesium", *("\t".join(row) for row in RIGHT)]
    assert [text.index(one) for one in words] == sorted(text.index(one) for one in words)
