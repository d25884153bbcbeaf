"""Strips of a page between a rule and the next one below it, which no rule down crosses: where nothing stands in one, a table has ended and
another begins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_LOWEST = 3.0  # points; less is a double rule
_BESIDE = 6.0  # points that a table's sides may stand outside the rules

Float = NDArray[np.float32]


def strips_of(across: Float, down: Float) -> Float:
    """[s, 4] reading space. across, down: [n, 3] rules, those that go on in each other as one."""
    found = []
    for x0, x1, top in across.tolist():
        under = across[(across[:, 2] > top + _LOWEST) & (across[:, 0] < x1) & (across[:, 1] > x0)]
        if not len(under):
            continue
        foot = float(under[:, 2].min())
        next_ = under[under[:, 2] < foot + _LOWEST]
        left, right, middle = min(x0, float(next_[:, 0].min())), max(x1, float(next_[:, 1].max())), (top + foot) / 2
        sides = down[(down[:, 0] < middle) & (down[:, 1] > middle)][:, 2]
        if not ((sides > left - _BESIDE) & (sides < right + _BESIDE)).any():
            found.append((left, top, right, foot))
    return np.array(found, np.float32).reshape(-1, 4)
