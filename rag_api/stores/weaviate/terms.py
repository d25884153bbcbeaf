"""Counts of a collection's words (term_counts.py): in the data directory, which all processes of
one Bedside share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rag_api.config import Settings
from rag_api.stores.ranking.term_counts import COLUMNS, TermCounts, TermRow

BATCH = 1_000  # chunks in one answer of the server, when all are counted


def open_counts(settings: Settings) -> TermCounts:
    return TermCounts(settings.data_dir / "terms" / settings.collection)


def bring_up_to_date(counts: TermCounts, chunks: Any, anew: bool) -> None:
    """chunks: the collection. anew: they are other ones than were counted."""
    counts.bring_up_to_date(
        lambda: int(chunks.aggregate.over_all(total_count=True).total_count or 0),
        lambda: rows_of(chunks.iterator(return_properties=COLUMNS, cache_size=BATCH)),
        anew,
    )


def rows_of(objects: Iterable[Any]) -> Iterator[TermRow]:
    return ((one.properties["groups"] or [], one.properties["terms"] or "") for one in objects)
