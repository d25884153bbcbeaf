"""The pieces of cleaned pages -> the blocks of the document, by what only the pages know: sizes and
weights, indentation, rules, frames.

What the pages do not tell is read from the characters (text/block_shapes.py).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import Block, BlockKind
from rag_api.ingest.common.boxed_text import Marked
from rag_api.ingest.layout.lines import Line, Row, usual_size
from rag_api.ingest.layout.tables.columns import alike, begins_of, columns_of
from rag_api.ingest.structure.tagged_lines import Told, key_of
from rag_api.text.block_shapes import (
    CellShape,
    Shape,
    headed,
    kind_of,
    label_of,
    numbered,
    shape_of,
    without_lists_of_headings,
)
from rag_api.text.blocks import tree
from rag_api.text.sentence_splitter import LineKind

_LONGEST_HEADING = 160
_LONGEST_GROUP = 120  # characters of what rows have in common
_LARGER = 1.08  # times the usual size: a heading
_MOST_BOXED = 12  # paragraphs; more in one frame is a column or a page
_DEEPER = 6.0  # points that an item stands to the right of the one that it belongs to
_BARE = re.compile(r"([1-9]\d?|[a-z]) (?=\S)")
_HUNG = 0.45  # line heights of white between such a label and its words
_SMALL = 0.93  # of an item's size: small print
_COLUMN = 90.0  # points; further is another column


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A line or row with what parts it from the next, as it stands in the text. cells: of a row,
    how long each is; repeated: it stands at one place of several pages."""

    item: Line | Row
    text: Marked
    cells: tuple[int, ...] = ()
    repeated: bool = False


@dataclass(slots=True, eq=False)
class _Paragraph:
    """Lines that go on in each other, or one row."""

    start: int
    end: int
    page: int
    pieces: list[Piece]
    box: int = 0

    @property
    def first(self) -> Line:
        item = self.pieces[0].item
        return item if isinstance(item, Line) else item.lines[0]

    @property
    def row(self) -> Row | None:
        item = self.pieces[0].item
        return item if isinstance(item, Row) else None

    @property
    def bold(self) -> bool:
        return all(line.bold for piece in self.pieces for line in _lines(piece.item))

    @property
    def stray(self) -> bool:
        """Some of it is a table's cell that no row has."""
        return any(line.cell for piece in self.pieces for line in _lines(piece.item))

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


def structured(
    pages: Sequence[Sequence[Piece]], frames: Sequence[NDArray[np.float32]], told: Mapping[str, Told] | None = None
) -> tuple[Block, ...]:
    """The blocks of a document. frames: for each page the boxes that are drawn around text; told:
    what the file that the pages show says of its lines, by their words."""
    text = "".join(piece.text.text for page in pages for piece in page)
    if not text:
        return ()
    found = list(_paragraphs(pages))
    _box(found, frames)
    usual = usual_size([piece.item for piece in page] for page in pages)
    mostly_bold = 2 * sum(len(p.first.marked.text) for p in found if p.bold) > sum(
        len(p.first.marked.text) for p in found
    )
    return tree(text, _Shaper(text, found, usual, mostly_bold, told or {}).shapes())


def _paragraphs(pages: Sequence[Sequence[Piece]]) -> Iterator[_Paragraph]:
    at = 0
    open_: _Paragraph | None = None
    for page, pieces in enumerate(pages):
        for piece in pieces:
            end = at + len(piece.text.text)
            if open_ is None:
                open_ = _Paragraph(at, end, page, [piece])
            else:
                open_.pieces.append(piece)
                open_.end = end
            at = end
            if piece.text.text.endswith("\n"):
                yield open_
                open_ = None
    if open_ is not None:
        yield open_


def _lines(item: Line | Row) -> Sequence[Line]:
    return (item,) if isinstance(item, Line) else item.lines


