"""Glyphs of a page as arrays, as PDFium gives them (pdf/pdfium.py)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HYPHEN_AT_LINE_END = 2  # what PDFium gives for one


@dataclass(frozen=True, slots=True, eq=False)
class Glyphs:
    """n characters in the order of the page's content, white space that PDFium saw between them
    included."""

    codes: NDArray[np.uint32]  # [n] code points
    boxes: NDArray[np.float32]  # [n, 4] page space: advance wide, ascent to descent high
    bold: NDArray[np.bool_]  # [n]
    hidden: NDArray[np.bool_]  # [n] drawn so that nobody sees it
    symbol: NDArray[np.bool_]  # [n] set in a symbol font, whose codes mean other signs
    undecoded: NDArray[np.bool_]  # [n] its font does not say which character it is
    slanted: NDArray[np.bool_]  # [n] neither upright nor turned by quarters: watermarks
    turned: NDArray[np.int8]  # [n] quarter turns clockwise of the text as displayed: 0 reads upright
    laid_on: NDArray[np.bool_]  # [n] of a form field or note: last in the content, wherever it stands
    # [n] invisible over a picture that shows something there: what another program read of a scan
    recognised: NDArray[np.bool_]
    untrue: NDArray[np.bool_]  # [n] it shows another letter than its font says
    guessed: NDArray[np.bool_]  # [n] white that PDFium put into a gap: none was drawn
