"""Annotations, which a reader sees on a page though they are not in its content: filled form
fields, notes typed on it, signatures, stamps.

PDFium puts their appearances into the content (in memory, the file stays as it is) and makes those
that are missing, so that they are read, placed and doubted like all other words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as raw

_NO_WORDS = {raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP}
_NOT_SHOWN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_MOST = 2000  # of a page


def with_annotations(document: Any, index: int) -> tuple[Any, int | None]:
    """(the page with what is laid on it in its content, how many characters it has without; None:
    nothing is laid on it). Raises PdfiumError when it cannot be loaded."""
    page = document[index]
    if all(subtype in _NO_WORDS for _, subtype, _ in _annotations(page.raw)):
        return page, None
    own = _count(page.raw)
    for at in [n for n, _, one in _annotations(page.raw) if raw.FPDFAnnot_GetFlags(one) & _NOT_SHOWN][::-1]:
        raw.FPDFPage_RemoveAnnot(page.raw, at)
    _make_appearances(page.raw)
    if raw.FPDFPage_Flatten(page.raw, raw.FLAT_NORMALDISPLAY) != raw.FLATTEN_SUCCESS:
        return page, own
    page.close()
    return document[index], own


def _annotations(page: Any) -> Iterator[tuple[int, int, Any]]:
    """(its place in the page's list, what kind it is, itself: until the next one)"""
    for index in range(min(max(0, raw.FPDFPage_GetAnnotCount(page)), _MOST)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if annotation:
            try:
                yield index, int(raw.FPDFAnnot_GetSubtype(annotation)), annotation
            finally:
                raw.FPDFPage_CloseAnnot(annotation)


def _count(page: Any) -> int:
    text = raw.FPDFText_LoadPage(page)
    if not text:
        return 0
    try:
        return max(0, int(raw.FPDFText_CountChars(text)))
    finally:
        raw.FPDFText_ClosePage(text)


def _make_appearances(page: Any) -> None:
    """PDFium makes those that are missing when it draws."""
    bitmap = raw.FPDFBitmap_Create(1, 1, 0)
    if bitmap:
        raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, 1, 1, 0, raw.FPDF_ANNOT)
        raw.FPDFBitmap_Destroy(bitmap)
