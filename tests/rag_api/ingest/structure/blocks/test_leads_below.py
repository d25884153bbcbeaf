"""A heading that stands below what was drawn after it heads nothing: that is opened as a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain
from tests.rag_api.made_files.pdfs import Draw, both, handbook_document, lines, pdf, write

pytestmark = pytest.mark.quick

_HEADING = "Children under five years"
_ITEMS = ("\u2022 Give 10 mg twice a day.", "\u2022 Give 20 mg at night.")
_TEXT = ("The ward keeps this card beside the bed and reads it out before each dose.",) * 3


def _page(heading: float, items: float) -> Draw:
    page = both(lines("Doses on the ward", size=20, y=800), lines(*_TEXT, y=770))
    page = both(page, both(lines(*_TEXT, y=400), lines(_HEADING, font="Helvetica-Bold", size=14, y=heading)))
    return both(both(page, lines(*_ITEMS, y=items)), lines(*_TEXT, y=150))


@pytest.mark.parametrize(
    ("heading", "items", "certain"), [(320, 290, True), (320, 640, False)], ids=["below it", "above it"]
)
def test_what_stands_above_its_heading_is_not_quoted(
    heading: float, items: float, certain: bool, tmp_path: Path
) -> None:
    path = write(tmp_path, "page.pdf", pdf(_page(heading, items)))
    document = read(path, path.name, PDF, max_pages=2)
    quotes = [
        quote
        for quote in quotable(document.text, document.blocks)
        if document.text[quote.start : quote.end].strip() in _ITEMS
    ]
    led = [_HEADING in [document.text[a:b].strip() for a, b in quote.lead] for quote in quotes]
    assert (len(quotes), all(led)) == (2, True)
    assert [is_certain(quote, document.uncertain) for quote in quotes] == [certain] * 2


@pytest.mark.parametrize("name", ["massieve-transfusie.pdf", "resuscitation-team.pdf"])
def test_what_goes_on_at_the_top_of_the_next_page_is_below_its_heading(name: str) -> None:
    assert not handbook_document(name).uncertain
