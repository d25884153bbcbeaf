"""Weaviate: the production store. Own vectors, BM25 over our terms, one collection; speaks to one server or a cluster.

Search asks for both lists and fuses here, as the other stores do: the server's own hybrid query gives the same ranking by relative
fusion (a test compares them), but knows no other and hides the raw scores.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from weaviate.classes.config import ConsistencyLevel
from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter, MetadataQuery
from weaviate.exceptions import WeaviateBaseError

from rag_api.config import Settings
from rag_api.domain import Chunk, Contents, Filters, Hit
from rag_api.errors import StoreUnavailable
from rag_api.stores.fuse import CANDIDATES, Fusion, Lists, fuse
from rag_api.stores.rows import ANY_GROUP, STORED, complete, to_chunk, to_row
from rag_api.stores.weaviate_connection import Connection
from rag_api.stores.weaviate_schema import BATCH, VECTOR, insert, open_collection
from rag_api.text.bm25_analyzer import further_terms, question_terms

MOST = 10_000  # objects in one answer of the server
LEFT_OUT = 2.2  # BM25's constant factor k1 + 1, that this server leaves out; put back, so that scores mean the same in every store
ROUNDS_OF_DELETING = 20  # of at most 10,000 chunks; more in one document is no document
LONGEST_SEARCH = 4.0  # seconds; a search takes some hundredths, and a reader waits for it
TRIES_ON_ALL = 2  # replicas; then on most of them
T = TypeVar("T")


class WeaviateStore:
    """Raises StoreUnavailable when no server answers, when it is older than 1.39 or refuses objects; EmbedderMismatch."""

    def __init__(self, settings: Settings, embedder_name: str, dim: int) -> None:
        assert settings.weaviate_url is not None
        self.name, self.dim = settings.collection, dim
        self._replicated = settings.weaviate_replication_factor > 1
        self._writing = threading.Lock()
        self._pool = ThreadPoolExecutor(8, "weaviate")  # the two lists of a search are fetched at once
        self.connection = Connection(settings)
        try:
            self.connection.do(lambda client: open_collection(client, settings, embedder_name, dim))
        except BaseException:
            self.connection.close()
            raise

    def replace_document(self, document_id: str, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
        """New chunks first, then those that are no longer wanted go: at no moment is the document absent."""
        assert vectors.shape == (len(chunks), self.dim), (vectors.shape, len(chunks), self.dim)
        objects: list[Any] = [
            DataObject(properties=to_row(chunk), uuid=chunk.id, vector={VECTOR: vector.tolist()})
            for chunk, vector in zip(chunks, vectors, strict=True)
        ]
        with self._writing:
            for begin in range(0, len(objects), BATCH):
                part = objects[begin : begin + BATCH]
                self._write(lambda found, part=part: insert(found, part))  # type: ignore[misc]
            self._delete_others(document_id, frozenset(chunk.id for chunk in chunks))

    def replace_documents(self, documents: Sequence[Contents]) -> None:
        for document in documents:
            self.replace_document(*document)

    def chunks_of(self, document_id: str) -> tuple[list[Chunk], NDArray[np.float32]]:
        own = Filter.by_property("document_id").equal(document_id)
        objects: list[Any] = []
        while len(page := self._page(own, [str(o.uuid) for o in objects])) == MOST:
            objects += page
        objects = sorted([*objects, *page], key=lambda o: int(o.properties["start"]))
        vectors = np.array([o.vector[VECTOR] for o in objects], np.float32).reshape(len(objects), self.dim)
        return [to_chunk(str(o.uuid), complete(o.properties)) for o in objects], vectors

    def _page(self, where: Any, had: Sequence[str]) -> list[Any]:
        """Of what a filter admits, what was not had yet, at most MOST: the server's cursor knows no filters, its offset ends there."""
        wanted = where & Filter.by_id().contains_none(list(had)) if had else where
        return self._do(
            lambda chunks: chunks.query.fetch_objects(filters=wanted, limit=MOST, include_vector=True, return_properties=STORED).objects
        )

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        if document_ids:
            with self._writing:
                self._delete(Filter.by_property("document_id").contains_any(list(document_ids)))

    def document_ids(self) -> set[str]:
        def read(chunks: Any) -> set[str]:
            return {str(row.properties["document_id"]) for row in chunks.iterator(return_properties=["document_id"], cache_size=1000)}

        return self._do(read)

    def count(self) -> int:
        return self._do(lambda chunks: int(chunks.aggregate.over_all(total_count=True).total_count or 0), LONGEST_SEARCH)

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
        where, fetch, terms = _where(filters), max(limit, CANDIDATES), question_terms(text)
        if where is None:
            return []
        matched = self._pool.submit(self._matching, [*terms, *further_terms(text, others)], where, fetch)
        near = self._nearest(vector, where, fetch)
        found = matched.result()
        dense = {str(o.uuid): 1.0 - float(o.metadata.distance or 0.0) for o in near}
        bm25 = {str(o.uuid): float(o.metadata.score) * LEFT_OUT for o in found}
        cosines = {str(o.uuid): float(np.dot(o.vector[VECTOR], vector)) for o in found if str(o.uuid) not in dense} | dense
        rows = {str(o.uuid): o.properties for o in (*near, *found)}
        fused = fuse(Lists(dense, bm25, cosines, len(terms)), alpha, fusion)[:limit]
        return [
            Hit(to_chunk(key, complete(rows[key])), score, cosines[key], bm25.get(key, 0.0), rank)
            for rank, (key, score) in enumerate(fused, 1)
        ]

    def tidy(self) -> None:
        return None  # the server indexes as it writes

    def drop(self) -> None:
        """The collection with all its chunks."""
        self.connection.do(lambda client: client.collections.delete(self.name))

    def close(self) -> None:
        self._pool.shutdown()
        self.connection.close()

    def _do(self, act: Callable[[Any], T], most: float = math.inf) -> T:
        return self.connection.do(lambda client: act(client.collections.get(self.name)), most)

    def _write(self, act: Callable[[Any], T]) -> T:
        """On every replica, for a search asks one of them; where one is away, on most: it gets the rest when it is back."""

        def write(chunks: Any) -> T:
            for attempt in range(TRIES_ON_ALL if self._replicated else 0):
                with contextlib.suppress(WeaviateBaseError, StoreUnavailable):
                    return act(chunks.with_consistency_level(ConsistencyLevel.ALL))
                time.sleep(0.2 * (attempt + 1))  # a node may be busy, or have just heard of the collection
            return act(chunks)

        return self._do(write)

    def _nearest(self, vector: NDArray[np.float32], where: Any, fetch: int) -> list[Any]:
        return self._do(
            lambda chunks: (
                chunks.query.near_vector(
                    vector.tolist(),
                    target_vector=VECTOR,
                    limit=fetch,
                    filters=where,
                    return_metadata=MetadataQuery(distance=True),
                    return_properties=STORED,
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
                    return_properties=STORED,
                ).objects
            ),
            LONGEST_SEARCH,
        )

    def _delete_others(self, document_id: str, keep: frozenset[str]) -> None:
        """The document's chunks that any replica has and that are not to be kept; found first, then deleted by their ids.

        Deleted by what they are not, new chunks would go too: a replica that is still writing one knows its document before its id,
        and what one replica finds is deleted on all."""
        others = Filter.by_property("document_id").equal(document_id)
        if keep:
            others = others & Filter.by_id().contains_none(sorted(keep))
        for _ in range(ROUNDS_OF_DELETING):
            # Most replicas are asked, not all: what was written stands on most, and a dead one would be waited for.
            found = self._do(lambda chunks: chunks.data.delete_many(where=others, dry_run=True, verbose=True))
            stale = [str(one.uuid) for one in found.objects if str(one.uuid) not in keep]
            if not stale:
                return
            self._delete(Filter.by_id().contains_any(stale))
        raise StoreUnavailable(f"Weaviate at {self.connection.url} still finds chunks of the document {document_id} that it deleted")

    def _delete(self, where: Any) -> None:
        """The server deletes at most 10,000 at once; asked again until nothing is left."""
        while True:
            done = self._write(lambda chunks: chunks.data.delete_many(where=where))
            if done.failed:
                raise StoreUnavailable(f"Weaviate at {self.connection.url} could not delete {done.failed} of {done.matches} chunks")
            if done.successful < done.matches or done.matches == 0 or done.matches < 10_000:
                return


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
    if filters.excluded_document_ids:
        parts.append(Filter.by_property("document_id").contains_none(list(filters.excluded_document_ids)))
    if filters.valid_on is not None:
        day = filters.valid_on.toordinal()
        parts.append(Filter.by_property("valid_from").less_or_equal(day))
        if not filters.include_expired:
            parts.append(Filter.by_property("valid_until").greater_or_equal(day))
    return Filter.all_of(parts)
