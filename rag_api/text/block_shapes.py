"""Lines of a document text and what each of them is: what a tree of blocks is made from
(blocks.py).

Readers say what they know (fonts, styles, tags, cells). `shapes` is what characters alone tell, for
texts of which nothing more is known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from rag_api.domain import BlockKind
from rag_api.text.sentence_splitter import LineKind, kind_of_line, lines

LABEL = re.compile(
    r"[-–—•●▪◦‣∙·*☐☑☒▣□✓✔➢►■○◆➤→]|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{2,4})[.)]|\d{1,2}(?:\.\d{1,2})+\.?|(?:stap|step)\s\d{1,2}[.:]?",
    re.IGNORECASE,
)
_PARTS = r"[^\w\s,/%+×°(<>≤≥=~±&]"  # a sign between a number and its words, none of a quantity
# "Table 3. Doses", "Tabel 3 - Doses", "TABLE II", "Tabel 2 A"; not "After 24 hours", "Dag 3 - 5"
NUMBERED_CAPTION = re.compile(
    r"([A-ZÀ-Þ][^\W\d_]+)\.? ?(?:\d{1,3}[a-z]?|[IVX]{1,5})(?:[.-]\d{1,3}){0,2}"
    rf"(?:{_PARTS}(?!\w)|\s+{_PARTS}(?!\w|\s*\d)|\s*$|\s+[A-ZÀ-Þ])"
)
_NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)\.?\s+\S")
_CLASSED = 4  # cells of a column that say what another one does
_FIGURES = re.compile(r"[\d.,\s]+")
_CELLS = re.compile(r"\t| \| ")
_NOTE = re.compile(
    r"(let op|opgelet|waarschuwing|nb|n\.b\.|nota "
    r"bene|belangrijk|attentie|aandachtspunt|tip|warning|caution|note|important)\s*[:!]",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[A-ZÀ-Þ][^.!?:;\n]{3,150}\?")
HISTORY = re.compile(
    r"(versie|version|datum|date)\b.*\b(wijziging\w*|changes?|aanpassing\w*|omschrijving|description)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class CellShape:
    start: int
    end: int
    column: int
    columns: int = 1
    header: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """text[start:end], white space after it included: a paragraph, heading, item or row. Shapes
    partition their text."""

    kind: BlockKind  # HEADING, PARAGRAPH, ITEM or ROW
    start: int
    end: int
    level: int = 0
    label: str = ""
    header: bool = False
    cells: tuple[CellShape, ...] = ()
    box: int = 0  # those in one box have one number, 0: in none
    apart: bool = False  # white space parts it from what stands before: another table or list may begin here
    begins: bool = False  # a row with which another table begins, whatever stands above
    unsure: bool = False  # a row, or a line of a table, of which it is not certain what heads it
    inner: bool = False  # a paragraph that belongs to the item before
    aside: bool = False  # a paragraph between items of one list, or rows of one table, that is none of it: a footnote
    until: int = 0  # where in the text a heading ends to head what follows, at the latest; 0: nobody says


def shapes(text: str) -> list[Shape]:
    """What the characters alone say, in order."""
    return list(with_headers(text, iter(without_lists_of_headings(text, list(_shaped(text))))))


def _shaped(text: str) -> Iterator[Shape]:
    for span in lines(text):
        apart = bool(re.search(r"\n\s*\n\s*$", text[max(0, span.start - 20) : span.start]))
        yield shape_of(text, span.start, span.end, span.kind, apart)


def kind_of(text: str, start: int, end: int) -> LineKind:
    """What the characters of text[start:end], a line or a paragraph, say that it is."""
    return kind_of_line(text[start:end], followed=bool(text[end : end + 200].strip()))


def shape_of(text: str, start: int, end: int, kind: LineKind, apart: bool = False) -> Shape:
    """The shape of a line that the characters say is of this kind."""
    words = text[start:end]
    if kind == LineKind.ROW:
        return Shape(BlockKind.ROW, start, end, cells=cells_of(text, start, end), apart=apart)
    if kind == LineKind.ITEM:
        return Shape(BlockKind.ITEM, start, end, label=label_of(words), apart=apart)
    if kind == LineKind.HEADING:
        number = numbered(words)
        return Shape(
            BlockKind.HEADING, start, end, level=number.count(".") + 1 if number else 0, label=number, apart=apart
        )
    if _QUESTION.fullmatch(words.strip()) and text[end:].strip():  # a document's own question heads what answers it
        return Shape(BlockKind.HEADING, start, end, apart=apart)
    return Shape(BlockKind.PARAGRAPH, start, end, apart=apart)


def label_of(words: str) -> str:
    """The mark or number that a line begins with, "" without one."""
    stripped = words.lstrip()
    match = LABEL.match(stripped)
    return match[0] if match and stripped[match.end() : match.end() + 1].isspace() else ""


def numbered(words: str) -> str:
    """A heading's number: "4.2" of "4.2 Dosering"."""
    match = _NUMBER.match(words.lstrip())
    return match[1] if match else ""


def is_note(words: str) -> bool:
    """It says itself that it must not be overlooked."""
    return bool(_NOTE.match(words.lstrip().lstrip("!⚠️ ")))


