"""The steps of the pools, one by one, without a cluster: what passes, what is given up, what is
waited for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner, Result

from evaluation.documents.size import CheapEmbedder
from rag_api.cli.app import app
from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.documents import PgDocuments
from rag_api.domain import Contents, DocumentStatus
from rag_api.errors import ConfigurationError, IngestionStopped, StoreUnavailable, Unavailable
from rag_api.ingest.cluster import steps
from rag_api.ingest.cluster.connect import check_settings, joined
from rag_api.ingest.cluster.engine import Pools
from rag_api.ingest.cluster.fair import in_turns
from rag_api.ingest.cluster.rows import DocumentDone, Ticket, packed, unpacked
from rag_api.ingest.cluster.steps import MOST_TRIES, EmbeddingStep, Openers, ReadingStep, StepParts, Writing
from rag_api.ingest.pipeline import saving
from rag_api.ingest.pipeline.changed import fingerprint_of
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.pipeline.letterheads import settle_shared
from rag_api.ingest.pipeline.read_item import read_item
from rag_api.ingest.sources import retries
from rag_api.ingest.sources.object_survey import survey_url
from rag_api.ingest.sources.repository import MemoryDocuments
from rag_api.ingest.sources.retries import retried
from rag_api.ingest.sources.run import Item, Run
from rag_api.ingest.sources.sources import KeptFiles, SourceFile, document_id, find_sources, sha256_of, survey
from rag_api.stores.memory import MemoryStore
from tests.rag_api.made_files.pdfs import procedure
from tests.support.waiting import until


class Refusing(MemoryStore):
    """A store that does not take passages with a certain word, and may be away."""

    def __init__(self, dim: int, word: str = "", away: int = 0) -> None:
        super().__init__(dim)
        self.word, self.away = word, away

    def replace_documents(self, documents: Sequence[Contents]) -> None:
        self._refuse_when_away()
        if self.word and any(self.word in chunk.text for _, chunks, _ in documents for chunk in chunks):
            raise StoreUnavailable("the store refused 1 of 1 chunks")
        super().replace_documents(documents)

    def count(self) -> int:
        self._refuse_when_away()
        return super().count()

    def _refuse_when_away(self) -> None:
        if self.away > 0:
            self.away -= 1
            raise StoreUnavailable("the store does not answer")


class Line:
    """Reader, embedder and writer one after another, as Ray connects them."""

    def __init__(self, folder: Path, store: MemoryStore) -> None:
        self.folder, self.store, self.repo = folder / "documents", store, MemoryDocuments()
        self.folder.mkdir()
        token = folder / "token"
        token.touch()
        self.settings = Settings(data_dir=folder / "data", read_timeout=30)
        openers = Openers(lambda _: self.repo, lambda *_: self.store, lambda _: CheapEmbedder())
        self.parts = StepParts(self.settings, openers, (CheapEmbedder.name, CheapEmbedder.dim), token)

    def write(self, name: str, word: str) -> None:
        (self.folder / name).write_bytes(
            procedure(f"Procedure {name}", [f"De {word} staat klaar in kamer {n}." for n in range(4)])
        )

    def items(self) -> Iterator[Item]:
        for source in find_sources([self.folder]):
            sha256, size = sha256_of(source)
            yield Item(
                source,
                sha256,
                size,
                fingerprint_of(self.settings, CheapEmbedder(), source),
                None,
                document_id(source.name, sha256),
            )

    def begun(self) -> int:
        """How many readings of its documents have begun and not ended."""
        ids = [item.id for item in self.items()]
        before = sum(self.repo.begin_reading(one) - 1 for one in ids)
        self.repo.end_reading(ids)
        return before

    def run(self) -> dict[str, DocumentDone]:
        reading, embedding, writing = ReadingStep(self.parts), EmbeddingStep(self.parts), Writing(self.parts)
        tickets = packed(Ticket(item, {}, None, None) for item in self.items())
        try:
            done = [one for table in reading(tickets) for one in unpacked(writing(embedding(table)))]
        finally:
            reading.close()
        return {one.outcome.source: one for one in done}


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST", 0.0)


def test_what_is_read_stands_in_the_store_and_in_the_list(tmp_path: Path) -> None:
    line = Line(tmp_path, MemoryStore(CheapEmbedder.dim))
    line.write("een.pdf", "pomp")
    line.write("twee.pdf", "naald")
    (line.folder / "gif.pdf").write_bytes(b"%PDF-1.7\nbroken")
    done = line.run()
    assert {name: one.outcome.outcome for name, one in done.items()} == {
        "een.pdf": "indexed",
        "gif.pdf": "failed",
        "twee.pdf": "indexed",
    }
    assert done["gif.pdf"].outcome.reason == "broken"
    assert sum(one.chunks for one in done.values()) == line.store.count() == 2
    assert line.repo.current()["gif.pdf"].status == DocumentStatus.FAILED
    assert line.begun() == 0, "nothing is left that would count against a document"


def test_a_document_that_the_store_refuses_is_given_up_and_its_neighbours_are_not(tmp_path: Path) -> None:
    line = Line(tmp_path, Refusing(CheapEmbedder.dim, word="giftige"))
    line.write("een.pdf", "pomp")
    line.write("giftig.pdf", "giftige")
    done = line.run()
    assert (done["een.pdf"].outcome.outcome, done["giftig.pdf"].outcome.outcome) == ("indexed", "failed")
    assert done["giftig.pdf"].outcome.reason == line.repo.current()["giftig.pdf"].reason == "not_indexed"
    assert "the index does not take its passages" in done["giftig.pdf"].outcome.message


def test_a_store_that_is_away_is_waited_for_and_nothing_is_given_up(tmp_path: Path) -> None:
    line = Line(tmp_path, Refusing(CheapEmbedder.dim, away=40))
    line.write("een.pdf", "pomp")
    assert line.run()["een.pdf"].outcome.outcome == "indexed"


def test_a_document_whose_reader_is_lost_again_and_again_is_given_up(tmp_path: Path) -> None:
    line = Line(tmp_path, MemoryStore(CheapEmbedder.dim))
    line.write("een.pdf", "pomp")
    line.write("twee.pdf", "naald")
    deadly = next(item.id for item in line.items() if item.source.name == "een.pdf")
    for _ in range(MOST_TRIES):
        line.repo.begin_reading(deadly)
    done = line.run()
    assert (done["een.pdf"].outcome.reason, done["twee.pdf"].outcome.outcome) == ("not_indexed", "indexed")
    assert line.begun() == 0
    assert line.run()["een.pdf"].outcome.outcome == "indexed"  # the next run tries it again


def test_a_document_that_was_read_and_lost_before_it_was_written_is_not_given_up(tmp_path: Path) -> None:
    """With its machine, its driver, or by somebody who stopped the run: however often."""
    line = Line(tmp_path, MemoryStore(CheapEmbedder.dim))
    line.write("een.pdf", "pomp")
    reading = ReadingStep(line.parts)
    for _ in range(2 * MOST_TRIES):
        read = [
            one
            for table in reading(packed(Ticket(item, {}, None, None) for item in line.items()))
            for one in unpacked(table)
        ]
        assert [one.error for one in read] == [None]
    reading.close()
    assert line.run()["een.pdf"].outcome.outcome == "indexed"


def test_a_database_that_is_away_while_a_document_is_read_counts_against_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = Line(tmp_path, MemoryStore(CheapEmbedder.dim))
    line.write("een.pdf", "pomp")
    away = iter(range(2 * MOST_TRIES))

    def unlucky(run: Run, reader: Any, item: Item) -> Any:
        if next(away, None) is not None:
            raise Unavailable("the database does not answer")
        return read_item(run, reader, item)

    monkeypatch.setattr(steps, "read_item", unlucky)
    assert line.run()["een.pdf"].outcome.outcome == "indexed"


def test_a_document_that_breaks_our_own_code_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line(tmp_path, MemoryStore(CheapEmbedder.dim))

    def broken(run: Run, reader: Any, item: Item) -> Any:
        if item.source.name == "een.pdf":
            raise ZeroDivisionError
        return read_item(run, reader, item)

    monkeypatch.setattr(steps, "read_item", broken)
    line.write("een.pdf", "pomp")
    line.write("twee.pdf", "naald")
    done = line.run()
    assert (done["een.pdf"].outcome.reason, done["twee.pdf"].outcome.outcome) == ("not_indexed", "indexed")
    assert "ZeroDivisionError" in done["een.pdf"].outcome.message


def test_a_letterhead_that_no_machine_saw_alone_is_found_when_all_is_there(tmp_path: Path) -> None:
    """Each of three documents under one title was written by somebody who knew nothing of the
    others."""
    line = Line(tmp_path, MemoryStore(CheapEmbedder.dim))
    words = [
        "pomp spoelen druppelen infuus leiding",
        "naald prikken ontsmetten huid watten",
        "bed wassen lakens spreien kussen",
    ]
    for number, own in enumerate(words):
        (line.folder / f"p{number}.pdf").write_bytes(
            procedure("Ziekenhuis De Brug", [f"{own} stap {n}" for n in range(6)])
        )
    bearers = line.repo.bearers
    line.repo.bearers = lambda keys: {}  # type: ignore[method-assign]
    for item in list(line.items()):
        reading = ReadingStep(line.parts)
        for table in reading(packed([Ticket(item, {}, None, None)])):
            Writing(line.parts)(EmbeddingStep(line.parts)(table))
        reading.close()
    assert {one.metadata.title for one in line.repo.current().values()} == {"Ziekenhuis De Brug"}
    line.repo.bearers = bearers  # type: ignore[method-assign]
    run = Run(line.settings, line.repo, line.store, CheapEmbedder(), KeptFiles(line.settings.data_dir), None, 0)
    settle_shared(run)
    titles = {source: one.metadata.title for source, one in line.repo.current().items()}
    assert "Ziekenhuis De Brug" not in titles.values()
    assert {chunk.title for one in line.repo.current().values() for chunk in line.store.chunks_of(one.id)[0]} == set(
        titles.values()
    )


def test_machines_that_do_not_see_the_same_data_directory_are_refused(tmp_path: Path) -> None:
    line = Line(tmp_path, MemoryStore(CheapEmbedder.dim))
    with pytest.raises(ConfigurationError, match="not the same folder on all machines"):
        ReadingStep(replace(line.parts, token=tmp_path / "elsewhere"))


def test_retries_end() -> None:
    tries = []

    def act() -> None:
        tries.append(1)
        raise Unavailable("away")

    with pytest.raises(Unavailable):
        retried(act, seconds=-1.0)
    assert len(tries) == 1


def test_a_huge_folder_does_not_hold_back_a_small_one(tmp_path: Path) -> None:
    def item(folder: str, number: int) -> Item:
        return Item(SourceFile(f"{folder}{number}", tmp_path, folder=folder), "", 0, "", None, "")

    order = [
        one.source.name
        for one in in_turns([*(item("large", n) for n in range(5)), *(item("small", n) for n in range(2))])
    ]
    assert order == ["large0", "small0", "large1", "small1", "large2", "large3", "large4"]
    assert list(in_turns([])) == []


def test_a_core_has_a_reader_and_an_embedder_and_a_gpu_is_an_embedders() -> None:
    assert Pools.of({"CPU": 8.0}) == Pools(8, 8, 4)
    assert Pools.of({"CPU": 1.0}) == Pools(1, 1, 1)
    assert Pools.of({"CPU": 16.0, "GPU": 2.0}) == Pools(16, 2, 8, gpus=True)
    assert Pools.of({"CPU": 8.0}, workers=1) == Pools(1, 1, 1)


@pytest.mark.parametrize(
    ("said", "why"), [({"store": "lance"}, "index copy"), ({"store": "memory"}, "WEAVIATE|weaviate")]
)
def test_a_store_of_one_machine_is_refused_with_the_way_out(said: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        check_settings(Settings(**said))
    with pytest.raises(ConfigurationError, match="BEDSIDE_DATABASE_URL"):
        check_settings(Settings(store="weaviate", weaviate_url="http://w:8080"))


def test_an_installation_without_ray_is_told_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'bedside\[ray\]'"), joined("auto"):
        pass


def test_the_local_path_imports_no_ray(tmp_path: Path) -> None:
    """Not by the command line, not by the service, and not by an ingestion from beginning to
    end."""
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.txt").write_text("De pomp staat klaar.\n")
    code = f"""
