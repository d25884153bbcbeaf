"""Flow charts and posters: words in boxes that lines or arrows join.

No order of their words says what the drawing says, so they are found and shown, never quoted. Known
by geometry alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.charts.links import (
    BoxArray,
    Drawing,
    Groups,
    Nodes,
    around,
    holds,
    middles_of,
    white_between,
)
from rag_api.ingest.layout.lines import Line, Row, lines_of_item
from rag_api.ingest.pdf.vector_graphics import Drawn

_LEAST = (24.0, 9.0)  # points: of a box around words
_MOST = 0.5  # of the page: what is larger is its background
_SAME = 2.0  # points: boxes as near as this are one area
_ARROW = 0.3  # of the page's width or height, at most
_SHORT = 4.0  # points: a line as short is a part of a letter or of a curve
_MOST_DRAWN, _TOO_MANY = 3_000, 600  # lines or boxes; more is a picture; of those that may join boxes
_FEW = 12  # lines of words in a box of a chart; more may be a table's or a column's
_WHOLE = 0.6  # of a page's words stand in its boxes: all of them are the chart's
_RUNNING, _PARAGRAPH = 25.0, 3  # times as wide as high is a line of running text; as many are a paragraph
_LINES, _WIDTH = 8, 0.5  # of a block of words without a box, at most; of the page


def with_charts(items: Sequence[Line | Row], drawn: Drawn, size: tuple[float, float]) -> tuple[Line | Row, ...]:
    """A page's items, in their order: what stands in a chart is marked as that, and no table's
    row."""
    lines = [line for item in items for line in lines_of_item(item)]
    boxes = np.array([_box(line) for line in lines], np.float32).reshape(-1, 4)
    return marked(items, lines, boxes, charts(boxes, drawn.strokes, drawn.outlines, drawn.oblong, size))


def marked(
    items: Sequence[Line | Row], lines: Sequence[Line], boxes: NDArray[np.float32], found: BoxArray
) -> tuple[Line | Row, ...]:
    """lines: theirs; boxes: [n, 4] where those stand; found: [c, 4] charts."""
    if not len(found):
        return tuple(items)
    inside = np.flatnonzero(holds(found, middles_of(boxes.astype(np.float64)), 0).any(axis=0))
    held = {id(lines[n]) for n in inside.tolist()}
    kept: dict[int, Line | Row] = {}
    for item in items:
        own = lines_of_item(item)
        if held.isdisjoint(map(id, own)):
            kept[id(item)] = item
        else:
            kept |= {id(line): replace(line, drawing=True, cell=False, names=False) for line in own}
    return tuple(kept.values())


def lines_in_charts(items: Iterable[Line | Row]) -> list[Line]:
    return [line for item in items for line in lines_of_item(item) if line.drawing]


def _box(line: Line) -> NDArray[np.float32]:
    """[4] in page space."""
    boxes = line.marked.boxes
    return np.concatenate([np.nanmin(boxes[:, :2], axis=0), np.nanmax(boxes[:, 2:], axis=0)])


def charts(
    words: NDArray[np.float32],
    strokes: NDArray[np.float32],
    outlines: NDArray[np.float32],
    oblong: NDArray[np.bool_],
    size: tuple[float, float],
) -> BoxArray:
    """[c, 4] where a page's charts stand, in page space. words: [w, 4] its lines; strokes: [s, 4]
    x, y, x, y; outlines: [o, 4] around what is drawn; oblong: [o] which are rectangles; size: the
    page's."""
    nothing = np.zeros((0, 4))
    if not len(words) or max(len(strokes), len(outlines)) > _MOST_DRAWN:
        return nothing
    places = words.astype(np.float64)
    rounded = np.column_stack([np.round(outlines.astype(np.float64)), oblong])
    shapes, flat = np.split(np.unique(rounded, axis=0), [4], axis=1)
    boxes = areas(shapes, places, size)
    arrows, slanted = _arrows(shapes, flat[:, 0] > 0, middles_of(places), boxes, size)
    lines = _lines(strokes.astype(np.float64), shapes, boxes)
    if not len(arrows) + len(lines):
        return nothing
    free = places[_is_free(boxes, places)]  # words that no box holds
    nodes = Nodes(boxes, _blocks(free, size), middles_of(free))
    return whole_charts(nodes.charts(Drawing(nodes, lines, arrows, slanted).links()), boxes, places, size)


def whole_charts(found: BoxArray, boxes: BoxArray, words: BoxArray, size: tuple[float, float]) -> BoxArray:
    """All of a page's charts as one, but where running text stands between them; with all its boxes
    where they hold most of its words."""
    if not len(found):
        return found
    held = ~_is_free(boxes, words)
    whole = around(found)[None]
    few = boxes[holds(boxes, middles_of(words)).sum(axis=1) <= _FEW]
    sides = words[:, 2:] - words[:, :2]
    inside = holds(whole, middles_of(words), 0)[0]
    if sides.prod(axis=1)[inside | held].sum() >= _WHOLE * sides.prod(axis=1).sum():
        whole = around(np.concatenate([few, whole]))[None]
    running = words[~held & (sides[:, 0] > _RUNNING * sides[:, 1])]
    large = (whole[0, 2:] - whole[0, :2]).prod() > _MOST * size[0] * size[1]
    if large or holds(whole, middles_of(running), 0).sum() < _PARAGRAPH:
        found = whole
    return np.array(
        [around(np.concatenate([boxes[white_between(boxes, one[None])[:, 0] < 0], one[None]])) for one in found]
    )


