"""Files that are text without pages (plain text, Markdown, HTML, mails, sheets) -> their lines,
cleaned as those of a PDF are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.boxed_text import plain
from rag_api.ingest.common.characters import clean_line
from rag_api.ingest.common.kinds import Kind
from rag_api.ingest.docx.package import refuse_ole
from rag_api.ingest.readers.read_html import HtmlText, read_html, read_markdown
from rag_api.ingest.readers.read_mail import read_eml, read_msg
from rag_api.ingest.readers.read_sheet import read_sheets
from rag_api.ingest.structure.tagged_lines import reworded

_CHARSET = re.compile(rb"charset=[\"']?([\w-]+)", re.IGNORECASE)
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True, slots=True)
class Text:
    lines: tuple[str, ...]
    heading: str
    warnings: tuple[str, ...] = ()
    properties: dict[str, str] = field(default_factory=dict)


def read_text(path: Path, name: str, kind: Kind) -> Text:
    """Raises UnreadableDocument: broken, empty, encrypted, too_large, unsupported."""
    if kind == Kind.XLSX:
        refuse_ole(path, name)
        sheets = read_sheets(path, name)
        return Text(_cleaned(sheets.lines), "", sheets.warnings(), sheets.properties)
    shown = _shown(path, name, kind)
    lines = _cleaned(shown.lines)
    first = next((line for line in lines if line), "")
    heading = shown.title or (first if len(first) <= 120 and not first.endswith((".", ":", ";")) else "")
    return Text(lines, heading, shown.warnings())


def _shown(path: Path, name: str, kind: Kind) -> HtmlText:
    if kind == Kind.EML:
        return read_eml(path, name)
    if kind == Kind.MSG:
        return read_msg(path, name)
    text = decoded(path.read_bytes(), name)
    if kind == Kind.HTML:
        return read_html(text, name)
    return read_markdown(text, name) if kind == Kind.MARKDOWN else HtmlText(text.splitlines())


def decoded(content: bytes, name: str) -> str:
    """By the mark at its beginning, as UTF-8, as what it says it is, else as Windows' Western
    European. Raises UnreadableDocument."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = content.decode("utf-16", "replace")
    else:
        said = _CHARSET.search(content[:2048])
        for encoding in ("utf-8-sig", said.group(1).decode() if said else "cp1252", "cp1252"):
            try:
                text = content.decode(encoding)
                break
            except (UnicodeDecodeError, LookupError):
                continue
        else:
            text = content.decode("cp1252", "replace")
    if len(_BINARY.findall(text[:100_000])) > 20:
        raise UnreadableDocument("broken", f"{name}: is no text")
    return text


def _cleaned(lines: list[str]) -> tuple[str, ...]:
    cleaned: list[str] = []
    for line in lines:
        text = clean_line(plain(line)).text.rstrip("\u00ad")
        if text or (cleaned and cleaned[-1]):
            cleaned.append(reworded(line, text))
    return tuple(cleaned)
