"""Flow charts in a page's image: boxes around words, and the strokes outside of them that join
two."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.charts.charts import areas, whole_charts
from rag_api.ingest.layout.charts.links import BoxArray, Link, Nodes, holds, middles_of
from rag_api.ingest.ocr.picture import Picture, paler

_FULL = 0.75  # of what is around it: so much a box fills
_SHORT, _SIDE = 5.0, 9.0  # points: a stroke that joins boxes is longer; from a box's corner it stands further
_RIM = 28  # pixels: of a shaded area, at most
_REACH = 4.0  # points between a stroke and what it joins
_WORD = 1.5  # points around words that are theirs


def charts_in(picture: Picture, words: NDArray[np.float32]) -> BoxArray:
    """[c, 4] where they stand. words: [w, 4] the lines that were read; all in points of the
    straight picture."""
    places = words.astype(np.float64)
    dark = cv2.morphologyEx(paler(picture.grey), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    size = (dark.shape[1] / picture.scale, dark.shape[0] / picture.scale)
    boxes = areas(_shapes(dark) / picture.scale, places, size) if len(places) else places
    if len(boxes) < 2:
        return np.zeros((0, 4))
    free = places[~holds(boxes, middles_of(places)).any(axis=0)]
    nodes = Nodes(boxes, np.zeros((0, 4)), middles_of(free))
    return whole_charts(nodes.charts(_links(dark, boxes, places, picture.scale)), boxes, places, size)


def _shapes(dark: NDArray[np.uint8]) -> BoxArray:
    """[s, 4] around what fills most of the oblong around it. Of a shaded area only the rim is dark:
    it has an inner side, which is none."""
    contours, _ = cv2.findContours(dark, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for contour in contours:
        x, y, wide, high = cv2.boundingRect(contour)
        if cv2.contourArea(contour) >= _FULL * wide * high:
            found.append((x, y, x + wide, y + high))
    shapes = np.unique(np.array(found, np.float64).reshape(-1, 4), axis=0)
    wider = np.concatenate([shapes[:, :2] - shapes[:, None, :2], shapes[:, None, 2:] - shapes[:, 2:]], axis=2)
    inner = np.asarray(((wider >= 0) & (wider <= _RIM)).all(axis=2))
    np.fill_diagonal(inner, False)
    return np.asarray(shapes[~inner.any(axis=0)])


def _links(dark: NDArray[np.uint8], boxes: BoxArray, words: BoxArray, scale: float) -> Iterator[Link]:
    left = dark.copy()
    for place, pad in [*((word, _WORD) for word in words), *((box, _REACH / 2) for box in boxes)]:
        left[_slices(place, pad, scale)] = 0
    count, labels, stats, _ = cv2.connectedComponentsWithStats(left, connectivity=8)
    ends: list[set[int]] = [set() for _ in range(count)]
    for n, box in enumerate(boxes):
        # beside its sides, not its corners
        for axis in (0, 1):
            side = box.copy()
            side[[axis, axis + 2]] += (_SIDE, -_SIDE)
            side[[1 - axis, 3 - axis]] += (-_REACH, _REACH)
            for label in np.unique(labels[_slices(side, 0, scale)]).tolist():
                ends[label].add(n)
    for n in range(1, count):
        x, y, wide, high = stats[n, :4].tolist()
        if len(ends[n]) > 1 and max(wide, high) >= _SHORT * scale:
            yield Link(frozenset(ends[n]), np.array([x, y, x + wide, y + high]) / scale, len(ends[n]), arrow=False)


def _slices(box: BoxArray, pad: float, scale: float) -> tuple[slice, slice]:
    x0, y0, x1, y1 = (max(0, round(float(side) * scale)) for side in (*(box[:2] - pad), *(box[2:] + pad)))
    return slice(y0, y1), slice(x0, x1)
