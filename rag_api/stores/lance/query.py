"""Queries to LanceDB: both lists at once, row numbers and scores only; then one reading of the rows
that may be hits.

Every read costs some milliseconds, and reading a row scattered over the table costs more than
finding it. So no row is read that cannot be a hit, and of a row one packed column holds what a hit
needs. Scores are ours, from the row itself (bm25.py): LanceDB's are of all that the table holds,
and only bound them.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from lancedb.query import MatchQuery
from numpy.typing import NDArray

from rag_api.domain import Filters, Hit
from rag_api.stores.ranking.bm25 import ROUNDED, ScoreBounds, Scorer, cosines
from rag_api.stores.ranking.fuse import Fusion, ScoreLists, fuse
from rag_api.stores.rows import ANY_GROUP, to_chunk, unpacked

PROBES = 125  # partitions of the vector index that are looked into: all of them below 250,000 chunks
DEEPER, DEEPEST = 4, 6_400  # so many times longer lists, up to this, while something that neither holds may be a hit
EXACT = 1e-5  # by so much its cosines and ours may differ


@dataclass(frozen=True, slots=True)
class Query:
    scorer: Scorer  # of the terms that are looked up,
    bounds: ScoreBounds
    asked: int  # of so many that the question has
    vector: NDArray[np.float32]
    where: str
    fetch: int  # length of either list
    limit: int
    alpha: float
    fusion: Fusion

    def fused(
        self, dense: Mapping[int, float], bm25: Mapping[int, float], near: Mapping[int, float]
    ) -> list[tuple[int, float]]:
        """Rows and scores, best first. dense: cosines of all rows; near: of those that are among
        the nearest."""
        return fuse(ScoreLists(near, bm25, dense, self.asked), self.alpha, self.fusion, self.fetch)


@dataclass(frozen=True, slots=True)
class _Listed:
    """Both lists, as LanceDB scores them."""

    near: dict[int, float]
    matching: dict[int, float]
    unlisted_cosine: float  # no row that is missing among the nearest is nearer
    last_cosine: float  # the same, if the vector index missed none
    last_bm25: float  # no row that is missing among the matching scores more

    def most_bm25(self, bounds: ScoreBounds) -> float:
        """Of a row that is missing among the matching, by us."""
        return self.last_bm25 * bounds.high

    @property
    def rows(self) -> list[int]:
        return list({**self.near, **self.matching})


@dataclass(frozen=True, slots=True)
class _IndexRead:
    """Rows as they are in the table, and their scores by us."""

    ids: dict[int, str]
    packed: dict[int, str]
    cosines: dict[int, float]
    bm25: dict[int, float]


def search(table: Any, query: Query, pool: Executor) -> list[Hit]:
    """table: a snapshot that nothing moves meanwhile: rows are read by number."""
    while True:
        listed = _lists(table, query, pool)
        promising = promising_rows(query, listed)
        if not promising:
            return []
        read = read_rows(table, promising, query)
        if (seen := _seen(query, listed, read)) != query.bounds:
            read = read_rows(table, listed.rows, query)
        hits = _hits(query, listed, read)
        if query.fetch >= DEEPEST or _is_certain(query, listed, hits, seen):
            return hits
        query = replace(query, fetch=DEEPER * query.fetch, bounds=seen)


def _lists(table: Any, query: Query, pool: Executor) -> _Listed:
    found = pool.submit(_matching, table, query)
    near, matching = nearest_rows(table, query), found.result()
    far, full = sorted(near.values(), reverse=True), len(near) == query.fetch
    return _Listed(
        near,
        matching,
        # The index of a great table misses some, mostly far ones: one that is as near as a quarter
        # of the list would be noticed.
        unlisted_cosine=far[query.fetch // 4] + EXACT if full else 1.0,
        last_cosine=far[-1] + EXACT if full else -1.0,
        last_bm25=min(matching.values()) if len(matching) == query.fetch else 0.0,
    )


def promising_rows(query: Query, listed: _Listed) -> list[int]:
    """The rows that may be among the best `limit`, whatever their scores turn out to be within what
    the lists say."""
    rows, bounds = listed.rows, query.bounds
    if query.fusion == "relative" or len(rows) <= query.limit:
        return rows
    low = {row: listed.near.get(row, -1.0) - EXACT for row in rows}
    high = {row: listed.near.get(row, listed.unlisted_cosine) + EXACT for row in rows}
    least = query.fused(low, {row: score * bounds.low for row, score in listed.matching.items()}, low)
    matching = {
        row: listed.matching[row] * bounds.high if row in listed.matching else listed.most_bm25(bounds) for row in rows
    }
    needed = least[query.limit - 1][1]
    return [row for row, score in query.fused(high, matching, high) if score >= needed]


def _seen(query: Query, listed: _Listed, read: _IndexRead) -> ScoreBounds:
    """The bounds, unless rows that were read show that they do not hold: LanceDB counts what was
    deleted until it tidies."""
    bounds = query.bounds
    ratios = [read.bm25[row] / score for row, score in listed.matching.items() if row in read.bm25 and score > 0]
    if all(bounds.low <= ratio <= bounds.high for ratio in ratios):
        return bounds
    return ScoreBounds(min(bounds.low, *ratios) / ROUNDED, max(bounds.high, *ratios) * ROUNDED)


def _hits(query: Query, listed: _Listed, read: _IndexRead) -> list[Hit]:
    near = {row: read.cosines[row] for row in read.ids if row in listed.near}
    scored = query.fused(read.cosines, {row: score for row, score in read.bm25.items() if score > 0}, near)
    # a row's number is its place
    best = heapq.nsmallest(query.limit, scored, key=lambda found: (-found[1], read.ids[found[0]]))
    return [
        Hit(to_chunk(read.ids[row], unpacked(read.packed[row])), score, read.cosines[row], read.bm25[row], rank)
        for rank, (row, score) in enumerate(best, 1)
    ]


def _is_certain(query: Query, listed: _Listed, hits: Sequence[Hit], bounds: ScoreBounds) -> bool:
    """Whether no row that neither list holds can be a hit."""
    if query.fusion == "relative" or len(listed.near) < query.fetch:
        return True
    unlisted = query.fused({0: listed.last_cosine}, {0: listed.most_bm25(bounds)}, {0: listed.last_cosine})
    return len(hits) == query.limit and unlisted[0][1] <= hits[-1].score


def nearest_rows(table: Any, query: Query) -> dict[int, float]:
    """By meaning: their numbers and cosines."""
    asked = table.search(query.vector).distance_type("cosine").nprobes(PROBES).where(query.where)
    rows, distances = _listed(asked, "_distance", query.fetch)
    return {row: 1.0 - distance for row, distance in zip(rows, distances, strict=True)}


def _matching(table: Any, query: Query) -> dict[int, float]:
    if not query.scorer.weights:
        return {}
    asked = table.search(MatchQuery(" ".join(query.scorer.weights), "terms"), query_type="fts").where(query.where)
    return dict(zip(*_listed(asked, "_score", query.fetch), strict=True))


def _listed(asked: Any, column: str, fetch: int) -> tuple[list[int], list[float]]:
    found = asked.limit(fetch).select([column]).with_row_id(True).to_arrow()
    return found["_rowid"].to_pylist(), found[column].to_pylist()


def read_rows(table: Any, rows: list[int], query: Query) -> _IndexRead:
    """By number, from the same snapshot that gave the numbers."""
    found = table.take_row_ids(rows).select(["id", "packed", "vector", "terms"]).with_row_id().to_arrow()
    numbers = found["_rowid"].to_pylist()
    vectors = (
        found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(len(found), len(query.vector))
    )
    return _IndexRead(
        ids=dict(zip(numbers, found["id"].to_pylist(), strict=True)),
        packed=dict(zip(numbers, found["packed"].to_pylist(), strict=True)),
        cosines=dict(zip(numbers, cosines(vectors, query.vector).tolist(), strict=True)),
        bm25=dict(zip(numbers, map(query.scorer.score_of, found["terms"].to_pylist()), strict=True)),
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
    if left_out := (*filters.excluded_document_ids, *filters.hidden_document_ids):
        parts.append(f"NOT {one_of('document_id', left_out)}")
    if filters.valid_on is not None:
        day = filters.valid_on.toordinal()
        parts.append(
            f"valid_from <= {day}" if filters.include_expired else f"valid_from <= {day} AND valid_until >= {day}"
        )
    return " AND ".join(f"({part})" for part in parts)


def one_of(column: str, values: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(map(quoted, values))})" if values else "1 = 0"


def any_of(column: str, values: Sequence[str]) -> str:
    """Of a column that holds several values."""
    return f"array_has_any({column}, make_array({', '.join(map(quoted, values))}))" if values else "1 = 0"


def quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
