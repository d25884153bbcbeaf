"""ActualText, which a file says instead of the letters of a place: read only where it says the same
as the page shows.

Programs write it for ligatures, hyphens and white space. It may say anything, and nobody sees it.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as raw

from rag_api.ingest.pdf.addresses import fast

_POINTER, _INT, _LONG = ctypes.c_void_p, ctypes.c_int, ctypes.c_ulong
_count_marks = fast("FPDFPageObj_CountMarks", _INT, _POINTER)
_mark = fast("FPDFPageObj_GetMark", _POINTER, _POINTER, _LONG)
_value = fast("FPDFPageObjMark_GetParamStringValue", _INT, _POINTER, ctypes.c_char_p, _POINTER, _LONG, _POINTER)

_KEY = b"ActualText"
_SHORT = 3  # letters: what one glyph without a name may stand for
_LONGEST = 4096


@dataclass(frozen=True, slots=True)
class _Said:
    """A mark of a text object that says something else of it."""

    thing: int
    mark: int
    text: str


def keep_what_is_shown(document: Any, page: Any, texts: Mapping[int, Any]) -> bool:
    """Take away from a page in memory what the file says instead of its letters, but where both are
    the same; return whether what was taken away said other letters. texts: by the addresses of its
    text objects."""
    said = [one for address in texts for one in _said(address)]
    if not said:
        return False
    for one in said:
        raw.FPDFPageObj_RemoveMark(_object(one.thing), ctypes.cast(one.mark, raw.FPDF_PAGEOBJECTMARK))
    groups: dict[int, list[_Said]] = {}
    for one in said:
        groups.setdefault(one.mark, []).append(one)
    text_page = raw.FPDFText_LoadPage(page)
    if not text_page:
        return True
    try:
        shown = {mark: "".join(_shown(text_page, one.thing) for one in group) for mark, group in groups.items()}
    finally:
        raw.FPDFText_ClosePage(text_page)
    lied = False
    for mark, group in groups.items():
        text = group[0].text
        if len(group) == 1 and _stands_for(text, shown[mark]):
            _say_again(document, group[0])
        lied |= _letters(text) != _letters(shown[mark]) and not _stands_for(text, shown[mark])
    return lied


def _said(address: int) -> list[_Said]:
    found = []
    for at in range(max(0, _count_marks(address))):
        mark = _mark(address, at)
        length = ctypes.c_ulong()
        if not mark or not _value(mark, _KEY, None, 0, ctypes.addressof(length)) or length.value > 2 * _LONGEST:
            continue
        buffer = ctypes.create_string_buffer(length.value)
        _value(mark, _KEY, ctypes.addressof(buffer), length.value, ctypes.addressof(length))
        found.append(_Said(address, mark, buffer.raw.decode("utf-16-le", "replace").rstrip("\0")))
    return found


def _object(address: int) -> Any:
    return ctypes.cast(address, raw.FPDF_PAGEOBJECT)


def _shown(text_page: Any, address: int) -> str:
    length = raw.FPDFTextObj_GetText(_object(address), text_page, None, 0)
    buffer = (ctypes.c_ushort * max(1, length // 2))()
    raw.FPDFTextObj_GetText(_object(address), text_page, buffer, length)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


def _letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text) if c.isalnum()).casefold()


def _stands_for(text: str, shown: str) -> bool:
    """A few letters for a glyph that its font does not name, as of a ligature; never a figure."""
    said = _letters(text)
    nameless = not any(c.isalnum() for c in unicodedata.normalize("NFKC", shown)) and not shown.isspace()
    return 0 < len(said) <= _SHORT and said.isalpha() and nameless and len(shown) <= 1


def _say_again(document: Any, one: _Said) -> None:
    mark = raw.FPDFPageObj_AddMark(_object(one.thing), b"Span")
    if mark:
        raw.FPDFPageObjMark_SetStringParam(document, _object(one.thing), mark, _KEY, one.text.encode("utf-8"))
