"""Ingestion of a folder: documents, changes, unreadable files and limits."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from reportlab.lib import pdfencrypt

from rag_api.config import Settings
from rag_api.domain import CutLine, DocumentStatus, Progress
from rag_api.errors import EmbedderUnavailable, InvalidInput, UnreadableDocument
from rag_api.ingest.common.job import Job
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.readers.read import PDF
from rag_api.ingest.sandbox.reader_process import ReaderProcess
from rag_api.ingest.sources.report import IngestReport
from rag_api.ingest.sources.repository import MemoryDocuments
from rag_api.ingest.sources.sources import KeptFiles, SourceFile, find_sources, survey
from rag_api.stores.memory import MemoryStore
from tests.rag_api.ingest.kept import Durable, Embedder
from tests.rag_api.ingest.pdf.test_annotations import annotated, form
from tests.rag_api.made_files.pdfs import HANDBOOK, both, lines, pdf, procedure, write
from tests.rag_api.made_files.unseen import RAW_HIDDEN, RAW_VISIBLE
from tests.support.waiting import until

BODY = ["De verpleegkundige controleert de infuuspomp om het uur.", "Bij twijfel wordt de arts van wacht gebeld."]


class Place:
    """A folder of documents, and what ingesting it fills."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "documents"
        self.folder.mkdir()
        self.settings = Settings(data_dir=tmp_path / "data", read_timeout=30)
        self.repo, self.store, self.embedder = MemoryDocuments(), MemoryStore(8), Embedder()

    def write(self, name: str, content: bytes) -> Path:
        return write(self.folder, name, content)

    def ingest(
        self, retire_missing: bool = False, progress: Callable[[Progress], None] | None = None, confirmed: bool = False
    ) -> IngestReport:
        return ingest(
            survey([self.folder]),
            settings=self.settings,
            documents_repo=self.repo,
            store=self.store,
            embedder=self.embedder,
            progress=progress,
            retire_missing=retire_missing,
            confirmed=confirmed,
            readers=1,
        )

    def document(self, source: str):  # type: ignore[no-untyped-def]
        return self.repo.current()[source]

    def check(self) -> None:
        """The store holds the chunks of the indexed documents and nothing else."""
        indexed = {d.id: d for d in self.repo.current().values() if d.status == DocumentStatus.INDEXED}
        assert self.store.document_ids() == set(indexed)
        assert self.store.count() == sum(d.chunk_count for d in indexed.values())
        for document in indexed.values():
            assert self.repo.pages(document.id)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_folder_becomes_documents_pages_and_chunks(place: Place) -> None:
    place.write("apotheek/kalium.pdf", procedure("Kaliumsubstitutie", BODY))
    place.write("sepsis.pdf", procedure("Sepsis", BODY))
    place.write("foto.png", b"no document")
    report = place.ingest()
    assert (report.indexed, report.unchanged, report.failed, report.pages, report.chunks) == (2, 0, 0, 2, 2)
    document = place.document("apotheek/kalium.pdf")
    assert (document.status, document.metadata.title, document.page_count, document.chunk_count) == (
        "indexed",
        "Kaliumsubstitutie",
        1,
        1,
    )
    assert place.embedder.seen[0].startswith("Titel: Kaliumsubstitutie\nTekst: Kaliumsubstitutie")
    assert "om het uur. Bij twijfel" in place.repo.pages(document.id)[0].text
    shown = KeptFiles(place.settings.data_dir).shown(document)
    assert shown is not None
    assert shown.read_bytes() == (place.folder / "apotheek/kalium.pdf").read_bytes()
    place.check()


def test_what_was_cut_from_a_document_is_counted_and_kept(place: Place) -> None:
    pages = [
        both(lines(f"Deel {n} gaat over de pomp."), lines(f"Apotheek | pagina {n} van 3", y=30)) for n in (1, 2, 3)
    ]
    place.write("pomp.pdf", pdf(*pages))
    report = place.ingest()
    assert report.cut == report.items[0].cut == 3
    assert place.repo.read[place.document("pomp.pdf").id].cut == tuple(
        CutLine(n, f"Apotheek | pagina {n} van 3", "footer") for n in (1, 2, 3)
    )


