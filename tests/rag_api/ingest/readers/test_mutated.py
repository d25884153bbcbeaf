"""Files that nobody here made, with parts cut out, added, turned over: each is read or named, and none crashes the reader.

Some of them in every run; `pytest tests/rag_api/ingest/readers/test_mutated.py --mutated 500` makes five hundred.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.job import Job
from rag_api.ingest.common.kinds import media_type
from rag_api.ingest.sandbox.reader import Reader
from tests.rag_api.made_files.pdfs import SAMPLES

pytestmark = pytest.mark.skipif(not (SAMPLES / "pdf").is_dir(), reason="no sample files in ../shared/data/pdf")


def mutated(seed: int, files: list[Path]) -> tuple[Path, bytes]:
    randomly = random.Random(seed)
    kind = randomly.choice((".pdf", ".pdf", ".docx"))  # of which nearly every change makes a broken archive
    path = randomly.choice([path for path in files if path.suffix == kind])
    content = bytearray(path.read_bytes()) or bytearray(b"%PDF-")
    at, length = randomly.randrange(len(content)), randomly.choice([1, 40, 1000])
    match seed % 5:
        case 0:
            del content[at:]
        case 1:
            del content[at : at + length]
        case 2:
            content[at:at] = randomly.randbytes(length)
        case 3:
            content[at:at] = content[randomly.randrange(len(content)) :][:length]
    for _ in range(randomly.choice([1, 5, 50])):
        content[randomly.randrange(len(content))] ^= 1 << randomly.randrange(8)
    return path, bytes(content)


def test_mutated_files_are_read_or_named(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    files = sorted(path for kind in ("pdf", "docx") for path in (SAMPLES / kind).rglob(f"*.{kind}") if path.stat().st_size < 2_000_000)
    count = request.config.getoption("--mutated")
    found: Counter[str] = Counter()
    wrong = []
    with Reader(timeout=60, memory_mb=1024) as reader:
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
