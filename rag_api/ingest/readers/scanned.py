"""Pages that are pictures: which they are, and what is read of them. Without the reader's packages,
or switched off, they stay unread."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import Page
from rag_api.ingest.common.notes import on_pages
from rag_api.ingest.layout.lines import lines_of_item
from rag_api.ingest.pdf.glyphs.page_glyphs import Glyphs
from rag_api.ingest.pdf.page_transform import PagePlane
from rag_api.ingest.pdf.vector_graphics import Drawn
from rag_api.ingest.structure.clean import LaidOut
from rag_api.text.sentence_splitter import sentences

NOT_READ, NO_WORDS, TOO_SLOW = "page_not_read", "page_no_words", "page_too_slow"  # codes of notes
PARTLY, CROOKED, ALONE, CHART = "page_partly", "page_stamp", "page_one_reader", "page_chart"
NOTES = (NOT_READ, NO_WORDS, TOO_SLOW, PARTLY, CROOKED, ALONE, CHART)

# A word that goes on elsewhere: the lines are not in their order. Or a unit that stands first: its
# number does elsewhere.
_TORN = re.compile(r"[^\W\d_]-(?:\t|\n|\s*$)|^\s*(?:%|(?:mg|ml|g|µg|mcg|mmol|IE|IU)\b(?!\w))")
_COVERED = 0.5  # of the page: a picture as large may be the page itself
_FEW = 400  # letters: beside such a picture a text as short may be a stamp's, a header's, a scanner's
_MORE = 2.0  # times the letters that the page's text has: then the picture holds the page's words
_LAYER = 0.8  # of a page's letters: if so many are what another program read of its image, the image is read instead


@dataclass(frozen=True, slots=True)
class Ocr:
    """What reading an image may cost. `on_page(page, of)` is called before each."""

    seconds: float  # of the processor's time for a page
    on_page: Callable[[int, int], None] = lambda page, of: None
    alone: bool = False  # without the second reader, also where there is one


@dataclass(frozen=True, slots=True, eq=False)
class FromImage:
    """What reading a page's image gave: the page as laid out, None when it gave nothing, and which
    of NOTES it deserves."""

    laid: LaidOut | None
    notes: tuple[str, ...]


def is_scan(glyphs: Glyphs, drawn: Drawn, width: float, height: float) -> bool:
    """Without words of its own over what is painted on it; or with few, or only another program's,
    over a picture of a page."""
    ink = (glyphs.codes > 32) & ~glyphs.hidden
    if not ink.any():
        return len(drawn.images) + len(drawn.fills) + len(drawn.covers) + len(drawn.across) > 0
    if not _covered(drawn.images, width, height):
        return False
    return bool(glyphs.recognised[ink].mean() >= _LAYER) or int(ink.sum()) <= _FEW


def _covered(images: NDArray[np.float32], width: float, height: float) -> bool:
    inside = np.clip(images, 0, np.array([width, height, width, height], np.float32))
    areas = (inside[:, 2] - inside[:, 0]).clip(0) * (inside[:, 3] - inside[:, 1]).clip(0)
    return float(areas.sum()) >= _COVERED * width * height


def read_image(page: Any, plane: PagePlane, number: int, glyphs: Glyphs, ocr: Ocr | None) -> FromImage:
    """Of a page that `is_scan`."""
    own = (glyphs.codes > 32) & ~glyphs.hidden
    if ocr is None:
        return FromImage(None, () if own.any() else (NOT_READ,))
    try:
        from rag_api.ingest.ocr.picture import render
        from rag_api.ingest.ocr.scan import TooSlow, scan
        from rag_api.ingest.ocr.written import written
    except ImportError:
        return FromImage(None, () if own.any() else (NOT_READ,))
    picture = render(page, plane)
    if picture is None:
        return FromImage(None, (NO_WORDS,))
    try:
        seen = scan(picture, ocr.seconds, ocr.alone)
    except TooSlow:
        return FromImage(None, (TOO_SLOW,))
    made = written(seen)
    alone = any(line.second is None for line in seen.lines)
    said = ((PARTLY, made.unread > 0), (CROOKED, bool(seen.crooked)), (ALONE, alone), (CHART, made.charted))
    notes = [code for code, true in said if true]
    letters = sum(len(line.marked.text) for item in made.items for line in lines_of_item(item))
    if own.any() and not glyphs.recognised[own].mean() >= _LAYER and letters < _MORE * own.sum():
        return FromImage(None, ())  # a picture beside its text
    if not made.items:
        return FromImage(None, () if own.any() else (NO_WORDS,))
    laid = LaidOut(
        number,
        plane.width,
        plane.height,
        plane.rotation,
        made.tall,
        made.items,
        made.doubts,
        scanned=True,
        rules=made.rules,
    )
    return FromImage(laid, tuple(notes))


def uncertain(pages: Sequence[Page], laid: Sequence[LaidOut]) -> tuple[tuple[int, int], ...]:
    """Sentences of the document text, rows and headings too, with a letter in doubt; neighbours as
    one span."""
    doubt = np.concatenate([_in_doubt(page, one) for page, one in zip(pages, laid, strict=True)])
    spans: list[tuple[int, int]] = []
    text = "".join(page.text for page in pages)
    pages_of_scans = np.repeat([one.scanned for one in laid], [len(page.text) for page in pages])
    for span in sentences(text) if pages_of_scans.any() or doubt.any() else ():
        if doubt[span.start : span.end].any() or (
            pages_of_scans[span.start] and _TORN.search(text[span.start : span.end])
        ):
            if spans and spans[-1][1] == span.start:
                spans[-1] = (spans[-1][0], span.end)
            else:
                spans.append((span.start, span.end))
    return tuple(spans)


def said_of_scans(pages: Sequence[Page], doubtful: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Which pages were read from their image, and how much of them is in doubt."""
    numbers = [page.number for page in pages if page.text_from == "ocr"]
    if not numbers:
        return ()
    scans = [(page.start, page.start + len(page.text)) for page in pages if page.text_from == "ocr"]
    within = sum(max(0, min(end, last) - max(start, first)) for start, end in doubtful for first, last in scans)
    letters = within / max(1, sum(last - first for first, last in scans))
    if not within:
        return (on_pages("page_scanned", numbers),)
    return (on_pages("page_scanned_in_doubt", numbers, share=f"{letters:.0%}"),)


def _in_doubt(page: Page, laid: LaidOut) -> NDArray[np.bool_]:
    """[characters of the page]. Letters keep their boxes through all cleaning, so these tell which
    they are."""
    if not len(laid.doubts):
        return np.zeros(len(page.text), bool)
    return np.isin(_whole_rows(page.boxes), _whole_rows(laid.doubts))


def _whole_rows(boxes: NDArray[np.float32]) -> NDArray[np.void]:
    return np.ascontiguousarray(boxes, np.float32).view(np.dtype((np.void, 16))).ravel()
