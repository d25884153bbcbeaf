"""The text under a rectangle of a page, as PDFium sees it. Shares no arithmetic with rag_api or
with the page."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

FINE = 100  # device units per point: PDFium gives whole ones


@dataclass(frozen=True)
class Drawn:
    """A rectangle as the browser drew it, as shares of its page's width and height."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


class Pdf:
    def __init__(self, data: bytes) -> None:
        self.document = pdfium.PdfDocument(data)
        self._centres = lru_cache(maxsize=None)(self._measure)

    def size(self, page: int) -> tuple[float, float]:
        width, height = self.document[page - 1].get_size()
        return float(width), float(height)

    def rotation(self, page: int) -> int:
        return int(self.document[page - 1].get_rotation())

    def under(self, drawn: list[Drawn]) -> str:
        """The characters whose centre lies in one of the rectangles, page by page in the document's
        order, without white space."""
        found = []
        for page in sorted({rect.page for rect in drawn}):
            rects = [rect for rect in drawn if rect.page == page]
            for character, x, y in self._centres(page):
                if any(rect.x0 <= x <= rect.x1 and rect.y0 <= y <= rect.y1 for rect in rects):
                    found.append(character)
        return bare("".join(found))

    def picture(self, page: int, width: int, height: int) -> NDArray[np.float32]:
        """[height, width] in 0..255, drawn by PDFium."""
        points = self.size(page)
        image = self.document[page - 1].render(scale=width / points[0]).to_pil().convert("L").resize((width, height))
        return np.asarray(image, dtype=np.float32)

    def _measure(self, page: int) -> list[tuple[str, float, float]]:
        """Every character with its centre, as shares of the displayed page; PDFium itself turns
        page into device coordinates."""
        handle = self.document[page - 1]
        text = handle.get_textpage()
        width, height = (round(side * FINE) for side in handle.get_size())
        found = []
        for index in range(text.count_chars()):
            left, bottom, right, top = text.get_charbox(index)
            x, y = ctypes.c_int(), ctypes.c_int()
            centre = ((left + right) / 2, (bottom + top) / 2)
            pdfium_c.FPDF_PageToDevice(handle, 0, 0, width, height, 0, *centre, x, y)
            found.append((chr(pdfium_c.FPDFText_GetUnicode(text, index)), x.value / width, y.value / height))
        return found


def bare(text: str) -> str:
    """Without white space: lines break elsewhere on a page than in a text."""
    return "".join(text.split())
