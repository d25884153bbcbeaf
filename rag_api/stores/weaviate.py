"""Weaviate: the production store. Own vectors, BM25 over our terms, one collection; speaks to one server or a cluster.

Search asks for both lists and fuses here, as the other stores do: the server's own hybrid query gives the same ranking by relative
fusion (a test compares them), but knows no other and hides the raw scores.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import weaviate
from numpy.typing import NDArray
from weaviate.classes.config import Configure, DataType, Property, StopwordsPreset, Tokenization, VectorDistances
from weaviate.classes.data import DataObject
from weaviate.classes.init import AdditionalConfig, Auth, Timeout
from weaviate.classes.query import Filter, MetadataQuery
from weaviate.exceptions import WeaviateBaseError, WeaviateInsertManyAllFailedError

from rag_api.config import Settings
from rag_api.errors import EmbedderMismatch, StoreUnavailable
from rag_api.stores.fuse import CANDIDATES, Fusion, Lists, fuse
from rag_api.stores.rows import ANY_GROUP, COLUMNS, FILTERABLE, STORED, to_chunk, to_row
from rag_api.terms import question_terms
from rag_api.types import Chunk, Filters, Hit

OLDEST = (1, 39)  # before it BM25 was wrong for up to a minute after an insert
LEFT_OUT = 2.2  # BM25's constant factor k1 + 1, that this server leaves out; put back, so that scores mean the same in every store
BATCH = 200  # objects in one insert
VECTOR = "chunk"  # the named vector
_TYPES = {"text": DataType.TEXT, "terms": DataType.TEXT, "int": DataType.INT, "ints": DataType.INT_ARRAY, "texts": DataType.TEXT_ARRAY}


class WeaviateStore:
    """Raises StoreUnavailable when no server answers, when it is older than 1.39 or refuses objects; EmbedderMismatch."""

    def __init__(self, settings: Settings, embedder_name: str, dim: int) -> None:
        assert settings.weaviate_url is not None
        self.url, self.name, self.dim = settings.weaviate_url, settings.weaviate_collection, dim
        self._writing = threading.Lock()
        self._pool = ThreadPoolExecutor(8, "weaviate")  # the two lists of a search are fetched at once
        with self._translated():
            self._client = _connect(settings)
        try:
            with self._translated():
                self._check_version()
                self._open_collection(settings, embedder_name)
        except BaseException:
            self._client.close()
            raise

    def replace_document(self, document_id: str, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
        """New chunks first, then those that are no longer wanted go: at no moment is the document absent."""
        assert vectors.shape == (len(chunks), self.dim), (vectors.shape, len(chunks), self.dim)
        with self._writing, self._translated():
            objects: list[Any] = [
                DataObject(properties=to_row(chunk), uuid=chunk.id, vector={VECTOR: vector.tolist()})
                for chunk, vector in zip(chunks, vectors, strict=True)
            ]
            for begin in range(0, len(objects), BATCH):
                self._insert(objects[begin : begin + BATCH])
            self._delete(Filter.by_property("document_id").equal(document_id), keep=[chunk.id for chunk in chunks])

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        if document_ids:
            with self._writing, self._translated():
                self._delete(Filter.by_property("document_id").contains_any(list(document_ids)), keep=[])

    def document_ids(self) -> set[str]:
        with self._translated():
            rows = self._chunks.iterator(return_properties=["document_id"], cache_size=1000)
            return {str(row.properties["document_id"]) for row in rows}

    def count(self) -> int:
        with self._translated():
            return int(self._chunks.aggregate.over_all(total_count=True).total_count or 0)

    def search(
        self, text: str, vector: NDArray[np.float32], limit: int, filters: Filters, alpha: float, fusion: Fusion = "information"
    ) -> list[Hit]:
        where, fetch, terms = _where(filters), max(limit, CANDIDATES), question_terms(text)
        if where is None:
            return []
        with self._translated():
            matched = self._pool.submit(self._bm25, terms, where, fetch)
            near = self._chunks.query.near_vector(
                vector.tolist(),
                target_vector=VECTOR,
                limit=fetch,
                filters=where,
                return_metadata=MetadataQuery(distance=True),
                return_properties=STORED,
            ).objects
            found = matched.result()
        dense = {str(o.uuid): 1.0 - float(o.metadata.distance or 0.0) for o in near}
        bm25 = {str(o.uuid): float(o.metadata.score) * LEFT_OUT for o in found}
        cosines = {str(o.uuid): float(np.dot(o.vector[VECTOR], vector)) for o in found if str(o.uuid) not in dense} | dense
        rows = {str(o.uuid): o.properties for o in (*near, *found)}
        fused = fuse(Lists(dense, bm25, cosines, len(terms)), alpha, fusion)[:limit]
        return [Hit(to_chunk(key, rows[key]), score, cosines[key], bm25.get(key, 0.0), rank) for rank, (key, score) in enumerate(fused, 1)]

    def close(self) -> None:
        self._pool.shutdown()
        self._client.close()

    def _bm25(self, terms: Sequence[str], where: Any, fetch: int) -> list[Any]:
        if not terms:
            return []
        return self._chunks.query.bm25(
            " ".join(terms),
            query_properties=["terms"],
            limit=fetch,
            filters=where,
            include_vector=True,
            return_metadata=MetadataQuery(score=True),
            return_properties=STORED,
        ).objects

    def _insert(self, objects: Sequence[Any]) -> None:
        """One call; chunks that exist are overwritten. The client's own batcher works in the background and hides when it is stuck."""
        try:
            errors = self._chunks.data.insert_many(objects).errors
        except WeaviateInsertManyAllFailedError as error:
            raise StoreUnavailable(f"Weaviate at {self.url} refused {len(objects)} of {len(objects)} chunks: {error}") from error
        if errors:
            first = next(iter(errors.values()))
            raise StoreUnavailable(f"Weaviate at {self.url} refused {len(errors)} of {len(objects)} chunks: {first.message}")

    def _delete(self, where: Any, keep: Sequence[str]) -> None:
        """The server deletes at most 10,000 at once; asked again until nothing is left."""
        wanted = where & Filter.by_id().contains_none(list(keep)) if keep else where
        while True:
            done = self._chunks.data.delete_many(where=wanted)
            if done.failed:
                raise StoreUnavailable(f"Weaviate at {self.url} could not delete {done.failed} of {done.matches} chunks")
            if done.successful < done.matches or done.matches == 0 or done.matches < 10_000:
                return

    def _check_version(self) -> None:
        version = str(self._client.get_meta().get("version", "0"))
        if tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < OLDEST:
            raise StoreUnavailable(
                f"Weaviate at {self.url} is version {version}; Bedside needs {OLDEST[0]}.{OLDEST[1]} or newer: "
                "older ones rank wrongly for up to a minute after documents are added"
            )

    def _open_collection(self, settings: Settings, embedder_name: str) -> None:
        made_with = {"embedder": embedder_name, "dim": self.dim}
        collections = self._client.collections
        if not collections.exists(self.name):
            collections.create(
                self.name,
                description=json.dumps({"bedside": made_with}),
                properties=[_property(name, kind) for name, kind in COLUMNS.items()],
                vector_config=Configure.Vectors.self_provided(
                    name=VECTOR, vector_index_config=Configure.VectorIndex.hnsw(distance_metric=VectorDistances.COSINE)
                ),
                inverted_index_config=Configure.inverted_index(stopwords_preset=StopwordsPreset.NONE),
                replication_config=Configure.replication(factor=settings.weaviate_replication_factor),
                sharding_config=Configure.sharding(desired_count=settings.weaviate_shards),
            )
        self._chunks = collections.get(self.name)
        self._check_embedder(self._chunks.config.get(simple=True).description or "", made_with)

    def _check_embedder(self, description: str, made_with: dict[str, Any]) -> None:
        try:
            recorded = json.loads(description)["bedside"]
        except (ValueError, KeyError, TypeError):
            raise StoreUnavailable(
                f"Weaviate at {self.url} has a collection {self.name!r} that Bedside did not make: "
                "name another one in BEDSIDE_WEAVIATE_COLLECTION"
            ) from None
        if recorded != made_with:
            raise EmbedderMismatch(
                f"the collection {self.name!r} at {self.url} was made by the embedder {recorded.get('embedder')!r}, the configured one is "
                f"{made_with['embedder']!r}. Set BEDSIDE_EMBEDDER back, or name a new collection in BEDSIDE_WEAVIATE_COLLECTION and run "
                "`bedside ingest` again: it indexes what is missing."
            )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (WeaviateBaseError, OSError) as error:
            raise StoreUnavailable(f"Weaviate at {self.url} does not answer: {error}") from error


