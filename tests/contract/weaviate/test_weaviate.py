"""Weaviate's own duties: old servers, refused objects, foreign collections, and the server's own
hybrid search."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import weaviate
from typer.testing import CliRunner, Result
from weaviate.classes.config import Configure, DataType, Property, StopwordsPreset
from weaviate.classes.query import Filter, HybridFusion, MetadataQuery

from rag_api.cli.app import app
from rag_api.config import Settings
from rag_api.domain import Filters, TargetGroup
from rag_api.errors import StoreUnavailable
from rag_api.stores import describe, open_store
from rag_api.stores.rows import COLUMNS, to_row
from rag_api.stores.weaviate import WeaviateStore
from rag_api.stores.weaviate import schema as weaviate_schema
from rag_api.stores.weaviate.schema import VECTOR
from rag_api.text import bm25_analyzer as terms
from rag_api.text.bm25_analyzer import further_terms, question_terms
from tests.contract.conftest import DIM, weaviate_server, weaviate_settings  # noqa: F401
from tests.contract.test_stores import EVERYONE, chunk, put, unit, vectors
from tests.support.ports import free_ports
from tests.weaviate_server import Server


@pytest.fixture
def settings(weaviate_server: Server, tmp_path: Path) -> Settings:  # noqa: F811
    return weaviate_settings(weaviate_server, f"Test{uuid.uuid4().hex}", tmp_path)


@pytest.fixture
def store(settings: Settings) -> Iterator[WeaviateStore]:
    opened = open_store(settings, "test", DIM)
    assert isinstance(opened, WeaviateStore)
    yield opened
    opened.drop()
    opened.close()


def collection(store: WeaviateStore) -> Any:
    """The server's own, to look at what the store did there."""
    return store.connection.do(lambda client: client.collections.get(store.name))


