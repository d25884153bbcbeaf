"""Lists of which an answer quotes some items and not the others: who reads them must know that
there are more. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rag_api.domain import Block, BlockKind, Citation
from rag_api.text.blocks import structure_of


@dataclass(frozen=True, slots=True)
class PartialList:
    """A list of `items`, or a table of so many rows, of which `quoted` stand in the answer. rank:
    of the source."""

    quoted: int
    items: int
    rank: int
    rows: bool = False


def partial_lists(
    citations: Sequence[Citation], texts: Mapping[str, str], structures: Mapping[str, str]
) -> list[PartialList]:
    """Return the lists quoted in part, those of the first citation's document first."""
    found: list[PartialList] = []
    for document_id in dict.fromkeys(one.document_id for one in citations):
        own = [one for one in citations if one.document_id == document_id]
        if document_id in texts:
            blocks = structure_of(texts[document_id], structures.get(document_id, ""))
            found += [*_of_lists(own, blocks), *_of_tables(own, blocks)]
    return found


def _of_lists(citations: Sequence[Citation], blocks: Sequence[Block]) -> Iterable[PartialList]:
    lists: dict[int, list[list[Block]]] = {}  # an item with those that stand deeper behind it
    for block in blocks:
        if block.kind == BlockKind.ITEM and block.parent >= 0 and blocks[block.parent].kind == BlockKind.LIST:
            items = lists.setdefault(block.parent, [])
            if block.level == 0 or not items:
                items.append([block])
            else:
                items[-1].append(block)
    return _in_part(citations, lists.values(), rows=False)


def _of_tables(citations: Sequence[Citation], blocks: Sequence[Block]) -> Iterable[PartialList]:
    """A row of one cell names a group of others: it is none of them."""
    cells: dict[int, list[Block]] = {}
    for block in blocks:
        if block.kind == BlockKind.CELL and block.parent >= 0:
            cells.setdefault(block.parent, []).append(block)
    tables: dict[int, list[list[Block]]] = {}
    for row, own in cells.items():
        if len(own) > 1 and not blocks[row].header:
            tables.setdefault(blocks[row].parent, []).append(own)
    return _in_part(citations, tables.values(), rows=True)


def _in_part(
    citations: Sequence[Citation], wholes: Iterable[list[list[Block]]], *, rows: bool
) -> Iterable[PartialList]:
    for items in wholes:
        of_items = [
            [c.rank for c in citations if any(c.source_start < b.end and c.source_end > b.start for b in item)]
            for item in items
        ]
        quoted = [ranks for ranks in of_items if ranks]
        if 0 < len(quoted) < len(items):
            yield PartialList(len(quoted), len(items), quoted[0][0], rows)
