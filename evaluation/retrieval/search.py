"""Time of one question's retrieval without the embedder, over generated chunks, and cost of the
index.

Measured as a user has it: the search of `retrieve()` with its filters (who may read, valid today,
two superseded documents left out), one question after another, the questions all different.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.retrieval.corpus import Corpus
from evaluation.retrieval.recall import recall, true_nearest
from rag_api.config import Settings
from rag_api.domain import Filters
from rag_api.errors import InvalidInput
from rag_api.stores import Store, open_store

DIM = 384  # multilingual-e5-small's
QUESTIONS = 200
WARMING = 100  # other questions before those that are timed: a service in use has its frequent terms in memory
TOGETHER = 50  # documents, 5,000 chunks, in one commit of LanceDB
FREE_BYTES_PER_CHUNK = 20_000  # of disk; LanceDB keeps 11,000, and older versions for ten minutes while it is loaded
NAME = "Bench"
ALPHA = 0.65  # of the default embedder
Tell = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class SearchFigures:
    chunks: int
    store: str
    p50_ms: float
    p95_ms: float
    # processor time of this process, all threads: it says something on a busy machine too; a
    # server's is not in it
    cpu_p50_ms: float
    cpu_p95_ms: float
    index_seconds: float  # all writes, the indexes brought up to date at the end; without making the corpus
    index_cpu_seconds: float  # processor time of this process for it
    bytes: int  # on disk; 0 where the store is another machine's
    recall: float  # of the true 100 nearest vectors, how many are among the 100 found; mean of 20 questions
    recall_10: float  # of the true 10 among the 10 found
    vectors: str  # clustered or random

    def json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def measure(
    settings: Settings,
    chunks: int,
    folder: Path | None = None,
    tell: Tell = lambda done: None,
    *,
    clustered: bool = True,
) -> SearchFigures:
    """folder: where LanceDB's index is put, and left for the next run: it is used as it is, or
    finished when it was interrupted. A temporary one that is removed, when absent."""
    corpus = Corpus(DIM, clustered=clustered)
    with _place(settings, chunks, folder) as place:
        with own_store(settings, place, "generated", DIM) as store:
            spent = _fill(store, corpus, chunks, place, tell)
            elapsed, processor = _times(store, corpus)
            recall, recall_10 = _recalls(store, corpus, chunks)
        return SearchFigures(
            chunks,
            settings.store,
            p50_ms=quantile(elapsed, 0.5),
            p95_ms=quantile(elapsed, 0.95),
            cpu_p50_ms=quantile(processor, 0.5),
            cpu_p95_ms=quantile(processor, 0.95),
            index_seconds=round(spent.elapsed, 1),
            index_cpu_seconds=round(spent.processor, 1),
            bytes=size_of(place / "index"),  # of the closed store: nothing of it is in a log any more
            recall=recall,
            recall_10=recall_10,
            vectors="clustered" if clustered else "random",
        )


@contextmanager
def _place(settings: Settings, chunks: int, folder: Path | None) -> Iterator[Path]:
    place = folder or Path(tempfile.mkdtemp(prefix="bedside-bench-"))
    place.mkdir(parents=True, exist_ok=True)
    try:
        needed = chunks * FREE_BYTES_PER_CHUNK
        if settings.store == "lance" and not any(place.glob("index/*")) and shutil.disk_usage(place).free < needed:
            raise InvalidInput(f"{chunks:,} chunks need {needed / 2**30:.1f} GB of free disk at {place}")
        yield place
    finally:
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)


@contextmanager
def own_store(
    settings: Settings, place: Path, embedder_name: str, dim: int, collection: str = NAME, keep: bool = False
) -> Iterator[Store]:
    """An index of its own: yours is not touched. Dropped at the end, but for LanceDB's folder and a
    collection that is kept."""
    own = settings.model_copy(update={"data_dir": place, "weaviate_collection": collection, "index": ""})
    store = open_store(own, embedder_name, dim)
    try:
        yield store
    finally:
        if settings.store == "weaviate" and not keep:
            from rag_api.stores.weaviate import WeaviateStore

            assert isinstance(store, WeaviateStore)
            store.drop()
        store.close()


@dataclass(slots=True)
class _SearchSpent:
    """On writing, in a file beside the index: a run that was interrupted is counted too."""

    path: Path
    elapsed: float = 0.0
    processor: float = 0.0
    finished: bool = False

    @contextmanager
    def counted(self) -> Iterator[None]:
        began, worked = time.perf_counter(), time.process_time()
        yield
        self.elapsed += time.perf_counter() - began
        self.processor += time.process_time() - worked

    def keep(self) -> None:
        self.path.write_text(
            json.dumps({"elapsed": self.elapsed, "processor": self.processor, "finished": self.finished}),
            encoding="utf-8",
        )


def _fill(store: Store, corpus: Corpus, chunks: int, place: Path, tell: Tell) -> _SearchSpent:
    path = place / "spent.json"
    present = store.document_ids() if store.count() else set()
    spent = (
        _SearchSpent(path, **json.loads(path.read_text(encoding="utf-8")))
        if present and path.exists()
        else _SearchSpent(path)
    )
    if spent.finished and store.count() == chunks:
        return spent
    spent.finished, done = False, 0
    documents = corpus.documents(chunks)
    while group := list(islice(documents, TOGETHER)):
        new = [(document.id, document.chunks, document.vectors) for document in group if document.id not in present]
        if new:
            with spent.counted():
                store.replace_documents(new)
            spent.keep()
        done += sum(len(document.chunks) for document in group)
        tell(done)
    with spent.counted():
        _finish(store)
    spent.finished = True
    spent.keep()
    return spent


def _finish(store: Store) -> None:
    """The indexes brought up to date; of LanceDB's files, those of older versions gone: they are
    kept for ten minutes otherwise."""
    from rag_api.stores.lance import LanceStore

    store.tidy()
    if isinstance(store, LanceStore):
        store.forget_older_versions()


def _times(store: Store, corpus: Corpus) -> tuple[list[float], list[float]]:
    """Milliseconds of each question: elapsed, and of the processor."""
    superseded = tuple(document.id for document in corpus.documents(200))[:2]
    filters = Filters(valid_on=date.today(), excluded_document_ids=superseded)
    elapsed, processor = [], []
    for text, vector in corpus.questions(WARMING + QUESTIONS):
        began, worked = time.perf_counter(), time.process_time()
        store.search(text, vector, 7, filters, ALPHA)
        elapsed.append(1000 * (time.perf_counter() - began))
        processor.append(1000 * (time.process_time() - worked))
    return elapsed[WARMING:], processor[WARMING:]


def quantile(times: list[float], share: float) -> float:
    return round(float(np.quantile(times, share)), 2)


def _recalls(store: Store, corpus: Corpus, chunks: int, questions: int = 20) -> tuple[float, float]:
    """Of the true 100 nearest, and of the true 10."""
    asked = np.stack([vector for _, vector in corpus.questions(questions)])
    true = true_nearest(corpus, [chunks], asked)[chunks]

    def find(vector: NDArray[np.float32], nearest: int) -> list[float]:
        return [hit.dense_score for hit in store.search("", vector, nearest, Filters(), 1.0)]

    return recall(asked, true, 100, find), recall(asked, true, 10, find)


def size_of(place: Path) -> int:
    """Bytes of all files below."""
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