def cells_of(text: str, start: int, end: int) -> tuple[CellShape, ...]:
    """The cells of a line that tabs or bars part; each with what parts it from the next."""
    cuts = [start, *(match.end() for match in _CELLS.finditer(text, start, end)), end]
    found = [(a, b) for a, b in pairwise(cuts) if text[a:b].strip(" \t|\n")]
    if not found:
        return (CellShape(start, end, 0),)
    begins = [start, *(a for a, _ in found[1:])]
    return tuple(CellShape(a, b, n) for n, (a, b) in enumerate(zip(begins, [*begins[1:], end], strict=True)))


def with_headers(text: str, found: Iterator[Shape]) -> Iterator[Shape]:
    """Yield the shapes of a text, the rows that head their tables marked."""
    table: list[Shape] = []
    for shape in found:
        if shape.kind == BlockKind.ROW and not (table and shape.apart):
            table.append(shape)
            continue
        yield from headed(text, table)
        table = [shape] if shape.kind == BlockKind.ROW else []
        if not table:
            yield shape
    yield from headed(text, table)


def headed(text: str, rows: list[Shape], is_set_apart: bool | None = None) -> list[Shape]:
    """The rows of one table, the first marked as a header when it is one and none is marked, with a
    single name above it. is_set_apart: the page sets it off from the others; None: how it looks is
    not known (text, Word, HTML), where a first row of words is a header more often than not."""
    words = [[(c.column, text[c.start : c.end].strip(" \t|\n")) for c in row.cells] for row in rows]
    # one name over several others
    above = 1 if len(words) > 1 and len(words[0]) > 1 and sum(bool(cell) for _, cell in words[0]) == 1 else 0
    if any(row.header for row in rows) or not _is_header(words[above:], is_set_apart):
        return rows
    heads = rows[: above + 1]
    return [
        *(replace(row, header=True, cells=tuple(replace(cell, header=True) for cell in row.cells)) for row in heads),
        *rows[above + 1 :],
    ]


def _is_header(rows: list[list[tuple[int, str]]], is_set_apart: bool | None) -> bool:
    """Without figures where most cells of a column below have some; mostly without, unless the page
    does not set it apart; with other words than columns of classes; or, in a regular table of three
    columns and more, figures that stand for columns ("MEWS 3 2 1 0"). Any other first row is one
    like those below: it may be an answer."""
    if len(rows) < 3:
        return len(rows) > 0 and bool(HISTORY.match(" ".join(cell for _, cell in rows[0])))
    first, below = rows[0], [cell for row in rows[1:] for cell in row]
    figures = [_has_figures(cell) for _, cell in first]
    regular = len(first) >= 3 and all(len(row) == len(first) for row in rows)
    if regular and not figures[0] and all(figures[1:]):
        return all(_is_of_another_kind(cell, [one for at, one in below if at == column]) for column, cell in first[1:])
    if sum(figures) * 2 >= len(figures):
        return False
    of_figures = any(
        cell and not _has_figures(cell) and _are_figures([one for at, one in below if at == column])
        for column, cell in first
    )
    return is_set_apart is not False or of_figures or _names_classes(first, below)


def _names_classes(first: list[tuple[int, str]], below: list[tuple[int, str]]) -> bool:
    """Two columns and more are of few words that come again and again ("low", "high"), and the
    first row has none of any column's."""
    if {cell.casefold() for _, cell in first} & {cell.casefold() for _, cell in below}:
        return False
    columns = [Counter(one for at, one in below if at == column) for column, _ in first]
    again = [sum(n for n in words.values() if n > 1) for words in columns]
    return sum(n >= _CLASSED and 2 * n > words.total() for n, words in zip(again, columns, strict=True)) > 1


def _has_figures(cell: str) -> bool:
    return any(c.isdigit() for c in cell)


def _are_figures(column: list[str]) -> bool:
    return sum(map(_has_figures, column)) * 2 > len(column)


def _is_of_another_kind(cell: str, column: list[str]) -> bool:
    """Most cells below have other words or signs beside their figures: "10 kg" above "3 ml"."""
    own = _FIGURES.sub("", cell).casefold()
    return sum(_FIGURES.sub("", one).casefold() == own for one in column) * 2 < len(column)


def without_lists_of_headings(text: str, shapes: list[Shape]) -> list[Shape]:
    """Numbered lines of one depth that follow each other are a list, however they are set."""
    found = list(shapes)
    for n, shape in enumerate(shapes):
        if shape.kind != BlockKind.HEADING or not shape.label:
            continue
        before, after = shapes[n - 1] if n else None, shapes[n + 1] if n + 1 < len(shapes) else None
        follows = (before is not None and _next_to(before, shape)) or (after is not None and _next_to(shape, after))
        if follows and label_of(text[shape.start : shape.end]):
            found[n] = replace(shape, kind=BlockKind.ITEM, level=0, label=label_of(text[shape.start : shape.end]))
    return found


def _next_to(one: Shape, two: Shape) -> bool:
    """`two` has the number after that of `one`: nothing stands between them."""
    numbers = [
        shape.label.strip("().").split(".") if shape.kind in (BlockKind.HEADING, BlockKind.ITEM) else [""]
        for shape in (one, two)
    ]
    if not all(part.isdigit() for number in numbers for part in number):
        return False
    first, second = ([int(part) for part in number] for number in numbers)
    return first[:-1] == second[:-1] and first[-1] + 1 == second[-1]
