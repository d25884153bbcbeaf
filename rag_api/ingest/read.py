"""One file -> ReadDocument: read, describe, clean. A pure function of the file; runs in the reader process (reader.py)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rag_api.errors import UnreadableDocument
from rag_api.ingest.clean import LaidOut, clean
from rag_api.ingest.kinds import SLIDES, TEXTS, WORDS, Kind, media_type
from rag_api.ingest.layout import Row
from rag_api.ingest.lost import lost_words, told_lost
from rag_api.ingest.metadata import describe, language_of
from rag_api.ingest.read_docx import read_docx, refuse_ole
from rag_api.ingest.read_pdf import RawDocument, heading_of, read_pdf
from rag_api.ingest.read_slides import read_slides
from rag_api.ingest.read_text import read_text
from rag_api.ingest.text_pages import not_drawn, text_pages, write_pdf
from rag_api.types import Page, ReadDocument

__all__ = ["DOCX", "PDF", "media_type", "read"]

PDF, DOCX = Kind.PDF, Kind.DOCX


def read(path: Path, name: str, kind: str, max_pages: int, shown: Path | None = None) -> ReadDocument:
    """Read a file. kind: its media type; shown: the rendering as PDF that LibreOffice made of it, which gives it pages and boxes, or where
    to write the one that is made here. Raises UnreadableDocument."""
    if kind in WORDS:
        return _read_docx(path, name, max_pages, shown)
    if kind in SLIDES:
        assert shown is not None
        return _read_slides(path, name, kind, max_pages, shown)
    if kind in TEXTS:
        return _read_text(path, name, Kind(kind), max_pages, shown)
    return _read_pdf(path, name, max_pages)


def _read_pdf(path: Path, name: str, max_pages: int) -> ReadDocument:
    found = read_pdf(path, name, max_pages)
    language = _language(found)
    first = found.pages[0]
    metadata = describe(name, found.properties, _cells(first), heading_of(first), language)
    return ReadDocument(metadata, _worded(clean(found.pages, metadata.language), name), found.warnings)


def _read_docx(path: Path, name: str, max_pages: int, shown: Path | None) -> ReadDocument:
    written = read_docx(path, name)
    page = written.page()
    if not any(c.isalnum() for c in page.text):
        raise UnreadableDocument("empty", f"{name}: has no words in it")
    metadata = describe(name, written.properties, written.around, written.heading, language_of(page.text))
    if shown is None:
        return ReadDocument(metadata, (page,), (*written.warnings, *written.unrendered))
    pages, warnings = _rendered(shown, name, max_pages, metadata.language, "docx")
    lost = lost_words(page.text, " ".join(page.text for page in pages))
    return ReadDocument(metadata, pages, (*written.warnings, *warnings, *told_lost(lost)))


def _read_slides(path: Path, name: str, kind: str, max_pages: int, shown: Path) -> ReadDocument:
    if kind not in (Kind.PPTX, Kind.PPSX):
        document = _read_pdf(shown, name, max_pages)
        return replace(document, pages=tuple(replace(page, text_from="slides") for page in document.pages))
    refuse_ole(path, name)
    slides = read_slides(path, name)
    language = language_of(slides.text)
    pages, warnings = _rendered(shown, name, max_pages, language, "slides")
    heading = next((line for line in slides.text.split("\n") if line.strip()), "")
    metadata = describe(name, slides.properties, [[line] for line in slides.text.split("\n")[:50]], heading, language)
    lost = lost_words(slides.text, " ".join(page.text for page in pages))
    return ReadDocument(metadata, pages, (*slides.warnings, *warnings, *told_lost(lost)))


def _read_text(path: Path, name: str, kind: Kind, max_pages: int, shown: Path | None) -> ReadDocument:
    """Its pages are made here, from what is read: `shown` shows exactly that."""
    text = read_text(path, name, kind)
    if not any(c.isalnum() for line in text.lines for c in line):
        raise UnreadableDocument("empty", f"{name}: has no words in it")
    language = language_of("\n".join(text.lines))
    metadata = describe(name, text.properties, [line.split("\t") for line in text.lines[:30]], text.heading, language)
    pages = text_pages(text.lines, name, max_pages, "text")
    if shown is not None:
        write_pdf(pages, shown)
    return ReadDocument(metadata, pages, (*text.warnings, *not_drawn(pages)))


def _rendered(shown: Path, name: str, max_pages: int, language: str, text_from: str) -> tuple[tuple[Page, ...], tuple[str, ...]]:
    """The pages of a rendering, and what to know of them."""
    found = read_pdf(shown, name, max_pages)
    pages = _worded(clean(found.pages, language), name)
    return tuple(replace(page, text_from=text_from) for page in pages), found.warnings


def _worded(pages: tuple[Page, ...], name: str) -> tuple[Page, ...]:
    if not any(c.isalnum() for page in pages for c in page.text):
        raise UnreadableDocument("no_text_layer", f"{name}: has no text layer (a scan?), so nothing can be found in it")
    return pages


def _language(found: RawDocument) -> str:
    lines = (" ".join(cell) for page in found.pages[:10] for cell in _cells(page))
    return language_of(" ".join(lines))


def _cells(page: LaidOut) -> list[list[str]]:
    """The cells of each line and row, uncleaned."""
    rows = []
    for item in page.items:
        cells = [[line.marked.text for line in cell] for cell in item.cells] if isinstance(item, Row) else [[item.marked.text]]
        rows.append([part for cell in cells for part in " ".join(cell).split("\t")])
    return rows
