"""Costs and losses of quantised vectors in Weaviate, beside whole ones and against exact search,
while a collection grows.

The collection is the product's own, in the server that is configured. Chunks have a few words each
and are written in batches, two at a time, past what the store counts of words: it is the index of
vectors that is measured. Searches are the store's, by vectors alone, with its filters; beside their
recall stands that of the server's own list of ten.

The server trains product quantisation on vectors that are there. So it is switched on in the full
collection of whole vectors, and its row tells what that took.
"""

from __future__ import annotations

import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from weaviate.classes.config import Reconfigure

from evaluation.retrieval.corpus import CHUNKS_PER_DOCUMENT, Corpus, Generated
from evaluation.retrieval.recall import recall, true_nearest
from evaluation.retrieval.search import DIM, QUESTIONS, WARMING, Tell, own_store, quantile, size_of
from evaluation.service.processes import environment, processor_seconds, resident_mb
from rag_api.config import Settings
from rag_api.domain import Filters
from rag_api.errors import InvalidInput
from rag_api.stores.weaviate import WeaviateStore
from rag_api.stores.weaviate.schema import VECTOR, insert, objects_of

KINDS = ("none", "rotational", "product")
WORDS = (3, 7)  # of a chunk
TOGETHER = 5  # documents in one write
WRITERS = 2
ASKED = 100  # questions whose recall is measured
LOOK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class QuantisationRow:
    chunks: int
    vectors: str  # clustered or random
    quantisation: str
    recall_10: float  # of the true 10 nearest, how many the store finds: it lists 100 and scores them by whole vectors
    recall_100: float
    recall_10_server: float  # of the list of ten that the server gives
    p50_ms: float
    p95_ms: float
    server_ms: float  # processor time of the server for a search, mean
    written: int  # since the row before; fewer than there are more where an earlier run wrote
    writing_seconds: float  # or training and recoding, for product quantisation
    server_writing_seconds: float  # of its processor
    server_mb: int  # in memory, at the end
    disk_mb: int

    def json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Spent:
    written: int
    seconds: float
    server_seconds: float


@dataclass(frozen=True, slots=True)
class _Asked:
    """The same questions to every collection."""

    timed: NDArray[np.float32]
    judged: NDArray[np.float32]
    true: dict[int, NDArray[np.float32]]
    superseded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WeaviateProcess:
    """Weaviate's process on this machine; of another machine's (0) nothing is told."""

    pid: int = 0

    def processor_seconds(self) -> float:
        return processor_seconds(self.pid)

    def memory_mb(self) -> int:
        return resident_mb(self.pid)

    def disk_mb(self, collection: str) -> int:
        data = environment(self.pid).get("PERSISTENCE_DATA_PATH")
        return size_of(Path(data) / collection.lower()) >> 20 if data else 0


def measure(
    settings: Settings,
    sizes: Sequence[int],
    kinds: Sequence[str] = KINDS,
    *,
    clustered: bool = True,
    pid: int = 0,
    keep: bool = False,
    tell: Tell = lambda done: None,
) -> Iterator[QuantisationRow]:
    """A row for each size and kind as soon as it is there; of product quantisation one for the
    greatest size. keep: collections stay, for a later run to ask again or to go on with. Raises
    InvalidInput."""
    if any(size <= 0 or size % CHUNKS_PER_DOCUMENT for size in sizes):
        raise InvalidInput(f"sizes are multiples of {CHUNKS_PER_DOCUMENT} chunks, a document each")
    if unknown := set(kinds) - set(KINDS):
        raise InvalidInput(f"no quantisation {sorted(unknown)[0]!r}: choose of {', '.join(KINDS)}")
    corpus = Corpus(DIM, clustered=clustered, lengths=WORDS)
    asked, server = _questions(corpus, sizes), WeaviateProcess(pid)
    for built in ("none", "rotational"):
        wanted = [kind for kind in kinds if kind == built or (kind == "product" and built == "none")]
        if not wanted:
            continue
        name = f"Bench{built.capitalize()}{'Clustered' if clustered else 'Random'}"
        own = settings.model_copy(update={"store": "weaviate", "weaviate_quantisation": built})
        with (
            tempfile.TemporaryDirectory(prefix="bedside-bench-") as place,
            own_store(own, Path(place), "generated", DIM, name, keep) as store,
        ):
            assert isinstance(store, WeaviateStore)
            for row in _grown(store, corpus, asked, server, sizes, wanted, tell):
                yield replace(row, vectors="clustered" if clustered else "random")


def _questions(corpus: Corpus, sizes: Sequence[int]) -> _Asked:
    vectors = np.stack([vector for _, vector in corpus.questions(ASKED + WARMING + QUESTIONS)])
    judged = vectors[:ASKED]
    superseded = tuple(document.id for document in corpus.documents(2 * CHUNKS_PER_DOCUMENT))
    return _Asked(vectors[ASKED:], judged, true_nearest(corpus, sizes, judged), superseded)


