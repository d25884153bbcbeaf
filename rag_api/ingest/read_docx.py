"""A DOCX -> paragraphs and table rows in order. Without a rendering it has no pages: one page, and no character has a box.

Headers and footers are not part of the text; they are read because versions and owners stand there.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
from docx.table import Table
from docx.text.paragraph import Paragraph

from rag_api.domain import Page
from rag_api.errors import UnreadableDocument
from rag_api.ingest.characters import clean_line
from rag_api.ingest.marked import no_boxes, plain

_MAX_UNPACKED = 1 << 30  # bytes: a small file may unpack to a very large one
_A4 = (595.0, 842.0)


class DocxText:
    """What a DOCX holds: lines (a table row is a line, its cells parted by tabs), the lines of its headers, its properties."""

    def __init__(self, lines: list[str], around: list[list[str]], properties: dict[str, str], heading: str) -> None:
        self.lines = lines
        self.around = around  # cells of the first table rows, headers and footers: where metadata stands
        self.properties = properties
        self.heading = heading

    def page(self) -> Page:
        text = "\n".join([*self.lines, ""])
        return Page(1, *_A4, 0, 0, text, no_boxes(len(text)), "docx")


def read_docx(path: Path, name: str) -> DocxText:
    """Raises UnreadableDocument: broken, encrypted, too_large."""
    with path.open("rb") as file:
        if file.read(8) == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":  # an OLE container: a DOCX with a password, or the old format
            raise UnreadableDocument("encrypted", f"{name}: needs a password to open, or is an old .doc file")
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > _MAX_UNPACKED:
            raise UnreadableDocument("too_large", f"{name}: unpacks to {unpacked >> 20} MB")
        document = docx.Document(str(path))
        return _text(document)
    except (UnreadableDocument, MemoryError):
        raise
    except Exception as error:  # python-docx raises KeyError, ValueError, lxml's errors and more on damaged files
        raise UnreadableDocument("broken", f"{name}: is no DOCX that can be opened ({type(error).__name__}: {error})") from error


def _text(document: Any) -> DocxText:
    lines: list[str] = []
    around: list[list[str]] = []
    heading = ""
    for block in document.iter_inner_content():
        if isinstance(block, Table):
            rows = list(_rows(block))
            lines += [*("\t".join(row) for row in rows), ""]
            around += rows[:12]
        elif text := _clean(block.text):
            style = (block.style.name or "").casefold() if block.style is not None else ""
            if style.startswith(("heading", "kop", "title", "titel")):
                heading = heading or text
                lines += ["", text]
            else:
                lines.append(f"• {text}" if "bullet" in style or "opsom" in style else text)
                around.append([text])
    for section in document.sections:
        for part in (section.header, section.footer, section.first_page_header, section.first_page_footer):
            for block in part.iter_inner_content():
                around += list(_rows(block)) if isinstance(block, Table) else [[_clean(block.text)]]
    return DocxText(_single_spaced(lines), around, _properties(document), heading)


def _rows(table: Table) -> Iterator[list[str]]:
    """Rows with something in them; a merged cell counts once, a nested table reads as part of its cell."""
    for row in table.rows:
        cells, seen = [], set()
        for cell in row.cells:
            if cell._tc not in seen:
                seen.add(cell._tc)
                cells.append(_clean(" ".join(_words(cell))))
        if any(cells):
            yield [cell for cell in cells if cell]


def _words(cell: Any) -> Iterator[str]:
    for block in cell.iter_inner_content():
        if isinstance(block, Paragraph):
            yield block.text
        else:
            yield "; ".join("\t".join(row) for row in _rows(block))


def _clean(text: str) -> str:
    """One line: a break inside a paragraph is a space."""
    return clean_line(plain(re.sub(r"\s*\n\s*", " ", text))).text.replace("\t", " ").rstrip("\u00ad")


def _single_spaced(lines: list[str]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return kept


def _properties(document: Any) -> dict[str, str]:
    core = document.core_properties
    found = {"Title": core.title, "Author": core.author, "Version": core.version, "Language": core.language, "Subject": core.subject}
    return {key: str(value) for key, value in found.items() if value and value != "python-docx"}
