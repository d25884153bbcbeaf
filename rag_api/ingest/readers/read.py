"""One file -> ReadDocument: read, describe, clean. A pure function of the file; runs in the reader
process (reader_process.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rag_api.domain import Block, CutLine, Metadata, Note, Page, ReadDocument, Titles, code_of
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.described import expiry_notice
from rag_api.ingest.common.described.metadata import describe, titles_of
from rag_api.ingest.common.described.title_signs import NamingLine
from rag_api.ingest.common.described.words import language_of
from rag_api.ingest.common.kinds import SLIDES, TEXTS, WORD_KINDS, Kind, media_type
from rag_api.ingest.common.notes import note, on_pages
from rag_api.ingest.docx.package import refuse_ole
from rag_api.ingest.layout.lines import Row
from rag_api.ingest.readers.read_docx import read_docx
from rag_api.ingest.readers.read_pdf import UNSEEN, RawDocument, read_pdf
from rag_api.ingest.readers.read_slides import read_slides
from rag_api.ingest.readers.read_text import read_text
from rag_api.ingest.readers.rendering_losses import lost_words, told_lost
from rag_api.ingest.readers.scanned import Ocr, said_of_scans, uncertain
from rag_api.ingest.readers.text_pages import not_drawn, text_pages, write_pdf
from rag_api.ingest.structure.clean import Cleaned, LaidOut, clean
from rag_api.ingest.structure.headings import headings_of
from rag_api.ingest.structure.tagged_lines import blocks_of_lines
from rag_api.text.quotable.torn import torn
from rag_api.text.quotable.uncertain import Places, together, touches

__all__ = ["DOCX", "PDF", "media_type", "read"]

PDF, DOCX = Kind.PDF, Kind.DOCX
_HEADING = 2.0  # times the size of most letters


def read(
    path: Path,
    name: str,
    kind: str,
    max_pages: int,
    shown: Path | None = None,
    ocr: Ocr | None = None,
) -> ReadDocument:
    """Read a file. kind: its media type; shown: the rendering as PDF that LibreOffice made of it,
    which gives it pages and boxes, or where to write the one that is made here; ocr: pages of a PDF
    that are pictures are read too. Raises UnreadableDocument."""
    document = _read(path, name, kind, max_pages, shown, ocr)
    return replace(document, warnings=(*document.warnings, *_said_lapsed(document)))


def _read(path: Path, name: str, kind: str, max_pages: int, shown: Path | None, ocr: Ocr | None) -> ReadDocument:
    if kind in WORD_KINDS:
        return _read_docx(path, name, max_pages, shown)
    if kind in SLIDES:
        assert shown is not None
        return _read_slides(path, name, kind, max_pages, shown)
    if kind in TEXTS:
        return _read_text(path, name, Kind(kind), max_pages, shown)
    return _read_pdf(path, name, max_pages, ocr)


def _read_pdf(path: Path, name: str, max_pages: int, ocr: Ocr | None = None) -> ReadDocument:
    found = read_pdf(path, name, max_pages, ocr=ocr)
    language = _language(found)
    first = found.pages[0]
    cells = _cells(first)
    cleaned = clean(found.pages, describe(name, found.properties, cells, (), language).language)
    headings = headings_of(found.pages, cleaned.cut)
    metadata, titles = (
        describe(name, found.properties, cells, headings, language),
        titles_of(name, found.properties, cells, headings),
    )
    pages = _worded(cleaned.pages, name, found.warnings)
    in_doubt = uncertain(pages, found.pages)
    withheld, said = _withheld(cleaned)
    warnings = (*said_of_scans(pages, in_doubt), *found.warnings, *said)
    doubtful = together(in_doubt, withheld)
    return ReadDocument(metadata, pages, warnings, cleaned.cut, doubtful, cleaned.blocks, titles)


def _read_docx(path: Path, name: str, max_pages: int, shown: Path | None) -> ReadDocument:
    written = read_docx(path, name)
    page = written.page()
    if not any(c.isalnum() for c in page.text):
        raise UnreadableDocument("empty", f"{name}: has no words in it")
    headings = _styled(written.heading)
    metadata = describe(name, written.properties, written.around, headings, language_of(page.text))
    titles = titles_of(name, written.properties, written.around, headings)
    if shown is None and written.unsure:
        raise UnreadableDocument(
            "only_rendered", f"{name}: drawings lie over its text or text is cut off: only its pages tell what is seen"
        )
    if shown is None:
        blocks = blocks_of_lines(written.lines, page.text)
        return ReadDocument(metadata, (page,), (*written.warnings, *written.unrendered), blocks=blocks, titles=titles)
    rendered = _rendered(shown, name, max_pages, metadata.language, "docx", written.lines)
    return _with_losses(_document(metadata, titles, rendered, written.warnings), page.text)


def _read_slides(path: Path, name: str, kind: str, max_pages: int, shown: Path) -> ReadDocument:
    if kind not in (Kind.PPTX, Kind.PPSX):
        document = _read_pdf(shown, name, max_pages)
        return replace(document, pages=tuple(replace(page, text_from="slides") for page in document.pages))
    refuse_ole(path, name)
    slides = read_slides(path, name)
    language = language_of(slides.text)
    rendered = _rendered(shown, name, max_pages, language, "slides")
    lines = [line for line in slides.text.split("\n") if line.strip()]
    rows, headings = [[line] for line in lines[:50]], _styled(*lines[:1])
    metadata, titles = (
        describe(name, slides.properties, rows, headings, language),
        titles_of(name, slides.properties, rows, headings),
    )
    return _with_losses(_document(metadata, titles, rendered, slides.warnings), slides.text)


def _read_text(path: Path, name: str, kind: Kind, max_pages: int, shown: Path | None) -> ReadDocument:
    """Its pages are made here, from what is read: `shown` shows exactly that."""
    text = read_text(path, name, kind)
    if not any(c.isalnum() for line in text.lines for c in line):
        raise UnreadableDocument("empty", f"{name}: has no words in it")
    language = language_of("\n".join(text.lines))
    headings = _styled(text.heading)
    rows = [line.split("\t") for line in text.lines[:30]]
    metadata, titles = (
        describe(name, text.properties, rows, headings, language),
        titles_of(name, text.properties, rows, headings),
    )
    pages = text_pages(text.lines, name, max_pages, "text")
    if shown is not None:
        write_pdf(pages, shown)
    blocks = blocks_of_lines(text.lines, "".join(page.text for page in pages))
    return ReadDocument(metadata, pages, (*text.warnings, *not_drawn(pages)), blocks=blocks, titles=titles)


@dataclass(frozen=True, slots=True)
class _Rendered:
    """The pages of a rendering, and what to know of them."""

    pages: tuple[Page, ...]
    warnings: tuple[str, ...]
    cut: tuple[CutLine, ...]
    blocks: tuple[Block, ...]
    uncertain: tuple[tuple[int, int], ...]


def _rendered(
    shown: Path, name: str, max_pages: int, language: str, text_from: str, tagged: Sequence[str] = ()
) -> _Rendered:
    found = read_pdf(shown, name, max_pages)
    cleaned = clean(found.pages, language, tagged)
    pages = tuple(replace(page, text_from=text_from) for page in _worded(cleaned.pages, name, found.warnings))
    withheld, said = _withheld(cleaned)
    doubtful = together(uncertain(pages, found.pages), withheld)
    return _Rendered(pages, (*found.warnings, *said), cleaned.cut, cleaned.blocks, doubtful)


def _withheld(cleaned: Cleaned) -> tuple[tuple[tuple[int, int], ...], tuple[Note, ...]]:
    """The text of pages that are not conserved, rows that may stand below another's header, words
    below a heading that may be another's, and torn sentences; and what is said of their pages."""
    parts = (*cleaned.unplaced, *torn("".join(page.text for page in cleaned.pages), cleaned.blocks))
    heads, unplaced = (
        [page.number for page in cleaned.pages if _touched(page, own)] for own in (cleaned.unsure, together(parts))
    )
    found = {
        "page_no_order": cleaned.loose,
        "page_unaccounted": cleaned.unaccounted,
        "page_uncertain_heads": heads,
        "page_unplaced": unplaced,
    }
    lost = [(page.start, page.start + len(page.text)) for page in cleaned.pages if page.number in cleaned.unaccounted]
    notes = tuple(on_pages(code, pages) for code, pages in found.items() if pages)
    return together(lost, cleaned.unsure, parts), notes


