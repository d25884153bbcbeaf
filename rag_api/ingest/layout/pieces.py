"""A page's glyphs -> pieces: runs of glyphs without a break between, each a line or a part of
one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.common.boxed_text import Marked
from rag_api.ingest.layout.letter_spacing import without_spacing
from rag_api.ingest.layout.lines import CELL_GAP, Line
from rag_api.ingest.layout.narrow_gaps import cells_alike, narrow_gaps
from rag_api.ingest.pdf.glyphs.page_glyphs import HYPHEN_AT_LINE_END, Glyphs
from rag_api.ingest.pdf.glyphs.superscripts import is_attached, with_raised

_NEWLINES = np.array([10, 13], np.uint32)
SPACES = np.array(
    [9, 10, 11, 12, 13, 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000],
    np.uint32,
)
_NEAR = 0.4  # line heights: nearer, a word may go on though PDFium begins a line


@dataclass(frozen=True, slots=True, eq=False)
class GlyphRuns:
    """Runs of glyphs without a break between: [p] first and one past the last index into the
    visible glyphs, [p, 4] boxes; [v] where a space comes before a glyph."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    boxes: NDArray[np.float32]
    white: NDArray[np.bool_]
    cells: NDArray[np.bool_]


def pieces_of(
    glyphs: Glyphs,
    visible: NDArray[np.int64],
    with_: NDArray[np.int64],
    boxes: NDArray[np.float32],
    down: NDArray[np.float32],
) -> GlyphRuns:
    """visible, with_: [v] glyphs as they are read, and with which of the content each comes; boxes:
    [v, 4] theirs in reading space; down: the rules."""
    newlines = _passed(np.isin(glyphs.codes, _NEWLINES), with_)[1:]
    newlines &= ~is_attached(glyphs.codes[visible], boxes)
    spaces = np.isin(glyphs.codes, SPACES)
    one, two = boxes[:-1], boxes[1:]
    height = np.minimum(one[:, 3] - one[:, 1], two[:, 3] - two[:, 1]).clip(0.1)
    overlap = np.minimum(one[:, 3], two[:, 3]) - np.maximum(one[:, 1], two[:, 1])
    gap = two[:, 0] - one[:, 2]
    broken = (overlap < 0.3 * height) | (gap < -0.8 * height) | (gap > CELL_GAP * height)
    centres, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    apart = gap > 0.1 * height
    for y0, y1, x in down:  # a rule between two words parts them; a word may run over a rule
        broken |= apart & (centres[:-1] < x) & (centres[1:] > x) & (y[1:] > y0) & (y[1:] < y1)
    level = (np.abs(one[:, 1::2] - two[:, 1::2]).max(axis=1) < 0.05 * height) & (gap < _NEAR * height)
    broken |= newlines & ~level
    white = without_spacing(
        _passed(spaces, with_), ~_passed(spaces & ~glyphs.guessed, with_), glyphs.codes[visible], boxes, _starts(broken)
    )
    broken |= newlines & apart & white[1:]
    white[1:] &= apart | ~newlines
    alike = cells_alike(boxes, broken, glyphs.codes[visible])
    broken[alike - 1] = True
    broken[narrow_gaps(boxes, broken) - 1] = True
    starts = _starts(broken)
    white[starts] = False
    ends = np.append(starts[1:], len(visible))
    low, high = np.minimum.reduceat(boxes, starts, axis=0), np.maximum.reduceat(boxes, starts, axis=0)
    return GlyphRuns(
        starts, ends, np.column_stack([low[:, 0], low[:, 1], high[:, 2], high[:, 3]]), white, np.isin(starts, alike)
    )


def _passed(signs: NDArray[np.bool_], with_: NDArray[np.int64]) -> NDArray[np.bool_]:
    """[v] before which glyphs such a sign stands in the content."""
    count = np.cumsum(signs)[with_]
    return np.append(False, count[1:] > count[:-1])


def _starts(broken: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.flatnonzero(broken) + 1]).astype(np.int64)


def lines_in(
    glyphs: Glyphs,
    visible: NDArray[np.int64],
    here: NDArray[np.float32],
    pieces: GlyphRuns,
    aside: bool,
) -> list[Line]:
    """Each piece as a line. here: [v, 4] the visible glyphs' boxes in reading space."""
    at = np.flatnonzero(pieces.white)
    shown = with_raised(glyphs.codes[visible], here, pieces.starts, pieces.ends)
    codes = np.insert(np.minimum(shown, 0x10FFFF), at, 32)
    codes[codes == HYPHEN_AT_LINE_END] = ord("-")
    text = "".join(map(chr, codes.tolist()))  # one character each, surrogates too
    boxes = np.insert(glyphs.boxes[visible], at, np.nan, axis=0)
    shift = np.concatenate([[0], np.cumsum(pieces.white)])  # how many spaces come before each visible glyph
    heights, lefts, rights = (here[:, 3] - here[:, 1]).tolist(), here[:, 0].tolist(), here[:, 2].tolist()
    bold = np.add.reduceat(glyphs.bold[visible].astype(np.int64), pieces.starts)
    symbol = np.logical_or.reduceat(glyphs.symbol[visible], pieces.starts)
    word_ends = np.append(at, len(visible))[np.searchsorted(at, pieces.starts)]
    lines = []
    for n, (start, end) in enumerate(zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True)):
        first, last = start + int(shift[start]), end + int(shift[end])
        x0, y0, x1, y1 = pieces.boxes[n].tolist()
        size = sorted(heights[start:end])[(end - start) // 2]
        first_word = rights[min(int(word_ends[n]), end) - 1] - lefts[start]
        marked = Marked(text[first:last], boxes[first:last])
        lines.append(
            Line(
                marked,
                x0,
                y0,
                x1,
                y1,
                size,
                first_word,
                2 * int(bold[n]) > end - start,
                bool(symbol[n]),
                aside,
                apart=bool(pieces.cells[n]),
            )
        )
    return lines
