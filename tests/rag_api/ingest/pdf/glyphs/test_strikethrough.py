"""Struck text, or what the program that made a file does not print, holds no longer: it is not
read, and it is named."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from rag_api.ingest.common.kinds import Kind
from rag_api.ingest.readers.read import read
from rag_api.ingest.sandbox.accept_changes import accept_changes
from tests.rag_api.ingest.pdf.glyphs.test_hidden_text import NOTE
from tests.rag_api.ingest.readers.test_read_pdf import read_bytes
from tests.rag_api.made_files.docx_files import docx, p, r, table, tc, tr
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf

pytestmark = pytest.mark.quick

FALSE, TRUE = "Geef kinderen 900 mg morfine.", "Geef kinderen 0,1 mg per kg."
W14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
FRAME = 'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
WAYS = {
    "struck": p(r(FALSE, "<w:strike/>")),
    "struck twice": p(r(FALSE, "<w:dstrike/>")),
    "without a fill": p(r(FALSE, f"<w14:textFill {W14}><w14:noFill/></w14:textFill>")),
    "a clear fill": p(r(FALSE, f'<w14:textFill {W14}><w14:solidFill><w14:schemeClr w14:val="tx1"><w14:alpha w14:val="100000"/>'
                               "</w14:schemeClr></w14:solidFill></w14:textFill>")),
    "a hidden row": table(tr(tc(FALSE), about="<w:hidden/>"), tr(tc("x"))),
    "a hidden drawing": p(f'<w:r><w:drawing><wp:inline {FRAME}><wp:docPr id="1" name="x" hidden="1"/><w:txbxContent>{p(r(FALSE))}'
                          "</w:txbxContent></wp:inline></w:drawing></w:r>"),
}  # fmt: skip


def ruled(y: float, words: str = FALSE) -> Draw:
    """Words at y 700, size 10, and a line over their width at y."""

    def rule(canvas) -> None:  # type: ignore[no-untyped-def]
        canvas.setLineWidth(0.7)
        canvas.line(58, y, 62 + canvas.stringWidth(words, "Helvetica", 10), y)

    return both(lines(words, y=700, size=10, x=60), lines(TRUE, y=640, size=10, x=60), rule)


def test_a_sentence_that_is_struck_through_is_not_read(tmp_path: Path) -> None:
    document = read_bytes(tmp_path, pdf(ruled(703)))
    assert (FALSE in document.text, TRUE in document.text, document.warnings) == (False, True, (NOTE,))


@pytest.mark.parametrize("y", [698.5, 697, 712])
def test_a_line_under_or_over_words_leaves_them(y: float, tmp_path: Path) -> None:
    document = read_bytes(tmp_path, pdf(ruled(y)))
    assert (FALSE in document.text, document.warnings) == (True, ())


@pytest.mark.parametrize("way", WAYS)
def test_what_word_does_not_print_or_strikes_is_not_read_and_is_named(way: str, tmp_path: Path) -> None:
    path = docx(tmp_path / "x.docx", p(r(TRUE)), WAYS[way])
    document = read(path, "x.docx", Kind.DOCX, 10)
    assert (FALSE in document.text, TRUE in document.text) == (False, True)
    assert any(FALSE.rstrip(".") in warning for warning in document.warnings)


@pytest.mark.parametrize("way", WAYS)
def test_libreoffice_does_not_get_it_either(way: str, tmp_path: Path) -> None:
    path = docx(tmp_path / "x.docx", p(r(TRUE)), WAYS[way])
    accept_changes(path, tmp_path / "accepted.docx", "x.docx")
    with zipfile.ZipFile(tmp_path / "accepted.docx") as kept:
        said = kept.read("word/document.xml").decode()
    assert (FALSE in said, TRUE in said) == (False, True)


def test_a_run_whose_strike_is_switched_off_is_read(tmp_path: Path) -> None:
    path = docx(tmp_path / "x.docx", p(r(TRUE, '<w:strike w:val="0"/>')))
    assert TRUE in read(path, "x.docx", Kind.DOCX, 10).text
