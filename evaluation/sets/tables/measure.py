"""The rows of tables as an answer would quote them: each with all of its cells, those too that
stand for several rows, and no other's."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from evaluation.sets.tables.heads import HeadOutcome, TableHead, heads, judged, plain
from rag_api.domain import Block, BlockKind
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import Quotable, quotable
from rag_api.text.quotable.uncertain import Places, is_certain

HERE = Path(__file__).parent
_LONGEST = 1.5  # times the words of a row; a quote that is longer holds several
_NAME = 5  # letters; a shorter one stands by chance in other words


class RowOutcome(StrEnum):
    RIGHT = "right"
    LACKS = "lacks"  # its name: which patients, which level
    WRONG = "wrong"  # it holds the name of other rows, or their words
    NONE = "none"  # its cells stand in no quote together


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """cells: as a careful reader sees them, those too that stand for several rows; none that is
    empty."""

    set: str
    document: str
    page: int
    table: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Quote:
    words: str  # without white space
    lead: str
    quotable: Quotable


def measure(tell: Callable[[int], Any] = lambda done: None) -> dict[str, Any]:
    """How many rows are quoted how, in all and by set, and what is quoted with those that are
    right. tell: called with how many documents are read."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    with_them: dict[str, Counter[HeadOutcome]] = defaultdict(Counter)
    documents: dict[str, list[MarkedRow]] = defaultdict(list)
    of_heads = heads()
    for row in rows():
        documents[row.document].append(row)
    for done, (name, own) in enumerate(documents.items(), start=1):
        document = read(HERE / "pdf" / name, name, PDF, max_pages=20)
        parts = document.text, document.blocks, document.uncertain
        for row, outcome in outcomes(own, *parts).items():
            found[row.set][outcome] += 1
        for parts_of_row in quoted_with(own, of_heads[name], *parts).values():
            for part, quoted in parts_of_row.items():
                with_them[part][quoted] += 1
        tell(done)
    return {
        "documents": len(documents),
        "sets": {name: _counts(own) for name, own in found.items()},
        **_counts(sum(found.values(), Counter())),
        "with right rows": {part: {one.value: own[one] for one in HeadOutcome} for part, own in with_them.items()},
    }


def rows() -> list[MarkedRow]:
    with (HERE / "rows.csv").open(encoding="utf-8", newline="") as file:
        read_ = list(csv.DictReader(file))
    return [
        MarkedRow(row["set"], row["document"], int(row["page"]), row["table"], tuple(row["cells"].split(" || ")))
        for row in read_
    ]


def outcomes(
    of_document: Sequence[MarkedRow], text: str, blocks: Sequence[Block], uncertain: Places = ()
) -> Mapping[MarkedRow, RowOutcome]:
    """How each row of a document is quoted, at best. uncertain: what is never quoted."""
    quotes = _quotes(text, blocks, uncertain)
    names = _names(of_document)
    return {row: _outcome(_cells(row), names[row.page, row.table], quotes) for row in of_document}


def quoted_with(
    of_document: Sequence[MarkedRow],
    of_tables: Mapping[tuple[str, int], TableHead],
    text: str,
    blocks: Sequence[Block],
    uncertain: Places = (),
) -> Mapping[MarkedRow, Mapping[str, HeadOutcome]]:
    """What is quoted with each row that is quoted right, by part, at best. of_tables: by table and
    the first of its rows that it heads."""
    quotes = _quotes(text, blocks, uncertain)
    names = _names(of_document)
    count: Counter[str] = Counter()
    found = {}
    for row in of_document:
        count[row.table] += 1
        begins = max(first for table, first in of_tables if table == row.table and first <= count[row.table])
        cells, others = _cells(row), names[row.page, row.table]
        found[row] = min(
            (
                judged(quote.quotable, text, blocks, cells, of_tables[row.table, begins], [*of_tables.values()])
                for quote in quotes
                if _of_quote(cells, _not_in(others, cells), quote) == RowOutcome.RIGHT
            ),
            key=lambda parts: [[*parts.values()].count(bad) for bad in (HeadOutcome.ANOTHER, HeadOutcome.LACKS)],
            default={},
        )
    return found


def _quotes(text: str, blocks: Sequence[Block], uncertain: Places) -> list[_Quote]:
    return [
        _Quote(
            plain(text[quote.start : quote.end]),
            plain("".join(text[a:b] for a, b in quote.lead if a >= _table(quote, blocks))),
            quote,
        )
        for quote in quotable(text, blocks)
        if is_certain(quote, uncertain)
    ]


def _names(of_document: Sequence[MarkedRow]) -> Mapping[tuple[int, str], set[str]]:
    names: dict[tuple[int, str], set[str]] = defaultdict(set)
    for row in of_document:
        names[row.page, row.table].add(plain(row.cells[0]))
    return names


def _cells(row: MarkedRow) -> list[str]:
    return [plain(cell) for cell in row.cells]


def _table(quote: Quotable, blocks: Sequence[Block]) -> int:
    """Where a row's table begins: its caption may name many rows."""
    block = blocks[quote.block]
    return blocks[block.parent].start if block.kind == BlockKind.ROW else 0


def _outcome(cells: Sequence[str], names: set[str], quotes: Sequence[_Quote]) -> RowOutcome:
    found = {_of_quote(cells, _not_in(names, cells), quote) for quote in quotes}
    return next(
        outcome
        for outcome in (RowOutcome.RIGHT, RowOutcome.WRONG, RowOutcome.LACKS, RowOutcome.NONE)
        if outcome in {*found, RowOutcome.NONE}
    )


def _not_in(names: set[str], cells: Sequence[str]) -> list[str]:
    """Names of other rows."""
    return [name for name in names if len(name) >= _NAME and name not in "".join(cells)]


def _of_quote(cells: Sequence[str], others: Sequence[str], quote: _Quote) -> RowOutcome:
    both = quote.lead + quote.words
    own = sum(cell in quote.words for cell in cells) >= max(1, len(cells) - 2)
    if not own or not all(cell in both for cell in cells[len(cells) > 1 :]):
        return RowOutcome.NONE
    long = len(quote.words) > _LONGEST * sum(map(len, cells))
    whole = cells[0] in both
    if any(name in quote.lead or ((long or not whole) and name in quote.words) for name in others):
        return RowOutcome.WRONG
    return RowOutcome.RIGHT if whole else RowOutcome.LACKS


def _counts(found: Counter[str]) -> dict[str, int]:
    return {"rows": found.total(), **{outcome.value: found[outcome] for outcome in RowOutcome}}