def test_ingesting_twice_changes_nothing(place: Place) -> None:
    place.write("kalium.pdf", procedure("Kaliumsubstitutie", BODY))
    place.write("leeg.pdf", b"")
    first = place.ingest()
    before, seen = dict(place.repo.documents), len(place.embedder.seen)
    second = place.ingest()
    assert (first.indexed, first.failed) == (1, 1)
    assert (second.indexed, second.unchanged, second.failed, second.pages) == (0, 1, 1, 0)
    assert [item for item in second.items if item.outcome == "failed"] == [
        item for item in first.items if item.outcome == "failed"
    ]
    assert place.repo.documents == before
    assert len(place.embedder.seen) == seen


def test_changed_content_replaces_its_chunks(place: Place) -> None:
    place.write("kalium.pdf", procedure("Kaliumsubstitutie", BODY))
    place.ingest()
    old = place.document("kalium.pdf")
    place.write("kalium.pdf", procedure("Kaliumsubstitutie, herzien", BODY))
    assert place.ingest().indexed == 1
    assert place.document("kalium.pdf").metadata.title == "Kaliumsubstitutie, herzien"
    assert place.repo.documents[old.id].status == DocumentStatus.REPLACED
    assert place.repo.pages(old.id)  # old answers still show their source
    place.check()


def test_content_that_comes_back_is_current_again(place: Place) -> None:
    one, two = procedure("Kalium", BODY), procedure("Kalium, herzien", BODY)
    for content in (one, two, one):
        place.write("kalium.pdf", content)
        place.ingest()
        place.check()
    assert place.document("kalium.pdf").metadata.title == "Kalium"


def test_the_same_content_under_two_names_is_two_documents(place: Place) -> None:
    for name in ("een.pdf", "twee.pdf"):
        place.write(name, procedure("Kalium", BODY))
    assert place.ingest().indexed == 2
    assert place.document("een.pdf").id != place.document("twee.pdf").id
    place.check()


def test_copies_of_one_file_read_at_the_same_time_are_all_indexed(place: Place) -> None:
    content = procedure("Kalium", BODY)
    for i in range(12):
        place.write(f"kopie{i}.pdf", content)
    report = ingest(
        find_sources([place.folder]),
        settings=place.settings,
        documents_repo=place.repo,
        store=place.store,
        embedder=place.embedder,
        readers=3,
    )
    assert report.indexed == 12
    assert len(list((place.settings.data_dir / "files").iterdir())) == 1
    place.check()


def test_chunk_sizes_embedder_and_sidecar_are_part_of_what_an_index_follows_from(place: Place) -> None:
    place.write("kalium.pdf", procedure("Kalium", BODY * 20))
    place.ingest()
    place.settings = place.settings.model_copy(update={"chunk_size": 300, "chunk_overlap": 60})
    assert place.ingest().indexed == 1
    place.embedder = Embedder("another")
    assert place.ingest().indexed == 1
    place.write("metadata.csv", b"source;title;department;valid_until\nkalium.pdf;Kalium IV;Apotheek;31/12/2027\n")
    assert place.ingest().indexed == 1
    assert place.ingest().unchanged == 1
    said = place.document("kalium.pdf").metadata
    assert (said.title, said.department, str(said.valid_until)) == ("Kalium IV", "Apotheek", "2027-12-31")
    place.check()


def test_a_file_that_cannot_be_read_is_listed_with_its_reason_and_stops_nothing(place: Place) -> None:
    locked = pdf(lines(*BODY), encrypt=pdfencrypt.StandardEncryption("geheim"))
    bad = {
        "slot.pdf": (locked, "encrypted"),
        "leeg.pdf": (b"", "empty"),
        "stuk.pdf": (b"%PDF-1.4 stuk", "broken"),
        "oud.doc": (b"x", "broken"),
    }
    for name, (content, _) in bad.items():
        place.write(name, content)
    place.write("goed.pdf", procedure("Kalium", BODY))
    report = place.ingest()
    assert (report.indexed, report.failed) == (1, 4)
    assert {item.source: item.reason for item in report.items if item.outcome == "failed"} == {
        name: reason for name, (_, reason) in bad.items()
    }
    for name, (_, reason) in bad.items():
        document = place.document(name)
        assert (document.status, document.reason) == (DocumentStatus.FAILED, reason)
        assert document.warnings[0].startswith(f"{name}: ")
    place.check()


