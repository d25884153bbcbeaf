"""The collection: how it is made, and how one that an older version made gets what it lacks.

Its description says by which embedder and which analysis it was made. Nothing is embedded again
here: chunks keep their vectors.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import weaviate
from numpy.typing import NDArray
from weaviate.classes.config import (
    Configure,
    DataType,
    Property,
    ReplicationDeletionStrategy,
    StopwordsPreset,
    Tokenization,
    VectorDistances,
)
from weaviate.classes.data import DataObject

from rag_api.config import Settings
from rag_api.domain import Chunk
from rag_api.errors import EmbedderMismatch, StoreUnavailable
from rag_api.stores.rows import COLUMNS, FILTERABLE, complete, to_chunk, to_row
from rag_api.text import bm25_analyzer as terms

log = logging.getLogger(__name__)

VECTOR = "chunk"  # the named vector
BATCH = 200  # objects in one insert
MADE_SECONDS = 10.0
_NOT_YET = "non-existing index"  # as the server says it of a collection that it has no data of yet
_TYPES = {
    "text": DataType.TEXT,
    "terms": DataType.TEXT,
    "int": DataType.INT,
    "ints": DataType.INT_ARRAY,
    "texts": DataType.TEXT_ARRAY,
}
_TOKENIZATIONS = {"terms": Tokenization.WHITESPACE, "text": Tokenization.FIELD, "texts": Tokenization.FIELD}


def open_collection(client: weaviate.WeaviateClient, settings: Settings, embedder_name: str, dim: int) -> bool:
    """Made when it is not there, brought up to date when it is; whether its chunks are other ones
    than before. Raises EmbedderMismatch, and StoreUnavailable when it is not ours or cannot be
    brought up to date."""
    name = settings.collection
    made_with = {"embedder": embedder_name, "dim": dim, "terms": terms.VERSION}
    if not client.collections.exists(name):
        try:
            create_collection(client, settings, made_with)
            return True
        except weaviate.exceptions.UnexpectedStatusCodeError:
            if not client.collections.exists(name):
                raise
            log.info("the collection %s was made by another process at the same moment", name)
    chunks = client.collections.get(name)
    _await_index(chunks)
    config = chunks.config.get()
    recorded = _recorded(config.description or "", name)
    _check_embedder(recorded, made_with, name)
    missing = _missing(name, {p.name: p.data_type for p in config.properties})
    for column in missing:
        chunks.config.add_property(property_of(column, COLUMNS[column]))
    anew = bool(missing) or recorded.get("terms", 1) != terms.VERSION  # it was not recorded before version 2
    if anew:
        log.warning(
            "the chunks of the collection %s are written anew: %s",
            name,
            ", ".join(missing) or "their words are analysed otherwise",
        )
        rewrite(chunks)
    if recorded != made_with:
        chunks.config.update(description=json.dumps({"bedside": made_with}))
    return anew


def _await_index(chunks: Any) -> None:
    """A collection that another process made a moment ago is named before it can be read."""
    until = time.monotonic() + MADE_SECONDS
    while True:
        try:
            chunks.query.fetch_objects(limit=1, return_properties=[])
            return
        except weaviate.exceptions.WeaviateQueryError as error:
            if _NOT_YET not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.1)


def rewrite(chunks: Any) -> None:
    """Every chunk with all its properties as they would be made now. May be interrupted and begun
    again."""
    batch: list[Any] = []
    for found in chunks.iterator(include_vector=True, cache_size=BATCH):
        row = to_row(to_chunk(str(found.uuid), complete(found.properties)))
        batch.append(DataObject(properties=row, uuid=found.uuid, vector=dict(found.vector)))
        if len(batch) == BATCH:
            insert(chunks, batch)
            batch = []
    if batch:
        insert(chunks, batch)


def objects_of(chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> list[Any]:
    return [
        DataObject(properties=to_row(chunk), uuid=chunk.id, vector={VECTOR: vector.tolist()})
        for chunk, vector in zip(chunks, vectors, strict=True)
    ]


def insert(chunks: Any, objects: list[Any]) -> None:
    """One call; chunks that exist are overwritten. The client's own batcher works in the background
    and hides when it is stuck."""
    try:
        errors = chunks.data.insert_many(objects).errors
    except weaviate.exceptions.WeaviateInsertManyAllFailedError as error:
        raise StoreUnavailable(f"Weaviate refused {len(objects)} of {len(objects)} chunks: {error}") from error
    if errors:
        first = next(iter(errors.values()))
        raise StoreUnavailable(f"Weaviate refused {len(errors)} of {len(objects)} chunks: {first.message}")


def create_collection(client: weaviate.WeaviateClient, settings: Settings, made_with: dict[str, Any]) -> None:
    client.collections.create(
        settings.collection,
        description=json.dumps({"bedside": made_with}),
        properties=[property_of(name, kind) for name, kind in COLUMNS.items()],
        vector_config=Configure.Vectors.self_provided(
            name=VECTOR,
            vector_index_config=Configure.VectorIndex.hnsw(
                distance_metric=VectorDistances.COSINE, quantizer=_quantiser(settings.weaviate_quantisation)
            ),
        ),
        inverted_index_config=Configure.inverted_index(stopwords_preset=StopwordsPreset.NONE),
        replication_config=_replication(settings.weaviate_replication_factor),
        sharding_config=Configure.sharding(desired_count=settings.weaviate_shards),
    )


def _quantiser(kind: str) -> Any:
    """Rotational quantisation needs no training; product quantisation does, which a collection that
    begins empty cannot have. What the server would do by itself is not left to it."""
    return (
        Configure.VectorIndex.Quantizer.rq(bits=8) if kind == "rotational" else Configure.VectorIndex.Quantizer.none()
    )


def _replication(factor: int) -> Any:
    """A node that was away gets what it missed, and does not bring back what was deleted
    meanwhile."""
    if factor == 1:
        return Configure.replication(factor=1)
    latest = ReplicationDeletionStrategy.TIME_BASED_RESOLUTION
    return Configure.replication(factor=factor, async_enabled=True, deletion_strategy=latest)


def property_of(name: str, kind: str) -> Property:
    return Property(
        name=name,
        data_type=_TYPES[kind],
        index_filterable=name in FILTERABLE,
        index_searchable=kind == "terms",
        index_range_filters=name in FILTERABLE and kind == "int",
        tokenization=_TOKENIZATIONS.get(kind),
        skip_vectorization=True,
    )


def _recorded(description: str, name: str) -> dict[str, Any]:
    try:
        recorded = json.loads(description)["bedside"]
        return dict(recorded)
    except (ValueError, KeyError, TypeError):
        raise StoreUnavailable(
            f"Weaviate has a collection {name!r} that Bedside did not make: name another one in "
            f"BEDSIDE_WEAVIATE_COLLECTION"
        ) from None


def _check_embedder(recorded: dict[str, Any], made_with: dict[str, Any], name: str) -> None:
    if any(recorded.get(key) != made_with[key] for key in ("embedder", "dim")):
        raise EmbedderMismatch(
            f"the collection {name!r} was made by the embedder {recorded.get('embedder')!r}, the configured one is "
            f"{made_with['embedder']!r}. Set BEDSIDE_EMBEDDER back, or name a new collection in "
            f"BEDSIDE_WEAVIATE_COLLECTION and run "
            "`bedside ingest` again: it indexes what is missing."
        )


def _missing(name: str, present: dict[str, DataType]) -> list[str]:
    for column, kind in COLUMNS.items():
        if column in present and present[column] != _TYPES[kind]:
            raise StoreUnavailable(
                f"the property {column!r} of the collection {name!r} is {present[column].value}, this version of "
                f"Bedside needs "
                f"{_TYPES[kind].value}: name a new collection in BEDSIDE_WEAVIATE_COLLECTION and run `bedside ingest` "
                f"again"
            )
    return [column for column in COLUMNS if column not in present]
