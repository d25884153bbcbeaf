"""A page says the same in whatever order a program draws it: raised marks, cells between rules,
lines; else none of it is quoted.

Some orders in every run; `pytest tests/rag_api/ingest/layout/test_any_order.py --mutated 500` draws
as many.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import ReadDocument, code_of
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain
from tests.rag_api.made_files.pdfs import Draw, pdf, wrapped, write


@dataclass(frozen=True)
class Drawn:
    x: float
    y: float
    text: str
    font: str = "Helvetica"
    size: float = 10
    mark: bool = False

    def parts(self, cuts: Sequence[int]) -> list[Drawn]:
        """Itself in pieces that begin at these letters, each where it stands."""
        ends = [*cuts[1:], len(self.text)]
        return [
            replace(self, x=self.x + stringWidth(self.text[:a], self.font, self.size), text=self.text[a:b].strip())
            for a, b in zip(cuts, ends, strict=True)
            if self.text[a:b].strip()
        ]


@dataclass(frozen=True)
class Page:
    drawn: list[Drawn]
    across: Sequence[float] = ()  # rules of a table


_PROSE = (
    "De verpleegkundige meet bij aankomst de temperatuur, de pols en de bloeddruk en noteert ze in het dossier. Geef "
    "7 mg/kg traag bij "
    "koorts boven 38,5 graden, ten hoogste 400 mg. Wacht daar nooit langer dan een uur mee."
)
_ROWS = (
    ("Middel", "Dosis", "Tijd", "Weg"),
    ("Paracetamol", "15 mg/kg, ten hoogste vier keer op een dag", "om de 6 uur", "oraal"),
    ("Ibuprofen", "7 mg/kg", "om de 8 uur, bij of na het eten", "oraal"),
    ("Morfine", "0,1 mg/kg, traag en met toezicht", "om de 4 uur", "in de ader"),
    ("Ketamine", "1 mg/kg", "eenmalig, en alleen op de spoed", "in de ader"),
)
_ITEMS = (
    "Meet de temperatuur en de pols en noteer beide in het dossier, ook als er geen koorts is.",
    "Geef 7 mg/kg ibuprofen, en bel daarna de arts.",
    "Bel de arts bij 38,5 graden.",
)
_AT, _WIDTH, _EDGES = (60, 150, 300, 440), (80, 130, 120, 100), (55, 145, 295, 435, 540)
_TITLE = Drawn(60, 780, "Pijn bij kinderen", "Helvetica-Bold", 16)


def _with_marks(lines: list[Drawn], sign: str = "1") -> list[Drawn]:
    """A footnote's mark behind each dose."""
    found: list[Drawn] = []
    for line in lines:
        found.append(line)
        if "mg/kg" in line.text:
            end = line.text.index("mg/kg") + len("mg/kg")
            found.append(
                Drawn(
                    line.x + stringWidth(line.text[:end], line.font, line.size),
                    line.y + 4,
                    sign,
                    line.font,
                    6.5,
                    mark=True,
                )
            )
    return found


def _lines(words: str, x: float, y: float, width: float) -> list[Drawn]:
    return [Drawn(x, y - 12 * n, line) for n, line in enumerate(wrapped(words, width, 10))]


def prose() -> Page:
    return Page([_TITLE, *_with_marks(_lines(f"{_PROSE} {_PROSE}", 60, 740, 480))])


def two_columns() -> Page:
    return Page(
        [_TITLE, *(line for x in (60, 320) for line in _with_marks(_lines(f"{_PROSE} {_PROSE}", x, 740, 220), "2"))]
    )


def a_list() -> Page:
    drawn, y = [_TITLE], 740.0
    for number, words in enumerate(_ITEMS, start=1):
        lines = _lines(words, 80, y, 300)
        drawn += [Drawn(60, y, f"{number}."), *_with_marks(lines, "-12")]
        y -= 12 * len(lines) + 4
    return Page([*drawn, *_lines(_PROSE, 60, y - 20, 480)])


def a_table(rules: bool) -> Page:
    drawn, y = [_TITLE, *_lines(_PROSE, 60, 740, 480)], 600.0
    across = [y + 14]
    for n, row in enumerate(_ROWS):
        font = "Helvetica" if n else "Helvetica-Bold"
        cells = [wrapped(cell, width, 10, font) for cell, width in zip(row, _WIDTH, strict=True)]
        placed = [
            Drawn(x, y - 12 * k, line, font) for x, cell in zip(_AT, cells, strict=True) for k, line in enumerate(cell)
        ]
        drawn += _with_marks(placed)
        y -= 12 * max(map(len, cells)) + 8
        across.append(y + 14)
    return Page(drawn, across if rules else ())


def _with_rules() -> Page:
    return a_table(rules=True)


def _without_rules() -> Page:
    return a_table(rules=False)


_PAGES: tuple[Callable[[], Page], ...] = (prose, two_columns, a_list, _with_rules, _without_rules)
_IDS = [make.__name__.strip("_") for make in _PAGES]


