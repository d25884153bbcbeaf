"""A list that goes on over a page's end is one list; what stands between its halves is none of
it."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import BlockKind, ReadDocument
from rag_api.text.quotable.quotable_spans import quotable
from tests.rag_api.ingest.readers.test_read_pdf import read_bytes
from tests.rag_api.made_files.pdfs import Draw, pdf

pytestmark = pytest.mark.quick

_ITEMS = tuple(
    f"{what} voor de pomp start;"
    for what in ("controleer de naam", "meet de bloeddruk", "spoel de lijn", "zet het alarm aan")
)
_NOTE = "¹ Zie ook de procedure over het infuus."
_WARNS = "Vertrouwelijk: geef dit blad niet aan wie er niet mee werkt."


def _page(items: tuple[str, ...], mark: str, first: bool, foot: str, size: float) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        y = 760
        if first:
            canvas.drawString(60, y, "De verpleegkundige doet deze stappen in deze volgorde en slaat er geen over:")
            y -= 14
        for item in items:
            canvas.drawString(60, y, mark)
            canvas.drawString(80, y, item)
            y -= 14
        if not first:
            canvas.drawString(
                60, y - 30, "Daarna blijft de verpleegkundige nog tien minuten bij de patiënt in de kamer staan."
            )
        if foot:
            canvas.setFont("Helvetica", size)
            canvas.drawString(60, 60, foot)

    return draw


def _lists(document: ReadDocument) -> list[list[str]]:
    found: dict[int, list[str]] = {}
    for block in document.blocks:
        if block.kind == BlockKind.ITEM:
            found.setdefault(block.parent, []).append(document.text[block.start : block.end].strip())
    return list(found.values())


@pytest.mark.parametrize("mark", ["•", "-"])
@pytest.mark.parametrize(("foot", "size", "again"), [("", 8, False), (_NOTE, 8, False), (_WARNS, 11, True)])
def test_items_of_the_next_page_belong_to_the_list(
    tmp_path: Path, mark: str, foot: str, size: float, again: bool
) -> None:
    first, second = _page(_ITEMS[:2], mark, True, foot, size), _page(_ITEMS[2:], mark, False, foot * again, size)
    document = read_bytes(tmp_path, pdf(first, second))
    assert _lists(document) == [[f"{mark} {item}" for item in _ITEMS]]
    said = [document.text[quote.start : quote.end] for quote in quotable(document.text, document.blocks)]
    assert not any(foot in one and any(item in one for item in _ITEMS) for one in said if foot)


def test_a_list_of_its_own_below_a_paragraph_of_the_next_page_is_another_list(tmp_path: Path) -> None:
    document = read_bytes(tmp_path, pdf(_page(_ITEMS[:2], "•", True, _NOTE, 8), _page(_ITEMS[2:], "•", True, "", 8)))
    assert _lists(document) == [[f"• {item}" for item in half] for half in (_ITEMS[:2], _ITEMS[2:])]
