"""Titles of boxes: what stands in a box is quoted with its own, and that with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf, write

pytestmark = pytest.mark.quick

_ADULTS, _CHILDREN = "Adults with a viral load", "Children with a viral load"
_FIRST, _SECOND = "Tenofovir and dolutegravir", "Abacavir and lamivudine"
_TEXT = tuple(f"Weigh everybody who is new here {when} first." for when in ("at noon", "at night", "at dawn"))
_LAST = "Change both when the load rises"


def _box(title: str, y: float, *words: tuple[str, float, str], gap: float = 0, wider: float = 0) -> Draw:
    """A bar with a title, and a box below it: the white between, and how much wider it is."""

    def draw(canvas: Canvas) -> None:
        canvas.setFillGray(0.85)
        canvas.rect(60, y, 300, 24, stroke=0, fill=1)
        canvas.setFillGray(0)
        canvas.setFont("Helvetica", 15)
        canvas.drawString(70, y + 7, title)
        foot = y - gap - 22 * len(words) - 10
        canvas.rect(60, foot, 300 + wider, y - gap - foot)
        for n, (text, size, font) in enumerate(words, start=1):
            canvas.setFont(font, size)
            canvas.drawString(70, y - gap - 22 * n, text)

    return draw


def _over(folder: Path, *drawn: Draw) -> dict[str, list[str]]:
    page = both(lines("Medicines for each group", size=20, y=800), lines(*_TEXT, y=770))
    for one in drawn:
        page = both(page, one)
    path = write(folder, "card.pdf", pdf(both(page, lines("Call the doctor in doubt.", y=300))))
    document = read(path, path.name, PDF, max_pages=2)
    text = document.text
    return {
        text[q.start : q.end].strip(): [" ".join(text[a:b].split()) for a, b in (*q.path, *q.lead)]
        for q in quotable(text, document.blocks)
    }


def test_a_bar_right_above_a_box_is_the_title_of_that_box_alone(tmp_path: Path) -> None:
    plain = "Helvetica"
    adults = _box(_ADULTS, 700, (f"{_FIRST}.", 10, plain), ("Every day.", 10, plain))
    over = _over(tmp_path, adults, _box(_CHILDREN, 500, (f"{_SECOND}.", 10, plain), ("Never more.", 10, plain)))
    titles = {_ADULTS, _CHILDREN}
    assert titles.intersection(over[f"{_FIRST}."]) == {_ADULTS}
    assert titles.intersection(over[f"{_SECOND}."]) == {_CHILDREN}
    assert titles.isdisjoint(over["Call the doctor in doubt."])


def test_what_ends_a_box_heads_nothing_and_is_quoted(tmp_path: Path) -> None:
    """However large it is."""
    bold = "Helvetica-Bold"
    adults = _box(_ADULTS, 700, (_FIRST, 14, bold))
    children = _box(_CHILDREN, 500, (_SECOND, 14, bold), ("Count the tablets.", 10, "Helvetica"), (_LAST, 14, bold))
    over = _over(tmp_path, adults, children)
    assert _ADULTS in over[_FIRST]
    assert _CHILDREN in over[_LAST]
    assert _SECOND in over["Count the tablets."]


def test_a_box_of_titles_alone_holds_nothing_that_is_quoted(tmp_path: Path) -> None:
    bold = "Helvetica-Bold"
    over = _over(tmp_path, _box(_ADULTS, 700, (_FIRST, 14, bold), (_SECOND, 20, bold), gap=40))
    assert not {_FIRST, _SECOND} & {*over}


@pytest.mark.parametrize("how", [{"gap": 12.0}, {"wider": 40.0}], ids=["apart", "wider"])
def test_a_bar_elsewhere_is_not_the_title_of_a_box(how: dict[str, float], tmp_path: Path) -> None:
    words = ((f"{_FIRST}.", 10.0, "Helvetica"), ("Never more.", 10.0, "Helvetica"))
    assert _ADULTS not in _over(tmp_path, _box(_ADULTS, 700, *words, **how))[f"{_FIRST}."]


@pytest.mark.parametrize("bold", [False, True])  # a further line, which may be another title
def test_the_only_bold_line_of_a_box_titles_it_though_a_colon_ends_it(bold: bool, tmp_path: Path) -> None:
    title, item, text = (
        "First doses when calm is needed soon:",
        "• Ketamine 4 mg/kg",
        "Midazolam may be given in place.",
    )

    def box(canvas: Canvas) -> None:
        canvas.rect(60, 500, 300, 120)
        for words, y, heavy in ((title, 600, True), (item, 576, False), (text, 540, False), ("Then wait.", 516, bold)):
            canvas.setFont("Helvetica-Bold" if heavy else "Helvetica", 11)
            canvas.drawString(70, y, words)

    over = _over(tmp_path, box)
    assert [title in over[words] for words in (item, text)] == [True, not bold]
    assert title not in over["Call the doctor in doubt."]


def test_a_second_title_in_a_box_is_not_headed_by_the_first(tmp_path: Path) -> None:
    def box(canvas: Canvas) -> None:
        canvas.rect(60, 500, 300, 120)
        for words, y, heavy in (("Adults:", 600, True), ("500 mg each.", 576, False), ("Children:", 552, False)):
            canvas.setFont("Helvetica-Bold" if heavy else "Helvetica", 11)
            canvas.drawString(70, y, words)
        canvas.drawString(70, 528, "15 mg for each kilo.")

    over = _over(tmp_path, box)
    assert "Adults:" not in over["15 mg for each kilo."]
