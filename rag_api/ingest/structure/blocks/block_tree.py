"""The pieces of cleaned pages -> the blocks of the document, by what only the pages know: sizes and
weights, indentation, rules, frames.

What the pages do not tell is read from the characters (text/block_shapes.py).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import Block, BlockKind
from rag_api.ingest.layout.lines import PageRules, usual_size
from rag_api.ingest.structure.blocks.asides import SMALL, with_asides
from rag_api.ingest.structure.blocks.caption_ends import boxed_by_captions, ended_with_tables
from rag_api.ingest.structure.blocks.cards import cards
from rag_api.ingest.structure.blocks.leads_below import led_from_below
from rag_api.ingest.structure.blocks.lists import COLUMN, DEEPER, with_bare_labels, with_depths
from rag_api.ingest.structure.blocks.paragraphs import Paragraph, Piece, names_a_box, paragraphs_of
from rag_api.ingest.structure.blocks.table_begins import is_outside
from rag_api.ingest.structure.blocks.tables import set_as, with_tables
from rag_api.ingest.structure.tagged_lines import TaggedLine, key_of
from rag_api.text.block_shapes import (
    NUMBERED_CAPTION,
    CellShape,
    Shape,
    kind_of,
    label_of,
    numbered,
    shape_of,
    without_lists_of_headings,
)
from rag_api.text.blocks import tree
from rag_api.text.quotable.uncertain import Offsets
from rag_api.text.sentence_splitter import LineKind

_LONGEST_HEADING = 160
_LONGEST_GROUP = 120  # characters of what rows have in common
_LARGER = 1.08  # times the usual size: a heading


def structured(
    pages: Sequence[Sequence[Piece]],
    frames: Sequence[NDArray[np.float32]],
    rules: Sequence[PageRules],
    tagged: Mapping[str, TaggedLine] | None = None,
) -> tuple[tuple[Block, ...], tuple[Offsets, ...], tuple[Offsets, ...]]:
    """The blocks of a document, the places of rows and lines of tables of which it is not certain
    what heads them, and those of other words of which heading or bar is not. frames: for each
    page the boxes that are drawn around text; rules: its rules; tagged: what the file that the
    pages show says of its lines, by their words."""
    text = "".join(piece.text.text for page in pages for piece in page)
    if not text:
        return (), (), ()
    found = paragraphs_of(pages, frames)
    usual = usual_size([piece.item for piece in page] for page in pages)
    mostly_bold = 2 * sum(len(p.first.marked.text) for p in found if p.bold) > sum(
        len(p.first.marked.text) for p in found
    )
    shapes = with_tables(text, _Shaper(text, found, usual, mostly_bold, tagged or {}, rules).shapes(), found, rules)
    blocks, unsure = tree(text, shapes), tuple((shape.start, shape.end) for shape in shapes if shape.unsure)
    return blocks, unsure, (*led_from_below(text, blocks, found), *cards(found, frames, blocks))


class _Shaper:
    def __init__(
        self,
        text: str,
        found: list[Paragraph],
        usual: float,
        mostly_bold: bool,
        tagged: Mapping[str, TaggedLine],
        rules: Sequence[PageRules],
    ) -> None:
        self.text, self.found, self.usual, self.mostly_bold, self.tagged = text, found, usual, mostly_bold, tagged
        self.rules = rules
        styled = [p for p in found if not p.drawing and self._is_styled(p)]
        self.sizes = sorted({self._style(p) for p in styled}, reverse=True)
        self.has_styles = len(styled) >= 2
        self._join_titles()
        self.in_box = Counter(p.box for p in found)

    def _join_titles(self) -> None:
        """What is set as a heading in a bar right above a box, and heads no more, is the box's."""
        opened = {p.opens for p in self.found if p.box and p.opens and self._is_styled(p)}
        for p in self.found:
            if p.box or not p.opens:
                p.box = next((number for number in (p.opens, p.framed) if number in opened), p.box)
        self.filled = opened | {p.box for p in self.found if p.box and not self._is_styled(p)}  # of more than titles

    def shapes(self) -> list[Shape]:
        found = with_asides(
            self.text, [self._shape(n, paragraph) for n, paragraph in enumerate(self.found)], self.found
        )
        found = boxed_by_captions(self._with_captions(found), self.found, self.rules)
        found = without_lists_of_headings(self.text, ended_with_tables(found, self.found, self.rules))
        found = with_bare_labels(self.text, found, self.found)
        return with_depths(found, self.found)

    def _words(self, paragraph: Paragraph) -> str:
        return self.text[paragraph.start : paragraph.end].strip()

    def _style(self, paragraph: Paragraph) -> tuple[float, bool]:
        return round(paragraph.first.size * 2) / 2, paragraph.bold

    def _is_styled(self, paragraph: Paragraph) -> bool:
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

    def _shape(self, n: int, paragraph: Paragraph) -> Shape:
        words, last = self._words(paragraph), n + 1 == len(self.found)
        apart = bool(n) and self.text[: paragraph.start].endswith("\n\n")
        if paragraph.drawing:
            return Shape(BlockKind.PARAGRAPH, paragraph.start, paragraph.end, apart=apart)
        if paragraph.row is not None:
            return self._row(n, apart)
        line = self.tagged.get(key_of(words))
        if line is not None and line.kind != BlockKind.ROW:
            of_kind = {BlockKind.ITEM: label_of, BlockKind.HEADING: numbered}.get(line.kind)
            label = of_kind(words) if of_kind else ""
            return Shape(
                line.kind, paragraph.start, paragraph.end, line.level, label, apart=apart, box=line.box or paragraph.box
            )
        kind = kind_of(self.text, paragraph.start, paragraph.end)
        if "\t" not in words and (self._is_cell(n) or self._groups_rows(n)):
            cell = CellShape(paragraph.start, paragraph.end, 0, header=not paragraph.stray)
            return Shape(BlockKind.ROW, paragraph.start, paragraph.end, cells=(cell,), box=0)
        if paragraph.stray:
            return Shape(BlockKind.PARAGRAPH, paragraph.start, paragraph.end, apart=apart)
        if self._is_styled(paragraph) and not last and not self._ends_its_box(n):
            return self._heading(paragraph, apart)
        above = kind == LineKind.HEADING and self._is_small_above_a_table(n)
        if kind == LineKind.HEADING and (self.has_styles or above) and not numbered(words) and not words.endswith("?"):
            kind = LineKind.PROSE  # where headings are set as such, a short line is none; nor is a table's small print
        shape = self._row_or_captions(shape_of(self.text, paragraph.start, paragraph.end, kind, apart))
        if shape.kind == BlockKind.PARAGRAPH and names_a_box(n, self.found) and len(words) <= _LONGEST_HEADING:
            shape = replace(shape, kind=BlockKind.HEADING)
        if shape.kind == BlockKind.HEADING:
            shape = replace(shape, level=len(self.sizes) + max(1, shape.level))  # below those that are set as headings
        if shape.kind == BlockKind.ROW and self._is_set_as_header(n):
            shape = set_as(shape, header=True)
        inner = shape.kind == BlockKind.PARAGRAPH and self._goes_with_item(n)
        alone = shape.kind == BlockKind.ROW and self.in_box[paragraph.box] == 1  # the area in colour behind a header
        below = self.found[n + 1].box if alone and not last else 0
        return replace(shape, box=below if alone else paragraph.box, inner=inner)

    def _ends_its_box(self, n: int) -> bool:
        """It heads nothing of its box, which holds more than titles."""
        box = self.found[n].box
        return box in self.filled and self.in_box[box] > 1 and self.found[n + 1].box != box

    def _heading(self, paragraph: Paragraph, apart: bool) -> Shape:
        number = numbered(self._words(paragraph))
        level = 1 + self.sizes.index(self._style(paragraph)) + number.count(".")
        return Shape(
            BlockKind.HEADING,
            paragraph.start,
            paragraph.end,
            level,
            number,
            apart=apart,
            box=paragraph.box,
            until=paragraph.until,
        )

    def _row(self, n: int, apart: bool) -> Shape:
        paragraph = self.found[n]
        row, piece = paragraph.row, paragraph.pieces[0]
        assert row is not None, "it is asked of rows only"
        line = self.tagged.get(key_of(self._words(paragraph)))
        bold = line.header if line is not None else self._is_set_as_header(n)
        ends = [paragraph.start + sum(piece.cells[: k + 1]) for k in range(len(piece.cells))]
        ends[-1] = paragraph.end
        if len(ends) == 1:  # what parts it from the next row stands for its blank cells: it is no name of rows below
            ends.insert(0, paragraph.start + len(self.text[paragraph.start : paragraph.end].rstrip()))
        begins = [paragraph.start, *ends[:-1]]
        cells = tuple(CellShape(a, b, k, header=bold) for k, (a, b) in enumerate(zip(begins, ends, strict=True)))
        return self._row_or_captions(
            Shape(BlockKind.ROW, paragraph.start, paragraph.end, header=bold, cells=cells, apart=apart)
        )

    def _row_or_captions(self, shape: Shape) -> Shape:
        """Captions of tables side by side are no row of one."""
        captions = [bool(NUMBERED_CAPTION.match(self.text[cell.start : cell.end].strip())) for cell in shape.cells]
        return replace(shape, kind=BlockKind.PARAGRAPH) if len(captions) > 1 and all(captions) else shape

    def _is_set_as_header(self, n: int) -> bool:
        """Bold; a row of one cell where a bold row of several is below it on its page."""
        one, below = self.found[n], self.found[n + 1 : n + 2]
        if not one.bold or self.mostly_bold:
            return False
        return self._has_cells(one) or any(p.bold and p.page == one.page and self._has_cells(p) for p in below)

    def _has_cells(self, paragraph: Paragraph) -> bool:
        """It is a row of several, or a line of words that wide white parts."""
        return len(paragraph.row.cells) > 1 if paragraph.row else "\t" in self._words(paragraph)

    def _is_small_above_a_table(self, n: int) -> bool:
        """And not the first on its page, where a running line may stand."""
        one, near = self.found[n], self.found[max(0, n - 1) : n + 2]
        beside = len(near) == 3 and all(p.page == one.page for p in near)
        return beside and near[2].row is not None and one.first.size < SMALL * self.usual

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
        if after.row is None or one.page != after.page or self._heads_another(n):
            return False
        beside = one.y0 < after.y1 and one.y1 > after.y0 and one.first.x1 <= min(line.x0 for line in after.row.lines)
        if beside or before.row is None or before.page != one.page:
            return beside
        near = 1.5 * one.first.size
        between = one.y0 - before.y1 < near and after.y0 - one.y1 < near
        return between and not is_outside([one, after], before, self.rules[one.page])

    def _heads_another(self, n: int) -> bool:
        """It stands below a row that is not set as a header, and above one that is: it is another
        table's caption."""
        return self.found[n - 1].row is not None and not self._is_set_as_header(n - 1) and self._is_set_as_header(n + 1)

    def _fills_a_row(self, n: int) -> bool:
        """It has a row of a drawn table to itself, and rows stand below, on the next page too where
        there are rows above; the first of two such, above all rows, is the table's caption."""
        before, one, after = self.found[n - 1 : n + 2]
        below = next((p for p in self.found[n + 1 :] if not p.names), None)
        if not one.names or below is None or below.row is None:
            return False
        if before.row is not None and before.page == one.page:
            return below.page <= one.page + 1
        return below.page == one.page and not after.names

    def _goes_with_item(self, n: int) -> bool:
        """Set as deep as the words of the item above."""
        before = next((p for p in reversed(self.found[max(0, n - 3) : n]) if label_of(self._words(p))), None)
        one = self.found[n]
        if before is None or before.row or before.page != one.page or n == 0 or self.found[n - 1].row:
            return False
        near = one.y0 - self.found[n - 1].y1 < 1.6 * one.first.size
        return near and one.y0 > before.y0 and DEEPER < one.first.x0 - before.first.x0 < COLUMN

    def _with_captions(self, shapes: list[Shape]) -> list[Shape]:
        """Lines that are numbered alike ("Table 1.", "Table 2."), each above a table, are captions
        of these tables alone: none heads what follows its table."""
        alike: dict[str, list[int]] = defaultdict(list)
        for n, shape in enumerate(shapes):
            match = NUMBERED_CAPTION.match(self._words(self.found[n]))
            if match and shape.kind in (BlockKind.HEADING, BlockKind.PARAGRAPH):
                alike[match[1]].append(n)
        found = list(shapes)
        for lines in alike.values():
            above = [n + 1 < len(shapes) and (n + 1 in lines or shapes[n + 1].kind == BlockKind.ROW) for n in lines]
            if len(lines) > 1 and all(above):
                for n in lines:
                    found[n] = replace(found[n], kind=BlockKind.PARAGRAPH, level=0, label="")
        return found
