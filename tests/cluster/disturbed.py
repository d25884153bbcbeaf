"""Whatever dies on the way, the index is that of one undisturbed run on one machine: `pytest tests/cluster/disturbed.py`.

Not collected by `make test`: it starts some twenty processes of Ray, and on a machine that is busy with other work it has not come to an
end so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from rag_api.bench.size import CheapEmbedder
from rag_api.db import Database
from rag_api.db.documents import PgDocuments, ask_to_stop
from rag_api.ingest import DocumentsRepo, MemoryDocuments, ingest, survey
from rag_api.stores import open_store
from rag_api.stores.copying import verify_copy
from rag_api.stores.memory import MemoryStore
from tests.cluster.conftest import Place
from tests.rag_api.pdfs import procedure
from tests.support import weaviate_dev

MANY, FEW = 80, 6  # documents of a large folder and of a small one
AWAY = 5.0  # seconds that the store is away


def fill(folder: Path) -> list[Path]:
    """A large folder, of which every tenth document bears a letterhead, and a small one; one document is poisoned."""
    for number in range(MANY):
        write(folder / "large" / f"p{number:03}.pdf", "Ziekenhuis De Brug" if number % 10 == 0 else f"Procedure {number}", number)
    for number in range(FEW):
        write(folder / "small" / f"s{number}.pdf", f"Afspraak {number}", 1000 + number)
    (folder / "large" / "poison.pdf").write_bytes(b"%PDF-1.7\nno more than its beginning")
    return [folder / "large", folder / "small"]


def write(path: Path, title: str, number: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    about, record = chr(97 + number % 26) * 6, chr(97 + number // 26 % 26) * 5
    words = [f"Stap {step} van {about}: noteer {number * step} in {record} dossier." for step in range(9)]
    path.write_bytes(procedure(title, [f"Onderwerp {number}", *words]))


def known(repo: DocumentsRepo) -> dict[str, tuple[Any, ...]]:
    """What the list says, by name."""
    return {
        source: (one.id, one.sha256, one.status, one.reason, one.metadata, one.page_count, one.chunk_count, one.warnings)
        for source, one in repo.current().items()
    }


def until(reached: Callable[[], bool], seconds: float = 240.0) -> None:
    deadline = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < deadline, "it does not go on"
        time.sleep(0.1)


def test_the_index_is_that_of_an_undisturbed_run(place: Place, tmp_path: Path) -> None:
    place.folders = fill(tmp_path / "documents")
    clean, listed = MemoryStore(CheapEmbedder.dim), MemoryDocuments()
    local = ingest(survey(place.folders), settings=place.settings, documents_repo=listed, store=clean, embedder=CheapEmbedder(), readers=1)
    assert (local.indexed, local.failed) == (MANY + FEW, 1)
    with closing(Database(place.dsn)) as db:
        repo = PgDocuments(db)

        def indexed() -> int:
            return len(repo.current())

        first = place.driver()
        until(lambda: indexed() >= 4)
        place.cluster.remove_node(place.worker, allow_graceful=False)  # SIGKILL
        until(lambda: indexed() >= 12)
        place.node[0].kill()
        time.sleep(AWAY)
        place.node[0] = weaviate_dev.again(place.node[0])
        until(lambda: indexed() >= 24)
        first.kill()
        first.communicate()
        assert indexed() < MANY + FEW, "it was done before it was killed"
        second = place.driver()
        until(lambda: indexed() >= 40)
        ask_to_stop(db)
        assert second.wait(60) != 0
        assert "The ingestion was stopped" in second.communicate()[1]
        assert indexed() < MANY + FEW, "it was done before it was stopped"
        last = place.report(place.driver())
        assert known(repo) == known(listed)
    assert last["poison.pdf"]["reason"] == "broken"
    assert sum(item["outcome"] == "unchanged" for item in last.values()) >= 39
    with closing(open_store(place.settings, CheapEmbedder.name, CheapEmbedder.dim)) as store:
        assert verify_copy(clean, store, lambda _: None) == local.chunks
