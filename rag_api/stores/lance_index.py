"""LanceDB's indexes: which there are, and when they are made and brought up to date.

What no index holds yet is scanned at every search, so indexing is only a matter of speed; 40,000 such chunks cost 700 ms.
"""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from typing import Any

from lancedb.index import FTS, Bitmap, BTree, IvfFlat

log = logging.getLogger(__name__)

VECTORS_FROM = 10_000  # chunks; below that a scan is as fast, and exact
PARTITION = 400  # vectors in one of the vector index's partitions, about; 20 of them are scanned at a search
GROWN = 4.0  # so many times as many chunks as the partitions were made for: made anew
KEEP_VERSIONS = timedelta(minutes=10)  # readers of another process may still be at an older one
_TERMS = FTS(base_tokenizer="whitespace", lower_case=False, stem=False, remove_stop_words=False, ascii_folding=False, max_token_length=None)
_SCALARS: dict[str, Any] = {"document_id": BTree(), "id": BTree(), "owner_group": Bitmap(), "valid_from": BTree(), "valid_until": BTree()}


def begin(table: Any) -> None:
    """What even an empty index has."""
    if not table.list_indices():
        table.create_index("terms", config=_TERMS)


def bring_up_to_date(table: Any) -> None:
    """Merge small files, index what is new, and make the indexes that the number of chunks asks for."""
    table.optimize(cleanup_older_than=KEEP_VERSIONS)
    rows = table.count_rows()
    if rows < VECTORS_FROM:
        return
    names = {column: index.name for index in table.list_indices() for column in index.columns}
    for column, kind in _SCALARS.items():
        if column not in names:
            table.create_index(column, config=kind)
    made_for = _partitions(names.get("vector", "")) * PARTITION
    if rows >= GROWN * made_for:
        _index_vectors(table, rows, names.get("vector"))


def _index_vectors(table: Any, rows: int, before: str | None) -> None:
    """Its name says how many partitions it has: nothing else of Lance does."""
    partitions = max(1, rows // PARTITION)
    log.info("the vector index is made for %d chunks", rows)
    table.create_index("vector", config=IvfFlat(distance_type="cosine", num_partitions=partitions), name=f"vector_{partitions}")
    if before is not None and before != f"vector_{partitions}":
        table.drop_index(before)


def _partitions(name: str) -> int:
    """0 when there is no such index, or one of an earlier version of ours."""
    match = re.fullmatch(r"vector_(\d+)", name)
    return int(match[1]) if match else 0
