"""The stores that the contract is tested on. Each test gets an empty one of its own and leaves
nothing behind."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import weaviate

from rag_api.config import Settings
from rag_api.stores import Store, open_store
from tests.weaviate_server import Server, weaviate_server

__all__ = ["weaviate_server"]
DIM = 8
Reopen = Callable[..., Store]


def weaviate_settings(server: Server, collection: str, data_dir: Path) -> Settings:
    return Settings(
        store="weaviate",
        weaviate_url=f"{server.url}#{server.grpc_port}",
        weaviate_collection=collection,
        data_dir=data_dir,
    )


@pytest.fixture(params=["memory", "lance", "weaviate"])
def store_settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    if request.param != "weaviate":
        yield Settings(store=request.param, data_dir=tmp_path)
        return
    server: Server = request.getfixturevalue("weaviate_server")
    settings = weaviate_settings(server, f"Test{uuid.uuid4().hex}", tmp_path)
    yield settings
    host, port = server.url.removeprefix("http://").split(":")
    with weaviate.connect_to_local(host, int(port), server.grpc_port) as client:
        client.collections.delete(settings.weaviate_collection)


@pytest.fixture
def open_another(store_settings: Settings) -> Iterator[Reopen]:
    """Opens the same index once more, as another process would."""
    opened: list[Store] = []

    def reopen(embedder: str = "test", dim: int = DIM) -> Store:
        opened.append(open_store(store_settings, embedder, dim))
        return opened[-1]

    yield reopen
    for store in opened:
        store.close()


@pytest.fixture
def store(open_another: Reopen) -> Store:
    return open_another()
