"""Speed of turning files into text, and a comparison with pypdf's text: `python -m
evaluation.documents.ingest PATH... [--json]`.

Reads in this process, without embedding; pages per second of one core (processor time).
docs/benchmarks.md has figures.
"""

from __future__ import annotations

import argparse
import difflib
import json
import resource
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pypdf
import pypdfium2 as pdfium

from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.chunk import chunk
from rag_api.ingest.pdf.glyphs.font_spoofing import JudgedFonts
from rag_api.ingest.pdf.page_transform import PagePlane
from rag_api.ingest.pdf.pdfium import read_glyphs
from rag_api.ingest.pdf.vector_graphics import read_drawn
from rag_api.ingest.readers.read import media_type, read
from rag_api.ingest.sources.sources import find_sources


def measure(paths: Sequence[Path]) -> dict[str, Any]:
    """Seconds and pages per second of each step over all PDFs that can be read; how alike the two
    libraries' words are."""
    files = [source for source in find_sources(paths) if source.path.suffix.casefold() == ".pdf"]
    seconds = dict.fromkeys(("pypdf_text", "pdfium_text", "pdfium_boxes", "read_and_clean", "chunk"), 0.0)
    pages, likeness, failed = 0, [], {}
    for source in files:
        try:
            kind = media_type(source.path, source.name)
            document, seconds_read = _timed(read, source.path, source.name, kind, 10_000)
        except UnreadableDocument as error:
            failed[source.name] = error.reason
            continue
        pages += len(document.pages)
        seconds["read_and_clean"] += seconds_read
        seconds["chunk"] += _timed(chunk, "0" * 32, document.metadata, document.pages)[1]
        with pdfium.PdfDocument(source.path) as opened:
            one, took = _timed(lambda pages: "\n".join(page.get_textpage().get_text_range() for page in pages), opened)
            seconds["pdfium_text"] += took
            seconds["pdfium_boxes"] += _timed(_pdfium_boxes, opened)[1]
        try:
            other, took = _timed(
                lambda path: "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages), source.path
            )
        except Exception as error:
            failed[f"{source.name} (pypdf only)"] = type(error).__name__
            continue
        seconds["pypdf_text"] += took
        likeness.append(difflib.SequenceMatcher(None, one.split()[:4000], other.split()[:4000], autojunk=False).ratio())
    return {
        "files": len(files),
        "pages": pages,
        "failed": failed,
        "pages_per_second": {step: round(pages / took, 1) for step, took in seconds.items() if took},
        "same_words_in_order": round(sum(likeness) / max(1, len(likeness)), 3),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def _timed(function: Any, *arguments: Any) -> tuple[Any, float]:
    start = time.process_time()
    result = function(*arguments)
    return result, time.process_time() - start


def _pdfium_boxes(document: Any) -> None:
    with closing(JudgedFonts(document.raw)) as judged:
        for page in document:
            plane = PagePlane(page.raw)
            read_glyphs(page.raw, plane, read_drawn(page.raw, plane), judged)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measure(given.paths)
    print(json.dumps(found) if given.json else "\n".join(f"{key}: {value}" for key, value in found.items()))


if __name__ == "__main__":
    main()
