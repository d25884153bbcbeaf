"""Posters are read box by box, in whatever order their boxes are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import ReadDocument
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.uncertain import touches
from tests.rag_api.made_files.pdfs import Draw, pdf, write

TITLE = "Koorts bij kinderen"
LEFT = ("Jonger dan drie maanden", "Opname in het ziekenhuis.", "Bel de kinderarts meteen.", "Neem een bloedkweek af.")
OLDER = ("Ouder dan drie maanden", "Geef paracetamol.", "Laat het kind drinken.", "Zie het morgen terug.")
RIGHT = ("Met een stijve nek", "Doe een punctie.", "Geef ceftriaxon.", "Isoleer het kind.")
LAST = ("Zonder aanwijzing", "Kijk de urine na.", "Maak een foto.", "Overleg met de arts.")


def _box(canvas: Canvas, x: float, y: float, lines: tuple[str, ...]) -> None:
    """Its upper side at y."""
    canvas.rect(x, y - 16 * len(lines) - 8, 230, 16 * len(lines) + 8)
    for n, words in enumerate(lines, start=1):
        canvas.drawString(x + 8, y - 16 * n, words)


def _title(canvas: Canvas) -> None:
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(200, 790, TITLE)
    canvas.setFont("Helvetica", 11)


def headings_last(canvas: Canvas) -> None:
    """All texts, then their headings in boxes of their own, the title at the end."""
    canvas.setFont("Helvetica", 11)
    _box(canvas, 50, 730, LEFT[1:])
    _box(canvas, 310, 686, RIGHT[1:])
    _box(canvas, 50, 560, OLDER[1:])
    for x, y, words in ((310, 712, RIGHT), (50, 586, OLDER), (50, 756, LEFT)):
        _box(canvas, x, y, words[:1])
    _title(canvas)


def within_a_box(canvas: Canvas) -> None:
    """Headings in boxes of their own, drawn after all that one box around them holds."""
    canvas.setFont("Helvetica", 11)
    canvas.rect(50, 480, 400, 280)
    at = {words: y for y, words in zip((750, 660, 570), (LEFT, OLDER, RIGHT), strict=True)}
    for words, y in at.items():
        for n, line in enumerate(words[1:], start=1):
            canvas.drawString(60, y - 8 - 18 * n, line)
    for words, y in sorted(at.items(), key=lambda one: one[1]):
        canvas.rect(51, y - 6, 398, 17)
        canvas.drawString(60, y - 1, words[0])
    canvas.rect(51, 481, 398, 17)
    canvas.drawString(60, 486, "Einde")


def as_rows_or_columns(canvas: Canvas) -> None:
    """Two by two boxes, drawn upwards: nobody knows whether they are rows."""
    canvas.setFont("Helvetica", 11)
    for x, y, words in ((50, 560, OLDER), (310, 732, LAST), (50, 740, LEFT), (310, 552, RIGHT)):
        _box(canvas, x, y, words)


def texts_upwards(canvas: Canvas) -> None:
    """A column of texts in no box, the upper one drawn last, beside boxes that are drawn
    downwards."""
    canvas.setFont("Helvetica", 11)
    for y, words in ((560, OLDER), (740, LEFT)):
        for n, line in enumerate(words, start=1):
            canvas.drawString(50, y - 14 * n, line)
    for y, lines in ((748, RIGHT[:2]), (680, RIGHT[2:]), (590, LAST[:2]), (520, LAST[2:])):
        _box(canvas, 310, y, lines)


def _read(tmp_path: Path, draw: Draw) -> ReadDocument:
    path = write(tmp_path, "a.pdf", pdf(draw))
    return read(path, path.name, PDF, max_pages=5)


@pytest.mark.parametrize(
    ("draw", "order"),
    [
        (headings_last, (TITLE, *LEFT, *OLDER, *RIGHT)),
        (within_a_box, (*LEFT, *OLDER, *RIGHT)),
        (texts_upwards, (*LEFT, *OLDER, *RIGHT, *LAST)),
    ],
)
def test_each_text_of_a_poster_is_read_below_its_own_heading(
    tmp_path: Path, draw: Draw, order: tuple[str, ...]
) -> None:
    document = _read(tmp_path, draw)
    places = [document.text.index(words) for words in order]
    assert places == sorted(places)
    assert not document.uncertain


def test_boxes_that_may_be_rows_as_well_as_columns_are_never_quoted(tmp_path: Path) -> None:
    document = _read(tmp_path, as_rows_or_columns)
    for words in (*LEFT, *OLDER, *RIGHT, *LAST):
        at = document.text.index(words)
        assert touches(at, at + len(words), document.uncertain)
