"""Files that nobody here made, with parts cut out, added, swapped, turned over: each is read or
named, and none crashes the reader.

Some of them in every run; `pytest tests/rag_api/ingest/readers/test_mutated.py --mutated 500` makes
five hundred.
"""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.job import Job
from rag_api.ingest.common.kinds import media_type
from rag_api.ingest.sandbox.reader_process import ReaderProcess
from tests.rag_api.made_files.pdfs import SAMPLES

pytestmark = pytest.mark.skipif(not (SAMPLES / "pdf").is_dir(), reason="no sample files in ../shared/data/pdf")


_OBJECT = re.compile(rb"\d+ \d+ obj\b.*?\bendobj", re.DOTALL)


def mutated(seed: int, files: list[Path]) -> tuple[Path, bytes]:
    """A file and what became of it. Half of the Word files are changed inside of their archive, so
    that it can still be opened."""
    randomly = random.Random(seed)
    kind = randomly.choice((".pdf", ".pdf", ".docx"))
    path = randomly.choice([path for path in files if path.suffix == kind])
    content = path.read_bytes()
    if kind == ".docx" and randomly.random() < 0.5:
        return path, _inside(randomly, content)
    return path, _changed(randomly, content or b"%PDF-")


def _changed(randomly: random.Random, whole: bytes) -> bytes:
    content = bytearray(whole)
    at, length = randomly.randrange(len(content)), randomly.choice([1, 40, 1000])
    match randomly.randrange(6):
        case 0:
            del content[at:]
        case 1:
            del content[at : at + length]
        case 2:
            content[at:at] = randomly.randbytes(length)
        case 3:
            content[at:at] = content[randomly.randrange(len(content)) :][:length]
        case 4:
            _swap(randomly, content)
    for _ in range(randomly.choice([0, 1, 5, 50]) if content else 0):
        content[randomly.randrange(len(content))] ^= 1 << randomly.randrange(8)
    return bytes(content)


def _swap(randomly: random.Random, content: bytearray) -> None:
    """Two of a PDF's objects stand in each other's place, under each other's numbers."""
    objects = [found.span() for found in _OBJECT.finditer(content)]
    if len(objects) > 1:
        (a, b), (c, d) = sorted(randomly.sample(objects, 2))
        content[a:d] = content[c:d] + content[b:c] + content[a:b]


def _inside(randomly: random.Random, content: bytes) -> bytes:
    """One part of an archive changed, or two under each other's names."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    one, two = randomly.sample(sorted(parts), 2)
    if randomly.random() < 0.2:
        parts[one], parts[two] = parts[two], parts[one]
    else:
        one = "word/document.xml" if randomly.random() < 0.5 and "word/document.xml" in parts else one
        parts[one] = _changed(randomly, parts[one] or b"<")
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return out.getvalue()


@pytest.mark.timeout(0)  # five hundred take as long as they take; the reader has limits of its own
def test_mutated_files_are_read_or_named(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    files = sorted(
        path
        for kind in ("pdf", "docx")
        for path in (SAMPLES / kind).rglob(f"*.{kind}")
        if path.stat().st_size < 2_000_000
    )
    count = request.config.getoption("--mutated")
    found: Counter[str] = Counter()
    wrong = []
    with ReaderProcess(timeout=60, memory_mb=1024) as reader:
        for seed in range(count):
            original, content = mutated(seed, files)
            path = tmp_path / f"m{seed}{original.suffix}"
            path.write_bytes(content)
            try:
                document = reader.read(Job(path, path.name, media_type(path, path.name), 300))
            except UnreadableDocument as error:
                found[error.reason] += 1
                named = error.message.startswith(f"{path.name}: ")
                if not named or "crashed" in error.message or error.reason in ("too_slow", "too_much_memory"):
                    wrong.append((seed, original.name, error.message))
            else:
                found["read"] += 1
                assert document.text.strip(), seed
                assert all(len(page.boxes) == len(page.text) for page in document.pages), seed
            path.unlink()
    print(f"{count} mutated files: {dict(found)}")
    assert wrong == []
    assert found["read"]
