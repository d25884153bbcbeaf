"""A row is quoted with its own table's caption, or with none."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from rag_api.domain import ReadDocument, code_of
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import Quotable, quotable
from rag_api.text.quotable.uncertain import is_certain
from tests.rag_api.made_files.pdfs import both, lines, pdf, write

pytestmark = pytest.mark.quick

STYLES = getSampleStyleSheet()
GRID = ("GRID", (0, 0), (-1, -1), 0.5, "black")
BOLD = ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")
ADULTS = [["Drug", "First", "Next"], ["morphine", "2 mg", "1 mg"], ["ketamine", "10 mg", "5 mg"]]
CHILDREN = [["Weight", "First", "Next"], ["10 kg", "3 ml", "1 ml"], ["20 kg", "6 ml", "2 ml"]]
PLAIN = [["water", "tap", "no limit"], ["saline", "bag", "one litre"], ["soap", "bottle", "two pumps"]]


def laid(folder: Path, *content: Flowable) -> ReadDocument:
    out = io.BytesIO()
    SimpleDocTemplate(out, invariant=1).build([Paragraph("Pain on the ward", STYLES["Title"]), *content])
    path = folder / "tables.pdf"
    path.write_bytes(out.getvalue())
    return read(path, path.name, PDF, max_pages=5)


def table(rows: Sequence[Sequence[str]], *style: tuple[object, ...]) -> Table:
    return Table([[*row] for row in rows], colWidths=[120] * len(rows[0]), style=TableStyle([*style]))


def said(words: str, style: str = "Heading2") -> Paragraph:
    return Paragraph(words, STYLES[style])


def quotes(document: ReadDocument) -> dict[str, Quotable]:
    """What may be quoted, by its first cell or its words."""
    text = document.text
    return {
        text[q.start : q.end].strip().split("\t")[0]: q
        for q in quotable(text, document.blocks)
        if is_certain(q, document.uncertain)
    }


def over(document: ReadDocument, quote: Quotable) -> list[str]:
    return [document.text[a:b].strip() for a, b in (*quote.path, *quote.lead)]


def test_captions_numbered_alike_head_their_own_tables_alone(tmp_path: Path) -> None:
    """Though they are set as headings."""
    document = laid(
        tmp_path,
        said("Table 1. Adults"),
        table(ADULTS, GRID, BOLD),
        said("Table 2. Children"),
        table(CHILDREN, GRID, BOLD),
        said("Call the pain team when in doubt.", "Normal"),
    )
    found = quotes(document)
    assert {name: [one for one in over(document, found[name]) if "Table" in one] for name in ("morphine", "20 kg")} == {
        "morphine": ["Table 1. Adults"],
        "20 kg": ["Table 2. Children"],
    }
    assert not any("Table" in one for one in over(document, found["Call the pain team when in doubt."]))


def test_a_caption_is_quoted_with_its_number_and_never_alone(tmp_path: Path) -> None:
    document = laid(tmp_path, said("Table 7. First doses.", "Normal"), table(ADULTS, GRID, BOLD))
    found = quotes(document)
    assert "Table 7. First doses." in over(document, found["morphine"])
    assert not any(name.startswith(("Table", "First doses")) for name in found)


def test_a_numbered_caption_of_two_lines_is_quoted_whole(tmp_path: Path) -> None:
    above = "Table 1. Doses given to adults on wards and in homes near the city, 2020-2026<br/>(Reported by Nurses)"
    document = laid(tmp_path, said(above), table(ADULTS, GRID, BOLD), said("Nothing else is given.", "Normal"))
    lead = [" ".join(document.text[a:b].split()) for a, b in quotes(document)["morphine"].lead]
    assert above.replace("<br/>", " ") in lead


def test_a_caption_of_two_lines_in_an_area_of_its_own_heads_what_stands_below(tmp_path: Path) -> None:
    shaded = ParagraphStyle("shaded", STYLES["Heading2"], backColor="lightgrey")
    caption = Paragraph("Table 8: Proposed checks of those who<br/>come to the ward", shaded)
    checks = [said(words, "Normal") for words in ("Take blood for glucose and kidneys.", "Make an ECG.")]
    found = quotes(document := laid(tmp_path, said("Checks"), said("Read this first.", "Normal"), caption, *checks))
    for name in ("Take blood for glucose and kidneys.", "Make an ECG."):
        assert over(document, found[name])[-1] == "Table 8: Proposed checks of those who come to the ward"


@pytest.mark.parametrize("caption", ["Table 5 Abbreviations of devices", "Abbreviations of devices"])
def test_a_numbered_caption_in_a_box_stays_with_all_of_it(tmp_path: Path, caption: str) -> None:
    """Lines stand between it and the rows; without a number it may be one of these."""

    def boxed(canvas: Canvas) -> None:
        canvas.rect(50, 590, 460, 120)
        for n, cells in enumerate(
            ([caption], ["N 2 L means two litres."], ["N, nasal", "V, Venturi"], ["S, simple", "T, tent"])
        ):
            for k, cell in enumerate(cells):
                canvas.drawString(60 + 200 * k, 690 - 24 * n, cell)

    headings = both(lines("Oxygen", size=16, y=790), lines("Giving it", size=14, y=760))
    page = both(both(headings, lines("Give it in time.", y=730)), boxed)
    path = write(tmp_path, "box.pdf", pdf(both(page, lines("Call when in doubt.", y=540))))
    document = read(path, path.name, PDF, max_pages=2)
    found = quotes(document)
    assert (caption in over(document, found["S, simple"])) == caption.startswith("Table")
    assert caption not in over(document, found["Call when in doubt."])


def test_a_sentence_between_a_numbered_line_and_a_table_is_quoted_by_itself(tmp_path: Path) -> None:
    above = "Section 8.11<br/>Oxygen is given by a mask at first."
    document = laid(tmp_path, said(above, "Normal"), table(ADULTS, GRID, BOLD))
    assert "Oxygen is given by a mask at first." in quotes(document)


def test_rows_that_a_numbered_heading_may_not_be_over_are_shown_and_not_quoted(tmp_path: Path) -> None:
    document = laid(
        tmp_path,
        said("Table 3. Adults"),
        table(ADULTS, GRID, BOLD),
        said("Weigh all others first.", "Normal"),
        table(CHILDREN, GRID, BOLD),
    )
    found = quotes(document)
    assert "Table 3. Adults" in over(document, found["morphine"])
    assert "10 kg" not in found
    assert "10 kg" in document.text
    assert "page_uncertain_heads" in [code_of(note) for note in document.warnings]


def test_a_heading_in_a_box_heads_nothing_below_the_box(tmp_path: Path) -> None:
    box = Table(
        [[[said("Bleeding"), table(ADULTS, GRID, BOLD)]]], style=TableStyle([("BOX", (0, 0), (-1, -1), 2, "black")])
    )
    document = laid(
        tmp_path, said("Doses"), said("Read this first.", "Normal"), box, Spacer(1, 20), table(CHILDREN, GRID, BOLD)
    )
    found = quotes(document)
    assert "Bleeding" in over(document, found["morphine"])
    assert "Bleeding" not in over(document, found["10 kg"])
    assert "Doses" in over(document, found["10 kg"])


def test_rows_outside_a_tables_sides_are_not_read_under_its_header(tmp_path: Path) -> None:
    """A line in bold stands close above them, as a group's name stands within a table."""
    line = Paragraph("<b>Washing</b>", STYLES["Normal"])
    document = laid(
        tmp_path, table(ADULTS, GRID, BOLD), line, table(PLAIN, ("LINEBELOW", (0, 0), (-1, -1), 0.5, "black"))
    )
    found = quotes(document)
    assert all("Drug" not in "".join(over(document, found[row[0]])) for row in PLAIN)
    assert "Drug\tFirst\tNext" in over(document, found["morphine"])