def _grown(
    store: WeaviateStore,
    corpus: Corpus,
    asked: _Asked,
    server: WeaviateProcess,
    sizes: Sequence[int],
    kinds: Sequence[str],
    tell: Tell,
) -> Iterator[QuantisationRow]:
    for size in sorted(sizes):
        spent = fill(store, corpus, size, server, tell)
        for kind in kinds:
            if kind != "product":
                yield _row(store, asked, server, size, kind, spent)
    if "product" in kinds:
        spent = _train(store, server)
        yield _row(store, asked, server, max(sizes), "product", spent)


def fill(store: WeaviateStore, corpus: Corpus, size: int, server: WeaviateProcess, tell: Tell) -> _Spent:
    """Raises InvalidInput where there are others already."""
    present = store.document_ids() if store.count() else set()
    if present - {corpus.document_id(number) for number in range(size // CHUNKS_PER_DOCUMENT)}:
        raise InvalidInput(f"the collection {store.name} has more than {size:,} chunks already")
    if store.count() != CHUNKS_PER_DOCUMENT * len(present):
        present = set()  # a write was cut short, of whichever
    done, began, worked = CHUNKS_PER_DOCUMENT * len(present), time.perf_counter(), server.processor_seconds()
    write_documents(store, corpus.documents(size, left_out=present), done, tell)
    return _Spent(size - done, time.perf_counter() - began, server.processor_seconds() - worked)


def write_documents(store: WeaviateStore, documents: Iterator[Generated], done: int, tell: Tell) -> None:
    def write(group: list[Generated]) -> int:
        objects = [one for document in group for one in objects_of(document.chunks, document.vectors)]
        store.connection.do(lambda client: insert(client.collections.get(store.name), objects))
        return len(objects)

    with ThreadPoolExecutor(WRITERS) as pool:
        under_way: deque[Future[int]] = deque()
        while group := list(islice(documents, TOGETHER)):
            if len(under_way) > WRITERS:
                tell(done := done + under_way.popleft().result())
            under_way.append(pool.submit(write, group))
        for one in under_way:
            tell(done := done + one.result())


def _train(store: WeaviateStore, server: WeaviateProcess) -> _Spent:
    """Return when all vectors are in the new codes."""
    began, worked = time.perf_counter(), server.processor_seconds()
    quantiser = Reconfigure.VectorIndex.Quantizer.pq()
    to = Reconfigure.Vectors.update(name=VECTOR, vector_index_config=Reconfigure.VectorIndex.hnsw(quantizer=quantiser))
    if not _is_compressed(store):
        store.connection.do(lambda client: client.collections.get(store.name).config.update(vector_config=to))
    while not _is_compressed(store):
        time.sleep(LOOK_SECONDS)
    return _Spent(0, time.perf_counter() - began, server.processor_seconds() - worked)


def _is_compressed(store: WeaviateStore) -> bool:
    nodes = store.connection.do(lambda client: client.cluster.nodes(store.name, output="verbose"))
    return all(
        shard.compressed and shard.vector_indexing_status == "READY" for node in nodes for shard in node.shards or []
    )


def _row(
    store: WeaviateStore, asked: _Asked, server: WeaviateProcess, size: int, kind: str, spent: _Spent
) -> QuantisationRow:
    def found(vector: NDArray[np.float32], nearest: int) -> list[float]:
        return [hit.dense_score for hit in store.search("", vector, nearest, Filters(), 1.0)]

    def listed(vector: NDArray[np.float32], nearest: int) -> list[float]:
        return [float(np.dot(one.vector[VECTOR], vector)) for one in store.nearest(vector, None, nearest)]

    true = asked.true[size]
    times, server_ms = _times(store, asked, server)
    return QuantisationRow(
        chunks=size,
        vectors="",
        quantisation=kind,
        recall_10=recall(asked.judged, true, 10, found),
        recall_100=recall(asked.judged, true, 100, found),
        recall_10_server=recall(asked.judged, true, 10, listed),
        p50_ms=quantile(times, 0.5),
        p95_ms=quantile(times, 0.95),
        server_ms=server_ms,
        written=spent.written,
        writing_seconds=round(spent.seconds, 1),
        server_writing_seconds=round(spent.server_seconds, 1),
        server_mb=server.memory_mb(),
        disk_mb=server.disk_mb(store.name),
    )


def _times(store: WeaviateStore, asked: _Asked, server: WeaviateProcess) -> tuple[list[float], float]:
    """Milliseconds of each search, and the server's processor for one."""
    filters, times, worked = Filters(valid_on=date.today(), excluded_document_ids=asked.superseded), [], 0.0
    for number, vector in enumerate(asked.timed):
        if number == WARMING:
            worked = server.processor_seconds()
        began = time.perf_counter()
        store.search("", vector, 7, filters, 1.0)
        times.append(1000 * (time.perf_counter() - began))
    return times[WARMING:], round(1000 * (server.processor_seconds() - worked) / QUESTIONS, 1)
