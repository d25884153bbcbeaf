"""Files that nobody here made: forms, scans, passwords, Arabic, broken ones. Skipped where the
folder is not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from rag_api.answering.quoting.highlight import rects
from rag_api.errors import UnreadableDocument
from rag_api.ingest.readers.read import PDF, read
from tests.rag_api.answering.quoting.test_highlight import Shown, letters, sentences
from tests.rag_api.made_files.pdfs import SAMPLES

pytestmark = pytest.mark.skipif(not (SAMPLES / "pdf").is_dir(), reason="no sample files in ../shared/data/pdf")

RUN = """
    import json, re, resource, sys
    from pathlib import Path
    from rag_api.config import Settings
    from rag_api.ingest.pipeline.index import ingest
    from rag_api.ingest.sources.repository import MemoryDocuments
    from rag_api.ingest.sources.sources import find_sources
    from rag_api.stores.memory import MemoryStore
    from tests.rag_api.ingest.kept import Embedder

    report = ingest(find_sources([Path(sys.argv[1])]), settings=Settings(data_dir=Path(sys.argv[2]), read_timeout=120, ocr="off"),
                    documents_repo=MemoryDocuments(), store=MemoryStore(8), embedder=Embedder(), readers=1)
    # ru_maxrss would count the test runner's own memory, inherited at the fork.
    own = int(re.search("VmHWM:[^0-9]*([0-9]+)", Path("/proc/self/status").read_text())[1])
    used = own + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(json.dumps({"indexed": report.indexed, "pages": report.pages, "seconds": report.seconds, "peak_mb": used / 1024,
                      "failed": {item.source: [item.reason, item.message] for item in report.items if item.outcome == "failed"}}))
"""


@pytest.mark.parametrize(
    ("folder", "least", "failures"),
    [("pdf", 29, {"encrypted": 1, "broken": 1, "no_text_layer": 6}), ("docx", 25, {"empty": 15})],
)
def test_sample_files_are_indexed_or_named_with_a_reason(
    folder: str, least: int, failures: dict[str, int], tmp_path: Path
) -> None:
    """DOCX without LibreOffice, which takes three seconds for each, and PDF without OCR, which
    takes as long for each page."""
    command = [sys.executable, "-c", textwrap.dedent(RUN), str(SAMPLES / folder), str(tmp_path / "data")]
    project = Path(__file__).parents[4]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=project, timeout=500, check=True, env={**os.environ, "PATH": ""}
    )
    found = json.loads(done.stdout)
    assert found["indexed"] >= least
    reasons = [reason for reason, _ in found["failed"].values()]
    assert {reason: reasons.count(reason) for reason in set(reasons)} == failures
    assert all(message.startswith(f"{name}: ") for name, (_, message) in found["failed"].items())
    assert found["peak_mb"] < 1500
    print(
        f"{folder}: {found['pages']} pages, {found['pages'] / found['seconds']:.1f} pages/s, {found['peak_mb']:.0f} MB"
    )


def test_highlights_cover_their_words_in_files_that_nobody_here_made() -> None:
    wrong, total = [], 0
    for path in sorted((SAMPLES / "pdf" / "knmi").glob("*.pdf")):
        try:
            document = read(path, path.name, PDF, 500)
        except UnreadableDocument:
            continue
        shown = Shown(path)
        for start, end in sentences(document.pages):
            quote = document.text[start:end]
            total += 1
            if letters(shown.text_under(rects(document.pages, start, end))) != letters(quote):
                wrong.append((path.name, quote))
    assert total > 500
    assert wrong == []