def _connect(settings: Settings) -> weaviate.WeaviateClient:
    url = urlsplit(str(settings.weaviate_url))
    secure, host = url.scheme == "https", url.hostname or ""
    key = settings.weaviate_api_key
    return weaviate.connect_to_custom(
        http_host=host,
        http_port=url.port or (443 if secure else 80),
        http_secure=secure,
        grpc_host=host,
        grpc_port=settings.weaviate_grpc_port,
        grpc_secure=secure,
        auth_credentials=Auth.api_key(key.get_secret_value()) if key else None,
        additional_config=AdditionalConfig(timeout=Timeout(init=10, query=30, insert=120)),
    )


def _property(name: str, kind: str) -> Property:
    return Property(
        name=name,
        data_type=_TYPES[kind],
        index_filterable=name in FILTERABLE,
        index_searchable=kind == "terms",
        index_range_filters=name in FILTERABLE and kind == "int",
        tokenization={"terms": Tokenization.WHITESPACE, "text": Tokenization.FIELD, "texts": Tokenization.FIELD}.get(kind),
        skip_vectorization=True,
    )


def _where(filters: Filters) -> Any | None:
    """As filters.admits() has it; None when nothing can be admitted."""
    if not filters.owner_groups:
        return None
    parts = [Filter.by_property("owner_group").contains_any(list(filters.owner_groups))]
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
