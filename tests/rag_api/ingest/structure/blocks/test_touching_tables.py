"""Two tables that touch, with no white, line or caption between: no row is read under the other
table's header, and none is lost without a word."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from rag_api.domain import ReadDocument, code_of
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain
from tests.rag_api.made_files.pdfs import pdf, write

pytestmark = pytest.mark.quick

Rows = Sequence[Sequence[str]]

DUTCH = [
    ["Middel", "Volwassene", "Kind"],
    ["morfine", "2 mg", "0,1 mg"],
    ["ketamine", "10 mg", "0,5 mg"],
    ["fentanyl", "50 mcg", "1 mcg"],
]
WEIGHTS = [["Weight", "First", "Next"], ["10 kg", "3 ml", "1 ml"], ["20 kg", "6 ml", "2 ml"], ["30 kg", "9 ml", "3 ml"]]
LIMITS = [["Stof", "Grens"], ["kalium", "onder 3,0"], ["natrium", "onder 125"], ["calcium", "onder 1,0"]]
SCORES = [
    ["Score", "Pulse", "Action", "Repeat"],
    ["low", "below 90", "none", "12 h"],
    ["middle", "90 to 110", "call the nurse", "4 h"],
    ["high", "above 110", "call the doctor", "1 h"],
]
SIGNS = [
    ["Sign", "Who", "How"],
    ["redness", "nurse", "by phone"],
    ["fever", "doctor", "at once"],
    ["rash", "pharmacist", "later"],
]
COMPLAINTS = [
    ["Klacht", "Middel", "Hoe"],
    ["hoofdpijn", "paracetamol", "via de mond"],
    ["jeuk", "cetirizine", "via de mond"],
    ["onrust", "haloperidol", "onder de huid"],
]
RULES: dict[str, list[tuple[Any, ...]]] = {
    "grid": [("GRID", (0, 0), (-1, -1), 0.5, "black")],
    "lines": [("LINEBELOW", (0, 0), (-1, -1), 0.5, "black"), ("LINEABOVE", (0, 0), (-1, 0), 0.5, "black")],
    "open": [("LINEABOVE", (0, 0), (-1, 1), 0.5, "black"), ("LINEBELOW", (0, -1), (-1, -1), 0.5, "black")],
    "header rule": [("LINEBELOW", (0, 0), (-1, 0), 0.5, "black")],
    "box": [("BOX", (0, 0), (-1, -1), 0.5, "black")],
    "none": [],
}
LOOKS: dict[str, tuple[Any, ...]] = {
    "plain": ("TEXTCOLOR", (0, 0), (-1, 0), "black"),
    "bold": ("FONTNAME", (0, 0), (-1, 0), "Times-Bold"),
    "italic": ("FONTNAME", (0, 0), (-1, 0), "Courier-Oblique"),
    "colour": ("BACKGROUND", (0, 0), (-1, 0), "lightgrey"),
}
WIDTH = 420


def laid(folder: Path, *content: Flowable) -> ReadDocument:
    out = io.BytesIO()
    normal = getSampleStyleSheet()["Normal"]
    line = Paragraph("The nurse notes what was given, and calls the doctor when in doubt. " * 3, normal)
    SimpleDocTemplate(out, invariant=1).build([line, Spacer(1, 20), *content, Spacer(1, 30), line])
    return read(write(folder, "tables.pdf", out.getvalue()), "tables.pdf", PDF, max_pages=5)


def table(rows: Rows, *style: tuple[Any, ...], width: float = WIDTH, **options: Any) -> Table:
    return Table([[*row] for row in rows], colWidths=[width / len(rows[0])] * len(rows[0]), style=[*style], **options)


def in_one_grid(upper: Rows, lower: Rows, *style: tuple[Any, ...]) -> Table:
    """As some programs draw it: one table whose cells are merged where the rows have fewer."""
    edges = sorted({round(WIDTH * n / len(rows[0])) for rows in (upper, lower) for n in range(len(rows[0]) + 1)})
    cells: list[list[str]] = []
    spans = []
    for rows in (upper, lower):
        at = [edges.index(round(WIDTH * n / len(rows[0]))) for n in range(len(rows[0]) + 1)]
        for row in rows:
            spans += [("SPAN", (a, len(cells)), (b - 1, len(cells))) for a, b in pairwise(at)]
            cells.append([""] * (len(edges) - 1))
            for a, words in zip(at, row, strict=False):
                cells[-1][a] = words
    return Table(cells, colWidths=[b - a for a, b in pairwise(edges)], style=TableStyle([*style, *spans]))


def drawn(folder: Path, upper: Rows, lower: Rows, font: str, by_columns: bool) -> ReadDocument:
    """Every word for itself, on a canvas; by_columns: column after column."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont(font, 10)
        canvas.drawString(60, 790, "The nurse notes what was given, and calls the doctor when in doubt, at night too.")
        y = 740
        for rows in (upper, lower):
            lefts = [0, *accumulate([WIDTH / len(rows[0])] * len(rows[0]))]
            places = [(n, k) for n in range(len(rows)) for k in range(len(rows[0]))]
            for n, k in sorted(places, key=lambda place: place[::-1] if by_columns else place):
                canvas.drawString(60 + lefts[k], y - 16 * n, rows[n][k])
            y -= 16 * len(rows)

    return read(write(folder, "drawn.pdf", pdf(draw)), "drawn.pdf", PDF, max_pages=5)


