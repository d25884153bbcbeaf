"""What is painted on a page besides text: the rules that tables are made of, and what text may lie on.

Content may be nested in forms (a page placed on a page): each has a matrix of its own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from rag_api.ingest.plane import PagePlane

_MAX_OBJECTS = 20_000  # of a page, and segments of its paths: a drawing has many, a table few
_MAX_DEPTH = 4  # forms in forms
_THIN = 2.5  # points: a filled box as thin as this is a rule
_WIDE, _LOW = 100.0, 150.0  # points: one this wide and not higher may be a table row's background, whose edges part rows

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What is painted on a page besides text, in page space."""

    across: NDArray[np.float32]  # [h, 3] horizontal rules: x0, x1, y
    down: NDArray[np.float32]  # [v, 3] vertical rules: y0, y1, x
    images: NDArray[np.float32]  # [i, 4]
    fills: NDArray[np.float32]  # [f, 4] areas painted in another colour than white


@dataclass(frozen=True, slots=True, eq=False)
class _Matrix:
    """x' = a x + c y + e, y' = b x + d y + f."""

    linear: Points  # [2, 2]
    shift: Points  # [2]

    def __call__(self, points: Points) -> Points:
        """[n, 2] -> [n, 2]"""
        return points @ self.linear.T + self.shift

    def after(self, inner: _Matrix) -> _Matrix:
        return _Matrix(self.linear @ inner.linear, self.linear @ inner.shift + self.shift)


_IDENTITY = _Matrix(np.eye(2), np.zeros(2))


def read_drawn(page: Any, plane: PagePlane) -> Drawn:
    rules: list[Points] = []  # [2, 2] from, to; in page space
    images: list[NDArray[np.float32]] = []
    fills: list[NDArray[np.float32]] = []
    budget = _MAX_OBJECTS
    for thing, matrix in _objects(page):
        kind = raw.FPDFPageObj_GetType(thing)
        if kind == raw.FPDF_PAGEOBJ_PATH and budget > 0:
            segments = _segments(thing, matrix)
            budget -= len(segments) + 1
            filled, stroked = _paint(thing)
            box = _box(thing, matrix, plane)
            if filled:
                fills.append(box)
            if stroked and len(segments):
                rules.extend(plane.points(segments.reshape(-1, 2)).reshape(-1, 2, 2))
            elif filled and min(box[2] - box[0], box[3] - box[1]) < _THIN:
                rules.append(_middle(box))
            elif filled and box[2] - box[0] > _WIDE and box[3] - box[1] < _LOW:
                rules.extend(np.array([[box[0], y], [box[2], y]], np.float64) for y in (box[1], box[3]))
        elif kind == raw.FPDF_PAGEOBJ_IMAGE:
            images.append(_box(thing, matrix, plane))
        elif kind == raw.FPDF_PAGEOBJ_SHADING:
            fills.append(_box(thing, matrix, plane))
    lines = np.array(rules, np.float32).reshape(-1, 4)  # x, y, x, y
    dx, dy = np.abs(lines[:, 2] - lines[:, 0]), np.abs(lines[:, 3] - lines[:, 1])
    flat, steep = lines[(dy < 1) & (dx > 8)], lines[(dx < 1) & (dy > 4)]
    return Drawn(_spans(flat, 0), _spans(steep, 1), np.array(images, np.float32).reshape(-1, 4), np.array(fills, np.float32).reshape(-1, 4))


def _objects(page: Any) -> Iterator[tuple[Any, _Matrix]]:
    """Everything painted on a page with the matrix that puts it there, forms opened."""
    count = min(raw.FPDFPage_CountObjects(page), _MAX_OBJECTS)
    waiting = [(raw.FPDFPage_GetObject(page, i), _IDENTITY, 0) for i in reversed(range(count))]
    left = _MAX_OBJECTS
    while waiting and left:
        thing, matrix, depth = waiting.pop()
        left -= 1
        if raw.FPDFPageObj_GetType(thing) != raw.FPDF_PAGEOBJ_FORM:
            yield thing, matrix
        elif depth < _MAX_DEPTH:
            within = matrix.after(_matrix(thing))
            inside = min(max(0, raw.FPDFFormObj_CountObjects(thing)), left)
            waiting += [(raw.FPDFFormObj_GetObject(thing, i), within, depth + 1) for i in reversed(range(inside))]


def _matrix(thing: Any) -> _Matrix:
    found = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(thing, found)
    return _Matrix(np.array([[found.a, found.c], [found.b, found.d]]), np.array([found.e, found.f]))


def _box(thing: Any, matrix: _Matrix, plane: PagePlane) -> NDArray[np.float32]:
    """[4] its bounds in page space."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(thing, left, bottom, right, top)
    corners = np.array([[x.value, y.value] for x in (left, right) for y in (bottom, top)])
    there = plane.points(matrix(corners))
    return np.concatenate([there.min(axis=0), there.max(axis=0)]).astype(np.float32)


def _segments(path: Any, matrix: _Matrix) -> Points:
    """[n, 2, 2] from and to of the straight pieces of a path, in user space."""
    x, y = ctypes.c_float(), ctypes.c_float()
    first = last = (0.0, 0.0)
    found: list[tuple[tuple[float, float], tuple[float, float]]] = []
    for i in range(min(raw.FPDFPath_CountSegments(path), _MAX_OBJECTS)):
        segment = raw.FPDFPath_GetPathSegment(path, i)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        here = (x.value, y.value)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            first = here
        elif kind == raw.FPDF_SEGMENT_LINETO:
            found.append((last, here))
        last = here
        if raw.FPDFPathSegment_GetClose(segment) and here != first:
            found.append((here, first))
    placed = matrix.after(_matrix(path))
    return placed(np.array(found, np.float64).reshape(-1, 2)).reshape(-1, 2, 2)


def _paint(path: Any) -> tuple[bool, bool]:
    """(filled with a colour other than white, stroked)"""
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, mode, stroke)
    filled = mode.value != raw.FPDF_FILLMODE_NONE
    if filled:
        r, g, b, a = (ctypes.c_uint(0) for _ in range(4))
        raw.FPDFPageObj_GetFillColor(path, r, g, b, a)
        filled = a.value > 0 and min(r.value, g.value, b.value) < 250
    return filled, bool(stroke.value)


def _middle(box: NDArray[np.float32]) -> Points:
    """[2, 2] the line along the middle of a thin box."""
    x0, y0, x1, y1 = (float(side) for side in box)
    if x1 - x0 > y1 - y0:
        return np.array([[x0, (y0 + y1) / 2], [x1, (y0 + y1) / 2]])
    return np.array([[(x0 + x1) / 2, y0], [(x0 + x1) / 2, y1]])


def _spans(lines: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    """[n, 4] lines along an axis -> [n, 3] where they begin and end on it, and where they lie on the other."""
    ends = lines[:, [axis, axis + 2]]
    return np.column_stack([ends.min(axis=1), ends.max(axis=1), lines[:, 1 - axis]]) if len(lines) else np.zeros((0, 3), np.float32)
