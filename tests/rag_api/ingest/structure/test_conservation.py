"""Text that a page shows stands once in its text or in the list of what was cut; a page of which
that is not true is named and never quoted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import ReadDocument, code_of
from rag_api.ingest.layout.layout import lay_out
from rag_api.ingest.layout.lines import Line, Row
from rag_api.ingest.readers import read_pdf
from tests.rag_api.ingest.readers.test_read_alike import one_page
from tests.rag_api.ingest.readers.test_read_pdf import read_bytes
from tests.rag_api.made_files.pdfs import both, lines, pdf, read_handbook

_FIRST = (
    "De pomp staat op 5 ml per uur.",
    "Bij koorts wordt de arts gebeld.",
    "De familie krijgt het nummer van de dienst.",
)
_SECOND = ("De lijn blijft drie dagen liggen.", "Spoel haar met 10 ml.", "Noteer het uur.")
Items = list[Line | Row]


def _failed(document: ReadDocument) -> list[str]:
    return [str(one) for one in document.warnings if code_of(one) == "page_unaccounted"]


def _document(folder: Path) -> ReadDocument:
    return read_bytes(folder, pdf(lines(*_FIRST), lines(*_SECOND)))


def _lost(items: Items) -> Items:
    return items[:-1]


def _shortened(items: Items) -> Items:
    last = items[-1]
    assert isinstance(last, Line)
    return [*items[:-1], replace(last, marked=last.marked[1:])]


def _twice(items: Items) -> Items:
    return [*items, items[0]]


@pytest.mark.quick
@pytest.mark.parametrize("fault", [_lost, _shortened, _twice])
def test_a_page_that_loses_or_doubles_what_it_shows_is_named_and_not_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Callable[[Items], Items]
) -> None:
    def faulty(*args: Any) -> Items:
        items = lay_out(*args)
        return (
            fault(items) if any(isinstance(item, Line) and item.marked.text == _SECOND[0] for item in items) else items
        )

    monkeypatch.setattr(read_pdf, "lay_out", faulty)
    document = _document(tmp_path)
    (said,) = _failed(document)
    assert said.startswith("page 2: ")
    page = document.pages[1]
    assert document.uncertain == ((page.start, page.start + len(page.text)),)


@pytest.mark.quick
def test_a_page_that_keeps_what_it_shows_is_not_in_doubt(tmp_path: Path) -> None:
    document = _document(tmp_path)
    assert not _failed(document)
    assert not document.uncertain


@pytest.mark.quick
def test_what_is_joined_left_out_or_said_again_for_a_reason_is_accounted_for(tmp_path: Path) -> None:
    """Hyphens of syllables, leaders, page numbers, a watermark, what nobody sees, and a cell that
    stands for two rows."""

    def table(canvas: Canvas) -> None:
        canvas.grid([60, 160, 300], [620, 580])
        canvas.line(160, 600, 300, 600)
        for x, y, words in ((65, 596, "Volwassene"), (165, 606, "paracetamol 1 g"), (165, 586, "ibuprofen 400 mg")):
            canvas.drawString(x, y, words)

    def odd(canvas: Canvas) -> None:
        canvas.setFillGray(1)
        canvas.drawString(60, 500, "Niemand ziet dit.")
        canvas.setFillGray(0)
        canvas.rotate(45)
        canvas.drawString(500, 100, "ONTWERP")

    first = lines(
        "Inhoud ........................ 2",
        "De verpleegkundige controleert de bloed-",
        "druk elk uur, bij wie die te laag is.",
        "10 \\ 20",
    )
    page = both(lines("Pagina 1 van 2", y=30, size=8), first, table, odd)
    document = read_bytes(tmp_path, pdf(page, both(lines("Pagina 2 van 2", y=30, size=8), lines(*_FIRST))))
    assert document.text.count("Volwassene") == 2
    assert "bloeddruk" in document.text
    assert {line.reason for line in document.cut} == {"page_number", "slanted"}
    assert not _failed(document)


@pytest.mark.quick
def test_letters_of_formulas_which_pdfium_gives_in_two_halves_are_read_as_the_letters_that_they_are(
    tmp_path: Path,
) -> None:
    maps = b"1 beginbfrange <20> <77> <0020> endbfrange 1 beginbfchar <78> <D835DC65> endbfchar"
    said = b"begincmap 1 begincodespacerange <00> <ff> endcodespacerange " + maps + b" endcmap"
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 6 0 R>>"
    content = b"BT /A 11 Tf 60 700 Td (De dosis is 5x mg.) Tj ET"
    stream = b"<</Length %d>>stream\n%s\nendstream" % (len(said), said)
    assert read_bytes(tmp_path, one_page(content, font, (stream,))).text.strip() == "De dosis is 5x mg."


def test_every_page_of_the_handbook_is_conserved() -> None:
    """Of those that are no pictures."""
    assert len(read_handbook()) > 30
    assert not [name for name, document in read_handbook().items() if _failed(document)]
