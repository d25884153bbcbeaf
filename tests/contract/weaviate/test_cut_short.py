"""Writes to Weaviate cut short by the client's death: chunks that are there and counted, and that
its index of vectors does not know."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rag_api.config import Settings
from rag_api.domain import Contents
from rag_api.errors import StoreUnavailable
from rag_api.stores import Mendable, Unfound, open_store, regroup
from rag_api.stores import weaviate as weaviate_store
from rag_api.stores.copying import copy_index
from rag_api.stores.memory import MemoryStore
from rag_api.stores.weaviate import WeaviateStore
from rag_api.stores.weaviate.mending import Mending
from tests.contract.conftest import DIM, weaviate_server, weaviate_settings  # noqa: F401
from tests.contract.test_stores import chunk, vectors
from tests.weaviate_server import Server

# chunks of a document, all of them one batch; documents that are cut short until one has lost some
COUNT, TRIES = 1000, 5
ASKED = range(0, COUNT, 25)
CLIENT = """
import json, sys
from rag_api.config import Settings
from rag_api.stores import open_store
from rag_api.stores import weaviate
from tests.contract.weaviate import test_cut_short as test
weaviate.BATCH = test.COUNT
store = open_store(Settings(**json.loads(sys.argv[1])), "test", test.DIM)
store.replace_document(*test.document(int(sys.argv[2])))
"""


def document(number: int) -> Contents:
    name = f"d{number}"
    return name, [chunk(name, n, f"stap {n} van {name}") for n in range(COUNT)], vectors(COUNT, number)


def lost(store: WeaviateStore, contents: Contents) -> set[str]:
    """Of those asked for, each by its own vector among all: what is there and is not found."""
    there = {one.id for one in store.chunks_of(contents[0])[0]}
    asked = [n for n in ASKED if contents[1][n].id in there]
    return {
        contents[1][n].id
        for n in asked
        if contents[1][n].id not in {str(o.uuid) for o in store.nearest(contents[2][n], None, 20)}
    }


@pytest.fixture
def settings(weaviate_server: Server, tmp_path: Path) -> Settings:  # noqa: F811
    return weaviate_settings(weaviate_server, f"Test{uuid.uuid4().hex}", tmp_path / "data")


@pytest.fixture
def store(settings: Settings, tmp_path: Path) -> Iterator[WeaviateStore]:
    """Of somebody who knows nothing of who else writes: it counts words in a folder of its own."""
    opened = open_store(settings.model_copy(update={"data_dir": tmp_path / "elsewhere"}), "test", DIM)
    assert isinstance(opened, WeaviateStore)
    yield opened
    opened.drop()
    opened.close()


def until_the_first_is_there(
    store: WeaviateStore, before: int, going_on: threading.Thread | subprocess.Popen[bytes]
) -> None:
    """The server stores a batch, then indexes it."""
    while store.count() == before and (
        going_on.is_alive() if isinstance(going_on, threading.Thread) else going_on.poll() is None
    ):
        pass


def cut_short(settings: Settings, store: WeaviateStore, contents: Contents) -> None:
    """The client is gone when the first chunk is there: to the server as if it were killed."""
    other, before = open_store(settings, "test", DIM), store.count()
    assert isinstance(other, WeaviateStore)

    def write() -> None:
        with contextlib.suppress(StoreUnavailable):
            other.replace_document(*contents)

    writing = threading.Thread(target=write)
    writing.start()
    until_the_first_is_there(store, before, writing)
    other.connection.close()
    writing.join()
    other.close()


def harm(settings: Settings, store: WeaviateStore) -> Contents:
    """Write documents and cut each short, until the index of vectors lacks chunks of one that the
    collection has."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(weaviate_store, "BATCH", COUNT)
        for number in range(TRIES):
            cut_short(settings, store, document(number))
            if lost(store, document(number)):
                return document(number)
    pytest.fail(f"of {TRIES} writes that were cut short none lost anything")


