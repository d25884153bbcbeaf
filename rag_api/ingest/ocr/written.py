"""The lines of a scan -> items of a page, as layout gives them of a PDF's own text, and which
letters are in doubt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.charts.charts import lines_in_charts, marked
from rag_api.ingest.layout.layout import lay_out_straight
from rag_api.ingest.layout.lines import Line, PageRules, Row, lines_of_item
from rag_api.ingest.layout.order import Box, reading_order
from rag_api.ingest.layout.tables.stray_cells import with_stray_cells
from rag_api.ingest.ocr.doubt import doubtful
from rag_api.ingest.ocr.drawings import charts_in
from rag_api.ingest.ocr.letters import Letters, alike, bold, letters_of
from rag_api.ingest.ocr.picture import Picture, closed, ink
from rag_api.ingest.ocr.scan import Scan, ScannedLine
from rag_api.ingest.ocr.tables import torn
from rag_api.ingest.pdf.glyphs.page_glyphs import Glyphs

_BELIEVED = 0.5  # mean probability of its letters: a line below is no text
_NEAR = 1.0  # line heights: as near as this a line may belong to what could not be read
_BESIDE = 3.0  # line heights, on the same line
_SPACE, _NEWLINE = 32, 10
_WORD = re.compile(r"[^\W\d_]{3}")


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    items: tuple[Line | Row, ...]
    charted: bool  # some of them stand in a chart
    tall: float  # of the straight page, in points
    doubts: NDArray[np.float32]  # [k, 4] page space: boxes of letters in doubt, exactly as the items have them
    unread: int  # places where something stands that is not in the items
    rules: PageRules  # of the straight page


def written(scan: Scan) -> Written:
    dark = ink(scan.rules.grey)
    read = [line for line in scan.lines if line.first.text.strip() and line.first.score >= _BELIEVED]
    letters = [letters_of(line.first, line.box, scan.rules.grey) for line in read]
    doubts = [doubtful(one.reading, line.second) | one.beside for one, line in zip(letters, read, strict=True)]
    unread = [Box(*line.box) for line in scan.lines if line not in read] + _missed(dark, read, letters)
    for box in (*unread, *(Box(*box) for box in scan.crooked)):  # a stamp may hide a line
        for line, own in zip(read, doubts, strict=True):
            own[:] |= _touches(box, Box(*line.box))
    order = reading_order([_standing(line, one) for line, one in zip(read, letters, strict=True)])
    sheet = _Sheet(
        scan.picture,
        alike([one.size for one in letters]),
        bold([o.stroke for o in letters], [len(o.boxes) for o in letters]),
    )
    glyphs, upright, doubt = sheet.glyphs(order, letters, doubts)
    scale = np.float32(1 / scan.picture.scale)
    across, down = (each * scale for each in closed(scan.rules))
    rules = PageRules(across, down)
    items = with_stray_cells(lay_out_straight(glyphs, upright, (across, down)))
    lines = [line for item in items for line in lines_of_item(item)]
    places = np.array([(line.x0, line.y0, line.x1, line.y1) for line in lines], np.float32).reshape(-1, 4)
    words = np.array([line.box for line in read], np.float32).reshape(-1, 4) * scale
    items = list(marked(items, lines, places, charts_in(scan.picture, words)))
    charted = lines_in_charts(items)
    in_doubt = np.concatenate([glyphs.boxes[doubt], *(line.marked.boxes for line in (*torn(items), *charted))])
    in_doubt = in_doubt[~np.isnan(in_doubt[:, 0])]
    items = _without_emblems(items, in_doubt)
    return Written(
        tuple(items), bool(charted), scan.picture.grey.shape[0] / scan.picture.scale, in_doubt, len(unread), rules
    )


def _without_emblems(items: Sequence[Line | Row], in_doubt: NDArray[np.float32]) -> list[Line | Row]:
    """A line in doubt without a word, as is read in an emblem or on a scale, heads nothing."""
    doubtful = set(map(tuple, in_doubt.tolist()))
    return [
        replace(item, drawing=True)
        if isinstance(item, Line)
        and not _WORD.search(item.marked.text)
        and not doubtful.isdisjoint(map(tuple, item.marked.boxes.tolist()))
        else item
        for item in items
    ]


def _standing(line: ScannedLine, letters: Letters) -> Box:
    """Where the line stands, by its letters: what was found around it may hold other lines'
    edges."""
    return Box(line.box[0], letters.base - letters.size, line.box[2], letters.base)


@dataclass(frozen=True, slots=True, eq=False)
class _Sheet:
    picture: Picture
    sizes: Sequence[float]
    bolds: Sequence[bool]

    def glyphs(
        self, order: Sequence[int], letters: Sequence[Letters], doubts: Sequence[NDArray[np.bool_]]
    ) -> tuple[Glyphs, NDArray[np.float32], NDArray[np.bool_]]:
        """(all letters in this order, a line end after each line; [n, 4] their boxes on the
        straight page; [n] which are in doubt)."""
        nothing = np.full((1, 4), np.nan, np.float32)
        codes = [code for i in order for code in (*map(ord, letters[i].reading.text), _NEWLINE)]
        straight = np.concatenate(
            [nothing, *(part for i in order for part in (self._resized(i, letters[i]), nothing))]
        )[1:]
        lengths = [len(letters[i].reading.text) + 1 for i in order]
        heavy = np.repeat([self.bolds[i] for i in order], lengths).astype(bool)
        doubt = np.concatenate([np.zeros(0, bool), *(part for i in order for part in (doubts[i], [False]))]).astype(
            bool
        )
        count, none = len(codes), np.zeros(len(codes), bool)
        upright = (straight / np.float32(self.picture.scale)).astype(np.float32)
        turned = np.zeros(count, np.int8)
        glyphs = Glyphs(
            np.array(codes, np.uint32), self._on_page(straight), heavy, none, none, none, none, turned, *[none] * 4
        )
        return glyphs, upright, doubt & ~np.isnan(straight[:, 0])

    def _resized(self, i: int, own: Letters) -> NDArray[np.float32]:
        """Its boxes as high as the page's letters of about this size."""
        boxes = own.boxes.copy()
        grown = self.sizes[i] / own.size
        boxes[:, 1::2] = (boxes[:, 1::2] - own.base) * grown + own.base
        return boxes

    def _on_page(self, boxes: NDArray[np.float32]) -> NDArray[np.float32]:
        corners = np.stack([self.picture.on_page(boxes[:, [x, y]].astype(np.float64)) for x in (0, 2) for y in (1, 3)])
        return np.hstack([corners.min(axis=0), corners.max(axis=0)]).astype(np.float32)


