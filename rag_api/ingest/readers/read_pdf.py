"""A PDF -> its pages laid out, and what its properties say. pypdf opens it (properties,
encryption), PDFium gives text with boxes.

Why both: PDFium reads text 6 to 20 times as fast and knows where every character stands; pypdf
reads properties that producers add (docs/benchmarks.md). A page that cannot be read costs that
page, not the document.
"""

from __future__ import annotations

import logging
import re
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pypdf
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from numpy.typing import NDArray

from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.notes import on_pages
from rag_api.ingest.layout.charts import posters
from rag_api.ingest.layout.charts.charts import lines_in_charts, with_charts
from rag_api.ingest.layout.layout import lay_out, rules_of
from rag_api.ingest.layout.scattered import loose_lines, with_loose
from rag_api.ingest.layout.tables.continued import NO_SIDES, sides_at_foot
from rag_api.ingest.layout.tables.stray_cells import rows_in_doubt, with_stray_cells
from rag_api.ingest.layout.tables.without_rules.uncertain_tables import uncertain_rows
from rag_api.ingest.pdf.actual_text import keep_what_is_shown
from rag_api.ingest.pdf.annotations import with_annotations
from rag_api.ingest.pdf.frames import frames_of
from rag_api.ingest.pdf.glyphs.checkboxes import with_squares
from rag_api.ingest.pdf.glyphs.font_spoofing import JudgedFonts
from rag_api.ingest.pdf.glyphs.fractions import with_fractions
from rag_api.ingest.pdf.glyphs.withheld_words import in_doubt, slanted_lines
from rag_api.ingest.pdf.lent_fonts import lend_anew
from rag_api.ingest.pdf.page_transform import PagePlane
from rag_api.ingest.pdf.pdfium import read_glyphs
from rag_api.ingest.pdf.vector_graphics import read_drawn
from rag_api.ingest.readers.scanned import CHART, NOTES, Ocr, is_scan, read_image
from rag_api.ingest.structure.clean import LaidOut
from rag_api.ingest.structure.conservation import shown_by

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its remarks on sloppy files are not for the reader


_PLACEHOLDER = re.compile(r"please wait|wacht|patientez|bitte warten|adobe (?:acrobat )?reader", re.IGNORECASE)
UNSEEN = "page_unseen"
_NOTES = (  # codes of notes
    UNSEEN,
    "page_watermark",
    "page_garbled",
    "page_untrue_letters",
    "page_uncompared",
    "page_other_words",
    "page_uncertain_rows",
    CHART,
)


@dataclass(frozen=True, slots=True, eq=False)
class RawDocument:
    """A file as read, before cleaning."""

    pages: tuple[LaidOut, ...]
    properties: dict[str, str]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Open:
    """A document whose pages are read."""

    document: Any
    layered: bool  # it has layers, which may be switched off
    count: int  # of its pages that are read
    judged: JudgedFonts
    ocr: Ocr | None


def read_pdf(path: Path, name: str, max_pages: int, ocr: Ocr | None = None) -> RawDocument:
    """ocr: pages that are pictures are read too.

    Raises UnreadableDocument: encrypted, broken, empty (no pages) or too_large (more than
    max_pages)."""
    document = _open(path, name)
    try:
        count = len(document)
        if count == 0:
            raise UnreadableDocument("empty", f"{name}: has no pages")
        if count > max_pages:
            raise UnreadableDocument("too_large", f"{name}: has {count} pages, more than {max_pages}")
        _check_xfa(document, name)
        properties, layered = _said(path, document)
        with closing(JudgedFonts(document.raw)) as judged:
            pages, warnings = _pages(_Open(document, layered, count, judged, ocr), name)
        return RawDocument(pages, properties, warnings)
    finally:
        document.close()


def _open(path: Path, name: str) -> Any:
    lend_anew()
    try:
        return pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        if raw.FPDF_GetLastError() == raw.FPDF_ERR_PASSWORD or "password" in str(error).casefold():
            raise UnreadableDocument("encrypted", f"{name}: needs a password to open") from error
        raise UnreadableDocument("broken", f"{name}: is no PDF that can be opened ({error})") from error


