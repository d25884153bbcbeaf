"""One ingestion as a process of its own, which can be killed: `python -m tests.cluster.driver ADDRESS SETTINGS FOLDER [WORKERS]`.

As `bedside ingest --ray` does it, but with the cheapest vectors there are, and a store that takes its time, so that a run lasts long
enough to be disturbed. SETTINGS: a JSON file. Prints what became of each document as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rag_api.bench.size import CheapEmbedder
from rag_api.cli.ingest import open_documents
from rag_api.config import Settings
from rag_api.domain import Contents
from rag_api.ingest import ingest, survey
from rag_api.ingest.cluster.engine import ray_cluster
from rag_api.ingest.cluster.steps import Openers
from rag_api.stores import open_store
from rag_api.stores.weaviate import WeaviateStore

SLOW = 0.6  # seconds for each table of documents


class SlowStore(WeaviateStore):
    def replace_documents(self, documents: Sequence[Contents]) -> None:
        time.sleep(SLOW)
        super().replace_documents(documents)


def open_slow(settings: Settings, name: str, dim: int) -> SlowStore:
    return SlowStore(settings, name, dim)


def open_cheap(_: Settings) -> CheapEmbedder:
    return CheapEmbedder()


def read_settings(path: Path) -> Settings:
    said: dict[str, Any] = json.loads(path.read_text())
    return Settings.model_validate(Settings.model_construct().model_dump() | said)


def main() -> None:
    address, path, *folders = sys.argv[1:]
    settings, embedder = read_settings(Path(path)), CheapEmbedder()
    openers = Openers(open_documents, open_slow, open_cheap)
    with closing(open_store(settings, embedder.name, embedder.dim)) as store, ray_cluster(address, settings, openers, embedder) as engine:
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