def _touches(place: Box, line: Box) -> bool:
    """The line may go on in that place."""
    height = line.y1 - line.y0
    above, beside = max(place.y0 - line.y1, line.y0 - place.y1), max(place.x0 - line.x1, line.x0 - place.x1)
    return (above < 0 and beside < _BESIDE * height) or (beside < 0 and above < _NEAR * height)


def _missed(dark: NDArray[np.bool_], read: Sequence[ScannedLine], letters: Sequence[Letters]) -> list[Box]:
    """Where marks as large as letters stand in a row that nobody found."""
    if not letters:
        return []
    size = float(np.median([one.size for one in letters]))
    left = dark.astype(np.uint8)
    for line in read:
        x0, y0, x1, y1 = map(int, line.box)
        pad = int(0.25 * size)
        left[max(0, y0 - pad) : y1 + pad, max(0, x0 - pad) : x1 + pad] = 0
    _, labels, stats, _ = cv2.connectedComponentsWithStats(left, connectivity=8)
    width, height = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    alike_letters = (height > 0.4 * size) & (height < 1.3 * size) & (width > 0.06 * size) & (width < 1.5 * size)
    alike_letters[0] = False
    marks = alike_letters[labels].astype(np.uint8)
    near = cv2.morphologyEx(marks, cv2.MORPH_CLOSE, np.ones((1, max(3, int(0.8 * size))), np.uint8))
    groups, _, spans, _ = cv2.connectedComponentsWithStats(near, connectivity=8)
    found = []
    for x, y, w, h, _ in spans[1:groups].tolist():
        inside = np.unique(labels[y : y + h, x : x + w][marks[y : y + h, x : x + w] > 0])
        if len(inside) >= 3 and w > 1.5 * size and h < 2.5 * size:
            found.append(Box(x, y, x + w, y + h))
    return found
