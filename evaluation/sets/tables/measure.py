"""The rows of tables as an answer would quote them: each with all of its cells, those too that
stand for several rows, and no other's."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

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


def measure(tell: Callable[[int], Any] = lambda done: None) -> dict[str, Any]:
    """How many rows are quoted how, in all and by set. tell: called with how many documents are
    read."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    documents: dict[str, list[MarkedRow]] = defaultdict(list)
    for row in rows():
        documents[row.document].append(row)
    for done, (name, own) in enumerate(documents.items(), start=1):
        document = read(HERE / "pdf" / name, name, PDF, max_pages=20)
        for row, outcome in outcomes(own, document.text, document.blocks, document.uncertain).items():
            found[row.set][outcome] += 1
        tell(done)
    return {
        "documents": len(documents),
        "sets": {name: _counts(own) for name, own in found.items()},
        **_counts(sum(found.values(), Counter())),
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
    quotes = [
        _Quote(
            _plain(text[quote.start : quote.end]),
            _plain("".join(text[a:b] for a, b in quote.lead if a >= _table(quote, blocks))),
        )
        for quote in quotable(text, blocks)
        if is_certain(quote, uncertain)
    ]
    names: dict[tuple[int, str], set[str]] = defaultdict(set)
    for row in of_document:
        names[row.page, row.table].add(_plain(row.cells[0]))
    return {
        row: _outcome([_plain(cell) for cell in row.cells], names[row.page, row.table], quotes) for row in of_document
    }


def _table(quote: Quotable, blocks: Sequence[Block]) -> int:
    """Where a row's table begins: its caption may name many rows."""
    block = blocks[quote.block]
    return blocks[block.parent].start if block.kind == BlockKind.ROW else 0


def _outcome(cells: Sequence[str], names: set[str], quotes: Sequence[_Quote]) -> RowOutcome:
    others = [name for name in names if len(name) >= _NAME and name not in "".join(cells)]
    found = {_of_quote(cells, others, quote) for quote in quotes}
    return next(
        outcome
        for outcome in (RowOutcome.RIGHT, RowOutcome.WRONG, RowOutcome.LACKS, RowOutcome.NONE)
        if outcome in {*found, RowOutcome.NONE}
    )


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


def _plain(text: str) -> str:
    return re.sub(r"[\s\u00ad]+", "", text).casefold()


def _counts(found: Counter[str]) -> dict[str, int]:
    return {"rows": found.total(), **{outcome.value: found[outcome] for outcome in RowOutcome}}
