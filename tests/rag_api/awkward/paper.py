"""A page to write on, as PDF: lines where they are put, paragraphs as wide as they may be."""

import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import reportlab
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

FONT, BOLD = "Vera", "VeraBd"
_FONTS = Path(reportlab.__file__).parent / "fonts"
for _name in (FONT, BOLD):
    pdfmetrics.registerFont(TTFont(_name, str(_FONTS / f"{_name}.ttf")))
WIDTH, HEIGHT = A4


class Paper:
    """Pages in the making. `y` is where the next line goes."""

    def __init__(self, size: tuple[float, float] = A4) -> None:
        self._file = io.BytesIO()
        self.canvas = Canvas(self._file, pagesize=size)
        self.y = size[1] - 100

    def line(self, x: float, y: float, text: str, size: float = 10, font: str = FONT) -> None:
        """Write one line."""
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, y, text)

    def heading(self, text: str, x: float = 60, size: float = 15) -> None:
        """Write a heading and go on below it."""
        self.line(x, self.y, text, size, BOLD)
        self.y -= size * 1.8

    def paragraph(self, text: str, x: float = 60, width: float = 470, size: float = 10, gap: float = 8) -> None:
        """Write a paragraph and go on below it."""
        self.lines(wrapped(text, width, size), x, size)
        self.y -= gap

    def lines(self, lines: Iterable[str], x: float = 60, size: float = 10) -> None:
        """Write lines of one paragraph."""
        for line in lines:
            self.line(x, self.y, line, size)
            self.y -= size * 1.35

    def spread(self, words: Sequence[str], width: float, x: float = 60, size: float = 10) -> None:
        """Write a line as wide as told, words apart as justified text has them."""
        widths = [pdfmetrics.stringWidth(word, FONT, size) for word in words]
        gap = (width - sum(widths)) / max(len(words) - 1, 1)
        for word, wide in zip(words, widths, strict=True):
            self.line(x, self.y, word, size)
            x += wide + gap
        self.y -= size * 1.35

    def row(self, cells: Sequence[str], places: Sequence[float], size: float = 10, font: str = FONT) -> None:
        """Write a row of a table without lines."""
        for cell, x in zip(cells, places, strict=True):
            self.line(x, self.y, cell, size, font)
        self.y -= size * 1.7

    def turn(self, y: float = HEIGHT - 100) -> None:
        """Go on on a new page."""
        self.canvas.showPage()
        self.y = y

    def bytes(self) -> bytes:
        """Return the PDF."""
        self.canvas.save()
        return self._file.getvalue()


def wrapped(text: str, width: float, size: float = 10, font: str = FONT) -> list[str]:
    """Return the lines of a paragraph."""
    lines: list[str] = simpleSplit(text, font, size, width)
    return lines
