"""The handbook -> scans -> read again by the real pipeline -> figures."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium

import rag_api.handbook
from evaluation.ocr.compare import OcrCounts, compare_pages, compare_quotes
from evaluation.ocr.degrade import KINDS, Degraded, ScanKind, as_pdf, degrade
from rag_api.domain import ReadDocument
from rag_api.ingest.common.kinds import Kind as FileKind
from rag_api.ingest.ocr.second import second_reader
from rag_api.ingest.readers.read import read
from rag_api.ingest.readers.scanned import Ocr

HANDBOOK = Path(rag_api.handbook.__file__).parent / "pdf"
HALVES = ("development", "test")
SECONDS = 600.0  # for a page: none is given up


def documents_of(half: str) -> list[Path]:
    """Every second document of the handbook."""
    return sorted(HANDBOOK.glob("*.pdf"))[0 if half == "development" else 1 :: 2]


def measure(
    half: str, pages: int, alone: bool = False, tell: Callable[[int], None] = lambda done: None
) -> dict[str, Any]:
    """pages: documents are taken until they have so many. Kinds of scans take turns, page by page.
    alone: without the second reader."""
    by_kind: dict[str, OcrCounts] = {kind.name: OcrCounts() for kind in KINDS}
    whole, done, spent = OcrCounts(), 0, 0.0
    for n, path in enumerate(_spread(documents_of(half))):
        if done >= pages:
            break
        truth, scans, found, seconds = read_degraded(path, n, alone)
        spent += seconds
        for one, two, (scan, kind) in zip(truth.pages, found.pages, scans, strict=True):
            cut = [line.text for line in truth.cut if line.page == one.number]
            by_kind[kind.name].add(compare_pages(one, two, scan.moved, cut))
        whole.add(compare_quotes(truth, found))
        done += len(scans)
        tell(done)
    for counts in by_kind.values():
        whole.add(counts)
    return {
        "half": half,
        "readers": "PP-OCRv6 and tesseract" if second_reader() and not alone else "PP-OCRv6 alone",
        "pages": done,
        "pages_per_minute_of_a_core": round(60 * done / max(spent, 1e-9), 1),
        **_figures(whole),
        "wrong": whole.wrong,
        "kinds": {name: _figures(counts) for name, counts in by_kind.items() if counts.pages},
    }


def _spread(paths: list[Path]) -> Iterator[Path]:
    """From all over the alphabet, so that the first few are of every kind."""
    for step in range(5):
        yield from paths[step::5]


def read_degraded(
    path: Path, n: int, alone: bool = False
) -> tuple[ReadDocument, list[tuple[Degraded, ScanKind]], ReadDocument, float]:
    """(what it says, its scans, what was read of them, seconds of the processor's time for that).
    n: which document it is, for seeds."""
    truth = read(path, path.name, FileKind.PDF, 1000)
    with pdfium.PdfDocument(path) as document:
        scans = [
            (degrade(page, kind, (n, i)), kind)
            for i, page in enumerate(document)
            for kind in [KINDS[(3 * n + i) % len(KINDS)]]
        ]
    with tempfile.TemporaryDirectory(prefix="scans-") as folder:
        scanned = Path(folder) / path.name
        scanned.write_bytes(as_pdf(scans))
        began = _seconds()
        found = read(scanned, path.name, FileKind.PDF, 1000, ocr=Ocr(SECONDS, alone=alone))
        return truth, scans, found, _seconds() - began


def _seconds() -> float:
    """Of the processor's time, that of the second reader's process included."""
    times = os.times()
    return float(times.user + times.system + times.children_user + times.children_system)


def _figures(counts: OcrCounts) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "pages": counts.pages,
        "letters": counts.letters,
        "letter_errors": _share(counts.letter_errors, counts.letters),
        "digits": counts.digits,
        "digit_errors": _share(counts.digit_errors, counts.digits),
        "box_overlap": round(counts.overlap / max(1, counts.words), 3),
        "words_placed": _share(counts.well_placed, counts.words),
    }
    if counts.quotes:
        figures |= {
            name: asdict(counts)[name]
            for name in ("quotes", "withheld", "quoted_digits", "wrong_digits", "wrong_negations")
        }
        figures["share_withheld"] = _share(counts.withheld, counts.quotes)
    return figures


def _share(part: int, of: int) -> float:
    return round(part / max(1, of), 5)
