"""Rows of a drawn table, however tall their cells are and whatever words in them are underlined."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import ReadDocument
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf, write

pytestmark = pytest.mark.quick

_LEFTS = (60, 180, 380, 540)
_TOP = 740
_AFTER = "De verpleegkundige noteert het uur van de gift en de pijn een half uur daarna."
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


# a name, and the lines of the row below it
_GROUPS = (
    ("ROOD", ("Stridor en kwijlen", "Bel meteen de arts", "Houd het kind rechtop")),
    ("GEEL", ("Koorts en oorpijn", "Bel overdag de arts", "Geef iets tegen de pijn")),
)


def _beside_pictures(groups: Sequence[tuple[str, Sequence[str]]]) -> Draw:
    """A table with a title and names over its width, and rows whose first cell holds no words."""

    def draw(canvas: Canvas) -> None:
        y = float(_TOP)
        for name, cell in [("Kaart keel", ()), *groups]:
            for words, left in (([name], 64), (cell, 184)):
                canvas.setFont("Helvetica-Bold" if left == 64 else "Helvetica", 11)
                height = 14 * len(words) + 16 if words else 0
                for k, line in enumerate(words):
                    canvas.drawString(left, y - 14 - 14 * k, line)
                for side in (60, 500) if left == 64 else (60, 180, 500):
                    canvas.line(side, y, side, y - height)
                canvas.line(60, y, 500, y)
                y -= height
        canvas.line(60, y, 500, y)

    return draw


def _quotes(folder: Path, *pages: Draw) -> dict[str, str]:
    path = write(folder, "page.pdf", pdf(*pages))
    document = read(path, path.name, PDF, max_pages=3)
    quotes = quotable(document.text, document.blocks)
    return {
        document.text[q.start : q.end].strip(): " ".join(document.text[a:b].strip() for a, b in q.lead) for q in quotes
    }


def test_a_row_whose_other_cells_hold_no_words_is_one_below_its_name(tmp_path: Path) -> None:
    above = lines("Keelklachten", size=16, y=780, font="Helvetica-Bold")
    quotes = _quotes(tmp_path, both(above, _beside_pictures(_GROUPS), lines(_AFTER, y=480)))
    for name, words in _GROUPS:
        assert name in quotes[" ".join(words)]
        assert "Kaart keel" in quotes[" ".join(words)]


def test_a_list_beside_a_blank_cell_stays_a_list(tmp_path: Path) -> None:
    items = ("Let op", "\u2022 bel de arts", "\u2022 houd het kind rechtop")
    groups = [(name, items) for name, _ in _GROUPS]
    quotes = _quotes(tmp_path, both(_beside_pictures(groups), lines(_AFTER, y=480)))
    assert any(quote.endswith("bel de arts") for quote in quotes)
