"""Shapes -> the tree of a document's blocks, and ways through it. Knows no files and no pages.

The tree is a flat list: containers before what they hold, each with the index of its parent
(domain.Block).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from rag_api.domain import Block, BlockKind
from rag_api.text.block_shapes import Shape, is_note, shapes

_NEARLY_ALL = 0.8
_INTERRUPTED = 600  # characters that may stand between two items of a list
LEAVES = (BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.CELL)


def blocks_of(text: str) -> tuple[Block, ...]:
    """As far as the characters alone tell."""
    return tree(text, shapes(text))


def tree(text: str, parts: Sequence[Shape]) -> tuple[Block, ...]:
    """The blocks of shapes that partition a text."""
    return _Tree(text).grown(parts)


class _Tree:
    """Grows shape by shape; what is open at its end takes in the next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self.headings: list[int] = []  # open ones, outermost first
        # where in the text one of them ends at the latest, and those that were open before it
        self.until: dict[int, tuple[int, list[int]]] = {}
        self.note, self.box = -1, 0  # the open note and the number of its box
        self.table = -1
        self.list = -1
        self.items: list[tuple[int, int, str]] = []  # open ones of the list: index, level, kind of label
        # the list before, with its last items, below the same heading
        self.left: tuple[int, list[tuple[int, int, str]]] = (-1, [])

    def grown(self, parts: Sequence[Shape]) -> tuple[Block, ...]:
        for part in parts:
            if part.aside and (self.list >= 0 or self.table >= 0):
                self._paragraph(part)
                continue
            self._end_headings(part)
            self._in_box(part)
            if part.kind != BlockKind.ROW or part.begins or (part.apart and not part.header):
                self.table = -1
            if part.kind != BlockKind.ITEM and not part.inner:
                self._end_list(part)
            {
                BlockKind.HEADING: self._heading,
                BlockKind.ITEM: self._item,
                BlockKind.ROW: self._row,
            }.get(part.kind, self._paragraph)(part)
        return _with_ends(self.blocks)

    def _end_headings(self, part: Shape) -> None:
        """What follows a heading's end stands below those that its own place interrupted."""
        while ended := [at for at in self.headings if at in self.until and self.until[at][0] <= part.start]:
            self.headings = self.until.pop(ended[0])[1]

    def _end_list(self, part: Shape) -> None:
        """What stands between two of its items (a box, a page's border) may only interrupt it."""
        if self.list >= 0:
            self.left = self.list, self.items
        if part.kind == BlockKind.HEADING:
            self.left = -1, []
        self.list, self.items = -1, []

    def _goes_on(self, part: Shape) -> tuple[int, int, str] | None:
        """The item of the list before that this one counts on from; None where it counts on from
        none, or is far from it."""
        if (
            not part.label.strip("().:")
            or part.start - max((self.blocks[at].end for at, _, _ in self.left[1]), default=0) > _INTERRUPTED
        ):
            return None
        kind = _label_kind(part.label)
        return next(
            (
                one
                for one in self.left[1][::-1]
                if one[2] == kind and _next_label(self.blocks[one[0]].label, part.label)
            ),
            None,
        )

    def _add(self, kind: BlockKind, part: Shape, parent: int, **said: object) -> int:
        self.blocks.append(Block(kind, part.start, part.end, parent, **said))  # type: ignore[arg-type]
        return len(self.blocks) - 1

    def _below(self) -> int:
        return self.note if self.note >= 0 else self.headings[-1] if self.headings else -1

    def _in_box(self, part: Shape) -> None:
        """A note begins with the first shape of a box, and with a line that says so; the latter's
        ends with it."""
        if self.box and part.box == self.box:
            return
        self.note, self.box = -1, part.box
        said = (
            part.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM)
            and not part.inner
            and is_note(self.text[part.start : part.end])
        )
        if part.box or (said and part.kind == BlockKind.PARAGRAPH):
            self.table = -1
            self._end_list(part)
            self.note = self._add(BlockKind.NOTE, part, self._below())

    def _heading(self, part: Shape) -> None:
        if self.note >= 0:  # the box's own
            self._add(BlockKind.HEADING, part, self.note, level=part.level, label=part.label)
            return
        level = part.level or (self.blocks[self.headings[0]].level + 1 if self.headings else 1)
        before = [*self.headings]
        while self.headings and self.blocks[self.headings[-1]].level >= level:
            self.headings.pop()
        self.headings.append(self._add(BlockKind.HEADING, part, self._below(), level=level, label=part.label))
        if part.until:
            self.until[self.headings[-1]] = part.until, before

    def _paragraph(self, part: Shape) -> None:
        if part.inner and self.items:
            self._add(BlockKind.PARAGRAPH, part, self.items[-1][0])
        else:
            self._add(BlockKind.PARAGRAPH, part, self._below())

    def _row(self, part: Shape) -> None:
        if self.table < 0:
            self.table = self._add(BlockKind.TABLE, part, self._below())
        row = self._add(BlockKind.ROW, part, self.table, header=part.header)
        for cell in part.cells:
            self.blocks.append(
                Block(
                    BlockKind.CELL,
                    cell.start,
                    cell.end,
                    row,
                    header=cell.header,
                    column=cell.column,
                    columns=cell.columns,
                )
            )

    def _item(self, part: Shape) -> None:
        kind = _label_kind(part.label)
        if self.list < 0 and self.note < 0 and (before := self._goes_on(part)) is not None:
            self.list, self.items = self.left
            part = replace(part, level=before[1])
        elif self.list >= 0 and part.apart and self._restarts(part, kind):
            self.list, self.items = -1, []
        if self.list < 0:
            self.list, self.items = self._add(BlockKind.LIST, part, self._below()), []
        while self.items and self._ends(self.items[-1], part, kind):
            self.items.pop()
        level = len(self.items)
        parent = self.items[-1][0] if self.items else self.list
        self.items.append((self._add(BlockKind.ITEM, part, parent, level=level, label=part.label), part.level, kind))

    def _ends(self, item: tuple[int, int, str], part: Shape, kind: str) -> bool:
        """The open item is no parent of the next one: that stands no deeper. Where no depths are
        known, another kind of label goes deeper until a kind that is open comes again."""
        _, level, open_kind = item
        if part.level != level:
            return part.level < level
        return open_kind == kind or any(other == kind for _, same, other in self.items[:-1] if same == part.level)

    def _restarts(self, part: Shape, kind: str) -> bool:
        """After white space: a list that counts from one again, or is marked otherwise at the same
        depth, is another one."""
        if part.label.strip("().") in ("1", "a", "A", "i"):
            return not self.items or part.level <= self.items[0][1]
        return bool(self.items) and kind != self.items[0][2] and part.level <= self.items[0][1]


