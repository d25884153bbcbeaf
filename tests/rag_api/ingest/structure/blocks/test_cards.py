"""Boxes of a card are not quoted without the bar, row or column that says whom they are for."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import ReadDocument, code_of
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf, write

pytestmark = pytest.mark.quick

_WIDE = 220.0
_RULES = ("Weigh everybody who is new on this ward.", "Call the doctor in doubt.", "Never give both at once.")
_MORE = ("Write down when it was given.", "Count the tablets at night.", "Lock the cupboard.")
_GIVEN = ("Give 20 mg every six hours.", "Give 40 mg every six hours.")


def _box(x: float, y: float, *words: str, filled: bool = False) -> Draw:
    """Its upper left corner."""

    def draw(canvas: Canvas) -> None:
        high = 18.0 * len(words) + 8
        canvas.setFillGray(0.85)
        canvas.rect(x, y - high, _WIDE, high, stroke=not filled, fill=filled)
        canvas.setFillGray(0)
        canvas.setFont("Helvetica", 11)
        for n, text in enumerate(words, start=1):
            canvas.drawString(x + 8, y - 18 * n, text)

    return draw


def _read(folder: Path, *boxes: Draw) -> ReadDocument:
    page = lines("Medicines on the ward", size=20, y=800)
    for one in boxes:
        page = both(page, one)
    path = write(folder, "card.pdf", pdf(page))
    return read(path, path.name, PDF, max_pages=2)


def _quoted(document: ReadDocument) -> set[str]:
    quotes = [one for one in quotable(document.text, document.blocks) if is_certain(one, document.uncertain)]
    return {document.text[quote.start : quote.end].strip() for quote in quotes}


def _card(white: float) -> tuple[Draw, ...]:
    """Two boxes of rules, and to their right two bars, each with white between it and its box."""
    bars = [
        one
        for n, (given, age) in enumerate(zip(_GIVEN, ("Children under five", "Children over five"), strict=True))
        for one in (
            _box(300, 700 - 150 * n, age, filled=True),
            _box(300, 700 - 150 * n - 26 - white, given, "Ask again after an hour."),
        )
    ]
    return (_box(60, 700, *_RULES), _box(60, 550, *_MORE), *bars)


def test_a_box_below_a_bar_that_is_not_surely_its_title_is_not_quoted(tmp_path: Path) -> None:
    document = _read(tmp_path, *_card(white=8))
    assert [code_of(note) for note in document.warnings] == ["page_unplaced"]
    quoted = _quoted(document)
    assert quoted.isdisjoint(_GIVEN)
    assert quoted.issuperset(_RULES), "the boxes beside the bars have none above them"


@pytest.mark.parametrize(("rows", "quoted"), [(3, False), (1, True)], ids=["rows and columns", "one row"])
def test_boxes_in_a_grid_are_not_quoted(rows: int, quoted: bool, tmp_path: Path) -> None:
    """Which row and which column a dose stands in may be all that says whom it is for."""
    boxes = [
        _box(60 + 250 * column, 700 - 100 * row, f"Give {row}{column} mg by mouth.", "Ask after an hour.", *_RULES[:1])
        for row in range(rows)
        for column in range(2)
    ]
    found = _quoted(_read(tmp_path, *boxes))
    assert ({"Give 00 mg by mouth.", "Give 01 mg by mouth."} <= found) == quoted
