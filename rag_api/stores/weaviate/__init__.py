"""Weaviate: the production store. Own vectors, BM25 over our terms, one collection; speaks to one
server or a cluster.

Search asks for both lists, then scores and fuses here, as the other stores do: the server's own
hybrid query gives the same ranking by relative fusion (a test compares them), but knows no other,
hides the raw scores, and counts words over chunks that the asker may not read.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from weaviate.classes.query import Filter, MetadataQuery

from rag_api.config import Settings
from rag_api.domain import Chunk, Contents, Filters, Hit
from rag_api.errors import StoreUnavailable
from rag_api.stores.mendable import Unfound
from rag_api.stores.ranking.bm25 import Scorer, Statistics, cosines, range_of
from rag_api.stores.ranking.fuse import CANDIDATES, Fusion, ScoreLists, fuse
from rag_api.stores.ranking.term_counts import COLUMNS, TermChange, TermRow
from rag_api.stores.rows import ANY_GROUP, STORED, complete, to_chunk
from rag_api.stores.weaviate.connection import WeaviateConnection
from rag_api.stores.weaviate.mending import Mending, all_unfound, in_parts
from rag_api.stores.weaviate.replicas import Replicas
from rag_api.stores.weaviate.schema import BATCH, VECTOR, insert, objects_of, open_collection
from rag_api.stores.weaviate.terms import bring_up_to_date, open_counts, rows_of
from rag_api.text.bm25_analyzer import further_terms, question_terms

MOST = 10_000  # objects in one answer of the server
# BM25's constant factor k1 + 1, that this server leaves out; put back, so that scores mean the same
# in every store
LEFT_OUT = 2.2
DEEPER, DEEPEST = 4, 1_600  # so many times longer lists, up to this, while something that neither holds may be a hit
ROUNDS_OF_DELETING = 200  # of at most 10,000 chunks
LONGEST_SEARCH = 4.0  # seconds; a search takes some hundredths, and a reader waits for it
READ = [*STORED, "terms"]  # of a chunk that is found
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Query:
    scorer: Scorer  # of the terms that are looked up
    high: float  # no score of ours is greater than the server's times this
    asked: int  # terms of the question
    vector: NDArray[np.float32]
    where: Any
    limit: int
    alpha: float
    fusion: Fusion


class WeaviateStore:
    """Raises StoreUnavailable when no server answers, when it is older than 1.39 or refuses
    objects; EmbedderMismatch."""

    def __init__(self, settings: Settings, embedder_name: str, dim: int) -> None:
        assert settings.weaviate_url is not None
        self.name, self.dim = settings.collection, dim
        self._writing = threading.Lock()
        self._pool = ThreadPoolExecutor(8, "weaviate")  # the two lists of a search are fetched at once
        self.connection = WeaviateConnection(settings)
        self._replicas = Replicas(settings.weaviate_replication_factor > 1, self.connection.check_alive)
        try:
            anew = self.connection.do(lambda client: open_collection(client, settings, embedder_name, dim))
            self._terms = open_counts(settings)
            self._mending = Mending(self._do, self._insert, self.chunks_of, dim)
            self._mend_cut_short()
            self._do(lambda chunks: bring_up_to_date(self._terms, chunks, anew))
        except BaseException:
            self.connection.close()
            raise

    def replace_document(self, document_id: str, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
        """New chunks first, then those that are no longer wanted go: at no moment is the document
        absent. Each is found by its vector, what became of earlier writes of it notwithstanding
        (stores/weaviate/mending.py)."""
        assert vectors.shape == (len(chunks), self.dim), (vectors.shape, len(chunks), self.dim)
        objects = objects_of(chunks, vectors)
        with self._changing([document_id], vectors=True) as (change, there):
            for part in in_parts(objects, BATCH):
                self._insert(part)
            # a write that goes on at another node leaves the first one's behind
            may_lack = there or self.connection.several
            if may_lack and self._mending.unfound([chunk.id for chunk in chunks]):
                self._mending.index_anew(objects)
            self._delete_others(document_id, frozenset(chunk.id for chunk in chunks))
            change.more((one.properties["groups"], one.properties["terms"]) for one in objects)

    def replace_documents(self, documents: Sequence[Contents]) -> None:
        for document in documents:
            self.replace_document(*document)

    def chunks_of(self, document_id: str) -> tuple[list[Chunk], NDArray[np.float32]]:
        objects = sorted(
            self._all_of(Filter.by_property("document_id").equal(document_id)), key=lambda o: int(o.properties["start"])
        )
        vectors = np.array([o.vector[VECTOR] for o in objects], np.float32).reshape(len(objects), self.dim)
        return [to_chunk(str(o.uuid), complete(o.properties)) for o in objects], vectors

    def _all_of(self, where: Any, properties: Sequence[str] = STORED, vectors: bool = True) -> list[Any]:
        """What a filter admits, page by page: the server's cursor knows no filters, its offset ends
        at MOST."""
        objects: list[Any] = []
        while len(page := self._page(where, [str(o.uuid) for o in objects], properties, vectors)) == MOST:
            objects += page
        return [*objects, *page]

    def _page(self, where: Any, had: Sequence[str], properties: Sequence[str], vectors: bool) -> list[Any]:
        """At most MOST that were not had yet."""
        wanted = where & Filter.by_id().contains_none(list(had)) if had else where
        asked = {"filters": wanted, "limit": MOST, "include_vector": vectors, "return_properties": list(properties)}
        return self._do(lambda chunks: chunks.query.fetch_objects(**asked).objects)

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        if document_ids:
            with self._changing(document_ids):
                self._delete(Filter.by_property("document_id").contains_any(list(document_ids)))

    def document_ids(self) -> set[str]:
        def read(chunks: Any) -> set[str]:
            return {
                str(row.properties["document_id"])
                for row in chunks.iterator(return_properties=["document_id"], cache_size=1000)
            }

        return self._do(read)

    def count(self) -> int:
        return self._do(
            lambda chunks: int(chunks.aggregate.over_all(total_count=True).total_count or 0), LONGEST_SEARCH
        )

    def search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        filters: Filters,
        alpha: float,
        fusion: Fusion = "information",
        others: Sequence[str] = (),
    ) -> list[Hit]:
        where, terms = _where(filters), question_terms(text)
        if where is None:
            return []
        counted = [*terms, *further_terms(text, others)]
        own, everything = self._statistics(counted, filters)
        looked_up = own.worth_looking_up(counted)
        query = _Query(
            Scorer.of(own, looked_up),
            range_of(own, everything, looked_up).high,
            len(terms),
            vector,
            where,
            limit,
            alpha,
            fusion,
        )
        fetch = max(limit, CANDIDATES)
        while True:
            hits, is_certain = self._found(query, fetch)
            if is_certain or fetch >= DEEPEST:
                return hits
            fetch *= DEEPER

    def _found(self, query: _Query, fetch: int) -> tuple[list[Hit], bool]:
        """The best of two lists of this length, by our own scores; whether nothing that neither
        holds can be among them."""
        asked = self._pool.submit(self._matching, list(query.scorer.weights), query.where, fetch)
        near, found = self.nearest(query.vector, query.where, fetch), asked.result()
        rows = {str(o.uuid): o for o in (*near, *found)}
        if not rows:
            return [], True
        exact = cosines(np.array([o.vector[VECTOR] for o in rows.values()], np.float32), query.vector)
        dense = dict(zip(rows, exact.tolist(), strict=True))
        bm25 = {
            key: score for key, o in rows.items() if (score := query.scorer.score_of(str(o.properties["terms"]))) > 0
        }
        nearest = {str(o.uuid): dense[str(o.uuid)] for o in near}
        fused = fuse(ScoreLists(nearest, bm25, dense, query.asked), query.alpha, query.fusion, fetch)[: query.limit]
        hits = [
            Hit(to_chunk(key, complete(rows[key].properties)), score, dense[key], bm25.get(key, 0.0), rank)
            for rank, (key, score) in enumerate(fused, 1)
        ]
        if query.fusion == "relative" or len(near) < fetch:
            return hits, True
        words = min(float(o.metadata.score) for o in found) * LEFT_OUT * query.high if len(found) == fetch else 0.0
        unlisted = fuse(ScoreLists({}, {0: words}, {0: min(nearest.values())}, query.asked), query.alpha, query.fusion)
        return hits, unlisted[0][1] <= hits[-1].score

    def _statistics(self, terms: Sequence[str], filters: Filters) -> tuple[Statistics, Statistics]:
        """Of what the asker may read, and of all."""
        hidden: list[TermRow] = []
        if filters.hidden_document_ids:
            still = Filter.by_property("document_id").contains_any(list(filters.hidden_document_ids))
            hidden = self._counted(still & Filter.by_property("groups").contains_any(list(filters.groups)))
        return self._terms.statistics(filters.groups, terms, hidden)

    def _counted(self, where: Any) -> list[TermRow]:
        return list(rows_of(self._all_of(where, COLUMNS, vectors=False)))

    @contextmanager
    def _changing(self, document_ids: Sequence[str], vectors: bool = False) -> Iterator[tuple[TermChange, bool]]:
        """These documents' chunks are taken out of the counts; what is put in is for the caller to
        say. Gives whether there were any, too. vectors: are written."""
        self._mend_cut_short()
        with self._writing, self._terms.changing(document_ids if vectors else ()) as change:
            rows = self._counted(Filter.by_property("document_id").contains_any(list(document_ids)))
            change.less(rows)
            yield change, bool(rows)

    def unfound(self, most: int | None = None) -> Unfound:
        return self._do(lambda chunks: all_unfound(chunks, self.dim, most))

    def mend(self, ids: Sequence[str]) -> None:
        asked = (
            self._all_of(Filter.by_id().contains_any(part), ["document_id"], vectors=False)
            for part in in_parts(ids, BATCH)
        )
        for document_id in sorted({str(one.properties["document_id"]) for part in asked for one in part}):
            with self._writing, self._terms.changing([document_id]):
                self._mending.document(document_id)

    def _mend_cut_short(self) -> None:
        """What writers left that were killed or failed, of this process or another one."""
        with self._writing, self._terms.cut_short() as document_ids:
            for document_id in document_ids:
                self._mending.document(document_id)

    def _insert(self, objects: list[Any]) -> None:
        self._write(lambda chunks: insert(chunks, objects))

    def tidy(self) -> None:
        return None  # the server indexes as it writes

    def drop(self) -> None:
        """The collection with all its chunks."""
        self.connection.do(lambda client: client.collections.delete(self.name))

    def close(self) -> None:
        self._pool.shutdown()
        self._terms.close()
        self.connection.close()

    def _do(self, act: Callable[[Any], T], most: float = math.inf) -> T:
        return self.connection.do(lambda client: act(client.collections.get(self.name)), most)

    def _write(self, act: Callable[[Any], T]) -> T:
        return self._do(lambda chunks: self._replicas.write(chunks, act))

    def nearest(self, vector: NDArray[np.float32], where: Any, fetch: int) -> list[Any]:
        """What the server lists."""
        return self._do(
            lambda chunks: (
                chunks.query.near_vector(
                    vector.tolist(),
                    target_vector=VECTOR,
                    limit=fetch,
                    filters=where,
                    include_vector=True,
                    return_properties=READ,
                ).objects
            ),
            LONGEST_SEARCH,
        )

    def _matching(self, terms: Sequence[str], where: Any, fetch: int) -> list[Any]:
        if not terms:
            return []
        return self._do(
            lambda chunks: (
                chunks.query.bm25(
                    " ".join(terms),
                    query_properties=["terms"],
                    limit=fetch,
                    filters=where,
                    include_vector=True,
                    return_metadata=MetadataQuery(score=True),
                    return_properties=READ,
                ).objects
            ),
            LONGEST_SEARCH,
        )

    def _delete_others(self, document_id: str, keep: frozenset[str]) -> None:
        """The document's chunks that any replica has and that are not to be kept."""
        others = Filter.by_property("document_id").equal(document_id)
        if keep:
            others = others & Filter.by_id().contains_none(sorted(keep))
        self._delete(others, keep)

    def _delete(self, where: Any, keep: frozenset[str] = frozenset()) -> None:
        """Found first, then deleted by their ids. Deleted by what they are not, new chunks would go
        too: a replica that is still writing one knows its document before its id, and what one
        replica finds is deleted on all."""
        for _ in range(ROUNDS_OF_DELETING):
            found = self._do(lambda chunks: self._replicas.ids(chunks, where))
            stale = [one for one in found if one not in keep]
            if not stale:
                return
            self._do(lambda chunks, stale=stale: self._replicas.delete(chunks, stale))  # type: ignore[misc]
        raise StoreUnavailable(f"Weaviate at {self.connection.url} still finds chunks that it deleted")


def _where(filters: Filters) -> Any | None:
    """As filters.admits() has it; None when nothing can be admitted."""
    if not filters.groups:
        return None
    parts = [Filter.by_property("groups").contains_any(list(filters.groups))]
    for column, values in [
        ("department", filters.departments),
        ("document_type", filters.document_types),
        ("language", filters.languages),
        ("document_id", filters.document_ids),
    ]:
        if values:
            parts.append(Filter.by_property(column).contains_any(list(values)))
    if filters.target_groups:
        groups = [*(group.value for group in filters.target_groups), ANY_GROUP]
        parts.append(Filter.by_property("target_groups").contains_any(groups))
    if left_out := [*filters.excluded_document_ids, *filters.hidden_document_ids]:
        parts.append(Filter.by_property("document_id").contains_none(left_out))
    if filters.valid_on is not None:
        day = filters.valid_on.toordinal()
        parts.append(Filter.by_property("valid_from").less_or_equal(day))
        if not filters.include_expired:
            parts.append(Filter.by_property("valid_until").greater_or_equal(day))
    return Filter.all_of(parts)
