"""The engine that works on the files that must be read: this machine, or a cluster
(ingest/cluster). All around it (index.py) is the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from rag_api.config import cores
from rag_api.ingest.pipeline.read_item import read_item
from rag_api.ingest.pipeline.saving import batches, index_batch
from rag_api.ingest.sandbox.pool import ReaderPool
from rag_api.ingest.sources.run import Item, Run
from rag_api.ingest.sources.sources import SourceFile


class IngestEngine(Protocol):
    def look(self, run: Run, sources: Sequence[SourceFile]) -> None:
        """Take the digests of files where that is better done before it is asked for."""

    def index(self, run: Run, items: Iterator[Item]) -> None:
        """Read, cut, embed and save each, and say of each what became of it. Raises
        IngestionStopped."""


class OneMachine:
    """Several reader processes ahead of one embedder in this process."""

    def __init__(self, readers: int | None = None) -> None:
        self._readers = readers or cores()  # beside an embedder in this process they wait for it most of the time

    def look(self, run: Run, sources: Sequence[SourceFile]) -> None:
        return None

    def index(self, run: Run, items: Iterator[Item]) -> None:
        with ReaderPool(self._readers, run.settings.read_timeout, run.settings.read_memory_mb) as pool:
            for batch in batches(
                pool.map(lambda reader, item: read_item(run, reader, item), items, lambda item: item.bytes)
            ):
                run.go_on()
                index_batch(run, batch)
