"""Files opened by a service of its own: what is read is the same, what breaks is told the same, and
one that is away is named."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from rag_api.errors import ReadingUnavailable, UnreadableDocument
from rag_api.ingest.common.job import Job
from rag_api.ingest.common.kinds import Kind
from rag_api.ingest.sandbox.office import convert, office
from rag_api.ingest.sandbox.reader_process import ReaderProcess
from rag_api.ingest.sandbox.starting import SOCKET, Elsewhere, programs
from tests.rag_api.made_files.docx_files import docx, p, r
from tests.support.waiting import until

HERE = office()


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    with tempfile.TemporaryDirectory(prefix="reading-") as folder:  # a socket's path is short
        path = Path(folder) / "socket"
        process = subprocess.Popen(
            [sys.executable, "-m", "rag_api.ingest.sandbox.reading_service", str(path)], start_new_session=True
        )
        monkeypatch.setenv(SOCKET, str(path))
        until(path.exists)
        yield process
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def job(folder: Path, text: str = "Vier maal daags een gram.") -> Job:
    path = folder / "protocol.txt"
    path.write_text(text, encoding="utf-8")
    return Job(path, "protocol.txt", Kind.TEXT, 10, shown=folder / "shown.pdf")


def test_it_reads_as_a_child_reads(
    service: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ReaderProcess(60, 512) as reader:
        elsewhere = reader.read(job(tmp_path))
        first = children(service)
        assert len(first) == 1
        assert reader.read(job(tmp_path)).text == elsewhere.text
        assert children(service) == first, "one process reads file after file"
    assert (tmp_path / "shown.pdf").stat().st_size
    monkeypatch.delenv(SOCKET)
    with ReaderProcess(60, 512) as reader:
        assert reader.read(job(tmp_path)).text == elsewhere.text


def children(service: subprocess.Popen[bytes]) -> list[int]:
    tasks = Path(f"/proc/{service.pid}/task").iterdir()
    return [int(child) for task in tasks for child in task.joinpath("children").read_text().split()]


def ended(child: int) -> None:
    os.kill(child, signal.SIGABRT)
    os.kill(child, signal.SIGCONT)


def test_a_process_that_dies_at_its_first_file_is_that_files_failure_and_the_next_file_is_read(
    service: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    with ReaderProcess(60, 512) as reader, ThreadPoolExecutor(1) as threads:
        reading = threads.submit(reader.read, job(tmp_path))
        until(lambda: bool(children(service)))
        (child,) = children(service)
        os.kill(child, signal.SIGSTOP)  # while it still starts
        ended(child)
        with pytest.raises(UnreadableDocument) as refused:
            reading.result(300)
        assert refused.value.reason == "too_much_memory"
        assert "gram" in reader.read(job(tmp_path)).text


def test_what_a_process_dies_at_behind_another_file_is_read_by_a_fresh_one(
    service: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    with ReaderProcess(60, 512) as reader, ThreadPoolExecutor(1) as threads:
        reader.read(job(tmp_path))
        (child,) = children(service)
        os.kill(child, signal.SIGSTOP)
        reading = threads.submit(reader.read, job(tmp_path))
        until(lambda: any(Path(os.environ[SOCKET]).parent.glob("*/document.txt")))  # it was given to the process
        ended(child)
        assert "gram" in reading.result(300).text
        assert children(service) != [child]


def test_a_service_that_is_away_is_named(service: subprocess.Popen[bytes], tmp_path: Path) -> None:
    with ReaderProcess(60, 512) as reader:
        reader.read(job(tmp_path))
        os.killpg(service.pid, signal.SIGKILL)
        service.wait()
        with pytest.raises(ReadingUnavailable, match="Start the service `reading`"):
            reader.read(job(tmp_path))
    with pytest.raises(ReadingUnavailable):
        office()


def test_who_goes_away_leaves_no_process(service: subprocess.Popen[bytes], tmp_path: Path) -> None:
    with ReaderProcess(60, 512) as reader:
        reader.read(job(tmp_path))
        assert children(service)
    until(lambda: not children(service))


def test_only_its_two_programs_and_its_own_folder(service: subprocess.Popen[bytes], tmp_path: Path) -> None:
    with closing(Elsewhere("reader", ["512", str(tmp_path)])) as process:
        assert process.wait(300) == 1
    with closing(Elsewhere("shell", ["id"])) as process, pytest.raises(ReadingUnavailable):
        process.wait(300)


@pytest.mark.skipif(HERE is None, reason="LibreOffice is not installed")
def test_a_word_file_is_shown(service: subprocess.Popen[bytes], tmp_path: Path) -> None:
    assert programs()["office"] == HERE
    path = docx(tmp_path / "zorg.docx", p(r("Vier maal daags een gram.")))
    assert convert(path, tmp_path / "zorg.pdf", 120) == ""
    assert (tmp_path / "zorg.pdf").read_bytes().startswith(b"%PDF")
