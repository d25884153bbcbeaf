"""The letter or figure that a picture looks like: compared with those of twelve common typefaces.

Knows nothing of pages. Not a reader of any script: it only says whether a picture contradicts what
a file says that it shows.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from numpy.typing import NDArray
from pypdfium2 import PdfBitmap

DIGITS = "0123456789"
SIGNS = DIGITS + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZµ"
# pixels that the letters are high of which a picture is taken: below 50 PDFium shifts each to whole
# pixels, and cuts it there
SIZE = 64.0

_BUILT_IN = (
    *("Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Times-Roman"),
    *("Times-Bold", "Times-Italic", "Courier", "Courier-Bold"),
)
_FILES = ("Vera", "VeraBd", "VeraIt", "VeraBI")  # reportlab brings them
_SIDE = 12
INKED = 64  # of 255
_DIGIT = 0.05  # so much more like another figure: every pair of the twelve typefaces' figures is told apart by more
_LETTER = 0.25  # so much more like another letter: letters differ more from one typeface to another
_SURE = 0.8  # as like as this: it is that letter
_ALIKE = ("il1Ijt", "o0Oq", "s5", "z2", "gq9", "uvµ", "b6", "hn", "cGe", "ao", "rf")  # no lie worth the name

Opacity = NDArray[np.uint8]  # [height, width] how opaque each pixel is
Sides = NDArray[np.float64]  # [n]
Forms = NDArray[np.float32]  # [n, pixels], of mean 0 and length 1; zero where there is nothing


def picture(document: Any, page: Any, text_object: Any, scale: float) -> Opacity | None:
    """Return a text object's ink, drawn alone; scale: pixels in a unit of what it stands in."""
    handle = raw.FPDFTextObj_GetRenderedBitmap(document, page, text_object, scale)
    if not handle:
        return None
    bitmap = PdfBitmap.from_raw(handle)  # PDFium's memory, freed with the last that holds it
    return bitmap.to_numpy()[:, :, 3].copy() if bitmap.format == raw.FPDFBitmap_BGRA else None


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A picture and where in it what is asked for stands."""

    ink: Opacity
    boxes: NDArray[np.float64]  # [n, 4] x0, y0, x1, y1 in pixels
    quarters: int = 0  # how often it must be turned against the clock to stand upright
    # how many times as wide and as high as by their font its letters are drawn
    stretch: tuple[float, float] = (1.0, 1.0)


def forms(shots: Sequence[Shot]) -> Forms:
    """Return what stands in each box, as large as all others, coarse and soft."""
    totals = [_total(shot.ink) for shot in shots]
    starts = np.cumsum([0, *(total.size for total in totals[:-1])])
    counts = [len(shot.boxes) for shot in shots]
    start, stride = (np.repeat(of, counts)[:, None, None] for of in (starts, [total.shape[1] for total in totals]))
    edges = np.repeat([shot.ink.shape[::-1] for shot in shots], counts, axis=0)  # [n, 2] right, bottom
    boxes = np.vstack([shot.boxes for shot in shots])
    stretch = np.repeat([shot.stretch for shot in shots], counts, axis=0)
    side = ((boxes[:, 2:] - boxes[:, :2]) / stretch).max(axis=1).clip(1e-3)
    x, y = (_steps(boxes[:, n], boxes[:, n + 2], side * stretch[:, n], edges[:, n]) for n in (0, 1))
    cells = np.diff(
        np.diff(_between(np.concatenate([total.ravel() for total in totals]), start, stride, y, x), axis=1), axis=2
    )
    quarters = np.repeat([shot.quarters for shot in shots], counts)
    for turn in set(quarters.tolist()) - {0}:
        cells[quarters == turn] = np.rot90(cells[quarters == turn], turn, (1, 2))
    return _soft(cells)


def _total(ink: Opacity) -> NDArray[np.float32]:
    """[height + 1, width + 1] the sum of all that is above and to the left."""
    total = np.zeros((ink.shape[0] + 1, ink.shape[1] + 1), np.float32)
    np.cumsum(np.cumsum(ink, axis=0, dtype=np.float32), axis=1, out=total[1:, 1:])
    return total


def _steps(low: Sides, high: Sides, side: Sides, edge: NDArray[np.int64]) -> NDArray[np.float64]:
    """[n, cells + 1] where the cells of a square around each box part, never outside of the box nor
    beyond the picture's edge."""
    at = ((low + high) / 2)[:, None] + side[:, None] * np.linspace(-0.5, 0.5, _SIDE + 1)
    return np.asarray(np.clip(np.clip(at, low[:, None], high[:, None]), 0, edge[:, None] - 1e-3))


