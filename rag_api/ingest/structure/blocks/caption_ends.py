"""Ends of tables whose caption is set as a heading: what stands below the last level rule that is
as wide as the one at the caption, or beside, is not headed by it, nor is the next page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.layout.lines import PageRules
from rag_api.ingest.structure.blocks.paragraphs import Paragraph, is_caption
from rag_api.ingest.structure.blocks.row_edges import reach

_NEAR = 1.5  # line heights between a caption and the rules of its table, at most
_SAME = 3.0  # points between ends of rules that are as wide
_OUTSIDE = 2.0  # points that words may stand outside their table
_NEIGHBOURS = 2  # pages on both sides; a rule that stands on most of them too is of no table

Rules = NDArray[np.float32]


def end_of_table(n: int, found: Sequence[Paragraph], rules: Sequence[PageRules]) -> int:
    """Where in the text the table ends that a numbered caption, found[n], stands above; 0: nobody
    knows."""
    caption, below = found[n], found[n + 1 :]
    near, (left, right) = _NEAR * caption.first.size, reach(caption)
    x0, x1, y = rules[caption.page].across.T
    beside = (x0 < left + _OUTSIDE) & (x1 > right - _OUTSIDE) & (y > caption.y0 - near) & (y < caption.y1 + near)
    if not beside.any():
        return 0
    begin, end, _ = rules[caption.page].across[beside][0]
    after = next((p.y0 - near for p in below if p.page == caption.page and p.y0 > caption.y1 and is_caption(p)), np.inf)
    first, last = max(0, caption.page - _NEIGHBOURS), min(len(rules) - 1, caption.page + _NEIGHBOURS)
    others = [_as_wide(rules[at].across, begin, end) for at in range(first, last + 1) if at != caption.page]
    own = [
        float(y)
        for y in _as_wide(rules[caption.page].across, begin, end)
        if caption.y1 + near < y < after and 2 * sum((abs(one - y) < 1).any() for one in others) <= len(others)
    ]
    if not own:
        return 0

    def is_within(one: Paragraph) -> bool:
        reaches = reach(one)
        beside = reaches[0] < begin - _OUTSIDE or reaches[1] > end + _OUTSIDE
        return not beside and caption.y0 < one.y0 < max(own)

    inside = max((at for at, one in enumerate(below) if one.page == caption.page and is_within(one)), default=-1)
    return below[inside + 1].start if inside + 1 < len(below) else 0


def _as_wide(across: Rules, begin: float, end: float) -> Rules:
    """Where level rules reach from one side to the other, whole or in pieces."""
    inner = across[(across[:, 0] > begin - _SAME) & (across[:, 1] < end + _SAME)]
    at = [inner[abs(inner[:, 2] - y) < 1] for y in np.unique(inner[:, 2])]
    whole = [one[0, 2] for one in at if one[:, 0].min() < begin + _SAME and one[:, 1].max() > end - _SAME]
    return np.array(whole, np.float32)
