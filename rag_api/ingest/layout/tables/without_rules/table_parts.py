"""Cells, rows and columns of a table's pieces; and how full a cell's line is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

ALIGNED = 1.5  # points between cells of one column
PADDING = 0.6  # line heights between a full cell and the next column


class Part(Protocol):
    """A piece of a line, in reading space."""

    @property
    def x0(self) -> float: ...
    @property
    def y0(self) -> float: ...
    @property
    def x1(self) -> float: ...
    @property
    def y1(self) -> float: ...
    @property
    def size(self) -> float: ...
    @property
    def first_word(self) -> float: ...
    @property
    def bold(self) -> bool: ...


@dataclass(slots=True)
class PartCell:
    parts: list[Part]
    numbers: list[int]
    x0: float = field(init=False)
    x1: float = field(init=False)

    def __post_init__(self) -> None:
        self.x0, self.x1 = min(part.x0 for part in self.parts), max(part.x1 for part in self.parts)

    def add(self, part: Part, number: int) -> None:
        self.parts.append(part)
        self.numbers.append(number)
        self.x0, self.x1 = min(self.x0, part.x0), max(self.x1, part.x1)

    @property
    def top(self) -> float:
        return self.parts[0].y0

    @property
    def bottom(self) -> float:
        return self.parts[-1].y1

    @property
    def size(self) -> float:
        return self.parts[0].size


@dataclass(slots=True)
class PartRow:
    cells: list[PartCell]
    columns: list[int]  # of its table

    @property
    def top(self) -> float:
        return min(cell.top for cell in self.cells)

    @property
    def bottom(self) -> float:
        return max(cell.bottom for cell in self.cells)

    @property
    def bold(self) -> bool:
        return all(part.bold for cell in self.cells for part in cell.parts)


@dataclass(slots=True)
class PartColumn:
    x0: float
    x1: float

    def aligned(self, cell: PartCell) -> bool:
        ends = (cell.x0 - self.x0, cell.x1 - self.x1, (cell.x0 + cell.x1 - self.x0 - self.x1) / 2)
        return min(map(abs, ends)) < ALIGNED

    def overlaps(self, cell: PartCell) -> bool:
        return cell.x0 < self.x1 and self.x0 < cell.x1


def is_full(one: Part, two: Part, right: float) -> bool:
    """The first word of `two` would not have fitted behind `one`."""
    return one.x1 + 0.25 * one.size + two.first_word > right
