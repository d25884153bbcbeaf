"""Words whose letters are set apart are read as words, and words that no space was drawn between
stay apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from rag_api.ingest.readers.read import PDF, read
from tests.rag_api.made_files.pdfs import Draw, both, pdf, write

pytestmark = pytest.mark.quick

_LINES = (
    "Geef het middel in over een half uur.",
    "NIET bij KOORTS boven de 39",
    "Paracetamol",
    "15 mg/kg",
    "om de 6 uur",
    "Tijd",
)
_GAPS = (0.22, 0.25, 0.3, 0.4)
_FONTS = ("Helvetica", "Times-Roman", "Courier")


def _spaced(font: str, size: float, apart: float, spaces: bool) -> Draw:
    """Each letter drawn by itself, as browsers do; spaces: those too."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont(font, size)
        for n, line in enumerate(_LINES):
            x = 60.0
            for letter in line:
                if letter != " " or spaces:
                    canvas.drawString(x, 760 - 3 * n * size, letter)
                x += stringWidth(letter, font, size) + apart * size

    return draw


def _words(words: tuple[str, ...], y: float, gap: float, font: str = "Times-Roman", size: float = 10) -> Draw:
    """Words with white between them and no space drawn, as TeX does."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont(font, size)
        x = 60.0
        for word in words:
            canvas.drawString(x, y, word)
            x += stringWidth(word, font, size) + gap * size

    return draw


def _read(folder: Path, *pages: Draw) -> list[list[str]]:
    path = write(folder, "page.pdf", pdf(*pages))
    return [[line for line in page.text.split("\n") if line] for page in read(path, path.name, PDF, 40).pages]


@pytest.mark.parametrize("spaces", [True, False], ids=["spaces drawn", "none drawn"])
@pytest.mark.parametrize("font", _FONTS)
def test_the_letters_of_a_word_stay_together_however_far_they_stand_apart(
    font: str, spaces: bool, tmp_path: Path
) -> None:
    looks = [(size, apart) for size in (6, 9, 14) for apart in (0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)]
    pages = _read(tmp_path, *(_spaced(font, size, apart, spaces) for size, apart in looks))
    read_ = {look: " ".join(page) for look, page in zip(looks, pages, strict=True)}
    assert {look: words for look, words in read_.items() if words != " ".join(_LINES)} == {}


def test_so_it_is_where_a_program_says_how_far(tmp_path: Path) -> None:
    def at(apart: float) -> Draw:
        def draw(canvas: Canvas) -> None:
            for n, line in enumerate(_LINES):
                text = canvas.beginText(60, 760 - 30 * n)
                text.setFont("Helvetica", 9)
                text.setCharSpace(9 * apart)
                text.textOut(line)
                canvas.drawText(text)

        return draw

    read_ = _read(tmp_path, *map(at, (0.1, 0.2, 0.3)))
    assert [" ".join(page) for page in read_] == 3 * [" ".join(_LINES)]


@pytest.mark.parametrize("font", _FONTS)
def test_words_that_no_space_is_drawn_between_are_not_glued(font: str, tmp_path: Path) -> None:
    said = (
        ("1", "2", "3", "4", "5", "6", "7"),
        ("0", "1", "2", "4", "8", "16", "32"),
        ("a", "b", "c", "d", "e", "of", "de"),
        ("De", "pomp", "is", "af", "na", "8", "u"),
        ("5", "ml", "in", "4", "u", "op", "2", "l"),
        ("bij", "de", "2", "en", "3"),
    )

    def at(gap: float) -> Draw:
        return both(
            *(_words(words, 600 - 40 * n, gap, font) for n, words in enumerate(said)), _spaced(font, 7, 0.2, True)
        )

    for gap, page in zip(_GAPS, _read(tmp_path, *map(at, _GAPS)), strict=True):
        assert [" ".join(words) for words in said if " ".join(words) not in " ".join(page)] == [], (gap, page)


def test_a_line_of_letters_that_are_words_is_not_glued(tmp_path: Path) -> None:
    assert _read(tmp_path, _words(("A", "B", "C", "D", "E", "F"), 700, 0.33)) == [["A B C D E F"]]


def test_a_word_goes_on_where_the_content_begins_a_line_within_it(tmp_path: Path) -> None:
    """As PDFium does between letters drawn one by one, on a page of few words and high areas."""

    def draw(canvas: Canvas) -> None:
        _spaced("Helvetica", 10, 0, True)(canvas)
        for n in range(4):
            canvas.drawString(60, 500 - 14 * n, "1")
            canvas.drawString(90, 500 - 14 * n, "Lichte pijn")
            canvas.drawString(320, 500 - 14 * n, "paracetamol")

    assert _LINES[0] in " ".join(_read(tmp_path, draw)[0])