def test_a_document_that_can_no_longer_be_read_is_no_longer_answered_from(place: Place) -> None:
    place.write("kalium.pdf", procedure("Kalium", BODY))
    place.ingest()
    known = place.store.document_ids()
    place.write("kalium.pdf", b"%PDF-1.4 half gekopieerd")
    assert [item.kept for item in place.ingest().items] == [True]
    assert place.store.document_ids() == known  # while it is being copied
    place.write("kalium.pdf", pdf(lines(*BODY), encrypt=pdfencrypt.StandardEncryption("geheim")))
    assert place.ingest().failed == 1
    assert place.store.document_ids() == set()
    place.write("kalium.pdf", procedure("Kalium", BODY))
    assert place.ingest().indexed == 1
    place.check()


def test_a_file_over_the_limits_is_too_large_until_the_limit_is_raised(place: Place) -> None:
    place.write("groot.pdf", procedure("Kalium", BODY) + b" " * 300_000)
    place.write("lang.pdf", pdf(*[lines(*BODY)] * 12))
    place.settings = place.settings.model_copy(update={"max_file_mb": 0.2, "max_pages": 10})
    report = place.ingest()
    assert {item.reason for item in report.items} == {"too_large"}
    place.settings = place.settings.model_copy(update={"max_file_mb": 100.0, "max_pages": 3000})
    assert place.ingest().indexed == 2


def test_an_unreadable_file_and_a_vanished_one_are_named(place: Place, tmp_path: Path) -> None:
    sources = [SourceFile("weg.pdf", tmp_path / "weg.pdf")]
    report = ingest(
        sources, settings=place.settings, documents_repo=place.repo, store=place.store, embedder=place.embedder
    )
    assert [(item.outcome, item.reason) for item in report.items] == [("failed", "broken")]


def test_two_files_of_one_name_are_refused(place: Place) -> None:
    one, two = place.write("a/kalium.pdf", b"1"), place.write("b/kalium.pdf", b"2")
    with pytest.raises(InvalidInput, match=r"would both be called kalium\.pdf"):
        find_sources([one, two])
    assert [source.name for source in find_sources([place.folder])] == ["a/kalium.pdf", "b/kalium.pdf"]
    with pytest.raises(InvalidInput, match="no such file"):
        find_sources([place.folder / "nergens"])


def test_a_sidecar_that_makes_no_sense_is_refused_before_anything_is_done(place: Place) -> None:
    place.write("kalium.pdf", procedure("Kalium", BODY))
    place.write("metadata.csv", b"source,dienst\nkalium.pdf,Apotheek\n")
    with pytest.raises(InvalidInput, match="dienst"):
        place.ingest()


def test_progress_counts_documents_pages_and_chunks(place: Place) -> None:
    for i in range(4):
        place.write(f"document{i}.pdf", procedure(f"Document {i}", BODY))
    events: list[Progress] = []
    place.ingest(progress=events.append)
    assert events[-1].done == events[-1].total == 4
    assert (events[-1].pages, events[-1].chunks) == (4, 4)
    assert [e.done for e in events] == sorted(e.done for e in events)
    steps = [(e.source, e.step) for e in events]
    for name in ("document0.pdf", "document3.pdf"):
        assert steps.index((name, "reading")) < steps.index((name, "saved"))
    assert any(e.step == "embedding" for e in events)
    assert place.repo.progress is not None  # what is written down for who asks
    place.ingest(progress=events.append)
    assert events[-1].step == "comparing"  # nothing changed


