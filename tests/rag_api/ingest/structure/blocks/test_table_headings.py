"""No cell of a table is a heading of its document: it would stand over rows, and over sections,
that it has nothing to do with."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from rag_api.domain import BlockKind, ReadDocument
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import Quotable, quotable
from rag_api.text.quotable.uncertain import is_certain
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf, write

pytestmark = pytest.mark.quick

STYLES = getSampleStyleSheet()
GRID = ("GRID", (0, 0), (-1, -1), 0.5, "black")
HEADER = ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")


def told(document: ReadDocument, words: str) -> tuple[Quotable, str, list[str], bool]:
    """The quoted row that begins with these words: what it must be read after, the headings above
    it, and whether it is quoted."""
    text = document.text
    row = next(q for q in quotable(text, document.blocks) if text[q.start : q.end].lstrip().startswith(words))
    lead = "".join(text[a:b] for a, b in row.lead)
    return row, lead, [text[a:b].strip() for a, b in row.path], is_certain(row, document.uncertain)


def headings(document: ReadDocument) -> list[str]:
    return [
        document.text[block.start : block.end].strip() for block in document.blocks if block.kind == BlockKind.HEADING
    ]


def laid(tmp_path: Path, *content: Flowable, name: str = "table.pdf") -> ReadDocument:
    out = io.BytesIO()
    SimpleDocTemplate(out, invariant=1).build(list(content))
    return read(write(tmp_path, name, out.getvalue()), name, PDF, 20)


def table(rows: Sequence[Sequence[str]], *style: Any, padding: float = 3, **options: Any) -> Table:
    padded = (("TOPPADDING", (0, 0), (-1, -1), padding), ("BOTTOMPADDING", (0, 0), (-1, -1), padding))
    return Table(rows, style=TableStyle([("FONTSIZE", (0, 0), (-1, -1), 10), *padded, *style]), **options)


def heading(words: str) -> Paragraph:
    return Paragraph(words, STYLES["Heading2"])


def body(words: str) -> Paragraph:
    return Paragraph(words, STYLES["Normal"])


DOSES = (
    ("Middel", "Dosis", "Tempo"),
    ("morfine", "2 mg", "traag"),
    ("ketamine", "10 mg", "snel"),
    ("fentanyl", "50 mcg", "traag"),
)
SENTENCE = "De verpleegkundige meet de bloeddruk en noteert haar in het dossier van de patiënt."


@pytest.mark.parametrize("padding", [3, 12])
@pytest.mark.parametrize("first", [1, 2])
def test_a_row_of_one_cell_names_the_rows_below_it_and_nothing_after_the_table(
    padding: float, first: int, tmp_path: Path
) -> None:
    rows = [list(row) for row in DOSES]
    rows.insert(first, ["Volwassenen", "", ""])
    rows.append(["Kinderen", "", ""])
    rows.append(["ibuprofen", "5 mg", "traag"])
    bold = [(what, (0, n), (-1, n), how) for n in (first, 5) for what, how in (("FONTNAME", "Helvetica-Bold"),)]
    span = [("SPAN", (0, n), (-1, n)) for n in (first, 5)]
    made = table(rows, GRID, HEADER, *bold, *span, padding=padding, colWidths=[150, 150, 150])
    document = laid(
        tmp_path,
        heading("Pijn"),
        body(SENTENCE),
        made,
        Spacer(1, 20),
        body(SENTENCE),
        heading("Bewaking"),
        body(SENTENCE),
    )
    assert headings(document) == ["Pijn", "Bewaking"]
    _, lead, path, certain = told(document, "fentanyl")
    assert certain
    assert "Middel\tDosis" in lead
    assert "Volwassenen" in lead
    assert path == ["Pijn"]
    _, lead, _, certain = told(document, "ibuprofen")
    assert certain
    assert "Middel\tDosis" in lead
    assert "Kinderen" in lead
    assert "Volwassenen" not in lead


def drawn(rows: Sequence[tuple[Sequence[float], Sequence[str]]]) -> Draw:
    """A grid whose rows have sides of their own, the first one's cells bold."""

    def draw(canvas: Canvas) -> None:
        for n, (sides, cells) in enumerate(rows):
            top = 712 - 20 * n
            canvas.setFont("Helvetica-Bold" if n < 2 else "Helvetica", 10)
            canvas.line(60, top, 530, top)
            canvas.line(60, top - 20, 530, top - 20)
            for x, cell in zip((60, *sides), cells, strict=True):
                canvas.drawString(x + 6, top - 14, cell)
            for x in (60, *sides, 530):
                canvas.line(x, top, x, top - 20)

    return draw


