"""Installations: each a database, an index and a data directory of its own, with a small hospital
in it or nothing."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from rag_api.config import Settings
from rag_api.embed import Embedder, open_embedder
from tests.conftest import new_database
from tests.weaviate_server import Server, weaviate_server

__all__ = ["weaviate_server"]
Install = Callable[..., Settings]
NOBODY = "http://127.0.0.1:1/v1"


@pytest.fixture
def install(request: pytest.FixtureRequest, postgres_server: str, migrated: str, tmp_path: Path) -> Iterator[Install]:
    """Return the settings of a new, empty installation: install(store); `ready`: its database has
    its tables."""
    with ExitStack() as stack:

        def made(store: str = "lance", *, ready: bool = False) -> Settings:
            name = uuid.uuid4().hex
            folder = tmp_path / name
            folder.mkdir()
            dsn = stack.enter_context(new_database(postgres_server, migrated if ready else "template1"))
            settings = Settings(data_dir=folder, database_url=dsn, store="lance", generator_url=NOBODY)
            if store == "lance":
                return settings
            server: Server = request.getfixturevalue("weaviate_server")
            collection = f"Test{name}"
            stack.callback(_drop, server, collection)
            return settings.model_copy(
                update={"weaviate_url": f"{server.url}#{server.grpc_port}", "weaviate_collection": collection}
            )

        yield made


@pytest.fixture
def embedder() -> Embedder:
    return open_embedder(Settings())


def _drop(server: Server, collection: str) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    import weaviate  # half a second, which who asks for no server need not wait for

    with weaviate.connect_to_local(host, int(port), server.grpc_port) as client:
        client.collections.delete(collection)
