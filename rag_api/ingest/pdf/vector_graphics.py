"""Graphics that are painted on a page besides text: the rules that tables are made of, and what
text may lie on.

Content may be nested in forms (a page placed on a page): each has a matrix of its own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from rag_api.ingest.pdf.cell_fills import THIN, edges_of_area, edges_of_cells, middle, seen_areas
from rag_api.ingest.pdf.page_transform import PagePlane

_MAX_OBJECTS = 20_000  # of a page, and segments of its paths: a drawing has many, a table few
_MAX_DEPTH = 4  # forms in forms
_BAR = 40.0  # points: no fraction's bar is as long
_HUGE = 18.0  # points: letters as high may cover others
MOST_SQUARES = 400  # of a page; more is a drawing
_SIDE = (4.0, 14.0)  # points: a square to tick

_NO_COLOUR = (-1, -1, -1)  # a pattern's or gradient's

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What is painted on a page besides text, in page space."""

    across: NDArray[np.float32]  # [h, 3] horizontal rules: x0, x1, y
    down: NDArray[np.float32]  # [v, 3] vertical rules: y0, y1, x
    bars: NDArray[np.float32]  # [b, 3] as `across`, those short enough for a fraction's
    squares: NDArray[np.float32]  # [s, 4] small hollow squares
    held: NDArray[np.bool_]  # [s] something is drawn in them
    images: NDArray[np.float32]  # [i, 4]
    fills: NDArray[np.float32]  # [f, 4] areas painted in another colour than white
    colours: NDArray[np.int16]  # [f, 3] theirs, -1: several
    strokes: NDArray[np.float32]  # [n, 4] straight lines in any direction: x, y, x, y
    outlines: NDArray[np.float32]  # [o, 4] around each part of a path that is no thin line
    oblong: NDArray[np.bool_]  # [o] it is a rectangle
    covers: NDArray[np.float32]  # [c, 4] areas painted in any way, pictures, thick lines
    covers_order: NDArray[np.int64]  # [c] when each is painted
    painted: tuple[Any, ...]  # the objects of `covers`
    texts: Mapping[int, Placed]  # by the address of a text object


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A text object's place on the page. `order`: when it is painted; `dim`: it, or a form it is
    in, lets something through; `box`: [4] in page space."""

    order: int
    matrix: Matrix
    dim: bool
    box: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """x' = a x + c y + e, y' = b x + d y + f."""

    linear: Points  # [2, 2]
    shift: Points  # [2]

    def __call__(self, points: Points) -> Points:
        """[n, 2] -> [n, 2]"""
        return points @ self.linear.T + self.shift

    def after(self, inner: Matrix) -> Matrix:
        return Matrix(self.linear @ inner.linear, self.linear @ inner.shift + self.shift)


_IDENTITY = Matrix(np.eye(2), np.zeros(2))


def read_drawn(page: Any, plane: PagePlane) -> Drawn:
    found = _Found(plane)
    for order, (thing, matrix, dim) in enumerate(_objects(page)):
        found.add(order, thing, matrix, dim)
    return found.drawn()


class _Found:
    """What was seen on the page so far."""

    def __init__(self, plane: PagePlane) -> None:
        self.plane = plane
        self.rules: list[Points] = []  # [2, 2] from, to; in page space
        self.strokes: list[Points] = []  # thin parts of areas
        self.outlines: list[tuple[NDArray[np.float32], bool]] = []
        self.squares: list[NDArray[np.float32]] = []
        self.specks: list[NDArray[np.float32]] = []  # what may stand in a square
        self.images: list[NDArray[np.float32]] = []
        self.fills: list[tuple[NDArray[np.float32], tuple[int, int, int]]] = []
        self.unstroked: list[bool] = []  # of `fills`
        self.covers: list[tuple[NDArray[np.float32], int, Any]] = []
        self.texts: dict[int, Placed] = {}
        self.budget = _MAX_OBJECTS

    def add(self, order: int, thing: Any, matrix: Matrix, dim: bool) -> None:
        kind = raw.FPDFPageObj_GetType(thing)
        box = _box(thing, matrix, self.plane)
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            address = ctypes.cast(thing, ctypes.c_void_p).value or 0
            self.texts[address] = Placed(order, matrix, dim, box)
        if kind == raw.FPDF_PAGEOBJ_TEXT and min(box[2] - box[0], box[3] - box[1]) > _HUGE:
            self.covers.append((box, order, thing))
        elif kind == raw.FPDF_PAGEOBJ_PATH:
            self._add_path(order, thing, matrix, box)
        elif kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING):
            self.covers.append((box, order, thing))
            if kind == raw.FPDF_PAGEOBJ_IMAGE:
                self.images.append(box)
            else:
                self._add_fill(box, _NO_COLOUR, unstroked=False)

    def _add_path(self, order: int, thing: Any, matrix: Matrix, box: NDArray[np.float32]) -> None:
        colour, stroked = _paint(thing)
        filled = colour is not None and min(colour) < 250
        if colour is not None or (stroked and _stroke_width(thing) > THIN):
            self.covers.append((box, order, thing))
        if filled and colour is not None:
            self._add_fill(box, colour, unstroked=not stroked and self.budget > 0)
        if self.budget <= 0:
            return
        segments, parts = _segments(thing, matrix)
        self.budget -= len(segments) + 1
        closed = [part for part in parts if colour is not None or (stroked and np.ptp(part[[0, -1]], axis=0).max() < 1)]
        for points in map(self.plane.points, closed):
            low, high = points.min(axis=0), points.max(axis=0)
            part = np.concatenate([low, high]).astype(np.float32)
            if min(high - low) > THIN:
                self.outlines.append((part, bool((np.minimum(points - low, high - points) < 0.5).all())))
            elif not stroked:
                self.strokes.append(middle(part))
        if max(box[2] - box[0], box[3] - box[1]) < 2 * _SIDE[1]:
            hollow = colour is None or min(colour) >= 250 if stroked else len(segments) == 8
            (self.squares if hollow and _is_square(box, segments) else self.specks).append(box)
        if stroked and len(segments):
            self.rules.extend(self.plane.points(segments.reshape(-1, 2)).reshape(-1, 2, 2))

    def _add_fill(self, box: NDArray[np.float32], colour: tuple[int, int, int], *, unstroked: bool) -> None:
        self.fills.append((box, colour))
        self.unstroked.append(unstroked)

    def drawn(self) -> Drawn:
        fills = np.array([box for box, _ in self.fills], np.float32).reshape(-1, 4)
        colours = np.array([colour for _, colour in self.fills], np.int16).reshape(-1, 3)
        areas, seen = seen_areas(fills, colours)
        edges = [edge for area in areas[seen & np.array(self.unstroked, bool)] for edge in edges_of_area(area)]
        lines = np.array([*self.rules, *edges], np.float32).reshape(-1, 4)  # x, y, x, y
        dx, dy = np.abs(lines[:, 2] - lines[:, 0]), np.abs(lines[:, 3] - lines[:, 1])
        flat, steep = lines[(dy < 1) & (dx > 8)], lines[(dx < 1) & (dy > 4)]
        bars = lines[(dy < 1) & (dx > 2) & (dx < _BAR)]
        across, down = edges_of_cells(areas[seen])
        return Drawn(
            np.concatenate([_spans(flat, 0), across]),
            np.concatenate([_spans(steep, 1), down]),
            _spans(bars, 0),
            np.array(self.squares, np.float32).reshape(-1, 4),
            _held(self.squares, self.specks),
            np.array(self.images, np.float32).reshape(-1, 4),
            fills,
            colours,
            np.concatenate([lines, np.array(self.strokes, np.float32).reshape(-1, 4)]),
            np.array([box for box, _ in self.outlines], np.float32).reshape(-1, 4),
            np.array([oblong for _, oblong in self.outlines], bool),
            np.array([box for box, _, _ in self.covers], np.float32).reshape(-1, 4),
            np.array([order for _, order, _ in self.covers], np.int64),
            tuple(thing for _, _, thing in self.covers),
            self.texts,
        )


def _objects(page: Any) -> Iterator[tuple[Any, Matrix, bool]]:
    """Everything painted on a page in order, with the matrix that puts it there, forms opened;
    whether it lets something through."""
    count = min(raw.FPDFPage_CountObjects(page), _MAX_OBJECTS)
    waiting = [(raw.FPDFPage_GetObject(page, i), _IDENTITY, 0, False) for i in reversed(range(count))]
    left = _MAX_OBJECTS
    while waiting and left:
        thing, matrix, depth, dim = waiting.pop()
        left -= 1
        dim = dim or bool(raw.FPDFPageObj_HasTransparency(thing))
        if raw.FPDFPageObj_GetType(thing) != raw.FPDF_PAGEOBJ_FORM:
            yield thing, matrix, dim
        elif depth < _MAX_DEPTH:
            within = matrix.after(_matrix(thing))
            inside = min(max(0, raw.FPDFFormObj_CountObjects(thing)), left)
            waiting += [(raw.FPDFFormObj_GetObject(thing, i), within, depth + 1, dim) for i in reversed(range(inside))]


def _matrix(thing: Any) -> Matrix:
    found = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(thing, found)
    return Matrix(np.array([[found.a, found.c], [found.b, found.d]]), np.array([found.e, found.f]))


def _box(thing: Any, matrix: Matrix, plane: PagePlane) -> NDArray[np.float32]:
    """[4] its bounds in page space."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(thing, left, bottom, right, top)
    corners = np.array([[x.value, y.value] for x in (left, right) for y in (bottom, top)])
    there = plane.points(matrix(corners))
    return np.concatenate([there.min(axis=0), there.max(axis=0)]).astype(np.float32)


