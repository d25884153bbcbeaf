"""One ingestion as a process of its own, which can be killed: `python -m
tests.rag_api.ingest.cluster.driver` with its arguments.

They are ADDRESS SETTINGS WORKERS FOLDER... It runs as `bedside ingest --ray` does, but with the
cheapest vectors there are, and a store that writes only what it is let, so that whoever disturbs
the run says when. SETTINGS: a JSON file; WORKERS: of each kind, 0 for one a core. Prints what
became of each document as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluation.documents.size import CheapEmbedder
from rag_api.cli.content.ingest import open_documents
from rag_api.config import Settings
from rag_api.db.documents import PgDocuments
from rag_api.domain import Contents
from rag_api.ingest.cluster.engine import ray_cluster
from rag_api.ingest.cluster.steps import Openers
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.sources import survey
from rag_api.stores import open_store
from rag_api.stores.weaviate import WeaviateStore
from tests.rag_api.ingest.cluster.gate import Gate


class GatedStore(WeaviateStore):
    gate: Gate

    def replace_documents(self, documents: Sequence[Contents]) -> None:
        self.gate.wait()
        super().replace_documents(documents)


def open_gated(settings: Settings, name: str, dim: int) -> GatedStore:
    store = GatedStore(settings, name, dim)
    store.gate = Gate(settings.data_dir)
    sign(settings, "writer")
    return store


def open_cheap(settings: Settings) -> CheapEmbedder:
    sign(settings, "embedder")
    return CheapEmbedder()


def open_signed(settings: Settings) -> PgDocuments:
    sign(settings, "list")
    return open_documents(settings)


def sign(settings: Settings, kind: str) -> None:
    """Note on which node of the cluster an actor opened what it works with."""
    import ray

    Gate(settings.data_dir).note(ray.get_runtime_context().get_node_id(), kind)


def read_settings(path: Path) -> Settings:
    said: dict[str, Any] = json.loads(path.read_text())
    return Settings.model_validate(Settings.model_construct().model_dump() | said)


def main() -> None:
    address, path, workers, *folders = sys.argv[1:]
    settings, embedder = read_settings(Path(path)), CheapEmbedder()
    openers = Openers(open_signed, open_gated, open_cheap)
    with (
        closing(open_store(settings, embedder.name, embedder.dim)) as store,
        ray_cluster(address, settings, openers, embedder, int(workers) or None) as engine,
    ):
        began = time.monotonic()
        report = ingest(
            survey(map(Path, folders)),
            settings=settings,
            documents_repo=open_documents(settings),
            store=store,
            embedder=embedder,
            engine=engine,
        )  # fmt: skip
        seconds = time.monotonic() - began
    print(json.dumps({"items": [asdict(item) for item in report.items], "chunks": report.chunks, "seconds": seconds}))


if __name__ == "__main__":
    main()
