"""Lines of which their file says what they are: a heading by its style or tag, an item by its list,
a row by its table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from rag_api.domain import Block, BlockKind
from rag_api.text.block_shapes import CellShape, Shape, cells_of, label_of, numbered, shape_of, with_headers
from rag_api.text.blocks import blocks_of, tree
from rag_api.text.sentence_splitter import LineKind

Column = tuple[int, int]  # the first one that a cell stands in, and how many it spans


class TaggedLine(str):
    """A line and what it is. level: of a heading from 1, of an item from 0; columns: of a row's
    cells, which tabs part; names: what stands before each of its cells where each says its column's
    name; box: those in one box have one number; inner: it belongs to the item above."""

    __slots__ = ("box", "columns", "header", "inner", "kind", "level", "names")

    kind: BlockKind
    level: int
    header: bool
    columns: tuple[Column, ...]
    names: tuple[str, ...]
    box: int
    inner: bool

    def __new__(
        cls,
        text: str,
        kind: BlockKind,
        level: int = 0,
        *,
        header: bool = False,
        columns: Sequence[Column] = (),
        names: Sequence[str] = (),
        box: int = 0,
        inner: bool = False,
    ) -> TaggedLine:
        line = super().__new__(cls, text)
        line.kind, line.level, line.header, line.box, line.inner = kind, level, header, box, inner
        line.columns, line.names = tuple(columns), tuple(names)
        return line


def reworded(line: str, text: str) -> str:
    """Another text of the same line."""
    if not isinstance(line, TaggedLine):
        return text
    said = {"header": line.header, "columns": line.columns, "names": line.names, "box": line.box, "inner": line.inner}
    return TaggedLine(text, line.kind, line.level, **said)  # type: ignore[arg-type]


def blocks_of_lines(lines: Sequence[str], text: str) -> tuple[Block, ...]:
    """The blocks of a text that is these lines, each ended by a line end; by its characters alone
    where they do not say more."""
    if not any(isinstance(line, TaggedLine) for line in lines) or text != "".join(f"{line}\n" for line in lines):
        return blocks_of(text)
    return tree(text, list(with_headers(text, _shapes(lines, text))))


def _shapes(lines: Sequence[str], text: str) -> Iterator[Shape]:
    """An empty line belongs to what stands before it."""
    starts: list[tuple[int, str, bool]] = []
    at, apart, named = 0, False, False
    for line in lines:
        if line.strip():
            names = isinstance(line, TaggedLine) and bool(line.names)
            # cells that say their columns need no header
            starts.append((at if starts else 0, line, apart or (names and not named)))
            named = names
            apart = False
        else:
            apart = True
        at += len(line) + 1
    for n, (start, line, gap) in enumerate(starts):
        end = starts[n + 1][0] if n + 1 < len(starts) else len(text)
        yield _shape(line, text, start, end, gap)


def _shape(line: str, text: str, start: int, end: int, apart: bool) -> Shape:
    if not isinstance(line, TaggedLine):
        return shape_of(
            text,
            start,
            end,
            LineKind.ROW if "\t" in line else LineKind.ITEM if label_of(line) else LineKind.PROSE,
            apart,
        )
    if line.kind == BlockKind.ROW:
        return Shape(
            line.kind, start, end, header=line.header, cells=_cells(line, text, start, end), apart=apart, box=line.box
        )
    label = label_of(line) if line.kind == BlockKind.ITEM else numbered(line) if line.kind == BlockKind.HEADING else ""
    return Shape(line.kind, start, end, line.level, label, apart=apart, box=line.box, inner=line.inner)


def _cells(line: TaggedLine, text: str, start: int, end: int) -> tuple[CellShape, ...]:
    cells = _named_cells(line, text, start, end) if line.names else cells_of(text, start, end)
    columns = line.columns if len(line.columns) == len(cells) else [(n, 1) for n in range(len(cells))]
    return tuple(
        CellShape(cell.start, cell.end, column, span, line.header)
        for cell, (column, span) in zip(cells, columns, strict=True)
    )


def _named_cells(line: TaggedLine, text: str, start: int, end: int) -> tuple[CellShape, ...]:
    begins, at = [start], start
    for name in line.names[1:]:
        at = text.find(f"; {name}", at, end) + 2
        if at < 2:
            return (CellShape(start, end, 0),)
        begins.append(at)
    return tuple(CellShape(a, b, n) for n, (a, b) in enumerate(zip(begins, [*begins[1:], end], strict=True)))


def by_words(lines: Sequence[str]) -> Mapping[str, TaggedLine]:
    """Lines that say what they are, by their letters and digits: to find them again in a rendering.
    What is said twice, and differs, is left out."""
    found: dict[str, TaggedLine | None] = {}
    for line in lines:
        if isinstance(line, TaggedLine) and (key := key_of(line)):
            known = found.get(key, line)
            same = known is not None and (known.kind, known.level, known.header) == (line.kind, line.level, line.header)
            found[key] = line if same else None
    return {key: line for key, line in found.items() if line is not None}


def key_of(words: str) -> str:
    return re.sub(r"[\W_]+", "", words).casefold()
