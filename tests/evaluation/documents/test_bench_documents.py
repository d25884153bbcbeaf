"""The benches of ingestion run whole on a few made files; nothing is timed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from evaluation.documents import ingest, size

WRITTEN = 3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    size.write_files(tmp_path, WRITTEN, 2)
    return tmp_path


def test_a_run_of_made_files_is_told_with_its_memory() -> None:
    told = size.measure_one("files", WRITTEN, "none", "memory")
    assert told["passages"] >= WRITTEN
    assert told["failed"] == 0
    assert 0 < told["own_mb"] <= told["peak_mb"]
    assert size.measure_one("pages", 4, "none", "memory")["passages"] > 4


def test_both_libraries_read_the_same_words_of_made_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing more")
    monkeypatch.setattr(sys, "argv", ["ingest", str(folder), "--json"])
    ingest.main()
    told = json.loads(capsys.readouterr().out)
    assert (told["files"], told["pages"]) == (WRITTEN + 1, 2 * WRITTEN)
    assert list(told["failed"]) == ["broken.pdf"]
    assert told["same_words_in_order"] > 0.9
    assert set(told["pages_per_second"]) == {"pypdf_text", "pdfium_text", "pdfium_boxes", "read_and_clean", "chunk"}
