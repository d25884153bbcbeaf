"""Names of groups of rows that lie on their side are read with each row of their group."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import BlockKind, ReadDocument
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from tests.rag_api.made_files.pdfs import Draw, both, pdf, write

pytestmark = pytest.mark.quick

_EDGES, _TOP, _HIGH = (60, 100, 260, 310, 360, 520), 700, 24
_GROUPS = {"Eerste uur": range(1, 4), "Daarna": range(4, 7)}
_HEADER = ("", "Onderzoek", "Dag 1", "Dag 2", "Uitslag")
_ROWS = (
    ("Bloedkweek", "x", "", "geen groei"),
    ("Lactaat", "", "x", "onder twee"),
    ("Foto", "x", "", ""),
    ("Echo", "", "x", "normaal"),
    ("Urinekweek", "x", "", "geen groei"),
    ("Stolling", "", "x", ""),
)


def _table(canvas: Canvas) -> None:
    foot = _TOP - _HIGH * (len(_ROWS) + 1)
    for edge in _EDGES:
        canvas.line(edge, _TOP, edge, foot)
    for n in range(len(_ROWS) + 2):
        whole = n in (0, 1, len(_ROWS) + 1) or any(n == rows.start for rows in _GROUPS.values())
        canvas.line(_EDGES[0 if whole else 1], _TOP - _HIGH * n, _EDGES[-1], _TOP - _HIGH * n)
    for n, cells in enumerate((_HEADER, *(("", *row) for row in _ROWS))):
        canvas.setFont("Helvetica" if n else "Helvetica-Bold", 10)
        for x, words in zip(_EDGES, cells, strict=False):
            canvas.drawString(x + 6, _TOP - _HIGH * (n + 1) + 8, words)


def _names(canvas: Canvas) -> None:
    canvas.setFont("Helvetica-Bold", 10)
    for name, rows in _GROUPS.items():
        for n, word in enumerate(name.split()):
            canvas.saveState()
            canvas.translate(_EDGES[0] + 15 + 13 * n, _TOP - _HIGH * rows.stop + 10)
            canvas.rotate(90)
            canvas.drawString(0, 0, word)
            canvas.restoreState()


def _beside(canvas: Canvas) -> None:
    """Words on their side in no cell of the table."""
    canvas.saveState()
    canvas.translate(40, 560)
    canvas.rotate(90)
    canvas.drawString(0, 0, "Kopie voor het dossier")
    canvas.restoreState()


def _read(folder: Path, *draw: Draw) -> ReadDocument:
    path = write(folder, "page.pdf", pdf(both(*draw)))
    return read(path, path.name, PDF, max_pages=1)


@pytest.mark.parametrize("draw", [(_table, _names), (_names, _table)], ids=["names last", "names first"])
def test_each_row_has_the_name_of_its_group(draw: tuple[Draw, ...], tmp_path: Path) -> None:
    document = _read(tmp_path, *draw, _beside)
    rows = [document.text[q.start : q.end].split("\t")[:2] for q in quotable(document.text, document.blocks)]
    due = [[name, _ROWS[n - 1][0]] for name, of in _GROUPS.items() for n in of]
    assert [row for row in rows if row[0] in _GROUPS] == due
    assert not document.uncertain
    assert document.text.count("Kopie voor het dossier") == 1


def test_cells_stand_below_their_own_names_where_no_row_has_all_columns(tmp_path: Path) -> None:
    document = _read(tmp_path, _table, _names)
    columns: dict[int, list[str]] = {}
    for block in document.blocks:
        if block.kind == BlockKind.CELL:
            columns.setdefault(block.column, []).append(document.text[block.start : block.end].strip())
    assert columns[2] == ["Dag 1", "x", "x", "x"]
    assert columns[3] == ["Dag 2", "x", "x", "x"]
    assert columns[4] == ["Uitslag", "geen groei", "onder twee", "normaal", "geen groei"]