def _segments(path: Any, matrix: Matrix) -> tuple[Points, list[Points]]:
    """([n, 2, 2] from and to of the straight pieces of a path, the points of each of its parts), in
    user space."""
    x, y = ctypes.c_float(), ctypes.c_float()
    first = last = (0.0, 0.0)
    found: list[tuple[tuple[float, float], tuple[float, float]]] = []
    parts: list[list[tuple[float, float]]] = []
    for i in range(min(raw.FPDFPath_CountSegments(path), _MAX_OBJECTS)):
        segment = raw.FPDFPath_GetPathSegment(path, i)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        here = (x.value, y.value)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO or not parts:
            first = here
            parts.append([])
        elif kind == raw.FPDF_SEGMENT_LINETO:
            found.append((last, here))
        parts[-1].append(here)
        last = here
        if raw.FPDFPathSegment_GetClose(segment) and here != first:
            found.append((here, first))
            parts[-1].append(first)
    placed = matrix.after(_matrix(path))
    segments = placed(np.array(found, np.float64).reshape(-1, 2)).reshape(-1, 2, 2)
    return segments, [placed(np.array(part, np.float64)) for part in parts if len(part) > 2]


def _paint(path: Any) -> tuple[tuple[int, int, int] | None, bool]:
    """(the colour it is filled with, None: not filled; whether it is stroked)"""
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, mode, stroke)
    if mode.value == raw.FPDF_FILLMODE_NONE:
        return None, bool(stroke.value)
    r, g, b, a = (ctypes.c_uint(0) for _ in range(4))
    known = raw.FPDFPageObj_GetFillColor(path, r, g, b, a)
    if known and a.value == 0:
        return None, bool(stroke.value)
    return (r.value, g.value, b.value) if known else _NO_COLOUR, bool(stroke.value)