def _touched(page: Page, places: Places) -> bool:
    return touches(page.start, page.start + len(page.text), places)


def _document(metadata: Metadata, titles: Titles, rendered: _Rendered, warnings: Sequence[str]) -> ReadDocument:
    found = (*warnings, *rendered.warnings)
    return ReadDocument(metadata, rendered.pages, found, rendered.cut, rendered.uncertain, rendered.blocks, titles)


def _with_losses(document: ReadDocument, written: str) -> ReadDocument:
    """Words that were written and that its rendering does not show are named."""
    lost = lost_words(
        written, " ".join([*(page.text for page in document.pages), *(line.text for line in document.cut)])
    )
    return replace(document, warnings=(*document.warnings, *told_lost(lost)))


def _worded(pages: tuple[Page, ...], name: str, warnings: Sequence[str] = ()) -> tuple[Page, ...]:
    if not any(c.isalnum() for page in pages for c in page.text):
        if any(code_of(warning) == UNSEEN for warning in warnings):
            raise UnreadableDocument("no_text_layer", f"{name}: shows no text: {'; '.join(warnings)}")
        raise UnreadableDocument("no_text_layer", f"{name}: has no text layer (a scan?), so nothing can be found in it")
    return pages


def _said_lapsed(document: ReadDocument) -> tuple[Note, ...]:
    """Its first page, or what is stamped across it, says that it is no longer in force, and nobody
    says until when it was."""
    first = document.pages[0]
    stamped = (line.text for line in document.cut if line.page == first.number)
    lines = (line for line in first.text.splitlines() if line.strip())
    said = (
        ""
        if document.metadata.valid_until
        else expiry_notice.said_undated(stamped) or expiry_notice.said_undated(lines)
    )
    return (note("says_lapsed", words=said),) if said else ()


def _styled(*headings: str) -> list[NamingLine]:
    """What its file calls a heading."""
    return [NamingLine(heading, larger=_HEADING) for heading in headings if heading]


def _language(found: RawDocument) -> str:
    lines = (" ".join(cell) for page in found.pages[:10] for cell in _cells(page))
    return language_of(" ".join(lines))


def _cells(page: LaidOut) -> list[list[str]]:
    """The cells of each line and row, uncleaned."""
    rows = []
    for item in page.items:
        cells = (
            [[line.marked.text for line in cell] for cell in item.cells]
            if isinstance(item, Row)
            else [[item.marked.text]]
        )
        rows.append([part for cell in cells for part in " ".join(cell).split("\t")])
    return rows