def leads(document: ReadDocument, all_: bool = False) -> dict[str, str]:
    """What each row is read after, by its first cell, if it is quoted. all_: if it would be."""
    text = document.text
    return {
        text[q.start : q.end].strip().split("\t")[0]: "".join(text[a:b] for a, b in q.lead)
        for q in quotable(text, document.blocks)
        if all_ or is_certain(q, document.uncertain)
    }


def assert_under_their_own(document: ReadDocument, *tables: Rows) -> None:
    found = leads(document)
    for rows in tables:
        for row in rows[1:]:
            assert found[row[0]].splitlines()[-1] == "\t".join(rows[0])
        assert rows[0][0] not in found, "a header is no quote"


@pytest.mark.longer  # all of them together
@pytest.mark.parametrize("lower", [WEIGHTS, LIMITS, SCORES], ids=["as many", "fewer", "more"])
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("rules", RULES)
def test_rows_are_read_under_the_header_of_the_touching_table_that_they_are_of(
    rules: str, look: str, lower: Rows, tmp_path: Path
) -> None:
    style = [*RULES[rules], LOOKS[look]]
    assert_under_their_own(laid(tmp_path, table(DUTCH, *style), table(lower, *style)), DUTCH, lower)


@pytest.mark.parametrize("pair", [(DUTCH, LIMITS), (LIMITS, DUTCH), (SCORES, LIMITS), (LIMITS, SCORES)])
@pytest.mark.parametrize("rules", ["grid", "lines", "none"])
def test_two_tables_in_one_grid_keep_their_rows_and_headers(
    rules: str, pair: tuple[Rows, Rows], tmp_path: Path
) -> None:
    """Also where each cell of the one is as wide as two of the other."""
    assert_under_their_own(laid(tmp_path, in_one_grid(*pair, *RULES[rules])), *pair)


@pytest.mark.parametrize("font", ["Helvetica", "Times-Roman", "Courier"])
@pytest.mark.parametrize("lower", [WEIGHTS, LIMITS], ids=["as many", "fewer"])
def test_words_drawn_one_by_one_are_read_under_their_own_header(font: str, lower: Rows, tmp_path: Path) -> None:
    assert_under_their_own(drawn(tmp_path, DUTCH, lower, font, by_columns=False), DUTCH, lower)


@pytest.mark.parametrize("lower", [WEIGHTS, LIMITS], ids=["as many", "fewer"])
def test_words_drawn_by_columns_are_read_under_no_other_header(lower: Rows, tmp_path: Path) -> None:
    document = drawn(tmp_path, DUTCH, lower, "Helvetica", by_columns=True)
    found = leads(document)
    assert all("Middel" not in found[row[0]] for row in lower[1:] if row[0] in found)
    assert all(cell in document.text for row in (*DUTCH, *lower) for cell in row)


@pytest.mark.parametrize("look", ["bold", "colour"])
@pytest.mark.parametrize("rules", RULES)
def test_a_header_set_as_the_first_one_heads_rows_of_words(rules: str, look: str, tmp_path: Path) -> None:
    style = [*RULES[rules], LOOKS[look]]
    document = laid(tmp_path, table(COMPLAINTS, *style), table(SIGNS, *style))
    assert_under_their_own(document, COMPLAINTS, SIGNS)