def _stroke_width(path: Any) -> float:
    width = ctypes.c_float()
    return float(width.value) if raw.FPDFPageObj_GetStrokeWidth(path, width) else 0.0


def _is_square(box: NDArray[np.float32], segments: Points) -> bool:
    """Drawn with its sides alone, or as the area between an outer and an inner square."""
    wide, high = float(box[2] - box[0]), float(box[3] - box[1])
    straight = (np.abs(segments[:, 0] - segments[:, 1]).min(axis=1) < 0.1).all()
    return (
        len(segments) in (4, 5, 8) and bool(straight) and _SIDE[0] <= wide <= _SIDE[1] and abs(wide - high) < 0.1 * wide
    )


def _held(squares: list[NDArray[np.float32]], specks: list[NDArray[np.float32]]) -> NDArray[np.bool_]:
    """[s] something else that is small reaches into them."""
    if len(squares) > MOST_SQUARES:
        return np.zeros(len(squares), bool)
    others = np.array([*squares, *specks], np.float32).reshape(-1, 4)
    inside = [(others[:, :2] < box[2:] - 1).all(axis=1) & (others[:, 2:] > box[:2] + 1).all(axis=1) for box in squares]
    return np.array([np.count_nonzero(found) > 1 for found in inside], bool)


def _spans(lines: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    """[n, 4] lines along an axis -> [n, 3] where they begin and end on it, and where they lie on
    the other."""
    ends = lines[:, [axis, axis + 2]]
    return (
        np.column_stack([ends.min(axis=1), ends.max(axis=1), lines[:, 1 - axis]])
        if len(lines)
        else np.zeros((0, 3), np.float32)
    )
