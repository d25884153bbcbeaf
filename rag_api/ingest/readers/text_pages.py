"""Lines of text -> pages with a box for every character, and the PDF that shows them: for files
that have no pages of their own.

What is shown is made from what is read, so that every word has its exact place. A line that is too
long goes on in the next row of the page; in the text it stays one line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import reportlab
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import Page
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.notes import note

_WIDTH, _HEIGHT = 595.0, 842.0  # A4
_MARGIN, _SIZE, _LEADING = 50.0, 10.0, 14.0
_TAB = 18.0  # points, at least, between the cells of a row
_ROWS = int((_HEIGHT - 2 * _MARGIN) // _LEADING)
# The first that is there; the last comes with reportlab and knows Western Europe's letters only.
_FONTS = (
    Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"),
    Path("/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf"),
    Path("/usr/share/fonts/truetype/liberation2/LiberationSans-Regular.ttf"),
    Path(reportlab.__file__).parent / "fonts" / "Vera.ttf",
)


@dataclass(frozen=True, slots=True)
class _PlacedCharacter:
    """One character: where it begins, how wide it is, in which row of the page."""

    char: str
    x: float
    width: float
    row: int


def text_pages(lines: Sequence[str], name: str, max_pages: int, text_from: str) -> tuple[Page, ...]:
    """Raises UnreadableDocument: too_large."""
    pages: list[Page] = []
    for placed in _paged(lines, name, max_pages):
        text = "".join(one.char for one in placed)
        start = pages[-1].start + len(pages[-1].text) if pages else 0
        pages.append(Page(len(pages) + 1, _WIDTH, _HEIGHT, 0, start, text, _boxes(placed), text_from))
    return tuple(pages)


def write_pdf(pages: Sequence[Page], target: Path) -> None:
    """Write the PDF that shows these pages, whole or not at all."""
    part = target.with_suffix(".part")
    canvas = Canvas(str(part), pagesize=(_WIDTH, _HEIGHT), invariant=1)
    for page in pages:
        canvas.setFont(_font().fontName, _SIZE)
        for begin, end in _runs(page):
            canvas.drawString(
                float(page.boxes[begin, 0]), _HEIGHT - float(page.boxes[begin, 3]) + _SIZE * 0.25, page.text[begin:end]
            )
        canvas.showPage()
    canvas.save()
    os.replace(part, target)


def not_drawn(pages: Sequence[Page]) -> tuple[str, ...]:
    """Return a warning about characters that the font lacks: they are read, and shown as boxes."""
    drawn = _font().face.charToGlyph
    lacking = sorted({c for page in pages for c in page.text if not c.isspace() and ord(c) not in drawn})
    shown = " ".join(lacking[:10])
    return (note("missing_letters", letters=shown),) if lacking else ()


@lru_cache(maxsize=1)
def _font() -> TTFont:
    for path in _FONTS:
        try:
            font = TTFont(path.stem, str(path))
        except TTFError:
            continue
        pdfmetrics.registerFont(font)
        return font
    raise AssertionError("reportlab brings Vera.ttf")


@lru_cache(maxsize=4096)
def _width(char: str) -> float:
    return float(pdfmetrics.stringWidth(char, _font().fontName, _SIZE))


def _paged(lines: Sequence[str], name: str, max_pages: int) -> Iterator[list[_PlacedCharacter]]:
    page: list[_PlacedCharacter] = []
    row = count = 0
    for line in lines:
        placed, rows = _wrapped(line)
        if page and row + min(rows, _ROWS) > _ROWS:
            count += 1
            if count >= max_pages:
                raise UnreadableDocument("too_large", f"{name}: has more than {max_pages} pages")
            yield page
            page, row = [], 0
        while rows > _ROWS:  # a line longer than a page
            yield [one for one in placed if one.row < _ROWS]
            placed = [
                _PlacedCharacter(one.char, one.x, one.width, one.row - _ROWS) for one in placed if one.row >= _ROWS
            ]
            rows -= _ROWS
            count += 1
        page += [_PlacedCharacter(one.char, one.x, one.width, one.row + row) for one in placed]
        page.append(_PlacedCharacter("\n", 0, 0, row + rows - 1))
        row += rows
    if page:
        yield page


def _wrapped(line: str) -> tuple[list[_PlacedCharacter], int]:
    """The line's characters and how many rows it takes. It goes on below before the word that does
    not fit."""
    placed: list[_PlacedCharacter] = []
    x, row, begin = _MARGIN, 0, 0  # begin: of the word
    for char in line:
        width = max(_TAB, _TAB - (x - _MARGIN) % _TAB) if char == "\t" else _width(char)
        if char in " \t":
            begin = len(placed) + 1
        elif x + width > _WIDTH - _MARGIN:
            word = placed[begin:] if begin and placed[begin - 1].row == row else []
            row, x = row + 1, _MARGIN
            for n, one in enumerate(word, start=begin):
                placed[n] = _PlacedCharacter(one.char, x, one.width, row)
                x += one.width
        placed.append(_PlacedCharacter(char, x, width, row))
        x += width
    return placed, row + 1


def _boxes(placed: Sequence[_PlacedCharacter]) -> np.ndarray:
    boxes = np.full((len(placed), 4), np.nan, np.float32)
    for n, one in enumerate(placed):
        if not one.char.isspace():
            top = _MARGIN + one.row * _LEADING
            boxes[n] = (one.x, top, one.x + one.width, top + _SIZE * 1.2)
    return boxes


def _runs(page: Page) -> Iterator[tuple[int, int]]:
    """The stretches of characters that stand side by side."""
    begin = None
    for n in range(len(page.text) + 1):
        visible = n < len(page.text) and not np.isnan(page.boxes[n, 0])
        if begin is not None and (not visible or page.boxes[n, 1] != page.boxes[begin, 1]):
            yield begin, n
            begin = None
        if visible and begin is None:
            begin = n
