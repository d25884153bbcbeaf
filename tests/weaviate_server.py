"""The real Weaviate server of a test run: one that BEDSIDE_WEAVIATE_URL names, else one built and
started here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import weaviate_dev


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    grpc_port: int


@pytest.fixture(scope="session")
def weaviate_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Skips, and says why, only where there is neither a server nor the means to build one."""
    named = os.environ.get("BEDSIDE_WEAVIATE_URL")
    if named:
        yield Server(named, int(os.environ.get("BEDSIDE_WEAVIATE_GRPC_PORT", "50051")))
        return
    folder: Path = tmp_path_factory.mktemp("weaviate")
    try:
        nodes = weaviate_dev.start(folder)
    except weaviate_dev.NotToBeHad as reason:
        pytest.skip(f"no real Weaviate: {reason}")
    try:
        yield Server(nodes[0].url, nodes[0].grpc_port)
    finally:
        nodes[0].stop()
