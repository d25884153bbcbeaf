"""A table that is drawn column by column is read by its rows, or shown and not quoted; columns of
prose and lists stay what they are."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import ReadDocument
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf, wrapped, write

pytestmark = pytest.mark.quick

_AT, _WIDTH = (60, 150, 300, 440), (80, 130, 120, 100)
_HEADER = ("Middel", "Dosis", "Tijd", "Weg")
_SHORT = (
    ("Paracetamol", "15 mg per kg", "om de 6 uur", "oraal"),
    ("Ibuprofen", "7 mg per kg", "om de 8 uur", "oraal"),
    ("Morfine", "0,1 mg per kg", "om de 4 uur", "in de ader"),
    ("Ketamine", "1 mg per kg", "eenmalig", "in de ader"),
)
_LONG = (
    ("Paracetamol", "15 mg per kg, ten hoogste vier keer op een dag", "om de 6 uur", "oraal"),
    ("Ibuprofen", "7 mg per kg", "om de 8 uur, bij of na het eten", "oraal"),
    ("Morfine", "0,1 mg per kg, traag en met toezicht", "om de 4 uur", "in de ader"),
    ("Ketamine", "1 mg per kg", "eenmalig, en alleen op de spoed", "in de ader"),
)
_PROSE = (
    "De verpleegkundige meet bij aankomst de temperatuur, de pols en de bloeddruk en noteert ze in het dossier. Is er "
    "koorts, dan "
    "volgt een bloedkweek voordat het eerste antibioticum wordt gegeven. Wacht daar nooit langer dan een uur mee."
)


def _table(
    rows: Sequence[Sequence[str]], order: Sequence[int], bold: bool = True, middle: bool = False, across: bool = False
) -> Draw:
    """A header and rows, of which the columns are drawn in this order."""

    def draw(canvas: Canvas) -> None:
        placed, y = [], 640.0
        for r, row in enumerate((_HEADER[: len(rows[0])], *rows)):
            font = "Helvetica-Bold" if bold and not r else "Helvetica"
            cells = [wrapped(cell, width, 10, font) for cell, width in zip(row, _WIDTH, strict=False)]
            most = max(map(len, cells))
            for k, cell in enumerate(cells):
                placed += [
                    (k, y - 12 * (n + (most - len(cell)) / 2 * middle), font, line) for n, line in enumerate(cell)
                ]
            if across:
                canvas.line(55, y + 12, 540, y + 12)
            y -= 12 * most + 6
        if across:
            canvas.line(55, y + 12, 540, y + 12)
        for k in order:
            for _, at, font, line in (one for one in placed if one[0] == k):
                canvas.setFont(font, 10)
                canvas.drawString(_AT[k], at, line)

    return draw


def _prose(x: float, width: float, top: float, words: str = " ".join([_PROSE] * 3)) -> Draw:
    return lines(*wrapped(words, width, 10), x=x, y=top, size=10, leading=12)


def _read(folder: Path, *drawn: Draw) -> ReadDocument:
    path = write(folder, "page.pdf", pdf(both(lines("Pijn bij kinderen", size=16, y=780), *drawn)))
    return read(path, path.name, PDF, max_pages=2)


def _quoted(document: ReadDocument) -> list[str]:
    quotes = [one for one in quotable(document.text, document.blocks) if is_certain(one, document.uncertain)]
    return [document.text[one.start : one.end].strip() for one in quotes]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0)], ids=["from the left", "from the right"])
@pytest.mark.parametrize(
    ("rows", "how"),
    [
        (_SHORT, {}),
        (_LONG, {}),
        (_LONG, {"middle": True}),
        (_SHORT, {"across": True, "bold": False}),
        (_LONG, {"across": True, "bold": False}),
        (_SHORT, {"bold": False}),
    ],
    ids=[
        "lines",
        "cells of several lines",
        "in the middle",
        "rules across",
        "rules across long",
        "figures in one column",
    ],
)
def test_rows_are_whole_that_are_drawn_column_by_column(
    rows: Sequence[Sequence[str]], how: dict[str, bool], order: Sequence[int], tmp_path: Path
) -> None:
    document = _read(tmp_path, _prose(60, 480, 740, _PROSE), _table(rows, order, **how), _prose(60, 480, 400, _PROSE))
    quoted = _quoted(document)
    assert [one for one in quoted if "\t" in one] == ["\t".join(row) for row in rows]
    assert sum("bloedkweek" in one for one in quoted) == 2
    assert document.uncertain == ()


def test_two_columns_of_short_lines_are_shown_and_not_quoted(tmp_path: Path) -> None:
    """They may be a table, or two lists."""
    names = [*((row[0], row[3]) for row in _SHORT), ("Fentanyl", "in de neus")]
    document = _read(
        tmp_path, _prose(60, 480, 740, _PROSE), _table(names, (0, 1), bold=False), _prose(60, 480, 400, _PROSE)
    )
    assert not [one for one in _quoted(document) if any(name in one for row in names for name in row)]
    assert all(name in document.text for row in names for name in row)
    assert sum("bloedkweek" in one for one in _quoted(document)) == 2


@pytest.mark.parametrize("seed", range(4))
def test_columns_of_prose_and_of_lists_are_quoted_as_they_are(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    words = _PROSE.split()

    def column(x: float, mark: str) -> Draw:
        def drawn(canvas: Canvas) -> None:
            y = 640.0
            canvas.setFont("Helvetica", 10)
            while y > 300:
                said = " ".join(draw.choices(words, k=draw.randint(4, 30)))
                for n, line in enumerate(wrapped(mark * (mark == "• ") + said, 140, 10)):
                    canvas.drawString(x + 8 * (n > 0 and bool(mark)), y, line)
                    y -= 12

        return drawn

    mark = "• " if seed % 2 else ""
    document = _read(tmp_path, *(column(x, mark) for x in (60, 230, 400)))
    assert document.uncertain == ()
    assert "\t" not in document.text
