"""A page as pixels: rendered, turned upright, without the rules of its tables. Knows nothing of
words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray
from pypdfium2 import PdfBitmap

from rag_api.ingest.pdf.page_transform import PagePlane

_SCALE = 240 / 72  # pixels in a point
_MOST_PIXELS = 9_000_000
_LEAST = 8  # pixels: of less nothing can be read
_LONG, _HIGH = 36.0, 18.0  # points: a stroke as long as this is a rule, no letter
_THICK = 3.0  # points
_CLEAR = 0.25  # of what lies close to a rule is ink: beside a row of letters' feet more is

_AROUND, _DARKER, _PALER = 51, 18, 7  # pixels, grey levels of letters and of rules
_STEP = 24  # grey levels between a shaded area and what is beside it
_SOLID = 0.8  # of a row of pixels is ink: no row of letters is so full
_NEAR = 8  # pixels: two rules end at one height, or in one place
_SPECK = 6  # pixels

Grey = NDArray[np.uint8]  # [height, width]
Affine = NDArray[np.float64]  # [2, 3]
Points = NDArray[np.float64]  # [n, 2] x, y

cv2.setNumThreads(1)  # as many readers run as there are cores


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    grey: Grey
    scale: float  # pixels in a point
    to_page: Affine  # from pixels to page space

    def on_page(self, points: Points) -> Points:
        """[n, 2] pixels -> [n, 2] page space"""
        return points @ self.to_page[:, :2].T + self.to_page[:, 2]


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    across: NDArray[np.float32]  # [h, 3] x0, x1, y; pixels
    down: NDArray[np.float32]  # [v, 3] y0, y1, x
    grey: Grey  # the picture without them


def render(page: Any, plane: PagePlane) -> Picture | None:
    """The page as a reader sees it; None of one too small to hold words."""
    scale = min(_SCALE, (_MOST_PIXELS / max(1.0, plane.width * plane.height)) ** 0.5)
    width, height = round(plane.width * scale), round(plane.height * scale)
    if min(width, height) < _LEAST:
        return None
    bitmap = PdfBitmap.new_native(width, height, raw.FPDFBitmap_Gray)
    bitmap.fill_rect((255, 255, 255, 255), 0, 0, width, height)
    raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, raw.FPDF_ANNOT | raw.FPDF_GRAYSCALE)
    return Picture(bitmap.to_numpy(), scale, np.array([[1 / scale, 0, 0], [0, 1 / scale, 0]]))


def turned(picture: Picture, degrees: float) -> Picture:
    """The picture turned so many degrees counterclockwise, on paper as large as that needs."""
    height, width = picture.grey.shape
    matrix = np.asarray(cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0), np.float64)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64) @ matrix[:, :2].T + matrix[:, 2]
    low, high = corners.min(axis=0), corners.max(axis=0)
    matrix[:, 2] -= low
    size = np.maximum(1, np.round(high - low)).astype(int)
    quarter = round(degrees / 90)
    if abs(degrees - 90 * quarter) < 1e-6:
        grey = np.ascontiguousarray(np.rot90(picture.grey, quarter))
    else:
        grey = cv2.warpAffine(
            picture.grey, matrix, (int(size[0]), int(size[1])), flags=cv2.INTER_CUBIC, borderValue=(255,)
        )
    back = np.linalg.inv(np.vstack([matrix, [0, 0, 1]]))
    whole = np.vstack([picture.to_page, [0, 0, 1]]) @ back
    return Picture(np.asarray(grey, np.uint8), picture.scale, whole[:2])


def ink(grey: Grey) -> NDArray[np.bool_]:
    """[height, width]: darker than the paper around it, without specks."""
    blurred = cv2.GaussianBlur(grey, (3, 3), 0)
    return _without_specks(
        cv2.adaptiveThreshold(blurred, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, _AROUND, _DARKER)
    )


def letters_in(crop: Grey) -> NDArray[np.bool_]:
    """The same of a line's crop, whose letters may be light on dark."""
    level, dark = cv2.threshold(cv2.GaussianBlur(crop, (3, 3), 0), 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    dark = np.asarray(255 - dark, np.uint8) if np.median(crop) < level else np.asarray(dark, np.uint8)
    dark[dark.mean(axis=1) > _SOLID * 255] = 0  # the edge of a shaded cell, what is left of a rule
    return _without_specks(dark)


def paler(grey: Grey) -> NDArray[np.uint8]:
    """[height, width] 1: a little darker than what is around it, as rules are."""
    return np.asarray(
        cv2.adaptiveThreshold(grey, 1, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, _AROUND, _PALER), np.uint8
    )


def _without_specks(dark: NDArray[np.uint8]) -> NDArray[np.bool_]:
    _, labels, stats, _ = cv2.connectedComponentsWithStats(dark, connectivity=8)
    kept = stats[:, cv2.CC_STAT_AREA] > _SPECK
    kept[0] = False
    return np.asarray(kept[labels])


def without_rules(picture: Picture) -> Rules:
    """The rules of tables, and the picture without them: readers take them for letters."""
    dark = paler(picture.grey)
    thick = max(3, round(_THICK * picture.scale))
    across, flat = _strokes(dark, max(8, round(_LONG * picture.scale)), thick)
    across = np.concatenate([across, _edges(picture, across)])
    down, steep = _strokes(np.ascontiguousarray(dark.T), max(8, round(_HIGH * picture.scale)), thick)
    steep = np.ascontiguousarray(steep.T)
    mask = cv2.dilate(flat | steep, np.ones((3, 3), np.uint8))
    grey = picture.grey.copy()
    grey[mask > 0] = 255
    return Rules(across, down, grey)


def closed(rules: Rules) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(across, down), with rules down the sides of rows that have some within: print often leaves a
    table's sides open."""
    across, down = rules.across[np.argsort(rules.across[:, 2], kind="stable")], rules.down
    sides: list[tuple[float, float, float]] = []
    for n, (x0, x1, top) in enumerate(across.tolist()):
        below = next((y for a, b, y in across[n + 1 :].tolist() if abs(a - x0) < _NEAR and abs(b - x1) < _NEAR), None)
        if below is None:
            continue
        middle = (top + below) / 2
        within = [x for y0, y1, x in down.tolist() if y0 <= middle <= y1 and x0 + _NEAR < x < x1 - _NEAR]
        sides += [(top, below, x) for x in (x0, x1) if within]
    return across, np.concatenate([down, np.array(sides, np.float32).reshape(-1, 3)])


def _edges(picture: Picture, known: NDArray[np.float32]) -> NDArray[np.float32]:
    """[n, 3] the upper and lower edges of shaded areas, which part rows as rules do, where no rule
    is known."""
    grey = picture.grey.astype(np.int16)
    steps = np.zeros(grey.shape, np.uint8)
    steps[2:-2] = np.abs(grey[4:] - grey[:-4]) > _STEP
    long = max(8, round(_LONG * picture.scale))
    found = cv2.morphologyEx(steps, cv2.MORPH_OPEN, np.ones((1, long), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(found, connectivity=8)
    edges = [
        (x, x + width, y + height / 2)
        for x, y, width, height, _ in stats[1:count].tolist()
        if height <= _THICK * picture.scale
    ]
    near = _THICK * picture.scale
    new = [edge for edge in edges if not (np.abs(known[:, 2] - edge[2]) < near).any()]
    return np.array(new, np.float32).reshape(-1, 3)


def _strokes(dark: NDArray[np.uint8], long: int, thick: int) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """([n, 3] from, to, where; the pixels of them) of straight level strokes at least as long, with
    white above and below."""
    joined = cv2.morphologyEx(dark, cv2.MORPH_CLOSE, np.ones((1, 3), np.uint8))
    found = cv2.morphologyEx(joined, cv2.MORPH_OPEN, np.ones((1, long), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(found, connectivity=8)
    rules, keep = [], np.zeros(count, bool)
    for n in range(1, count):
        x, y, width, height, _ = stats[n].tolist()
        beside = (
            dark[max(0, y - 6) : max(0, y - 2), x : x + width],
            dark[y + height + 2 : y + height + 6, x : x + width],
        )
        if height <= thick and all(not part.size or part.mean() < _CLEAR for part in beside):
            keep[n] = True
            rules.append((x, x + width, y + height / 2))
    return np.array(rules, np.float32).reshape(-1, 3), keep[labels].astype(np.uint8)
