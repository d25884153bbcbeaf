"""PDFium's glyphs of a page as arrays: code point, box, style. Knows nothing of lines, words or documents.

Boxes are in page space (points as displayed, origin top left). The raw API is called through `map` over addresses, so that
the loop over characters runs in C: about 2 ms for a page of 1,400 characters, against 20 ms with one Python call each.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from rag_api.ingest.drawn import Drawn
from rag_api.ingest.plane import PagePlane

_PTR, _INT = ctypes.c_void_p, ctypes.c_int
_SLANTED = 0.12  # quarter turns (11 degrees): a crooked scan is less
_INVISIBLE = 3  # text render mode: neither filled nor stroked


def _fast(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """The function by its address, with addresses as plain integers: no wrapper objects per call."""
    address = ctypes.cast(getattr(raw, name), _PTR).value
    assert address is not None
    return ctypes.CFUNCTYPE(result, *arguments)(address)


_unicode = _fast("FPDFText_GetUnicode", ctypes.c_uint, _PTR, _INT)
_loose_box = _fast("FPDFText_GetLooseCharBox", _INT, _PTR, _INT, _PTR)
_text_object = _fast("FPDFText_GetTextObject", _PTR, _PTR, _INT)
_map_error = _fast("FPDFText_HasUnicodeMapError", _INT, _PTR, _INT)
_angle = _fast("FPDFText_GetCharAngle", ctypes.c_float, _PTR, _INT)
_count = _fast("FPDFText_CountChars", _INT, _PTR)


@dataclass(frozen=True, slots=True, eq=False)
class Glyphs:
    """n characters in the order of the page's content, white space that PDFium saw between them included."""

    codes: NDArray[np.uint32]  # [n] code points
    boxes: NDArray[np.float32]  # [n, 4] page space: advance wide, ascent to descent high
    bold: NDArray[np.bool_]  # [n]
    hidden: NDArray[np.bool_]  # [n] drawn so that nobody sees it
    symbol: NDArray[np.bool_]  # [n] set in a symbol font, whose codes mean other signs
    undecoded: NDArray[np.bool_]  # [n] its font does not say which character it is
    slanted: NDArray[np.bool_]  # [n] neither upright nor turned by quarters: watermarks
    turned: NDArray[np.int8]  # [n] quarter turns clockwise of the text as displayed: 0 reads upright


def read_glyphs(page: Any, plane: PagePlane, drawn: Drawn) -> Glyphs:
    text_page = raw.FPDFText_LoadPage(page)
    if not text_page:
        return _no_glyphs()
    try:
        return _glyphs(ctypes.cast(text_page, _PTR).value or 0, plane, drawn)
    finally:
        raw.FPDFText_ClosePage(text_page)


def _no_glyphs() -> Glyphs:
    none = np.zeros(0, bool)
    return Glyphs(np.zeros(0, np.uint32), np.zeros((0, 4), np.float32), none, none, none, none, none, np.zeros(0, np.int8))


def _glyphs(text: int, plane: PagePlane, drawn: Drawn) -> Glyphs:
    n = _count(text)
    if n <= 0:
        return _no_glyphs()
    codes = np.fromiter(map(_unicode, repeat(text), range(n)), np.uint32, n)
    ltrb = np.full((n, 4), np.nan, np.float32)  # FS_RECTF: left, top, right, bottom
    start = ltrb.ctypes.data
    found = np.fromiter(map(_loose_box, repeat(text), range(n), range(start, start + 16 * n, 16)), np.int32, n)
    ltrb[found == 0] = np.nan
    boxes = plane.boxes(ltrb[:, [0, 3, 2, 1]])
    objects = np.fromiter((o or 0 for o in map(_text_object, repeat(text), range(n))), np.uint64, n)
    unique, firsts, which = np.unique(objects, return_index=True, return_inverse=True)
    styles = [_style(int(o)) for o in unique]
    bold, mode, white, symbol = (np.array(column)[which] for column in zip(*styles, strict=True))
    quarters = np.array([_quarters(text, int(i), plane.rotation) for i in firsts])[which]
    turned = np.round(quarters).astype(np.int8)
    hidden = _hidden(boxes, plane, drawn, mode == _INVISIBLE, white)
    undecoded = np.fromiter(map(_map_error, repeat(text), range(n)), np.int32, n) == 1
    return Glyphs(codes, _split_shared(boxes, codes), bold, hidden, symbol, undecoded, np.abs(quarters - turned) > _SLANTED, turned % 4)