@pytest.fixture
def harmed(settings: Settings, store: WeaviateStore) -> Contents:
    return harm(settings, store)


def forgotten(settings: Settings) -> Settings:
    """By somebody else, or a disk that was lost: which write was cut short is not known."""
    shutil.rmtree(settings.data_dir)
    return settings


def assert_whole(store: WeaviateStore, contents: Contents) -> None:
    """All is there and found, with the very vectors that were given."""
    chunks, own = store.chunks_of(contents[0])
    assert [one.id for one in chunks] == [one.id for one in contents[1]]
    assert np.array_equal(own, contents[2])
    assert lost(store, contents) == set()


def test_a_client_that_is_killed_loses_nothing_once_the_collection_is_opened_again(
    settings: Settings, store: WeaviateStore
) -> None:
    said = settings.model_dump_json(include={"store", "weaviate_url", "weaviate_collection", "data_dir"})
    for number in range(TRIES):
        contents, before = document(number), store.count()
        client = subprocess.Popen([sys.executable, "-c", CLIENT, said, str(number)])
        until_the_first_is_there(store, before, client)
        client.kill()
        client.wait()
        if missed := lost(store, contents):
            break
    assert missed, f"of {TRIES} clients that were killed none lost anything"
    there = {one.id for one in store.chunks_of(contents[0])[0]}
    open_store(settings, "test", DIM).close()
    after, own = store.chunks_of(contents[0])
    assert {one.id for one in after} >= there
    given = {one.id: vector for one, vector in zip(contents[1], contents[2], strict=True)}
    assert all(np.array_equal(given[one.id], vector) for one, vector in zip(after, own, strict=True))
    assert lost(store, contents) == set()


def test_what_a_write_left_that_failed_is_indexed_before_the_next_one(settings: Settings, store: WeaviateStore) -> None:
    with contextlib.closing(open_store(settings, "test", DIM)) as running:
        harmed = harm(settings, store)
        running.replace_document("next", [chunk("next", 1, "een ander")], vectors(1))
    assert lost(store, harmed) == set()


def test_what_is_written_again_is_found_with_the_vectors_that_were_given(
    settings: Settings, store: WeaviateStore, harmed: Contents
) -> None:
    with contextlib.closing(open_store(forgotten(settings), "test", DIM)) as again:
        assert lost(store, harmed)
        again.replace_document(*harmed)
    assert_whole(store, harmed)


def test_a_copy_that_goes_on_loses_nothing(settings: Settings, store: WeaviateStore, harmed: Contents) -> None:
    source = MemoryStore(DIM)
    source.replace_documents([document(n) for n in range(TRIES) if f"d{n}" in store.document_ids()])
    with contextlib.closing(open_store(settings, "test", DIM)) as target:
        copy_index(source, target, lambda _: None)
    assert_whole(store, harmed)


def test_what_was_lost_before_is_told_and_mended(settings: Settings, store: WeaviateStore, harmed: Contents) -> None:
    with contextlib.closing(open_store(forgotten(settings), "test", DIM)) as again:
        assert isinstance(again, Mendable)
        found = again.unfound()
        assert found.looked_for == store.count()
        assert set(found.ids) & {one.id for one in harmed[1]}
        assert again.unfound(10).looked_for == 10
        again.mend(found.ids)
        assert again.unfound() == Unfound(store.count(), ())
    assert lost(store, harmed) == set()


def test_what_is_found_is_not_indexed_again(
    settings: Settings, store: WeaviateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it is written once more, or when others may read it."""
    monkeypatch.setattr(Mending, "index_anew", lambda self, objects: pytest.fail("it was found"))
    contents = document(0)
    for _ in range(2):
        store.replace_document(*contents)
    regroup(store, "d0", ("icu",))
    assert {one.groups for one in store.chunks_of("d0")[0]} == {("icu",)}
    assert_whole(store, contents)
    assert store.unfound() == Unfound(COUNT, ())
