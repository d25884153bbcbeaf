"""The pieces of cleaned pages -> paragraphs and rows, each with where it stands and the frame that
is drawn around it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.common.boxed_text import Marked
from rag_api.ingest.layout.lines import Line, Row, lines_of_item

_MOST_BOXED = 12  # paragraphs; more in one frame is a column or a page


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A line or row with what parts it from the next, as it stands in the text. cells: of a row,
    how long each is; repeated: it stands at one place of several pages."""

    item: Line | Row
    text: Marked
    cells: tuple[int, ...] = ()
    repeated: bool = False


@dataclass(slots=True, eq=False)
class Paragraph:
    """Lines that go on in each other, or one row."""

    start: int
    end: int
    page: int
    pieces: list[Piece]
    box: int = 0

    @property
    def lines(self) -> list[Line]:
        return [line for piece in self.pieces for line in lines_of_item(piece.item)]

    @property
    def first(self) -> Line:
        return lines_of_item(self.pieces[0].item)[0]

    @property
    def row(self) -> Row | None:
        item = self.pieces[0].item
        return item if isinstance(item, Row) else None

    @property
    def bold(self) -> bool:
        return all(line.bold for line in self.lines)

    @property
    def stray(self) -> bool:
        """Some of it is a table's cell that no row has."""
        return any(line.cell for line in self.lines)

    @property
    def names(self) -> bool:
        """It has a row of a drawn table to itself, and names those below."""
        return all(isinstance(piece.item, Line) and piece.item.names for piece in self.pieces)

    @property
    def y0(self) -> float:
        return self.pieces[0].item.y0

    @property
    def y1(self) -> float:
        return self.pieces[-1].item.y1

    @property
    def boxes(self) -> NDArray[np.float32]:
        """[n, 4] of its characters, in page space."""
        return np.concatenate([piece.text.boxes for piece in self.pieces])


def paragraphs_of(pages: Sequence[Sequence[Piece]], frames: Sequence[NDArray[np.float32]]) -> list[Paragraph]:
    """frames: for each page the boxes that are drawn around text."""
    found = list(_paragraphs(pages))
    _box(found, frames)
    return found


def _paragraphs(pages: Sequence[Sequence[Piece]]) -> Iterator[Paragraph]:
    at = 0
    open_: Paragraph | None = None
    for page, pieces in enumerate(pages):
        for piece in pieces:
            end = at + len(piece.text.text)
            if open_ is None:
                open_ = Paragraph(at, end, page, [piece])
            else:
                open_.pieces.append(piece)
                open_.end = end
            at = end
            if piece.text.text.endswith("\n"):
                yield open_
                open_ = None
    if open_ is not None:
        yield open_


def _box(found: Sequence[Paragraph], frames: Sequence[NDArray[np.float32]]) -> None:
    """Say which paragraphs stand in which frame; one that holds a table, a page or a single heading
    is no box."""
    inside: dict[tuple[int, int], list[Paragraph]] = defaultdict(list)
    on_page: dict[int, int] = defaultdict(int)
    for paragraph in found:
        on_page[paragraph.page] += 1
        if (frame := _frame_of(paragraph, frames[paragraph.page])) is not None:
            inside[paragraph.page, frame].append(paragraph)
    for number, ((page, _), held) in enumerate(inside.items(), start=1):
        whole_page = len(held) > max(3, 0.7 * on_page[page])
        one_title = len(held) == 1 and held[0].bold and len(held[0].pieces) == 1
        if not (whole_page or one_title or len(held) > _MOST_BOXED or any(paragraph.row for paragraph in held)):
            for paragraph in held:
                paragraph.box = number


def _frame_of(paragraph: Paragraph, frames: NDArray[np.float32]) -> int | None:
    """The smallest frame that all its characters stand in."""
    if not len(frames):
        return None
    boxes = paragraph.boxes
    boxes = boxes[~np.isnan(boxes).any(axis=1)]
    if not len(boxes):
        return None
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    holds = (frames[:, :2] <= low + 2).all(axis=1) & (frames[:, 2:] >= high - 2).all(axis=1)
    areas = np.where(holds, (frames[:, 2] - frames[:, 0]) * (frames[:, 3] - frames[:, 1]), np.inf)
    best = int(areas.argmin())
    return best if np.isfinite(areas[best]) else None
