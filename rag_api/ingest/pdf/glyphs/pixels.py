"""Visibility of words by the page's pixels: with them and without them it must look different where
they stand.

For the few glyphs that something on the page may hide (occlusion.py); rendered is only the part of
the page that holds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray
from pypdfium2 import PdfBitmap

from rag_api.ingest.pdf.page_transform import PagePlane

_SCALE = 2.0  # pixels in a point
_MOST_PIXELS = 4_000_000
_SEEN = 32  # of 255: less difference nobody makes out
_MOST_LAYERS = 300  # of words over each other: what lies deeper nobody makes out
_FILL, _CLIP = 0, 7  # text render modes

Boxes = NDArray[np.float32]
Pixels = NDArray[np.int16]  # [height, width, 3]
Window = tuple[slice, slice]


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """A text object and the glyphs of it that are looked at."""

    thing: Any
    text: str
    boxes: Boxes  # [k, 4] page space
    mode: int


class Camera:
    """Renders the part of a page that holds these boxes."""

    def __init__(self, page: Any, plane: PagePlane, boxes: Boxes) -> None:
        self.page = page
        x0, y0 = np.maximum(boxes[:, :2].min(axis=0) - 1, 0)
        x1, y1 = np.minimum(boxes[:, 2:].max(axis=0) + 1, (plane.width, plane.height))
        area = max(1.0, float((x1 - x0) * (y1 - y0)))
        self.scale = min(_SCALE, (_MOST_PIXELS / area) ** 0.5)
        self.origin = np.floor(np.array([x0, y0]) * self.scale)
        self.size = [max(1, int(side)) for side in np.ceil(np.array([x1, y1]) * self.scale) - self.origin]
        self.whole = [max(1, round(side * self.scale)) for side in (plane.width, plane.height)]

    def look(self, window: Window | None = None) -> Pixels:
        """Of all that it holds, or of a window in it."""
        rows, columns = window or (slice(0, self.size[1]), slice(0, self.size[0]))
        width, height = columns.stop - columns.start, rows.stop - rows.start
        bitmap = PdfBitmap.new_native(width, height, raw.FPDFBitmap_BGRx)
        bitmap.fill_rect((255, 255, 255, 255), 0, 0, width, height)
        left, top = (-int(side) for side in (self.origin[0] + columns.start, self.origin[1] + rows.start))
        raw.FPDF_RenderPageBitmap(bitmap, self.page, left, top, *self.whole, 0, raw.FPDF_ANNOT)
        return np.asarray(bitmap.to_numpy()[:, :, :3], np.int16)

    def windows(self, boxes: Boxes) -> Iterator[Window]:
        """Where each box lies in what was looked at."""
        corners = boxes * self.scale - np.tile(self.origin, 2)
        limit = np.tile(self.size, 2)
        low = np.clip(np.floor(np.nan_to_num(corners)), 0, limit).astype(int)
        for (x0, y0, _, _), (_, _, x1, y1) in zip(
            low, np.clip(np.ceil(np.nan_to_num(corners)), 0, limit).astype(int), strict=True
        ):
            yield slice(y0, max(y1, y0 + 1)), slice(x0, max(x1, x0 + 1))


def seen(page: Any, plane: PagePlane, words: Sequence[Words], painted: Sequence[Any]) -> list[NDArray[np.bool_]]:
    """For each of the words, which of its glyphs can be seen. painted: what else is painted, in
    which a clip of letters may show."""
    if not words:
        return []
    camera = Camera(page, plane, np.vstack([word.boxes for word in words]))
    before = camera.look()
    found = [np.zeros(len(word.boxes), bool) for word in words]
    for layer in _layers(words):
        near = _around([window for i in layer for window in camera.windows(words[i].boxes)])
        changed = np.zeros(before.shape[:2], bool)
        with _without([words[i].thing for i in layer]):
            changed[near] = _differ(before[near], camera.look(near))
        for i in layer:
            found[i] = np.array([bool(changed[window].sum() >= 2) for window in camera.windows(words[i].boxes)])
    if clips := [i for i, word in enumerate(words) if word.mode == _CLIP]:
        _through_letters(camera, before, [words[i] for i in clips], [found[i] for i in clips], painted)
    return found


def has_ink(page: Any, plane: PagePlane, boxes: Boxes) -> NDArray[np.bool_]:
    """[n]: something is to be seen at each of the boxes, as below the invisible words of a scan."""
    camera = Camera(page, plane, boxes)
    pixels = camera.look()
    return np.array([bool(np.ptp(pixels[window], axis=(0, 1)).max() >= _SEEN) for window in camera.windows(boxes)])


def _differ(one: Pixels, two: Pixels) -> NDArray[np.bool_]:
    return np.asarray(np.abs(one - two).max(axis=2) >= _SEEN)


@contextmanager
def _without(things: Sequence[Any]) -> Iterator[None]:
    shown = [thing for thing in things if _set_active(thing, False)]
    try:
        yield
    finally:
        for thing in shown:
            _set_active(thing, True)


def _set_active(thing: Any, active: bool) -> bool:
    return bool(raw.FPDFPageObj_SetIsActive(thing, active))


def _around(windows: Sequence[Window]) -> Window:
    """The window that holds these."""
    rows, columns = zip(*windows, strict=True)
    return slice(min(one.start for one in rows), max(one.stop for one in rows)), slice(
        min(one.start for one in columns), max(one.stop for one in columns)
    )


def _layers(words: Sequence[Words]) -> list[list[int]]:
    """Which are taken away together: none that lies over other words, else one would be taken for
    the other."""
    whole = np.array([[*word.boxes[:, :2].min(axis=0), *word.boxes[:, 2:].max(axis=0)] for word in words])
    areas = np.prod(whole[:, 2:] - whole[:, :2], axis=1).clip(1e-6)
    layers: list[list[int]] = []
    layer_of = np.zeros(len(words), int)
    for i, word in enumerate(words):
        sides = np.minimum(whole[:i, 2:], whole[i, 2:]) - np.maximum(whole[:i, :2], whole[i, :2])
        over = np.flatnonzero(np.prod(sides.clip(0), axis=1) > 0.3 * np.minimum(areas[:i], areas[i]))
        # the same: drawn twice, to look bold
        taken = {int(layer_of[other]) for other in over.tolist() if words[other].text != word.text}
        layer_of[i] = next(n for n in count() if n not in taken)
        if layer_of[i] == len(layers):
            layers.append([])
        layers[layer_of[i]].append(i)
    return layers[:_MOST_LAYERS]


def _through_letters(
    camera: Camera, before: Pixels, words: list[Words], found: list[NDArray[np.bool_]], painted: Sequence[Any]
) -> None:
    """Letters that are nothing but a clip are seen where what is painted through them has their
    shape."""
    with _without(painted):
        bare = camera.look()
        for word in words:
            raw.FPDFTextObj_SetTextRenderMode(word.thing, _FILL)
        shape = _differ(bare, camera.look())
        for word in words:
            raw.FPDFTextObj_SetTextRenderMode(word.thing, _CLIP)
    changed = _differ(before, bare)
    for word, glyphs in zip(words, found, strict=True):
        for n, window in enumerate(camera.windows(word.boxes)):
            ink, paint = shape[window], changed[window]
            both = (ink & paint).sum()
            glyphs[n] |= bool(both >= 0.4 * max(2, ink.sum()) and both >= 0.5 * paint.sum())