def _is_free(boxes: BoxArray, words: BoxArray) -> NDArray[np.bool_]:
    return np.asarray(~holds(boxes, middles_of(words)).any(axis=0))


def areas(shapes: BoxArray, words: BoxArray, size: tuple[float, float]) -> BoxArray:
    """The innermost boxes that words stand in; those that lie against each other, as the shades of
    a paragraph's lines do, are one."""
    sides = shapes[:, 2:] - shapes[:, :2]
    area = sides.prod(axis=1)
    fits = (sides[:, 0] >= _LEAST[0]) & (sides[:, 1] >= _LEAST[1]) & (area <= _MOST * size[0] * size[1])
    order = np.argsort(area, kind="stable")
    boxes = shapes[order[fits[order]]]
    held = holds(boxes, middles_of(words))
    inner = np.unique(held.argmax(axis=0)[held.any(axis=0)]) if len(boxes) else np.zeros(0, np.int64)
    boxes = _merged(boxes[inner])
    sides = boxes[:, 2:] - boxes[:, :2]
    boxes = boxes[sides.prod(axis=1) <= _MOST * size[0] * size[1]]
    within = _within(boxes)
    np.fill_diagonal(within, False)
    return np.asarray(boxes[~within.any(axis=1)])


def _merged(boxes: BoxArray) -> BoxArray:
    groups = Groups(len(boxes))
    within = _within(boxes)
    for n, m in np.argwhere((white_between(boxes, boxes) < _SAME) & ~within & ~within.T).tolist():
        groups.join(n, m)
    return np.array([around(boxes[own]) for own in groups.all()]).reshape(-1, 4)


def _within(boxes: BoxArray) -> NDArray[np.bool_]:
    """[n, m] whether box n holds box m."""
    return holds(boxes, boxes[:, :2]) & holds(boxes, boxes[:, 2:])


def _blocks(words: BoxArray, size: tuple[float, float]) -> BoxArray:
    """Few short lines below each other that no box holds."""
    if len(words) > _TOO_MANY:
        return np.zeros((0, 4))
    groups = Groups(len(words))
    high = words[:, 3] - words[:, 1]
    over = np.minimum(words[:, None, 2], words[:, 2]) - np.maximum(words[:, None, 0], words[:, 0]) > 0
    below = words[:, None, 1] - words[:, 3]
    for n, m in np.argwhere(over & (below > -0.5 * high) & (below < 0.7 * high)).tolist():
        groups.join(n, m)
    found = [around(words[own]) for own in groups.all() if len(own) <= _LINES]
    return np.array([one for one in found if one[2] - one[0] < _WIDTH * size[0]]).reshape(-1, 4)


def _arrows(
    shapes: BoxArray, oblong: NDArray[np.bool_], middles: BoxArray, boxes: BoxArray, size: tuple[float, float]
) -> tuple[BoxArray, NDArray[np.bool_]]:
    """What is drawn outside of boxes and holds no words; which of it may point somewhere, as no
    rectangle does."""
    sides = shapes[:, 2:] - shapes[:, :2]
    fits = (sides <= _ARROW * np.array(size)).all(axis=1) & (sides.max(axis=1) >= _SHORT)
    fits &= ~holds(shapes, middles, 0).any(axis=1) & ~holds(boxes, middles_of(shapes), 0).any(axis=0)
    if fits.sum() > _TOO_MANY:
        fits[:] = False
    return shapes[fits], ~oblong[fits]


def _lines(strokes: BoxArray, shapes: BoxArray, boxes: BoxArray) -> BoxArray:
    """Lines that are no side of what is drawn, and lie in no box."""
    strokes = strokes[np.hypot(*(strokes[:, 2:] - strokes[:, :2]).T) >= _SHORT]
    low, high = np.minimum(strokes[:, :2], strokes[:, 2:]), np.maximum(strokes[:, :2], strokes[:, 2:])
    side = np.zeros(len(strokes), bool)
    for shape in shapes:
        for axis in (0, 1):
            along = (low[:, 1 - axis] >= shape[1 - axis] - _SAME) & (high[:, 1 - axis] <= shape[3 - axis] + _SAME)
            for at in (shape[axis], shape[axis + 2]):
                side |= along & (abs(low[:, axis] - at) < _SAME) & (abs(high[:, axis] - at) < _SAME)
    strokes = strokes[~side]
    inside = holds(boxes, strokes[:, :2], -1) & holds(boxes, strokes[:, 2:], -1)
    strokes = strokes[~inside.any(axis=0)]
    return strokes if len(strokes) <= _TOO_MANY else strokes[:0]
