"""A table's caption that is set as a heading heads the table, and nothing behind it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf, write

pytestmark = pytest.mark.quick

_BOLD = "Helvetica-Bold"
_SECTION = "Feeding at night"
_FIRST, _SECOND = "Table 1: Who is fed by tube", "Table 2: Who is fed by mouth"
_INSIDE = "Those who cannot swallow."
_BEHIND = "Ask the dietician before you change the feed."


def _rules(*rules: tuple[float, float, float]) -> Draw:
    """From, to, and how high each stands."""

    def draw(canvas: Canvas) -> None:
        for x0, x1, y in rules:
            canvas.line(x0, y, x1, y)

    return draw


def _all(*drawn: Draw) -> Draw:
    def draw(canvas: Canvas) -> None:
        for one in drawn:
            one(canvas)

    return draw


def _section(words: str = _SECTION) -> Draw:
    text = "The tube is rinsed before and after each feed, by who gives it."
    return both(lines(words, size=18, y=790, font=_BOLD), lines(text, "Then it is closed.", y=760))


def _table(caption: str, y: float, *foot: tuple[float, float]) -> Draw:
    """Between rules at the caption and below its two lines: the last whole, or in pieces."""
    above = lines(caption, size=13, y=y, font=_BOLD)
    rules = _rules((55, 400, y + 14), (55, 400, y - 6), *((x0, x1, y - 50) for x0, x1 in foot or [(55, 400)]))
    return _all(above, rules, lines(_INSIDE, "Those who vomit.", y=y - 20, size=10))


def _over(folder: Path, *pages: Draw) -> dict[str, list[str]]:
    """What may be quoted, each with the headings above it."""
    path = write(folder, "page.pdf", pdf(*pages))
    document = read(path, path.name, PDF, max_pages=9)
    text = document.text
    return {
        text[q.start : q.end].strip(): [text[a:b].strip() for a, b in q.path] for q in quotable(text, document.blocks)
    }


_BEFORE: Sequence[Draw] = (_section(), _table(_FIRST, 700))


@pytest.mark.parametrize(
    "pages",
    [
        [_all(*_BEFORE, lines(_BEHIND, y=600))],
        [_all(*_BEFORE, lines(_BEHIND, x=420, y=700, size=8))],
        [_all(*_BEFORE), lines(_BEHIND)],
        [_all(_section(), _table(_FIRST, 700, (55, 200), (206, 400)), lines(_BEHIND, y=600))],
    ],
    ids=["below", "beside", "on the next page", "below a rule in pieces"],
)
def test_what_stands_behind_a_table_is_headed_by_its_section_alone(pages: Sequence[Draw], tmp_path: Path) -> None:
    over = _over(tmp_path, *pages)
    assert over[_BEHIND] == [_SECTION]
    assert over[_INSIDE] == [_SECTION, _FIRST]


def test_a_table_ends_where_the_next_one_begins(tmp_path: Path) -> None:
    """No rule tells where the first one does."""
    first = _all(lines(_FIRST, size=13, y=700, font=_BOLD), lines("Those who sleep.", y=680, size=10))
    over = _over(tmp_path, _all(_section(), first, _table(_SECOND, 640), lines(_BEHIND, y=540)))
    assert (over["Those who sleep."], over[_INSIDE]) == ([_SECTION, _FIRST], [_SECTION, _SECOND])
    assert over[_BEHIND] == [_SECTION]


@pytest.mark.parametrize("moved", [0, 40])  # where pages are printed on both sides
def test_a_table_goes_on_over_the_page_with_its_caption(moved: float, tmp_path: Path) -> None:
    def rows(*names: str, y: float, x: float = 0) -> Draw:
        drawn = []
        for n, name in enumerate(names):
            below = y - 24 * n
            drawn += [_rules((55 + x, 400 + x, below + 16), (55 + x, 400 + x, below - 8))]
            drawn += [lines(name, x=60 + x, y=below), lines(f"{n} ml", x=250 + x, y=below)]
        return _all(*drawn)

    head = _all(lines(_FIRST, size=13, y=700, font=_BOLD), _rules((55, 400, 716)))
    first = _all(_section(), head, rows("Weight", "small child", "large child", y=670))
    second = _all(rows("adult", "old person", y=780, x=moved), lines(_BEHIND, y=600))
    over = _over(tmp_path, first, second)
    assert over["old person\t1 ml"] == over["small child\t1 ml"] == [_SECTION, _FIRST]
    assert over[_BEHIND] == [_SECTION]


def test_a_rule_that_all_pages_bear_ends_no_section(tmp_path: Path) -> None:
    page = _rules((55, 400, 60))
    part = _all(lines("Part 1 Feeding", size=18, y=790, font=_BOLD), _rules((55, 400, 808), (55, 400, 780)))
    pages = [_all(part, page, lines("Rinse the tube.", y=750)), both(page, lines(_BEHIND)), both(page, lines("Stop."))]
    assert _over(tmp_path, *pages)[_BEHIND] == ["Part 1 Feeding"]


def _leads(folder: Path, *drawn: Draw) -> dict[str, list[str]]:
    """What may be quoted, each with what must be read before it."""
    path = write(folder, "page.pdf", pdf(_all(*drawn)))
    document = read(path, path.name, PDF, max_pages=9)
    text = document.text
    return {
        text[q.start : q.end].strip(): [text[a:b].strip() for a, b in q.lead] for q in quotable(text, document.blocks)
    }


def test_lines_that_are_all_of_a_table_are_not_quoted_without_its_caption(tmp_path: Path) -> None:
    leads = _leads(tmp_path, *_BEFORE, lines(_BEHIND, y=600))
    assert (leads[_INSIDE], leads[_BEHIND]) == ([_FIRST], [])


@pytest.mark.parametrize("framed", [True, False])
def test_lines_between_a_caption_and_its_rows_keep_neither_from_it_in_one_frame(framed: bool, tmp_path: Path) -> None:
    """Where nothing is drawn around them, the caption may be a figure's."""

    def frame(canvas: Canvas) -> None:
        canvas.setFillGray(0.9)
        canvas.rect(50, 560, 350, 170, stroke=0, fill=framed)
        canvas.setFillGray(0)
        canvas.grid([55, 165, 275, 385], [604, 628, 652, 676])

    caption, line = "Table 3. Oxygen in severe illness", "Begin with a mask at 15 litres."
    rows = ("Illness", "Device", "Goal"), ("asthma", "mask", "94 to 98"), ("sepsis", "mask", "92 to 96")
    cells = [lines(cell, x=60 + 110 * k, y=660 - 24 * n) for n, one in enumerate(rows) for k, cell in enumerate(one)]
    above = _section(), lines("How much of it", size=18, y=735, font=_BOLD)
    leads = _leads(tmp_path, *above, frame, lines(caption, y=715), lines(line, y=690), *cells, lines(_BEHIND, y=500))
    assert [caption in leads[words] for words in (line, "asthma\tmask\t94 to 98")] == [framed, framed]
    assert caption not in leads[_BEHIND]