def test_an_embedder_that_fails_stops_the_run_and_the_next_one_goes_on(place: Place) -> None:
    for i in range(50):
        place.write(f"document{i:02}.pdf", procedure(f"Document {i}", BODY * 20))
    place.embedder = Embedder(fail_after=100)
    with pytest.raises(EmbedderUnavailable):
        place.ingest()
    assert 0 < place.store.count() <= 100
    place.check()
    place.embedder = Embedder()
    report = place.ingest()
    assert report.indexed + report.unchanged == 50
    assert report.unchanged > 0
    place.check()


def test_what_an_interrupted_run_left_is_repaired(place: Place) -> None:
    """Chunks without a document go, documents without chunks come back, also when their file is no
    longer given."""
    place.write("kalium.pdf", procedure("Kalium", BODY))
    place.write("sepsis.pdf", procedure("Sepsis", BODY))
    place.ingest()
    kalium, sepsis = place.document("kalium.pdf"), place.document("sepsis.pdf")
    place.store.delete_documents([kalium.id, sepsis.id])
    place.store.replace_document("f" * 32, [], np.zeros((0, 8), np.float32))
    chunk_of_nobody = place.settings.data_dir / "files" / "half.123.part"
    chunk_of_nobody.write_bytes(b"half")
    (place.folder / "sepsis.pdf").unlink()
    report = place.ingest()
    assert {(item.source, item.outcome) for item in report.items} == {
        ("kalium.pdf", "indexed"),
        ("sepsis.pdf", "indexed"),
    }
    assert place.document("sepsis.pdf").metadata == sepsis.metadata
    assert not chunk_of_nobody.exists()
    place.check()


# The reader process


def test_a_file_that_takes_too_long_is_given_up_and_the_next_one_is_read(tmp_path: Path) -> None:
    slow = write(tmp_path, "traag.pdf", pdf(*[lines(*BODY * 20, leading=10)] * 400))
    quick = write(tmp_path, "snel.pdf", procedure("Kalium", BODY))
    with ReaderProcess(timeout=20, memory_mb=1024) as reader:
        reader.read(Job(quick, "snel.pdf", PDF, 10))
        reader.timeout = 0.05
        with pytest.raises(UnreadableDocument, match=r"traag\.pdf: took longer than 0\.05 seconds") as error:
            reader.read(Job(slow, "traag.pdf", PDF, 1000))
        assert error.value.reason == "too_slow"
        reader.timeout = 20
        assert "infuuspomp" in reader.read(Job(quick, "snel.pdf", PDF, 10)).text


def test_a_file_that_waits_for_the_processor_is_not_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer than the processor's time that it may have, from when it was given to the reader."""
    quick = write(tmp_path, "snel.pdf", procedure("Kalium", BODY))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setattr("rag_api.ingest.sandbox.reader_process.WAITING", 600)  # whatever else this machine does
    with ReaderProcess(timeout=20, memory_mb=1024) as reader, ThreadPoolExecutor(1) as others:
        reader.read(Job(quick, "snel.pdf", PDF, 10))
        process, reader.timeout = reader.process_id, 2
        assert process is not None
        os.kill(process, signal.SIGSTOP)  # as when others have the processor
        try:
            reading = others.submit(reader.read, Job(quick, "snel.pdf", PDF, 10))
            until(lambda: any(temporary.glob("*/document.pdf")))
            time.sleep(1.25 * reader.timeout)
        finally:
            os.kill(process, signal.SIGCONT)
        assert "infuuspomp" in reading.result().text
        assert reader.process_id == process


