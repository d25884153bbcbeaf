"""The boxes of a page's characters as compact bytes: 1/16 point in int16, column by column as
differences, deflated.

Knows only the array: float32 [n, 4] in page space, NaN rows where a character has no box.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

_UNIT = 16.0  # steps per point; the largest page that fits is 2,047 points (72 cm) wide; larger ones take larger steps
_NONE = -32768  # a row without a box
_LIMIT = 32767


def pack_boxes(boxes: NDArray[np.float32]) -> bytes:
    """About 2 bytes a character on ordinary pages; exact to 1/32 point on pages up to 2,047
    points."""
    assert boxes.shape == (len(boxes), 4), boxes.shape
    largest = float(np.nanmax(np.abs(boxes))) if boxes.size and not np.isnan(boxes).all() else 0.0
    unit = np.float32(min(_UNIT, _LIMIT / largest if largest else _UNIT))
    with np.errstate(invalid="ignore"):
        steps = np.where(np.isnan(boxes), _NONE, np.round(boxes * unit)).astype(np.int16)
    # wraps around, and back when summed
    deltas = np.diff(steps, axis=0, prepend=np.zeros((1, 4), np.int16)).astype(np.int16)
    return unit.tobytes() + zlib.compress(np.ascontiguousarray(deltas.T).tobytes(), 6)


def unpack_boxes(data: bytes) -> NDArray[np.float32]:
    """[n, 4], as it went into `pack_boxes` but for the rounding."""
    unit = np.frombuffer(data[:4], np.float32)[0]
    deltas = np.frombuffer(zlib.decompress(data[4:]), np.int16).reshape(4, -1).T
    steps = np.cumsum(deltas, axis=0, dtype=np.int16)
    boxes: NDArray[np.float32] = steps.astype(np.float32) / unit
    boxes[steps == _NONE] = np.nan
    return boxes