def _style(text_object: int) -> tuple[bool, int, bool, bool]:
    """(bold, render mode, white, symbol font) of a text object; 0 is the null pointer."""
    if not text_object:
        return False, 0, False, False
    handle = ctypes.cast(text_object, raw.FPDF_PAGEOBJECT)
    mode = int(raw.FPDFTextObj_GetTextRenderMode(handle))
    name, weight = _font(handle)
    r, g, b, a = (ctypes.c_uint(0) for _ in range(4))
    coloured = raw.FPDFPageObj_GetFillColor(handle, r, g, b, a)
    white = bool(coloured) and mode in (0, 4) and (a.value == 0 or min(r.value, g.value, b.value) >= 250)
    return weight >= 600 or "bold" in name, mode, white, "symbol" in name


def _font(handle: Any) -> tuple[str, int]:
    font = raw.FPDFTextObj_GetFont(handle)
    if not font:
        return "", 400
    buffer = ctypes.create_string_buffer(128)
    raw.FPDFFont_GetBaseFontName(font, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_char)), 128)
    return buffer.value.decode("latin-1").lower(), int(raw.FPDFFont_GetWeight(font))


def _quarters(text: int, index: int, rotation: int) -> float:
    """How many quarter turns the character stands clockwise as displayed, which is how PDFium counts its angle in user space."""
    return max(0.0, float(_angle(text, index))) / (np.pi / 2) + rotation // 90


def _hidden(
    boxes: NDArray[np.float32], plane: PagePlane, drawn: Drawn, invisible: NDArray[np.bool_], white: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Off the page, too small to see, white on nothing, or invisible without a scan under it.

    Invisible text over an image is how scanners store recognised words: that is real text."""
    with np.errstate(invalid="ignore"):
        off = (boxes[:, 2] <= 0) | (boxes[:, 3] <= 0) | (boxes[:, 0] >= plane.width) | (boxes[:, 1] >= plane.height)
        size = np.maximum(boxes[:, 3] - boxes[:, 1], boxes[:, 2] - boxes[:, 0])
        tiny = (size > 0) & (size < 2.0)
    hidden: NDArray[np.bool_] = off | tiny
    if invisible.any():
        hidden |= invisible & ~_on(boxes, drawn.images)
    if white.any():
        hidden |= white & ~_on(boxes, np.vstack([drawn.fills, drawn.images]))
    return hidden


def _on(boxes: NDArray[np.float32], areas: NDArray[np.float32]) -> NDArray[np.bool_]:
    """[n]: the box's centre lies on one of the areas."""
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    on = np.zeros(len(boxes), bool)
    for x0, y0, x1, y1 in areas[:2000]:
        on |= (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    return on


def _split_shared(boxes: NDArray[np.float32], codes: NDArray[np.uint32]) -> NDArray[np.float32]:
    """A ligature's letters all get the ligature's box: give each its share of the width."""
    same = np.zeros(len(boxes), bool)
    same[1:] = (boxes[1:] == boxes[:-1]).all(axis=1) & (codes[1:] > 32) & (codes[:-1] > 32)
    if not same.any():
        return boxes
    boxes = boxes.copy()
    starts = np.flatnonzero(~same)
    for start, end in zip(starts, np.append(starts[1:], len(boxes)), strict=True):
        if end - start > 1:
            edges = np.linspace(boxes[start, 0], boxes[start, 2], end - start + 1)
            boxes[start:end, 0], boxes[start:end, 2] = edges[:-1], edges[1:]
    return boxes
