"""Cells that stand close to each other in every row, as figures of one digit do before words, are
cells; what counts a list's items is not, nor are the rules above and below it a fraction's."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import BlockKind, ReadDocument
from rag_api.ingest.readers.read import PDF, read
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf, write

pytestmark = pytest.mark.quick

_BODY = (
    ("1", "Lichte pijn", "paracetamol"),
    ("2", "Matige pijn", "ibuprofen"),
    ("3", "Hevige pijn", "morfine"),
    ("4", "Ondraaglijk", "bel de arts"),
)
_FONTS = ("Helvetica", "Times-Roman", "Courier")


def _table(rows: Sequence[Sequence[str]], font: str, gap: float, ruled: bool = False, size: float = 10) -> Draw:
    """gap: points of white behind the widest cell of a column"""
    wide = [max(stringWidth(row[k], font, size) for row in rows) + gap for k in range(len(rows[0]))]
    lefts = [60 + sum(wide[:k]) for k in range(len(wide) + 1)]

    def draw(canvas: Canvas) -> None:
        canvas.setFont(font, size)
        for n, row in enumerate(rows):
            for left, cell in zip(lefts, row, strict=False):
                canvas.drawString(left, 700 - 15 * n, cell)
        if ruled:  # each cell's own edges, as browsers draw them
            for n in range(len(rows) + 1):
                for one, two in pairwise(lefts):
                    canvas.line(one - gap / 2, 711 - 15 * n, two - gap / 2, 711 - 15 * n)
            for left in lefts:
                canvas.line(left - gap / 2, 711, left - gap / 2, 711 - 15 * len(rows))

    return draw


def _read(folder: Path, *drawn: Draw) -> ReadDocument:
    path = write(folder, "page.pdf", pdf(both(lines("Welke pijnstiller", size=16, y=760), *drawn)))
    return read(path, path.name, PDF, max_pages=1)


def _rows(document: ReadDocument) -> list[tuple[str, ...]]:
    return [
        tuple(
            document.text[cell.start : cell.end].strip()
            for cell in document.blocks
            if cell.kind == BlockKind.CELL and row.start <= cell.start < row.end
        )
        for row in document.blocks
        if row.kind == BlockKind.ROW
    ]


@pytest.mark.parametrize("font", _FONTS)
@pytest.mark.parametrize("gap", [8, 12, 16, 30])
def test_a_column_of_single_digits_is_one_without_any_rule(gap: float, font: str, tmp_path: Path) -> None:
    assert _rows(_read(tmp_path, _table(_BODY, font, gap))) == list(_BODY)


@pytest.mark.parametrize("font", _FONTS)
@pytest.mark.parametrize("gap", [4, 8, 30])
def test_between_rules_one_digit_above_another_is_no_fraction(gap: float, font: str, tmp_path: Path) -> None:
    assert _rows(_read(tmp_path, _table(_BODY, font, gap, ruled=True))) == list(_BODY)


@pytest.mark.parametrize("label", ["{}.", "{})", "•"])
def test_a_list_stays_one_though_its_items_are_set_in_columns(label: str, tmp_path: Path) -> None:
    items = [(label.format(row[0]), *row[1:]) for row in _BODY]
    document = _read(tmp_path, _table(items, "Helvetica", 12))
    found = [block for block in document.blocks if block.kind == BlockKind.CELL]
    assert not any(document.text[block.start : block.end].strip() == items[0][0] for block in found)
    for item in items:
        assert f"{item[0]} {item[1]}" in document.text


def test_a_numbered_list_is_no_table(tmp_path: Path) -> None:
    document = _read(tmp_path, _table([row[:2] for row in _BODY], "Helvetica", 12))
    assert not [block for block in document.blocks if block.kind == BlockKind.CELL]
