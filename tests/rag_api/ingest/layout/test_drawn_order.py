"""A table is read from its top and its left, in whatever order a program draws its cells and their
lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.rag_api.ingest.readers.test_read_pdf import read_bytes
from tests.rag_api.made_files.pdfs import pdf, wrapped

pytestmark = pytest.mark.quick

_ROWS = (
    ("Middel", "Dosis bij een volwassene", "Opmerking van de apotheek"),
    ("Paracetamol", "1 g om de 6 uur, ten hoogste 4 g op een dag", "minder bij een gewicht onder 50 kg"),
    ("Ibuprofen", "400 mg om de 8 uur bij of na het eten", "niet bij een slechte nierfunctie of een zwangerschap"),
    ("Morfine", "2,5 mg traag en elke 10 minuten opnieuw", "toezicht op de ademhaling gedurende vier uur"),
)
_COLUMNS = (60, 150, 280, 410)
_AFTER = "Elke gift wordt nagekeken door een tweede verpleegkundige, en dat wordt opgeschreven."
Key = Callable[[tuple[int, int, int]], tuple[int, ...]]  # of row, cell and line
# What is drawn first, and whether it can be told without rules between all cells too.
_ORDERS: dict[str, tuple[Key, bool]] = {
    "line by line": (lambda at: (at[0], at[2], at[1]), True),
    "lines of a cell upwards": (lambda at: (at[0], at[1], -at[2]), True),
    "lines upwards": (lambda at: (-at[0], -at[2], at[1]), True),
    "everything upwards": (lambda at: (-at[0], at[1], -at[2]), True),
    "columns upwards": (lambda at: (at[1], -at[0], -at[2]), True),
    "rows upwards": (lambda at: (-at[0], at[1], at[2]), False),
}


def _table(key: Key, rules: str) -> bytes:
    """Below it stand so many lines that most of the page is drawn from its top."""

    def draw(canvas: Canvas) -> None:
        edges, placed = [760.0], []
        for r, row in enumerate(_ROWS):
            cells = [
                wrapped(cell, right - left - 12, 10)
                for cell, left, right in zip(row, _COLUMNS, _COLUMNS[1:], strict=False)
            ]
            placed += [
                ((r, k, m), _COLUMNS[k] + 5, edges[-1] - 14 - 12 * m, line)
                for k, cell in enumerate(cells)
                for m, line in enumerate(cell)
            ]
            edges.append(edges[-1] - 12 * max(map(len, cells)) - 8)
        if rules == "all":
            canvas.grid(list(_COLUMNS), edges)
        for y in edges if rules == "across" else ():
            canvas.line(_COLUMNS[0], y, _COLUMNS[-1], y)
        for (r, _, _), x, y, line in sorted(placed, key=lambda one: key(one[0])):
            canvas.setFont("Helvetica" if r else "Helvetica-Bold", 10)
            canvas.drawString(x, y, line)
        for n in range(26):
            canvas.drawString(60, edges[-1] - 24 - 14 * n, _AFTER)

    return pdf(draw)


@pytest.mark.parametrize(
    ("order", "rules"),
    [
        (order, rules)
        for order, (_, anywhere) in _ORDERS.items()
        for rules in ("all", "across", "none")
        if anywhere or rules == "all"
    ],
)
def test_rows_and_their_cells_are_whole_however_they_are_drawn(tmp_path: Path, order: str, rules: str) -> None:
    document = read_bytes(tmp_path, _table(_ORDERS[order][0], rules))
    assert document.text.split("\n")[: len(_ROWS)] == ["\t".join(row) for row in _ROWS]


def test_columns_of_text_stay_one_after_the_other_below_a_heading_that_is_drawn_last(tmp_path: Path) -> None:
    """A page drawn from its top goes on being read as it is drawn."""
    left, right = "De nachtdienst belt de arts bij koorts.", "De dagdienst schrijft de bloeddruk op."

    def draw(canvas: Canvas) -> None:
        for x, said in ((60, left), (320, right)):
            for n in range(8):
                canvas.drawString(x, 700 - 14 * n, said)
        canvas.drawString(60, 760, "Wat elke dienst doet")

    text = " ".join(read_bytes(tmp_path, pdf(draw)).text.split())
    assert text == " ".join(["Wat elke dienst doet", *[left] * 8, *[right] * 8])
