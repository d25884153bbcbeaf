"""A quoted place of a document -> what stands there: introductions, sentences, lists with their
items, rows with their cells.

The parts follow each other without a gap, so that the quote stays one exact slice. Knows no pages
and no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag_api.domain import Block, BlockKind, PartKind
from rag_api.text.blocks import above

# What a question asks for, and what a column that holds it may be called.
_COLUMNS = (
    (r"hoeveel|dosis|dosering|how much|dose|dosage", r"\w*dos(?:is|e|ering|age)|hoeveel|gift|bolus|volume"),
    (r"max\w*|hoogstens|at most", r"max|hoogstens|at most"),
    (r"wie|bel(?:len|t)?|who|whom|call", r"wie|who|toestel|telefoon|phone|contact|verantwoordelijk|responsible"),
    (r"hoe vaak|how often", r"hoe vaak|how often|interval|frequentie|frequency"),
    (
        r"wanneer|hoe (?:snel|lang)|hoelang|when|how (?:soon|long|fast)",
        r"wanneer|tijd|interval|frequentie|duur|when|time|within|frequency|duration|binnen",
    ),
    (r"waar|where", r"waar|plaats|locatie|where|place|location"),
)


@dataclass(frozen=True, slots=True)
class Inner:
    """A cell or an item: text[start:end], without white space around it."""

    start: int
    end: int
    label: str = ""
    level: int = 0
    header: bool = False
    column: int = 0
    columns: int = 1
    asked: bool = False
    pointed: bool = False


@dataclass(frozen=True, slots=True)
class QuotedPart:
    start: int
    end: int
    kind: PartKind
    group: int  # of the list, table or note that it stands in; of prose its own
    pieces: tuple[Inner, ...] = ()


def parts_of(
    text: str,
    blocks: Sequence[Block],
    start: int,
    end: int,
    question: str = "",
    said: Sequence[tuple[int, int]] = (),
) -> list[QuotedPart]:
    """What text[start:end] is made of, in order. question: tells the cell that it asks for. said:
    the sentences for which a paragraph is quoted, the rows for which a table is."""
    found: list[QuotedPart] = []
    for index, block in enumerate(blocks):
        if (
            block.start >= end
            or block.end <= start
            or block.kind in (BlockKind.LIST, BlockKind.TABLE, BlockKind.NOTE, BlockKind.CELL)
        ):
            continue
        part = _part(text, blocks, index, max(start, block.start), min(end, block.end), question)
        if part.kind == PartKind.SENTENCE:
            part = replace(part, pieces=tuple(_sentence(text, place) for place in said if _is_part(place, part)))
        elif part.kind == PartKind.ROW and any(part.start < b and a < part.end for a, b in said):
            part = replace(part, pieces=tuple(replace(cell, pointed=True) for cell in part.pieces))
        if found and part.kind == PartKind.LIST == found[-1].kind and part.group == found[-1].group:
            found[-1] = replace(found[-1], end=part.end, pieces=(*found[-1].pieces, *part.pieces))
        elif found and part.kind == PartKind.SENTENCE and _is_inner(blocks, index) and found[-1].kind == PartKind.LIST:
            found[-1] = _longer(found[-1], text, part.end)
        else:
            found.append(part)
    return found or [QuotedPart(start, end, PartKind.SENTENCE, -1)]


def _part(text: str, blocks: Sequence[Block], index: int, start: int, end: int, question: str) -> QuotedPart:
    block = blocks[index]
    if block.kind == BlockKind.HEADING or _introduces(text, blocks, index, end):
        return QuotedPart(start, end, PartKind.HEADING, index)
    if block.kind == BlockKind.ROW:
        return QuotedPart(start, end, PartKind.ROW, block.parent, _cells(text, blocks, index, start, end, question))
    if block.kind == BlockKind.ITEM and start == block.start:
        holder = next(at for at in above(blocks, index) if blocks[at].kind == BlockKind.LIST)
        item = Inner(*_trimmed(text, start, end), block.label, block.level)
        return QuotedPart(start, end, PartKind.LIST, holder, (item,))
    note = next((at for at in above(blocks, index) if blocks[at].kind == BlockKind.NOTE), None)
    return QuotedPart(start, end, PartKind.SENTENCE if note is None else PartKind.NOTE, index if note is None else note)


def _is_part(place: tuple[int, int], of: QuotedPart) -> bool:
    return of.start <= place[0] and place[1] <= of.end and place != (of.start, of.end)


def _sentence(text: str, place: tuple[int, int]) -> Inner:
    return Inner(*_trimmed(text, *place), asked=True)


def _introduces(text: str, blocks: Sequence[Block], index: int, end: int) -> bool:
    """The end of a paragraph that a list or table follows."""
    block = blocks[index]
    follows = index + 1 < len(blocks) and blocks[index + 1].kind in (BlockKind.LIST, BlockKind.TABLE)
    return (
        block.kind == BlockKind.PARAGRAPH
        and follows
        and end == block.end
        and text[block.start : end].rstrip().endswith(":")
    )


def _is_inner(blocks: Sequence[Block], index: int) -> bool:
    parent = blocks[index].parent
    return blocks[index].kind == BlockKind.PARAGRAPH and parent >= 0 and blocks[parent].kind == BlockKind.ITEM


def _longer(part: QuotedPart, text: str, end: int) -> QuotedPart:
    last = part.pieces[-1]
    return replace(part, end=end, pieces=(*part.pieces[:-1], replace(last, end=_trimmed(text, last.start, end)[1])))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in " \t\n|":
        start += 1
    while end > start and text[end - 1] in " \t\n|":
        end -= 1
    return start, end


def _cells(text: str, blocks: Sequence[Block], row: int, start: int, end: int, question: str) -> tuple[Inner, ...]:
    cells = []
    for block in blocks[row + 1 :]:
        if block.kind != BlockKind.CELL:
            break
        if block.start < end and block.end > start:
            place = _trimmed(text, max(start, block.start), min(end, block.end))
            cells.append(Inner(*place, header=block.header, column=block.column, columns=block.columns))
    if any(cell.header for cell in cells):
        return tuple(cells)
    asked = _asked_column(_titles(text, blocks, row), question)
    return tuple(replace(cell, asked=cell.column == asked) for cell in cells)


def _titles(text: str, blocks: Sequence[Block], row: int) -> dict[int, str]:
    """What the columns of a row's table are called."""
    titles: dict[int, str] = {}
    table = blocks[row].parent
    for at in range(table + 1, row):
        if blocks[at].kind == BlockKind.CELL and blocks[at].header:
            titles[blocks[at].column] = text[blocks[at].start : blocks[at].end].strip(" \t\n|")
    return titles


def _asked_column(titles: dict[int, str], question: str) -> int | None:
    """The one column whose title says what the question asks for; None when none or several do: a
    wrong one misleads more than none. Not the first, which says what the row is for."""
    asked, fitting = question.casefold(), set[int]()
    for words, titled in _COLUMNS:
        if re.search(rf"\b(?:{words})\b", asked):
            fitting |= {at for at, title in titles.items() if at and re.search(rf"\b(?:{titled})", title.casefold())}
    return fitting.pop() if len(fitting) == 1 else None
