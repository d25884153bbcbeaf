"""Each numbered paragraph begins its own block, however full the line before it and wherever its
number was drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from tests.rag_api.ingest.readers.test_read_pdf import read_bytes
from tests.rag_api.made_files.pdfs import Draw, pdf, wrapped

pytestmark = pytest.mark.quick

_SAID = (
    "De verpleegkundige controleert elk uur de pols en de bloeddruk van de patiënt en noteert die op het blad van de "
    "dienst",
    "De arts kijkt elke ochtend of de lijn nog nodig is en schrijft in het dossier waarom ze blijft zitten tot de dag "
    "erna",
    "Bij koorts boven 38,5 graden worden twee paar kweken genomen voor er antibiotica gegeven worden door de dienst "
    "zelf",
)
_WIDE = 300


def _spread(paragraphs: list[str]) -> Draw:
    """Each of their lines as wide as the column, the last ones too."""

    def draw(canvas: Canvas) -> None:
        y = 760
        for line in (line for paragraph in paragraphs for line in wrapped(paragraph, _WIDE)):
            text = canvas.beginText(60, y)
            text.setFont("Helvetica", 11)
            text.setWordSpace((_WIDE - stringWidth(line, "Helvetica", 11)) / max(1, line.count(" ")))
            text.textOut(line)
            canvas.drawText(text)
            y -= 14

    return draw


def _numbers_apart(numbers: list[str], first: bool) -> Draw:
    """All numbers before all paragraphs, or behind them."""

    def draw(canvas: Canvas) -> None:
        put, y = [], 760
        for said in _SAID:
            put.append([(90, y - 14 * n, line) for n, line in enumerate(wrapped(said + ".", _WIDE))])
            y -= 14 * len(put[-1])
        labels = [(60, lines[0][1], number) for number, lines in zip(numbers, put, strict=True)]
        canvas.setFont("Helvetica", 11)
        for x, y, text in (*labels * first, *(one for lines in put for one in lines), *labels * (not first)):
            canvas.drawString(x, y, text)

    return draw


@pytest.mark.parametrize("number", ["4.{}", "{}.", "({})", "§4.{}", "4.{})", "Q{}.", "D{}:", "B.{}"])
def test_a_number_that_counts_on_begins_a_paragraph_below_a_full_line(tmp_path: Path, number: str) -> None:
    said = [f"{number.format(n)} {one}" for n, one in enumerate(_SAID, start=1)]
    document = read_bytes(tmp_path, pdf(_spread(said)))
    assert document.text.split("\n")[:-1] == said
    assert [
        document.text[block.start : block.end].strip()
        for block in document.blocks
        if block.kind in ("item", "paragraph")
    ] == said


def test_a_line_that_begins_with_a_number_by_chance_goes_on(tmp_path: Path) -> None:
    """A section that a sentence speaks of."""
    said = (
        f"{_SAID[0]} en ook op het dagblad van de kamer, zie hoofdstuk 4.2 van het dossier van de patiënt dat op de "
        f"kamer ligt"
    )
    lines = wrapped(said, _WIDE)
    assert any(line.startswith("4.2") for line in lines)
    assert read_bytes(tmp_path, pdf(_spread([said]))).text.split("\n")[:-1] == [said]


def test_a_number_that_is_level_with_the_last_line_of_its_heading_stays_before_it(tmp_path: Path) -> None:
    """Drawn before the heading's lines, one below the other."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        for n in (2, 3):
            y = 900 - 80 * n
            canvas.drawString(60, y - 14, f"8.3.{n}")
            canvas.drawString(100, y, "Oefeningen die de patiënt doet naast de")
            canvas.drawString(100, y - 14, f"behandeling {n}")

    words = " ".join(read_bytes(tmp_path, pdf(draw)).text.split())
    assert words == " ".join(f"8.3.{n} Oefeningen die de patiënt doet naast de behandeling {n}" for n in (2, 3))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("number", ["4.{}", "2.4.{}", "4.{}."])
def test_numbers_that_are_drawn_apart_stand_before_their_paragraphs(tmp_path: Path, first: bool, number: str) -> None:
    numbers = [number.format(n) for n in range(1, len(_SAID) + 1)]
    document = read_bytes(tmp_path, pdf(_numbers_apart(numbers, first)))
    assert document.text.split("\n")[:-1] == [f"{number} {said}." for number, said in zip(numbers, _SAID, strict=True)]


def test_values_in_the_cells_of_a_table_are_no_numbers_of_paragraphs(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.grid([60, 110, 300], [760, 740, 720, 700, 680])
        canvas.setFont("Helvetica", 11)
        for column in (0, 1):
            for n, row in enumerate(
                (("pH", "Wat te doen"), ("7.1", "bel de arts"), ("7.2", "herhaal"), ("7.3", "wacht af"))
            ):
                canvas.drawString((65, 115)[column], 746 - 20 * n, row[column])

    document = read_bytes(tmp_path, pdf(draw))
    assert document.text.splitlines() == ["pH\tWat te doen", "7.1\tbel de arts", "7.2\therhaal", "7.3\twacht af"]


@pytest.mark.parametrize("hangs", [True, False])
def test_a_line_at_the_edge_of_the_labels_is_none_of_the_item_above_where_items_hang(
    hangs: bool, tmp_path: Path
) -> None:
    """However full the line above it; where they do not hang it goes on with the item."""
    inner = 72 if hangs else 60

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        y = 760
        for said in (*_SAID, f"Stop het infuus. {_SAID[0]}"):
            for n, line in enumerate(wrapped(said, _WIDE)[:2]):
                text = canvas.beginText(inner if n else 60, y)
                text.setFont("Helvetica", 11)
                words = line if n or said.startswith("Stop") else f"• {line}"
                room = _WIDE + 60 - text.getX() - stringWidth(words, "Helvetica", 11)
                text.setWordSpace(room / max(1, words.count(" ")))
                text.textOut(words)
                canvas.drawText(text)
                y -= 14

    document = read_bytes(tmp_path, pdf(draw))
    found = [line for line in document.text.split("\n") if "Stop het infuus" in line]
    assert [line.startswith("Stop het infuus") for line in found] == [hangs]


def test_a_figure_at_the_edge_of_the_labels_goes_on_with_the_item_above(tmp_path: Path) -> None:
    dose = ("• Give paracetamol slowly, and of it on one day never more than", "60 mg for each kilo of the child.")

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        y = 760
        for n, line in enumerate(line for said in _SAID for line in wrapped(said, _WIDE)[:2]):
            canvas.drawString(72 if n % 2 else 60, y - 14 * n, line if n % 2 else f"• {line}")
        for n, line in enumerate(dose):
            canvas.drawString(60, 600 - 14 * n, line)

    document = read_bytes(tmp_path, pdf(draw))
    assert " ".join(dose) in document.text