def test_centred_cells_are_read_under_their_own_header(tmp_path: Path) -> None:
    style = [("ALIGN", (0, 0), (-1, -1), "CENTER"), *RULES["box"]]
    assert_under_their_own(laid(tmp_path, table(DUTCH, *style), table(LIMITS, *style, width=300)), DUTCH, LIMITS)


CAPITALS = [[cell[:1].upper() + cell[1:] for cell in row] for row in DUTCH]


def test_rows_below_a_row_that_may_be_a_header_are_shown_and_not_quoted(tmp_path: Path) -> None:
    """Where rows begin with capitals too, "Ketamine, Overleg, Niet geven" reads as one does."""
    for row in (["Ketamine", "Overleg", "Niet geven"], ["Stof", "Grens", "Ernstig"]):
        rest = [["Kalium", "3 mmol", "2 mmol"], ["Natrium", "125 mmol", "115 mmol"]]
        document = laid(tmp_path, table([*CAPITALS[:3], row, *rest], *RULES["grid"]))
        found = leads(document)
        assert found["Morfine"] == "Middel\tVolwassene\tKind\n"
        assert not {"Kalium", "Natrium"} & {*found}
        assert all("Middel" not in leads(document, all_=True)[name] for name in ("Kalium", "Natrium"))
        assert "Kalium\t3 mmol\t2 mmol" in document.text
        assert "page_uncertain_heads" in [code_of(note) for note in document.warnings]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("row", [["ketamine", "zie apotheek", "niet geven"], ["Ketamine", "Niet geven", "Niet geven"]])
def test_a_row_of_words_within_doses_is_one_of_its_table(row: list[str], rules: str, tmp_path: Path) -> None:
    rows = [*DUTCH[:2], row, *DUTCH[3:], ["codeine", "30 mg", "1 mg"]]
    found = leads(laid(tmp_path, table(rows, *RULES[rules])))
    assert {found[one[0]] for one in rows[1:]} == {"Middel\tVolwassene\tKind\n"}


@pytest.mark.parametrize("name", ["plain", "colour"])
def test_stripes_part_no_table(name: str, tmp_path: Path) -> None:
    rows = [*COMPLAINTS, *SIGNS[1:]]
    stripes = [("BACKGROUND", (0, n), (-1, n), "whitesmoke") for n in range(2, len(rows), 2)]
    found = leads(laid(tmp_path, table(rows, *RULES["grid"], *stripes, LOOKS[name])))
    assert len({found[row[0]] for row in rows[1:]}) == 1


def test_rows_that_rules_group_are_of_one_table(tmp_path: Path) -> None:
    groups = [("LINEBELOW", (0, n), (-1, n), 0.5, "black") for n in (0, 2, 3, 5)]
    rows = [*DUTCH, *(["codeine", "30 mg", "1 mg"], ["tramadol", "50 mg", "1 mg"])]
    found = leads(laid(tmp_path, table(rows, *groups)))
    assert {found[row[0]] for row in rows[1:]} == {"Middel\tVolwassene\tKind\n"}


def test_merged_cells_at_a_tables_end_are_read_under_no_other_header_for_certain(tmp_path: Path) -> None:
    """Whether rows of fewer cells, down to the last one, are another table's, nobody knows."""
    notes = [["naloxon", "alleen op de intensive care"], ["clonidine", "alleen na overleg"]]
    merged = Table(notes, colWidths=[WIDTH / 4, WIDTH * 3 / 4], style=RULES["grid"])
    document = laid(tmp_path, table(SCORES, *RULES["grid"]), merged)
    assert leads(document)["low"] == "Score\tPulse\tAction\tRepeat\n"
    assert "naloxon" not in leads(document)
    assert "naloxon\talleen op de intensive care" in document.text


@pytest.mark.parametrize("look", ["plain", "bold", "colour"])
def test_a_header_that_comes_again_heads_the_same_table(look: str, tmp_path: Path) -> None:
    rows = [DUTCH[0], *([f"middel {n}", f"{n} mg", f"{n},5 mg"] for n in range(1, 80))]
    made = table(rows, *RULES["grid"], LOOKS[look], repeatRows=1)
    found = leads(laid(tmp_path, made))
    assert {found[row[0]] for row in rows[1:]} == {"Middel\tVolwassene\tKind\n"}
