"""A table whose rows nobody can be sure of is found by its words and never quoted; prose, lists and
rows that are sure are quoted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import Note, ReadDocument, code_of
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf, write

pytestmark = pytest.mark.quick

ROWS = (
    (
        "salbutamol",
        "2,5 mg per vernevelaar bij een kind onder de vijf jaar",
        "herhaal elke twintig minuten zolang het piept",
    ),
    (
        "ipratropium",
        "250 microgram per vernevelaar, samen met het eerste middel",
        "herhaal hoogstens drie keer in het eerste uur",
    ),
    (
        "prednisolon",
        "1 mg per kg lichaamsgewicht, opgelost in water of sap",
        "een keer per dag, drie tot vijf dagen lang",
    ),
    ("magnesium", "40 mg per kg in twintig minuten, onder bewaking", "niet herhalen zonder overleg met de intensivist"),
)
PROSE = (
    "De verpleegkundige meet bij aankomst de temperatuur, de pols en de bloeddruk en noteert ze in het dossier. Is er "
    "koorts, dan "
    "volgt een bloedkweek voordat het eerste antibioticum wordt gegeven. Wacht daar nooit langer dan een uur mee."
)
TITLE = "Benauwdheid bij kinderen"
INTRO = "De arts kiest de dosis naar het gewicht van het kind en noteert haar."
AT, WIDTH, LEADING, ROW = (60, 170, 370), (90, 150, 150), 11, 40


def _cell(x: float, y: float, width: float, words: str) -> Draw:
    return lines(*simpleSplit(words, "Helvetica", 9, width), x=x, y=y, size=9, leading=LEADING)


def _column(n: int) -> Draw:
    return both(*(_cell(AT[n], 640 - ROW * k, WIDTH[n], row[n]) for k, row in enumerate(ROWS)))


def _prose(x: float, width: float, top: float = 640) -> Draw:
    words = simpleSplit(" ".join([PROSE] * 4), "Helvetica", 9, width)
    return lines(*words, x=x, y=top, size=9, leading=LEADING)


def _listed(x: float, first: int) -> Draw:
    """A numbered list whose items hang."""

    def draw(canvas: Canvas) -> None:
        y = 640.0
        canvas.setFont("Helvetica", 9)
        for n in range(first, first + 12):
            canvas.drawString(x, y, f"{n}")
            words = " ".join(PROSE.split()[n % 5 : n % 5 + 9 + n % 7])
            for line in simpleSplit(words, "Helvetica", 9, 190):
                canvas.drawString(x + 20, y, line)
                y -= LEADING

    return draw


def _read(folder: Path, *drawn: Draw) -> ReadDocument:
    path = write(folder, "page.pdf", pdf(both(lines(TITLE, size=16, y=720), lines(INTRO, y=690), *drawn)))
    return read(path, path.name, PDF, max_pages=2)


def _quoted(document: ReadDocument) -> str:
    quotes = [one for one in quotable(document.text, document.blocks) if is_certain(one, document.uncertain)]
    return "\n".join(document.text[a:b] for one in quotes for a, b in (*one.lead, (one.start, one.end)))


@pytest.mark.parametrize("order", [(2, 1, 0), (1, 0, 2)], ids=["from right to left", "the middle first"])
def test_a_table_drawn_by_columns_is_found_and_never_quoted(order: Sequence[int], tmp_path: Path) -> None:
    document = _read(tmp_path, *map(_column, order))
    found, quoted = set(document.text.split()), _quoted(document)
    words = {word for row in ROWS for cell in row for word in cell.split() if word not in (TITLE + INTRO).split()}
    assert words <= found
    assert not [word for word in words if word in quoted.split()]
    assert INTRO in quoted
    told = [note for note in document.warnings if isinstance(note, Note)]
    assert [note.values["pages"] for note in told if code_of(note) == "page_uncertain_rows"] == ["1"]


@pytest.mark.parametrize(
    "drawn",
    [
        (_prose(60, 220), _prose(310, 220)),
        (_prose(60, 150), _prose(225, 150, 634), _prose(390, 150)),
        (_listed(60, 85), _listed(310, 101)),
    ],
    ids=["two columns", "three columns", "lists"],
)
def test_columns_of_prose_and_lists_are_quoted(drawn: Sequence[Draw], tmp_path: Path) -> None:
    assert _read(tmp_path, *drawn).uncertain == ()


def test_rows_that_are_sure_are_quoted(tmp_path: Path) -> None:
    by_rows = [_cell(AT[n], 640 - ROW * k, WIDTH[n], cell) for k, row in enumerate(ROWS) for n, cell in enumerate(row)]
    document = _read(tmp_path, *by_rows)
    assert document.uncertain == ()
    assert all("\t".join(row) in _quoted(document) for row in ROWS)