def test_rows_stay_with_the_header_and_the_name_above_it_though_the_sides_shift(tmp_path: Path) -> None:
    """And another table within the grid has the name above its first row."""
    own, other = (220, 380), (240, 380)
    rows: list[tuple[Sequence[float], Sequence[str]]] = [((), ("First choice",)), ((210, 372), DOSES[0])]
    rows += [(own, row) for row in DOSES[1:]]
    rows += [((), ("Second choice",)), (other, ("naproxen", "5 mg", "slow")), (other, ("codeine", "none", "never"))]
    page = both(lines("Pain", size=16, y=760, font="Helvetica-Bold"), drawn(rows), lines(SENTENCE, y=450))
    path = write(tmp_path, "grid.pdf", pdf(page))
    document = read(path, path.name, PDF, 2)
    for name in ("morfine", "fentanyl"):
        lead = told(document, name)[1]
        assert "First choice\nMiddel\tDosis\tTempo" in lead
        assert "Second" not in lead
    lead = told(document, "codeine")[1]
    assert "Second choice" in lead
    assert "First choice" not in lead


def test_a_bold_name_whose_other_cells_are_blank_groups_rows_whose_names_are_not_bold(tmp_path: Path) -> None:
    rows = [DOSES[0], ("Volwassenen", "", ""), *DOSES[1:]]
    made = table(
        rows, GRID, HEADER, ("FONTNAME", (0, 1), (0, 1), "Helvetica-Bold"), padding=12, colWidths=[150, 150, 150]
    )
    document = laid(tmp_path, heading("Pijn"), made, Spacer(1, 20), body(SENTENCE), heading("Bewaking"), body(SENTENCE))
    assert headings(document) == ["Pijn", "Bewaking"]
    assert "Volwassenen" in told(document, "ketamine")[1]


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("padding", [1, 3, 12])
def test_a_row_with_blank_cells_says_nothing_of_the_row_below(bold: bool, padding: float, tmp_path: Path) -> None:
    rows = [*DOSES[:2], ("codeine", "", ""), *DOSES[2:]]
    names = [("FONTNAME", (0, 1), (0, -1), "Helvetica-Bold")] if bold else []
    made = table(rows, GRID, HEADER, *names, padding=padding, colWidths=[150, 150, 150])
    document = laid(tmp_path, heading("Pijn"), made, Spacer(1, 20), body(SENTENCE), heading("Bewaking"), body(SENTENCE))
    for name in ("ketamine", "fentanyl"):
        _, lead, path, certain = told(document, name)
        assert certain
        assert "codeine" not in lead
        assert "Middel\tDosis" in lead
        assert path == ["Pijn"]


def _cells(*rows: tuple[float, Sequence[tuple[float, str, str]]]) -> Draw:
    """Words drawn where they are told: (y, (x, words, font) ...)."""
    return both(*(lines(words, x=x, y=y, size=10, font=font) for y, cells in rows for x, words, font in cells))


PLAIN, BOLD = "Helvetica", "Helvetica-Bold"


def row(y: float, *words: str, font: str = PLAIN) -> tuple[float, list[tuple[float, str, str]]]:
    return y, [(x, one, font) for x, one in zip((60, 200, 340, 470), words, strict=False)]


@pytest.mark.parametrize("x", [340, 470])
def test_a_bold_cell_that_stands_between_two_rows_is_no_heading_of_the_later_ones(x: float, tmp_path: Path) -> None:
    """A cell for several rows, in the middle of them: which ones nobody says."""
    page = both(
        lines("Pijn", y=780, size=16, font=BOLD),
        _cells(
            row(740, "Middel", "Dosis", "Tempo", "Bij wie", font=BOLD),
            row(722, "morfine", "2 mg", "traag", "volwassenen"),
            row(704, "ketamine", "10 mg", "snel", "volwassenen"),
            (694, [(x, "Alleen kinderen", BOLD)]),
            row(684, "fentanyl", "50 mcg", "traag", "kinderen"),
            row(666, "codeine", "10 mg", "traag", "kinderen"),
        ),
        lines("Bewaking", y=600, size=16, font=BOLD),
        lines(SENTENCE, y=580, size=10),
    )
    document = read(write(tmp_path, "x.pdf", pdf(page)), "x.pdf", PDF, 20)
    assert headings(document) == ["Pijn", "Bewaking"]
    for name in ("ketamine", "fentanyl"):  # the cell is one's or the other's, or both's
        _, _, path, certain = told(document, name)
        assert path == ["Pijn"]
        assert not certain
    assert told(document, "morfine")[3]


