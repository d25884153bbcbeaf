"""Shaded cells: what is painted upon its own colour has no edges that anybody sees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import BlockKind
from rag_api.ingest.pdf.cell_fills import seen_areas
from rag_api.ingest.readers.read import PDF, read
from tests.rag_api.made_files.pdfs import pdf, write

pytestmark = pytest.mark.quick

COLUMNS = ((60, 150), (150.9, 330), (330.9, 520))
ROWS = [
    ("Middel", "Volwassene", "Kind"),
    (
        "adrenaline",
        "50 microgram, herhaal|zo nodig na vijf minuten,|daarna een infuus met|een pomp volgens protocol",
        "|1 microgram per kg is|soms al genoeg, laat dit|aan een arts over",
    ),
    ("glucagon", "1 mg intraveneus,|herhaal eventueel of|start een infuus", "20 microgram per kg,|hoogstens 1 mg"),
]
LINE, PADDING = 12.0, 3.0


def shaded(canvas: Canvas) -> None:
    """As word processors write it: the cell, its lines upon it in the same colour, strips that go a
    little beyond it; the last column's cells are their lines and the strips around them alone."""
    top = 760.0
    for n, row in enumerate(ROWS):
        lines = [cell.split("|") for cell in row]
        height = max(map(len, lines)) * LINE + 2 * PADDING
        for m, ((x0, x1), own) in enumerate(zip(COLUMNS, lines, strict=True)):
            canvas.setFillColorRGB(
                *((0.3, 0.5, 0.8) if n == 0 else (0.82, 0.84, 0.92) if n % 2 else (0.92, 0.92, 0.96))
            )
            if m < 2:
                canvas.rect(x0, top - height, x1 - x0, height, stroke=0, fill=1)
            else:
                canvas.rect(x0, top - height + PADDING, x1 - x0, height - 2 * PADDING, stroke=0, fill=1)
                canvas.rect(x0, top - PADDING, x1 - x0, PADDING, stroke=0, fill=1)
            canvas.rect(x0 - 0.5, top - height, x1 - x0 + 1, PADDING, stroke=0, fill=1)
            for k in range(len(own)):
                inner = 0 if m == 2 else 4
                canvas.rect(x0 + inner, top - PADDING - (k + 1) * LINE, x1 - x0 - 2 * inner, LINE, stroke=0, fill=1)
            canvas.setFillColorRGB(0, 0, 0)
            canvas.setFont("Helvetica-Bold" if n == 0 or m == 0 else "Helvetica", 9)
            for k, said in enumerate(own):
                canvas.drawString(x0 + 5, top - PADDING - k * LINE - 9.5, said)
        top -= height + 0.9


def test_a_shaded_cell_whose_lines_are_shaded_too_is_one_cell(tmp_path: Path) -> None:
    document = read(write(tmp_path, "anafylaxie.pdf", pdf(shaded)), "anafylaxie.pdf", PDF, max_pages=5)
    cells = [document.text[one.start : one.end].strip() for one in document.blocks if one.kind == BlockKind.CELL]
    assert cells == [" ".join(cell.replace("|", " ").split()) for row in ROWS for cell in row]


def test_rows_of_one_colour_edge_to_edge_stay_apart_and_strips_lengthen_what_they_touch() -> None:
    fills = np.array([(0, 0, 50, 20), (0, 20, 50, 40), (60, 3, 90, 20), (60, 0, 90, 3), (62, 5, 88, 15)], np.float32)
    colours = np.tile(np.array([200, 200, 220], np.int16), (len(fills), 1))
    areas, seen = seen_areas(fills, colours)
    assert [tuple(area) for area in areas[seen].tolist()] == [(0, 0, 50, 20), (0, 20, 50, 40), (60, 0, 90, 20)]
    colours[-1] = 90  # of another colour it is seen
    assert seen_areas(fills, colours)[1].tolist() == [True, True, True, False, True]
