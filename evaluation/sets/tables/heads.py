"""Heads of tables: whether an answer quotes a row with its own caption, header and names of
columns, or with another table's.

heads.csv says of each table of rows.csv what stands over it. What is another's is told by its
words: names that the row's own header, caption or cells have too prove nothing. A cell's column is
judged where the row is marked without empty cells, and where the cell stands in the row itself.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from rag_api.domain import Block, BlockKind
from rag_api.text.quotable.quotable_spans import Quotable

_HEADS = Path(__file__).with_name("heads.csv")
_NAME = 5  # letters; a shorter one stands by chance in other words


class HeadOutcome(StrEnum):
    RIGHT = "right"
    LACKS = "lacks"  # some or all of what is due is not quoted with the row
    ANOTHER = "another"  # another table's, or another column's, is


def plain(text: str) -> str:
    """Small letters without white space."""
    return re.sub(r"[\s\u00ad]+", "", text).casefold()


@dataclass(frozen=True, slots=True)
class TableHead:
    """What stands over a table. caption: the lines, the table's own last; header: of each column
    its names, the uppermost first; both in plain letters."""

    caption: tuple[str, ...]
    header: tuple[tuple[str, ...], ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for column in self.header for name in column)


def heads() -> Mapping[str, Mapping[tuple[str, int], TableHead]]:
    """By document, and in it by table and the first of its rows that they stand over."""
    found: dict[str, dict[tuple[str, int], TableHead]] = defaultdict(dict)
    with _HEADS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            header = [tuple(map(plain, column.split(" > "))) for column in row["header"].split(" || ") if column]
            caption = tuple(plain(line) for line in row["caption"].split(" || ") if line)
            found[row["document"]][row["table"], int(row["from_row"])] = TableHead(caption, tuple(header))
    return found


def judged(
    quote: Quotable, text: str, blocks: Sequence[Block], cells: Sequence[str], own: TableHead, all_: Sequence[TableHead]
) -> Mapping[str, HeadOutcome]:
    """By part (caption, header, column) what stands with a row that a quote holds; a part that is
    not due or cannot be judged is left out. cells: the row's, in plain letters; all_: the heads of
    all tables of the document."""
    over = _Over(quote, text, blocks)
    others = [head for head in all_ if head is not own]
    words = "".join([*own.caption, *sorted(own.names), *cells])
    found = {}
    if own.header or over.header_rows:
        strange = {name for head in others for name in head.names} - own.names
        is_strange = any(_has(row, strange, words) for row in over.header_rows)
        found["header"] = _outcome(is_strange, own.names, over.words)
    if own.caption or over.above:
        strange = {head.caption[-1] for head in others if head.caption} - {*own.caption}
        is_strange = any(_has([line], strange, words) for line in over.above)
        found["caption"] = _outcome(is_strange, own.caption[-1:], over.words)
    columns = set(over.columns(cells, own))
    if columns:
        found["column"] = next(outcome for outcome in reversed(HeadOutcome) if outcome in columns)
    return found


def _outcome(is_another: bool, due: Sequence[str] | frozenset[str], words: str) -> HeadOutcome:
    if is_another:
        return HeadOutcome.ANOTHER
    return HeadOutcome.RIGHT if all(name in words for name in due) else HeadOutcome.LACKS


def _has(parts: Sequence[str], strange: set[str], own: str) -> bool:
    """A part is one of these names, or a longer one stands in it, that is not in the row's own
    words."""
    return any(
        name not in own and any(part == name or (len(name) >= _NAME and name in part) for part in parts)
        for name in strange
    )


class _Over:
    """What is read before a quote, in plain letters. header_rows: the cells of each header row of
    its table; above: what stands above that, the headings that it stands below included."""

    def __init__(self, quote: Quotable, text: str, blocks: Sequence[Block]) -> None:
        self.text, self.blocks, self.row = text, blocks, quote.block
        is_row = blocks[quote.block].kind == BlockKind.ROW
        self.table = blocks[quote.block].parent if is_row else -1
        begin = blocks[self.table].start if is_row else quote.start
        said = set(quote.lead)
        self.headers = [
            at
            for at, block in enumerate(blocks)
            if is_row and block.parent == self.table and block.header
            if any(a <= block.start < b for a, b in said)
        ]
        self.header_rows = [[plain(text[cell.start : cell.end]) for cell in self._cells(at)] for at in self.headers]
        self.above = [plain(text[a:b]) for a, b in sorted({*said, *quote.path}) if a < begin]
        self.words = "".join(plain(text[a:b]) for a, b in quote.lead)

    def _cells(self, row: int) -> list[Block]:
        return [block for block in self.blocks if block.parent == row and block.kind == BlockKind.CELL]

    def columns(self, cells: Sequence[str], own: TableHead) -> Iterator[HeadOutcome]:
        """Of each cell, whether the header over it names its column."""
        if self.table < 0 or len(cells) != len(own.header):
            return
        for block in self._cells(self.row):
            same = [n for n, cell in enumerate(cells) if cell == plain(self.text[block.start : block.end])]
            if len(same) != 1 or not self.headers:
                continue
            over = "".join(
                plain(self.text[head.start : head.end])
                for row in self.headers
                for head in self._cells(row)
                if head.column < block.column + block.columns and block.column < head.column + head.columns
            )
            due = own.header[same[0]]
            others = {name for column in own.header for name in column} - {*due}
            if all(name in over for name in due):
                yield HeadOutcome.RIGHT
            elif any(name in over for name in others if name not in "".join(due)):
                yield HeadOutcome.ANOTHER
            else:
                yield HeadOutcome.LACKS