def test_a_line_set_deeper_in_such_a_table_is_not_quoted(tmp_path: Path) -> None:
    """It may be for another of its lines alone: "Not for these:"."""
    page = _all(*_BEFORE, lines("Bleeding in the stomach", x=80, y=656, size=10), lines(_BEHIND, y=600))
    path = write(tmp_path, "page.pdf", pdf(page))
    document = read(path, path.name, PDF, max_pages=9)
    text, doubt = document.text, document.uncertain
    sure = {text[q.start : q.end].strip() for q in quotable(text, document.blocks) if is_certain(q, doubt)}
    assert _INSIDE in sure
    assert not any("Bleeding" in words for words in sure)


@pytest.mark.parametrize("second", ["Table 2. Children", "Give 30 mg at once."])
def test_the_first_of_two_captions_in_one_frame_does_not_head_what_is_below_the_second(
    second: str, tmp_path: Path
) -> None:
    def frame(canvas: Canvas) -> None:
        canvas.setFillGray(0.9)
        canvas.rect(50, 540, 350, 190, stroke=0, fill=1)
        canvas.setFillGray(0)
        canvas.grid([55, 165, 275, 385], [570, 594, 618])

    rows = ("Illness", "Device", "Goal"), ("asthma", "mask", "94 to 98")
    cells = [lines(cell, x=60 + 110 * k, y=602 - 24 * n) for n, one in enumerate(rows) for k, cell in enumerate(one)]
    first, child = "Table 1. Adults", "Give 60 mg for each kilo."
    said = (first, 715), ("Give 1000 mg every six hours.", 695), (second, 660), (child, 640)
    above = _section(), lines("How much of it", size=18, y=735, font=_BOLD)
    behind = lines(_BEHIND, y=500)
    leads = _leads(tmp_path, *above, frame, *(lines(words, y=y) for words, y in said), *cells, behind)
    headed = second.startswith("Give")  # there is but one caption
    assert [first in leads[words] for words in (child, "asthma\tmask\t94 to 98")] == [headed, headed]
