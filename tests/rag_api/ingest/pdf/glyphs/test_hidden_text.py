"""Hidden text, which a reader cannot see on the page, is no text; what he sees is, however oddly it
is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.rag_api.ingest.readers.test_read_pdf import read_bytes, turned
from tests.rag_api.made_files.pdfs import both, lines, pdf
from tests.rag_api.made_files.unseen import HIDDEN, PLAIN, RAW_HIDDEN, RAW_VISIBLE, SECRET, VISIBLE, X, Y, page, secret

UNSEEN = {name: page(draw) for name, draw in HIDDEN.items()} | {name: make() for name, make in RAW_HIDDEN.items()}
SEEN = {name: page(draw) for name, draw in VISIBLE.items()} | {name: make() for name, make in RAW_VISIBLE.items()}
NOTE = (
    "page 1: text that cannot be seen (white, tiny, covered, clipped or off the page) or is struck through was left out"
)


@pytest.mark.parametrize("way", UNSEEN)
@pytest.mark.parametrize("rotation", [0, 90])
def test_words_that_nobody_sees_are_left_out_and_reported(way: str, rotation: int, tmp_path: Path) -> None:
    document = read_bytes(tmp_path, turned(UNSEEN[way], rotation))
    assert PLAIN in document.text
    assert not set(SECRET.split()) & set(document.text.replace(PLAIN, "").split())
    assert NOTE in document.warnings


@pytest.mark.parametrize("way", SEEN)
@pytest.mark.parametrize("rotation", [0, 90])
def test_words_that_are_drawn_oddly_and_can_be_seen_are_read(way: str, rotation: int, tmp_path: Path) -> None:
    document = read_bytes(tmp_path, turned(SEEN[way], rotation))
    assert [line for line in document.text.split("\n") if line] == [PLAIN, SECRET]
    assert document.warnings == ()


def test_words_below_other_words_are_not_taken_for_these(tmp_path: Path) -> None:
    """Hidden ones, a white box over them, and words on that, at the same place."""

    def draw(canvas: Canvas) -> None:
        secret(canvas)
        canvas.setFillColorRGB(1, 1, 1)
        canvas.rect(X - 5, Y - 5, 200, 20, stroke=0, fill=1)
        canvas.setFillColorRGB(0, 0, 0)
        canvas.drawString(X, Y, "Geef nooit meer dan dit")
        canvas.setFillAlpha(0.1)
        canvas.rect(X - 5, Y - 5, 200, 20, stroke=0, fill=1)

    assert read_bytes(tmp_path, page(draw)).text.split("\n") == [PLAIN, "", "Geef nooit meer dan dit", ""]


def test_words_of_which_many_reach_over_each_other_are_seen(tmp_path: Path) -> None:
    """White on a bar; each is drawn in one go with another one far to its right, so that all of
    them cross."""

    def draw(canvas: Canvas) -> None:
        canvas.setFillColorRGB(0, 0, 0.4)
        canvas.rect(X - 5, Y - 5, 500, 20, stroke=0, fill=1)
        canvas.setFillColorRGB(1, 1, 1)
        canvas.setFont("Helvetica", 10)
        for n in range(16):
            canvas._code.append(f"BT /F1 8 Tf 1 0 0 1 {X + 15 * n} {Y} Tm [(n{n:02}) -28000 (m{n:02})] TJ ET")

    document = read_bytes(tmp_path, page(draw))
    assert {f"{letter}{n:02}" for letter in "nm" for n in range(16)} <= set(document.text.split())
    assert document.warnings == ()


def test_words_drawn_twice_to_look_bold_are_seen(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.rect(X - 5, Y - 5, 200, 20, stroke=0, fill=1)
        canvas.setFillColorRGB(1, 1, 1)
        secret(canvas)
        secret(canvas)

    assert SECRET in read_bytes(tmp_path, page(draw)).text


def test_what_is_not_covered_of_a_line_is_read(tmp_path: Path) -> None:
    """As where a name was blackened."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        canvas.drawString(X, Y, "Bel dokter Vandevelde bij elke twijfel.")
        start, end = (canvas.stringWidth(text, "Helvetica", 11) for text in ("Bel dokter ", "Bel dokter Vandevelde"))
        canvas.rect(X + start, Y - 4, end - start, 15, stroke=0, fill=1)

    text = read_bytes(tmp_path, page(draw)).text
    assert "Vandevelde" not in text
    assert "Bel dokter" in text
    assert "bij elke twijfel." in text


def test_thousands_of_boxes_hide_nothing_from_the_look(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        secret(canvas)
        canvas.setFillColorRGB(1, 1, 1)
        for i in range(2500):
            canvas.rect(300, 100 + i / 100, 1, 1, stroke=0, fill=1)
        canvas.rect(X - 5, Y - 5, 200, 20, stroke=0, fill=1)

    assert read_bytes(tmp_path, page(draw)).text.split("\n") == [PLAIN, ""]


def test_the_pages_of_hidden_words_are_named(tmp_path: Path) -> None:
    covered = both(lines(PLAIN), HIDDEN["below_a_white_box"])
    document = read_bytes(tmp_path, pdf(lines(PLAIN), covered, lines(PLAIN), covered))
    assert SECRET not in document.text
    assert document.warnings == (NOTE.replace("page 1", "pages 2, 4"),)
