"""One file -> ReadDocument: read, describe, clean. A pure function of the file; runs in the reader process (reader.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rag_api.domain import Page, ReadDocument
from rag_api.errors import UnreadableDocument
from rag_api.ingest.clean import LaidOut, clean
from rag_api.ingest.layout import Row
from rag_api.ingest.lost import lost_words, told_lost
from rag_api.ingest.metadata import describe, language_of, titles_of
from rag_api.ingest.read_docx import read_docx
from rag_api.ingest.read_pdf import UNSEEN, RawDocument, headings_of, read_pdf
from rag_api.ingest.titles import Opening, words_of

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def media_type(path: Path, name: str) -> str:
    """By how the file begins, not by its name alone. Raises UnreadableDocument: empty, broken, unsupported."""
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError as error:
        raise UnreadableDocument("broken", f"{name}: cannot be opened ({error.strerror})") from error
    suffix = Path(name).suffix.casefold()
    if not head.strip():
        raise UnreadableDocument("empty", f"{name}: is empty")
    if b"%PDF-" in head:
        return PDF
    if suffix == ".docx" and head.startswith((b"PK", b"\xd0\xcf\x11\xe0")):  # the latter: with a password, read_docx says so
        return DOCX
    if suffix in (".pdf", ".docx"):
        raise UnreadableDocument("broken", f"{name}: is not what its name says")
    raise UnreadableDocument("unsupported", f"{name}: only PDF and DOCX can be read")


def read(path: Path, name: str, kind: str, max_pages: int, shown: Path | None = None, shared: frozenset[str] = frozenset()) -> ReadDocument:
    """Read a file. kind: its media type; shown: a DOCX's rendering as PDF, which gives it pages and boxes; shared: titles that are none, as
    other documents bear them too. Raises UnreadableDocument."""
    if kind == PDF:
        return _read_pdf(path, name, max_pages, shared)
    return _read_docx(path, name, max_pages, shown, shared)


def read_opening(path: Path, name: str, max_pages: int) -> Opening:
    """What a PDF may be called, and the words of its first page. Raises UnreadableDocument."""
    found = read_pdf(path, name, max_pages, first=1)
    cells = _cells(found.pages[0])
    titles = titles_of(name, found.properties, cells, headings_of(found.pages[0]))
    return Opening(titles[:-1], words_of(" ".join(cell for row in cells for cell in row)))


def _read_pdf(path: Path, name: str, max_pages: int, shared: frozenset[str]) -> ReadDocument:
    found = read_pdf(path, name, max_pages)
    language = _language(found)
    first = found.pages[0]
    metadata = describe(name, found.properties, _cells(first), headings_of(first), language, shared=shared)
    cleaned = clean(found.pages, metadata.language)
    return ReadDocument(metadata, _worded(cleaned.pages, name, found.warnings), found.warnings, cleaned.cut)


def _read_docx(path: Path, name: str, max_pages: int, shown: Path | None, shared: frozenset[str]) -> ReadDocument:
    written = read_docx(path, name)
    page = written.page()
    if not any(c.isalnum() for c in page.text):
        raise UnreadableDocument("empty", f"{name}: has no words in it")
    headings = (written.heading,) if written.heading else ()
    metadata = describe(name, written.properties, written.around, headings, language_of(page.text), shared=shared)
    if shown is None:
        return ReadDocument(metadata, (page,), (*written.warnings, *written.unrendered))
    found = read_pdf(shown, name, max_pages)
    cleaned = clean(found.pages, metadata.language)
    pages = tuple(replace(page, text_from="docx") for page in _worded(cleaned.pages, name, found.warnings))
    lost = lost_words(page.text, " ".join([*(page.text for page in pages), *(line.text for line in cleaned.cut)]))
    return ReadDocument(metadata, pages, (*written.warnings, *found.warnings, *told_lost(lost)), cleaned.cut)


def _worded(pages: tuple[Page, ...], name: str, warnings: Sequence[str] = ()) -> tuple[Page, ...]:
    if not any(c.isalnum() for page in pages for c in page.text):
        if any(UNSEEN in warning for warning in warnings):
            raise UnreadableDocument("no_text_layer", f"{name}: shows no text: {'; '.join(warnings)}")
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
