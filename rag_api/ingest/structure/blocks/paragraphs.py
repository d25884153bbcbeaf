"""The pieces of cleaned pages -> paragraphs and rows, each with where it stands and the frame that
is drawn around it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.common.boxed_text import Marked
from rag_api.ingest.layout.lines import Line, Row, lines_of_item
from rag_api.ingest.layout.tables.captions import goes_on
from rag_api.ingest.pdf.frames import frames_around
from rag_api.text.block_shapes import NUMBERED_CAPTION

_MOST_OF_CAPTION = 4  # lines
_MOST_BOXED = 12  # paragraphs; more in one frame is a column or a page
_TOUCH = 4.0  # points between two frames of one box
_OUTSIDE = 2.0  # points that letters may stand outside their frame
_SENTENCE = re.compile(r"(?<=[.:;!?])\s+")  # between two


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
    framed: int = 0  # the number of the frame around it, whether that is a box or not
    opens: int = 0  # and of the box right below that, where it has its frame to itself
    until: int = 0  # where in the text the frame around it ends, and the table in that; 0: it is in none

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
    def drawing(self) -> bool:
        return any(line.drawing for line in self.lines)

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
    found = _with_whole_captions(list(_paragraphs(pages)), frames)
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


def _with_whole_captions(found: Sequence[Paragraph], frames: Sequence[NDArray[np.float32]]) -> list[Paragraph]:
    """The lines of a numbered caption right above a table, or a frame, are one paragraph, unless a
    further one ends a sentence."""
    whole: list[Paragraph] = []
    for n, one in enumerate(found):
        if is_caption(one):
            near = range(n, min(len(found), n + _MOST_OF_CAPTION + 1))
            below = next((k for k in near if has_cells(found[k]) or _is_framed_below(one, found[k], frames)), n)
            own = found[n:below]
            if len(own) > 1 and _is_one(own, found[below]):
                one.pieces = [piece for part in own for piece in part.pieces]
                one.end = own[-1].end
        if not whole or one.start >= whole[-1].end:
            whole.append(one)
    return whole


def is_caption(one: Paragraph) -> bool:
    """It is numbered as one is."""
    return bool(NUMBERED_CAPTION.match(one.pieces[0].text.text))


def is_only_caption(one: Paragraph, below: Sequence[Paragraph]) -> bool:
    """It is numbered as a caption, and no sentence below is numbered alike: of two nobody knows
    which is for what."""
    if (own := NUMBERED_CAPTION.match(one.pieces[0].text.text)) is None:
        return False
    begun = (words for other in below for line in other.pieces for words in _SENTENCE.split(line.text.text))
    return all(match is None or match[1] != own[1] for match in map(NUMBERED_CAPTION.match, begun))


def names_a_box(n: int, found: Sequence[Paragraph]) -> bool:
    """A box's first line, numbered as a caption, with lines between it and the box's table; or
    before a colon, the only bold one and the only one with a colon: another may be a title too."""
    one = found[n]
    own = [other for other in found[n : n + _MOST_BOXED + 1] if other.box == one.box]
    if not one.box or len(own) == 1 or (n and found[n - 1].box == one.box):
        return False
    numbered = is_only_caption(one, own[1:]) and not any(map(has_cells, own[:2])) and any(map(has_cells, own[2:]))
    opens = one.pieces[-1].text.text.rstrip().endswith(":") and not has_cells(one)
    alone = not any(other.bold or ":" in piece.text.text for other in own[1:] for piece in other.pieces)
    return numbered or (opens and one.bold and alone)


def has_cells(one: Paragraph) -> bool:
    return one.row is not None or any("\t" in piece.text.text for piece in one.pieces)


def _is_framed_below(caption: Paragraph, one: Paragraph, frames: Sequence[NDArray[np.float32]]) -> bool:
    """It stands in a frame of its page that the caption stands outside."""
    own = frames[caption.page]
    return one.page == caption.page and not set(frames_around(one.boxes, own)) <= {*frames_around(caption.boxes, own)}


def _is_one(lines: Sequence[Paragraph], table: Paragraph) -> bool:
    further = [one.pieces[-1].text.text.rstrip() for one in lines[1:]]
    return (
        table.page == lines[0].page
        and not any(NUMBERED_CAPTION.match(words) or words.endswith((".", "!", "?", ";", ":")) for words in further)
        and all(goes_on(one.lines[-1], two.first) for one, two in pairwise(lines))
    )


def _box(found: Sequence[Paragraph], frames: Sequence[NDArray[np.float32]]) -> None:
    """Say which paragraphs stand in which frame; one that holds a table, a page or a single heading
    is no box."""
    inside: dict[tuple[int, int], list[Paragraph]] = defaultdict(list)
    on_page: dict[int, int] = defaultdict(int)
    held_by = [frames_around(paragraph.boxes, frames[paragraph.page]) for paragraph in found]
    for paragraph, own in zip(found, held_by, strict=True):
        on_page[paragraph.page] += 1
        if own:
            inside[paragraph.page, own[0]].append(paragraph)
    for number, ((page, frame), held) in enumerate(inside.items(), start=1):
        whole_page = len(held) > max(3, 0.7 * on_page[page])
        one_title = len(held) == 1 and (is_caption(held[0]) or (held[0].bold and len(held[0].pieces) == 1))
        if any(paragraph.row for paragraph in held) and not whole_page:
            _end(found, held_by, (page, frame), float(frames[page][frame, 3]))
        elif not (whole_page or one_title or len(held) > _MOST_BOXED):
            for paragraph in held:
                paragraph.box = number
        for paragraph in held:
            paragraph.framed = number
    _open(inside, frames)


def _open(inside: Mapping[tuple[int, int], Sequence[Paragraph]], frames: Sequence[NDArray[np.float32]]) -> None:
    """Say which paragraphs have a frame to themselves that stands right above a box, as wide."""
    boxes = [(page, frames[page][frame], held) for (page, frame), held in inside.items()]
    below = [one for one in boxes if one[2][0].box or (len(one[2]) == 1 and not one[2][0].row)]
    for page, bar, held in boxes:
        for other_page, box, own in below if len(held) == 1 else ():
            apart = np.abs(box[[0, 2, 1]] - bar[[0, 2, 3]]).max()
            if other_page == page and own is not held and apart < _TOUCH:
                held[0].opens = own[0].framed


def _end(found: Sequence[Paragraph], held_by: Sequence[Sequence[int]], frame: tuple[int, int], foot: float) -> None:
    """Say where a frame around a table ends: where text stands below it, or the next page's in
    none. Where text goes on beside it, it may be a column."""
    held = [n for n, own in enumerate(held_by) if found[n].page == frame[0] and frame[1] in own]
    after = held[-1] + 1
    if after == len(found):
        return
    below = found[after].page == frame[0] and np.nanmin(found[after].boxes[:, 1]) > foot - _OUTSIDE
    if below or (found[after].page > frame[0] and not held_by[after]):
        for n in held:
            found[n].until = found[n].until or found[after].start
