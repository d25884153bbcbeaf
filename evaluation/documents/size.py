"""Growth of an ingestion's cost: many small files, or many pages in one file, through the whole of
it; seconds, memory, and how long the embedder waited for reading.

Files are made here. Vectors are the cheapest there are (an embedder's speed is known), or an
embedder's own; the store and the documents list are in memory, or LanceDB's index with a real
database in a folder that goes afterwards.
"""

from __future__ import annotations

import io
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reportlab.pdfgen.canvas import Canvas

from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.documents import PgDocuments
from rag_api.db.migrate import migrate
from rag_api.embed import Embedder, open_embedder
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.repository import DocumentsRepo, MemoryDocuments
from rag_api.ingest.sources.sources import survey
from rag_api.own_processes.postgres import EmbeddedPostgres
from rag_api.stores import Store, open_store
from rag_api.stores.memory import MemoryStore

_TEXT = (
    "infuuspomp katheter verpleegkundige controleert noteert dosering temperatuur saturatie bloeddruk arts afdeling "
    "spoelt wisselt "
    "dagelijks voorschrift apotheek toediening bewaking protocol voeding"
)
_WORDS = _TEXT.split()
LINES = 24  # a page


class CheapEmbedder:
    """Vectors from how often letters come; none waits for them."""

    name, dim = "cheapest", 16

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        counts = np.array(
            [np.bincount(np.frombuffer(text.encode(), np.uint8) % 16, minlength=16) + 1 for text in texts], np.float32
        )
        unit: NDArray[np.float32] = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return unit

    def query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.passages([text])[0]
        return vector


@dataclass
class TimedEmbedder:
    """An embedder, and when it worked. What lies between its first and its last call and is no call
    is waiting: for reading, or saving."""

    embedder: Embedder
    calls: list[tuple[float, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.name, self.dim = self.embedder.name, self.embedder.dim

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        start = time.monotonic()
        vectors = self.embedder.passages(texts)
        self.calls.append((start, time.monotonic()))
        return vectors

    def query(self, text: str) -> NDArray[np.float32]:
        return self.embedder.query(text)

    def busy(self) -> float:
        return sum(end - start for start, end in self.calls)

    def idle(self) -> float:
        return self.calls[-1][1] - self.calls[0][0] - self.busy() if self.calls else 0.0


def measure(
    files: Sequence[int], pages: Sequence[int], embedder: str, store: str, tell: Callable[[int], None]
) -> dict[str, dict[str, Any]]:
    """A row for each size, each in a process of its own: what one leaves in memory is not the next
    one's."""
    rows = {}
    for kind, count in [*(("files", count) for count in files), *(("pages", count) for count in pages)]:
        command = [sys.executable, "-m", "evaluation.documents.size", kind, str(count), embedder, store]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows[f"{count:,} {'small files' if kind == 'files' else 'pages in one file'}"] = json.loads(
            done.stdout.splitlines()[-1]
        )
        tell(count)
    return rows


def measure_one(kind: str, count: int, embedder: str, store: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="bedside-size-") as kept:
        folder = Path(kept) / "documents"
        write_files(folder, count if kind == "files" else 1, 1 if kind == "files" else count)
        settings = Settings(
            data_dir=Path(kept) / "data", embedder=embedder if embedder != "none" else "auto", store="memory"
        )
        timed = TimedEmbedder(CheapEmbedder() if embedder == "none" else open_embedder(settings))
        with _kept(store, settings, timed) as (repo, kept_in):
            start = time.monotonic()
            report = ingest(survey([folder]), settings=settings, documents_repo=repo, store=kept_in, embedder=timed)
            seconds, held = time.monotonic() - start, _held()
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": round(seconds, 1),
        "pages_per_second": round(report.pages / seconds, 1),
        "cpu_seconds": round(own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime, 1),
        "passages": report.chunks,
        "embedder_busy": round(timed.busy(), 1),
        "embedder_idle": round(timed.idle(), 1),
        "peak_mb": round(own.ru_maxrss / 1024),
        # of the greatest: a reader, or the one that tidied the index
        "children_peak_mb": round(children.ru_maxrss / 1024),
        **held,
        "failed": report.failed,
    }


def write_files(folder: Path, count: int, pages: int = 1, lines: int = LINES) -> None:
    """So many procedures, spread over a hundred folders."""
    for number in range(count):
        path = folder / f"{number % 100:02}" / f"p{number}.pdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_pdf(number, pages, lines))


@contextmanager
def _kept(store: str, settings: Settings, embedder: Embedder) -> Iterator[tuple[DocumentsRepo, Store]]:
    """The documents list and the index: in memory, or as a hospital has them."""
    if store == "memory":
        yield MemoryDocuments(), MemoryStore(embedder.dim)
        return
    server = EmbeddedPostgres(settings.data_dir / "postgres")
    dsn = server.start()
    try:
        migrate(dsn)
        with closing(Database(dsn)) as db:
            opened = open_store(settings.model_copy(update={"store": store}), embedder.name, embedder.dim)
            with closing(opened):
                yield PgDocuments(db), opened
    finally:
        server.stop()


def _held() -> dict[str, int]:
    """Megabytes in memory now: this process's own, and those of programs' files, which it shares.
    Nothing where Linux does not say."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return {}
    names = {"RssAnon:": "own_mb", "RssFile:": "files_mb"}
    return {
        names[first]: round(int(kilobytes) / 1024)
        for first, kilobytes, *_ in (line.split() for line in lines if line.startswith("Rss"))
        if first in names
    }


def _pdf(number: int, pages: int, lines: int) -> bytes:
    """A procedure of its own: a title, then pages of lines, no two alike."""
    drawn = np.random.default_rng(number)
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pageCompression=1)
    for page in range(pages):
        if page == 0:
            canvas.setFont("Helvetica-Bold", 16)
            canvas.drawString(60, 790, f"Procedure {number}: {_WORDS[number % len(_WORDS)]}")
        canvas.setFont("Helvetica", 10)
        for line in range(lines):
            words = " ".join(_WORDS[n] for n in drawn.integers(0, len(_WORDS), 9))
            canvas.drawString(60, 750 - 24 * line, f"{words.capitalize()} {number}.{page}.{line}.")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


if __name__ == "__main__":
    kind, count, embedder, store = sys.argv[1:5]
    print(json.dumps(measure_one(kind, int(count), embedder, store)))