import sys
from pathlib import Path
import rag_api.cli.app, rag_api.cli.content.ingest, rag_api.main
from evaluation.documents.size import CheapEmbedder
from rag_api.config import Settings
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.repository import MemoryDocuments
from rag_api.ingest.sources.sources import survey
from rag_api.stores.memory import MemoryStore
settings = Settings(data_dir=Path({str(tmp_path / "data")!r}))
report = ingest(survey([Path({str(tmp_path / "documents")!r})]), settings=settings, documents_repo=MemoryDocuments(),
                store=MemoryStore(16), embedder=CheapEmbedder())
assert report.indexed == 1, report
assert not [name for name in sys.modules if name.split(".")[0] in ("ray", "pandas")]
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class TestUrls:
    def test_are_looked_through_as_folders_are(self, tmp_path: Path) -> None:
        folder = tmp_path / "documents"
        (folder / "icu" / ".git").mkdir(parents=True)
        for name in ("a.pdf", "icu/b.pdf", "icu/c.exe", "icu/.hidden.pdf", "icu/.git/d.pdf"):
            (folder / name).write_bytes(procedure(name, ["De pomp staat klaar."]))
        (folder / "icu" / "metadata.csv").write_text("source,department\nb.pdf,Intensieve\nweg.pdf,Niets\n")
        here, there = survey([folder]), survey_url(f"file://{folder}/")
        assert [(one.name, one.given) for one in there.files] == [(one.name, one.given) for one in here.files]
        assert {(one.kind, one.count) for one in there.skipped} >= {(".exe", 1), ("hidden", 1)}
        assert there.folders == (f"file://{folder}",)
        assert len(there.notes) == len(here.notes) == 1
        assert [sha256_of(one) for one in there.files] == [sha256_of(one) for one in here.files]

    def test_are_fetched_when_they_are_read(self, tmp_path: Path) -> None:
        line = Line(tmp_path, MemoryStore(CheapEmbedder.dim))
        line.write("een.pdf", "pomp")
        source = survey_url(f"file://{line.folder}").files[0]
        sha256, size = sha256_of(source)
        item = Item(source, sha256, size, "", None, document_id(source.name, sha256))
        reading = ReadingStep(line.parts)
        (read,) = [one for table in reading(packed([Ticket(item, {}, None, None)])) for one in unpacked(table)]
        reading.close()
        assert read.error is None
        assert (
            KeptFiles(line.settings.data_dir).path(sha256, ".pdf").read_bytes()
            == (line.folder / "een.pdf").read_bytes()
        )

    def test_that_lead_nowhere_are_said(self, tmp_path: Path) -> None:
        with pytest.raises(Unavailable, match="there is no such folder"):
            survey_url(f"file://{tmp_path}/weg")
        with pytest.raises(ConfigurationError, match="nosuch"):
            survey_url("nosuch://bucket/documents")


