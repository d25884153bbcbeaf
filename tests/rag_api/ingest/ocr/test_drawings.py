"""A flow chart in a page's image is seen as one; an emblem heads nothing."""

from __future__ import annotations

import numpy as np
import pypdfium2 as pdfium
import pytest

from rag_api.ingest.layout.charts.links import holds, middles_of
from rag_api.ingest.layout.lines import lines_of_item
from rag_api.ingest.ocr.drawings import charts_in
from rag_api.ingest.ocr.paddle import Reading
from rag_api.ingest.ocr.picture import Picture, render, without_rules
from rag_api.ingest.ocr.scan import Scan, ScannedLine
from rag_api.ingest.ocr.tesseract import Second
from rag_api.ingest.ocr.written import written
from rag_api.ingest.pdf.page_transform import PagePlane
from tests.rag_api.made_files.charts import AFTER, BEFORE, OTHERS, STEPS, as_a_tree, by_arrows
from tests.rag_api.made_files.pdfs import Draw, lines, pdf


def _image(draw: Draw) -> tuple[Picture, dict[str, list[float]]]:
    """A page's image, and where its lines stand in points."""
    page = pdfium.PdfDocument(pdf(draw))[0]
    plane = PagePlane(page.raw)
    picture = render(page, plane)
    assert picture is not None
    text = page.get_textpage()
    found = {}
    for n in range(text.count_rects()):
        left, bottom, right, top = text.get_rect(n)
        found[text.get_text_bounded(left, bottom, right, top)] = [
            left,
            plane.height - top,
            right,
            plane.height - bottom,
        ]
    return picture, found


def _line(first: str, second: str, box: list[float], scale: float) -> ScannedLine:
    """What two readers read there, both sure of it."""
    x0, y0, x1, y1 = (side * scale for side in box)
    places = np.linspace(0.05, 0.95, len(first), dtype=np.float32)
    return ScannedLine(
        (x0, y0, x1, y1), Reading(first, np.full(len(first), 0.99, np.float32), places), Second(((second, 0.9),))
    )


def _charted(draw: Draw) -> set[str]:
    """The lines that stand in a chart."""
    picture, found = _image(draw)
    words = np.array(list(found.values()), np.float32)
    inside = np.flatnonzero(holds(charts_in(picture, words), middles_of(words.astype(np.float64))).any(axis=0))
    return {list(found)[n].strip() for n in inside.tolist()}


@pytest.mark.parametrize("draw", [by_arrows, as_a_tree])
def test_a_chart_in_an_image_holds_its_boxes_and_not_the_text_beside_it(draw: Draw) -> None:
    charted = _charted(draw)
    assert charted == set(STEPS)
    assert BEFORE not in charted
    assert AFTER not in charted


@pytest.mark.parametrize("draw", OTHERS)
def test_tables_cards_shades_and_forms_in_an_image_are_no_charts(draw: Draw) -> None:
    assert not _charted(draw)


@pytest.mark.parametrize(
    ("first", "second", "heads"), [("O7", "®", False), ("0 P", "Ⓟ", False), ("Doel", "Deel", True)]
)
def test_what_is_read_in_an_emblem_heads_nothing(first: str, second: str, heads: bool) -> None:
    """Nor does another line in doubt that has no word."""
    picture, found = _image(lines("OOOOOO", size=24))
    (box,) = found.values()
    page = written(Scan(picture, without_rules(picture), (_line(first, second, box, picture.scale),), ()))
    (read,) = (one for item in page.items for one in lines_of_item(item))
    assert read.drawing is not heads


def test_the_words_of_a_chart_in_an_image_are_in_doubt_and_the_others_are_not() -> None:
    picture, found = _image(by_arrows)
    read = tuple(_line(said.strip(), said.strip(), box, picture.scale) for said, box in found.items())
    page = written(Scan(picture, without_rules(picture), read, ()))
    assert page.charted
    assert {one.marked.text for item in page.items for one in lines_of_item(item) if one.drawing} == set(STEPS)
    doubts = set(map(tuple, page.doubts.tolist()))
    of_charts = [one.marked.boxes for item in page.items for one in lines_of_item(item) if one.drawing]
    assert all(tuple(box) in doubts for boxes in of_charts for box in boxes.tolist() if not np.isnan(box[0]))
