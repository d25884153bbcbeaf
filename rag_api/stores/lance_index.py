"""LanceDB's indexes: which there are, and when they are made and brought up to date.

What no index holds yet is scanned at every search, so indexing is only a matter of speed; 40,000 such chunks cost 700 ms.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from lancedb.index import FTS, Bitmap, BTree, IvfFlat, LabelList

log = logging.getLogger(__name__)

SCALARS_FROM = 1_000  # chunks; from here on filters have indexes
VECTORS_FROM = 10_000  # chunks; below that a scan is as fast, and exact
PARTITION = 2_000  # vectors in one of the vector index's partitions, about; lance_query.PROBES of them are scanned at a search
GROWN = 4.0  # so many times as many chunks as the partitions were made for: made anew
FREQUENT_FROM = 50_000  # chunks; from here on a question's frequent terms are not looked up:
FREQUENT = 0.2  # terms of more than this share of the chunks. Their lists are long, and they tell little: docs/benchmarks-retrieval.md
SAMPLE = 4_000  # chunks in which terms are counted
KEEP_VERSIONS = timedelta(minutes=10)  # readers of another process may still be at an older one
_TERMS = FTS(base_tokenizer="whitespace", lower_case=False, stem=False, remove_stop_words=False, ascii_folding=False, max_token_length=None)
# Most chunks are valid: a tree hands over the numbers of all their rows one by one, 10 ms at each search of 100,000; a bitmap has them.
_SCALARS: dict[str, Any] = {"document_id": BTree(), "id": BTree(), "groups": LabelList(), "valid_from": Bitmap(), "valid_until": Bitmap()}


def begin(table: Any) -> None:
    """What even an empty index has."""
    if not table.list_indices():
        table.create_index("terms", config=_TERMS)


def bring_up_to_date(table: Any) -> None:
    """Merge small files, index what is new, and make the indexes that the number of chunks asks for."""
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


class FrequentTerms:
    """The terms that a great index does not look up, in a file beside the table: every process that searches reads it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "frequent.json"
        self._read_at = 0
        self._terms: frozenset[str] = frozenset()

    def count(self, table: Any) -> None:
        rows = table.count_rows()
        if rows < FREQUENT_FROM:
            self._path.unlink(missing_ok=True)
            return
        places = np.random.default_rng(0).choice(rows, min(SAMPLE, rows), replace=False)
        texts = table.take_offsets(sorted(places.tolist())).select(["terms"]).to_arrow()["terms"].to_pylist()
        counts = Counter(term for text in texts for term in set(text.split()))
        found = sorted(term for term, count in counts.items() if count > FREQUENT * len(texts))
        unfinished = self._path.with_suffix(".part")
        unfinished.write_text(json.dumps(found), encoding="utf-8")
        unfinished.replace(self._path)

    def without(self, terms: list[str]) -> list[str]:
        """The terms to look up; all of them when all are frequent."""
        try:
            changed = self._path.stat().st_mtime_ns
        except FileNotFoundError:
            return terms
        if changed != self._read_at:
            self._terms = frozenset(json.loads(self._path.read_text(encoding="utf-8")))
            self._read_at = changed
        return [term for term in terms if term not in self._terms] or terms


def _index_vectors(table: Any, rows: int, before: str | None) -> None:
    """Its name says how many partitions it has: nothing else of Lance does."""
    partitions = max(1, rows // PARTITION)
    log.info("the vector index is made for %d chunks", rows)
    kind = IvfFlat(distance_type="cosine", num_partitions=partitions, sample_rate=64, max_iterations=10)  # 48 s of a core for a million
    table.create_index("vector", config=kind, name=f"vector_{partitions}")
    if before is not None and before != f"vector_{partitions}":
        table.drop_index(before)


def _partitions(name: str) -> int:
    """0 when there is no such index, or one of an earlier version of ours."""
    match = re.fullmatch(r"vector_(\d+)", name)
    return int(match[1]) if match else 0