def _next_label(one: str, two: str) -> bool:
    """ "b)" counts on from "a)", "2.3" from "2.2"."""
    one, two = one.strip("().:"), two.strip("().:")
    if not one or not two:
        return False
    if len(one) == len(two) == 1 and one.isalpha() and two.isalpha():
        return ord(two) == ord(one) + 1
    (above, last), (also, next_) = (label.rpartition(".")[::2] for label in (one, two))
    return above == also and last.isdecimal() and next_.isdecimal() and int(next_) == int(last) + 1


def _label_kind(label: str) -> str:
    body = label.strip("().:")
    return "number" if body[:1].isdigit() else "letter" if body[:1].isalpha() else label


def _with_ends(blocks: list[Block]) -> tuple[Block, ...]:
    """Containers end where the last of what they hold ends; an item holds what stands below it, but
    its own words are its own."""
    ends = [block.end for block in blocks]
    for index in range(len(blocks) - 1, -1, -1):
        parent = blocks[index].parent
        if parent >= 0 and blocks[parent].kind not in LEAVES:
            ends[parent] = max(ends[parent], ends[index])
        elif parent >= 0 and blocks[parent].kind == BlockKind.ITEM:
            holder = _holder(blocks, parent)
            ends[holder] = max(ends[holder], ends[index])
    return tuple(
        Block(b.kind, b.start, end, b.parent, b.level, b.label, b.header, b.column, b.columns)
        for b, end in zip(blocks, ends, strict=True)
    )


def _holder(blocks: Sequence[Block], index: int) -> int:
    while blocks[index].kind in LEAVES and blocks[index].parent >= 0:
        index = blocks[index].parent
    return index


def leaves(blocks: Sequence[Block]) -> Iterator[Block]:
    """Those that have words of their own, in order: they partition the text."""
    return (block for block in blocks if block.kind in LEAVES)


def above(blocks: Sequence[Block], index: int) -> Iterator[int]:
    """The indices of what a block stands in and below, the nearest first."""
    while (index := blocks[index].parent) >= 0:
        yield index


def headings(blocks: Sequence[Block], index: int) -> list[int]:
    """The indices of the headings that a block stands below, the outermost first."""
    return [at for at in above(blocks, index) if blocks[at].kind == BlockKind.HEADING][::-1]


def names_of(blocks: Sequence[Block]) -> frozenset[tuple[int, int]]:
    """The places of the headings that stand over nearly all of a text: its name, a letterhead. They
    turn none of its sentences over."""
    words = [index for index, block in enumerate(blocks) if block.kind in LEAVES and block.kind != BlockKind.HEADING]
    held: Counter[int] = Counter()
    for index in words:
        for at in headings(blocks, index):
            held[at] += blocks[index].end - blocks[index].start
    whole = sum(blocks[index].end - blocks[index].start for index in words)
    return frozenset((blocks[at].start, blocks[at].end) for at, length in held.items() if length >= _NEARLY_ALL * whole)


@lru_cache(maxsize=256)
def names_in(text: str, structure: str = "") -> frozenset[tuple[int, int]]:
    """`names_of` a text's blocks, looked for once."""
    return names_of(structure_of(text, structure))


def packed(blocks: Sequence[Block]) -> str:
    """As JSON: what the database keeps."""
    rows = [[b.kind.value, b.start, b.end, b.parent, b.level, b.label, b.header, b.column, b.columns] for b in blocks]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=256)
def structure_of(text: str, structure: str = "") -> tuple[Block, ...]:
    """A text's blocks by what was packed of them; without it as far as its characters tell."""
    return unpacked(structure) if structure else blocks_of(text)


def unpacked(data: str) -> tuple[Block, ...]:
    return tuple(Block(BlockKind(kind), *rest) for kind, *rest in json.loads(data))
