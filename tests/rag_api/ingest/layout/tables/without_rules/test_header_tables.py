"""A line at the foot of a table is its last row's where that is sure; else neither it nor the row
is quoted. None is joined silently."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import ReadDocument
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain
from tests.rag_api.made_files.pdfs import Draw, pdf, write

pytestmark = pytest.mark.quick

Cell = tuple[str, ...]  # its lines
_AT = (60, 170, 300)
_HEADER = ("Middel", "Dosis bij volwassene", "Opmerking")
_SHORT: tuple[tuple[Cell, ...], ...] = (
    (("Paracetamol",), ("1 g om de 6 uur",), ("minder bij laag gewicht",)),
    (("Ibuprofen",), ("400 mg om de 8 uur",), ("niet bij nierfalen",)),
    (("Morfine",), ("2,5 mg traag",), ("toezicht",)),
)
_LONG: tuple[tuple[Cell, ...], ...] = (
    (("Paracetamol",), ("1 g om de 6 uur, ten", "hoogste 4 g per dag"), ("minder bij laag gewicht",)),
    (("Ibuprofen",), ("400 mg om de 8 uur",), ("niet bij nierfalen of bij een", "zwangerschap")),
    (("Morfine",), ("2,5 mg traag en elke", "tien minuten opnieuw"), ("toezicht",)),
)
_TAIL = "Bel bij 10 mg de arts."
_LEADING, _STEP = 12, 18  # points between lines, and between rows of one


def _table(
    rows: Sequence[Sequence[Cell]], below: float, x: float = _AT[0], middle: bool = False, rules: bool = False
) -> Draw:
    """below: points from the last row's first line to a line that follows; 0: none."""

    def draw(canvas: Canvas) -> None:
        y, most, edges = 700.0, 1, [712.0]
        placed: list[tuple[float, float, str]] = []
        canvas.setFont("Helvetica-Bold", 10)
        for at, name in zip(_AT, _HEADER, strict=True):
            canvas.drawString(at, y, name)
        canvas.setFont("Helvetica", 10)
        for row in rows:
            y -= _LEADING * (most - 1) + _STEP
            edges.append(y + 12)
            most = max(map(len, row))
            for at, cell in zip(_AT, row, strict=True):
                off = _LEADING * (most - len(cell)) / 2 * middle
                placed += [(at, y - off - _LEADING * n, line) for n, line in enumerate(cell)]
        if below:
            placed.append((x, y - below, _TAIL))
        for left, height, line in placed:
            canvas.drawString(left, height, line)
        for edge in (*edges, y - _LEADING * most + 8) if rules else ():
            canvas.line(55, edge, 430, edge)

    return draw


def _read(folder: Path, draw: Draw) -> ReadDocument:
    path = write(folder, "table.pdf", pdf(draw))
    return read(path, path.name, PDF, max_pages=2)


def _quoted(document: ReadDocument) -> list[str]:
    quotes = [one for one in quotable(document.text, document.blocks) if is_certain(one, document.uncertain)]
    return [document.text[one.start : one.end].strip() for one in quotes]


def _said(rows: Sequence[Sequence[Cell]]) -> list[str]:
    return ["\t".join(" ".join(cell) for cell in row) for row in rows]


@pytest.mark.parametrize("rows", [_SHORT, _LONG], ids=["rows of a line", "rows of two"])
@pytest.mark.parametrize("middle", [False, True], ids=["at the top", "in the middle"])
@pytest.mark.parametrize("column", range(3))
def test_a_line_as_close_as_a_cells_next_is_joined_to_none(
    rows: Sequence[Sequence[Cell]], middle: bool, column: int, tmp_path: Path
) -> None:
    most, own = (max(map(len, rows[-1])), len(rows[-1][column]))
    below = _LEADING * (most + own) / 2 if middle else _LEADING * own
    if not middle and own < most:
        below = _LEADING * most  # beside the row's last line it would be the cell's
    document = _read(tmp_path, _table(rows, below, _AT[column], middle))
    quoted = _quoted(document)
    assert _TAIL in document.text
    assert not [one for one in quoted if _TAIL in one and one != _TAIL]
    assert [one for one in quoted if "\t" in one] in (_said(rows), _said(rows[:-1]))


def test_a_line_that_may_be_the_last_cells_is_shown_and_not_quoted_nor_is_its_row(tmp_path: Path) -> None:
    document = _read(tmp_path, _table(_SHORT, _LEADING))
    assert _quoted(document) == _said(_SHORT[:-1])
    assert all(word in document.text for word in ("Morfine", "2,5 mg traag", _TAIL))


@pytest.mark.parametrize("below", [_STEP, 2 * _STEP])
def test_a_line_one_row_further_or_two_is_text(below: float, tmp_path: Path) -> None:
    assert _quoted(_read(tmp_path, _table(_SHORT, below))) == [*_said(_SHORT), _TAIL]


def test_a_line_below_the_tables_last_rule_is_text(tmp_path: Path) -> None:
    assert _quoted(_read(tmp_path, _table(_SHORT, 16, rules=True))) == [*_said(_SHORT), _TAIL]


@pytest.mark.parametrize("middle", [False, True], ids=["at the top", "in the middle"])
def test_a_last_row_whose_cells_wrap_is_whole(middle: bool, tmp_path: Path) -> None:
    assert _quoted(_read(tmp_path, _table(_LONG, 0, middle=middle))) == _said(_LONG)


def test_a_cell_whose_lines_are_broken_as_others_of_its_column_are_is_whole(tmp_path: Path) -> None:
    rows = [
        ((name,), ("1 g per keer", "4 keer per dag"), ("toezicht",)) for name in ("Paracetamol", "Ibuprofen", "Morfine")
    ]
    assert _quoted(_read(tmp_path, _table(rows, 0))) == _said(rows)


def test_the_second_line_of_a_cell_is_not_joined_to_the_last_cell_of_its_row(tmp_path: Path) -> None:
    """Rows as close to each other as the lines of their cells are not told apart."""

    def draw(canvas: Canvas) -> None:
        y = 700.0
        for n, row in enumerate((tuple((name,) for name in _HEADER), *_LONG)):
            canvas.setFont("Helvetica" if n else "Helvetica-Bold", 10)
            for k in range(max(map(len, row))):
                for at, cell in zip(_AT, row, strict=True):
                    if k < len(cell):
                        canvas.drawString(at, y, cell[k])
                y -= _LEADING + 0.5

    quoted = _quoted(_read(tmp_path, draw))
    assert not [one for one in quoted if "gewicht hoogste" in one or "ten\tminder" in one]
