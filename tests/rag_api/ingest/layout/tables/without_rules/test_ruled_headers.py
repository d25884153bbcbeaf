"""A table with level rules above its header, below it and at its end is read row by row, each cell
in its own column, or shown and not quoted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import ReadDocument
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf, write

pytestmark = pytest.mark.quick

_AT = (60, 150, 300, 440)
_HEADER = (("Kenmerk",), ("Middel A",), ("Middel B",), ("Middel C", "5 mg"))
_ROWS: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("Werking",), ("remt lipase",), ("remt de opname", "van zout"), ("C: remt pijn;", "D: remt koorts")),
    (("Gewicht na", "een jaar"), ("4-8",), ("6-8", "Zonder 3%"), ("5-14", "5,1%", "Zonder 1,6%")),
    (("Dosis",), ("3 keer daags",), ("1 keer daags",), ("1 keer per week", "Tabletten: 3 mg")),
)
_Row = Sequence[Sequence[str]]


def _table(rows: Sequence[_Row], gap: float = 2, by_lines: bool = False, lower: float = 0) -> Draw:
    """gap: points of white between the rows; by_lines: a row's cells are drawn line by line, and
    not, unevenly, one after the other; lower: how far the last cell stands below the others, or,
    less than nothing, above them."""

    def draw(canvas: Canvas) -> None:
        y = 640.0
        canvas.line(55, y + 14, 540, y + 14)
        for r, row in enumerate((_HEADER, *rows)):
            canvas.setFont("Helvetica" if r else "Helvetica-Bold", 10)
            placed = [
                (
                    n,
                    k,
                    _AT[k],
                    y - 12 * n - (lower if r and k == 3 else 0) - (3 if n and r > 1 and not by_lines else 0),
                    line,
                )
                for k, cell in enumerate(row)
                for n, line in enumerate(cell)
            ]
            for _, _, x, at, line in sorted(placed) if by_lines else placed:
                canvas.drawString(x, at, line)
            y -= 12 * max(map(len, row)) + gap + (3 if r > 1 else 0)
            if not r:
                canvas.line(55, y + 9, 540, y + 9)
                y -= 6
        canvas.line(55, y + 6, 540, y + 6)

    return draw


def _read(folder: Path, table: Draw) -> ReadDocument:
    path = write(folder, "page.pdf", pdf(both(lines("Middelen", size=16, y=780), table)))
    return read(path, path.name, PDF, max_pages=2)


def _rows(document: ReadDocument) -> list[str]:
    quotes = [one for one in quotable(document.text, document.blocks) if is_certain(one, document.uncertain)]
    return [document.text[one.start : one.end].strip() for one in quotes]


@pytest.mark.parametrize("how", [{}, {"gap": 14.0, "by_lines": True}], ids=["cell by cell", "line by line"])
def test_each_row_is_whole_and_its_cells_stand_below_their_names(how: dict[str, float], tmp_path: Path) -> None:
    document = _read(tmp_path, _table(_ROWS, **how))  # type: ignore[arg-type]
    assert _rows(document) == ["\t".join(" ".join(cell) for cell in row) for row in _ROWS]
    header = "\t".join(" ".join(cell) for cell in _HEADER)
    leads = [[document.text[a:b].strip() for a, b in one.lead] for one in quotable(document.text, document.blocks)]
    assert all(header in lead for lead in leads if lead)
    assert document.uncertain == ()


def test_cells_of_no_certain_row_are_shown_and_not_quoted(tmp_path: Path) -> None:
    document = _read(tmp_path, _table(_ROWS, lower=-6))
    assert not [one for one in _rows(document) if any(line in one for row in _ROWS for cell in row for line in cell)]
    assert all(line in document.text for row in _ROWS for cell in row for line in cell)


def test_several_names_above_each_other_are_not_one_row(tmp_path: Path) -> None:
    """Which of them a sign stands beside nobody knows, where all of a column is drawn at once."""
    row = (("Dieet", "Middelen", "Ingreep"), ("ja", "ja"), ("ja", "bij klachten"), ("ja", "ja", "ja"))
    document = _read(tmp_path, _table([row]))
    assert not [one for one in _rows(document) if "Middelen" in one or "klachten" in one]


def test_a_caption_below_uncertain_rows_names_them(tmp_path: Path) -> None:
    row = (("Dieet", "Middelen", "Ingreep"), ("ja", "ja"), ("ja", "bij klachten"), ("ja", "ja", "ja"))
    document = _read(tmp_path, both(_table([row]), lines("Tabel 1. Wie wat krijgt", y=570, x=60, size=10)))
    assert document.text.index("Tabel 1") < document.text.index("Kenmerk")


_UNNAMED: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("Gevolgen voor", "de stofwisseling"), ("Diabetes, hoge bloeddruk, vet", "in de lever en galstenen")),
    (("Gevolgen voor", "het bewegen"), ("Versleten knieën, en minder", "adem bij trappen lopen")),
    (("Gevolgen voor", "de stemming"), ("Somberheid, angst, en minder", "aandacht op het werk")),
)


def _unnamed(rows: Sequence[_Row]) -> Draw:
    """Between two level rules, drawn cell by cell."""

    def draw(canvas: Canvas) -> None:
        canvas.line(55, 660, 540, 660)
        canvas.setFont("Helvetica", 10)
        for r, row in enumerate(rows):
            for x, cell in zip(_AT, row, strict=False):
                for n, line in enumerate(cell):
                    canvas.drawString(x, 645 - 27 * r - 12 * n, line)
        canvas.line(55, 645 - 27 * len(rows), 540, 645 - 27 * len(rows))

    return draw


def test_rows_without_names_above_keep_what_stands_in_their_first_column(tmp_path: Path) -> None:
    document = _read(tmp_path, _unnamed(_UNNAMED))
    assert _rows(document)[-3:] == ["\t".join(" ".join(cell) for cell in row) for row in _UNNAMED]


@pytest.mark.parametrize(
    "rows",
    [_UNNAMED[:2], [((f"{n}.",), row[1]) for n, row in enumerate(_UNNAMED, start=1)]],
    ids=["two rows", "a list"],
)
def test_what_may_be_no_table_is_none(rows: Sequence[_Row], tmp_path: Path) -> None:
    assert not any("\t" in row for row in _rows(_read(tmp_path, _unnamed(rows))))