def test_a_file_that_a_process_fails_at_behind_another_is_read_by_a_fresh_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the file before has left too little memory, or the system ends the process."""
    quick = write(tmp_path, "snel.pdf", procedure("Kalium", BODY))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with ReaderProcess(timeout=60, memory_mb=1024) as reader, ThreadPoolExecutor(1) as others:
        reader.read(Job(quick, "snel.pdf", PDF, 10))
        process = reader.process_id
        assert process is not None
        os.kill(process, signal.SIGSTOP)
        reading = others.submit(reader.read, Job(quick, "snel.pdf", PDF, 10))
        until(lambda: any(temporary.glob("*/document.pdf")))
        os.kill(process, signal.SIGKILL)
        assert "infuuspomp" in reading.result().text
        assert reader.process_id != process


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not enforce RLIMIT_AS")
def test_a_file_that_takes_too_much_memory_is_given_up_and_the_next_one_is_read(tmp_path: Path) -> None:
    large = write(tmp_path, "groot.pdf", pdf(lines(*["x " * 10_000] * 100, size=4, leading=7)))
    quick = write(tmp_path, "klein.pdf", procedure("Kalium", BODY))
    with ReaderProcess(timeout=60, memory_mb=256) as reader:
        with pytest.raises(UnreadableDocument, match=r"groot\.pdf: needs more than 256 MB") as error:
            reader.read(Job(large, "groot.pdf", PDF, 1000))
        assert error.value.reason == "too_much_memory"
        assert "infuuspomp" in reader.read(Job(quick, "klein.pdf", PDF, 10)).text


@pytest.mark.parametrize("seed", range(16))
def test_a_damaged_file_is_read_or_named_and_never_crashes_the_reader(
    seed: int, tmp_path: Path, reader: ReaderProcess
) -> None:
    randomly = random.Random(seed)
    content = bytearray(randomly.choice(sorted(HANDBOOK.glob("*.pdf"))).read_bytes())
    at = randomly.randrange(len(content))
    if seed % 3 == 0:
        del content[at:]
    elif seed % 3 == 1:
        content[at:at] = randomly.randbytes(300)
    for _ in range(60):
        content[randomly.randrange(len(content))] = randomly.randrange(256)
    path = write(tmp_path, "stuk.pdf", bytes(content))
    reason = message = ""
    try:
        document = reader.read(Job(path, "stuk.pdf", PDF, 100))
    except UnreadableDocument as error:
        reason, message = error.reason, error.message
    else:
        assert all(len(page.boxes) == len(page.text) for page in document.pages)
    assert reason in ("", "broken", "no_text_layer", "encrypted")
    assert message == "" or message.startswith("stuk.pdf: ")
    assert "crashed" not in message


@pytest.mark.parametrize("seed", range(16))
def test_a_damaged_file_of_an_odd_kind_is_read_or_named(seed: int, tmp_path: Path, reader: ReaderProcess) -> None:
    """Forms, annotations, layers, clips, fonts of their own: with bits turned over, or cut
    short."""
    randomly = random.Random(seed)
    content = bytearray(odd_pdfs()[seed % len(odd_pdfs())])
    if seed % 2:
        del content[randomly.randrange(len(content)) :]
    for _ in range(randomly.choice([1, 5, 50])):
        content[randomly.randrange(len(content))] ^= 1 << randomly.randrange(8)
    path = write(tmp_path, "stuk.pdf", bytes(content))
    reason = message = ""
    try:
        document = reader.read(Job(path, "stuk.pdf", PDF, 100))
    except UnreadableDocument as error:
        reason, message = error.reason, error.message
    else:
        assert all(len(page.boxes) == len(page.text) for page in document.pages)
    assert reason in ("", "broken", "no_text_layer", "encrypted", "empty", "xfa_form")
    assert "crashed" not in message


@cache
def odd_pdfs() -> list[bytes]:
    return [
        pdf(form),
        annotated("/FreeText", "Sinds mei", appearance=True),
        *(make() for make in (RAW_HIDDEN | RAW_VISIBLE).values()),
    ]


@pytest.fixture(scope="module")
def reader() -> Iterator[ReaderProcess]:
    with ReaderProcess(timeout=30, memory_mb=1024) as one:
        yield one


def test_a_reader_that_is_killed_is_replaced(tmp_path: Path) -> None:
    path = write(tmp_path, "snel.pdf", procedure("Kalium", BODY))
    with ReaderProcess(timeout=20, memory_mb=1024) as reader:
        reader.read(Job(path, "snel.pdf", PDF, 10))
        process = reader.process_id
        assert process is not None
        os.kill(process, signal.SIGKILL)
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
        assert "infuuspomp" in reader.read(Job(path, "snel.pdf", PDF, 10)).text


def test_what_comes_back_from_the_reader_is_what_reading_gives(tmp_path: Path) -> None:
    from rag_api.ingest.readers.read import read

    path = HANDBOOK / "vte-profylaxe-volwassenen.pdf"
    with ReaderProcess(timeout=20, memory_mb=1024) as reader:
        one = reader.read(Job(path, path.name, PDF, 10))
    two = read(path, path.name, PDF, 10)
    assert (one.metadata, one.warnings, one.text) == (two.metadata, two.warnings, two.text)
    for a, b in zip(one.pages, two.pages, strict=True):
        assert np.array_equal(a.boxes, b.boxes, equal_nan=True)


# Killed at any moment

RUN = """
    import pickle, sys
    from pathlib import Path
    from rag_api.config import Settings
    from rag_api.ingest.pipeline.index import ingest
    from rag_api.ingest.sources.repository import MemoryDocuments
    from rag_api.ingest.sources.sources import survey
    from rag_api.stores.lance import LanceStore
    from tests.rag_api.ingest.kept import Durable, Embedder

    folder, data = Path(sys.argv[1]), Path(sys.argv[2])
    embedder = Embedder()
    store = LanceStore(data / "index", embedder.name, embedder.dim)
    print("started", flush=True)
    report = ingest(survey([folder]), settings=Settings(data_dir=data), documents_repo=Durable(data / "list"), store=store,
                    embedder=embedder, readers=1, retire_missing=True, confirmed=True)
    print(report.indexed, report.unchanged, report.failed, flush=True)
