"""What only Weaviate must do: old servers, refused objects, foreign collections, and the server's own hybrid search."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from weaviate.classes.query import HybridFusion, MetadataQuery

from rag_api.config import Settings
from rag_api.errors import StoreUnavailable
from rag_api.stores import open_store
from rag_api.stores.weaviate import VECTOR, WeaviateStore
from rag_api.terms import question_terms
from rag_api.weaviate_dev import free_ports
from tests.contract.conftest import DIM, weaviate_server, weaviate_settings  # noqa: F401
from tests.contract.test_stores import EVERYONE, chunk, put, vectors
from tests.weaviate_server import Server


@pytest.fixture
def settings(weaviate_server: Server) -> Settings:  # noqa: F811
    return weaviate_settings(weaviate_server, f"Test{uuid.uuid4().hex}")


@pytest.fixture
def store(settings: Settings) -> Iterator[WeaviateStore]:
    opened = open_store(settings, "test", DIM)
    assert isinstance(opened, WeaviateStore)
    yield opened
    opened._client.collections.delete(settings.weaviate_collection)
    opened.close()


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.7, 1.0])
def test_our_ranking_is_the_servers_own_hybrid_ranking(store: WeaviateStore, alpha: float) -> None:
    rng = np.random.default_rng(5)
    words = [f"woord{n}" for n in range(50)]
    put(store, *[chunk(f"d{n}", 1, " ".join(rng.choice(words, rng.integers(10, 40)))) for n in range(150)])
    for seed in range(8):
        question, vector = " ".join(rng.choice(words, 3)), vectors(1, seed)[0]
        ours = store.search(question, vector, 10, EVERYONE, alpha, "relative")
        theirs = store._chunks.query.hybrid(
            " ".join(question_terms(question)),
            vector=vector.tolist(),
            target_vector=VECTOR,
            query_properties=["terms"],
            alpha=alpha,
            fusion_type=HybridFusion.RELATIVE_SCORE,
            limit=10,
            return_metadata=MetadataQuery(score=True),
        ).objects
        assert [h.score for h in ours] == pytest.approx([o.metadata.score for o in theirs], abs=1e-4)
        untied = {
            h.chunk.id for h in ours if sum(abs(h.score - other.score) < 1e-4 for other in ours) == 1 and h.score > ours[-1].score + 1e-4
        }
        assert untied <= {str(o.uuid) for o in theirs}


def test_an_older_server_is_refused(store: WeaviateStore, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weaviate.WeaviateClient.get_meta", lambda _: {"version": "1.38.9"})
    with pytest.raises(StoreUnavailable, match=r"is version 1\.38\.9; Bedside needs 1\.39"):
        open_store(settings, "test", DIM)


def test_objects_that_the_server_refuses_are_an_error(store: WeaviateStore) -> None:
    put(store, chunk("a", 1, "eerst"))
    store.dim = DIM + 1  # the server knows better: this collection's vectors have DIM numbers
    with pytest.raises(StoreUnavailable, match="refused 1 of 1 chunks"):
        store.replace_document("b", [chunk("b", 1, "tekst")], np.ones((1, DIM + 1), np.float32))


def test_a_collection_of_someone_else_is_left_alone(store: WeaviateStore, settings: Settings) -> None:
    store._client.collections.get(settings.weaviate_collection).config.update(description="somebody's data")
    with pytest.raises(StoreUnavailable, match="did not make"):
        open_store(settings, "test", DIM)


def test_no_server_is_said_with_its_address() -> None:
    port = free_ports(1)[0]
    settings = Settings(store="weaviate", weaviate_url=f"http://127.0.0.1:{port}")
    with pytest.raises(StoreUnavailable, match=f"127.0.0.1:{port}"):
        open_store(settings, "test", DIM)


def test_replication_and_shards_come_from_the_settings(monkeypatch: pytest.MonkeyPatch, store: WeaviateStore, settings: Settings) -> None:
    asked: dict[str, Any] = {}
    create = store._client.collections.create

    def record(*args: Any, **kwargs: Any) -> Any:
        asked.update(kwargs)
        return create(*args, **kwargs)

    other = settings.model_copy(
        update={"weaviate_collection": settings.weaviate_collection + "b", "weaviate_shards": 3, "weaviate_replication_factor": 1}
    )
    monkeypatch.setattr(store._client.collections, "create", record)
    store.name = other.weaviate_collection
    store._open_collection(other, "test")
    config = store._chunks.config.get()
    store._client.collections.delete(other.weaviate_collection)
    assert config.sharding_config is not None
    assert config.sharding_config.desired_count == 3
    assert asked["replication_config"].factor == 1
