"""A sentence goes on where a bracket in it is still open, however short its line is."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_api.ingest.readers.read import PDF, read
from tests.rag_api.made_files.pdfs import both, lines, pdf, write

pytestmark = pytest.mark.quick

_WIDE = "De verpleegkundige noteert het uur van de gift en de pijn een half uur daarna."


@pytest.mark.parametrize(
    ("one", "two", "goes_on"),
    [
        ("Geef dan midazolam (5 mg", "IM) of haloperidol.", True),
        ("Geef dan midazolam (5 mg)", "IM of haloperidol.", False),
        ("Geef dan midazolam (5 mg", "IM of haloperidol.", False),
        ("Geef dan midazolam (5 mg", "\u2022 IM) of haloperidol.", False),
    ],
)
def test_a_line_that_closes_a_bracket_goes_on_with_the_one_that_opened_it(
    one: str, two: str, goes_on: bool, tmp_path: Path
) -> None:
    page = both(lines(*[_WIDE] * 4, y=760), lines(one, two, y=660))
    path = write(tmp_path, "page.pdf", pdf(page))
    text = read(path, path.name, PDF, max_pages=2).text
    assert (f"{one} {two}" in text) == goes_on


@pytest.mark.parametrize(
    ("last", "together"),
    [("See the caution for all under 55)-400 mg/day", True), ("See the caution for all under 55", False)],
    ids=["closed", "never closed"],
)
def test_sentences_in_a_bracket_are_of_one_paragraph(last: str, together: bool, tmp_path: Path) -> None:
    """The last line says a dose, and the first of which drug it is."""
    told = ("\u2022 Valproate (in men over the age of 55.", "Specialists begin with it.", last)
    page = both(lines(*[_WIDE] * 4, y=760), lines(*told, y=660))
    path = write(tmp_path, "page.pdf", pdf(page))
    text = read(path, path.name, PDF, max_pages=2).text
    assert (" ".join(told) in text) == together
