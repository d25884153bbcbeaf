"""Which words of a page may say something else than it shows: they are found and shown, never quoted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.pdfium import Glyphs


def in_doubt(glyphs: Glyphs) -> NDArray[np.bool_]:
    """Return [n] which glyphs are of words with a letter that shows another one, or are what another program read in a picture."""
    ink = (glyphs.codes > 32) & ~glyphs.hidden
    doubt = ink & glyphs.recognised
    if glyphs.untrue.any():
        word = np.cumsum(~ink)  # one number for the letters of each word
        letters = np.bincount(word, ink)
        wrong = np.bincount(word, glyphs.untrue)
        figures = np.bincount(word, glyphs.untrue & (glyphs.codes >= ord("0")) & (glyphs.codes <= ord("9")))
        doubt |= ink & (((wrong > 0) & (letters > 1)) | (figures > 0))[word]  # a letter alone is a bullet in a font of signs
    return doubt