def _draw(page: Page, drawn: Sequence[Drawn]) -> Draw:
    def draw(canvas: Canvas) -> None:
        if page.across:
            canvas.grid(list(_EDGES), list(page.across))
        for one in drawn:
            canvas.setFont(one.font, one.size)
            canvas.drawString(one.x, one.y, one.text)

    return draw


def _read(folder: Path, page: Page, drawn: Sequence[Drawn]) -> ReadDocument:
    path = write(folder, "page.pdf", pdf(_draw(page, drawn)))
    return read(path, path.name, PDF, max_pages=2)


def _quoted(document: ReadDocument) -> list[str]:
    quotes = [one for one in quotable(document.text, document.blocks) if is_certain(one, document.uncertain)]
    return ["".join(document.text[one.start : one.end].split()) for one in quotes]


def _orders(request: pytest.FixtureRequest) -> range:
    return range(max(2, request.config.getoption("--mutated") // (4 * len(_PAGES))))


@pytest.mark.quick
@pytest.mark.parametrize("make", _PAGES, ids=_IDS)
def test_raised_marks_stand_at_their_words_whenever_they_are_drawn(
    make: Callable[[], Page], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    page = make()
    document = _read(tmp_path, page, page.drawn)
    assert "mg/kg¹" in document.text or "mg/kg²" in document.text or "mg/kg⁻¹²" in document.text
    rest, marks = ([one for one in page.drawn if one.mark == mark] for mark in (False, True))
    for seed in _orders(request):
        randomly = random.Random(seed)
        letters = [part for one in marks for part in one.parts(range(len(one.text)))]
        randomly.shuffle(letters)
        first = [*letters, *rest] if seed % 2 else [*rest, *letters]
        again = _read(tmp_path, page, first)
        assert (again.text, again.blocks, again.uncertain) == (document.text, document.blocks, document.uncertain), seed


@pytest.mark.quick
def test_cells_between_rules_are_whole_in_whatever_order_their_lines_are_drawn(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    page = _with_rules()
    document = _read(tmp_path, page, page.drawn)
    above, table = ([one for one in page.drawn if (one.y > 620) == high] for high in (True, False))
    for seed in _orders(request):
        random.Random(seed).shuffle(table)
        again = _read(tmp_path, page, [*above, *table])
        assert again.text == document.text, seed


@pytest.mark.quick
@pytest.mark.parametrize("unit", ["lines", "words", "letters"])
@pytest.mark.parametrize("make", _PAGES, ids=_IDS)
def test_what_is_drawn_in_no_order_is_never_quoted_otherwise(
    make: Callable[[], Page], unit: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    page = make()
    quoted = "".join(_quoted(_read(tmp_path, page, page.drawn)))
    drawn = []
    for one in page.drawn:
        begins = [0, *(n + 1 for n, sign in enumerate(one.text) if sign == " ")]
        drawn += one.parts({"lines": [0], "words": begins, "letters": range(len(one.text))}[unit])
    for seed in _orders(request):
        random.Random(seed).shuffle(drawn)
        document = _read(tmp_path, page, drawn)
        assert [one for one in _quoted(document) if one not in quoted] == [], (seed, document.text)
        assert "page_unaccounted" not in map(code_of, document.warnings)


@pytest.mark.quick
@pytest.mark.parametrize("make", _PAGES, ids=_IDS)
def test_letters_that_are_drawn_one_by_one_are_read_as_words(make: Callable[[], Page], tmp_path: Path) -> None:
    page = make()
    letters = [part for one in page.drawn for part in one.parts(range(len(one.text)))]
    found = _read(tmp_path, page, letters).text
    assert re.sub(r" (?=[⁻¹²])", "", found) == _read(tmp_path, page, page.drawn).text


def test_the_pages_that_are_drawn_in_order_are_quoted(tmp_path: Path) -> None:
    for make in _PAGES:
        page = make()
        assert _read(tmp_path, page, page.drawn).uncertain == ()


@pytest.mark.quick
def test_two_footers_a_word_apart_are_not_said_to_be_in_no_order(tmp_path: Path) -> None:
    """They are cut, so nobody reads the one after the other; of the same words amid the text it is
    said."""
    words = "Ziekenhuis De Wiel, alle rechten voorbehouden, zie de voor-"
    aside = 40 + stringWidth(words, "Helvetica", 8) + 2

    def feet(y: float, number: int) -> list[Drawn]:
        left = [Drawn(40, y, words, size=8), Drawn(40, y - 10, "waarden op de website.", size=8)]
        return [*left, Drawn(aside, y, "Bladzijde", size=8), Drawn(aside, y - 10, str(number), size=8)]

    def noted(y: float) -> bool:
        pages = [
            _draw(page, [*page.drawn, *feet(y, n)])
            for n, page in enumerate([prose(), a_list(), two_columns()], start=1)
        ]
        path = write(tmp_path, "pages.pdf", pdf(*pages))
        return "page_no_order" in map(code_of, read(path, path.name, PDF, max_pages=5).warnings)

    assert not noted(40)
    assert noted(420)
