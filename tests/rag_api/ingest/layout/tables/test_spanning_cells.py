"""A cell that stands for several rows is read with each of them, however the table is drawn; where
that is not sure, with none."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from reportlab.lib import colors
from reportlab.platypus import SimpleDocTemplate, Spacer, Table, TableStyle

from rag_api.domain import BlockKind, ReadDocument
from rag_api.ingest.pdf.cell_fills import edges_of_cells
from rag_api.ingest.readers.read import read

pytestmark = pytest.mark.quick

HEADER = ["Gewicht", "Middel", "Dosis", "Interval"]
FOUR = [
    ["10 tot 19 kg", "paracetamol", "150 mg", "om de 6 uur"],
    ["", "ibuprofen", "100 mg", "om de 8 uur"],
    ["20 tot 29 kg", "paracetamol", "300 mg", "om de 6 uur"],
    ["", "ibuprofen", "200 mg", "om de 8 uur"],
]
WHOLE = [[FOUR[n - n % 2][0], *row[1:]] for n, row in enumerate(FOUR)]
TWO_GROUPS = [("SPAN", (0, 1), (0, 2)), ("SPAN", (0, 3), (0, 4)), ("VALIGN", (0, 0), (-1, -1), "MIDDLE")]
BOLD = [("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")]
GRID = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
WIDTHS = [90, 110, 90, 110]


def _drawn(folder: Path, *tables: Table | Spacer) -> ReadDocument:
    out = io.BytesIO()
    SimpleDocTemplate(out, invariant=1).build(list(tables))
    path = folder / "table.pdf"
    path.write_bytes(out.getvalue())
    return read(path, path.name, "application/pdf", max_pages=5)


def _table(rows: Sequence[Sequence[str]], *style: tuple[object, ...], widths: Sequence[float] = WIDTHS) -> Table:
    return Table([[*row] for row in rows], colWidths=list(widths), style=TableStyle([*BOLD, *style]))


def _rows(document: ReadDocument) -> list[list[str]]:
    text, blocks = document.text, document.blocks
    rows = {n: list[str]() for n, block in enumerate(blocks) if block.kind == BlockKind.ROW}
    for block in blocks:
        if block.kind == BlockKind.CELL:
            rows[block.parent].append(text[block.start : block.end].strip())
    return list(rows.values())


ZEBRA = [("BACKGROUND", (0, n), (-1, n), colors.lightgrey) for n in (0, 3, 4)]
BETWEEN = [("LINEBELOW", (0, n), (-1, n), 0.5, colors.black) for n in (0, 2, 4)]
STYLES = {"grid": GRID, "fills": ZEBRA, "no rules": [], "rules between groups": BETWEEN}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_a_cell_in_the_middle_of_its_rows_is_read_with_each(style: list[tuple[object, ...]], tmp_path: Path) -> None:
    assert _rows(_drawn(tmp_path, _table([HEADER, *FOUR], *style, *TWO_GROUPS))) == [HEADER, *WHOLE]


def test_its_words_lie_where_the_cell_is(tmp_path: Path) -> None:
    document = _drawn(tmp_path, _table([HEADER, *FOUR], *GRID, *TWO_GROUPS))
    rows = [block for block in document.blocks if block.kind == BlockKind.ROW]
    places = [document.pages[0].boxes[row.start] for row in rows[1:3]]
    assert places[0].tolist() == places[1].tolist()


def test_cells_over_rows_in_two_columns_and_in_the_last(tmp_path: Path) -> None:
    rows = [
        ["Kind", "licht", "1 mg", "arts bellen"],
        ["", "", "2 mg", ""],
        ["", "zwaar", "3 mg", ""],
        ["Volwassene", "licht", "4 mg", "reanimatie bellen"],
        ["", "zwaar", "5 mg", ""],
    ]
    spans = [
        ("SPAN", (0, 1), (0, 3)),
        ("SPAN", (0, 4), (0, 5)),
        ("SPAN", (1, 1), (1, 2)),
        ("SPAN", (3, 1), (3, 3)),
        ("SPAN", (3, 4), (3, 5)),
    ]
    read_ = _rows(_drawn(tmp_path, _table([HEADER, *rows], *GRID, *spans)))
    assert read_[1:] == [
        ["Kind", "licht", "1 mg", "arts bellen"],
        ["Kind", "licht", "2 mg", "arts bellen"],
        ["Kind", "zwaar", "3 mg", "arts bellen"],
        ["Volwassene", "licht", "4 mg", "reanimatie bellen"],
        ["Volwassene", "zwaar", "5 mg", "reanimatie bellen"],
    ]


def test_a_cell_that_is_empty_between_its_own_rules_stays_empty(tmp_path: Path) -> None:
    rows = [
        ["jaarlijks", "griep", "1 dosis", "arm"],
        ["", "tetanus", "1 dosis", "arm"],
        ["", "polio", "1 dosis", "arm"],
    ]
    assert _rows(_drawn(tmp_path, _table([HEADER, *rows], *GRID)))[2:] == [rows[1][1:], rows[2][1:]]


def test_names_that_may_stand_at_the_top_of_their_rows_are_given_to_no_other(tmp_path: Path) -> None:
    """In the middle of two, three and two rows they would stand where they do at the top of two,
    three and two."""
    names = ["10 tot 19 kg", "", "20 tot 29 kg", "", "", "30 tot 39 kg", ""]
    rows = [[name, f"middel {n}", f"{n} mg", "om de 6 uur"] for n, name in enumerate(names, start=1)]
    read_ = _rows(_drawn(tmp_path, _table([HEADER, *rows])))
    assert [row[0] for row in read_[1:]] == [name or f"middel {n}" for n, name in enumerate(names, start=1)]


def test_tables_beside_each_other_do_not_run_into_one(tmp_path: Path) -> None:
    one, two = (
        _table([["Kind", "Dosis"], [f"{w} kg", f"{w} mg"], [f"{w + 1} kg", f"{w + 1} mg"]], *GRID, widths=[60, 60])
        for w in (4, 8)
    )
    outer = Table([[one, two]], colWidths=[180, 180])
    assert _rows(_drawn(tmp_path, outer)) == [
        ["Kind", "Dosis"],
        ["4 kg", "4 mg"],
        ["5 kg", "5 mg"],
        ["Kind", "Dosis"],
        ["8 kg", "8 mg"],
        ["9 kg", "9 mg"],
    ]


def test_words_beside_a_table_between_the_rules_of_a_page_are_none_of_its_rows(tmp_path: Path) -> None:
    table = _table([HEADER, *WHOLE], *GRID, widths=[70, 80, 60, 80])
    page = Table(
        [[table, "Bel 5555 bij twijfel"]],
        colWidths=[310, 130],
        style=TableStyle([("LINEABOVE", (0, 0), (-1, 0), 1, colors.black)]),
    )
    assert _rows(_drawn(tmp_path, page)) == [HEADER, *WHOLE]


WEIGHTS = ("5 kg", "10 kg", "20 kg", "30 kg")


def test_rows_that_no_rule_parts_are_not_one(tmp_path: Path) -> None:
    doses = ("75 mg", "150 mg", "300 mg", "450 mg")
    body = ["\n".join(WEIGHTS), "\n".join(["paracetamol"] * 4), "\n".join(doses), "\n".join(["om de 6 uur"] * 4)]
    read_ = _rows(_drawn(tmp_path, _table([HEADER, body], *GRID)))
    assert read_[1:] == [
        [weight, "paracetamol", dose, "om de 6 uur"] for weight, dose in zip(WEIGHTS, doses, strict=True)
    ]


def test_a_row_whose_cells_all_wrap_is_one(tmp_path: Path) -> None:
    body = [
        "kind van 5 tot\n10 jaar en meer\ndan 20 kg zwaar",
        "paracetamol als\nsiroop of anders\neen zetpil",
        "150 mg en 15\nmg per kilogram\nper keer",
        "elke 6 uur, niet\nmeer dan vier\nkeer per dag",
    ]
    read_ = _rows(_drawn(tmp_path, _table([HEADER, body], *GRID, widths=[80, 85, 85, 85])))
    assert len(read_) == 2


def test_areas_that_lie_on_each_other_are_a_drawing_and_no_cells() -> None:
    """Every one of half stands beside every one of the other half: comparing all these pairs would
    take all memory."""
    shift = np.linspace(0, 0.5, 500)
    left, right = (np.column_stack([x0 + shift, 0 * shift, x0 + 50 + shift, 20 + 0 * shift]) for x0 in (0, 50))
    across, down = edges_of_cells(np.concatenate([left, right]).astype(np.float32))
    assert len(across) == len(down) == 0
    same = np.tile(np.array([(0, 0, 50, 20), (50, 0, 99, 20), (0, 20, 50, 40), (50, 20, 99, 40)], np.float32), (200, 1))
    assert {float(x) for x in edges_of_cells(same)[1][:, 2]} == {0.0, 50.0, 99.0}
