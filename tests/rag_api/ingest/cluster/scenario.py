"""An ingestion that is disturbed, step by step, and what it must come to: the index and the list of
one undisturbed run on one machine."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.documents.size import CheapEmbedder
from rag_api.db import Database
from rag_api.db.documents import PgDocuments
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.report import IngestReport
from rag_api.ingest.sources.repository import DocumentsRepo, MemoryDocuments
from rag_api.ingest.sources.sources import survey
from rag_api.stores import open_store
from rag_api.stores.copying import verify_copy
from rag_api.stores.memory import MemoryStore
from tests.rag_api.ingest.cluster.conftest import Place
from tests.rag_api.ingest.cluster.gate import Gate
from tests.rag_api.made_files.pdfs import procedure
from tests.support import weaviate_dev

POISON = "poison.pdf"
LONGEST = 240.0  # seconds for one step, on a machine that does much else


def fill(folder: Path, many: int, few: int) -> list[Path]:
    """A large folder, of which every tenth document bears a letterhead, and a small one; one
    document is poisoned."""
    for number in range(many):
        write(
            folder / "large" / f"p{number:03}.pdf",
            "Ziekenhuis De Brug" if number % 10 == 0 else f"Procedure {number}",
            number,
        )
    for number in range(few):
        write(folder / "small" / f"s{number}.pdf", f"Afspraak {number}", 1000 + number)
    (folder / "large" / POISON).write_bytes(b"%PDF-1.7\nno more than its beginning")
    return [folder / "large", folder / "small"]


def write(path: Path, title: str, number: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    about, record = chr(97 + number % 26) * 6, chr(97 + number // 26 % 26) * 5
    words = [f"Stap {step} van {about}: noteer {number * step} in {record} dossier." for step in range(9)]
    path.write_bytes(procedure(title, [f"Onderwerp {number}", *words]))


def known(repo: DocumentsRepo) -> dict[str, tuple[Any, ...]]:
    """What the list says, by name."""
    return {
        source: (
            one.id,
            one.sha256,
            one.status,
            one.reason,
            one.metadata,
            one.page_count,
            one.chunk_count,
            one.warnings,
        )
        for source, one in repo.current().items()
    }


def until(reached: Callable[[], bool], meanwhile: Callable[[], object] = lambda: None) -> None:
    deadline = time.monotonic() + LONGEST
    while not reached():
        assert time.monotonic() < deadline, "it does not go on"
        meanwhile()
        time.sleep(0.2)


@dataclass
class Disturbed:
    """Runs over the same documents on a cluster, and the store and list of the clean run on this
    machine that they must come to."""

    place: Place
    repo: PgDocuments
    gate: Gate
    clean: MemoryStore
    listed: MemoryDocuments
    local: IngestReport

    def written(self) -> int:
        return len(self.repo.current())

    def write_more(self, documents: int, driver: subprocess.Popen[str]) -> None:
        """Let it write so many more documents, or a table more than that."""
        goal = self.written() + documents

        def meanwhile() -> None:
            assert driver.poll() is None, driver.communicate()[1]
            self.gate.let()

        until(lambda: self.written() >= goal, meanwhile)
        assert self.written() < len(self.listed.current()), "nothing is left to disturb"

    def kill_worker(self) -> None:
        worker = self.place.worker
        assert self.gate.on(worker.node_id), "nothing of the run was on the node that is killed"
        self.place.cluster.remove_node(worker, allow_graceful=False)  # SIGKILL

    @contextmanager
    def store_away(self, seconds: float) -> Iterator[None]:
        began = time.monotonic()
        self.place.node[0].kill()
        yield
        time.sleep(max(0.0, seconds - (time.monotonic() - began)))
        self.place.node[0] = weaviate_dev.again(self.place.node[0])

    def kill(self, driver: subprocess.Popen[str]) -> None:
        assert driver.poll() is None, "it was done before it was killed"
        driver.kill()
        driver.communicate()

    def finish(self) -> dict[str, dict[str, Any]]:
        """The last run, which nobody disturbs. Returns what became of each document, by its
        name."""
        self.gate.open()
        return self.place.report(self.place.driver())

    def check(self) -> None:
        """Ids, counts, texts, titles and vectors are those of the clean run, nothing is there
        twice, and nothing else is there."""
        assert known(self.repo) == known(self.listed)
        assert self.repo.current()[POISON].reason == "broken"
        with closing(open_store(self.place.settings, CheapEmbedder.name, CheapEmbedder.dim)) as store:
            assert store.count() == self.clean.count() == self.local.chunks
            assert verify_copy(self.clean, store, lambda _: None) == self.local.chunks


@contextmanager
def disturbed(place: Place, folder: Path, many: int, few: int) -> Iterator[Disturbed]:
    place.folders = fill(folder, many, few)
    clean, listed = MemoryStore(CheapEmbedder.dim), MemoryDocuments()
    local = ingest(
        survey(place.folders),
        settings=place.settings,
        documents_repo=listed,
        store=clean,
        embedder=CheapEmbedder(),
        readers=1,
    )
    assert (local.indexed, local.failed) == (many + few, 1)
    with closing(Database(place.dsn)) as db:
        yield Disturbed(place, PgDocuments(db), Gate(place.settings.data_dir), clean, listed, local)
