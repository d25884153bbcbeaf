"""Scans made for tests: PDFs of nothing but pictures of pages."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pypdfium2 as pdfium
from numpy.typing import NDArray

from evaluation.ocr.degrade import Degraded, ScanKind, as_pdf, degrade
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf

CLEAN = ScanKind("clean", 150, 90)
HALF = (420.0, 300.0)  # points: a small page is read sooner
DOSE = (
    "Paracetamol intraveneus bij kinderen",
    "Geef kinderen 15 mg/kg per gift.",
    "Wacht ten minste 6 uur tussen twee giften.",
)


def page_of(*texts: str) -> Draw:
    return both(*(lines(text, x=40, y=240 - 30 * n, size=14) for n, text in enumerate(texts)))


def scanned(
    *pages: Draw,
    kind: ScanKind = CLEAN,
    then: Callable[[NDArray[np.uint8]], NDArray[np.uint8]] = lambda grey: grey,
    size: tuple[float, float] = HALF,
) -> bytes:
    """then: what is done to the picture of each page."""
    with pdfium.PdfDocument(pdf(*pages, size=size)) as document:
        made = [degrade(page, kind, (7, n)) for n, page in enumerate(document)]
    return as_pdf([(Degraded(then(one.grey), one.dpi, one.moved), kind) for one in made])