class TestCommand:
    @pytest.fixture
    def bedside(self, tmp_path: Path, dsn: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
        for name, value in {
            "DATA_DIR": str(tmp_path / "data"),
            "DATABASE_URL": dsn,
            "STORE": "lance",
            "LOG_LEVEL": "info",
        }.items():
            monkeypatch.setenv(f"BEDSIDE_{name}", value)
        return lambda *arguments: CliRunner().invoke(app, list(arguments))

    def test_refuses_lancedb_before_any_machine_is_asked(self, bedside: Callable[..., Result], tmp_path: Path) -> None:
        done = bedside("ingest", str(tmp_path), "--ray", "auto")
        assert done.exit_code == 1
        assert "BEDSIDE_STORE=lance is one machine's" in done.stderr

    def test_watches_nothing_from_a_cluster(self, bedside: Callable[..., Result], tmp_path: Path) -> None:
        assert bedside("ingest", str(tmp_path), "--ray", "auto", "--watch").exit_code == 2

    def test_stops_who_ingests_and_says_when_nobody_does(self, bedside: Callable[..., Result], db: Database) -> None:
        assert "Nothing is being ingested" in bedside("ingest", "--stop").stderr
        repo = PgDocuments(db)
        with repo.lock():
            assert "Asked to stop" in bedside("ingest", "--stop").stderr
            until(repo.asked_to_stop)


def test_an_ingestion_on_one_machine_stops_when_it_is_asked_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = Line(tmp_path, MemoryStore(CheapEmbedder.dim))
    for number in range(6):
        line.write(f"p{number}.pdf", "pomp")

    class Asking(CheapEmbedder):
        def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
            line.repo.stop_asked = True
            return super().passages(texts)

    parts: dict[str, Any] = {"settings": line.settings, "documents_repo": line.repo, "store": line.store, "readers": 1}
    monkeypatch.setattr(saving, "BATCH", 2)
    with pytest.raises(IngestionStopped):
        ingest(survey([line.folder]), embedder=Asking(), **parts)
    done = len(line.repo.current())
    assert 0 < done < 6
    report = ingest(survey([line.folder]), embedder=CheapEmbedder(), **parts)
    assert (report.unchanged, report.indexed) == (done, 6 - done)