def test_a_line_between_two_tables_names_the_one_that_it_stands_close_above(tmp_path: Path) -> None:
    """Both are drawn with their sides, the columns of the second elsewhere."""
    rows = [["5", "often", "every day"], ["4", "regular", "every week"], ["3", "rare", "twice a year"]]
    wide = [["5", "hidden", "hardly to be found"], ["2", "open", "found with ease"], ["1", "plain", "seen at once"]]
    tables = [
        Table(own, colWidths=sides, style=TableStyle([GRID]), hAlign="LEFT")
        for own, sides in ((rows, [20, 60, 120]), (wide, [20, 140, 180]))
    ]
    document = laid(tmp_path, said("Occurring", "Normal"), tables[0], said("Noticing", "Normal"), tables[1])
    text = document.text
    heads = {text[q.start : q.end].strip(): over(document, q) for q in quotable(text, document.blocks)}
    assert all("Noticing" in heads["\t".join(row)] for row in wide)
    assert not any("Noticing" in heads["\t".join(row)] for row in rows)


def test_rows_below_the_captions_of_two_tables_are_not_quoted(tmp_path: Path) -> None:
    side = [
        ["Table 1a. Adults", "", "Table 1b. Children", ""],
        ["Score", "Action", "Score", "Action"],
        ["0 to 3", "nothing", "0 to 2", "nothing"],
        ["4 to 6", "paracetamol", "3 to 5", "ibuprofen"],
    ]
    document = laid(tmp_path, table(side, ("LINEBELOW", (0, 1), (-1, -1), 0.5, "black")))
    assert not any(name.startswith(("0 to", "4 to", "3 to")) for name in quotes(document))
    assert "paracetamol" in document.text
