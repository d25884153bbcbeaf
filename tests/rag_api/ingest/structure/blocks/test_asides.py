"""Lines between a table's rows on two pages: they interrupt it, or do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf, write

pytestmark = pytest.mark.quick

HEADER = ("Drug", "Dose")
ADULTS = (("morphine", "2 mg"), ("ketamine", "10 mg"), ("fentanyl", "50 mcg"))
CHILDREN = (("ibuprofen", "7 mg/kg"), ("paracetamol", "15 mg/kg"), ("codeine", "none"))
RUNNING = "Pain in those under 5 kg: first doses (NG143)"
NOTHING = lines()


def table(*rows: tuple[str, str], top: float, header: float = 66) -> Draw:
    """header: where the names of the first row begin, which are bold."""

    def draw(canvas: Canvas) -> None:
        for n, row in enumerate(rows):
            canvas.setFont("Helvetica" if n else "Helvetica-Bold", 10)
            for x, cell in zip((66, 300), row, strict=True):
                canvas.drawString(x + (0 if n else header - 66), top - 18 * n, cell)
        canvas.setLineWidth(0.5)
        for n in range(len(rows) + 1):
            canvas.line(60, top + 12 - 18 * n, 530, top + 12 - 18 * n)
        for side in (60, 294, 530):
            canvas.line(side, top + 12, side, top + 12 - 18 * len(rows))

    return draw


def leads(folder: Path, between: Draw, header: float = 66) -> dict[str, str]:
    """What rows of a table at the foot of one page, and of one at the top of the next, are read
    after. between: what stands above the latter."""
    title, caption = lines("Pain on the ward", size=16, font="Helvetica-Bold"), lines("Table 1. Adults", size=9, y=178)
    pages = (
        both(title, caption, table(HEADER, *ADULTS, top=160, header=header)),
        both(between, table(HEADER, *CHILDREN, top=700, header=header)),
        both(lines("The nurse weighs the child, and writes the dose down.")),
    )
    path = write(folder, "pages.pdf", pdf(*pages))
    document = read(path, path.name, PDF, 5)
    text = document.text
    return {
        text[q.start : q.end].split("\t")[0]: "".join(text[a:b] for a, b in q.lead)
        for q in quotable(text, document.blocks)
    }


@pytest.mark.parametrize(("words", "size"), [("Table 2. Children", 9), ("Table 12: Children at home", 8)])
def test_a_numbered_caption_in_small_print_names_another_table(words: str, size: float, tmp_path: Path) -> None:
    found = leads(tmp_path, lines(words, size=size, y=722))
    assert "Table 1. Adults" in found["ketamine"]
    assert words in found["codeine"]
    assert "Adults" not in found["codeine"]


def test_a_table_goes_on_below_its_own_caption_said_again(tmp_path: Path) -> None:
    found = leads(tmp_path, lines("Table 1. Adults and others, continued", size=8, y=722))
    assert "Table 1. Adults\n" in found["codeine"]
    assert "continued" not in found["codeine"]


@pytest.mark.parametrize("header", [66, 90])
def test_a_table_goes_on_below_its_own_header_said_again(header: float, tmp_path: Path) -> None:
    """Wherever the header's names begin."""
    found = leads(tmp_path, lines("see overleaf", size=8, y=722), header)
    assert "Table 1. Adults" in found["codeine"]
    assert "Drug\tDose" in found["codeine"]
