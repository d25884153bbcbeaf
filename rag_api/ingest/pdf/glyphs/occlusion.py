"""Glyphs of a page that something may hide: what is painted over them or under them, their colour,
a clip, a layer.

Cheap and on the safe side: what is doubtful is looked at (pixels.py), what is not is read.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from rag_api.ingest.pdf.page_transform import PagePlane
from rag_api.ingest.pdf.vector_graphics import Drawn, Matrix

_PALE = 160  # of 255: letters as light as this may not show on white
_CLEAR = 160  # of 255: letters as transparent as this
_NEAR = 96  # of 255: letters this near to the colour of what they lie on
_MANY = 2000  # areas: more are not compared, all is doubtful
_CELL, _MOST_CELLS = 2.0, 1000  # points; across a page
_CLIPS_FROM = 4  # render modes from here on make letters a clip for what follows

Boxes = NDArray[np.float32]


def doubtful(boxes: Boxes, colours: NDArray[np.int16], order: NDArray[np.int64], drawn: Drawn) -> NDArray[np.bool_]:
    """[n] glyphs whose place makes them doubtful. colours: [n, 4] of the letters; order: [n] when
    each is painted, -1: not known."""
    if len(drawn.covers) > _MANY or len(drawn.fills) + len(drawn.images) > _MANY:
        return np.ones(len(boxes), bool)
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    found: NDArray[np.bool_] = (order < 0) | (colours[:, :3].min(axis=1) >= _PALE) | (colours[:, 3] <= _CLEAR)
    for (x0, y0, x1, y1), when in zip(drawn.covers, drawn.covers_order, strict=True):
        found |= (order < when) & (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    for (x0, y0, x1, y1), colour in zip(drawn.fills, drawn.colours, strict=True):
        near = (np.abs(colours[:, :3] - colour).max(axis=1) < _NEAR) | (colour.min() < 0)
        found |= near & (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    for x0, y0, x1, y1 in drawn.images:
        found |= (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    return found


def below_letters(boxes: Boxes, order: NDArray[np.int64], drawn: Drawn, plane: PagePlane) -> NDArray[np.bool_]:
    """[n] glyphs in whose middle other letters are written later, which may be bars or large."""
    side = max(_CELL, max(plane.width, plane.height) / _MOST_CELLS)
    # what is written in each cell last
    last = np.full((int(plane.height / side) + 1, int(plane.width / side) + 1), -1, np.int64)
    for place in drawn.texts.values():  # in their order
        x0, y0, x1, y1 = (place.box / side).clip(0, _MOST_CELLS)
        last[int(y0) : int(y1) + 1, int(x0) : int(x1) + 1] = place.order
    middle = np.nan_to_num((boxes[:, :2] + boxes[:, 2:]) / 2 / side)
    x, y = (np.clip(middle[:, n], 0, last.shape[1 - n] - 1).astype(int) for n in (0, 1))
    return np.asarray((order >= 0) & (last[y, x] > order))


def clip_of(thing: Any, matrix: Matrix, plane: PagePlane) -> tuple[NDArray[np.float32], bool]:
    """([4] the box in page space that a text object is clipped to, whether the clip has another
    shape than a box)."""
    box = np.array([-np.inf, -np.inf, np.inf, np.inf], np.float32)
    clip = raw.FPDFPageObj_GetClipPath(thing)
    count = raw.FPDFClipPath_CountPaths(clip) if clip else 0
    odd = False
    for path in range(max(0, min(count, 50))):
        points, straight = _points(clip, path)
        if not len(points):
            continue
        there = plane.points(matrix(points))
        low, high = there.min(axis=0), there.max(axis=0)
        box = np.concatenate([np.maximum(box[:2], low), np.minimum(box[2:], high)]).astype(np.float32)
        odd |= not (straight and _is_box(there, low, high))
    return box, odd or count > 50


def _points(clip: Any, path: int) -> tuple[NDArray[np.float64], bool]:
    """([n, 2] its points, whether all lines are straight)."""
    x, y = ctypes.c_float(), ctypes.c_float()
    found: list[tuple[float, float]] = []
    straight = True
    for i in range(min(raw.FPDFClipPath_CountPathSegments(clip, path), 200)):
        segment = raw.FPDFClipPath_GetPathSegment(clip, path, i)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        found.append((x.value, y.value))
        straight &= raw.FPDFPathSegment_GetType(segment) != raw.FPDF_SEGMENT_BEZIERTO
    return np.array(found, np.float64).reshape(-1, 2), straight


def _is_box(points: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> bool:
    at_edge = np.minimum(np.abs(points - low), np.abs(points - high)) < 0.5
    return len(points) <= 5 and bool(at_edge.all())


def from_clip_on(modes: Sequence[int], orders: Sequence[int]) -> float:
    """From when on letters may be clipped to other letters; infinite when none of them is a
    clip."""
    return min((float(order) for mode, order in zip(modes, orders, strict=True) if mode >= _CLIPS_FROM), default=np.inf)


def in_a_layer(thing: Any) -> bool:
    """It belongs to optional content, which may be switched off."""
    name = ctypes.create_string_buffer(16)
    for i in range(max(0, raw.FPDFPageObj_CountMarks(thing))):
        mark = raw.FPDFPageObj_GetMark(thing, i)
        length = ctypes.c_ulong()
        raw.FPDFPageObjMark_GetName(mark, ctypes.cast(name, ctypes.POINTER(ctypes.c_ushort)), 16, length)
        if name.raw[: max(0, min(16, length.value) - 2)].decode("utf-16-le", "replace") == "OC":
            return True
    return False
