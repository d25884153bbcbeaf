"""The kinds of files that are read, by how their names end and how they begin; and which of them
LibreOffice has to open. The page lists them in web/src/api/kinds.ts."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from rag_api.errors import UnreadableDocument


class Kind(StrEnum):
    """By media type, as it stands in the documents list."""

    PDF = "application/pdf"
    DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    DOCM = "application/vnd.ms-word.document.macroenabled.12"
    DOC = "application/msword"
    ODT = "application/vnd.oasis.opendocument.text"
    RTF = "application/rtf"
    PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    PPSX = "application/vnd.openxmlformats-officedocument.presentationml.slideshow"
    PPT = "application/vnd.ms-powerpoint"
    ODP = "application/vnd.oasis.opendocument.presentation"
    XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    XLS = "application/vnd.ms-excel"
    ODS = "application/vnd.oasis.opendocument.spreadsheet"
    HTML = "text/html"
    MARKDOWN = "text/markdown"
    TEXT = "text/plain"
    EML = "message/rfc822"
    MSG = "application/vnd.ms-outlook"


SUFFIXES = {
    ".pdf": Kind.PDF, ".docx": Kind.DOCX, ".docm": Kind.DOCM, ".doc": Kind.DOC, ".odt": Kind.ODT, ".rtf": Kind.RTF,
    ".pptx": Kind.PPTX, ".ppsx": Kind.PPSX, ".ppt": Kind.PPT, ".pps": Kind.PPT, ".odp": Kind.ODP,
    ".xlsx": Kind.XLSX, ".xlsm": Kind.XLSX, ".xls": Kind.XLS, ".ods": Kind.ODS,
    ".html": Kind.HTML, ".htm": Kind.HTML, ".md": Kind.MARKDOWN, ".txt": Kind.TEXT, ".eml": Kind.EML, ".msg": Kind.MSG,
}  # fmt: skip
WORD_KINDS = frozenset((Kind.DOCX, Kind.DOCM))
SLIDES = frozenset((Kind.PPTX, Kind.PPSX, Kind.PPT, Kind.ODP))
TEXTS = frozenset((Kind.XLSX, Kind.HTML, Kind.MARKDOWN, Kind.TEXT, Kind.EML, Kind.MSG))  # their pages are made here
# What LibreOffice makes of a kind, which is then read in its place.
CONVERTED_TO = {Kind.DOC: Kind.DOCX, Kind.ODT: Kind.DOCX, Kind.RTF: Kind.DOCX, Kind.XLS: Kind.XLSX, Kind.ODS: Kind.XLSX}
_OFFICE = frozenset((*WORD_KINDS, *SLIDES, *CONVERTED_TO))

_ZIP, _OLE = b"PK", b"\xd0\xcf\x11\xe0"
_BEGINNINGS = {
    Kind.DOCX: (_ZIP, _OLE), Kind.DOCM: (_ZIP, _OLE), Kind.PPTX: (_ZIP, _OLE), Kind.PPSX: (_ZIP, _OLE),
    Kind.XLSX: (_ZIP, _OLE),  # OLE: a password
    Kind.ODT: (_ZIP,), Kind.ODP: (_ZIP,), Kind.ODS: (_ZIP,), Kind.DOC: (_OLE, b"{\\rtf", _ZIP), Kind.RTF: (b"{\\rtf",),
    Kind.PPT: (_OLE,), Kind.XLS: (_OLE,), Kind.MSG: (_OLE,),
}  # fmt: skip


def wants_office(name: str) -> bool:
    """Return whether what becomes of a file depends on LibreOffice being there."""
    return SUFFIXES.get(Path(name).suffix.casefold()) in _OFFICE


def media_type(path: Path, name: str) -> Kind:
    """By how the file begins, not by its name alone. Raises UnreadableDocument: empty, broken,
    unsupported."""
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError as error:
        raise UnreadableDocument("broken", f"{name}: cannot be opened ({error.strerror})") from error
    if not head.strip():
        raise UnreadableDocument("empty", f"{name}: is empty")
    if b"%PDF-" in head:
        return Kind.PDF
    kind = SUFFIXES.get(Path(name).suffix.casefold())
    if kind is None:
        raise UnreadableDocument("unsupported", f"{name}: files of this kind are not read")
    beginnings = _BEGINNINGS.get(kind)
    if kind in (Kind.DOC, Kind.XLS) and b"<html" in head.lower():
        return Kind.HTML  # as some programs export
    if kind is Kind.PDF or (beginnings is not None and not head.startswith(beginnings)):
        raise UnreadableDocument("broken", f"{name}: is not what its name says")
    return kind
