"""Words that a line strikes through: they no longer hold, and must not be quoted as if they did."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# of a letter's box, from above: where a line strikes it; an underline is lower, a table's rule
# beside it
_MIDDLE = 0.4, 0.72
_FEWEST = 3  # letters in a row: a minus or a dash may cross one


def struck_through(boxes: NDArray[np.float32], across: NDArray[np.float32]) -> NDArray[np.bool_]:
    """[n] of upright glyphs. boxes: [n, 4] in page space; across: [h, 3] horizontal rules, x0, x1,
    y."""
    found = np.zeros(len(boxes), bool)
    if not len(across) or not len(boxes):
        return found
    x, height = (boxes[:, 0] + boxes[:, 2]) / 2, boxes[:, 3] - boxes[:, 1]
    top, bottom = boxes[:, 1] + _MIDDLE[0] * height, boxes[:, 1] + _MIDDLE[1] * height
    for x0, x1, y in across:
        with np.errstate(invalid="ignore"):
            crossed = (x > x0) & (x < x1) & (y > top) & (y < bottom)
        if crossed.sum() >= _FEWEST and (x1 - x0) < 1.5 * (boxes[crossed, 2].max() - boxes[crossed, 0].min()):
            found |= crossed
    return found