def test_processes_that_start_together_open_the_same_collection(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each sees that it is not there; one makes it first."""
    together = threading.Barrier(3)
    create = weaviate_schema.create_collection

    def created(*arguments: Any) -> None:
        together.wait(30)
        create(*arguments)

    monkeypatch.setattr(weaviate_schema, "create_collection", created)
    with ThreadPoolExecutor(3) as pool:
        opened = list(pool.map(lambda _: open_store(settings, "test", DIM), range(3)))
    put(opened[0], chunk("a", 1, "kalium"))
    assert [one.count() for one in opened] == [1, 1, 1]
    first = opened[0]
    assert isinstance(first, WeaviateStore)
    first.drop()
    for one in opened:
        one.close()


def test_a_collection_that_cannot_be_read_yet_is_waited_for(
    store: WeaviateStore, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process made it a moment ago: the server names it before it has an index."""
    queries, asked = type(collection(store).query), list[int]()
    fetch = queries.fetch_objects

    def not_yet(self: Any, **options: Any) -> Any:
        asked.append(1)
        if len(asked) < 3:
            raise weaviate.exceptions.WeaviateQueryError("tried to browse non-existing index for Test", "GRPC search")
        return fetch(self, **options)

    monkeypatch.setattr(queries, "fetch_objects", not_yet)
    other = open_store(settings, "test", DIM)
    assert len(asked) >= 3
    assert other.count() == 0
    other.close()


def test_a_collection_that_cannot_be_made_is_said(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = settings.model_copy(update={"weaviate_replication_factor": 99})
    with pytest.raises(StoreUnavailable, match="replic"):
        open_store(refused, "test", DIM)


def test_a_new_chunk_that_a_replica_takes_for_an_old_one_is_kept(
    store: WeaviateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A replica that is still writing a chunk finds it by its document before it knows its id, so
    not among those to be kept."""
    by_id = Filter.by_id

    class Late:
        def contains_none(self, ids: list[str]) -> Any:
            return Filter.by_property("valid_until").greater_or_equal(0)  # every chunk

        def contains_any(self, ids: list[str]) -> Any:
            return by_id().contains_any(ids)

    put(store, *[chunk("a", n, f"oud {n}") for n in range(4)])
    monkeypatch.setattr(Filter, "by_id", Late)
    put(store, *[chunk("a", n, f"nieuw {n}") for n in range(2)])
    assert sorted(one.text for one in store.chunks_of("a")[0]) == ["nieuw 0", "nieuw 1"]


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.7, 1.0])
def test_our_ranking_is_the_servers_own_hybrid_ranking(store: WeaviateStore, alpha: float) -> None:
    rng = np.random.default_rng(5)
    words = [f"woord{n}" for n in range(50)]
    put(store, *[chunk(f"d{n}", 1, " ".join(rng.choice(words, rng.integers(10, 40)))) for n in range(150)])
    for seed in range(8):
        question, vector = " ".join(rng.choice(words, 3)), vectors(1, seed)[0]
        ours = store.search(question, vector, 10, EVERYONE, alpha, "relative")
        theirs = (
            collection(store)
            .query.hybrid(
                " ".join([*question_terms(question), *further_terms(question)]),
                vector=vector.tolist(),
                target_vector=VECTOR,
                query_properties=["terms"],
                alpha=alpha,
                fusion_type=HybridFusion.RELATIVE_SCORE,
                limit=10,
                return_metadata=MetadataQuery(score=True),
            )
            .objects
        )
        assert [h.score for h in ours] == pytest.approx([o.metadata.score for o in theirs], abs=1e-4)
        untied = {
            h.chunk.id
            for h in ours
            if sum(abs(h.score - other.score) < 1e-4 for other in ours) == 1 and h.score > ours[-1].score + 1e-4
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
    collection(store).config.update(description="somebody's data")
    with pytest.raises(StoreUnavailable, match="did not make"):
        open_store(settings, "test", DIM)


def test_no_server_is_said_with_its_address() -> None:
    port = free_ports(1)[0]
    settings = Settings(store="weaviate", weaviate_url=f"http://127.0.0.1:{port}")
    with pytest.raises(StoreUnavailable, match=f"127.0.0.1:{port}"):
        open_store(settings, "test", DIM)


@pytest.mark.parametrize("count", [6, 7, 9])
def test_what_is_said_of_a_document_of_more_chunks_than_the_server_gives_at_once_is_changed_in_all(
    store: WeaviateStore, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr("rag_api.stores.weaviate.MOST", 3)
    put(store, *[chunk("a", n, f"stap {n}") for n in range(count)], chunk("b", 1, "iets anders"))
    before, at = store.chunks_of("a")
    assert [c.text for c in before] == [f"stap {n}" for n in range(count)]
    describe(store, "a", replace(before[0].metadata, department="Pediatrie"), lambda given: vectors(len(given), 9))
    after, still_at = store.chunks_of("a")
    assert [(c.id, c.text, c.metadata.department) for c in after] == [(c.id, c.text, "Pediatrie") for c in before]
    assert np.allclose(at, still_at)


def test_shards_come_from_the_settings(settings: Settings) -> None:
    sharded = settings.model_copy(update={"weaviate_shards": 3})
    store = open_store(sharded, "test", DIM)
    assert isinstance(store, WeaviateStore)
    try:
        put(store, *[chunk(f"d{n}", 1, f"heparine {n}") for n in range(30)])
        assert collection(store).config.get().sharding_config.actual_count == 3
        assert len(store.search("heparine", vectors(1)[0], 30, EVERYONE, 0.5)) == 30
    finally:
        store.drop()
        store.close()


class TestOlderCollections:
    """What an earlier version of Bedside made."""

    def made_before(self, settings: Settings, *, without: tuple[str, ...] = (), words: str = "oud") -> Any:
        """One chunk in a collection that lacks properties, its words analysed otherwise, no version
        recorded."""
        host, port, grpc_port = address(settings)
        client = weaviate.connect_to_local(host, port, grpc_port)
        chunks = client.collections.create(
            settings.weaviate_collection,
            description=json.dumps({"bedside": {"embedder": "test", "dim": DIM}}),
            properties=[
                weaviate_schema.property_of(name, kind) for name, kind in COLUMNS.items() if name not in without
            ],
            vector_config=Configure.Vectors.self_provided(name=VECTOR),
            inverted_index_config=Configure.inverted_index(stopwords_preset=StopwordsPreset.NONE),
        )
        row = to_row(chunk("a", 1, "heparine", owner="Apotheek", version="3"))
        kept = {name: value for name, value in row.items() if name not in without} | {"terms": words}
        chunks.data.insert(kept, uuid=chunk("a", 1, "").id, vector={VECTOR: unit(1).tolist()})
        return client

    def test_get_the_properties_they_lack(self, settings: Settings) -> None:
        client = self.made_before(settings, without=("owner", "valid_from", "valid_until", "target_groups"))
        store = open_store(settings, "test", DIM)
        try:
            narrow = Filters(valid_on=date(2026, 1, 1), target_groups=(TargetGroup.CHILD,))
            (hit,) = store.search("heparine", unit(1), 5, narrow, 0.5)
            assert (hit.chunk.metadata.version, hit.chunk.metadata.owner, hit.chunk.metadata.valid_until) == (
                "3",
                "",
                None,
            )
            put(store, chunk("b", 1, "insuline", owner="Diabetologie"))
            assert {h.chunk.metadata.owner for h in store.search("insuline", unit(1), 5, narrow, 0.5)} == {
                "",
                "Diabetologie",
            }
        finally:
            store.close()
            client.collections.delete(settings.weaviate_collection)
            client.close()

    def test_are_analysed_anew_and_keep_their_vectors(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(terms, "VERSION", terms.VERSION + 1)
        client = self.made_before(settings)
        recorded = client.collections.get(settings.weaviate_collection).config
        store = open_store(settings, "test", DIM)
        try:
            assert json.loads(recorded.get().description)["bedside"]["terms"] == terms.VERSION
            (hit,) = store.search("heparine", unit(1), 5, EVERYONE, 0.5)
            assert hit.bm25_score > 0
            assert hit.dense_score == pytest.approx(1.0, abs=1e-6)
        finally:
            store.close()
            client.collections.delete(settings.weaviate_collection)
            client.close()

    def test_with_a_property_of_another_kind_are_refused_with_the_way_out(self, settings: Settings) -> None:
        client = self.made_before(settings, without=("valid_from",))
        client.collections.get(settings.weaviate_collection).config.add_property(
            Property(name="valid_from", data_type=DataType.DATE)
        )
        try:
            with pytest.raises(
                StoreUnavailable, match=r"'valid_from'.*is date, this version of Bedside needs int.*bedside ingest"
            ):
                open_store(settings, "test", DIM)
        finally:
            client.collections.delete(settings.weaviate_collection)
            client.close()


class TestBackup:
    """By the commands, on the real server."""

    @pytest.fixture
    def bedside(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
        monkeypatch.setenv("BEDSIDE_STORE", "weaviate")
        monkeypatch.setenv("BEDSIDE_DATA_DIR", str(settings.data_dir))
        monkeypatch.setenv("BEDSIDE_WEAVIATE_URL", str(settings.weaviate_url))
        monkeypatch.setenv("BEDSIDE_WEAVIATE_COLLECTION", settings.weaviate_collection)
        return lambda *words: CliRunner().invoke(app, ["index", *words])

    def test_a_restored_index_answers_as_before(self, settings: Settings, bedside: Callable[..., Result]) -> None:
        name = f"test-{uuid.uuid4().hex[:8]}"
        store = open_store(settings, "test", DIM)
        rng = np.random.default_rng(8)
        words = [f"woord{n}" for n in range(40)]
        put(store, *[chunk(f"d{n}", 1, " ".join(rng.choice(words, 25)), version=str(n)) for n in range(80)])
        asked = [(" ".join(rng.choice(words, 3)), vectors(1, seed)[0]) for seed in range(10)]
        before = [store.search(text, vector, 10, EVERYONE, 0.5) for text, vector in asked]
        assert bedside("backup", name).exit_code == 0
        listed = json.loads(bedside("backups", "--json").stdout)["backups"]
        assert {"name": name, "status": "SUCCESS"} in listed

        store.delete_documents([f"d{n}" for n in range(0, 80, 2)])
        put(store, chunk("later", 1, "woord1 woord2 woord3"))
        refused = bedside("restore", name)
        assert (refused.exit_code, "--replace" in refused.stderr) == (1, True)
        assert store.count() == 41
        assert bedside("restore", name, "--replace").exit_code == 0

        assert store.count() == 80
        assert [store.search(text, vector, 10, EVERYONE, 0.5) for text, vector in asked] == before
        assert isinstance(store, WeaviateStore)
        store.drop()
        store.close()

    def test_nothing_is_dropped_for_a_backup_that_is_not_there(
        self, store: WeaviateStore, bedside: Callable[..., Result]
    ) -> None:
        put(store, chunk("a", 1, "heparine"))
        refused = bedside("restore", "never-made", "--replace")
        assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
        assert store.count() == 1

    def test_lancedbs_index_is_a_folder_to_copy(
        self, bedside: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BEDSIDE_STORE", "lance")
        refused = bedside("backup", "x")
        assert (refused.exit_code, "copy" in refused.stderr) == (1, True)


def test_of_several_nodes_the_next_is_asked_when_one_is_silent(store: WeaviateStore, settings: Settings) -> None:
    put(store, chunk("a", 1, "heparine"))
    silent = free_ports(2)
    urls = f"http://127.0.0.1:{silent[0]}#{silent[1]}, {settings.weaviate_url}"
    other = open_store(settings.model_copy(update={"weaviate_url": urls}), "test", DIM)
    try:
        assert [h.chunk.document_id for h in other.search("heparine", unit(1), 5, EVERYONE, 0.5)] == ["a"]
    finally:
        other.close()


def address(settings: Settings) -> tuple[str, int, int]:
    url, _, grpc_port = str(settings.weaviate_url).partition("#")
    host, port = url.removeprefix("http://").split(":")
    return host, int(port), int(grpc_port)
