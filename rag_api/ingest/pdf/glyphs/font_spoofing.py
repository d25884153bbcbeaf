"""Letters of a page that show another one than their file says: a font may map what is drawn as 1
to a 9.

Each figure of each font is looked at once in a document, and the letters beside it: drawn without
all else on the page, and compared with what they are said to be (glyph_matching.py).
"""

from __future__ import annotations

import ctypes
import math
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from rag_api.ingest.pdf.addresses import fast
from rag_api.ingest.pdf.glyphs.glyph_matching import (
    DIGITS,
    INKED,
    SIGNS,
    SIZE,
    Forms,
    Opacity,
    Shot,
    forms,
    picture,
    untrue,
)
from rag_api.ingest.pdf.glyphs.hidden_text import Style
from rag_api.ingest.pdf.page_transform import PagePlane
from rag_api.ingest.pdf.vector_graphics import Drawn, Placed

_CODES = np.array(sorted(map(ord, SIGNS)), np.uint32)
_FIGURES = np.array(sorted(map(ord, DIGITS)), np.uint32)
# looked at in every font, as doses are made of them; others where they stand
_ALWAYS = frozenset(map(ord, DIGITS + "mgk\xb5lin"))
_FINE = 2000  # steps in a letter's height: two letters of one font differ in their measures by more
_MOST_FONTS = 200  # known at a time
_MOST_PIXELS = 1_000_000
_LARGEST = 60.0  # times
_HANDY = 8  # letters that are drawn the same, of which one is chosen
_LOOKS = 6  # at letters that are drawn the same

_char_box = fast("FPDFText_GetCharBox", ctypes.c_int, ctypes.c_void_p, ctypes.c_int, *[ctypes.c_void_p] * 4)

# a text object's glyphs, those that it shows
Take = Callable[[Any, Any, Placed, NDArray[np.int64]], tuple[Shot, NDArray[np.int64]] | None]
Key = tuple[int, int, int]  # font, code point, measures: what is drawn the same
Boxes = NDArray[np.float32]


