"""Footnotes, headers and footers that alone stand between a list's items, or a table's rows, on one
page and those on the next: they interrupt neither.

Rows go on where their cells begin at the same places as those of the last one above, or where they
begin with a header that stands above there too. A numbered caption in small print is none of these
lines unless the table above has its number: it names another table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag_api.domain import BlockKind
from rag_api.ingest.layout.tables.columns import alike, begins_of
from rag_api.ingest.structure.blocks.paragraphs import Paragraph
from rag_api.text.block_shapes import NUMBERED_CAPTION, Shape

SMALL = 0.93  # of an item's size: small print


def with_asides(text: str, shapes: Sequence[Shape], found: Sequence[Paragraph]) -> list[Shape]:
    """The shapes, those that interrupt nothing marked. found: the paragraph of each."""
    return _Asides(text, shapes, found).marked()


class _Asides:
    def __init__(self, text: str, shapes: Sequence[Shape], found: Sequence[Paragraph]) -> None:
        self.text, self.shapes, self.found = text, shapes, found
        self.whole = list(shapes)

    def marked(self) -> list[Shape]:
        for n, shape in enumerate(self.shapes):
            last = n - 1
            if shape.kind in (BlockKind.ITEM, BlockKind.ROW):
                while last >= 0 and self._stands_aside(last, n):
                    last -= 1
            if last in (-1, n - 1) or self.found[last].page >= self.found[n].page:
                continue
            above = self.shapes[last]
            goes_on = shape.kind == BlockKind.ROW and self._goes_on_below(last, n)
            if goes_on or (shape.kind == BlockKind.ITEM and (above.kind == BlockKind.ITEM or above.inner)):
                self.whole[last + 1 : n] = [
                    replace(one, kind=BlockKind.PARAGRAPH, aside=True) for one in self.shapes[last + 1 : n]
                ]
        return self.whole

    def _goes_on_below(self, last: int, n: int) -> bool:
        """Rows of two pages that follow each other, and no other table's caption between them."""
        if self.shapes[last].kind != BlockKind.ROW or self.found[n].page != self.found[last].page + 1:
            return False
        first = self._first_row(last)
        captions = [self._number(at) for at in range(last + 1, n)]
        if any(number and number != self._number(first - 1) for number in captions):
            return False
        return self._begin_alike(last, n) or any(self._says_again(at, n) for at in range(first, last + 1))

    def _first_row(self, last: int) -> int:
        """That of the rows and asides that end with this row."""
        first = last
        while first and (self.whole[first - 1].kind == BlockKind.ROW or self.whole[first - 1].aside):
            first -= 1
        return first

    def _number(self, n: int) -> str:
        """What a numbered caption begins with, but for its words; "" of any other line."""
        words = self._words(n) if n >= 0 and self.shapes[n].kind != BlockKind.ROW else ""
        return " ".join(words.split()[:2]).rstrip(".:") if NUMBERED_CAPTION.match(words) else ""

    def _begin_alike(self, one: int, two: int) -> bool:
        begins = (begins_of(self.shapes[n], (self.found[n].start, self.found[n].boxes)) for n in (one, two))
        return alike(*begins)

    def _says_again(self, one: int, two: int) -> bool:
        """Both are headers of several cells with the same words."""
        rows = self.shapes[one], self.shapes[two]
        heads = all(row.header and len(row.cells) > 1 for row in rows)
        return heads and self._words(one).split() == self._words(two).split()

    def _words(self, n: int) -> str:
        return self.text[self.found[n].start : self.found[n].end].strip()

    def _stands_aside(self, n: int, to: int) -> bool:
        """Small print; or the same words again as on other pages, but for what introduces a list
        there."""
        shape, paragraph = self.shapes[n], self.found[n]
        small = paragraph.first.size < SMALL * self.found[to].first.size
        if shape.kind == BlockKind.ROW or shape.inner or shape.box:
            return False
        if shape.kind != BlockKind.PARAGRAPH:
            return small and self.shapes[to].kind == BlockKind.ROW
        if small:
            return True
        words = self._words(n)
        again = all(piece.repeated for piece in paragraph.pieces) and not words.endswith(":")
        return again and (self.text.count(words) > 1 or not any(c.isalpha() for c in words))
