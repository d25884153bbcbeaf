"""Fonts that PDFium lends to a file that does not bring its own, always as one first meets them.

There are two, with serifs and without, bent to the widths of each file's letters, and what a letter
measures is asked of them as the last letter drawn has left them: so a file's own letters would be
other ones after another file was read.
"""

from __future__ import annotations

import pypdfium2 as pdfium

_PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 5 0 R/Resources<</Font<</A 6 0 R/B 7 0 R>>>>>>"
_DRAWN = b"BT /A 80 Tf 10 20 Td (n) Tj /B 80 Tf (n) Tj ET"
_FONT = (
    b"<</Type/Font/Subtype/TrueType/BaseFont/%s/FirstChar 110/LastChar 110/Widths[556]/FontDescriptor %d 0 "
    b"R/Encoding/WinAnsiEncoding>>"
)
_LOOK = (
    b"<</Type/FontDescriptor/FontName/%s/Flags %d/ItalicAngle 0/StemV 80/Ascent 900/Descent -200/CapHeight "
    b"700/FontBBox[0 0 1000 1000]>>"
)
_NAMES = (b"BedsideSans", b"BedsideSerif")
_SANS, _SERIF = 32, 34  # of a font's flags


def lend_anew() -> None:
    """Draw a letter of each, by which both stand as they did before any file that was read. No file
    may be open that draws with them."""
    document = pdfium.PdfDocument(_file())
    try:
        document[0].render(scale=1)
    finally:
        document.close()


def _file() -> bytes:
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[4 0 R]/Count 1>>",
        b"<<>>",
        _PAGE,
        b"<</Length %d>>stream\n%s\nendstream" % (len(_DRAWN), _DRAWN),
        *(_FONT % (name, n) for n, name in enumerate(_NAMES, start=8)),
        *(_LOOK % (name, flags) for name, flags in zip(_NAMES, (_SANS, _SERIF), strict=True)),
    ]
    return (
        b"%PDF-1.4\n"
        + b"".join(b"%d 0 obj%s endobj\n" % (n, one) for n, one in enumerate(objects, start=1))
        + b"trailer<</Root 1 0 R>>"
    )
