"""A process that opens files from anywhere has neither the network nor other files; where the
system cannot see to that, it is said."""

from __future__ import annotations

import logging
import os
import subprocess
from pathlib import Path

import pytest

from rag_api.errors import DiskFull, UnreadableDocument
from rag_api.ingest.common.job import Job
from rag_api.ingest.common.kinds import Kind
from rag_api.ingest.sandbox import confine
from rag_api.ingest.sandbox.own_folder import OwnFolder
from rag_api.ingest.sandbox.reader_process import ReaderProcess
from rag_api.ingest.sandbox.starting import command

# In place of what reads a file: tries what a file could make it do, and tells of it as a reader
# can, in its failure.
PROBE = """
import os, socket, sys, types
import rag_api.errors, rag_api.ingest
from pathlib import Path

def tried(what):
    try:
        what()
    except OSError as error:
        return "refused"
    return "done"

def read(path, name, *_):
    secret, parent = Path({secret!r}), Path(f"/proc/{{os.getppid()}}/environ")
    what = {{
        "own": lambda: (path.read_bytes(), path.with_name("new").write_text("x")),
        "network": socket.socket,
        "local": lambda: socket.socket(socket.AF_UNIX),
        "original": lambda: Path({original!r}).read_bytes(),
        "secret": secret.read_text,
        "beside": lambda: secret.with_name("new").write_text("x"),
        "code": lambda: Path(rag_api.errors.__file__).with_name("new.py").write_text("x"),
        "environment": parent.read_bytes,
    }}
    said = [f"{{key}} {{tried(do)}}" for key, do in what.items()] + sorted(key for key in os.environ if "BEDSIDE" in key)
    raise rag_api.errors.UnreadableDocument("broken", name + ": " + ", ".join(said))

sys.modules["rag_api.ingest.readers.read"] = module = types.ModuleType("rag_api.ingest.readers.read")
module.read = read
"""


def test_a_reader_reaches_neither_the_network_nor_other_files_nor_a_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, original = tmp_path / "elders" / "geheim.txt", tmp_path / "a.txt"
    secret.parent.mkdir()
    secret.write_text("geheim")
    original.write_text("Geef 15 mg.")
    (tmp_path / "probe").mkdir()
    (tmp_path / "probe" / "sitecustomize.py").write_text(PROBE.format(secret=str(secret), original=str(original)))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'probe'}:{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setenv("BEDSIDE_DATABASE_URL", "postgresql://bedside:geheim@db/bedside")
    with ReaderProcess(60, 512) as reader, pytest.raises(UnreadableDocument) as raised:
        reader.read(Job(original, "a.txt", Kind.TEXT, 10))
    tried = ("network", "local", "original", "secret", "beside", "code", "environment")
    assert raised.value.message == "a.txt: own done, " + ", ".join(f"{one} refused" for one in tried)


def test_nothing_of_a_file_stays_in_its_readers_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "a.txt").write_text("Geef 15 mg paracetamol per kg.")
    with ReaderProcess(60, 512) as reader:
        read = reader.read(Job(tmp_path / "a.txt", "a.txt", Kind.TEXT, 10, tmp_path / "a.pdf"))
        assert "15 mg" in read.text
        assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF"), "what it made was fetched"
        (folder,) = (tmp_path / "temporary").iterdir()
        assert not list(folder.iterdir())
        with pytest.raises(UnreadableDocument):
            reader.read(Job(tmp_path / "gone.txt", "gone.txt", Kind.TEXT, 10))
    assert not list((tmp_path / "temporary").iterdir())


def test_a_reader_whose_owner_was_killed_leaves_no_document() -> None:
    folder = OwnFolder()
    (folder.path / "document.pdf").write_bytes(b"%PDF")
    try:
        # its owner's end of the pipe closes when that dies
        ended = subprocess.run(
            command("reader", ["512", str(folder.path)]), input=b"", env=folder.environment, stdout=subprocess.DEVNULL
        )
        assert ended.returncode == 0
        assert not list(folder.path.iterdir())
    finally:
        folder.remove()


def test_a_full_disk_is_no_fault_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "a.txt").write_text("Geef 15 mg.")
    monkeypatch.setattr("shutil.copyfile", full)
    with ReaderProcess(60, 512) as reader, pytest.raises(DiskFull):
        reader.read(Job(tmp_path / "a.txt", "a.txt", Kind.TEXT, 10))


@pytest.mark.parametrize(
    ("network", "files", "said"),
    [
        (True, True, ""),
        (False, True, "seccomp (network)"),
        (True, False, "Landlock (files)"),
        (False, False, "seccomp (network), Landlock (files)"),
    ],
)
def test_what_could_not_be_taken_away_is_logged_once(
    network: bool,
    files: bool,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(confine, "no_capabilities", lambda: None)  # these tests need theirs
    monkeypatch.setattr(confine, "no_network", lambda **_: network)
    monkeypatch.setattr(confine, "only_files", lambda *_: files)
    confine.tell_unconfined.cache_clear()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            confine.tell_unconfined("Files are read", confine.confine(tmp_path))
    assert caplog.messages == (
        [f"Files are read without {said}, which this system does not offer: load only documents that you trust"]
        if said
        else []
    )
