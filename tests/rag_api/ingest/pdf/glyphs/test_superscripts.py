"""A raised figure stays raised: 10⁹ is no 109."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from rag_api.ingest.pdf.glyphs.superscripts import is_attached, with_drawn_high
from tests.rag_api.ingest.readers.test_read_pdf import read_bytes
from tests.rag_api.made_files.pdfs import Draw, pdf

pytestmark = pytest.mark.quick

Part = tuple[str, float, float]  # words, size, rise


def drawn(*lines: Sequence[Part]) -> Draw:
    def draw(canvas) -> None:  # type: ignore[no-untyped-def]
        text = canvas.beginText(60, 740)
        for parts in lines:
            for words, size, rise in parts:
                text.setFont("Helvetica", size)
                text.setRise(rise)
                text.textOut(words)
            text.setRise(0)
            text.setLeading(18)
            text.textLine("")
        canvas.drawText(text)

    return draw


def body(words: str) -> Part:
    return (words, 11, 0)


@pytest.mark.parametrize(
    ("parts", "stored"),
    [
        (
            [body("Trombocyten onder 50 x 10"), ("9", 6.5, 4), body(" per liter.")],
            "Trombocyten onder 50 x 10⁹ per liter.",
        ),
        ([body("Per 1,73 m"), ("2", 6.5, 4), body(" per dag.")], "Per 1,73 m² per dag."),
        ([body("Ten hoogste 10"), ("-12", 6.5, 4), body(" mol.")], "Ten hoogste 10⁻¹² mol."),
        ([body("Geef ten hoogste 3"), ("1", 6.5, 4), body(" gram per dag.")], "Geef ten hoogste 3¹ gram per dag."),
        ([body("Om 8"), ("30", 6.5, 4), body(" uur.")], "Om 8³⁰ uur."),
        ([("1", 6.5, 4), body("Bij nierfalen de helft.")], "¹Bij nierfalen de helft."),
        ([body("Ronde van de 1"), ("e", 6.5, 4), body(" dag.")], "Ronde van de 1e dag."),  # letters are letters
        (
            [body("De pCO"), ("2", 6.5, -2), body(" en B"), ("12", 6.5, -2), body(" bepalen.")],
            "De pCO2 en B12 bepalen.",
        ),
        ([("Geef 12 ", 16, 0), ("mg in 50 ml per uur.", 11, 0)], "Geef 12 mg in 50 ml per uur."),  # small, on the line
        ([("G", 30, -14), body("eef 5 mg per uur.")], "eef 5 mg per uur."),  # a large first letter hangs below
    ],
)
def test_what_stands_raised_is_stored_as_raised(tmp_path: Path, parts: list[Part], stored: str) -> None:
    filler = [body("De verpleegkundige controleert de infuuspomp om het uur en noteert de stand.")]
    assert stored in read_bytes(tmp_path, pdf(drawn(parts, filler, filler))).text


Box = tuple[float, float, float, float]
BOX: Box = (0.0, 0.0, 4.0, 10.0)


def turn(box: Box, quarters: int) -> Box:
    """A box as it lies on a page whose text is turned so many quarters clockwise."""
    x0, y0, x1, y1 = box
    return [(x0, y0, x1, y1), (10 - y1, x0, 10 - y0, x1), (4 - x1, 10 - y1, 4 - x0, 10 - y0), (y0, 4 - x1, y1, 4 - x0)][
        quarters
    ]


@pytest.mark.parametrize("turned", range(4))
@pytest.mark.parametrize(
    ("drawn", "stored"),
    [
        ((0.5, 1.0, 3.5, 8.0), "1"),  # as high as others
        ((0.5, 0.5, 3.5, 4.5), "¹"),  # in the upper half alone
        ((0.5, 3.5, 3.5, 8.0), "1"),  # an old-style figure, on the line
        ((0.5, 5.5, 3.5, 9.5), "1"),  # below it
    ],
)
def test_a_figure_that_is_drawn_in_the_upper_half_of_its_box_alone_is_raised(
    turned: int, drawn: Box, stored: str
) -> None:
    boxes, seen = (np.array([turn(box, turned)], np.float32) for box in (BOX, drawn))
    codes = with_drawn_high(np.array([ord("1")], np.uint32), boxes, seen, np.array([turned], np.int8))
    assert chr(codes[0]) == stored


def test_the_upper_half_of_a_fraction_is_no_raised_figure() -> None:
    boxes, seen = np.array([BOX] * 2, np.float32), np.array([(0.5, 0.5, 3.5, 4.5), (np.nan,) * 4], np.float32)
    assert with_drawn_high(np.array([ord("1"), ord("⁄")], np.uint32), boxes, seen, np.zeros(2, np.int8)).tolist() == [
        ord("1"),
        ord("⁄"),
    ]


@pytest.mark.parametrize(
    ("codes", "box", "attached"),
    [
        ("a1", (4.5, -1.0, 7.0, 6.0), True),
        ("a1", (4.5, 3.5, 7.0, 10.5), False),  # lowered: CO2
        ("a1", (9.0, -1.0, 12.0, 6.0), False),  # away
        ("ab", (4.5, -1.0, 7.0, 6.0), False),
        ("a1", (4.5, 0.0, 8.0, 10.0), False),  # as large
    ],
)
def test_a_small_raised_figure_beside_a_word_is_on_its_line(codes: str, box: tuple[float, ...], attached: bool) -> None:
    boxes = np.array([BOX, box], np.float32)
    assert is_attached(np.array([*map(ord, codes)], np.uint32), boxes).tolist() == [attached]