def test_a_bold_name_beside_the_header_is_one_of_its_names(tmp_path: Path) -> None:
    page = both(
        lines("Pijn", y=780, size=16, font=BOLD),
        _cells(
            row(740, "Middel", "Dosis", "Tempo", font=BOLD),
            (737, [(470, "Bij wie", BOLD)]),
            row(722, "morfine", "2 mg", "traag", "volwassenen"),
            row(704, "ketamine", "10 mg", "snel", "volwassenen"),
            row(686, "fentanyl", "50 mcg", "traag", "kinderen"),
        ),
    )
    document = read(write(tmp_path, "x.pdf", pdf(page)), "x.pdf", PDF, 20)
    _, lead, path, certain = told(document, "fentanyl")
    assert certain
    assert "Bij wie" in lead
    assert path == ["Pijn"]


@pytest.mark.parametrize(("x", "words"), [(60, "Bij kinderen"), (215, "Bij kinderen onder de 10 kg")])
def test_a_heading_at_the_left_or_in_the_middle_between_two_tables_heads_the_second(
    x: float, words: str, tmp_path: Path
) -> None:
    first, second = [
        _cells(*(row(y - 18 * n, *cells, font=PLAIN if n else BOLD) for n, cells in enumerate(DOSES)))
        for y in (740, 600)
    ]
    page = both(lines("Pijn", y=780, size=16, font=BOLD), first, lines(words, x=x, y=630, size=12, font=BOLD), second)
    document = read(write(tmp_path, "x.pdf", pdf(page)), "x.pdf", PDF, 20)
    assert headings(document) == ["Pijn", words]


@pytest.mark.parametrize("apart", [0, 3])
def test_rows_on_the_next_page_keep_their_header_past_a_running_line_and_a_footnote(
    apart: float, tmp_path: Path
) -> None:
    """Rows in other columns are another table's, of which nobody says the header."""
    first = both(
        lines("Tabel 1, doses bij volwassenen", y=140, size=10),
        _cells(*(row(120 - 18 * n, *cells, font=PLAIN if n else BOLD) for n, cells in enumerate(DOSES))),
        lines("* alleen onder bewaking", y=46, size=7),
    )
    rest = [("codeine", "10 mg", "traag"), ("tramadol", "50 mg", "traag"), ("metamizol", "1 g", "traag")]
    second = both(
        lines("Ziekenhuis aan de rivier, afdeling pijn", y=810, size=7),
        _cells(
            *(
                (780 - 18 * n, [(60 + apart * k, word, PLAIN) for k, word in zip((0, 35, 70), cells, strict=True)])
                for n, cells in enumerate(rest)
            )
        )
        if apart
        else _cells(*(row(780 - 18 * n, *cells) for n, cells in enumerate(rest))),
        lines(SENTENCE, y=600, size=10),
    )
    opening = both(lines("Pijn", y=780, size=16, font=BOLD), lines(*[SENTENCE] * 20, y=740, size=10))
    document = read(write(tmp_path, "x.pdf", pdf(both(opening, first), second)), "x.pdf", PDF, 20)
    _, lead, _, _ = told(document, "tramadol")
    assert ("Middel\tDosis" in lead) is not bool(apart)
    assert ("Tabel 1" in lead) is not bool(apart)
    assert "bewaking" not in lead


def test_rows_that_are_drawn_from_the_last_to_the_first_are_rows_below_their_header(tmp_path: Path) -> None:
    drawn = [row(720 - 18 * n, *cells, font=PLAIN if n else BOLD) for n, cells in enumerate(DOSES)]
    page = both(lines("Pijn", y=780, size=16, font=BOLD), _cells(*reversed(drawn)))
    document = read(write(tmp_path, "x.pdf", pdf(page)), "x.pdf", PDF, 20)
    quote, lead, _, _ = told(document, "ketamine")
    assert document.text[quote.start : quote.end].split() == ["ketamine", "10", "mg", "snel"]
    assert "Middel\tDosis\tTempo" in lead


def test_a_header_in_outlined_letters_heads_a_single_row(tmp_path: Path) -> None:
    """So programs set bold without a bold font: the outline has the colour of the letters."""

    def draw(canvas: Canvas) -> None:
        canvas.grid((60, 200, 340), (640, 660, 680))
        for y, cells in ((646, ("10 kg", "3 ml")), (666, ("Gewicht", "Eerste dosis"))):
            for x, words in zip((66, 206), cells, strict=True):
                letters = canvas.beginText(x, y)
                letters.setTextRenderMode(2 if y > 660 else 0)
                letters.textOut(words)
                canvas.drawText(letters)

    page = both(lines("Adrenaline bij reanimatie", "Geef de dosis traag in een ader.", y=760, size=11), draw)
    document = read(write(tmp_path, "one.pdf", pdf(page)), "one.pdf", PDF, 2)
    assert "Gewicht" in told(document, "10 kg")[1]
