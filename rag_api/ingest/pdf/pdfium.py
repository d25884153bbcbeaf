"""PDFium's glyphs of a page as arrays: code point, box, style. Knows nothing of lines, words or
documents.

Boxes are in page space (points as displayed, origin top left). The raw API is called through `map`
over addresses, so that the loop over characters runs in C: about 2 ms for a page of 1,400
characters, against 20 ms with one Python call each.
"""

from __future__ import annotations

import ctypes
import unicodedata
from dataclasses import replace
from itertools import repeat
from typing import Any

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from rag_api.ingest.pdf.addresses import fast
from rag_api.ingest.pdf.glyphs.font_spoofing import JudgedFonts, Sheet
from rag_api.ingest.pdf.glyphs.hidden_text import Style, unseen
from rag_api.ingest.pdf.glyphs.page_glyphs import Glyphs
from rag_api.ingest.pdf.glyphs.superscripts import FIGURES, with_drawn_high
from rag_api.ingest.pdf.page_transform import PagePlane
from rag_api.ingest.pdf.vector_graphics import Drawn

_WHITE = (10, 13, 32)
_PTR, _INT = ctypes.c_void_p, ctypes.c_int
_SLANTED = 0.12  # quarter turns (11 degrees): a crooked scan is less
_ITALIC = 0.45  # quarter turns that letters on a level line may lean
_OUTLINED = (1, 2, 5, 6)  # text render modes
_INVISIBLE = 3  # text render mode
_FIRST_HALF, _SECOND_HALF = 0xD800 >> 10, 0xDC00 >> 10  # of a letter beyond 16 bits
_BLACK = (0, 0, 0, 255)


_unicode = fast("FPDFText_GetUnicode", ctypes.c_uint, _PTR, _INT)
_loose_box = fast("FPDFText_GetLooseCharBox", _INT, _PTR, _INT, _PTR)
_text_object = fast("FPDFText_GetTextObject", _PTR, _PTR, _INT)
_map_error = fast("FPDFText_HasUnicodeMapError", _INT, _PTR, _INT)
_angle = fast("FPDFText_GetCharAngle", ctypes.c_float, _PTR, _INT)
_matrix = fast("FPDFText_GetMatrix", _INT, _PTR, _INT, _PTR)
_generated = fast("FPDFText_IsGenerated", _INT, _PTR, _INT)
_count = fast("FPDFText_CountChars", _INT, _PTR)


def read_glyphs(
    page: Any, plane: PagePlane, drawn: Drawn, judged: JudgedFonts, layered: bool = False, own: int | None = None
) -> Glyphs:
    """judged: what is known of the document's fonts. layered: it has layers, which may be switched
    off: nothing of it is believed to be seen. own: how many characters the page has without what is
    laid on it."""
    text_page = raw.FPDFText_LoadPage(page)
    if not text_page:
        return _no_glyphs()
    try:
        glyphs = _glyphs(page, text_page, plane, drawn, judged, layered)
        return glyphs if own is None else replace(glyphs, laid_on=np.arange(len(glyphs.codes)) >= own)
    finally:
        raw.FPDFText_ClosePage(text_page)


def _no_glyphs() -> Glyphs:
    none = np.zeros(0, bool)
    return Glyphs(
        np.zeros(0, np.uint32),
        np.zeros((0, 4), np.float32),
        none,
        none,
        none,
        none,
        none,
        np.zeros(0, np.int8),
        *[none] * 4,
    )


def _glyphs(page: Any, text_page: Any, plane: PagePlane, drawn: Drawn, judged: JudgedFonts, layered: bool) -> Glyphs:
    text = ctypes.cast(text_page, _PTR).value or 0
    n = _count(text)
    if n <= 0:
        return _no_glyphs()
    codes = _whole(np.fromiter(map(_unicode, repeat(text), range(n)), np.uint32, n))
    ltrb = np.full((n, 4), np.nan, np.float32)  # FS_RECTF: left, top, right, bottom
    start = ltrb.ctypes.data
    found = np.fromiter(map(_loose_box, repeat(text), range(n), range(start, start + 16 * n, 16)), np.int32, n)
    ltrb[found == 0] = np.nan
    boxes = plane.boxes(ltrb[:, [0, 3, 2, 1]])
    objects = np.fromiter((o or 0 for o in map(_text_object, repeat(text), range(n))), np.uint64, n)
    unique, firsts, which = _in_order(objects)
    styles = [_style(int(o)) for o in unique]
    bold, symbol = (np.array([getattr(style, name) for style in styles])[which] for name in ("bold", "symbol"))
    quarters = np.array([_quarters(text, int(i), plane.rotation) for i in firsts])[which]
    turned = np.round(quarters).astype(np.int8)
    shared = _shared(boxes, codes)
    boxes = _split_shared(boxes, shared)
    hidden = unseen(page, plane, drawn, codes, boxes, which, styles, layered)
    undecoded = np.fromiter(map(_map_error, repeat(text), range(n)), np.int32, n) == 1
    slanted, recognised = (
        np.abs(quarters - turned) > _SLANTED,
        ~hidden & (np.array([s.mode for s in styles])[which] == _INVISIBLE),
    )
    plain = ~(hidden | recognised | slanted | symbol | undecoded) & ~shared & ~np.append(shared[1:], False)
    sheet = Sheet(page, text, plane, drawn, codes, boxes, which, styles, plain, turned % 4, ltrb[:, [0, 3, 2, 1]])
    untrue = judged.untrue(sheet)
    figures = np.flatnonzero(np.isin(codes, FIGURES))
    ink = np.full((n, 4), np.nan, np.float32)
    ink[figures] = plane.boxes(sheet.tight(figures))
    codes = with_drawn_high(codes, boxes, ink, turned % 4)
    guessed = np.zeros(n, bool)
    for at in np.flatnonzero(np.isin(codes, _WHITE)).tolist():
        guessed[at] = _generated(text, at) == 1
    laid_on = np.zeros(n, bool)
    return Glyphs(
        codes, boxes, bold, hidden, symbol, undecoded, slanted, turned % 4, laid_on, recognised, untrue, guessed
    )


