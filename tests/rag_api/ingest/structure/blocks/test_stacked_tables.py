"""Rows are read under their own table's header, where tables follow each other with nothing but
white between."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.platypus import Flowable, PageBreak, SimpleDocTemplate, Spacer, Table, TableStyle

from rag_api.domain import BlockKind, ReadDocument
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain

pytestmark = pytest.mark.quick

UPPER = [
    ["Middel", "Volwassene", "Kind"],
    ["morfine", "2 mg", "0,1 mg"],
    ["ketamine", "10 mg", "0,5 mg"],
    ["fentanyl", "50 mcg", "1 mcg"],
]
SAME = [
    ["Gewicht", "Eerste gift", "Daarna"],
    ["10 kg", "3 ml", "1 ml"],
    ["20 kg", "6 ml", "2 ml"],
    ["30 kg", "9 ml", "3 ml"],
]
OTHER = [["Stof", "Grens"], ["kalium", "onder 3,0"], ["natrium", "onder 125"], ["calcium", "onder 1,0"]]
PLAIN = SAME[1:]  # without a header of its own
GRID = [("GRID", (0, 0), (-1, -1), 0.5, "black")]
OPEN = [("LINEABOVE", (0, 0), (-1, 1), 0.5, "black"), ("LINEBELOW", (0, -1), (-1, -1), 0.5, "black")]
BARE: list[tuple[object, ...]] = []
BOLD = ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")


def laid(folder: Path, *content: Flowable) -> ReadDocument:
    out = io.BytesIO()
    SimpleDocTemplate(out, invariant=1).build(list(content))
    path = folder / "tables.pdf"
    path.write_bytes(out.getvalue())
    return read(path, path.name, PDF, max_pages=5)


def table(rows: Sequence[Sequence[str]], *style: tuple[object, ...], width: float = 360) -> Table:
    return Table([[*row] for row in rows], colWidths=[width / len(rows[0])] * len(rows[0]), style=TableStyle([*style]))


def leads(document: ReadDocument) -> dict[str, str]:
    """What each row that is quoted must be read after, by its first cell."""
    text = document.text
    return {
        text[q.start : q.end].split("\t")[0]: "".join(text[a:b] for a, b in q.lead)
        for q in quotable(text, document.blocks)
        if is_certain(q, document.uncertain)
    }


@pytest.mark.parametrize("lower", [SAME, OTHER], ids=["same columns", "other columns"])
@pytest.mark.parametrize("set_as", [[BOLD], []], ids=["bold", "plain"])
@pytest.mark.parametrize("style", [GRID, OPEN], ids=["grid", "open"])
def test_rows_between_rules_are_read_under_their_own_header(
    style: list[tuple[object, ...]], set_as: list[tuple[object, ...]], lower: list[list[str]], tmp_path: Path
) -> None:
    found = leads(laid(tmp_path, table(UPPER, *style, *set_as), Spacer(1, 16), table(lower, *style, *set_as)))
    for rows, foreign in ((UPPER, lower), (lower, UPPER)):
        for row in rows[1:]:
            assert "\t".join(rows[0]) in found[row[0]]
            assert foreign[0][0] not in found[row[0]]


def test_rows_without_rules_are_read_under_their_own_header(tmp_path: Path) -> None:
    found = leads(laid(tmp_path, table(UPPER), Spacer(1, 60), table(OTHER)))
    assert [found[row[0]] for row in UPPER[1:]] == ["Middel\tVolwassene\tKind\n"] * 3
    assert all("Middel" not in found[row[0]] for row in OTHER[1:])


@pytest.mark.parametrize("style", [GRID, OPEN], ids=["grid", "open"])
def test_rows_of_a_table_without_a_header_are_read_under_no_others(
    style: list[tuple[object, ...]], tmp_path: Path
) -> None:
    found = leads(laid(tmp_path, table(UPPER, *style, BOLD), Spacer(1, 16), table(PLAIN, *style)))
    assert all("Middel" not in found[row[0]] for row in PLAIN if row[0] in found)
    assert "Middel\tVolwassene" in found["fentanyl"]


@pytest.mark.parametrize("widths", [[200, 160], [60, 150, 150]], ids=["fewer columns", "as many, elsewhere"])
def test_a_row_of_other_columns_is_read_under_no_header_of_these(widths: list[float], tmp_path: Path) -> None:
    """With no white between the two tables."""
    rows = [row[: len(widths)] for row in PLAIN]
    lower = Table(rows, colWidths=widths, style=TableStyle(GRID))
    found = leads(laid(tmp_path, table(UPPER, *GRID, BOLD), lower))
    assert all("Middel" not in found[row[0]] for row in rows)
    assert all("Middel\tVolwassene" in found[row[0]] for row in UPPER[1:])


def test_a_row_of_merged_cells_keeps_the_header(tmp_path: Path) -> None:
    merged = Table([["naloxon", "alleen op de intensive care"]], colWidths=[120, 240], style=TableStyle(GRID))
    finer = Table([["propofol", "1 mg", "2 mg", "0,2 mg"]], colWidths=[120, 60, 60, 120], style=TableStyle(GRID))
    found = leads(laid(tmp_path, table(UPPER, *GRID, BOLD), merged, finer))
    assert all("Middel\tVolwassene" in found[name] for name in ("naloxon", "propofol"))


def test_a_title_between_tables_is_no_cell_of_the_header_below_it(tmp_path: Path) -> None:
    """Though a rule of the upper table and one of the lower are all that is drawn around both."""
    title, lower = (
        Table([["Tabel 2. Grenzen"]], colWidths=[360]),
        [("LINEBELOW", (0, n), (-1, n), 0.5, "black") for n in (0, -1)],
    )
    found = leads(laid(tmp_path, table(UPPER, *GRID, BOLD), Spacer(1, 6), title, table(OTHER, *lower, BOLD)))
    assert found["kalium"].split("\n")[-2] == "Stof\tGrens"
    assert "Middel" not in found["kalium"]


def test_a_caption_of_the_upper_table_is_not_the_lower_ones(tmp_path: Path) -> None:
    caption = Table([["Pijn bij volwassenen, voor wie nog geen middel kreeg:"]], colWidths=[360])
    document = laid(tmp_path, caption, table(UPPER, *GRID, BOLD), Spacer(1, 16), table(OTHER, *GRID, BOLD))
    found = leads(document)
    assert "Pijn bij volwassenen" in found["morfine"]
    assert "Pijn bij volwassenen" not in found["kalium"]
    assert sum(block.kind == BlockKind.TABLE for block in document.blocks) == 2


@pytest.mark.parametrize(
    ("style", "blank"),
    [(GRID, True), (OPEN, False), (BARE, False)],
    ids=["a blank row", "open, wide rows", "bare, wide rows"],
)
def test_white_within_a_table_parts_it_not(style: list[tuple[object, ...]], blank: bool, tmp_path: Path) -> None:
    rows = [*UPPER[:3], ["", "", ""], UPPER[3]] if blank else UPPER
    padding = [
        ("TOPPADDING", (0, 0), (-1, -1), 3 if blank else 22),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3 if blank else 22),
    ]
    found = leads(laid(tmp_path, table(rows, *style, BOLD, *padding)))
    assert all("Middel\tVolwassene" in found[row[0]] for row in UPPER[1:])


def test_a_line_above_a_header_is_that_tables_caption(tmp_path: Path) -> None:
    """It is no name of a group of the table above, and that table's caption is not read with the
    rows below."""
    line = Table([["Tabel 2. Grenzen"]], colWidths=[360])
    found = leads(laid(tmp_path, table(UPPER, *GRID, BOLD), line, table(OTHER, *GRID, BOLD)))
    assert "Grenzen" in found["kalium"]
    assert "Grenzen" not in found["fentanyl"]


WORDS = [
    ["hoofdpijn", "paracetamol", "via de mond"],
    ["misselijkheid", "ondansetron", "in de ader"],
    ["jeuk", "cetirizine", "via de mond"],
    ["onrust", "haloperidol", "onder de huid"],
]
DOSES = [["morfine", "2 mg", "0,1 mg"], ["ketamine", "10 mg", "0,5 mg"], ["codeïne", "30 mg", "1 mg"]]
NAMES = ["Klacht", "Middel", "Hoe"]


@pytest.mark.parametrize("style", [GRID, BARE], ids=["grid", "bare"])
@pytest.mark.parametrize("rows", [WORDS, DOSES], ids=["words", "doses"])
def test_a_first_row_like_those_below_is_quoted_and_heads_none(
    rows: list[list[str]], style: list[tuple[object, ...]], tmp_path: Path
) -> None:
    found = leads(laid(tmp_path, table(rows, *style)))
    assert found == {row[0]: "" for row in rows}


@pytest.mark.parametrize(
    "style",
    [
        [*GRID, BOLD],
        OPEN,
        [("LINEBELOW", (0, 0), (-1, 0), 0.5, "black")],
        [("BACKGROUND", (0, 0), (-1, 0), "lightgrey")],
    ],
    ids=["bold", "open", "rule", "colour"],
)
def test_a_first_row_of_words_that_is_set_apart_heads_the_words_below(
    style: list[tuple[object, ...]], tmp_path: Path
) -> None:
    found = leads(laid(tmp_path, table([NAMES, *WORDS], *style)))
    assert found == {row[0]: "Klacht\tMiddel\tHoe\n" for row in WORDS}


@pytest.mark.parametrize("style", [GRID, BARE], ids=["grid", "bare"])
def test_a_first_row_of_words_heads_a_column_of_figures(style: list[tuple[object, ...]], tmp_path: Path) -> None:
    found = leads(laid(tmp_path, table(UPPER, *style)))
    assert found == {row[0]: "Middel\tVolwassene\tKind\n" for row in UPPER[1:]}
    weights = [["Middel", "10 kg", "20 kg"], *DOSES]
    assert leads(laid(tmp_path, table(weights, *style))) == {row[0]: "Middel\t10 kg\t20 kg\n" for row in DOSES}


def test_a_title_in_a_box_of_its_own_heads_the_table_close_below_it(tmp_path: Path) -> None:
    title = Table([["Morfine per leeftijd"]], colWidths=[360], style=TableStyle([*GRID, BOLD]))
    line = Table([["Lees eerst wat hieronder staat, en bel bij twijfel."]], colWidths=[360])
    found = leads(laid(tmp_path, line, Spacer(1, 40), title, Spacer(1, 14), table(UPPER, *GRID, BOLD)))
    assert {name: found.get(name) for name in ("morfine", "fentanyl")} == dict.fromkeys(
        ("morfine", "fentanyl"), "Morfine per leeftijd\nMiddel\tVolwassene\tKind\n"
    )
    assert "Morfine per leeftijd\n" not in found


CLASSES = [[impact, chance] for impact in ("laag", "midden", "hoog") for chance in ("zelden", "soms", "vaak")]


@pytest.mark.parametrize("style", [GRID, BARE], ids=["grid", "bare"])
def test_a_first_row_of_other_words_heads_columns_of_classes(style: list[tuple[object, ...]], tmp_path: Path) -> None:
    rows = leads(laid(tmp_path, table([["gevolg", "kans"], *CLASSES], *style)))
    assert rows == {impact: "gevolg\tkans\n" for impact, _ in CLASSES}
    assert {*leads(laid(tmp_path, table(CLASSES, *style))).values()} == {""}


def test_a_header_at_the_foot_of_a_page_heads_no_table_on_the_next_that_has_its_own(tmp_path: Path) -> None:
    bar = table([["Formulier", "Bewaard door"]], *GRID, BOLD)
    document = laid(tmp_path, table(UPPER, *GRID, BOLD), Spacer(1, 40), bar, PageBreak(), table(SAME, *GRID, BOLD))
    found = leads(document)
    assert "Gewicht\tEerste gift\tDaarna" in found["20 kg"]
    assert "Formulier" not in found["20 kg"]
