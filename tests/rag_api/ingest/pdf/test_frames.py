"""A box is one, in however many pieces its colour is painted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import BlockKind
from rag_api.ingest.readers.read import PDF, read
from tests.rag_api.made_files.pdfs import both, lines, pdf, write

pytestmark = pytest.mark.quick

_LINES = ("Let op bij kinderen", "Weeg het kind voor elke gift.", "Bel de arts bij twijfel over de dosis.")
_AROUND = "De verpleegkundige noteert het uur van de gift en de pijn een half uur daarna."


def _boxes(folder: Path, shaded: Sequence[tuple[float, float, float, float]]) -> list[str]:
    """What stands in each box of a page on which these areas (x, y, width, height) are shaded."""

    def shade(canvas: Canvas) -> None:
        canvas.setFillColorRGB(0.9, 0.87, 0.93)
        for area in shaded:
            canvas.rect(*area, stroke=0, fill=1)
        canvas.setFillColorRGB(0, 0, 0)

    page = both(
        lines("Pijn bij kinderen", size=16, y=780, font="Helvetica-Bold"),
        lines(_AROUND, _AROUND, y=740),
        shade,
        lines(*_LINES, y=660, leading=20),
        lines(_AROUND, _AROUND, y=560),
    )
    path = write(folder, "page.pdf", pdf(page))
    document = read(path, path.name, PDF, max_pages=2)
    return [document.text[one.start : one.end] for one in document.blocks if one.kind == BlockKind.NOTE]


def _line_by_line(apart: float = 0.0) -> list[tuple[float, float, float, float]]:
    return [(55, 654 - 20 * n, 400, 20 - apart) for n in range(len(_LINES))]


def test_a_box_that_is_shaded_line_by_line_is_one(tmp_path: Path) -> None:
    (box,) = _boxes(tmp_path, _line_by_line())
    assert all(line in box for line in _LINES)


def test_the_shades_of_lines_within_a_box_are_no_boxes(tmp_path: Path) -> None:
    (box,) = _boxes(tmp_path, [(50, 605, 410, 75), *_line_by_line()])
    assert all(line in box for line in _LINES)


def test_shades_with_white_between_them_are_boxes_of_their_own(tmp_path: Path) -> None:
    assert len(_boxes(tmp_path, _line_by_line(apart=4))) > 1