def _box(found: Sequence[_Paragraph], frames: Sequence[NDArray[np.float32]]) -> None:
    """Say which paragraphs stand in which frame; one that holds a table, a page or a single heading
    is no box."""
    inside: dict[tuple[int, int], list[_Paragraph]] = defaultdict(list)
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


def _frame_of(paragraph: _Paragraph, frames: NDArray[np.float32]) -> int | None:
    """The smallest frame that all its characters stand in."""
    if not len(frames):
        return None
    boxes = np.concatenate([piece.text.boxes for piece in paragraph.pieces])
    boxes = boxes[~np.isnan(boxes).any(axis=1)]
    if not len(boxes):
        return None
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    holds = (frames[:, :2] <= low + 2).all(axis=1) & (frames[:, 2:] >= high - 2).all(axis=1)
    areas = np.where(holds, (frames[:, 2] - frames[:, 0]) * (frames[:, 3] - frames[:, 1]), np.inf)
    best = int(areas.argmin())
    return best if np.isfinite(areas[best]) else None


class _Shaper:
    def __init__(
        self, text: str, found: list[_Paragraph], usual: float, mostly_bold: bool, told: Mapping[str, Told]
    ) -> None:
        self.text, self.found, self.usual, self.mostly_bold, self.told = text, found, usual, mostly_bold, told
        styled = [p for p in found if self._is_styled(p)]
        self.sizes = sorted({self._style(p) for p in styled}, reverse=True)
        self.has_styles = len(styled) >= 2

    def shapes(self) -> list[Shape]:
        found = self._with_asides([self._shape(n, paragraph) for n, paragraph in enumerate(self.found)])
        return self._with_tables(self._with_depths(self._with_bare_labels(without_lists_of_headings(self.text, found))))

    def _words(self, paragraph: _Paragraph) -> str:
        return self.text[paragraph.start : paragraph.end].strip()

    def _style(self, paragraph: _Paragraph) -> tuple[float, bool]:
        return round(paragraph.first.size * 2) / 2, paragraph.bold

    def _is_styled(self, paragraph: _Paragraph) -> bool:
        """Set as a heading: larger than most, or bold where most is not, on few lines that end in
        no sentence."""
        words = self._words(paragraph)
        if (
            paragraph.row
            or paragraph.stray
            or not words
            or len(words) > _LONGEST_HEADING
            or words[-1] in ".:;,"
            or "\t" in words
            or len(paragraph.pieces) > 3
        ):
            return False
        if not any(c.isalpha() for c in words) or (label_of(words) and not numbered(words)):
            return False
        return paragraph.first.size > _LARGER * self.usual or (paragraph.bold and not self.mostly_bold)

    def _shape(self, n: int, paragraph: _Paragraph) -> Shape:
        words, last = self._words(paragraph), n + 1 == len(self.found)
        apart = bool(n) and self.text[: paragraph.start].endswith("\n\n")
        if paragraph.row is not None:
            return self._row(n, apart)
        told = self.told.get(key_of(words))
        if told is not None and told.kind != BlockKind.ROW:
            label = (
                label_of(words)
                if told.kind == BlockKind.ITEM
                else numbered(words)
                if told.kind == BlockKind.HEADING
                else ""
            )
            return Shape(
                told.kind, paragraph.start, paragraph.end, told.level, label, apart=apart, box=told.box or paragraph.box
            )
        kind = kind_of(self.text, paragraph.start, paragraph.end)
        if "\t" not in words and (self._is_cell(n) or self._groups_rows(n)):
            cell = CellShape(paragraph.start, paragraph.end, 0, header=not paragraph.stray)
            return Shape(BlockKind.ROW, paragraph.start, paragraph.end, cells=(cell,), box=0)
        if paragraph.stray:
            return Shape(BlockKind.PARAGRAPH, paragraph.start, paragraph.end, apart=apart)
        if self._is_styled(paragraph) and not last:
            return self._heading(paragraph, apart)
        if kind == LineKind.HEADING and self.has_styles and not numbered(words) and not words.endswith("?"):
            kind = LineKind.PROSE  # where headings are set as such, a short line is none
        shape = shape_of(self.text, paragraph.start, paragraph.end, kind, apart)
        if shape.kind == BlockKind.HEADING:
            shape = replace(shape, level=len(self.sizes) + max(1, shape.level))  # below those that are set as headings
        inner = shape.kind == BlockKind.PARAGRAPH and self._goes_with_item(n)
        return replace(shape, box=paragraph.box, inner=inner)

    def _heading(self, paragraph: _Paragraph, apart: bool) -> Shape:
        number = numbered(self._words(paragraph))
        level = 1 + self.sizes.index(self._style(paragraph)) + number.count(".")
        return Shape(BlockKind.HEADING, paragraph.start, paragraph.end, level, number, apart=apart, box=paragraph.box)

    def _row(self, n: int, apart: bool) -> Shape:
        paragraph = self.found[n]
        row, piece = paragraph.row, paragraph.pieces[0]
        assert row is not None, "it is asked of rows only"
        told = self.told.get(key_of(self._words(paragraph)))
        bold = told.header if told is not None else self._is_set_as_header(n)
        ends = [paragraph.start + sum(piece.cells[: k + 1]) for k in range(len(piece.cells))]
        ends[-1] = paragraph.end
        if len(ends) == 1:  # what parts it from the next row stands for its blank cells: it is no name of rows below
            ends.insert(0, paragraph.start + len(self.text[paragraph.start : paragraph.end].rstrip()))
        begins = [paragraph.start, *ends[:-1]]
        cells = tuple(CellShape(a, b, k, header=bold) for k, (a, b) in enumerate(zip(begins, ends, strict=True)))
        return Shape(BlockKind.ROW, paragraph.start, paragraph.end, header=bold, cells=cells, apart=apart)

    def _is_set_as_header(self, n: int) -> bool:
        """Bold; a row of one cell where a row of several is below it."""
        row, below = self.found[n].row, self.found[n + 1].row if n + 1 < len(self.found) else None
        several = len(row.cells) > 1 if row else False
        names = (
            below is not None
            and len(below.cells) > 1
            and self.found[n + 1].bold
            and self.found[n + 1].page == self.found[n].page
        )
        return self.found[n].bold and not self.mostly_bold and (several or names)

    def _is_cell(self, n: int) -> bool:
        """A table's, though no row has it, and next to rows or other such cells of its page."""
        page = self.found[n].page
        near = [p for p in self.found[max(0, n - 1) : n + 2] if p is not self.found[n] and p.page == page]
        return self.found[n].stray and any(p.row is not None or p.stray or "\t" in self._words(p) for p in near)

    def _groups_rows(self, n: int) -> bool:
        """A line between two rows of a table, or beside the rows that follow: what they have in
        common."""
        if not 0 < n < len(self.found) - 1:
            return False
        before, one, after = self.found[n - 1 : n + 2]
        words = self._words(one)
        if len(words) > _LONGEST_GROUP or words.endswith((".", ":")) or "\t" in words:
            return False
        if self._fills_a_row(n):
            return True
        if after.row is None or one.page != after.page:
            return False
        beside = one.y0 < after.y1 and one.y1 > after.y0 and one.first.x1 <= min(line.x0 for line in after.row.lines)
        if beside or before.row is None or before.page != one.page:
            return beside
        near = 1.5 * one.first.size
        return one.y0 - before.y1 < near and after.y0 - one.y1 < near

    def _fills_a_row(self, n: int) -> bool:
        """It has a row of a drawn table to itself, and rows of the same page stand below."""
        one, below = self.found[n], next((p for p in self.found[n + 1 :] if not p.names), None)
        return one.names and below is not None and below.row is not None and below.page == one.page

    def _goes_with_item(self, n: int) -> bool:
        """Set as deep as the words of the item above."""
        before = next((p for p in reversed(self.found[max(0, n - 3) : n]) if label_of(self._words(p))), None)
        one = self.found[n]
        if before is None or before.row or before.page != one.page or n == 0 or self.found[n - 1].row:
            return False
        near = one.y0 - self.found[n - 1].y1 < 1.6 * one.first.size
        return near and one.y0 > before.y0 and _DEEPER < one.first.x0 - before.first.x0 < _COLUMN

    def _with_asides(self, shapes: list[Shape]) -> list[Shape]:
        """Footnotes, headers and footers that alone stand between a list's items, or a table's
        rows, on one page and those on the next interrupt neither."""
        found = list(shapes)
        for n, shape in enumerate(shapes):
            last = n - 1
            if shape.kind in (BlockKind.ITEM, BlockKind.ROW):
                while last >= 0 and self._stands_aside(shapes[last], self.found[last], shape, self.found[n]):
                    last -= 1
            if last in (-1, n - 1) or self.found[last].page >= self.found[n].page:
                continue
            goes_on = shape.kind == BlockKind.ROW and self._goes_on_below(last, shapes[last], n, shape)
            if goes_on or (
                shape.kind == BlockKind.ITEM and (shapes[last].kind == BlockKind.ITEM or shapes[last].inner)
            ):
                found[last + 1 : n] = [
                    replace(one, kind=BlockKind.PARAGRAPH, aside=True) for one in shapes[last + 1 : n]
                ]
        return found

    def _goes_on_below(self, last: int, above: Shape, n: int, row: Shape) -> bool:
        """Rows of two pages that follow each other, whose cells begin at the same places."""
        if above.kind != BlockKind.ROW or self.found[n].page != self.found[last].page + 1:
            return False
        return alike(begins_of(above, _boxes(self.found[last])), begins_of(row, _boxes(self.found[n])))

    def _stands_aside(self, shape: Shape, paragraph: _Paragraph, to: Shape, item: _Paragraph) -> bool:
        """Small print; or the same words again as on other pages, but for what introduces a list
        there."""
        small = paragraph.first.size < _SMALL * item.first.size
        if shape.kind == BlockKind.ROW or shape.inner or shape.box:
            return False
        if shape.kind != BlockKind.PARAGRAPH:
            return small and to.kind == BlockKind.ROW
        if small:
            return True
        words = self._words(paragraph)
        again = all(piece.repeated for piece in paragraph.pieces) and not words.endswith(":")
        return again and (self.text.count(words) > 1 or not any(c.isalpha() for c in words))

    def _with_bare_labels(self, shapes: list[Shape]) -> list[Shape]:
        """Paragraphs that begin "1", "2" or "a", "b", without a dot, are items where white wider
        than between words parts that from what begins below each other, and they count."""
        runs: dict[tuple[bool, int, int], list[tuple[int, str]]] = defaultdict(list)
        labels: dict[int, str] = {}
        for n, (shape, paragraph) in enumerate(zip(shapes, self.found, strict=True)):
            label = _BARE.match(self.text, shape.start)
            if (
                shape.kind != BlockKind.PARAGRAPH
                or label is None
                or (begin := _begin_apart(paragraph, label.end() - shape.start)) is None
            ):
                continue
            run = runs[label[1].isdigit(), paragraph.page, round(begin)]
            if run and _value(label[1]) != _value(run[-1][1]) + 1:
                labels |= _counted(run)
                run.clear()
            run.append((n, label[1]))
        for run in runs.values():
            labels |= _counted(run)
        return [
            replace(one, kind=BlockKind.ITEM, label=labels[n], inner=False) if n in labels else one
            for n, one in enumerate(shapes)
        ]

    def _with_depths(self, shapes: list[Shape]) -> list[Shape]:
        """Items with how far they are set in, against those before them; a new page or column is
        measured anew."""
        open_: list[tuple[float, str]] = []
        found = []
        for shape, paragraph in zip(shapes, self.found, strict=True):
            if shape.kind == BlockKind.ITEM:
                x0, label = paragraph.first.x0, re.sub(r"\w+", "0", shape.label)
                if open_ and abs(x0 - open_[-1][0]) > _COLUMN:
                    at = next((n for n, (_, other) in enumerate(open_) if other == label), 0)
                    open_ = open_[:at]
                while open_ and open_[-1][0] > x0 - _DEEPER:
                    open_.pop()
                shape = replace(shape, level=len(open_))
                open_.append((x0, label))
            elif not (shape.inner or shape.aside):
                open_ = []
            found.append(shape)
        return found

    def _with_tables(self, shapes: list[Shape]) -> list[Shape]:
        """Rows with the columns that their cells stand in, and the rows that head them."""
        found: list[Shape] = []
        table: list[tuple[Shape, _Paragraph]] = []
        for shape, paragraph in [*zip(shapes, self.found, strict=True), (None, None)]:
            if shape is not None and paragraph is not None and shape.kind == BlockKind.ROW:
                if self._begins_another(shape, table):
                    found += self._table(table)
                    table = []
                    shape = replace(shape, apart=True)
                table.append((shape, paragraph))
                continue
            if shape is None or not shape.aside:
                found += self._table(table)
                table = []
            if shape is not None:
                found.append(shape)
        return sorted(found, key=lambda shape: shape.start)

    def _begins_another(self, row: Shape, table: Sequence[tuple[Shape, _Paragraph]]) -> bool:
        """It is set as a header, below rows that are not, and heads no further page of the same
        table."""
        if not table or not row.header or table[-1][0].header:
            return False
        first = table[0][0]
        return self.text[first.start : first.end].split() != self.text[row.start : row.end].split()

    def _table(self, rows: Sequence[tuple[Shape, _Paragraph]]) -> list[Shape]:
        if not rows:
            return []
        shapes = [replace(shape, apart=shape.apart and n == 0) for n, (shape, _) in enumerate(rows)]
        if all(shape.header for shape in shapes):
            shapes = [_unheaded(shape) for shape in shapes]
        first = self.text[shapes[0].start : shapes[0].end].split()
        again = [self.text[shape.start : shape.end].split() == first and len(shape.cells) > 1 for shape in shapes]
        shapes = headed(self.text, shapes)
        if sum(again) > 1:  # it heads the table's next page too
            shapes = [_headed(shape) if same else shape for shape, same in zip(shapes, again, strict=True)]
        return columns_of(shapes, [_boxes(paragraph) for _, paragraph in rows])


def _begin_apart(paragraph: _Paragraph, at: int) -> float | None:
    """Where on the page the words begin that stand behind a label; None where they are as near to
    it as to each other."""
    boxes = paragraph.pieces[0].text.boxes
    if (
        at >= len(boxes)
        or np.isnan(boxes[[at - 2, at]]).any()
        or boxes[at, 0] - boxes[at - 2, 2] < _HUNG * paragraph.first.size
    ):
        return None
    return float(boxes[at, 0])


def _value(label: str) -> int:
    return int(label) if label.isdigit() else ord(label) - ord("a") + 1


def _counted(run: Sequence[tuple[int, str]]) -> dict[int, str]:
    """The labels of a run that counts from the first."""
    return dict(run) if len(run) > 1 and _value(run[0][1]) == 1 else {}


def _headed(row: Shape) -> Shape:
    return replace(row, header=True, cells=tuple(replace(cell, header=True) for cell in row.cells))


def _unheaded(row: Shape) -> Shape:
    return replace(row, header=False, cells=tuple(replace(cell, header=False) for cell in row.cells))


def _boxes(paragraph: _Paragraph) -> tuple[int, NDArray[np.float32]]:
    return paragraph.start, np.concatenate([piece.text.boxes for piece in paragraph.pieces])
