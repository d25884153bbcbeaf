"""Words of a page that may say something else than it shows: they are found and shown, never
quoted.

And which are left out, as they stand aslant."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.pdf.glyphs.page_glyphs import Glyphs


def in_doubt(glyphs: Glyphs) -> NDArray[np.bool_]:
    """Return [n] which glyphs are of words with a letter that shows another one, or are what
    another program read in a picture."""
    ink = (glyphs.codes > 32) & ~glyphs.hidden
    doubt = ink & glyphs.recognised
    if glyphs.untrue.any():
        word = np.cumsum(~ink)  # one number for the letters of each word
        letters = np.bincount(word, ink)
        wrong = np.bincount(word, glyphs.untrue)
        figures = np.bincount(word, glyphs.untrue & (glyphs.codes >= ord("0")) & (glyphs.codes <= ord("9")))
        # a letter alone is a bullet in a font of signs
        doubt |= ink & (((wrong > 0) & (letters > 1)) | (figures > 0))[word]
    return doubt


def slanted_lines(glyphs: Glyphs) -> tuple[str, ...]:
    """Return what stands neither upright nor turned by quarters, such as a watermark, line by
    line."""
    seen = glyphs.slanted & ~glyphs.hidden
    if not (seen & (glyphs.codes > 32)).any():
        return ()
    said = "".join(
        chr(code) if slanted or code in (9, 32) else "\n"
        for code, slanted in zip(glyphs.codes.tolist(), seen.tolist(), strict=True)
    )
    return tuple(line for line in (" ".join(line.split()) for line in re.split(r"[\r\n]+", said)) if line)
