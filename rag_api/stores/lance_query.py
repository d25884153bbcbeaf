"""How LanceDB is asked: both lists at once, ids and scores only; whole rows are read for the hits alone.

A row's number is its place, and another process's compaction may move rows between two of the reads. So what is read by number is
checked by id, and the search is made anew when a row is not what it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from lancedb.query import MatchQuery
from numpy.typing import NDArray

from rag_api.stores.fuse import Fusion, Lists, fuse
from rag_api.stores.rows import ANY_GROUP, STORED, to_chunk
from rag_api.types import Filters, Hit

PROBES = 40  # partitions of the vector index that are looked into


class Moved(Exception):
    """A row was no longer where it had been a moment before."""


@dataclass(frozen=True, slots=True)
class Query:
    terms: Sequence[str]  # that are looked up,
    asked: int  # of so many that the question has
    vector: NDArray[np.float32]
    where: str
    fetch: int  # length of either list
    limit: int
    alpha: float
    fusion: Fusion


@dataclass(frozen=True, slots=True)
class _Listed:
    """A list of the best: ids with their rows' numbers and scores."""

    ids: list[str]
    rows: list[int]
    scores: list[float]

    def by_id(self) -> dict[str, float]:
        return dict(zip(self.ids, self.scores, strict=True))


def search(table: Any, query: Query, pool: Executor) -> list[Hit]:
    """Raises Moved."""
    matching = pool.submit(_matching, table, query)
    near = _nearest(table, query)
    found = matching.result()
    dense, bm25 = near.by_id(), found.by_id()
    rows = dict(zip(near.ids, near.rows, strict=True)) | dict(zip(found.ids, found.rows, strict=True))
    cosines = _cosines(table, {key: rows[key] for key in found.ids if key not in dense}, query.vector) | dense
    fused = fuse(Lists(dense, bm25, cosines, query.asked), query.alpha, query.fusion)[: query.limit]
    full = _rows(table, {key: rows[key] for key, _ in fused}, STORED)
    return [Hit(to_chunk(key, full[key]), score, cosines[key], bm25.get(key, 0.0), rank) for rank, (key, score) in enumerate(fused, 1)]


def _nearest(table: Any, query: Query) -> _Listed:
    asked = table.search(query.vector).distance_type("cosine").nprobes(PROBES).where(query.where)
    return _listed(asked, "_distance", query.fetch, lambda distance: 1.0 - distance)


def _matching(table: Any, query: Query) -> _Listed:
    if not query.terms:
        return _Listed([], [], [])
    asked = table.search(MatchQuery(" ".join(query.terms), "terms"), query_type="fts").where(query.where)
    return _listed(asked, "_score", query.fetch, lambda score: score)


def _listed(asked: Any, column: str, fetch: int, score: Any) -> _Listed:
    found = asked.limit(fetch).select(["id", column]).with_row_id(True).to_arrow()
    return _Listed(found["id"].to_pylist(), found["_rowid"].to_pylist(), [score(value) for value in found[column].to_pylist()])


def _cosines(table: Any, rows: dict[str, int], vector: NDArray[np.float32]) -> dict[str, float]:
    if not rows:
        return {}
    found = _taken(table, rows, ["vector"])
    vectors = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(len(found), len(vector))
    return dict(zip(found["id"].to_pylist(), (vectors @ vector).tolist(), strict=True))


def _rows(table: Any, rows: dict[str, int], columns: Sequence[str]) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in _taken(table, rows, columns).to_pylist()} if rows else {}


def _taken(table: Any, rows: dict[str, int], columns: Sequence[str]) -> Any:
    try:
        found = table.take_row_ids(list(rows.values())).select(["id", *columns]).to_arrow()
    except (ValueError, RuntimeError, OSError) as error:  # the fragment it was in is gone
        raise Moved(str(error)) from error
    if set(found["id"].to_pylist()) != rows.keys():
        raise Moved("rows were moved")
    return found


def where(filters: Filters) -> str:
    """As filters.admits() has it."""
    parts = [one_of("owner_group", filters.owner_groups)]
    for column, values in [
        ("department", filters.departments),
        ("document_type", filters.document_types),
        ("language", filters.languages),
        ("document_id", filters.document_ids),
    ]:
        if values:
            parts.append(one_of(column, values))
    if filters.target_groups:
        groups = [*(group.value for group in filters.target_groups), ANY_GROUP]
        parts.append(f"array_has_any(target_groups, make_array({', '.join(map(quoted, groups))}))")
    if filters.excluded_document_ids:
        parts.append(f"NOT {one_of('document_id', filters.excluded_document_ids)}")
    if filters.valid_on is not None:
        day = filters.valid_on.toordinal()
        parts.append(f"valid_from <= {day}" if filters.include_expired else f"valid_from <= {day} AND valid_until >= {day}")
    return " AND ".join(f"({part})" for part in parts)


def one_of(column: str, values: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(map(quoted, values))})" if values else "1 = 0"


def quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
