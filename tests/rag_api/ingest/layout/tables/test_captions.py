"""A caption below a table is read with its rows, and a row's marks bring their own footnotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import ReadDocument
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.footnotes import footnotes
from rag_api.text.quotable.quotable_spans import quotable
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf, write

pytestmark = pytest.mark.quick

_ROWS = (("Middel", "Dosis", "Tijd"), ("Ibuprofen", "7 mg/kg", "om de 8 uur"), ("Morfine", "0,1 mg/kg", "om de 4 uur"))
_CAPTION = "Tabel 3. Doses naar het gewicht"
_AFTER = "De verpleegkundige noteert het uur van de gift en de pijn een half uur daarna."
_NOTES = ("Niet bij een slechte nierfunctie", "Alleen met bewaking van de ademhaling")


def _table(top: float = 700, marks: tuple[str, str] = ("", ""), apart: float = 18) -> Draw:
    def draw(canvas: Canvas) -> None:
        for n, row in enumerate(_ROWS):
            for k, (x, cell) in enumerate(zip((60, 180, 320), row, strict=True)):
                canvas.setFont("Helvetica" if n else "Helvetica-Bold", 10)
                canvas.drawString(x, top - apart * n, cell)
                if n and k == 1:
                    _raised(canvas, x + canvas.stringWidth(cell, "Helvetica", 10), top - apart * n, marks[n - 1], 10)

    return draw


def _raised(canvas: Canvas, x: float, y: float, mark: str, size: float) -> None:
    canvas.setFont("Helvetica", 0.6 * size)
    canvas.drawString(x, y + 0.35 * size, mark)


def _notes(marks: tuple[str, str], top: float) -> Draw:
    def draw(canvas: Canvas) -> None:
        for n, (mark, words) in enumerate(zip(marks, _NOTES, strict=True)):
            _raised(canvas, 60, top - 10 * n, mark, 8)
            canvas.setFont("Helvetica", 8)
            canvas.drawString(65, top - 10 * n, words)

    return draw


def _read(folder: Path, *drawn: Draw) -> ReadDocument:
    path = write(
        folder, "page.pdf", pdf(both(lines("Pijn bij kinderen", size=16, y=780, font="Helvetica-Bold"), *drawn))
    )
    return read(path, path.name, PDF, max_pages=2)


def _leads(document: ReadDocument) -> list[str]:
    quotes = quotable(document.text, document.blocks)
    return [" ".join(document.text[a:b] for a, b in q.lead) for q in quotes if "\t" in document.text[q.start : q.end]]


def test_a_numbered_caption_close_below_a_table_is_read_with_each_row(tmp_path: Path) -> None:
    document = _read(tmp_path, _table(), lines(_CAPTION, size=9, y=646), lines(_AFTER, y=610))
    assert document.text.index(_CAPTION) < document.text.index("Middel")
    assert [_CAPTION.partition(". ")[2] in lead for lead in _leads(document)] == [True, True]


@pytest.mark.parametrize("sign", [". ", ": ", " - ", " – ", " | ", "; ", " · ", ") ", " "])
def test_a_caption_may_part_its_number_from_its_words_by_any_sign(sign: str, tmp_path: Path) -> None:
    caption = f"Tabel 3{sign}Doses naar het gewicht"
    document = _read(tmp_path, _table(), lines(caption, size=9, y=646), lines(_AFTER, y=610))
    assert document.text.index(caption) < document.text.index("Middel")


def test_a_range_is_no_caption(tmp_path: Path) -> None:
    document = _read(tmp_path, _table(), lines("Dag 3 - 5", size=9, y=646), lines(_AFTER, y=610))
    assert document.text.index("Dag 3 - 5") > document.text.index("om de 4 uur")


@pytest.mark.parametrize("apart", [30, 40, 50])
def test_a_caption_as_far_below_high_rows_as_these_stand_apart_is_theirs(apart: float, tmp_path: Path) -> None:
    end = 700 - 2 * apart
    document = _read(tmp_path, _table(apart=apart), lines(_CAPTION, size=9, y=end - apart + 4), lines(_AFTER, y=400))
    assert document.text.index(_CAPTION) < document.text.index("Middel")


@pytest.mark.parametrize(
    "below",
    [
        lines("Stap 2 Meet de pijn", _AFTER, y=625),
        lines("Meet de pijn", y=636),
        lines(_CAPTION, size=9, y=600),
    ],
    ids=["nearer to what follows", "no number", "far below"],
)
def test_other_lines_below_a_table_stay_below_it(below: Draw, tmp_path: Path) -> None:
    text = _read(tmp_path, _table(), below, lines(_AFTER, y=560)).text
    assert text.index("om de 4 uur") < min(
        text.index(words) for words in ("Stap 2", "Meet de pijn", _CAPTION) if words in text
    )


def test_captions_above_stay_with_the_table_below_them(tmp_path: Path) -> None:
    first, second = lines("Tabel 1. Eerst", size=9, y=716), lines("Tabel 2. Daarna", size=9, y=646)
    text = _read(tmp_path, first, _table(), second, _table(top=630)).text
    assert text.index("om de 4 uur") < text.index("Tabel 2") < text.rindex("Middel")


def test_captions_stand_below_all_tables_of_a_page_where_one_surely_does(tmp_path: Path) -> None:
    """Though a heading stands as near below the first one."""
    first, second = lines("Tabel 1. Eerst", size=9, y=646), lines("Tabel 2. Daarna", size=9, y=556)
    text = _read(tmp_path, _table(), first, lines("Zwangeren", y=629), _table(top=610), second).text
    assert text.index("Tabel 1") < text.index("Middel") < text.index("Zwangeren") < text.index("Tabel 2")
    assert text.index("Tabel 2") < text.rindex("Middel")


def test_a_documents_captions_of_one_kind_stand_all_below_their_tables(tmp_path: Path) -> None:
    """On another page, though one begins outside its table and as near to what follows."""
    first, second = lines(_CAPTION, size=9, y=646), lines("Tabel 4. Daarna", size=9, x=40, y=646)
    pages = both(_table(), first, lines(_AFTER, y=610)), both(_table(), second, lines(_AFTER, y=629))
    path = write(tmp_path, "pages.pdf", pdf(*pages))
    text = read(path, path.name, PDF, max_pages=2).text
    assert text.index(_CAPTION) < text.index("Middel") < text.index(_AFTER)
    assert text.index("Tabel 4") < text.rindex("Middel")


def test_nothing_is_learned_of_captions_where_some_stand_above_their_tables(tmp_path: Path) -> None:
    second = both(_table(), lines("Tabel 4. Daarna", size=9, y=646), lines(_AFTER, y=629))
    third = both(lines("Tabel 5. Ten slotte", size=9, y=716), _table())
    path = write(tmp_path, "pages.pdf", pdf(both(_table(), lines(_CAPTION, size=9, y=646)), second, third))
    text = read(path, path.name, PDF, max_pages=3).text
    assert text.index(_CAPTION) < text.index("Middel")
    assert text.index("Tabel 4") > [match.start() for match in re.finditer("Morfine", text)][1]


def test_a_caption_begins_where_its_tables_rules_do(tmp_path: Path) -> None:
    """The words of the cells stand in their middles; a footer is drawn before the table."""

    def draw(canvas: Canvas) -> None:
        canvas.drawString(60, 30, "Pijn bij kinderen, mei")
        canvas.drawString(500, 30, "2")
        for n, row in enumerate(_ROWS):
            canvas.line(60, 712 - 18 * n, 530, 712 - 18 * n)
            for x, cell in zip((140, 300, 460), row, strict=True):
                canvas.drawCentredString(x, 700 - 18 * n, cell)
        canvas.line(60, 658, 530, 658)
        for side in (60, 220, 380, 530):
            canvas.line(side, 712, side, 658)

    text = _read(tmp_path, draw, lines(_CAPTION, size=9, y=648), lines(_AFTER, y=610)).text
    assert text.index(_CAPTION) < text.index("Middel")


def test_a_line_that_a_table_has_a_row_for_is_no_caption_below_it(tmp_path: Path) -> None:
    rows = [*_ROWS, ("Deel 2 - Volwassenen",), ("Diazepam", "5 mg", "één keer")]

    def draw(canvas: Canvas) -> None:
        for n, row in enumerate(rows):
            canvas.line(60, 712 - 18 * n, 530, 712 - 18 * n)
            for x, cell in zip((66, 226, 386), row, strict=False):
                canvas.drawString(x, 700 - 18 * n, cell)
            for side in (60, 220, 380, 530) if len(row) > 1 else (60, 530):
                canvas.line(side, 712 - 18 * n, side, 694 - 18 * n)
        canvas.line(60, 712 - 18 * len(rows), 530, 712 - 18 * len(rows))

    text = _read(tmp_path, draw, lines(_AFTER, y=560)).text
    assert text.index("Morfine") < text.index("Deel 2") < text.index("Diazepam")


def test_a_caption_below_is_read_before_the_name_over_all_rows(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for n, row in enumerate((("Eerste keuze",), *_ROWS)):
            canvas.line(60, 712 - 18 * n, 530, 712 - 18 * n)
            for x, cell in zip((66, 226, 386), row, strict=False):
                canvas.drawString(x, 700 - 18 * n, cell)
            for side in (60, 220, 380, 530) if len(row) > 1 else (60, 530):
                canvas.line(side, 712 - 18 * n, side, 694 - 18 * n)
        canvas.line(60, 640, 530, 640)

    document = _read(tmp_path, draw, lines(_CAPTION, size=9, y=628), lines(_AFTER, y=590))
    assert document.text.index(_CAPTION) < document.text.index("Eerste keuze") < document.text.index("Middel")


@pytest.mark.parametrize("marks", [("1", "2"), ("a", "b")])
def test_each_mark_of_a_row_brings_its_own_footnote(marks: tuple[str, str], tmp_path: Path) -> None:
    document = _read(tmp_path, _table(marks=marks), _notes(marks, 640), lines(_AFTER, y=600))
    text, blocks = document.text, document.blocks
    found = {}
    for quote in quotable(text, blocks):
        if "\t" in text[quote.start : quote.end]:
            notes = [text[a:b] for a, b in footnotes(text, blocks, quote.start, quote.end)]
            found[text[quote.start : quote.end].split("\t")[0]] = [note[1:].strip() for note in notes]
    assert found == {"Ibuprofen": [_NOTES[0]], "Morfine": [_NOTES[1]]}
    assert "mg/kga" not in text


def test_a_caption_between_the_rules_of_two_tables_names_the_lower_one(tmp_path: Path) -> None:
    """Its header has no rule of its own above: the caption stands close over it, in another
    weight."""

    def draw(canvas: Canvas) -> None:
        y = 700.0
        for number, dose in ((1, "7 mg/kg"), (2, "400 mg")):
            canvas.setFont("Helvetica", 10)
            canvas.drawString(60, y, f"Tabel {number}. Doses")
            for n, row in enumerate((("Middel", "Dosis"), ("Ibuprofen", dose), ("Naproxen", "niet"))):
                canvas.setFont("Helvetica" if n else "Helvetica-Bold", 10)
                for x, cell in zip((66, 300), row, strict=True):
                    canvas.drawString(x, y - 13 - 18 * n, cell)
                canvas.line(60, y - 18 - 18 * n, 530, y - 18 - 18 * n)
            y -= 68

    document = _read(tmp_path, draw)
    rows = [q for q in quotable(document.text, document.blocks) if "400 mg" in document.text[q.start : q.end]]
    assert [document.text[a:b].strip() for a, b in rows[0].lead][-2:] == ["Tabel 2. Doses", "Middel\tDosis"]


def _boxes_with(words: Sequence[str]) -> Draw:
    """Boxes below each other, each with two items and, below it, one of these lines."""

    def draw(canvas: Canvas) -> None:
        for n, below in enumerate(words):
            top = 740 - 130 * n
            canvas.setFont("Helvetica", 10)
            canvas.rect(60, top - 32, 300, 42)
            for k in range(2):
                canvas.drawString(70, top - 8 - 16 * k, f"\u2022 Controle {2 * n + k + 1} van de pomp")
            canvas.drawString(60, top - 44, below)
            canvas.drawString(60, top - 84, _AFTER)

    return draw


def _items(document: ReadDocument) -> list[tuple[str, ...]]:
    quotes = [q for q in quotable(document.text, document.blocks) if "Controle" in document.text[q.start : q.end]]
    return [tuple(document.text[a:b].strip() for a, b in quote.lead) for quote in quotes]


def test_a_numbered_caption_below_a_box_leads_in_what_stands_in_it(tmp_path: Path) -> None:
    captions = "Kader 1. Voor de start", "Kader 2. Na een uur"
    document = _read(tmp_path, _boxes_with(captions))
    assert [lead[-1] for lead in _items(document)] == [captions[0], captions[0], captions[1], captions[1]]


def test_numbered_lines_of_which_most_stand_below_no_box_stay_below_theirs(tmp_path: Path) -> None:
    steps = lines(*(f"Stap {n}. Spoel de lijn" for n in range(3, 7)), size=10, y=440, leading=24)
    document = _read(tmp_path, _boxes_with(("Stap 1. Sluit de pomp aan", "Stap 2. Start de pomp")), steps)
    places = [document.text.index(words) for words in ("Controle 2", "Stap 1", "Controle 4", "Stap 2", "Stap 3")]
    assert places == sorted(places)
