"""Load of an ingestion on Ray on its driver and the object stores for many files, apart from their
reading, embedding and writing: files of some bytes, whose digests are taken on the cluster, and
steps that pass on what they are given. The list of documents stays empty."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa

from evaluation.documents.cluster import OPENERS, small_cluster, watching
from evaluation.documents.size import CheapEmbedder
from rag_api.config import Settings
from rag_api.ingest.cluster.connect import joined
from rag_api.ingest.cluster.engine import RayCluster
from rag_api.ingest.cluster.rows import DocumentDone, packed, unpacked
from rag_api.ingest.cluster.steps import StepParts
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.report import Outcome
from rag_api.ingest.sources.repository import MemoryDocuments
from rag_api.ingest.sources.sources import survey
from rag_api.stores.memory import MemoryStore


class Passing:
    """Stands for a step between others."""

    def __init__(self, parts: StepParts) -> None: ...

    def __call__(self, table: pa.Table) -> pa.Table:
        return table


class Ending(Passing):
    """Stands for writing."""

    def __call__(self, table: pa.Table) -> pa.Table:
        items = [ticket.item for ticket in unpacked(table)]
        return packed(DocumentDone(Outcome(item.source.name, "indexed", item.id), 1, 1) for item in items)


class Idle(RayCluster):
    """The engine with its pools, of which nobody works."""

    def _pipeline(self, tickets: Any) -> Any:
        rows = self._rows(tickets)
        for step, count in (
            (Passing, self.pools.readers),
            (Passing, self.pools.embedders),
            (Ending, self.pools.writers),
        ):
            rows = rows.map_batches(step, **self._actors(count))
        return rows


def measure(files: int, workers: int = 1) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="bedside-cluster-") as kept, small_cluster(workers) as cluster:
        folder, settings = Path(kept) / "documents", Settings(data_dir=Path(kept) / "data")
        for number in range(files):
            path = folder / f"{number % 100:02}" / f"p{number}.pdf"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"%PDF-1.4 " + str(number).encode())
        embedder, store = CheapEmbedder(), MemoryStore(CheapEmbedder.dim)
        with joined(cluster.address) as ray, watching(cluster.address) as watched:
            engine = Idle(ray, StepParts(settings, OPENERS, (embedder.name, embedder.dim), folder), workers)
            began = time.monotonic()
            report = ingest(
                survey([folder]),
                settings=settings,
                documents_repo=MemoryDocuments(),
                store=store,
                embedder=embedder,
                engine=engine,
                progress=watched.passed,
            )
            seconds = time.monotonic() - began
    return {
        "files": report.indexed,
        "seconds": round(seconds, 1),
        "processor_seconds": round(watched.processor_seconds),
        "driver_peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "others_peak_mb": watched.others_mb,
        "object_store_peak_mb": watched.stored_mb,
        "on_the_way": watched.on_the_way,
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