def _pages(opened: _Open, name: str) -> tuple[tuple[LaidOut, ...], tuple[str, ...]]:
    pages: list[LaidOut] = []
    failed: list[int] = []
    noted: dict[str, list[int]] = {code: [] for code in (*NOTES, *_NOTES)}
    sides = NO_SIDES
    for index in range(opened.count):
        number = index + 1
        try:
            page, own = with_annotations(opened.document, index)
        except pdfium.PdfiumError:
            failed.append(number)
            pages.append(LaidOut(number, 595.0, 842.0, 0, 842.0, ()))
            continue
        laid, notes = _page(opened, page, number, own, sides)
        sides = sides_at_foot(laid.items, laid.rules)
        pages.append(laid)
        for code in notes:
            noted[code].append(number)
        page.close()
    if len(failed) == len(pages):
        raise UnreadableDocument("broken", f"{name}: none of its pages can be read")
    found = {"page_broken": failed, **noted}
    return tuple(pages), tuple(on_pages(code, numbers) for code, numbers in found.items() if numbers)


def _page(
    opened: _Open, page: Any, number: int, own: int | None, before: NDArray[np.float32]
) -> tuple[LaidOut, list[str]]:
    """The page, and which of the notes it deserves. before: the sides of the table at the foot of
    the page before."""
    plane = PagePlane(page.raw)
    drawn = read_drawn(page.raw, plane)
    lied = keep_what_is_shown(opened.document.raw, page.raw, drawn.texts)
    glyphs = read_glyphs(page.raw, plane, drawn, opened.judged, opened.layered, own)
    noted: list[str] = []
    if is_scan(glyphs, drawn, plane.width, plane.height):
        if opened.ocr is not None:
            opened.ocr.on_page(number, opened.count)
        image = read_image(page.raw, plane, number, glyphs, opened.ocr)
        noted += image.notes
        if image.laid is not None:
            return image.laid, noted
    found, glyphs = glyphs, with_squares(with_fractions(glyphs, drawn), drawn.squares, drawn.held)
    size = plane.width, plane.height
    ordered = posters.in_order(lay_out(glyphs, drawn, *size, before), drawn, size)
    items = with_charts(with_loose(with_stray_cells(ordered)), drawn, size)
    charted = lines_in_charts(items)
    frames = frames_of(drawn, plane.width, plane.height)
    sideways = glyphs.turned.size and int((glyphs.turned % 2).mean() > 0.5)
    tall, doubt = plane.width if sideways else plane.height, in_doubt(glyphs)
    mixed = [*uncertain_rows(items), *rows_in_doubt(items)]
    letters = [
        line.marked.boxes[~np.isnan(line.marked.boxes).any(axis=1)] for line in (*mixed, *loose_lines(items), *charted)
    ]
    laid = LaidOut(
        number,
        plane.width,
        plane.height,
        plane.rotation,
        tall,
        items,
        np.concatenate([glyphs.boxes[doubt], *letters]),
        frames,
        slanted=slanted_lines(glyphs),
        shown=shown_by(found, glyphs),
        rules=rules_of(glyphs, drawn, plane.width, plane.height),
    )
    ink = glyphs.codes > 32
    garbled = glyphs.undecoded[ink].sum() > 0.2 * max(1, ink.sum())
    untrue, copied = (doubt & ~glyphs.recognised).any(), (doubt & glyphs.recognised).any()
    deserved = (
        (glyphs.hidden & ink).any(),
        (glyphs.slanted & ink).any(),
        garbled,
        untrue,
        copied,
        lied,
        bool(mixed),
        bool(charted),
    )
    return laid, [*noted, *(code for code, true in zip(_NOTES, deserved, strict=True) if true)]


def _check_xfa(document: Any, name: str) -> None:
    """Raises UnreadableDocument of a form that only Adobe's programs fill its pages with: others
    show that one must wait."""
    if raw.FPDF_GetFormType(document.raw) != raw.FORMTYPE_XFA_FULL:
        return
    try:
        shown = document[0].get_textpage().get_text_bounded()
    except pdfium.PdfiumError:
        shown = ""
    if not shown.strip() or _PLACEHOLDER.search(shown):
        raise UnreadableDocument(
            "xfa_form",
            f"{name}: is an XFA form, whose content only Adobe's programs show; print it to a PDF and load that",
        )


def _said(path: Path, document: Any) -> tuple[dict[str, str], bool]:
    """The information dictionary, without the slashes, and whether the document has layers.
    Whatever is wrong with it costs only itself."""
    try:
        reader = pypdf.PdfReader(path)
        layered = "/OCProperties" in reader.root_object
        return {
            str(key).lstrip("/"): str(value) for key, value in (reader.metadata or {}).items() if value is not None
        }, layered
    except Exception:  # pypdf raises nearly anything on damaged files; PDFium reads the standard entries
        return {key: value for key, value in document.get_metadata_dict().items() if value}, True
