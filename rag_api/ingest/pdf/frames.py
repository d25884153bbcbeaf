"""The boxes that are drawn around text: coloured areas and rectangles of rules. A table's cells are
none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.pdf.cell_fills import seen_areas
from rag_api.ingest.pdf.vector_graphics import Drawn

_LEAST = (80.0, 14.0)  # points: what is smaller holds no paragraph
_MOST = 0.6  # of the page: what is larger is its background
_MOST_RULES = 60  # more is a table or a drawing, but for boxes that stand alone
_NEAR = 3.0  # points between corners that are one
_OUTSIDE = 2.0  # points that letters may stand outside their frame
_TOUCH = 1.0  # points between two areas that are one


def frames_of(drawn: Drawn, width: float, height: float) -> NDArray[np.float32]:
    """[f, 4] in page space."""
    boxes = np.concatenate([_filled(drawn), _ruled(drawn)])
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    kept: NDArray[np.float32] = boxes[(wide > _LEAST[0]) & (high > _LEAST[1]) & (wide * high < _MOST * width * height)]
    return kept


def frames_around(boxes: NDArray[np.float32], frames: NDArray[np.float32]) -> list[int]:
    """The frames that all characters [n, 4] stand in, the smallest first."""
    boxes = boxes[~np.isnan(boxes).any(axis=1)]
    if not len(frames) or not len(boxes):
        return []
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    holds = (frames[:, :2] <= low + _OUTSIDE).all(axis=1) & (frames[:, 2:] >= high - _OUTSIDE).all(axis=1)
    areas = (frames[:, 2] - frames[:, 0]) * (frames[:, 3] - frames[:, 1])
    return [int(frame) for frame in np.argsort(areas, kind="stable") if holds[frame]]


def _filled(drawn: Drawn) -> NDArray[np.float32]:
    """Areas in colour, those that are stacked edge to edge in one colour as one: programs shade a
    paragraph line by line."""
    areas, seen = seen_areas(drawn.fills, drawn.colours)
    areas, colours = areas[seen], drawn.colours[seen]
    whole: list[NDArray[np.float32]] = []
    feet: dict[tuple[int, ...], int] = {}  # by colour and sides: the last area of it
    for n in np.argsort(areas[:, 1], kind="stable"):
        area = areas[n]
        of = (*colours[n].tolist(), *np.round(area[[0, 2]]).astype(int).tolist())
        last = feet.get(of, -1)
        if last >= 0 and area[1] <= whole[last][3] + _TOUCH:
            whole[last][3] = max(whole[last][3], area[3])
        else:
            feet[of] = len(whole)
            whole.append(area.copy())
    return np.array(whole, np.float32).reshape(-1, 4)


def _ruled(drawn: Drawn) -> NDArray[np.float32]:
    """Rectangles of two rules across and two down, with no rule inside that parts it from side to
    side or from top to bottom. Among many rules only those that no rule meets from outside."""
    across, down = drawn.across, drawn.down
    many = len(across) > _MOST_RULES or len(down) > _MOST_RULES
    across = across[across[:, 1] - across[:, 0] > _LEAST[0]]
    found: list[tuple[float, float, float, float]] = []
    for x0, x1, top in across:
        below = across[
            (across[:, 2] > top + _LEAST[1]) & (abs(across[:, 0] - x0) < _NEAR) & (abs(across[:, 1] - x1) < _NEAR)
        ]
        if not len(below):
            continue
        bottom = float(below[:, 2].min())
        spans = down[(down[:, 0] < top + _NEAR) & (down[:, 1] > bottom - _NEAR)]
        sides = [bool((abs(spans[:, 2] - x) < _NEAR).any()) for x in (x0, x1)]
        parted = ((spans[:, 2] > x0 + _NEAR) & (spans[:, 2] < x1 - _NEAR)).any()
        if all(sides) and not parted and not (many and _is_met(drawn, (x0, top, x1, bottom))):
            found.append((float(x0), float(top), float(x1), bottom))
    return np.array(sorted(set(found)), np.float32).reshape(-1, 4)


def _is_met(drawn: Drawn, box: tuple[float, float, float, float]) -> bool:
    """A rule goes on outside from one of its sides: it is a cell, or a part of a drawing."""
    x0, top, x1, bottom = box
    return bool(
        _passes(drawn.across, (x0, x1), (top, bottom)).any() or _passes(drawn.down, (top, bottom), (x0, x1)).any()
    )


def _passes(rules: NDArray[np.float32], ends: tuple[float, float], sides: tuple[float, float]) -> NDArray[np.bool_]:
    """Which rules reach from outside to one of two ends. sides: between which they stand."""
    within = (rules[:, 2] > sides[0] - _NEAR) & (rules[:, 2] < sides[1] + _NEAR)
    low, high = ends[0] - _NEAR, ends[1] + _NEAR
    return np.asarray(
        within & (((rules[:, 0] < low) & (rules[:, 1] > low)) | ((rules[:, 0] < high) & (rules[:, 1] > high)))
    )
