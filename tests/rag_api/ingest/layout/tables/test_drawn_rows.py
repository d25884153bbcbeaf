"""Rows of a drawn table, however tall their cells are and whatever words in them are underlined."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import ReadDocument
from rag_api.ingest.readers.read import PDF, read
from tests.rag_api.made_files.pdfs import both, lines, pdf, write

pytestmark = pytest.mark.quick

_LEFTS = (60, 180, 380, 540)
_TOP = 740
Rows = Sequence[Sequence[Sequence[str]]]  # each its cells, each its lines


def _drawn(folder: Path, rows: Rows, underlined: Sequence[str] = ()) -> ReadDocument:
    """A grid around the cells' lines, and a rule at the foot of each line that is underlined."""

    def draw(canvas: Canvas) -> None:
        y = float(_TOP)
        canvas.line(_LEFTS[0], y, _LEFTS[-1], y)
        for n, row in enumerate(rows):
            canvas.setFont("Helvetica" if n else "Helvetica-Bold", 10)
            for left, cell in zip(_LEFTS, row, strict=False):
                for k, words in enumerate(cell):
                    at = y - 12 - 12 * k
                    canvas.drawString(left + 4, at, words)
                    if words in underlined:
                        canvas.line(left + 4, at - 1.5, left + 4 + canvas.stringWidth(words), at - 1.5)
            y -= 12 * max(map(len, row)) + 6
            canvas.line(_LEFTS[0], y, _LEFTS[-1], y)
        for left in _LEFTS:
            canvas.line(left, _TOP, left, y)

    made = pdf(both(lines("Antibiotica bij kinderen", size=16, y=780, font="Helvetica-Bold"), draw))
    path = write(folder, "page.pdf", made)
    return read(path, path.name, PDF, max_pages=2)


_HEADER = (("Groep",), ("Middel",), ("Dosis",))
_SHORT = (("Pasgeborenen",), ("Amoxicilline",), ("Vraag de apotheek",))
_TALL = (
    ("Kinderen",),
    tuple(f"Stap {n} van de kuur" for n in range(1, 19)),
    tuple(f"{n} mg/kg om de 8 uur" for n in range(11, 29)),
)


def test_a_row_taller_than_a_column_of_text_is_one_where_others_have_its_columns(tmp_path: Path) -> None:
    text = _drawn(tmp_path, [_HEADER, _SHORT, _TALL]).text
    assert _told(_TALL) in text.split("\n")


def test_columns_of_text_in_a_frame_of_their_own_are_no_row(tmp_path: Path) -> None:
    text = _drawn(tmp_path, [_TALL]).text
    assert _told(_TALL) not in text.split("\n")


def test_a_rule_at_the_foot_of_words_parts_no_cell(tmp_path: Path) -> None:
    row = (("Kinderen",), ("Zie de richtlijn", "koorts", "voor de keuze"), ("25 mg/kg", "om de 8 uur"))
    text = _drawn(tmp_path, [_HEADER, _SHORT, row], underlined=["koorts", "25 mg/kg"]).text
    assert text.rstrip().split("\n")[-3:] == [_told(_HEADER), _told(_SHORT), _told(row)]


def _told(row: Sequence[Sequence[str]]) -> str:
    return "\t".join(" ".join(cell) for cell in row)
