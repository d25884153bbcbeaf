"""Headers of a document that is printed on both sides: the left pages have another one than the
right pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.rag_api.ingest.readers.test_read_pdf import read_bytes
from tests.rag_api.made_files.pdfs import Draw, pdf, wrapped

pytestmark = pytest.mark.quick

_SAID = (
    "De verpleegkundige meet bij aankomst de temperatuur, de pols en de bloeddruk en noteert ze op blad {} van "
    "het dossier."
)


def _page(number: int, header: str) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(60, 812, header)
        canvas.setFont("Helvetica", 10)
        for n, line in enumerate(wrapped(_SAID.format("abcdefgh"[number]) * 6, 470, 10)):
            canvas.drawString(60, 760 - 13 * n, line)

    return draw


@pytest.mark.parametrize("pages", [5, 6])
def test_a_header_of_all_left_or_all_right_pages_is_cut(pages: int, tmp_path: Path) -> None:
    headers = ("Zorg op de afdeling", "Meten en noteren")
    text = read_bytes(tmp_path, pdf(*(_page(n, headers[n % 2]) for n in range(pages)))).text
    assert not [header for header in headers if header in text]


def test_what_stands_on_two_pages_of_many_stays(tmp_path: Path) -> None:
    headers = {1: "Meten en noteren", 3: "Meten en noteren"}
    text = read_bytes(tmp_path, pdf(*(_page(n, headers.get(n, f"Deel {'abcdefgh'[n]}")) for n in range(7)))).text
    assert text.count("Meten en noteren") == 2