class JudgedFonts:
    """What was found of the fonts of a document. Knows a font by its address, so it holds each one
    that it knows."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._wrong: dict[Key, bool] = {}
        self._fonts: dict[int, Any] = {}

    def close(self) -> None:
        """Let go of the fonts."""
        for thing in self._fonts.values():
            raw.FPDFPageObj_Destroy(thing)
        self._fonts.clear()
        self._wrong.clear()

    def untrue(self, sheet: Sheet) -> NDArray[np.bool_]:
        """Return [n] which glyphs of a page show another letter than they are said to be."""
        found = np.zeros(len(sheet.codes), bool)
        glyphs = sheet.judged()
        if not len(glyphs):
            return found
        self._hold(sheet.styles)
        keys = sheet.keys(glyphs)
        new: dict[Key, list[int]] = defaultdict(list)
        for key, glyph in zip(keys, glyphs.tolist(), strict=True):
            if key not in self._wrong:
                new[key].append(glyph)
        self._look(sheet, new)
        found[glyphs] = [self._wrong.get(key, False) for key in keys]
        return found

    def _hold(self, styles: Sequence[Style]) -> None:
        if len(self._fonts) > _MOST_FONTS:
            self.close()
        for style in styles:
            if style.font and style.font not in self._fonts:
                self._fonts[style.font] = raw.FPDFPageObj_CreateTextObj(
                    self._document, raw.FPDFTextObj_GetFont(style.handle), 1.0
                )

    def _look(self, sheet: Sheet, new: dict[Key, list[int]]) -> None:
        """Look at one of each; at more of them where that one is wrong: its neighbours may have
        reached into its picture."""
        if not new:
            return
        first = {key: sheet.handiest(glyphs) for key, glyphs in new.items()}
        drawn = {int(sheet.which[glyph]) for key, glyph in first.items() if key[1] in _ALWAYS}
        first = {key: glyph for key, glyph in first.items() if int(sheet.which[glyph]) in drawn}
        doubt = self._wrong_of(sheet, list(first.values()))
        more = [n for key, glyph in first.items() if glyph in doubt for n in new[key][:_LOOKS]]
        wrong = self._wrong_of(sheet, more)
        self._wrong |= {key: wrong.issuperset(new[key][:_LOOKS]) for key in first}

    def _wrong_of(self, sheet: Sheet, glyphs: Sequence[int]) -> set[int]:
        """A font that the file does not bring is stood in for by one that is bent to its widths,
        and has its ink elsewhere than it says: there the letter's whole cell must contradict
        too."""
        found = self._differ(sheet, glyphs, sheet.shot)
        lent = {n for n in found if not sheet.styles[int(sheet.which[n])].embedded}
        return found - lent | self._differ(sheet, sorted(lent), sheet.shot_of_cells)

    def _differ(self, sheet: Sheet, glyphs: Sequence[int], shot: Take) -> set[int]:
        if not glyphs:
            return set()
        order, shown = sheet.forms(self._document, glyphs, shot)
        return {n for n, one in zip(order, untrue([chr(sheet.codes[n]) for n in order], shown), strict=True) if one}


class Sheet:
    """A page's glyphs. which: [n] each one's text object, of `styles`; turned: [n] quarters
    clockwise as displayed; cells: [n, 4] left, bottom, right, top in user space, advance wide."""

    def __init__(
        self,
        page: Any,
        text: int,
        plane: PagePlane,
        drawn: Drawn,
        codes: NDArray[np.uint32],
        boxes: Boxes,
        which: NDArray[np.int64],
        styles: Sequence[Style],
        plain: NDArray[np.bool_],
        turned: NDArray[np.int8],
        cells: Boxes,
    ) -> None:
        self.page, self.text, self.plane, self.drawn = page, text, plane, drawn
        self.codes, self.boxes, self.which, self.styles = codes, boxes, which, styles
        self.plain, self.turned, self.cells = plain, turned, cells
        self.fonts = np.array([style.font for style in styles], np.uint64)
        self.lengths = np.bincount(which, minlength=len(styles)).tolist()

    def judged(self) -> NDArray[np.int64]:
        """Those that are letters or figures and plainly drawn."""
        return np.flatnonzero(self.plain & (self.fonts[self.which] != 0) & np.isin(self.codes, _CODES))

    def keys(self, glyphs: NDArray[np.int64]) -> list[Key]:
        """What is drawn the same has the same key: figures by all their measures, since most are as
        wide as each other."""
        boxes = self.boxes[glyphs]
        sides = boxes[:, 2:] - boxes[:, :2]
        odd = (self.turned[glyphs] % 2 == 1)[:, None]
        wide, high = np.where(odd, sides[:, ::-1], sides).T.astype(np.float64)
        measures = np.round(wide / high.clip(0.1) * _FINE).astype(np.int64)
        figures = np.flatnonzero(np.isin(self.codes[glyphs], _FIGURES))
        if len(figures):
            tight = self.plane.boxes(self.tight(glyphs[figures]))
            parts = np.column_stack([tight[:, 2:] - tight[:, :2], tight[:, 2:] - boxes[figures, 2:]]) / high[
                figures, None
            ].clip(0.1)
            measures[figures] = np.round(parts * _FINE).astype(np.int64) @ [1 << 36, 1 << 24, 1 << 12, 1]
        fonts = self.fonts[self.which[glyphs]]
        return list(zip(fonts.tolist(), self.codes[glyphs].tolist(), measures.tolist(), strict=True))

    def handiest(self, glyphs: Sequence[int]) -> int:
        """Of these the one in the longest text object, so that few need to be drawn."""
        return max(glyphs[:_HANDY], key=lambda n: self.lengths[self.which[n]])

    def forms(self, document: Any, glyphs: Sequence[int], take: Take) -> tuple[list[int], Forms]:
        """(those of the glyphs that could be drawn, what they look like upright); each text object
        is drawn once."""
        order: list[int] = []
        shots: list[Shot] = []
        at = np.array(sorted(glyphs, key=lambda n: (self.which[n], self.turned[n])), np.int64)
        ends = np.flatnonzero((np.diff(self.which[at]) != 0) | (np.diff(self.turned[at]) != 0)) + 1
        for own in np.split(at, ends):
            style = self.styles[int(self.which[own[0]])]
            place = self.drawn.texts.get(style.address)
            found = None if place is None else take(document, style.handle, place, own)
            if found is not None:
                shots.append(found[0])
                order += found[1].tolist()
        return order, forms(shots) if shots else np.zeros((0, 0), np.float32)

    def shot(
        self, document: Any, thing: Any, place: Placed, glyphs: NDArray[np.int64]
    ) -> tuple[Shot, NDArray[np.int64]] | None:
        """As large as its font says that their ink is."""
        taken = self._picture(document, thing, place, self.tight(glyphs))
        return None if taken is None else (Shot(*taken, self._quarters(place, glyphs), self._stretch(thing)), glyphs)

    def shot_of_cells(
        self, document: Any, thing: Any, place: Placed, glyphs: NDArray[np.int64]
    ) -> tuple[Shot, NDArray[np.int64]] | None:
        """What ink is found in the cells of those that the picture does not cut."""
        taken = self._picture(document, thing, place, self.cells[glyphs].astype(np.float64))
        if taken is None:
            return None
        inked = [_inked(taken[0], box) for box in taken[1]]
        whole = [n for n, box in enumerate(inked) if box is not None]
        if not whole:
            return None
        boxes = np.array([inked[n] for n in whole], np.float64)
        return Shot(taken[0], boxes, self._quarters(place, glyphs), self._stretch(thing)), glyphs[whole]

    def _picture(
        self, document: Any, thing: Any, place: Placed, areas: NDArray[np.float64]
    ) -> tuple[Opacity, NDArray[np.float64]] | None:
        """(it drawn alone, where in that the areas of user space are)"""
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        raw.FPDFPageObj_GetBounds(thing, left, bottom, right, top)
        scale, linear = self._scale(thing), place.matrix.linear
        area = (right.value - left.value) * (top.value - bottom.value) * scale**2
        if not 0 < area <= _MOST_PIXELS or abs(np.linalg.det(linear)) < 1e-6:
            return None
        ink = picture(document, self.page, thing, scale)
        if ink is None:
            return None
        corners = ((areas.reshape(-1, 2) - place.matrix.shift) @ np.linalg.inv(linear).T * scale).reshape(-1, 2, 2)
        low, high = corners.min(axis=1), corners.max(axis=1)
        x, y = math.floor(left.value * scale), math.floor(bottom.value * scale) + ink.shape[0]
        return ink, np.column_stack([low[:, 0] - x, y - high[:, 1], high[:, 0] - x, y - low[:, 1]])

    def _quarters(self, place: Placed, glyphs: NDArray[np.int64]) -> int:
        linear = place.matrix.linear
        quarters = round(math.atan2(linear[1, 0], linear[0, 0]) / (math.pi / 2))
        return (int(self.turned[glyphs[0]]) - self.plane.rotation // 90 + quarters) % 4

    def tight(self, glyphs: NDArray[np.int64]) -> NDArray[np.float64]:
        """[n, 4] left, bottom, right, top of their ink in user space."""
        found = np.zeros((len(glyphs), 4))
        start = found.ctypes.data
        left, bottom, right, top = (range(start + 8 * n, start + 8 * n + 32 * len(glyphs), 32) for n in range(4))
        deque(map(_char_box, repeat(self.text), glyphs.tolist(), left, right, bottom, top), maxlen=0)
        return found

    def _scale(self, thing: Any) -> float:
        """Pixels in a unit, so that its letters are at least as large as they should be either
        way."""
        side = min(_sides(thing))
        return min(_LARGEST, SIZE / side) if side > 0 else 0.0

    def _stretch(self, thing: Any) -> tuple[float, float]:
        wide, high = _sides(thing)
        matrix = _matrix(thing)
        return (wide / high, 1.0) if abs(matrix.a) >= abs(matrix.b) else (1.0, wide / high)


def _matrix(thing: Any) -> Any:
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(thing, matrix)
    return matrix


def _sides(thing: Any) -> tuple[float, float]:
    """How wide and how high its letters are, in units of what it stands in: two thin ones, where
    text is squeezed and stretched again."""
    size, matrix = ctypes.c_float(), _matrix(thing)
    raw.FPDFTextObj_GetFontSize(thing, size)
    return abs(size.value) * math.hypot(matrix.a, matrix.b), abs(size.value) * math.hypot(matrix.c, matrix.d)


def _inked(ink: Opacity, cell: NDArray[np.float64]) -> tuple[float, float, float, float] | None:
    """The part of a cell that is inked; None: nothing, or the picture ends at it."""
    x0, y0, x1, y1 = (
        int(side) for side in (math.floor(cell[0]), math.floor(cell[1]), math.ceil(cell[2]), math.ceil(cell[3]))
    )
    left, top = max(0, x0), max(0, y0)
    part = ink[top : max(top, y1), left : max(left, x1)] > INKED
    rows, columns = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
    if not len(rows) or (x0 < 0 and columns[0] == 0) or (x1 > ink.shape[1] and columns[-1] == part.shape[1] - 1):
        return None
    return float(left + columns[0]), float(top + rows[0]), float(left + columns[-1] + 1), float(top + rows[-1] + 1)
