"""Text that carries a box for every character, so that what is cut or joined stays traceable to its
place on the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Boxes = NDArray[np.float32]


def no_boxes(count: int) -> Boxes:
    return np.full((count, 4), np.nan, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    text: str
    boxes: Boxes  # [len(text), 4] page space; NaN where a character has none

    def __post_init__(self) -> None:
        assert self.boxes.shape == (len(self.text), 4), (self.boxes.shape, len(self.text))

    def __getitem__(self, part: slice) -> Marked:
        return Marked(self.text[part], self.boxes[part])

    def kept(self, indices: list[int], text: str) -> Marked:
        """`text` with the boxes of these characters, one for each."""
        return Marked(text, self.boxes[indices] if indices else no_boxes(0))


EMPTY = Marked("", no_boxes(0))


def plain(text: str) -> Marked:
    """Text without a place: separators, and the words of a file that has no pages."""
    return Marked(text, no_boxes(len(text)))


def concat(parts: Iterable[Marked]) -> Marked:
    parts = list(parts)
    if not parts:
        return EMPTY
    return Marked("".join(part.text for part in parts), np.concatenate([part.boxes for part in parts]))
