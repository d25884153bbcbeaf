"""LanceDB's indexes: which there are, and when they are made and brought up to date.

What no index holds yet is scanned at every search, so indexing is only a matter of speed; 40,000
such chunks cost 700 ms.
"""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from typing import Any

from lancedb.index import FTS, Bitmap, BTree, IvfFlat, LabelList

log = logging.getLogger(__name__)

SCALARS_FROM = 1_000  # chunks; from here on filters have indexes
VECTORS_FROM = 10_000  # chunks; below that a scan is as fast, and exact
# vectors in one of the vector index's partitions, about; query.PROBES of them are scanned at a
# search
PARTITION = 2_000
GROWN = 4.0  # so many times as many chunks as the partitions were made for: made anew
KEEP_VERSIONS = timedelta(minutes=10)  # readers of another process may still be at an older one
TERMS = FTS(
    base_tokenizer="whitespace",
    lower_case=False,
    stem=False,
    remove_stop_words=False,
    ascii_folding=False,
    max_token_length=None,
)
# Most chunks are valid: a tree hands over the numbers of all their rows one by one, 10 ms at each
# search of 100,000; a bitmap has them.
_SCALARS: dict[str, Any] = {
    "document_id": BTree(),
    "id": BTree(),
    "groups": LabelList(),
    "valid_from": Bitmap(),
    "valid_until": Bitmap(),
}


def begin(table: Any) -> None:
    """What even an empty index has."""
    if not table.list_indices():
        table.create_index("terms", config=TERMS)


def bring_up_to_date(table: Any) -> None:
    """Merge small files, index what is new, and make the indexes that the number of chunks asks
    for."""
    table.optimize(cleanup_older_than=KEEP_VERSIONS)
    rows = table.count_rows()
    if rows < SCALARS_FROM:
        return
    indexes = table.list_indices()
    for column, kind in _SCALARS.items():
        own = {index.name: index.index_type for index in indexes if index.columns == [column]}
        if type(kind).__name__ not in own.values():
            table.create_index(column, config=kind)
        for name, made_as in own.items():
            if made_as != type(kind).__name__:  # by an earlier version of ours
                table.drop_index(name)
    if rows < VECTORS_FROM:
        return
    before = next((index.name for index in indexes if index.columns == ["vector"]), None)
    if rows >= GROWN * PARTITION * _partitions(before or ""):
        _index_vectors(table, rows, before)


def _index_vectors(table: Any, rows: int, before: str | None) -> None:
    """Its name says how many partitions it has: nothing else of Lance does."""
    partitions = max(1, rows // PARTITION)
    log.info("the vector index is made for %d chunks", rows)
    # 48 s of a core for a million
    kind = IvfFlat(distance_type="cosine", num_partitions=partitions, sample_rate=64, max_iterations=10)
    table.create_index("vector", config=kind, name=f"vector_{partitions}")
    if before is not None and before != f"vector_{partitions}":
        table.drop_index(before)


def _partitions(name: str) -> int:
    """0 when there is no such index, or one of an earlier version of ours."""
    match = re.fullmatch(r"vector_(\d+)", name)
    return int(match[1]) if match else 0
