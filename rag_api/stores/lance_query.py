"""How LanceDB is asked: both lists at once, row numbers and scores only; then one reading of the rows that may be hits.

Every read costs some milliseconds, and reading a row scattered over the table costs more than finding it. So no row is read that
cannot be a hit, and of a row one packed column holds what a hit needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from lancedb.query import MatchQuery
from numpy.typing import NDArray

from rag_api.domain import Filters, Hit
from rag_api.stores.fuse import Fusion, Lists, fuse
from rag_api.stores.rows import ANY_GROUP, to_chunk, unpacked

PROBES = 125  # partitions of the vector index that are looked into: all of them below 250,000 chunks


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

    def fused(self, dense: Mapping[int, float], bm25: Mapping[int, float], others: Mapping[int, float]) -> list[tuple[int, float]]:
        """Rows and scores, best first. others: cosines of rows that are not among the nearest."""
        return fuse(Lists(dense, bm25, {**others, **dense}, self.asked), self.alpha, self.fusion)


@dataclass(frozen=True, slots=True)
class _Read:
    """Rows as they are in the table."""

    ids: dict[int, str]
    packed: dict[int, str]
    cosines: dict[int, float]


def search(table: Any, query: Query, pool: Executor) -> list[Hit]:
    """table: a snapshot that nothing moves meanwhile: rows are read by number."""
    matching = pool.submit(_matching, table, query)
    dense, bm25 = _nearest(table, query), matching.result()
    promising = _promising(query, dense, bm25)
    if not promising:
        return []
    rows = _read(table, promising, query.vector)
    unlisted = {row: rows.cosines.get(row, -1.0) for row in bm25 if row not in dense}
    cosines = unlisted | dense
    scored = [(row, score) for row, score in query.fused(dense, bm25, unlisted) if row in rows.ids]
    scored.sort(key=lambda found: (-found[1], rows.ids[found[0]]))  # ties are broken by id, a row's number is its place
    return [
        Hit(to_chunk(rows.ids[row], unpacked(rows.packed[row])), score, cosines[row], bm25.get(row, 0.0), rank)
        for rank, (row, score) in enumerate(scored[: query.limit], 1)
    ]


def _promising(query: Query, dense: dict[int, float], bm25: dict[int, float]) -> list[int]:
    """The rows that may be among the best `limit`, whatever the cosines of those that only words found turn out to be."""
    unlisted = [row for row in bm25 if row not in dense]
    least = query.fused(dense, bm25, dict.fromkeys(unlisted, -1.0))
    if len(least) <= query.limit:
        return [row for row, _ in least]
    needed = least[query.limit - 1][1]
    most = query.fused(dense, bm25, dict.fromkeys(unlisted, _nearest_unlisted(query, dense)))
    return [row for row, score in most if score >= needed]


def _nearest_unlisted(query: Query, dense: dict[int, float]) -> float:
    """No row that is missing in the list of the nearest is nearer than its last one, if it is exact. The index of a great table misses
    some, mostly far ones: one that is as near as a quarter of the list would be noticed."""
    return sorted(dense.values(), reverse=True)[query.fetch // 4] if len(dense) == query.fetch else 1.0


def _nearest(table: Any, query: Query) -> dict[int, float]:
    asked = table.search(query.vector).distance_type("cosine").nprobes(PROBES).where(query.where)
    rows, distances = _listed(asked, "_distance", query.fetch)
    return {row: 1.0 - distance for row, distance in zip(rows, distances, strict=True)}


def _matching(table: Any, query: Query) -> dict[int, float]:
    if not query.terms:
        return {}
    asked = table.search(MatchQuery(" ".join(query.terms), "terms"), query_type="fts").where(query.where)
    return dict(zip(*_listed(asked, "_score", query.fetch), strict=True))


def _listed(asked: Any, column: str, fetch: int) -> tuple[list[int], list[float]]:
    found = asked.limit(fetch).select([column]).with_row_id(True).to_arrow()
    return found["_rowid"].to_pylist(), found[column].to_pylist()


def _read(table: Any, rows: list[int], vector: NDArray[np.float32]) -> _Read:
    found = table.take_row_ids(rows).select(["id", "packed", "vector"]).with_row_id().to_arrow()
    numbers = found["_rowid"].to_pylist()
    vectors = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(len(found), len(vector))
    return _Read(
        ids=dict(zip(numbers, found["id"].to_pylist(), strict=True)),
        packed=dict(zip(numbers, found["packed"].to_pylist(), strict=True)),
        cosines=dict(zip(numbers, (vectors @ vector).tolist(), strict=True)),
    )


def where(filters: Filters) -> str:
    """As filters.admits() has it."""
    parts = [any_of("groups", filters.groups)]
    for column, values in [
        ("department", filters.departments),
        ("document_type", filters.document_types),
        ("language", filters.languages),
        ("document_id", filters.document_ids),
    ]:
        if values:
            parts.append(one_of(column, values))
    if filters.target_groups:
        parts.append(any_of("target_groups", [*(group.value for group in filters.target_groups), ANY_GROUP]))
    if filters.excluded_document_ids:
        parts.append(f"NOT {one_of('document_id', filters.excluded_document_ids)}")
    if filters.valid_on is not None:
        day = filters.valid_on.toordinal()
        parts.append(f"valid_from <= {day}" if filters.include_expired else f"valid_from <= {day} AND valid_until >= {day}")
    return " AND ".join(f"({part})" for part in parts)


def one_of(column: str, values: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(map(quoted, values))})" if values else "1 = 0"


def any_of(column: str, values: Sequence[str]) -> str:
    """Of a column that holds several values."""
    return f"array_has_any({column}, make_array({', '.join(map(quoted, values))}))" if values else "1 = 0"


def quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