def _between(
    totals: NDArray[np.float32],
    start: NDArray[np.int64],
    stride: NDArray[np.int64],
    y: NDArray[np.float64],
    x: NDArray[np.float64],
) -> NDArray[np.float32]:
    """[n, k, k] of tables, one after the other, at [n, k] rows and columns, which may lie between
    two."""
    rows, columns = y.astype(np.int64), x.astype(np.int64)
    down, right = (y - rows)[:, :, None].astype(np.float32), (x - columns)[:, None, :].astype(np.float32)
    at = start + rows[:, :, None] * stride + columns[:, None, :]
    above = totals[at] * (1 - right) + totals[at + 1] * right
    below = totals[at + stride] * (1 - right) + totals[at + stride + 1] * right
    return np.asarray(above * (1 - down) + below * down)


def _soft(cells: NDArray[np.float32]) -> Forms:
    out: NDArray[np.float32] = np.pad(cells, ((0, 0), (1, 1), (1, 1)))
    for axis in (1, 2):
        out = np.asarray((np.roll(out, 1, axis) + 2 * out + np.roll(out, -1, axis)) / 4, np.float32)
    flat = out.reshape(len(out), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    return np.asarray(flat / np.linalg.norm(flat, axis=1, keepdims=True).clip(1e-3), np.float32)


def untrue(claimed: Sequence[str], shown: Forms) -> list[bool]:
    """Return for each form of one of SIGNS whether it surely shows another one than is claimed.
    What shows nothing is not judged."""
    if not len(shown):
        return []
    like = np.maximum.reduceat(shown @ _templates().T, np.arange(0, len(SIGNS) * _faces(), _faces()), axis=1)
    return [_contradicts(sign, likes) for sign, likes in zip(claimed, like, strict=True)]


def _contradicts(sign: str, likes: NDArray[np.float32]) -> bool:
    """likes: [signs] how like each of SIGNS the picture is."""
    own, alike = float(likes[SIGNS.index(sign)]), _alike(sign)
    if sign in DIGITS and float(likes[: len(DIGITS)].max()) - own > _DIGIT:
        return True
    best = float(likes.max())
    return best >= _SURE and best - float(likes[alike].max()) > _LETTER


@lru_cache(maxsize=128)
def _alike(sign: str) -> NDArray[np.int64]:
    """Places in SIGNS of those that look like it in some typeface, itself included."""
    family = {sign.lower()}.union(*(group.lower() for group in _ALIKE if sign.lower() in group.lower()))
    return np.array([n for n, other in enumerate(SIGNS) if other.lower() in family])


def _faces() -> int:
    return len(_BUILT_IN) + len(_FILES)


@lru_cache(maxsize=1)
def _templates() -> Forms:
    """[signs * typefaces, ...]: each sign in all typefaces, then the next."""
    document = pdfium.PdfDocument.new()
    page = document.new_page(100, 100)
    drawn = [
        forms([Shot(ink, _inked(ink)) for ink in _drawn(document.raw, page.raw, font)]) for font in _fonts(document.raw)
    ]
    return np.stack(drawn, axis=1).reshape(len(SIGNS) * len(drawn), -1)


def _inked(ink: Opacity) -> NDArray[np.float64]:
    """[1, 4]"""
    rows, columns = np.flatnonzero(ink.max(axis=1) > INKED), np.flatnonzero(ink.max(axis=0) > INKED)
    return np.array([[columns[0], rows[0], columns[-1] + 1, rows[-1] + 1]], np.float64)


def _fonts(document: Any) -> Iterator[Any]:
    import reportlab

    for name in _BUILT_IN:
        yield raw.FPDFText_LoadStandardFont(document, name.encode())
    for name in _FILES:
        data = (Path(reportlab.__file__).parent / "fonts" / f"{name}.ttf").read_bytes()
        buffer = (ctypes.c_uint8 * len(data)).from_buffer_copy(data)
        yield raw.FPDFText_LoadFont(document, buffer, len(data), raw.FPDF_FONT_TRUETYPE, 1)


def _drawn(document: Any, page: Any, font: Any) -> Iterator[Opacity]:
    for sign in SIGNS:
        thing = raw.FPDFPageObj_CreateTextObj(document, font, SIZE)
        raw.FPDFText_SetText(thing, (ctypes.c_ushort * 2)(ord(sign), 0))
        ink = picture(document, page, thing, 1.0)
        raw.FPDFPageObj_Destroy(thing)
        assert ink is not None, sign
        yield ink
    raw.FPDFFont_Close(font)
