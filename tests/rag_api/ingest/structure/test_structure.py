"""The blocks of documents: from sizes, weights, indentation, rules and frames of PDFs; from styles,
tags and sheets of other files."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import BlockKind, ReadDocument
from rag_api.ingest.common.kinds import media_type
from rag_api.ingest.readers.read import read
from tests.rag_api.ingest.readers.test_no_word_lost import Written, cards, letters, running, tables
from tests.rag_api.made_files.docx_files import docx, p, r, table, tc, tr
from tests.rag_api.made_files.pdfs import handbook_document, pdf, write
from tests.rag_api.text.test_blocks import check, outline

pytestmark = pytest.mark.quick


def opened(folder: Path, name: str, content: bytes) -> ReadDocument:
    path = write(folder, name, content)
    return read(path, name, media_type(path, name), 100)


def shown(document: ReadDocument) -> list[str]:
    return outline(document.text, document.blocks)


def at(canvas: Canvas, x: float, y: float, text: str, size: float = 11, bold: bool = False) -> None:
    canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
    canvas.drawString(x, y, text)


def test_headings_are_told_by_size_and_weight_and_lists_by_indentation(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        at(canvas, 60, 780, "Prikongeval bij medewerkers", 18, bold=True)
        at(canvas, 60, 740, "Meteen doen", bold=True)
        at(canvas, 60, 724, "Doe dit in deze volgorde:")
        at(canvas, 70, 708, "1. Laat de wonde doorbloeden.")
        at(canvas, 90, 694, "- knijp niet")
        at(canvas, 90, 680, "- zuig niet")
        at(canvas, 70, 666, "2. Spoel vijf minuten met water.")
        at(canvas, 60, 630, "Melden", bold=True)
        at(canvas, 60, 614, "Meld het ongeval binnen twee uur bij de dienst, ook bij nacht en in het weekend.")

    document = opened(tmp_path, "prik.pdf", pdf(draw))
    assert shown(document) == [
        "heading Prikongeval bij medewerkers",
        "  heading Meteen doen",
        "    paragraph Doe dit in deze volgorde:",
        "    list",
        "      item 1. Laat de wonde doorbloeden.",
        "        item - knijp niet",
        "        item - zuig niet",
        "      item 2. Spoel vijf minuten met water.",
        "  heading Melden",
        "    paragraph Meld het ongeval binnen twee uur bij de dienst, ook bij nacht en in het weekend.",
    ]


def grid(canvas: Canvas, xs: list[float], ys: list[float], rows: list[list[str]], bold: int = 1) -> None:
    canvas.grid(xs, ys)
    for n, row in enumerate(rows):
        for x, text in zip(xs, row, strict=False):
            if text:
                at(canvas, x + 4, ys[n] - 13, text, 10, bold=n < bold)


def test_a_ruled_table_has_its_header_columns_and_a_row_that_groups_others(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        at(canvas, 60, 760, "De dosis hangt af van het gewicht van de patiënt, gemeten bij opname op de dienst.")
        canvas.grid([60, 200, 330, 460], [740, 720])
        canvas.grid([60, 460], [720, 700])
        canvas.grid([60, 200, 330, 460], [700, 680, 660])
        for x, y, text in [(64, 727, "Gewicht"), (204, 727, "Dosis"), (334, 727, "Interval")]:
            at(canvas, x, y, text, 10, bold=True)
        at(canvas, 64, 707, "Kinderen vanaf een jaar", 10)
        for y, row in ((687, ("tot 10 kg", "75 mg", "6 uur")), (667, ("tot 20 kg", "150 mg", "8 uur"))):
            for x, text in zip((64, 204, 334), row, strict=True):
                at(canvas, x, y, text, 10)

    document = opened(tmp_path, "dosis.pdf", pdf(draw))
    assert shown(document)[1:] == [
        "table",
        "  row*",
        "    cell* Gewicht",
        "    cell* Dosis",
        "    cell* Interval",
        "  row",
        "    cell* Kinderen vanaf een jaar",
        "  row",
        "    cell tot 10 kg",
        "    cell 75 mg",
        "    cell 6 uur",
        "  row",
        "    cell tot 20 kg",
        "    cell 150 mg",
        "    cell 8 uur",
    ]
    cells = [block for block in document.blocks if block.kind == BlockKind.CELL]
    assert [(cell.column, cell.columns) for cell in cells[:5]] == [(0, 1), (1, 1), (2, 1), (0, 3), (0, 1)]


def test_a_table_whose_header_comes_again_on_the_next_page_is_one_table(tmp_path: Path) -> None:
    def page(first: int):  # type: ignore[no-untyped-def]
        def draw(canvas: Canvas) -> None:
            rows = [["Middel", "Dosis"], *([f"middel {first + n}", f"{n + 3} mg"] for n in range(3))]
            grid(canvas, [60, 250, 460], [760 - 20 * n for n in range(5)], rows)

        return draw

    document = opened(tmp_path, "lang.pdf", pdf(page(1), page(7)))
    kinds = [(block.kind, block.header) for block in document.blocks]
    assert [kind for kind, _ in kinds].count(BlockKind.TABLE) == 1
    assert [header for kind, header in kinds if kind == BlockKind.ROW] == [True, False, False, False] * 2


def test_what_stands_in_a_frame_is_a_note_and_a_frame_around_a_table_is_none(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        at(canvas, 60, 780, "Geef kaliumchloride traag en altijd verdund, met een pomp en onder bewaking.")
        canvas.rect(55, 700, 480, 44)
        at(canvas, 62, 728, "Nooit onverdund inspuiten: dat is dodelijk.")
        at(canvas, 62, 708, "Bewaar ampullen achter slot.")
        at(canvas, 60, 660, "Noteer het uur van de start in het dossier van de patiënt, en wie het gaf.")

    document = opened(tmp_path, "kalium.pdf", pdf(draw))
    assert [line.split(" ")[0] or line.strip().split(" ")[0] for line in shown(document)].count("note") == 1
    note = next(n for n, block in enumerate(document.blocks) if block.kind == BlockKind.NOTE)
    inside = [document.text[b.start : b.end].strip() for b in document.blocks if b.parent == note]
    assert inside == ["Nooit onverdund inspuiten: dat is dodelijk.", "Bewaar ampullen achter slot."]


@pytest.mark.longer
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(st.one_of(running(), cards(), letters(), tables()))
def test_every_word_of_an_awkward_pdf_stands_in_exactly_one_leaf_in_order(tmp_path: Path, written: Written) -> None:
    document = opened(tmp_path, "odd.pdf", written.pdf())
    check(document.text, document.blocks)


@pytest.mark.parametrize("name", ["mews-escalatie.pdf", "icu-sedation.pdf", "folder-gastroscopie.pdf"])
def test_the_blocks_of_the_handbook_hold_every_word_once(name: str) -> None:
    document = handbook_document(name)
    check(document.text, document.blocks)
    kinds = {block.kind for block in document.blocks}
    assert {BlockKind.HEADING, BlockKind.PARAGRAPH} <= kinds


def test_html_says_its_headings_lists_tables_and_boxes(tmp_path: Path) -> None:
    content = b"""<title>x</title><h1>Katheter</h1><p>Spoel.</p><ol><li>Was de handen<ul><li>ook de duim</li></ul></li><li>Droog</li></ol>
    <aside><p>Nooit met kracht.</p></aside><h2>Dosis</h2><table><tr><th>Maat</th><th>Volume</th></tr>
    <tr><td rowspan=2>klein</td><td>5 ml</td></tr><tr><td>10 ml</td></tr></table>"""
    assert shown(opened(tmp_path, "k.html", content)) == [
        "heading Katheter",
        "  paragraph Spoel.",
        "  list",
        "    item 1. Was de handen",
        "      item • ook de duim",
        "    item 2. Droog",
        "  note",
        "    paragraph Nooit met kracht.",
        "  heading Dosis",
        "    table",
        "      row*",
        "        cell* Maat",
        "        cell* Volume",
        "      row",
        "        cell klein",
        "        cell 5 ml",
        "      row",
        "        cell klein",
        "        cell 10 ml",
    ]


def test_a_docx_says_its_headings_and_the_rows_that_head_a_table(tmp_path: Path) -> None:
    body = [
        p(r("Sondevoeding"), style="Heading1"),
        p(r("Geef traag.")),
        table(tr(tc("Dag"), tc("Stand"), about="<w:tblHeader/>"), tr(tc("1"), tc("20 ml"))),
    ]
    styles = '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
    path = docx(tmp_path / "sonde.docx", *body, parts={"styles": styles})
    document = read(path, "sonde.docx", media_type(path, "sonde.docx"), 100)
    assert shown(document) == [
        "heading Sondevoeding",
        "  paragraph Geef traag.",
        "  table",
        "    row*",
        "      cell* Dag",
        "      cell* Stand",
        "    row",
        "      cell 1",
        "      cell 20 ml",
    ]


def test_the_first_row_of_a_docxs_table_heads_its_words_though_nothing_marks_it(tmp_path: Path) -> None:
    rows = [("Kiem", "Isolatie"), ("Mazelen", "lucht"), ("Influenza", "druppel")]
    path = docx(tmp_path / "kiem.docx", table(*(tr(tc(one), tc(other)) for one, other in rows)))
    document = read(path, "kiem.docx", media_type(path, "kiem.docx"), 100)
    assert [block.header for block in document.blocks if block.kind == BlockKind.ROW] == [True, False, False]


def test_a_sheets_rows_have_a_cell_for_each_column(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Middel", "Dosis"], ["kalium", "10 mmol"], ["glucose", "5 %"]):
        sheet.append(row)
    book.save(tmp_path / "x.xlsx")
    document = opened(tmp_path, "y.xlsx", (tmp_path / "x.xlsx").read_bytes())
    cells = [
        document.text[b.start : b.end].strip() for b in document.blocks if b.kind == BlockKind.CELL and not b.header
    ]
    assert cells == ["Middel: kalium;", "Dosis: 10 mmol", "Middel: glucose;", "Dosis: 5 %"]
