"""A raised figure stays raised: 10⁹ is no 109."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.rag_api.pdfs import Draw, pdf
from tests.rag_api.test_read_pdf import read_bytes

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
        ([body("Trombocyten onder 50 x 10"), ("9", 6.5, 4), body(" per liter.")], "Trombocyten onder 50 x 10⁹ per liter."),
        ([body("Per 1,73 m"), ("2", 6.5, 4), body(" per dag.")], "Per 1,73 m² per dag."),
        ([body("Ten hoogste 10"), ("-12", 6.5, 4), body(" mol.")], "Ten hoogste 10⁻¹² mol."),
        ([body("Geef ten hoogste 3"), ("1", 6.5, 4), body(" gram per dag.")], "Geef ten hoogste 3¹ gram per dag."),
        ([body("Om 8"), ("30", 6.5, 4), body(" uur.")], "Om 8³⁰ uur."),
        ([("1", 6.5, 4), body("Bij nierfalen de helft.")], "¹Bij nierfalen de helft."),
        ([body("Ronde van de 1"), ("e", 6.5, 4), body(" dag.")], "Ronde van de 1e dag."),  # letters are letters
        ([body("De pCO"), ("2", 6.5, -2), body(" en B"), ("12", 6.5, -2), body(" bepalen.")], "De pCO2 en B12 bepalen."),
        ([("Geef 12 ", 16, 0), ("mg in 50 ml per uur.", 11, 0)], "Geef 12 mg in 50 ml per uur."),  # small, on the line
        ([("G", 30, -14), body("eef 5 mg per uur.")], "eef 5 mg per uur."),  # a large first letter hangs below
    ],
)
def test_what_stands_raised_is_stored_as_raised(tmp_path: Path, parts: list[Part], stored: str) -> None:
    filler = [body("De verpleegkundige controleert de infuuspomp om het uur en noteert de stand.")]
    assert stored in read_bytes(tmp_path, pdf(drawn(parts, filler, filler))).text