def _whole(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """With a letter that PDFium gives in two halves, as those of formulas are, as the plain letter
    that it is a shape of."""
    for at in np.flatnonzero((codes[:-1] >> 10 == _FIRST_HALF) & (codes[1:] >> 10 == _SECOND_HALF)).tolist():
        letter = unicodedata.normalize(
            "NFKC", chr(0x10000 + ((int(codes[at]) & 0x3FF) << 10) + (int(codes[at + 1]) & 0x3FF))
        )
        if len(letter) == 1 and ord(letter) < 0x10000:
            codes[at], codes[at + 1] = ord(letter), 0
    return codes


def _in_order(objects: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """(each object once, where it first stands, [n] which of these each is). As they come on the
    page: their addresses are others each time that a file is read, and what is looked at first
    decides what is compared with what."""
    unique, firsts, which = np.unique(objects, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return unique[order], firsts[order], place[which]


def _style(text_object: int) -> Style:
    """Of a text object; 0 is the null pointer."""
    if not text_object:
        return Style(None, 0, 0, False, False, True, 0, _BLACK, False)
    handle = ctypes.cast(text_object, raw.FPDF_PAGEOBJECT)
    mode = int(raw.FPDFTextObj_GetTextRenderMode(handle))
    font = raw.FPDFTextObj_GetFont(handle)
    name, weight = _font(font)
    address = ctypes.cast(font, _PTR).value or 0
    bold = weight >= 600 or "bold" in name or _is_thickened(handle, mode)
    embedded = raw.FPDFFont_GetIsEmbedded(font) == 1
    return Style(
        handle, text_object, address, bold, "symbol" in name, bool(name), mode, _colour(handle, mode), embedded
    )


def _is_thickened(handle: Any, mode: int) -> bool:
    """Filled, and outlined in the same colour: how programs set bold without a bold font."""
    width = ctypes.c_float(0)
    return (
        mode == raw.FPDF_TEXTRENDERMODE_FILL_STROKE
        and bool(raw.FPDFPageObj_GetStrokeWidth(handle, width))
        and width.value > 0
        and _colour(handle, raw.FPDF_TEXTRENDERMODE_FILL) == _colour(handle, mode)
    )


def _colour(handle: Any, mode: int) -> tuple[int, int, int, int]:
    """Red, green, blue and how opaque, of what the letters are filled with, or of their outline;
    clear where it is several."""
    r, g, b, a = (ctypes.c_uint(0) for _ in range(4))
    get = raw.FPDFPageObj_GetStrokeColor if mode in _OUTLINED else raw.FPDFPageObj_GetFillColor
    return (r.value, g.value, b.value, a.value) if get(handle, r, g, b, a) else (0, 0, 0, 0)


def _font(font: Any) -> tuple[str, int]:
    if not font:
        return "", 400
    buffer = ctypes.create_string_buffer(128)
    raw.FPDFFont_GetBaseFontName(font, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_char)), 128)
    return buffer.value.decode("latin-1").lower(), int(raw.FPDFFont_GetWeight(font))


def _quarters(text: int, index: int, rotation: int) -> float:
    """How many quarter turns the character stands clockwise as displayed, which is how PDFium
    counts its angle in user space: by its upright, and by its line where it only leans, as letters
    do that a program made italic."""
    upright = max(0.0, float(_angle(text, index))) / (np.pi / 2)
    if abs(upright - round(upright)) > _SLANTED:
        matrix = (ctypes.c_float * 6)()
        _matrix(text, index, ctypes.addressof(matrix))
        line = (4 - np.arctan2(matrix[1], matrix[0]) / (np.pi / 2)) % 4
        if abs((upright - line + 2) % 4 - 2) < _ITALIC:
            upright = float(line)
    return upright + rotation // 90


def _shared(boxes: NDArray[np.float32], codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """[n]: it has the box of the one before, as the letters of a ligature have."""
    same = np.zeros(len(boxes), bool)
    same[1:] = (boxes[1:] == boxes[:-1]).all(axis=1) & (codes[1:] > 32) & (codes[:-1] > 32)
    return same


def _split_shared(boxes: NDArray[np.float32], same: NDArray[np.bool_]) -> NDArray[np.float32]:
    """A ligature's letters all get the ligature's box: give each its share of the width."""
    if not same.any():
        return boxes
    boxes = boxes.copy()
    starts = np.flatnonzero(~same)
    for start, end in zip(starts, np.append(starts[1:], len(boxes)), strict=True):
        if end - start > 1:
            edges = np.linspace(boxes[start, 0], boxes[start, 2], end - start + 1)
            boxes[start:end, 0], boxes[start:end, 2] = edges[:-1], edges[1:]
    return boxes
