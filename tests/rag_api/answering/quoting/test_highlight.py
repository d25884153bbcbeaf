"""A highlight must cover the quoted words and nothing else: checked by asking PDFium which text
lies under it."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2 as pdfium
import pytest

from rag_api.answering.quoting.highlight import page_of, rects
from rag_api.domain import Page, PageRects
from rag_api.ingest.common.boxed_text import no_boxes
from rag_api.ingest.pdf.page_transform import PagePlane
from rag_api.ingest.readers.read import PDF, read
from tests.rag_api.ingest.readers.test_read_pdf import sideways, turned
from tests.rag_api.made_files.pdfs import HANDBOOK, lines, pdf, read_handbook, write

SENTENCE = re.compile(r"[^\n]+?(?:[.!?](?=\s)|$|(?=\n))")
NARROW = 0.5  # points that a probe is narrower than the rectangle, so that neighbours do not count as touched
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")


class Shown:
    """A PDF as displayed: which text lies under rectangles of page space."""

    def __init__(self, path: Path) -> None:
        self.document = pdfium.PdfDocument(path)
        self.pages: dict[int, Any] = {}

    def text_under(self, found: Sequence[PageRects]) -> str:
        return "".join(self._under(one.page, rect) for one in found for rect in one.rects)

    def _under(self, number: int, rect: Any) -> str:
        if number not in self.pages:
            page = self.document[number - 1]
            self.pages[number] = (page, page.get_textpage(), PagePlane(page.raw))
        _, text, plane = self.pages[number]
        wide = rect.x1 - rect.x0 >= rect.y1 - rect.y0
        thin = 0.1 * (rect.y1 - rect.y0 if wide else rect.x1 - rect.x0)
        dx, dy = (NARROW, thin) if wide else (thin, NARROW)
        return str(text.get_text_bounded(*user_box(plane, rect.x0 + dx, rect.y0 + dy, rect.x1 - dx, rect.y1 - dy)))


def user_box(plane: PagePlane, x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
    """Return a box of page space in user space: left, bottom, right, top."""
    corners = (np.array([[x0, y0], [x1, y1]]) - plane.origin) @ np.linalg.inv(plane.matrix).T
    (left, bottom), (right, top) = corners.min(axis=0), corners.max(axis=0)
    return float(left), float(bottom), float(right), float(top)


def letters(text: str) -> str:
    """What must be equal: everything but white space, hyphens, of which those at line ends are not
    quoted, and bullets, which are signs of a symbol font to PDFium. A figure that stands raised is
    one: PDFium gives the plain one."""
    return re.sub(r"[\s\x02\ufffe•\ue000-\uf8ff-]+", "", text.translate(RAISED))


def sentences(pages: Sequence[Page]) -> list[tuple[int, int]]:
    text = "".join(page.text for page in pages)
    return [found.span() for found in SENTENCE.finditer(text) if letters(found.group())]


def test_the_words_under_every_highlight_of_the_handbook_are_the_quoted_ones() -> None:
    """Every sentence and table row of every document: rotated, landscape, two columns, over page
    borders."""
    wrong, total, turned_pages, crossing, columns = [], 0, set(), 0, 0
    for name, document in read_handbook().items():
        shown = Shown(HANDBOOK / name)
        for start, end in sentences(document.pages):
            found = rects(document.pages, start, end)
            quote = document.text[start:end]
            total += 1
            crossing += len(found) > 1
            turned_pages |= {
                (one.page, name)
                for one in found
                if document.pages[one.page - 1].width > document.pages[one.page - 1].height
            }
            columns += any(one.x0 > 300 and one.x1 < 560 for page in found for one in page.rects)
            if letters(shown.text_under(found)) != letters(quote):
                wrong.append((name, quote, shown.text_under(found)))
    assert wrong == []
    assert total > 1000
    assert turned_pages
    assert crossing
    assert columns


def test_every_judged_answer_is_found_on_its_page_and_can_be_highlighted() -> None:
    """The judged set's spans, with any white space between their words: a table row has tabs where
    a judge typed spaces."""
    shown_as = cache(Shown)
    with (HANDBOOK.parent / "judged.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["document"]]
    wrong = []
    for row in rows:
        document, shown = read_handbook()[row["document"]], shown_as(HANDBOOK / row["document"])
        found = re.search(r"\s+".join(map(re.escape, row["span"].split())), document.text)
        drawn = rects(document.pages, *found.span()) if found else ()
        if (
            not found
            or page_of(document.pages, found.start()) != int(row["page"])
            or letters(shown.text_under(drawn)) != letters(found.group())
        ):
            wrong.append((row["id"], row["document"], row["span"]))
    assert wrong == []
    assert len(rows) >= 90


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (20, 20, 590, 830)])
def test_highlights_are_exact_on_turned_and_cropped_pages(tmp_path: Path, rotation: int, crop: Any) -> None:
    texts = (
        "De eerste zin staat op de pagina en loopt door op",
        "de tweede regel. Dan komt de tweede zin, met",
        "7,5 mg/kg.",
    )
    path = write(tmp_path, "proef.pdf", turned(pdf(lines(*texts, x=60, y=700), sideways), rotation, crop))
    document, shown = read(path, path.name, PDF, 10), Shown(path)
    spans = sentences(document.pages)
    assert len(spans) == 4
    for start, end in spans:
        found = rects(document.pages, start, end)
        assert letters(shown.text_under(found)) == letters(document.text[start:end])


def test_one_word_is_one_rectangle_around_it(tmp_path: Path) -> None:
    path = write(tmp_path, "proef.pdf", pdf(lines("Geef 7,5 mg/kg per gift.", x=60, y=700)))
    document = read(path, path.name, PDF, 10)
    start = document.text.index("7,5")
    ((page, (rect,)),) = [(one.page, one.rects) for one in rects(document.pages, start, start + len("7,5 mg/kg "))]
    assert page == 1
    assert Shown(path).text_under(rects(document.pages, start, start + len("7,5 mg/kg "))).split() == ["7,5", "mg/kg"]
    assert rect.y1 - rect.y0 < 16


def page(text: str, boxes: np.ndarray, number: int = 1, start: int = 0) -> Page:
    return Page(number, 595, 842, 0, start, text, boxes.astype(np.float32))


def row_of_boxes(text: str, y: float = 100, x: float = 0) -> np.ndarray:
    left = x + 10.0 * np.arange(len(text))
    boxes = np.column_stack([left, np.full(len(text), y), left + 10, np.full(len(text), y + 12)])
    boxes[[c.isspace() for c in text]] = np.nan
    return boxes


def test_a_character_without_a_place_leaves_the_whole_span_undrawn() -> None:
    boxes = row_of_boxes("bel de arts")
    boxes[4] = np.nan
    found = page("bel de arts", boxes)
    assert rects([found], 0, 11) == ()
    assert rects([found], 0, 3) != ()


def test_a_document_without_a_rendering_is_never_highlighted() -> None:
    assert rects([page("bel de arts", no_boxes(11))], 0, 11) == ()


def test_white_space_at_the_ends_draws_nothing() -> None:
    found = page(" bel \n", row_of_boxes(" bel \n"))
    ((rect,),) = [one.rects for one in rects([found], 0, 6)]
    assert (rect.x0, rect.x1) == (10, 40)
    assert rects([found], 4, 6) == ()


def test_cells_that_stand_apart_get_rectangles_of_their_own() -> None:
    text = "dosis\t7,5 mg"
    boxes = np.vstack([row_of_boxes("dosis"), [[np.nan] * 4], row_of_boxes("7,5 mg", x=300)])
    ((one, two),) = [found.rects for found in rects([page(text, boxes)], 0, len(text))]
    assert (one.x1, two.x0) == (50, 300)


def test_a_span_over_a_page_border_has_rectangles_on_both_pages() -> None:
    one, two = page("belt de ", row_of_boxes("belt de ")), page("arts.\n", row_of_boxes("arts.\n", y=60), 2, start=8)
    assert [(found.page, len(found.rects)) for found in rects([one, two], 0, 13)] == [(1, 1), (2, 1)]
    assert rects([one], 0, 13) == ()  # a page is missing
    assert (page_of([one, two], 3), page_of([one, two], 8)) == (1, 2)
