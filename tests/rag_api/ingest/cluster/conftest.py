"""A Ray cluster of two nodes on this machine, and what an ingestion on it needs: a PostgreSQL and a
Weaviate that can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evaluation.documents.cluster import NODE, small_cluster
from rag_api.config import Settings
from rag_api.db.migrate import migrate
from rag_api.ingest.cluster.connect import QUIET
from tests.conftest import new_database
from tests.rag_api.ingest.cluster.driver import read_settings
from tests.support import weaviate_dev

ROOT = Path(__file__).parents[4]


@dataclass
class Place:
    """Where a driver works: settings for it, and the folders that it loads."""

    cluster: Any
    worker: Any  # the node that is not the head
    node: list[weaviate_dev.Node]
    settings: Settings
    dsn: str
    said: Path
    folders: list[Path]
    workers: int = 0  # of each kind; 0: one a core

    def driver(self, **environment: str) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-m",
            "tests.rag_api.ingest.cluster.driver",
            self.cluster.address,
            str(self.said),
            str(self.workers),
            *map(str, self.folders),
        ]
        env = {**os.environ, **QUIET, **environment, "PYTHONPATH": str(ROOT)}
        return subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def report(self, driver: subprocess.Popen[str]) -> dict[str, dict[str, Any]]:
        """What became of each document, by its name, when the driver is done."""
        out, err = driver.communicate(timeout=240)
        assert driver.returncode == 0, err
        return {item["source"]: item for item in json.loads(out.splitlines()[-1])["items"]}


@pytest.fixture(scope="package")
def cluster() -> Iterator[Any]:
    with small_cluster() as started:
        yield started


@pytest.fixture(scope="package")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[weaviate_dev.Node]]:
    """A Weaviate of this package's own: it is killed. The list holds the one that runs."""
    try:
        nodes = weaviate_dev.start(tmp_path_factory.mktemp("weaviate"))
    except weaviate_dev.NotToBeHad as reason:
        pytest.skip(f"no real Weaviate: {reason}")
    yield nodes
    nodes[0].stop()


@pytest.fixture
def place(cluster: Any, node: list[weaviate_dev.Node], postgres_server: str, tmp_path: Path) -> Iterator[Place]:
    with new_database(postgres_server) as dsn:
        migrate(dsn)
        said = {
            "data_dir": str(tmp_path / "data"),
            "database_url": dsn,
            "store": "weaviate",
            "weaviate_url": f"{node[0].url}#{node[0].grpc_port}",
            "weaviate_collection": f"Test{uuid.uuid4().hex}",
        }
        written = tmp_path / "settings.json"
        written.write_text(json.dumps(said))
        (tmp_path / "data").mkdir()
        worker = cluster.add_node(**NODE)
        yield Place(cluster, worker, node, read_settings(written), dsn, written, [])
        if worker in cluster.worker_nodes:
            cluster.remove_node(worker, allow_graceful=False)
