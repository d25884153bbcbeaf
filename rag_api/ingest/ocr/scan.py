"""A rendered page -> its lines of text, read once or twice, upright. The list of the steps; knows
no PDF and no sentences."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.ocr.paddle import Paddle, Quad, Reading, paddle
from rag_api.ingest.ocr.picture import Grey, Picture, Rules, turned, without_rules
from rag_api.ingest.ocr.tesseract import Second, read_again

_SKEWED = 0.25  # degrees: less does not matter
_MOST_SKEW = 20.0  # degrees: more is a stamp, or no text
_ASIDE = 6.0  # degrees: a line as crooked on a page set straight is a stamp
_SIDEWAYS = 1.5  # times as high as wide
_PAD = 0.12  # of its height: what is taken along around a line


class TooSlow(Exception):
    """A page took longer than it may."""


@dataclass(frozen=True, slots=True, eq=False)
class ScannedLine:
    box: tuple[float, float, float, float]  # pixels of the straight picture
    first: Reading
    second: Second | None  # None: there is no second reader


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    picture: Picture  # straight
    rules: Rules
    lines: tuple[ScannedLine, ...]
    # where words stand slanted or sideways, as stamps do: they are left out
    crooked: tuple[tuple[float, float, float, float], ...]


def scan(picture: Picture, seconds: float, alone: bool = False) -> Scan:
    """seconds: of the processor's time; alone: without the second reader. Raises TooSlow;
    ImportError without the reader's packages."""
    reader, check = paddle(), _watch(seconds)
    straight, quads = _upright(reader, picture, check)
    check()
    rules = without_rules(straight)
    level = [quad for quad in quads if not _is_crooked(quad)]
    boxes = [_box_of(quad, straight.grey) for quad in level]
    first = reader.read([_cut(straight.grey, box) for box in boxes], check)
    check()
    second = None if alone else read_again([_cleared(_cut(rules.grey, box)) for box in boxes], seconds)
    lines = tuple(
        ScannedLine(box, one, None if second is None else second[n])
        for n, (box, one) in enumerate(zip(boxes, first, strict=True))
    )
    return Scan(straight, rules, lines, tuple(_box_of(quad, straight.grey) for quad in quads if _is_crooked(quad)))


def _watch(seconds: float) -> Callable[[], None]:
    end = time.process_time() + seconds

    def check() -> None:
        if time.process_time() > end:
            raise TooSlow

    return check


def _upright(reader: Paddle, picture: Picture, check: Callable[[], None]) -> tuple[Picture, list[Quad]]:
    """The picture with its text level and the right way up, and the lines on it."""
    quads = reader.find(picture.grey)
    check()
    if not quads:
        return picture, []
    if _mostly_sideways(quads):
        picture = turned(picture, 90)
        quads = reader.find(picture.grey)
        check()
    skew = _skew(quads)
    if abs(skew) >= _SKEWED:
        picture = turned(picture, skew)
        quads = reader.find(picture.grey)
        check()
    level = [quad for quad in quads if not _is_crooked(quad)]
    if level and reader.is_upside_down([_cut(picture.grey, _box_of(quad, picture.grey)) for quad in level], check):
        size = np.array([picture.grey.shape[1], picture.grey.shape[0]], np.float32)
        picture = turned(picture, 180)
        quads = [np.roll(size - quad, 2, axis=0) for quad in quads]
    return picture, quads


def _mostly_sideways(quads: Sequence[Quad]) -> bool:
    sideways = sum(_area(quad) for quad in quads if _height(quad) >= _SIDEWAYS * _width(quad))
    level = sum(_area(quad) for quad in quads if _width(quad) >= _SIDEWAYS * _height(quad))
    return sideways > level


def _skew(quads: Sequence[Quad]) -> float:
    """Degrees that most of the text falls towards the right; 0 when it cannot be told."""
    angles, weights = [], []
    for quad in quads:
        angle, width = _angle(quad), _width(quad)
        if width > 4 * _height(quad) and abs(angle) <= _MOST_SKEW:
            angles.append(angle)
            weights.append(width)
    if not angles:
        return 0.0
    order = np.argsort(angles)
    total = np.cumsum(np.array(weights)[order])
    return float(np.array(angles)[order][int(np.searchsorted(total, total[-1] / 2))])


def _angle(quad: Quad) -> float:
    dx, dy = ((quad[1] + quad[2]) - (quad[0] + quad[3])).tolist()
    return float(np.degrees(np.arctan2(dy, dx)))


def _is_crooked(quad: Quad) -> bool:
    long = _width(quad) > 2.5 * _height(quad)
    return (long and abs(_angle(quad)) > _ASIDE) or (_height(quad) > 2.5 * _width(quad))


def _width(quad: Quad) -> float:
    return float(max(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[3])))


def _height(quad: Quad) -> float:
    return float(max(np.linalg.norm(quad[3] - quad[0]), np.linalg.norm(quad[2] - quad[1])))


def _area(quad: Quad) -> float:
    return _width(quad) * _height(quad)


def _box_of(quad: Quad, grey: Grey) -> tuple[float, float, float, float]:
    """Around the line, a little wider, inside the picture."""
    height, width = grey.shape
    (x0, y0), (x1, y1) = quad.min(axis=0).tolist(), quad.max(axis=0).tolist()
    pad = _PAD * (y1 - y0)
    x0, y0, x1, y1 = (
        max(0.0, x0 - pad),
        max(0.0, y0 - pad / 3),
        min(float(width), x1 + pad),
        min(float(height), y1 + pad / 3),
    )
    return (
        float(int(x0)),
        float(int(y0)),
        float(max(int(x0) + 2, int(np.ceil(x1)))),
        float(max(int(y0) + 2, int(np.ceil(y1)))),
    )


def _cut(grey: Grey, box: tuple[float, float, float, float]) -> Grey:
    x0, y0, x1, y1 = map(int, box)
    return np.ascontiguousarray(grey[y0:y1, x0:x1])


def _cleared(crop: Grey) -> Grey:
    """Dark letters on white, whatever the cell's colour: what is usual in the crop is paper."""
    dark, usual, light = np.percentile(crop, [2, 50, 98])
    if usual - dark < light - usual:  # light letters on dark
        crop, dark, usual = np.asarray(255 - crop, np.uint8), 255 - light, 255 - usual
    spread: NDArray[np.float32] = (crop.astype(np.float32) - dark) * (255 / max(8.0, float(usual - dark)))
    return np.asarray(np.clip(spread, 0, 255), np.uint8)