"""


def start_run(folder: Path, data: Path) -> subprocess.Popen[str]:
    data.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", textwrap.dedent(RUN), str(folder), str(data)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3], start_new_session=True
    )


def what_is_indexed(data: Path) -> dict[str, object]:
    import lancedb

    from rag_api.stores.lance import LanceStore
    from rag_api.stores.lance.tidying import TABLE

    documents = Durable(data / "list")
    LanceStore(data / "index", "fake", 8).close()  # makes the table where a run was killed before it did
    table = lancedb.connect(data / "index").open_table(TABLE)
    rows = table.search().select(["id", "document_id", "packed"]).limit(100_000).to_list()
    return {
        "chunks": sorted((row["id"], row["document_id"], row["packed"]) for row in rows),
        "documents": sorted(
            (d.source, d.id, d.status, d.chunk_count, d.fingerprint) for d in documents.current().values()
        ),
        "pages": {d.id: [page.text for page in documents.pages(d.id)] for d in documents.current().values()},
    }


@pytest.mark.slow
def test_an_ingestion_killed_at_random_moments_ends_with_the_index_of_one_clean_run(tmp_path: Path, seed: int) -> None:
    folder, data, clean = tmp_path / "documents", tmp_path / "killed", tmp_path / "clean"
    for path in sorted(HANDBOOK.glob("*.pdf"))[::3]:
        write(folder, path.name, path.read_bytes())
    stale = {path.name: path.read_bytes() for path in sorted(folder.glob("*.pdf"))[:4]}
    for name in stale:  # documents that the killed runs must replace
        write(folder, name, procedure(f"Oude versie van {name}", BODY))
    first = start_run(folder, data)
    first.communicate(timeout=120)
    for name, content in stale.items():
        write(folder, name, content)
    started, kept = 0.0, 0
    with start_run(folder, clean) as run:
        assert run.stdout is not None
        for line in run.stdout:
            started = started or time.monotonic()
            kept += line == "kept\n"
    between = (time.monotonic() - started) / kept
    randomly, killed = random.Random(seed), 0
    for _ in range(5):  # each after some progress of its own, never so much that nothing is left to interrupt
        with start_run(folder, data) as run:
            assert run.stdout is not None
            for _ in range(1 + randomly.randint(0, kept // 8)):
                run.stdout.readline()
            time.sleep(randomly.uniform(0.0, between))
            os.killpg(run.pid, signal.SIGKILL)
            killed += run.wait() == -signal.SIGKILL
    assert killed >= 1
    last = start_run(folder, data)
    last.communicate(timeout=240)
    assert last.returncode == 0
    assert what_is_indexed(data) == what_is_indexed(clean)
    again = start_run(folder, data).communicate(timeout=240)[0].splitlines()
    assert again[-1].startswith("0 ")  # nothing left to index
